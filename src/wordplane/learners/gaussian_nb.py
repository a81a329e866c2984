"""Gaussian naive Bayes: each feature of a class is normally distributed.

    mu_k = n_k / n,   m_kj = mean of x_j in class k,   v_kj = variance of x_j in class k

    z_k = log mu_k - sum_j [ log(2 pi v_kj) / 2 + (x_j - m_kj)^2 / (2 v_kj) ]

With a variance v_j that all classes share, what is quadratic in x is the same for all, and
the model is linear: W_jk = m_kj / v_j, b_k = log mu_k - sum_j m_kj^2 / (2 v_j). The shared variance
is given, or pooled: v_j = sum_k n_k v_kj / n. With a variance per class it is quadratic:
two sparse products, x (m / v) and -x^2 / (2 v), and a constant. Variances have a floor: a
share `var_smoothing` of the largest variance of a feature is added to all that are not given.

The sums run over the stored values alone, zeros being added by their number. Scores are sums
of large terms if means are large relative to the deviations: center such features first.

Reference: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 6.6.3.
"""

from numbers import Real
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, MatrixLike, WeightsLike
from wordplane.learners.support.base import ClassWeight
from wordplane.learners.support.class_counts import NaiveBayes, Prior, log_prior


class GaussianNB(NaiveBayes):
    """Naive Bayes on measurements.

    Parameters
    ----------
    variance : "per_class", "pooled", float or one per feature, default "per_class"
        Variances per class (a quadratic model, as scikit-learn's) or shared by the classes (a
        linear one): pooled from the data, or given.
    var_smoothing : float, default 1e-9
        The share of the largest variance of a feature that is added to all learned ones.
    priors : array of shape (n_classes,), default None
        The shares of the classes; None learns them.
    class_weight : None, "balanced" or mapping, default None
        How much a row of each class counts.

    Attributes
    ----------
    classes_
        The labels, sorted.
    kind
        "quadratic" with variances per class, else "linear".
    coef_, intercept_
        The linear model, if it is one.
    theta_, var_
        Mean and variance of each feature in each class; the shared variance is repeated.
    class_count_, class_prior_, epsilon_
        Rows and share of each class, and what was added to the variances.

    Examples
    --------
    >>> X = [[-2.0, 1.0], [-1.0, 2.0], [1.0, 1.0], [2.0, 2.0]]
    >>> model = GaussianNB(variance=1.0).fit(X, ["left", "left", "right", "right"])
    >>> model.coef_, model.intercept_
    (array([[3., 0.]]), array([0.]))
    >>> model.predict([[-0.5, 0]])
    array(['left'], dtype='<U5')
    """

    name = "gaussian"
    theta_: FloatArray
    var_: FloatArray
    class_count_: FloatArray
    class_prior_: FloatArray
    epsilon_: float

    def __init__(
        self,
        *,
        variance: ArrayLike = "per_class",
        var_smoothing: float = 1e-9,
        priors: ArrayLike | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.variance = variance
        self.var_smoothing = var_smoothing
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @property
    def kind(self) -> str:
        """ "quadratic" with variances per class, else "linear"."""
        return "quadratic" if self._varies() else "linear"

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        if not self._varies():
            return super().decision_function(X)
        z = self.predict_joint_log_proba(X)
        return z[:, 1] - z[:, 0] if len(self.classes_) == 2 else z

    def predict_joint_log_proba(self, X: MatrixLike) -> FloatArray:
        """log p(x, k) for every class."""
        self._check_fitted()
        matrix = self._known_features(X)
        threads = thread_count(self.n_jobs)
        m, v = self.theta_, self.var_
        with np.errstate(divide="ignore"):  # a class without rows yet
            b = np.log(self.class_prior_) - (np.log(2 * np.pi * v) + m**2 / v).sum(axis=1) / 2
        z = _core.linear_scores(matrix, np.ascontiguousarray((m / v).T), b, threads)
        W = np.ascontiguousarray(-0.5 / v.T)
        return z + _core.linear_scores(_squared(matrix), W, np.zeros(len(b)), threads)

    def _varies(self) -> bool:
        return isinstance(self.variance, str) and self.variance == "per_class"

    def _start(self) -> None:
        shape = (len(self.classes_), self.n_features_in_)
        self.class_count_ = np.zeros(shape[0])
        self.theta_ = np.zeros(shape)
        self._squares = np.zeros(shape)  # sum of (x - theta)^2 by class
        # The same over all rows, whose largest variance sets the floor.
        self._mean_of_all, self._squares_of_all = np.zeros((2, 1, shape[1]))

    def _add(self, X: _core.Csr, codes: Codes, sample_weight: WeightsLike) -> Self:
        weights = self._row_weights(X, codes, sample_weight)
        threads = thread_count(self.n_jobs)
        own = _moments(X, codes, weights, len(self.classes_), threads)
        whole = _moments(X, np.zeros_like(codes), weights, 1, threads)
        n_before = np.array([self.class_count_.sum()])
        before = _Moments(n_before, self._mean_of_all, self._squares_of_all)
        _, self._mean_of_all, self._squares_of_all = _combine(before, whole)
        self.class_count_, self.theta_, self._squares = _combine(
            _Moments(self.class_count_, self.theta_, self._squares), own
        )
        self._set_model()
        return self

    def _set_model(self) -> None:
        smoothing = self.var_smoothing
        if not (isinstance(smoothing, Real) and 0 <= float(smoothing) < float("inf")):
            raise InputError(f"var_smoothing is {smoothing!r}, expected a number from 0 up")
        prior = Prior(class_prior=self._shares())
        self.class_prior_ = np.exp(log_prior(self.class_count_, prior))
        n = self.class_count_.sum()
        self.epsilon_ = float(smoothing) * float(self._squares_of_all.max() / n)
        if self._varies():
            n_k = np.where(self.class_count_ > 0, self.class_count_, 1.0)[:, None]
            self.var_ = self._squares / n_k + self.epsilon_
        else:
            self.var_ = np.tile(self._shared_variance(n), (len(self.classes_), 1))
        if (self.var_ == 0).any():
            # Features that never vary say nothing; dividing by 0 would say NaN.
            self.var_ = np.where(self.var_ == 0, np.finfo(float).tiny ** 0.5, self.var_)
        if not self._varies():
            W = self.theta_ / self.var_
            with np.errstate(divide="ignore"):
                b = np.log(self.class_prior_) - (W * self.theta_).sum(axis=1) / 2
            self._set_weights(W.T, b)

    def _shares(self) -> FloatArray | None:
        if self.priors is None:
            return None
        shares = np.asarray(self.priors, dtype=np.float64)
        if shares.shape != self.classes_.shape:
            raise InputError("Number of priors must match number of classes.")
        if not np.isclose(shares.sum(), 1.0):
            raise InputError("The sum of the priors should be 1.")
        if (shares <= 0).any():
            raise InputError(f"priors is {self.priors!r}, expected shares above 0")
        return shares

    def _shared_variance(self, n: float) -> FloatArray:
        if isinstance(self.variance, str) and self.variance == "pooled":
            return np.asarray(self._squares.sum(axis=0) / n + self.epsilon_)
        try:
            given = np.asarray(self.variance, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.zeros(0)
        if (
            given.shape not in ((), (self.n_features_in_,))
            or not ((given > 0) & np.isfinite(given)).all()
        ):
            raise InputError(
                f"variance is {self.variance!r}, expected 'per_class', 'pooled', a number above 0 "
                f"or {self.n_features_in_} of them"
            )
        return np.broadcast_to(given, (self.n_features_in_,))


def _squared(X: _core.Csr) -> _core.Csr:
    indptr, indices, values = X.arrays()
    return _core.Csr(X.shape[1], indptr, indices, values.astype(np.float64) ** 2)


class _Moments(NamedTuple):
    """Rows, means and sums of squared deviations, by class."""

    n: FloatArray
    means: FloatArray
    squares: FloatArray


def _moments(
    X: _core.Csr, codes: Codes, weights: FloatArray, n_classes: int, threads: int
) -> _Moments:
    """Those of rows, from the stored values alone."""
    indptr, indices, values = X.arrays()
    n_k = np.bincount(codes, weights, minlength=n_classes).astype(np.float64)
    divisor = np.where(n_k > 0, n_k, 1.0)[:, None]

    def class_sums(of_values: NDArray[np.floating]) -> FloatArray:
        sums = np.zeros((n_classes, X.shape[1]))
        matrix = _core.Csr(X.shape[1], indptr, indices, of_values)
        _core.add_class_counts(matrix, codes, weights, sums, threads)
        return sums

    means = class_sums(values) / divisor
    deviations = values - means[np.repeat(codes, np.diff(indptr)), indices]
    n_zeros = np.maximum(n_k[:, None] - class_sums(np.ones(len(values), np.float32)), 0.0)
    return _Moments(n_k, means, class_sums(deviations**2) + n_zeros * means**2)


def _combine(a: _Moments, b: _Moments) -> _Moments:
    """The moments of two sets of rows as one (Chan, Golub and LeVeque 1983)."""
    total = np.where(a.n + b.n > 0, a.n + b.n, 1.0)
    share = (b.n / total)[:, None]
    apart = b.means - a.means
    squares = a.squares + b.squares + a.n[:, None] * share * apart**2
    return _Moments(a.n + b.n, a.means + share * apart, squares)
