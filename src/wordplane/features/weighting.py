"""From counts to weights.

    w_ij = tf(x_ij) idf_j,   then each row divided by its norm

    tf     count x   binary 1   relative x / length_i   log1p log(1 + x)   log 1 + log x
    idf    exact     log(n / df_j)
           smooth    log((1 + n) / (1 + df_j)) + 1
           delta     log((1 + n_1) / (1 + df_1j)) - log((1 + n_0) / (1 + df_0j))
    norm   l1 sum_j |w_ij|   l2 sqrt(sum_j w_ij^2)

n texts, df_j of them with feature j; n_k and df_kj are the same within class k. A count
of 0 weighs 0.

References: Salton and Buckley (1988), Information Processing and Management 24(5);
Martineau and Finin (2009), Delta TFIDF, ICWSM.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels, encode
from wordplane.common.matrix import scipy_as_csr
from wordplane.common.threads import thread_count
from wordplane.features.transformer import MatrixTransformer

TFS = ("count", "binary", "relative", "log1p", "log")
LOGARITHMS = ("log1p", "log")
IDFS = (None, "exact", "smooth", "delta")
NORMS = (None, "l1", "l2")


class Weighting(MatrixTransformer):
    """Counts to weights, by the formulas above; `Weighting()` is `TfidfTransformer()`.

    Parameters
    ----------
    tf : "count", "binary", "relative", "log1p" or "log", default "count"
        What becomes of a count. "relative" divides by the length of the text, which is the
        sum of its row unless `transform` is given the lengths: a matrix does not know of
        the words that were cut from its vocabulary.
    idf : None, "exact", "smooth" or "delta", default "smooth"
        The weight of a feature. "exact" gives a feature that no text of the fit has the
        weight 0. "delta" needs y with two classes: it is the idf among the texts of
        `classes_[1]` minus the idf among those of `classes_[0]`, so that a feature typical of
        `classes_[0]` weighs more than 0, one of `classes_[1]` less, one of neither 0.
        One text that has every feature is added to each class to keep it finite.
    norm : None, "l1" or "l2", default "l2"
        What each row is divided by.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.

    Attributes
    ----------
    idf_ : array of shape (n_features,)
        The weight of every feature; absent without idf.
    classes_ : array of shape (2,)
        The two labels, sorted; with "delta" only.

    Examples
    --------
    >>> X = [[2, 0, 1], [0, 1, 1]]
    >>> Weighting(tf="relative", idf=None, norm=None).fit_transform(X).toarray()
    array([[0.66666667, 0.        , 0.33333333],
           [0.        , 0.5       , 0.5       ]])
    >>> Weighting(idf="delta").fit(X, ["bad", "good"]).idf_
    array([ 0.69314718, -0.69314718,  0.        ])
    """

    idf_: NDArray[np.float64]
    classes_: NDArray[Any]

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

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the weight of every feature."""
        check_choice("tf", self.tf, TFS)
        check_choice("idf", self.idf, IDFS)
        check_choice("norm", self.norm, NORMS)
        X = _without_zeros(self._new_features(X))
        if self.tf in LOGARITHMS and X.nnz and X.data.min() < 0:
            raise InputError(f"Negative values in data: tf={self.tf!r} has no logarithm of them")
        for name in ("idf_", "classes_"):
            self.__dict__.pop(name, None)
        threads = thread_count(self.n_jobs)
        if self.idf == "delta":
            self.classes_, codes = _two_classes(y, X.shape[0])
            df = document_frequency(scipy_as_csr(X), threads, codes, 2)
            n = np.bincount(codes)[:, np.newaxis]
            positive, negative = np.log((1 + n) / (1 + df))[::-1]
            self.idf_ = positive - negative
        elif self.idf is not None:
            df, n = document_frequency(scipy_as_csr(X), threads)[0], X.shape[0]
            if self.idf == "smooth":
                self.idf_ = np.log((1 + n) / (1 + df)) + 1
            else:
                self.idf_ = np.where(df > 0, np.log(n / np.maximum(df, 1)), 0.0)
        return self

    def transform(self, X: Any, lengths: Any = None) -> Any:
        """X weighted. `lengths` are the lengths of the texts for tf="relative"."""
        self._check_fitted()
        X = _without_zeros(self._known_rows(X, copy=True))
        if lengths is not None:
            lengths = np.ascontiguousarray(lengths, np.float64)
            if lengths.shape != X.shape[:1] or not (lengths >= 0).all():
                raise InputError("lengths: one number of at least 0 per row of X expected")
        idf = getattr(self, "idf_", None)
        weigh(
            scipy_as_csr(X),
            X.data,
            tf=self.tf,
            lengths=lengths,
            idf=idf,
            norm=self.norm,
            threads=thread_count(self.n_jobs),
        )
        return X

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.tf in LOGARITHMS
        if self.idf == "delta":
            tags.target_tags.required = True
            tags.classifier_tags = ClassifierTags(multi_class=False)  # y has two classes
        return tags


def weigh(
    X: _core.Csr,
    out: NDArray[Any],
    *,
    tf: str,
    lengths: NDArray[np.float64] | None = None,
    idf: NDArray[Any] | None,
    norm: str | None,
    threads: int,
) -> None:
    """Write the weights of the counts X, whose own values `out` may be."""
    if idf is not None:
        idf = np.ascontiguousarray(idf, np.float64)
    _core.weigh(X, tf=tf, lengths=lengths, idf=idf, norm=norm, out=out, threads=threads)


def document_frequency(
    X: _core.Csr, threads: int, codes: NDArray[np.int32] | None = None, n_classes: int = 1
) -> NDArray[np.int64]:
    """How many rows of each class (one, without codes) store each column of X."""
    if codes is None:
        codes = np.zeros(X.shape[0], np.int32)
    return _core.document_frequency(X, codes, n_classes, threads)


def check_choice(name: str, value: Any, choices: tuple[str | None, ...]) -> None:
    """An error that names the parameter unless its value is one of the choices."""
    if value not in choices:
        named = ", ".join(repr(choice) for choice in choices[:-1])
        raise InputError(f"{name} is {value!r}, expected {named} or {choices[-1]!r}")


def _without_zeros(X: Any) -> Any:
    """X with every entry stored once and no zeros, so that what is stored is what occurs."""
    if not X.has_canonical_format or not X.data.all():
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def _two_classes(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    if y is None:
        raise InputError("idf='delta' requires y to be passed, but the target y is None")
    labels = as_labels(y)
    if len(labels) != n_rows:
        raise InputError(f"y has {len(labels)} labels, expected one per row: {n_rows}")
    classes, codes = encode(labels)
    if len(classes) != 2:
        raise InputError(f"y has {len(classes)} classes, expected two for idf='delta'")
    return classes, codes
