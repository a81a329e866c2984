"""Rows and features of rows with classes, for tests of joint learners."""

import numpy as np


def times_class(x, y):
    """x (x) e_y, with the constant feature of the bias."""
    return {f"{j}:{y}": value for j, value in enumerate([*x, 1.0]) if value}


def margins(z):
    """Scores less those of the first class, in the shape that all learners share."""
    z = np.column_stack([np.zeros_like(z), z]) if z.ndim == 1 else z
    return z - z[:, :1]


def blobs(n_classes, seed=0, n=40):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n, 3)) + rng.normal(size=(n_classes, 3))[y], y
