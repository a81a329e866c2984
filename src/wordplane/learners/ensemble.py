"""Ensembles: several learners decide together.

    average:   z_k = sum_m a_m z_k^(m)                (linear again: W = sum_m a_m W^(m))
    vote:      z_k = sum_m a_m 1(learner m says k)    (not a linear model)

a_m are weights that add up to 1. Learners may differ by method, by the features they see
(`columns`) or by the rows they are trained on (`Bagging`). Scores of different methods have
different scales (naive Bayes' grow with the length of the text, a margin does not): `normalize`
divides each learner's by their root mean square on the training rows.

Reference: Breiman (1996), Bagging predictors, Machine Learning 24(2).
"""

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.matrix import take_rows
from wordplane.common.progress import notify
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import (
    ClassWeight,
    LinearClassifier,
    best_class,
    bytes_to_fit,
    inner_tuning_grid,
)
from wordplane.learners.support.parameter_checks import check_choice, check_positive, check_whole
from wordplane.learners.support.protocols import ScoringLearner, copy_unfitted

COMBINE = ("average", "vote")


class Combined(LinearClassifier):
    """Learners whose scores are averaged, or that vote."""

    combine: str
    learners_: list[ScoringLearner]

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        if self.combine == "average":
            return super().decision_function(X)
        self._check_fitted()
        return self._votes(self._known_features(X))

    def _votes(self, X: _core.Csr) -> FloatArray:
        """The weighted votes of the learners."""
        raise NotImplementedError

    @property
    def kind(self) -> str:
        """ "linear" if scores are averaged, else "votes"."""
        return "linear" if self.combine == "average" else "votes"

    @property
    def predict_proba(self) -> Callable[[MatrixLike], FloatArray]:
        """The shares of the votes, by class; averaged scores are not probabilities."""
        if self.combine != "vote":
            raise AttributeError("averaged scores are not probabilities: calibrate them")
        return self._shares

    def _shares(self, X: MatrixLike) -> FloatArray:
        z = self.decision_function(X)
        if len(self.classes_) == 2:
            return np.column_stack([(1 - z) / 2, (1 + z) / 2])
        return z.reshape(len(z), -1)


class Ensemble(Combined):
    """Learners that average their scores, or vote.

    Parameters
    ----------
    learners : sequence of learners
        They are copied, not changed; for "average" they must be linear.
    combine : "average" or "vote", default "average"
        Average the scores, which gives one linear model, or count who says what.
    weights : sequence of float, default None
        How much each learner counts; None means equally.
    columns : sequence, default None
        For each learner the numbers of the columns it sees, or None for all.
    normalize : bool, default False
        Bring the scores of the learners to one scale before they are averaged.
    class_weight : "balanced" or mapping, default None
        The weight of each class; "balanced" makes all classes count alike.

    Attributes
    ----------
    classes_
        The labels, sorted.
    learners_
        The fitted learners.
    kind
        "linear" or "votes".
    coef_, intercept_
        The linear model, if scores are averaged.

    Examples
    --------
    >>> from wordplane import BernoulliNB, MultinomialNB, Perceptron
    >>> X, y = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]], ["sport", "sport", "law", "law"]
    >>> both = Ensemble([MultinomialNB(), Perceptron()], normalize=True).fit(X, y)
    >>> both.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    >>> both.coef_.shape
    (1, 3)
    >>> votes = Ensemble([MultinomialNB(), BernoulliNB(), Perceptron()], combine="vote").fit(X, y)
    >>> votes.decision_function([[1, 0, 0]])  # votes for "sport" less those for "law"
    array([1.])
    """

    name = "ensemble"

    def __init__(
        self,
        learners: Sequence[ScoringLearner],
        *,
        combine: str = "average",
        weights: Sequence[float] | None = None,
        columns: Sequence[ArrayLike | None] | None = None,
        normalize: bool = False,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learners = learners
        self.combine = combine
        self.weights = weights
        self.columns = columns
        self.normalize = normalize
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit_bytes(self, n_docs: int, n_features: int, n_classes: int) -> int:
        """The weights of all learners, and what the last of them takes."""
        size = n_docs, n_features, n_classes
        needed = [bytes_to_fit(learner, *size) for learner in self.learners]
        return sum(needed) // 2 + max(needed, default=0)

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Fit every learner, which gets the weights of rows times those of their classes."""
        check_choice(self, "combine", COMBINE)
        weights = self._learner_weights()
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        if self.class_weight is not None:
            sample_weight = self._row_weights(matrix, codes, sample_weight)
        self.learners_ = []
        for m, learner in enumerate(self.learners):
            copy = copy_unfitted(learner, self.n_jobs)
            copy.fit(self._seen(matrix, m), self.classes_[codes], sample_weight=sample_weight)
            self.learners_.append(copy)
            notify("training", m + 1, len(self.learners))
        if self.combine == "average":
            self._average(matrix, weights)
        return self

    def _votes(self, X: _core.Csr) -> FloatArray:
        seen = [self._seen(X, m) for m in range(len(self.learners_))]
        return _votes(self.learners_, seen, self._learner_weights(), len(self.classes_))

    def _learner_weights(self) -> FloatArray:
        n = len(self.learners)
        if n == 0:
            raise InputError("learners is empty, expected at least one")
        if self.columns is not None and len(self.columns) != n:
            raise InputError(f"{len(self.columns)} lists of columns for {n} learners")
        weights = np.ones(n) if self.weights is None else np.asarray(self.weights, np.float64)
        if weights.shape != (n,) or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
            raise InputError(f"weights is {self.weights!r}, expected {n} numbers from 0 up")
        return np.asarray(weights / weights.sum())

    def _seen(self, X: _core.Csr, m: int) -> _core.Csr:
        """What learner m sees of X."""
        columns = None if self.columns is None else self.columns[m]
        return X if columns is None else _take_columns(X, np.asarray(columns))

    def _average(self, X: _core.Csr, weights: FloatArray) -> None:
        rows = 1 if len(self.classes_) == 2 else len(self.classes_)
        self.coef_, self.intercept_ = np.zeros((rows, self.n_features_in_)), np.zeros(rows)
        linear = map(_as_linear, self.learners_)
        for m, (learner, weight) in enumerate(zip(linear, weights, strict=True)):
            if self.normalize:
                square = np.mean(learner.decision_function(self._seen(X, m)) ** 2)
                weight = weight / np.sqrt(square) if square > 0 else weight
            columns = None if self.columns is None else self.columns[m]
            seen = slice(None) if columns is None else np.asarray(columns)
            self.coef_[:, seen] += weight * learner.coef_
            self.intercept_ += weight * learner.intercept_


class Bagging(Combined):
    """Copies of one learner, each trained on rows drawn at random, that average or vote.

    Parameters
    ----------
    learner : learner
        What is copied; for "average" it must be linear.
    n_learners : int, default 10
        The number of copies.
    max_samples : float, default 1.0
        How many rows each copy gets, as a share of all. Rows are drawn with replacement, from
        each class as many as its share asks for, at least one.
    combine : "average" or "vote", default "average"
        Average the scores, which gives one linear model, or count who says what.
    class_weight : "balanced" or mapping, default None
        The weight of each class; "balanced" makes all classes count alike.
    random_state : int, default 0
        The seed of the draws.

    Attributes
    ----------
    classes_
        The labels, sorted.
    learners_
        The fitted learners.
    kind
        "linear" or "votes".
    coef_, intercept_
        The linear model, if scores are averaged.

    Examples
    --------
    >>> from wordplane import Perceptron
    >>> X, y = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]], ["sport", "sport", "law", "law"]
    >>> Bagging(Perceptron(), n_learners=5).fit(X, y).predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    """

    name = "bagging"

    def __init__(
        self,
        learner: ScoringLearner,
        *,
        n_learners: int = 10,
        max_samples: float = 1.0,
        combine: str = "average",
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.learner = learner
        self.n_learners = n_learners
        self.max_samples = max_samples
        self.combine = combine
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit_bytes(self, n_docs: int, n_features: int, n_classes: int) -> int:
        """The weights of all learners, and what the last of them takes."""
        size = n_docs, n_features, n_classes
        return (int(self.n_learners) // 2 + 1) * bytes_to_fit(self.learner, *size)

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Fit every copy on its rows; a row's weight goes with it."""
        check_choice(self, "combine", COMBINE)
        check_whole(self, "n_learners")
        check_positive(self, "max_samples")
        matrix, codes, weights = self._weighted_rows(X, y, sample_weight)
        rng = np.random.default_rng(self.random_state)
        self.learners_ = []
        for m in range(self.n_learners):
            rows = self._draw(codes, rng)
            learner = copy_unfitted(self.learner, self.n_jobs)
            learner.fit(
                take_rows(matrix, rows),
                self.classes_[codes[rows]],
                sample_weight=weights[rows],
            )
            self.learners_.append(learner)
            notify("training", m + 1, self.n_learners)
        if self.combine == "average":
            linear = [_as_linear(learner) for learner in self.learners_]
            self.coef_ = np.mean([learner.coef_ for learner in linear], axis=0)
            self.intercept_ = np.mean([learner.intercept_ for learner in linear], axis=0)
        return self

    def _votes(self, X: _core.Csr) -> FloatArray:
        n = len(self.learners_)
        return _votes(self.learners_, [X] * n, np.full(n, 1 / n), len(self.classes_))

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """That of the learner."""
        return inner_tuning_grid(self.learner)

    def _draw(self, codes: Codes, rng: np.random.Generator) -> NDArray[np.int64]:
        drawn = []
        for k in range(len(self.classes_)):
            its_rows = np.flatnonzero(codes == k)
            size = max(1, round(len(its_rows) * float(self.max_samples)))
            drawn.append(rng.choice(its_rows, size))
        return np.sort(np.concatenate(drawn))


def _as_linear(learner: ScoringLearner) -> LinearClassifier:
    """The learner, if averaging its weights is averaging its scores."""
    if (
        not isinstance(learner, LinearClassifier)
        or learner.kind != "linear"
        or learner.reads_binary
    ):
        raise InputError(
            f"{learner!r} is not a linear model of the values themselves: use combine='vote'"
        )
    return learner


def _votes(
    learners: Sequence[ScoringLearner], seen: list[_core.Csr], weights: FloatArray, n_classes: int
) -> FloatArray:
    z = np.zeros((seen[0].shape[0], n_classes))
    rows = np.arange(len(z))
    for learner, X, weight in zip(learners, seen, weights, strict=True):
        z[rows, best_class(learner.decision_function(X), n_classes)] += weight
    if n_classes == 2:
        return np.asarray(z[:, 1] - z[:, 0])
    return z[:, 0] if n_classes == 1 else z


def _take_columns(X: _core.Csr, columns: NDArray[np.generic]) -> _core.Csr:
    if columns.ndim != 1 or columns.dtype.kind not in "iu" or len(columns) == 0:
        raise InputError(f"columns has {columns!r}, expected lists of column numbers")
    if columns.min() < 0 or columns.max() >= X.shape[1] or len(np.unique(columns)) < len(columns):
        raise InputError(f"columns has {columns!r}, expected different ones of {X.shape[1]}")
    indptr, indices, values = X.arrays()
    place = np.full(X.shape[1], -1, dtype=np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    kept = place[indices] >= 0
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[indptr]
    return _core.Csr(len(columns), ends, place[indices[kept]], values[kept])
