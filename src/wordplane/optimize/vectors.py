"""Weights and gradients are flat arrays; what is asked of them."""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def largest(gradient: Floats) -> float:
    """The largest component of a gradient, without its sign."""
    return float(np.abs(gradient).max(initial=0.0))


def dot(a: Floats, b: Floats) -> float:
    """a'b, summed by NumPy itself: a BLAS would share it out among threads of its own."""
    return float(np.einsum("i,i->", a, b))


def norm(a: Floats) -> float:
    """The Euclidean norm of a."""
    return math.sqrt(dot(a, a))
