"""What the objective of logistic regression is made of, how long to descend on its dual, and by
which steps."""

from typing import NamedTuple

import numpy as np

from wordplane.common.types import FloatArray
from wordplane.optimize.conjugate_gradient import largest_eigenvalue
from wordplane.optimize.losses import Loss
from wordplane.optimize.objective import LinearObjective
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


def step_options(
    problem: LinearObjective, softmax: bool, step: str, eta0: float | None, power: float
) -> dict[str, str | float]:
    """How gradient descent steps; without a line search by 1 over the largest curvature."""
    first = 1.0 if eta0 is None else float(eta0)
    if eta0 is None and step != "armijo":
        # At zero weights a probability is 1/2 of two classes, where p (1 - p) is largest, but
        # 1/K of K: then any direction may be K / 2 times as curved elsewhere.
        w = problem.start()
        most = 1.1 * largest_eigenvalue(problem.hessian(w), len(w)) or 1.0
        first = 1 / (most * max(1.0, problem.n_outputs / 2 if softmax else 1.0))
    return {"step": step, "eta0": first, "power": power}
