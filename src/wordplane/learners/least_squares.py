"""Least squares and ridge regression.

    min over w, b of  sum_i (y_i - x_i w - b)^2 + alpha ||w||^2

With few features X and y are centered and the system is solved by a singular value decomposition
of (X; sqrt(alpha) I), which is stable and, where there are many solutions, gives the shortest w.
With many it is solved by conjugate gradients on the normal equations, which need products with X
only and, from zero, end at the shortest (w, b): another of those solutions, if there is a bias.
Gradient descent, on all rows or one at a time, reaches the same weights more slowly.

As a classifier the targets are -1 and 1, one column for every class against the rest.

Reference: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 3.
"""

from collections.abc import Mapping
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.matrix_estimator import check_length
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.learners.support.base import ALPHA_GRID, ClassWeight, LinearClassifier, Tables
from wordplane.learners.support.parameter_checks import (
    check,
    check_choice,
    check_flags,
    check_whole,
    is_real,
)
from wordplane.learners.support.regressor import Regressor, as_targets
from wordplane.optimize.conjugate_gradient import solve
from wordplane.optimize.descent import gradient_descent
from wordplane.optimize.losses import squared_error
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.solution import Result
from wordplane.optimize.vectors import largest

SOLVERS = ("auto", "svd", "cg", "gd", "sgd")
MOST_DENSE = 1_000_000  # beyond that a decomposition takes seconds


class LeastSquares(Regressor):
    """Linear regression by least squares, with or without a ridge penalty.

    Parameters
    ----------
    alpha : float, default 0.0
        Strength of the penalty alpha ||w||^2, from 0 up; the bias is not penalized.
    fit_intercept : bool, default True
        Learn a bias.
    solver : "auto", "svd", "cg", "gd" or "sgd", default "auto"
        Closed form, conjugate gradients, or gradient descent on all rows or one at a time.
        "auto" is "svd" while the dense matrix is small, else "cg".
    tol : float, default 1e-6
        How small the gradient must become, relative to that at zero weights ("sgd": by how much
        the objective may still change in an epoch).
    max_iter : int, default 10000
        The most iterations or epochs.
    eta0 : float, default None
        First step of "sgd"; None takes one that suits the size of the rows.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        Seed of the order of the rows in "sgd".

    Attributes
    ----------
    coef_, intercept_
        w and b; one row and one number for every column of y if y has two dimensions.
    objective_, gradient_norm_, n_iter_, converged_
        What was minimized, its largest component of the gradient, iterations, and success.

    Examples
    --------
    >>> model = LeastSquares().fit([[0], [1], [2]], [1, 3, 5])
    >>> model.coef_.round(6), round(model.intercept_, 6)
    (array([2.]), 1.0)
    """

    coef_: FloatArray
    intercept_: float | FloatArray
    objective_: float
    gradient_norm_: float
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        *,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        eta0: float | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: WeightsLike = None) -> Self:
        """Find the weights; y has a number for every row, or a row of numbers."""
        matrix = self._new_features(X)
        targets = as_targets(y)
        check_length(matrix, targets, "y")
        weight = as_weights(sample_weight, matrix.shape[0])
        Y = targets.reshape(len(targets), -1)
        W, b = _fit(self, matrix, Y, weight)
        if targets.ndim == 1:
            self.coef_, self.intercept_ = W[:, 0].copy(), float(b[0])
        else:
            self.coef_, self.intercept_ = np.ascontiguousarray(W.T), b.copy()
        return self

    def predict(self, X: MatrixLike) -> FloatArray:
        """x w + b."""
        self._check_fitted()
        matrix = self._known_features(X)
        W = np.ascontiguousarray(np.atleast_2d(self.coef_).T)
        z = _core.linear_scores(
            matrix, W, np.atleast_1d(self.intercept_), thread_count(self.n_jobs)
        )
        return z[:, 0] if self.coef_.ndim == 1 else z


class RidgeClassifier(LinearClassifier):
    """Least squares with a ridge penalty, on targets of -1 and 1.

    Parameters
    ----------
    alpha : float, default 1.0
        Strength of the penalty alpha ||w||^2, from 0 up; the bias is not penalized.
    fit_intercept : bool, default True
        Learn a bias for every class.
    solver, tol, max_iter, eta0, n_jobs, random_state
        As in `LeastSquares`; tol is 1e-4.
    class_weight : None, "balanced" or mapping, default None
        How much the errors of each class count.

    Attributes
    ----------
    objective_, gradient_norm_, n_iter_, converged_
        As in `LeastSquares`.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 1, 1]]
    >>> model = RidgeClassifier().fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 2]])
    array(['sport', 'law'], dtype='<U5')
    """

    name = "ridge"
    grid = ALPHA_GRID
    text_defaults: Mapping[str, object] = {"alpha": 0.3}
    objective_: float
    gradient_norm_: float
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 10_000,
        eta0: float | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.eta0 = eta0
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def tables(self) -> Tables:
        """What each row should be, is, and how far that is off."""
        return Tables(weights=6, rows=3)

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Regress the classes on the features."""
        matrix, codes, weight = self._weighted_rows(X, y, sample_weight)
        self._check_two_classes()
        classes = np.array([1]) if len(self.classes_) == 2 else np.arange(len(self.classes_))
        Y = np.where(codes[:, None] == classes, 1.0, -1.0)
        self._set_weights(*_fit(self, matrix, Y, weight))
        return self


def _fit(
    learner: LeastSquares | RidgeClassifier, X: _core.Csr, Y: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """W and b that minimize the squared errors, by the learner's solver; sets how it went."""
    _check_parameters(learner)
    n_docs, n_features = X.shape
    problem = LinearObjective(
        X,
        Y,
        squared_error,
        Penalty(l2=2.0 * learner.alpha, free=Y.shape[1] if learner.fit_intercept else 0),
        n_outputs=Y.shape[1],
        weight=weight,
        intercept=learner.fit_intercept,
        threads=thread_count(learner.n_jobs),
    )
    tol = learner.tol * largest(problem(problem.start())[1])
    solver = learner.solver
    if solver == "auto":
        small = max(n_docs, n_features) * n_features <= MOST_DENSE
        solver = "svd" if small else "cg"
    if solver == "svd":
        result = _closed_form(problem, learner.alpha)
    elif solver == "cg":
        result = _conjugate_gradients(problem, tol, learner.max_iter)
    elif solver == "gd":
        result = gradient_descent(problem, problem.start(), tol=tol, max_iter=learner.max_iter)
    else:
        # A step of 1 / (n times the largest curvature of a row) is safe for every row. It falls
        # with the epochs, or its noise would stay.
        curvature = 2 * float((weight * (_core.squared_norms(X, 1) + 1)).max()) * n_docs
        result = gradient_descent(
            problem,
            problem.start(),
            batch_size=1,
            step="decay",
            eta0=learner.eta0 or 1 / curvature,
            t0=n_docs,
            tol=learner.tol,
            max_iter=learner.max_iter,
            random_state=learner.random_state,
        )
    learner.objective_, learner.gradient_norm_ = result.loss, result.gradient_norm
    learner.n_iter_, learner.converged_ = result.n_iter, result.converged
    result.warn_unless_converged(solver, learner.tol, 4)
    return problem.split(result.w)


def _closed_form(problem: LinearObjective, alpha: float) -> Result:
    """The shortest solution of (X 1; sqrt(alpha) I 0) (W; b) = (Y; 0), rows times sqrt(weight).

    With the singular values s of the centered X = U s V', W = V s / (s^2 + alpha) U' Y.
    """
    n_docs, n_features = problem.X.shape
    dense = np.zeros((n_docs, n_features))
    indptr, indices, values = problem.X.arrays()
    dense[np.repeat(np.arange(n_docs), np.diff(indptr)), indices] = values
    root = np.sqrt(problem.weight)[:, None]
    share = problem.weight / problem.weight.sum()
    Y = problem.y
    # Centering is the column of ones, solved for first: the shortest w is not that of (w, b).
    x_mean = share @ dense if problem.intercept else np.zeros(n_features)
    y_mean = share @ Y if problem.intercept else np.zeros(Y.shape[1])
    A, B = root * (dense - x_mean), root * (Y - y_mean)
    U, s, V = np.linalg.svd(A, full_matrices=False)
    s[s <= np.finfo(float).eps * max(A.shape) * s.max(initial=0.0)] = 0.0
    W = V.T @ (np.divide(s, s**2 + alpha, out=np.zeros_like(s), where=s > 0)[:, None] * (U.T @ B))
    w = problem.flat(W, y_mean - x_mean @ W)
    value, gradient = problem(w)
    return Result(w, value, largest(gradient), 1, "gradient")


def _conjugate_gradients(problem: LinearObjective, tol: float, max_iter: int) -> Result:
    """The objective is quadratic: its gradient is H w - r with r the descent at zero."""
    start = problem.start()
    product = problem.hessian(start)
    # The norm bounds every component.
    w, _, n_iter = solve(product, -problem(start)[1], tol=tol, max_iter=max_iter)
    value, gradient = problem(w)
    reached = largest(gradient) <= 2 * tol
    return Result(w, value, largest(gradient), n_iter, "gradient" if reached else "max_iter")


def _check_parameters(learner: LeastSquares | RidgeClassifier) -> None:
    check(learner, "alpha", is_real(learner.alpha, 0), "a number from 0 up")
    check(learner, "tol", is_real(learner.tol, 0), "a number from 0 up")
    check_choice(learner, "solver", SOLVERS)
    check_whole(learner, "max_iter")
    eta0 = learner.eta0
    is_step = eta0 is None or (is_real(eta0) and eta0 > 0)
    check(learner, "eta0", is_step, "a number above 0, or None")
    check_flags(learner, "fit_intercept")
