"""How good predictions are: arrays in, numbers out."""
