"""Choosing among models: cross-validation and grids, on texts that are counted once."""
