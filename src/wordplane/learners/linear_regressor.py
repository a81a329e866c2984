"""Linear regression with a ridge penalty, by squared, Huber or quantile loss.

    min over w, b of  sum_i loss(y_i - x_i w - b) + alpha ||w||^2

    squared    r^2                                            predicts the mean
    huber      r^2, but 2 delta |r| - delta^2 beyond delta    the mean, with less heed of outliers
    quantile   q r if r > 0, else (q - 1) r                   the quantile q, such as the median

alpha is chosen by folds if it is None. For the squared loss one run of Lanczos's method has the
held-out predictions of all folds for all of 21 values, about as cheap as one fit
(`wordplane.optimize.ridge_path`). The other losses are fitted for three values around what suits
the squared loss, by Newton's method. The corner of the quantile loss is smoothed over a
hundredth of the spread of the residuals, in two rounds.

References: Hoerl and Kennard (1970), Ridge regression; Huber (1964), Robust estimation of a
location parameter; Koenker and Bassett (1978), Regression quantiles.
"""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning
from wordplane.common.matrix import take_rows
from wordplane.common.matrix_estimator import check_length
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, IntArray, MatrixLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.learners.support.parameter_checks import check, check_choice, check_whole, is_real
from wordplane.learners.support.regressor import Regressor, as_target
from wordplane.optimize.losses import Huber, Loss, Pinball
from wordplane.optimize.newton import newton
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.ridge_path import RidgePath
from wordplane.optimize.solution import Result

if TYPE_CHECKING:
    from sklearn.utils import Tags

LOSSES = ("squared", "huber", "quantile")
ALPHAS = 10.0 ** np.linspace(-3, 2, 21)  # relative to the mean squared length of the rows
AROUND = (0.25, 1.0, 4.0)  # what other losses try, relative to what suits the squared loss
FOLDS = 3
MOST_ROWS, MOST_FITTED_ROWS = 20_000, 5_000  # to choose alpha on
MOST_STEPS, BETWEEN_CHOICES = 40, 5  # of the path, to choose alpha
ROUGH = 1e-3  # how near the optimum is near enough for that
EFFICIENT = 1.345  # spreads: 95 % as good as the squared loss where errors are normal
WIDTHS = (0.1, 0.01)  # of the corner of the quantile loss, in spreads
NORMAL_MAD = 0.6745
SAME_LENGTH = 1e-3  # by how much normalized rows differ at most
LARGE_COMPONENTS = 100  # of a gradient


class LinearRegressor(Regressor):
    """Linear regression with a ridge penalty; its strength is chosen by folds.

    Parameters
    ----------
    loss : "squared", "huber" or "quantile", default "squared"
        What an error costs.
    alpha : float, default None
        Strength of the penalty alpha ||w||^2, above 0; the bias is not penalized. None chooses it
        by three folds.
    quantile : float, default 0.5
        Which quantile the loss "quantile" predicts, between 0 and 1.
    delta : float, default None
        From which error on the loss "huber" is linear; None means 1.345 times the spread (the
        scaled median absolute deviation) of held-out errors.
    tol : float, default 1e-6
        How far above the optimum the objective may be, as a share of it.
    max_iter : int, default 500
        The most iterations.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        Seed of the folds.

    Attributes
    ----------
    coef_, intercept_
        w and b.
    alpha_, delta_
        The strength of the penalty, and for "huber" where the loss becomes linear.
    n_iter_
        Iterations of the last fit.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 5.0, 7.0, 900.0]
    >>> LinearRegressor(alpha=1e-3, loss="quantile").fit(X, y).predict([[1.0]]).round(2)
    array([3.])
    """

    coef_: FloatArray
    intercept_: float
    alpha_: float
    delta_: float
    n_iter_: int

    def __init__(
        self,
        *,
        loss: str = "squared",
        alpha: float | None = None,
        quantile: float = 0.5,
        delta: float | None = None,
        tol: float = 1e-6,
        max_iter: int = 500,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.quantile = quantile
        self.delta = delta
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: WeightsLike = None) -> Self:
        """Find the weights; y has a number for every row."""
        check_regression(self)
        matrix, targets = self._new_features(X), as_target(y)
        check_length(matrix, targets, "y")
        problem = _Problem(self, matrix, targets, as_weights(sample_weight, len(targets)))
        w, self.intercept_, self.n_iter_ = problem.solve()
        self.coef_, self.alpha_, self.delta_ = w, problem.alpha, problem.delta
        return self

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def predict(self, X: MatrixLike) -> FloatArray:
        """x w + b."""
        self._check_fitted()
        matrix, b = self._known_features(X), np.array([self.intercept_])
        threads = thread_count(self.n_jobs)
        return _core.linear_scores(matrix, self.coef_[:, None].copy(), b, threads)[:, 0]


def check_regression(learner: LinearRegressor) -> None:
    """Refuse parameters that make no sense."""
    check_choice(learner, "loss", LOSSES)
    for name in ("alpha", "delta"):
        value = getattr(learner, name)
        is_right = value is None or (is_real(value) and value > 0)
        check(learner, name, is_right, "a number above 0, or None")
    q = learner.quantile
    check(learner, "quantile", is_real(q) and 0 < q < 1, "a number between 0 and 1")
    check(learner, "tol", is_real(learner.tol) and learner.tol > 0, "a number above 0")
    check_whole(learner, "max_iter")


class _Problem:
    """Rows, targets and weights, and the choices of alpha and delta for them."""

    def __init__(
        self, learner: LinearRegressor, X: _core.Csr, y: FloatArray, weight: FloatArray
    ) -> None:
        self.learner, self.X, self.y, self.weight = learner, X, y, weight
        self.threads = thread_count(learner.n_jobs)
        self.spread = _spread(y - np.median(y)) if len(y) else 1.0
        self.alpha = np.nan if learner.alpha is None else float(learner.alpha)
        needs_spread = learner.loss == "quantile" or (
            learner.loss == "huber" and learner.delta is None
        )
        if learner.alpha is None or needs_spread:
            self._choose()
        self.delta = EFFICIENT * self.spread if learner.delta is None else float(learner.delta)
        if learner.alpha is None and learner.loss != "squared":
            self._choose_around()

    def _choose(self) -> None:
        """alpha and the spread of the residuals, by folds of the squared loss."""
        rows, folds = _deal(len(self.y), MOST_ROWS, self.learner.random_state)
        size = float(np.mean(_core.squared_norms(self.X, self.threads))) if len(self.y) else 0.0
        size = size or 1.0
        if len(rows) < 2 * FOLDS or not self.weight[rows].all():
            self.alpha = size if self.learner.alpha is None else self.alpha
            return
        X, y = take_rows(self.X, rows), self.y[rows]
        held_out = folds[:, None] == np.arange(FOLDS)
        weight = np.where(held_out, 0.0, self.weight[rows][:, None])
        path = RidgePath(X, y, weight, self.threads)
        own, place, best = self.weight[rows], (np.arange(len(rows)), folds), size
        errors, stretch = dict[float, FloatArray](), _stretch(X, folds)
        while path.n_steps < min(MOST_STEPS, len(rows)):
            path.step()
            notify("choosing alpha", path.n_steps, 0)
            if path.n_steps % BETWEEN_CHOICES and path.n_steps < len(rows):
                continue
            for a in (size * ALPHAS).tolist():
                b = path.biases(a)[folds]
                errors[a] = y - b - stretch * (path.predictions(a)[place] - b)
            best = min(errors, key=lambda a: float(np.einsum("n,n->", own, errors[a] ** 2)))
            if path.gap(best).max() <= ROUGH:  # steps that are missing would not change it
                break
        self.spread = _spread(errors[best])
        self.alpha = best if self.learner.alpha is None else self.alpha

    def _choose_around(self) -> None:
        """alpha for a loss that is fitted again for each value."""
        center = self.alpha
        if self.learner.loss == "quantile":  # which bends less
            center *= 0.2 / self.spread
        rows, folds = _deal(len(self.y), MOST_FITTED_ROWS, self.learner.random_state)
        self.alpha = center
        if len(rows) < 2 * FOLDS:
            return
        sums = dict.fromkeys((center * np.array(AROUND)).tolist(), 0.0)
        exact = self._losses()[-1]
        for fold in range(FOLDS):
            rest, held_out = rows[folds != fold], rows[folds == fold]
            X, start = take_rows(self.X, held_out), None
            for alpha in sums:
                result, problem = self._minimize(rest, alpha, ROUGH, start)
                start = result.w
                W, b = problem.split(result.w)
                z = _core.linear_scores(X, np.ascontiguousarray(W), b, self.threads)
                own = exact(z, self.y[held_out])[0]
                sums[alpha] += float(np.einsum("n,n->", self.weight[held_out], own))
        self.alpha = min(sums, key=lambda alpha: sums[alpha])

    def solve(self) -> tuple[FloatArray, float, int]:
        """Weights, bias and the number of iterations."""
        if self.learner.loss == "squared":
            return self._solve_ridge()
        result, problem = self._minimize(None, self.alpha, self.learner.tol, None)
        if not result.converged and result.reason != "step":
            self._warn(f"{result.loss:.6g}")
        W, b = problem.split(result.w)
        return W[:, 0].copy(), float(b[0]), result.n_iter

    def _solve_ridge(self) -> tuple[FloatArray, float, int]:
        path = RidgePath(self.X, self.y, self.weight[:, None], self.threads)
        most = min(self.learner.max_iter, max(len(self.y), 1))
        gap = np.inf
        while path.n_steps < most and gap > self.learner.tol:
            path.step()
            notify("fitting LinearRegressor", path.n_steps, 0)
            gap = float(path.gap(self.alpha)[0])
        if gap > self.learner.tol and most == self.learner.max_iter:
            self._warn(f"at most {gap:.2g} of itself above the optimum")
        W, b = path.weights(self.alpha)
        return W[:, 0].copy(), float(b[0]), path.n_steps

    def _minimize(
        self, rows: IntArray | None, alpha: float, tol: float, start: FloatArray | None
    ) -> tuple[Result, LinearObjective]:
        """The weights for a loss that is not squared, on some rows or all."""
        X = self.X if rows is None else take_rows(self.X, rows)
        y = self.y if rows is None else self.y[rows]
        weight = self.weight if rows is None else self.weight[rows]
        penalty = Penalty(l2=2 * alpha, free=1)
        n_iter = 0
        for loss in self._losses():
            problem = LinearObjective(
                X, y[:, None], loss, penalty, n_outputs=1, weight=weight, threads=self.threads
            )
            if start is None:
                start = problem.start()
                start[-1] = np.median(y)
            enough = _gradient_for(tol, problem, start, alpha)
            result = newton(problem, start, tol=enough, max_iter=self.learner.max_iter)
            start, n_iter = result.w, n_iter + result.n_iter
        result.n_iter = n_iter
        return result, problem

    def _losses(self) -> Sequence[Loss]:
        """The loss, from a smooth one to one that is near enough to it."""
        if self.learner.loss == "huber":
            return (Huber(self.delta),)
        return [Pinball(float(self.learner.quantile), width * self.spread) for width in WIDTHS]

    def _warn(self, how_far: str) -> None:
        learner = self.learner
        warnings.warn(
            f"LinearRegressor stopped after max_iter={learner.max_iter} iterations, {how_far}, "
            f"before it reached tol={learner.tol:g}; raise max_iter, tol or alpha",
            ConvergenceWarning,
            stacklevel=5,
        )


def _gradient_for(tol: float, problem: LinearObjective, w: FloatArray, alpha: float) -> float:
    """How small the largest component of the gradient g must be for an objective within tol of the
    optimum, which it is at most |g|^2 / (4 alpha) above; few components are as large."""
    value = max(problem(w)[0], np.finfo(float).tiny)
    return float(np.sqrt(4 * alpha * tol * value / min(len(w), LARGE_COMPONENTS)))


def _deal(n_docs: int, most: int, seed: int) -> tuple[IntArray, IntArray]:
    """At most so many rows at random, and their folds."""
    rows = np.sort(np.random.default_rng(seed).permutation(n_docs)[:most])
    folds = np.random.default_rng(seed).permutation(len(rows)) % FOLDS
    return rows, folds


def _stretch(X: _core.Csr, folds: IntArray) -> FloatArray:
    """How much longer each row would be if features that the other folds do not have were left out
    before it was normalized, as those that training never saw are; 1 if rows have other lengths."""
    indptr, indices, values = X.arrays()
    rows = np.repeat(np.arange(X.shape[0]), np.diff(indptr))
    squares = np.asarray(values, dtype=np.float64) ** 2
    whole = np.bincount(rows, squares, X.shape[0])
    if (whole.max(initial=0.0) - whole[whole > 0].min(initial=np.inf)) > SAME_LENGTH * whole.max(
        initial=0.0
    ):
        return np.ones(X.shape[0])
    n_all = np.bincount(indices, minlength=X.shape[1])
    known = np.zeros(X.shape[0])
    for fold in range(FOLDS):
        own = folds[rows] == fold
        elsewhere = n_all > np.bincount(indices[own], minlength=X.shape[1])
        known += np.bincount(rows[own], squares[own] * elsewhere[indices[own]], X.shape[0])
    return np.sqrt(np.where(known > 0, whole / np.where(known > 0, known, 1.0), 1.0))


def _spread(errors: FloatArray) -> float:
    """The standard deviation of normal errors with the same median size; the mean size instead if
    half of them are 0, and 1 if all are."""
    size = np.abs(errors)
    return float(np.median(size) / NORMAL_MAD or np.mean(size) or 1.0)
