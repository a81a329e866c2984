"""Turns counts into weights.

    w_ij = tf(x_ij) idf_j,   then each row divided by its norm

    tf     count x   binary 1   relative x / length_i   log1p log(1 + x)   log 1 + log x
           bm25 x (k + 1) / (x + k (1 - b + b length_i / mean length)),  k = 1.2, b = 0.75
    idf    exact     log(n / df_j)
           smooth    log((1 + n) / (1 + df_j)) + 1
           delta     log((1 + n_1) / (1 + df_1j)) - log((1 + n_0) / (1 + df_0j))
           bm25      log(1 + (n - df_j + 1/2) / (df_j + 1/2))
           igm       1 + 7 d_1 / sum_r r d_r,  where d_1 >= d_2 >= ... are the df_kj of all classes
    norm   l1 sum_j |w_ij|   l2 sqrt(sum_j w_ij^2)

There are n texts, df_j of them with feature j; n_k and df_kj are the same within class k. A count
of 0 has the weight 0.

References: Salton and Buckley (1988), Information Processing and Management 24(5);
Martineau and Finin (2009), Delta TFIDF, ICWSM; Robertson and Zaragoza (2009), The Probabilistic
Relevance Framework: BM25 and Beyond, Foundations and Trends in IR 3(4); Chen, Zhang, Long and Zhang
(2016), Turning from TF-IDF to TF-IGM, Expert Systems with Applications 66.
"""

from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import EstimatorTags
from wordplane.common.labels import as_labels, encode
from wordplane.common.matrix import scipy_as_csr
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    CsrMatrix,
    FloatArray,
    IntArray,
    LabelArray,
    LabelsLike,
    MatrixLike,
)
from wordplane.features.transformer import MatrixTransformer
from wordplane.text.checks import check_choice
from wordplane.text.weighting_spec import IDFS, NORMS, TFS

LOGARITHMS = ("log1p", "log")
K, B, LAMBDA = 1.2, 0.75, 7.0  # the usual values of BM25 and igm


class Weighting(MatrixTransformer[CsrMatrix]):
    """Turns counts into weights by the formulas above; `Weighting()` equals `TfidfTransformer()`.

    Parameters
    ----------
    tf : "count", "binary", "relative", "log1p", "log" or "bm25", default "count"
        What a count becomes. "bm25" grows to at most 2.2, more slowly in long texts. "relative"
        divides by the length of the text, which is the sum of
        its row unless `transform` gets the lengths: a matrix does not contain the words that
        were left out of its vocabulary.
    idf : None, "exact", "smooth", "delta", "bm25" or "igm", default "smooth"
        The weight of a feature. With "exact", a feature that occurs in no text of the fit has
        the weight 0. "delta" needs y with two classes: it is the idf among the texts of
        `classes_[1]` minus the idf among those of `classes_[0]`. A feature that is typical of
        `classes_[0]` has a weight above 0, one that is typical of `classes_[1]` below 0, and any
        other 0. One text that has every feature is added to each class, so weights are finite.
        "igm" needs y with any number of classes: it is 8 for a feature of one class alone, and near
        1 for one that is spread over many.
    norm : None, "l1" or "l2", default "l2"
        The norm by which each row is divided.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.

    Attributes
    ----------
    idf_ : array of shape (n_features,)
        The weight of every feature; absent without idf.
    classes_ : array of shape (2,)
        The two labels, sorted; with "delta" only.
    mean_length_ : float
        Of the texts of the fit; with tf="bm25" only.

    Examples
    --------
    >>> X = [[2, 0, 1], [0, 1, 1]]
    >>> Weighting(tf="relative", idf=None, norm=None).fit_transform(X).toarray()
    array([[0.66666667, 0.        , 0.33333333],
           [0.        , 0.5       , 0.5       ]])
    >>> Weighting(idf="delta").fit(X, ["bad", "good"]).idf_
    array([ 0.69314718, -0.69314718,  0.        ])
    """

    idf_: FloatArray
    classes_: LabelArray

    def __init__(
        self,
        *,
        tf: str = "count",
        idf: str | None = "smooth",
        norm: str | None = "l2",
        n_jobs: int | None = None,
    ) -> None:
        self.tf = tf
        self.idf = idf
        self.norm = norm
        self.n_jobs = n_jobs

    def fit(
        self, X: MatrixLike, y: LabelsLike | None = None, lengths: ArrayLike | None = None
    ) -> Self:
        """Learn the weight of every feature. `lengths` are those of the texts for tf="bm25", if
        `transform` gets them too."""
        check_choice("tf", self.tf, (*TFS, "bm25"))
        check_choice("idf", self.idf, (*IDFS, "bm25", "igm"))
        check_choice("norm", self.norm, NORMS)
        counts = _remove_zeros(self._new_rows(X))
        if self.tf in (*LOGARITHMS, "bm25") and counts.nnz and counts.data.min() < 0:
            raise InputError(f"Negative values in data: tf={self.tf!r} needs values of 0 or more")
        for name in ("idf_", "classes_", "mean_length_"):
            self.__dict__.pop(name, None)
        if self.tf == "bm25":
            n_tokens = _check_lengths(lengths, counts)
            self._has_lengths = n_tokens is not None
            total = counts.sum() if n_tokens is None else n_tokens.sum()
            self.mean_length_ = float(total / max(counts.shape[0], 1))
        threads = thread_count(self.n_jobs)
        if self.idf == "delta":
            self.classes_, codes = _encode_two_classes(y, counts.shape[0])
            df = document_frequency(scipy_as_csr(counts), threads, codes, 2)
            n_docs = np.bincount(codes)[:, np.newaxis]
            positive, negative = np.log((1 + n_docs) / (1 + df))[::-1]
            self.idf_ = positive - negative
        elif self.idf == "igm":
            self.idf_ = _igm(counts, y, threads)
        elif self.idf is not None:
            df, n = document_frequency(scipy_as_csr(counts), threads)[0], counts.shape[0]
            if self.idf == "smooth":
                self.idf_ = np.log((1 + n) / (1 + df)) + 1
            elif self.idf == "bm25":
                self.idf_ = np.log1p((n - df + 0.5) / (df + 0.5))
            else:
                self.idf_ = np.where(df > 0, np.log(n / np.maximum(df, 1)), 0.0)
        return self

    def transform(self, X: MatrixLike, lengths: ArrayLike | None = None) -> CsrMatrix:
        """X with weights. `lengths` are those of the texts for tf="relative" or "bm25"."""
        self._check_fitted()
        matrix = _remove_zeros(self._known_rows(X, copy=True))
        n_tokens = _check_lengths(lengths, matrix)
        tf = self.tf
        if tf == "bm25":
            if self._has_lengths != (n_tokens is not None):
                raise InputError(
                    "tf='bm25' divides lengths by their mean: give `lengths` to `fit` and to "
                    "`transform`, or to neither"
                )
            _saturate(matrix, n_tokens, self.mean_length_)
            tf, n_tokens = "count", None
        apply_weights(
            scipy_as_csr(matrix),
            matrix.data,
            tf=tf,
            lengths=n_tokens,
            idf=getattr(self, "idf_", None),
            norm=self.norm,
            threads=thread_count(self.n_jobs),
        )
        return matrix

    def __sklearn_tags__(self) -> EstimatorTags:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.tf in (*LOGARITHMS, "bm25")
        tags.target_tags.required = self.idf == "igm"
        if self.idf == "delta":
            tags.target_tags.required = True
            tags.classifier_tags = ClassifierTags(multi_class=False)  # y has two classes
        return tags


def apply_weights(
    X: _core.Csr,
    out: NDArray[np.number],
    *,
    tf: str,
    lengths: FloatArray | None = None,
    idf: NDArray[np.floating] | None,
    norm: str | None,
    threads: int,
) -> None:
    """Write the weights of the counts X to `out`, which may be the values of X itself."""
    weights = None if idf is None else np.ascontiguousarray(idf, np.float64)
    values = cast(NDArray[np.float32] | NDArray[np.float64], out)
    _core.weigh(X, tf=tf, lengths=lengths, idf=weights, norm=norm, out=values, threads=threads)


def document_frequency(
    X: _core.Csr, threads: int, codes: NDArray[np.int32] | None = None, n_classes: int = 1
) -> IntArray:
    """The number of rows of each class (one, without codes) that store each feature of X."""
    if codes is None:
        codes = np.zeros(X.shape[0], np.int32)
    return _core.document_frequency(X, codes, n_classes, threads)


def _remove_zeros(X: CsrMatrix) -> CsrMatrix:
    """X with every entry stored once and no stored zeros, so that stored means occurring."""
    if not X.has_canonical_format or not X.data.all():
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def _check_lengths(lengths: ArrayLike | None, X: CsrMatrix) -> FloatArray | None:
    if lengths is None:
        return None
    n_tokens = np.ascontiguousarray(lengths, np.float64)
    if n_tokens.shape != X.shape[:1] or not (n_tokens >= 0).all():
        raise InputError("lengths: expected one number of 0 or more per row of X")
    return n_tokens


def _saturate(X: CsrMatrix, lengths: FloatArray | None, mean_length: float) -> None:
    """Counts become the tf of BM25, in place."""
    own = np.asarray(X.sum(axis=1), np.float64).ravel() if lengths is None else lengths
    relative = own / (mean_length or 1.0)
    slow = np.repeat(K * (1 - B + B * relative), np.diff(X.indptr))
    X.data[:] = X.data * (K + 1) / (X.data + slow)


def _igm(X: CsrMatrix, y: LabelsLike | None, threads: int) -> FloatArray:
    """1 + 7 times the inverse gravity moment of each feature; 1 for one that never occurs."""
    classes, codes = _encode(y, X.shape[0], "igm")
    df = document_frequency(scipy_as_csr(X), threads, codes, len(classes))
    ranked = -np.sort(-df, axis=0)
    moment = np.arange(1, len(classes) + 1) @ ranked
    return np.asarray(1 + LAMBDA * ranked[0] / np.maximum(moment, 1))


def _encode(y: LabelsLike | None, n_rows: int, idf: str) -> tuple[LabelArray, NDArray[np.int32]]:
    if y is None:
        raise InputError(f"idf={idf!r} requires y to be passed, but the target y is None")
    labels = as_labels(y)
    if len(labels) != n_rows:
        raise InputError(f"y has {len(labels)} labels, expected one for each of the {n_rows} rows")
    return encode(labels)


def _encode_two_classes(y: LabelsLike | None, n_rows: int) -> tuple[LabelArray, NDArray[np.int32]]:
    classes, codes = _encode(y, n_rows, "delta")
    if len(classes) != 2:
        raise InputError(f"y has {len(classes)} classes, expected two for idf='delta'")
    return classes, codes
