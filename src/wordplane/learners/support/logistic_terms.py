"""What the objective of logistic regression is made of, and how long to descend on its dual."""

from typing import NamedTuple

import numpy as np

from wordplane.common.types import FloatArray
from wordplane.optimize.losses import Loss
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.result import Result
from wordplane.optimize.vectors import largest

AUTO_PASSES = 50  # of the dual, before Newton's method takes over


class LogisticTerms(NamedTuple):
    """The loss, whether it is that of all classes at once, the penalty, and C times the weights of
    rows."""

    softmax: bool
    loss: Loss
    penalty: Penalty
    n_outputs: int
    weight: FloatArray

    def gradient_tol(self, tol: float, start: FloatArray) -> float:
        """The largest component of the gradient to come to, given the first gradient. Where nothing
        is to be learned from the start, no more than rounding is asked for."""
        rounding = np.finfo(float).eps * float(self.weight.sum())
        return max(tol * largest(start), rounding)


def dual_passes(solver: str, max_iter: int) -> int:
    """The most passes of the dual."""
    return max_iter if solver == "dual" else min(max_iter, AUTO_PASSES)


def is_to_be_helped(found: Result, solver: str, max_iter: int) -> bool:
    """Whether Newton's method is to go on where the dual has stopped."""
    return not found.converged and solver == "auto" and max_iter > AUTO_PASSES
