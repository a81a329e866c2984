"""Weights within bounds, for learners of two classes whose objective is smooth."""

import warnings
from typing import NamedTuple

import numpy as np

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.types import FloatArray
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.svm_blocks import SvmProblem
from wordplane.optimize.bounded import minimize_within
from wordplane.optimize.losses import binary_squared_hinge
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.solution import Result


class Bounds(NamedTuple):
    """What the weight of every feature must be between; it is set where both are equal."""

    lower: FloatArray
    upper: FloatArray


def check_bounds_fit(learner: LinearClassifier, can_fit: bool) -> None:
    """Refuse parameters or classes for which there are no weights within bounds."""
    n_classes = len(learner.classes_)
    if not can_fit or n_classes != 2:
        raise InputError(f"{learner!r} cannot be fitted to {n_classes} classes within bounds")


def svm_within(
    problem: SvmProblem,
    X: _core.Csr,
    bounds: Bounds,
    start: tuple[FloatArray, FloatArray],
    threads: int,
) -> tuple[FloatArray, FloatArray, Result]:
    """The optimum of the SVM with the squared hinge within bounds; it starts from W and b without
    bounds, into which the scale of the problem is folded."""
    F = LinearObjective(
        X,
        problem.codes,
        binary_squared_hinge,
        Penalty(l2=1.0),
        n_outputs=1,
        weight=problem.C,
        intercept=problem.bias > 0,
        threads=threads,
    )
    factor = np.ones(X.shape[1]) if problem.scale is None else problem.scale[:, 0]
    bias = [problem.bias] if problem.bias > 0 else []
    return weights_within(F, bounds, F.flat(*start), np.append(factor, bias))


def weights_within(
    F: LinearObjective, bounds: Bounds, start: FloatArray, factor: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, Result]:
    """W and b of the objective's optimum within the bounds, which are of the features alone.

    start   the weights to begin with, such as the best without bounds
    factor  of each weight and of the bias: F's penalty is one on the weights divided by it
    """
    free = [np.inf] if F.intercept else []
    result = minimize_within(
        F,
        np.append(bounds.lower, np.negative(free)),
        np.append(bounds.upper, free),
        start=start,
        factor=factor,
    )
    if not result.converged:
        warnings.warn(
            f"fitting within bounds stopped ({result.reason}) after {result.n_iter} iterations: "
            f"the largest component of the gradient is {result.gradient_norm:.3g} at objective "
            f"{result.loss:.6g}",
            ConvergenceWarning,
            stacklevel=3,
        )
    return *F.split(result.w), result
