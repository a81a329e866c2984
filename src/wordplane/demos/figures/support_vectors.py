"""The support vectors of a model: the points on their tangent z = -1 or z = 1, or beyond it.

Which points these are is a matter of the optimum, and a solver only comes close to it. The
objective of a linear SVM is strongly convex: with a duality gap g the weights are at most sqrt(2 g)
from the best ones, and the score of x is at most sqrt(2 g) |(x, 1)| from its best one. The machine
is solved until that is small, and that is the tolerance.
"""

import warnings

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.types import FloatArray, LabelArray
from wordplane.demos.figures.plane import TwoClassModel
from wordplane.learners.kernel_svm import KernelSVM
from wordplane.learners.svm import LinearSVM

TOLERANCE = 1e-4  # of a functional margin
ROUNDING = 1e-6  # of a functional margin: features are stored in single precision
MOST_PASSES = 200_000


def support_vectors(
    points: FloatArray, labels: LabelArray, model: TwoClassModel
) -> NDArray[np.bool_]:
    """Whether each point lies on its tangent or beyond it, at the optimum of the model.

    A linear SVM is solved to a gap at which no margin is off by more than TOLERANCE, and a kernel
    SVM knows its support vectors. For other models their margins count as they are.

    points, labels   what the model was fitted on

    >>> X, y = np.array([[-2.0, 0], [-1, 0], [1, 0], [3, 0]]), np.array([0, 0, 1, 1])
    >>> svm = LinearSVM(C=10, loss="hinge", fit_intercept=False).fit(X, y)
    >>> support_vectors(X, y, svm).tolist()
    [False, True, True, False]
    """
    if isinstance(model, KernelSVM):
        return _kernel_support(points, model)
    side = np.where(labels == model.classes_[1], 1.0, -1.0)
    tolerance = np.full(len(points), ROUNDING)
    if isinstance(model, LinearSVM) and model.penalty == "l2":
        constant = model.intercept_scaling if model.fit_intercept else 0.0
        reach = np.sqrt(2 * ((points**2).sum(axis=1) + constant**2))
        if model.multi_class == "crammer_singer":  # z is the difference of two scores
            reach = np.sqrt(2) * reach
        model = _solve(model, points, labels, (TOLERANCE / reach.max()) ** 2)
        tolerance += np.sqrt(max(model.gap_, 0.0)) * reach
    return np.asarray(side * model.decision_function(points) <= 1 + tolerance)


def _kernel_support(points: FloatArray, model: KernelSVM) -> NDArray[np.bool_]:
    rows = np.asarray(model.support_)
    vectors = model.support_vectors_.toarray()
    if rows.max() >= len(points) or not np.allclose(points[rows], vectors, rtol=1e-5, atol=1e-6):
        raise InputError("X does not hold the points that the model was fitted on, in their order")
    return np.isin(np.arange(len(points)), rows)


def _solve(model: LinearSVM, points: FloatArray, labels: LabelArray, gap: float) -> LinearSVM:
    """The same machine, solved to a duality gap of at most this."""
    parameters = model.get_params()
    parameters["tol"] = max(gap / max(model.objective_, 1e-300), 1e-14)
    parameters["max_iter"] = MOST_PASSES
    # The gap that is left is allowed for.
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return LinearSVM(**parameters).fit(points, labels)
