"""Operations on flat arrays of weights and gradients."""

import math

import numpy as np

from wordplane.common.types import FloatArray

Floats = FloatArray


def largest(gradient: Floats) -> float:
    """The largest absolute component of a gradient."""
    return float(np.abs(gradient).max(initial=0.0))


def dot(a: Floats, b: Floats) -> float:
    """a'b, summed by NumPy itself: BLAS would distribute it over threads of its own."""
    return float(np.einsum("i,i->", a, b))


def norm(a: Floats) -> float:
    """The Euclidean norm of a."""
    return math.sqrt(dot(a, a))
