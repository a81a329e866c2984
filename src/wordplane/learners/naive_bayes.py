"""Multinomial naive Bayes.

    mu_k   = n_k / n                                            (share of the documents)
    phi_kj = (alpha + count_kj) / (V alpha + sum_j count_kj)     (share of the words)
    z_k    = log mu_k + sum_j x_j log phi_kj

so the weights are W = log phi and b = log mu, and P(k | x) = softmax(z). What all classes
share changes neither decision nor probability: `coef_` holds log phi less its mean over the
classes, or, with two classes, the one row log phi_1 - log phi_0; `intercept_` likewise.

Reference: McCallum and Nigam (1998), A comparison of event models for naive Bayes.
"""

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.errors import InputError
from wordplane.learners.base import ClassWeight, LinearClassifier, row_weights
from wordplane.threads import thread_count


class MultinomialNB(LinearClassifier):
    """Naive Bayes on counts of words.

    Parameters
    ----------
    alpha : float, default 1.0
        Added to the count of every word in every class, above 0.
    fit_prior : bool, default True
        Learn the share of the classes; False takes them as equally likely.
    class_prior : array of shape (n_classes,), default None
        Use these shares instead of learning them.
    class_weight : None, "balanced" or mapping, default None
        How much a document of each class counts.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model; `coef_` has one row if there are two classes.
    class_count_, feature_count_
        Documents per class, and occurrences of each feature in each class, by weight.
    class_log_prior_, feature_log_prob_
        log mu and log phi.
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3]]
    >>> model = MultinomialNB().fit(X, ["sport", "sport", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    >>> model.feature_count_
    array([[0., 1., 3.],
           [3., 2., 0.]])
    """

    class_count_: NDArray[np.float64]
    feature_count_: NDArray[np.float64]
    class_log_prior_: NDArray[np.float64]
    feature_log_prob_: NDArray[np.float64]

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the words of every class."""
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        self._start_counts()
        return self._count(matrix, codes, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add documents to the counts; the first call names all classes."""
        matrix, codes, first = self._next_rows(X, y, classes)
        if first:
            self._start_counts()
        return self._count(matrix, codes, sample_weight)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(k | x) for every class."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """log P(k | x) for every class."""
        z = self.predict_joint_log_proba(X)
        z -= z.max(axis=1, keepdims=True)
        z -= np.log(np.exp(z).sum(axis=1, keepdims=True))
        return z

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """log P(x, k) for every class, without the multinomial coefficient of x."""
        self._check_fitted()
        X = self._known_features(X)
        W = np.ascontiguousarray(self.feature_log_prob_.T)
        return _core.linear_scores(X, W, self.class_log_prior_, thread_count(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # on measurements; it is meant for counts
        return tags

    def _start_counts(self) -> None:
        self.class_count_ = np.zeros(len(self.classes_))
        self.feature_count_ = np.zeros((len(self.classes_), self.n_features_in_))

    def _count(self, X: _core.Csr, codes: NDArray[np.int32], sample_weight: Any) -> Self:
        if X.has_negative:
            raise InputError(
                "Negative values in data passed to MultinomialNB (input X): counts are expected"
            )
        weights = row_weights(X, codes, self.classes_, sample_weight, self.class_weight)
        threads = thread_count(self.n_jobs)
        self.class_count_ += np.bincount(codes, weights, minlength=len(self.classes_))
        _core.add_class_counts(X, codes, weights, self.feature_count_, threads)
        self._smooth()
        return self

    def _smooth(self) -> None:
        self.class_log_prior_ = self._log_prior()
        if not (isinstance(self.alpha, Real) and 0 < self.alpha < float("inf")):
            raise InputError(f"alpha is {self.alpha!r}, expected a finite number above 0")
        smoothed = self.feature_count_ + float(self.alpha)
        self.feature_log_prob_ = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
        W, b = self.feature_log_prob_.T, self.class_log_prior_
        if len(self.classes_) > 2:
            W, b = W - W.mean(axis=1, keepdims=True), b - b[np.isfinite(b)].mean()
        self._set_weights(W, b)

    def _log_prior(self) -> NDArray[np.float64]:
        n_classes = len(self.classes_)
        if self.class_prior is not None:
            try:
                prior = np.asarray(self.class_prior, dtype=np.float64)
            except (TypeError, ValueError):
                prior = np.zeros(0)
            if prior.shape != (n_classes,) or not (prior > 0).all():
                raise InputError(
                    f"class_prior is {self.class_prior!r}, expected {n_classes} shares above 0"
                )
            return np.asarray(np.log(prior))
        if not isinstance(self.fit_prior, (bool, np.bool_)):
            raise InputError(f"fit_prior is {self.fit_prior!r}, expected True or False")
        if not self.fit_prior:
            return np.full(n_classes, -np.log(n_classes))
        with np.errstate(divide="ignore"):  # a class without documents has log mu = -inf
            return np.asarray(np.log(self.class_count_ / self.class_count_.sum()))
