"""What the labels of training texts say about counted features: scores to select by, delta-idf.

With one label per text, a score is that of all classes together. Multi-label texts have a score
for each label against the rest; a feature gets the largest of them.
"""

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, LabelsOrSets
from wordplane.common.labels import Codes, encode
from wordplane.common.matrix import take_rows
from wordplane.common.types import FloatArray
from wordplane.features.scores import (
    chi2_of,
    class_sums,
    gain_of,
    one_class,
    presence,
    tfidf_of,
)
from wordplane.text.selection_spec import Selection

ALPHA = 1.0  # added to counts of texts for information gain


def feature_scores(
    counts: _core.Csr, labels: LabelsOrSets | None, score: str, threads: int
) -> FloatArray:
    """The score of every feature; the labels are those of the first rows, the others have none."""
    if score in ("ig", "chi2"):
        if labels is None:
            raise InputError(f"selecting features by {score!r} needs labels: use 'df' or 'tfidf'")
        X = _labeled_rows(counts, labels)
        if score == "ig":
            X = presence(X)
        scores = [
            _supervised(X, codes, n_classes, score, threads)
            for codes, n_classes in _encodings(labels)
        ]
        best: FloatArray = np.max(scores, axis=0)
        best[np.isnan(best)] = -1.0  # of a feature that never occurs, the worst
        return best
    df = class_sums(presence(counts), one_class(counts), 1, threads)[0]
    if score == "df":
        return np.asarray(df)
    return tfidf_of(class_sums(counts, one_class(counts), 1, threads)[0], df, counts.shape[0])


def select_features(
    counts: _core.Csr, labels: LabelsOrSets | None, selection: Selection, threads: int
) -> NDArray[np.bool_]:
    """Which features to keep; of equal scores, those of the earlier ones."""
    scores = feature_scores(counts, labels, selection.score, threads)
    return best_features(scores, selection.m)


def best_features(scores: FloatArray, m: int) -> NDArray[np.bool_]:
    """The m largest scores as a mask; of equal ones the earlier.

    >>> best_features(np.array([1.0, 3.0, 2.0, 2.0]), 2)
    array([False,  True,  True, False])
    """
    keep = np.zeros(len(scores), bool)
    keep[np.argsort(-scores, kind="stable")[:m]] = True
    return keep


def delta_idf(counts: _core.Csr, labels: LabelsOrSets | None, threads: int) -> FloatArray:
    """By feature, log((1 + n) / (1 + df)) in the second class minus that in the first."""
    if labels is None or isinstance(labels, LabelSets):
        raise InputError("`idf` 'delta' needs one label per text: use 'smooth' or 'exact'")
    classes, codes = encode(labels)
    if len(classes) != 2:
        raise InputError(
            f"`idf` 'delta' needs two classes, there are {len(classes)}: use 'smooth' or 'exact'"
        )
    df = _core.document_frequency(_labeled_rows(counts, labels), codes, 2, threads)
    n_docs = np.bincount(codes, minlength=2)[:, np.newaxis]
    first, second = np.log((1 + n_docs) / (1 + df))
    return np.asarray(second - first)


def _labeled_rows(counts: _core.Csr, labels: LabelsOrSets) -> _core.Csr:
    n_labeled = len(labels)
    return counts if counts.shape[0] == n_labeled else take_rows(counts, np.arange(n_labeled))


def _encodings(labels: LabelsOrSets) -> list[tuple[Codes, int]]:
    """The class of each row and the number of classes; multi-label, for each label against the
    rest."""
    if isinstance(labels, LabelSets):
        return [(member.astype(np.int32), 2) for member in labels.member.T]
    classes, codes = encode(labels)
    return [(codes, len(classes))]


def _supervised(X: _core.Csr, codes: Codes, n_classes: int, score: str, threads: int) -> FloatArray:
    sums = class_sums(X, codes, n_classes, threads)
    n_docs = np.bincount(codes, minlength=n_classes).astype(np.float64)
    if score == "ig":
        return gain_of(sums, n_docs, ALPHA)
    with np.errstate(invalid="ignore", divide="ignore"):  # a label that no text here has
        return chi2_of(sums, n_docs)
