"""How informative each feature is: information gain, chi-squared, corpus TF-IDF.

    information gain   IG(C, X) = H(C) - sum_x P(x) H(C | X = x)    in bits, X = 1 if the feature
                       is in the text; P(c, x) = (alpha + n_cx) / (2 K alpha + n), n_cx the
                       number of texts of class c with X = x; the rest follows from P(c, x)
    chi-squared        sum_c (o_cj - e_cj)^2 / e_cj, o_cj the summed values of feature j in
                       class c, e_cj = (n_c / n) sum_c o_cj
    corpus TF-IDF      (sum_i x_ij) log(n / df_j), df_j the number of texts with feature j

Everything follows from two tables of classes by features, each computed in one pass over X.

`feature_scores` and `delta_idf` are for the counted features of an analyzer. With one label per
text, a score is that of all classes together. Multi-label texts have a score for each label against
the rest; a feature gets the largest of them.

References: Yang and Pedersen (1997), A comparative study on feature selection in text
categorization.
"""

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, LabelsOrSets
from wordplane.common.labels import Codes, as_labels, encode
from wordplane.common.matrix import as_csr, take_rows
from wordplane.common.matrix_estimator import check_length
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike
from wordplane.text.selection_spec import Selection

Table = FloatArray  # one row per class, one column per feature
ALPHA = 1.0  # added to counts of texts for information gain


def information_gain(
    X: MatrixLike, y: LabelsLike | None, alpha: float = 1.0, *, n_jobs: int | None = None
) -> FloatArray:
    """How much the presence of each feature says about the class, in bits.

    >>> X = [[1, 1, 0], [3, 0, 0], [0, 1, 0], [0, 0, 0]]
    >>> information_gain(X, ["pos", "pos", "neg", "neg"], alpha=0)
    array([1., 0., 0.])
    """
    matrix, codes, n_docs = _encode(X, y)
    present = class_sums(presence(matrix), codes, len(n_docs), thread_count(n_jobs))
    return gain_of(present, n_docs, alpha)


def chi2(X: MatrixLike, y: LabelsLike | None, *, n_jobs: int | None = None) -> FloatArray:
    """scikit-learn's chi-squared statistic of each feature; NaN for one that never occurs.

    >>> chi2([[2, 1], [2, 1], [0, 1], [0, 1]], ["pos", "pos", "neg", "neg"])
    array([4., 0.])
    """
    matrix, codes, n_docs = _encode(X, y)
    refuse_negative(matrix, "chi2")
    return chi2_of(class_sums(matrix, codes, len(n_docs), thread_count(n_jobs)), n_docs)


def corpus_tfidf(X: MatrixLike, *, n_jobs: int | None = None) -> FloatArray:
    """How prominent each feature is in the whole corpus; 0 for one that never occurs.

    >>> corpus_tfidf([[1, 3, 0], [1, 0, 0], [2, 0, 0]]).round(3)
    array([0.   , 3.296, 0.   ])
    """
    matrix = as_csr(X)
    refuse_negative(matrix, "corpus_tfidf")
    threads = thread_count(n_jobs)
    df = class_sums(presence(matrix), one_class(matrix), 1, threads)[0]
    return tfidf_of(class_sums(matrix, one_class(matrix), 1, threads)[0], df, matrix.shape[0])


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


def presence(X: _core.Csr) -> _core.Csr:
    """1 wherever X is not 0; a stored zero is still a zero."""
    indptr, indices, values = X.arrays()
    return _core.Csr(X.shape[1], indptr, indices, (values != 0).astype(np.float32))


def class_sums(X: _core.Csr, codes: Codes, n_classes: int, threads: int) -> Table:
    """The sum of every feature over the rows of every class."""
    sums = np.zeros((n_classes, X.shape[1]))
    _core.add_class_counts(X, codes, np.ones(X.shape[0]), sums, threads)
    return sums


def one_class(X: _core.Csr) -> Codes:
    """Codes that put all rows into one class, where classes do not matter."""
    return np.zeros(X.shape[0], np.int32)


def gain_of(present: Table, n_docs: FloatArray, alpha: float) -> FloatArray:
    """Information gain, given the number of texts per class and feature, and per class.

    Computed as sum_cx P(c, x) log2(P(c, x) / (P(c) P(x))), which is the same by the definition of
    H: no large entropies are subtracted, so a small gain keeps its digits.
    """
    check_alpha(alpha)
    n_classes, n = len(n_docs), n_docs.sum()
    total = 2 * n_classes * alpha + n
    df = present.sum(axis=0)
    gain = np.zeros(present.shape[1])
    for k in range(n_classes):
        p_class = (2 * alpha + n_docs[k]) / total
        for n_kx, n_x in ((present[k], df), (n_docs[k] - present[k], n - df)):
            gain += _term((alpha + n_kx) / total, p_class * (n_classes * alpha + n_x) / total)
    return np.maximum(gain, 0.0)  # rounding errors may make it negative


def chi2_of(sums: Table, n_docs: FloatArray) -> FloatArray:
    """Chi-squared, given the sums per class and feature, and the texts per class."""
    total = sums.sum(axis=0)
    statistic = np.zeros(sums.shape[1])
    for k, share in enumerate(n_docs / n_docs.sum()):
        with np.errstate(invalid="ignore"):  # 0 / 0 where the feature never occurs
            statistic += (sums[k] - share * total) ** 2 / (share * total)
    return statistic


def tfidf_of(total: FloatArray, df: FloatArray, n_docs: int) -> FloatArray:
    """Corpus TF-IDF, given the sum and the number of texts of each feature."""
    return np.asarray(total * np.log(n_docs / np.maximum(df, 1)))


def check_alpha(alpha: float) -> None:
    """Raise an error unless alpha is a finite number of 0 or more."""
    if not (isinstance(alpha, (int, float)) and 0 <= alpha < float("inf")):
        raise InputError(f"alpha is {alpha!r}, expected a finite number of 0 or more")


def refuse_negative(X: _core.Csr, score: str) -> None:
    """Raise an error if X has negative values: it must hold counts."""
    if X.has_negative:
        raise InputError(f"Negative values in data passed to {score} (input X), expected counts")


def _encode(X: MatrixLike, y: LabelsLike | None) -> tuple[_core.Csr, Codes, FloatArray]:
    """The native matrix, the class of each row, and the number of rows of each class."""
    matrix = as_csr(X)
    labels = as_labels(y)
    check_length(matrix, labels, "y")
    classes, codes = encode(labels)
    return matrix, codes, np.bincount(codes, minlength=len(classes)).astype(np.float64)


def _term(p: FloatArray, q: FloatArray) -> FloatArray:
    """p log2(p / q); 0 where p is 0."""
    ratio = np.divide(p, q, out=np.ones_like(p), where=p > 0)
    return np.asarray(p * np.log2(ratio))


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
