"""Training past memory: texts, counts and rows in blocks on disk (docs/scale.md)."""
