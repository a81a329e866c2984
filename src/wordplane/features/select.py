"""Selects features: first those that are neither too rare nor too frequent, then the best."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import EstimatorTags
from wordplane.common.feature_names import FeatureNames
from wordplane.common.labels import Codes, as_labels, encode
from wordplane.common.matrix import as_rows
from wordplane.common.matrix_estimator import check_length
from wordplane.common.threads import thread_count
from wordplane.common.types import CsrMatrix, FloatArray, Label, LabelsLike, MatrixLike
from wordplane.features.scores import (
    Table,
    check_alpha,
    chi2_of,
    class_sums,
    gain_of,
    one_class,
    presence,
    refuse_negative,
    tfidf_of,
)
from wordplane.features.transformer import MatrixTransformer
from wordplane.text.checks import check_choice

SUPERVISED = ("information_gain", "chi2")
SCORES = (*SUPERVISED, "corpus_tfidf", "df")


@dataclass(frozen=True)
class SelectedFeature:
    """A feature that was kept.

    name              its name
    column            its column in the matrix that was passed
    score             the score by which it was selected
    information_gain  in bits; None if it was selected without labels
    p                 P(X = 1), the share of the texts that contain it
    p_given_class     P(X = 1 | c) for every class c; empty if it was selected without labels
    """

    name: str
    column: int
    score: float
    information_gain: float | None
    p: float
    p_given_class: dict[Label, float]


class SelectFeatures(MatrixTransformer[CsrMatrix]):
    """Keeps the most informative features of a matrix.

    Parameters
    ----------
    score : "information_gain", "chi2", "corpus_tfidf" or "df", default "information_gain"
        How features are scored; the last two need no labels. Ties go to the earlier column.
    m : int, default 1000
        How many features to keep; None keeps all that are neither too rare nor too frequent.
    alpha : float, default 1.0
        Added to every count of texts for information gain and in `table`.
    min_count : float, default 1
        Leave out features whose values sum to less over all texts. Values up to 1 leave nothing
        out, so that weights below 1 are treated like counts.
    min_df, max_df : int or float, default 1 and 1.0
        Leave out features that occur in fewer or in more texts (a float is a share of them).
    n_jobs : int, default None
        Threads to use; None and -1 mean all.

    Attributes
    ----------
    scores_
        The score of every feature of the matrix that was passed.
    n_features_in_, feature_names_in_
        The number of those features; their names if X was a frame with string columns.

    Examples
    --------
    >>> X = [[1, 1, 0], [2, 0, 1], [0, 1, 0], [0, 0, 1]]
    >>> select = SelectFeatures(m=1).fit(X, ["pos", "pos", "neg", "neg"])
    >>> select.get_support()
    array([ True, False, False])
    >>> select.transform(X).toarray().ravel()
    array([1, 2, 0, 0])
    """

    scores_: FloatArray

    def __init__(
        self,
        score: str = "information_gain",
        m: int | None = 1000,
        *,
        alpha: float = 1.0,
        min_count: float = 1,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        n_jobs: int | None = None,
    ) -> None:
        self.score = score
        self.m = m
        self.alpha = alpha
        self.min_count = min_count
        self.min_df = min_df
        self.max_df = max_df
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: LabelsLike | None = None) -> Self:
        """Find the features to keep. If the score needs no labels, y is ignored."""
        self._check_parameters()
        matrix = self._new_features(X)
        codes = self._encode(matrix, y)
        threads = thread_count(self.n_jobs)
        n_docs = np.bincount(codes, minlength=len(self._classes)).astype(np.float64)
        present = class_sums(presence(matrix), codes, len(n_docs), threads)
        sums = present
        if self.score in ("chi2", "corpus_tfidf") or self.min_count > 1:
            refuse_negative(matrix, self.score if self.min_count <= 1 else "min_count")
            sums = class_sums(matrix, codes, len(n_docs), threads)
        self.scores_ = self._scores(present, sums, n_docs)
        frequent = self._frequent_features(present.sum(axis=0), sums.sum(axis=0), matrix.shape[0])
        # NaN, the chi-squared of a feature that never occurs, is the worst score.
        ranking = np.where(np.isnan(self.scores_), -np.inf, self.scores_)[frequent]
        best = np.argsort(-ranking, kind="stable")[: self.m]
        self._kept = np.sort(frequent[best])
        self._n_docs = n_docs
        self._present = np.ascontiguousarray(present[:, self._kept])
        return self

    def transform(self, X: MatrixLike) -> CsrMatrix:
        """The selected features of X, in their order, as a sparse matrix of the same dtype."""
        self._check_fitted()
        self._known_features(X)
        return as_rows(X)[:, self._kept]

    def get_support(self, indices: bool = False) -> NDArray[np.bool_] | NDArray[np.intp]:
        """Which features are kept, as a mask or as numbers."""
        self._check_fitted()
        if indices:
            return self._kept.copy()
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self._kept] = True
        return mask

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> FeatureNames:
        """The names of the selected features; without names, x0, x1, ..."""
        self._check_fitted()
        return self._names_in(input_features)[self._kept]

    def table(self, names: ArrayLike | None = None, n: int = 20) -> list[SelectedFeature]:
        """The n best of the selected features, best first; `names` are those of all features.

        >>> select = SelectFeatures(m=2, alpha=0)
        >>> select = select.fit([[1, 1], [1, 0], [0, 1]], ["pos", "pos", "neg"])
        >>> for feature in select.table(["great", "film"]):
        ...     print(feature.name, round(feature.information_gain, 3), feature.p_given_class)
        great 0.918 {'neg': 0.0, 'pos': 1.0}
        film 0.252 {'neg': 1.0, 'pos': 0.5}
        """
        self._check_fitted()
        all_names = self._names_in(names)
        n_docs, alpha = self._n_docs, self.alpha
        gain = gain_of(self._present, n_docs, alpha)
        p_class = (alpha + self._present) / (2 * alpha + n_docs[:, None])
        n_smoothed = len(n_docs) * alpha
        p = (n_smoothed + self._present.sum(axis=0)) / (2 * n_smoothed + n_docs.sum())
        scores = self.scores_[self._kept]
        order = np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")[:n]
        return [
            SelectedFeature(
                name=str(all_names[self._kept[j]]),
                column=int(self._kept[j]),
                score=float(scores[j]),
                information_gain=float(gain[j]) if self._classes else None,
                p=float(p[j]),
                p_given_class={c: float(p_class[k, j]) for k, c in enumerate(self._classes)},
            )
            for j in order
        ]

    def __sklearn_tags__(self) -> EstimatorTags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.score in SUPERVISED
        tags.input_tags.positive_only = self.score in ("chi2", "corpus_tfidf")
        return tags

    def _encode(self, X: _core.Csr, y: LabelsLike | None) -> Codes:
        if self.score not in SUPERVISED:
            self._classes: list[Label] = []
            return one_class(X)
        labels = as_labels(y)
        check_length(X, labels, "y")
        classes, codes = encode(labels)
        self._classes = classes.tolist()
        return codes

    def _scores(self, present: Table, sums: Table, n_docs: FloatArray) -> FloatArray:
        if self.score == "information_gain":
            return gain_of(present, n_docs, self.alpha)
        if self.score == "chi2":
            return chi2_of(sums, n_docs)
        if self.score == "corpus_tfidf":
            return tfidf_of(sums[0], present[0], int(n_docs[0]))
        return np.asarray(present[0])

    def _frequent_features(
        self, df: FloatArray, total: FloatArray, n_docs: int
    ) -> NDArray[np.intp]:
        low, high = (
            share if isinstance(share, Integral) else share * n_docs
            for share in (self.min_df, self.max_df)
        )
        keep = (df >= low) & (df <= high)
        if self.min_count > 1:
            keep &= total >= self.min_count
        if not keep.any():
            raise InputError(
                f"none of the {len(df)} features satisfies min_count={self.min_count}, "
                f"min_df={self.min_df} and max_df={self.max_df}; lower `min_count` or `min_df`, "
                "or raise `max_df`"
            )
        return np.flatnonzero(keep)

    def _check_parameters(self) -> None:
        check_choice("score", self.score, SCORES)
        if self.m is not None and not (_is_number(self.m, Integral) and self.m >= 1):
            raise InputError(f"m is {self.m!r}, expected a whole number of 1 or more, or None")
        check_alpha(self.alpha)
        if not (_is_number(self.min_count, Real) and 0 <= self.min_count < float("inf")):
            raise InputError(f"min_count is {self.min_count!r}, expected a number of 0 or more")
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            top = float("inf") if _is_number(value, Integral) else 1.0
            if not (_is_number(value, Real) and 0 <= value <= top):
                raise InputError(
                    f"{name} is {value!r}, expected a share from 0.0 to 1.0 or a whole number"
                )


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
