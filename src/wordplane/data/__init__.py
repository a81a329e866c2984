"""Text files, splits and built-in corpora."""
