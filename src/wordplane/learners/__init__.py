"""One file per learner: a matrix and labels in, weights out."""
