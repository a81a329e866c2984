"""From tokens to a matrix of features."""
