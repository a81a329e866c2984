"""The weights of a model file: as they are, or as 8-bit multiples of a step for each output.

8 bits are used where they lose nothing: for models that `wordplane.model.compression` made, and
for others whose weights happen to be such multiples.
"""

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray

LEVELS = 127  # of each sign
WEIGHT_ARRAYS = {"W": ("float32", 2), "W_step": ("float64", 1)}

Weights = NDArray[np.float32]


def round_weights(W: Weights) -> Weights:
    """The nearest multiples of each output's step, a 127th of its largest weight.

    >>> round_weights(np.array([[127], [32.8], [-0.4]], np.float32)).ravel()
    array([127.,  33.,  -0.], dtype=float32)
    """
    steps = _steps(W)
    return _multiply(_multiples(W, steps), steps)


def are_rounded(W: Weights) -> bool:
    """Whether 8 bits for each weight lose nothing."""
    steps = _steps(W)
    for part in (W[:1000], W[1000:]):  # most models are known by their first weights
        if not (_multiply(_multiples(part, steps), steps) == part).all():
            return False
    return W.size > 0


def weight_arrays(W: Weights) -> dict[str, NDArray[np.generic]]:
    """What is stored."""
    if not are_rounded(W):
        return {"W": W}
    steps = _steps(W)
    return {"W": _multiples(W, steps).astype(np.int8), "W_step": steps}


def take_weights(arrays: dict[str, NDArray[np.generic]], n_outputs: int) -> Weights:
    """The weights from arrays of known types that may be anybody's; in the arrays, they are then
    plain."""
    stored, steps = arrays.get("W"), arrays.pop("W_step", None)
    if stored is None:
        return np.zeros((0, n_outputs), np.float32)
    if (stored.dtype == np.int8) != (steps is not None):
        raise InputError("weights of 8 bits and their steps go together")
    W = stored.astype(np.float32, copy=False)
    if steps is not None:
        if steps.shape != W.shape[1:]:
            raise InputError("steps of weights of another shape")
        arrays["W"] = W = _multiply(W, steps.astype(np.float64, copy=False))
    return W


def _steps(W: Weights) -> FloatArray:
    largest = np.abs(W).max(axis=0, initial=0.0).astype(np.float64)
    return np.asarray(np.where(largest > 0, largest, 1.0) / LEVELS)


def _multiples(W: Weights, steps: FloatArray) -> FloatArray:
    return np.asarray(np.rint(W / steps))


def _multiply(multiples: FloatArray | Weights, steps: FloatArray) -> Weights:
    return np.asarray((multiples * steps).astype(np.float32))
