"""Text files, splits and built-in corpora."""

from .corpus import Corpus
from .read import read, read_batches

__all__ = ["Corpus", "read", "read_batches"]
