"""tf-idf, computed as in scikit-learn.

w_ij = x_ij idf_j  (1 + log x_ij for x_ij if sublinear),  then each row divided by its norm
idf_j = log((1 + n) / (1 + df_j)) + 1  (without the added ones if not smooth)
"""

import inspect
import warnings
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.matrix import scipy_as_csr
from wordplane.common.threads import thread_count
from wordplane.common.types import CsrMatrix, LabelsLike, MatrixLike
from wordplane.features.count_vectorizer import CountVectorizer
from wordplane.features.transformer import MatrixTransformer
from wordplane.features.weighting import apply_weights, document_frequency
from wordplane.text.checks import check_choice
from wordplane.text.weighting_spec import NORMS

FLOATS = (np.float64, np.float32, np.float16)


class TfidfTransformer(MatrixTransformer[CsrMatrix]):
    """Turns counts into tf-idf weights; parameters and results are scikit-learn's.

    Parameters
    ----------
    norm : "l1", "l2" or None, default "l2"
        The norm by which each row is divided.
    use_idf : bool, default True
        Whether to weight features by their inverse document frequency.
    smooth_idf : bool, default True
        Whether to add one text that has every feature.
    sublinear_tf : bool, default False
        Whether x becomes 1 + log x. A stored zero stays zero.
    n_jobs : int, default None
        Threads to use; None and -1 mean all. (scikit-learn has no such parameter.)

    Attributes
    ----------
    idf_ : array of shape (n_features,)
        The weight of every feature; absent without use_idf. It can be set.

    Examples
    --------
    >>> TfidfTransformer().fit_transform([[3, 0, 1], [0, 4, 1]]).toarray()
    array([[0.97300882, 0.        , 0.23076793],
           [0.        , 0.98454566, 0.17512809]])
    """

    idf_: NDArray[np.floating]

    def __init__(
        self,
        *,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: LabelsLike | None = None) -> Self:
        """Learn the weight of every feature."""
        counts = self._new_rows(X)
        self._learn(scipy_as_csr(counts), counts.dtype)
        return self

    def transform(self, X: MatrixLike, copy: bool = True) -> CsrMatrix:
        """X with weights; copy=False may write them into the memory of X."""
        return self.weighted(X, copy)

    def weighted(self, X: MatrixLike, copy: bool) -> CsrMatrix:
        """The same, always as a sparse matrix."""
        self._check_fitted()
        matrix = self._known_rows(X, copy=copy)
        self._apply_weights(scipy_as_csr(matrix), matrix.data)
        return matrix

    def _learn(self, X: _core.Csr, dtype: DTypeLike) -> None:
        check_choice("norm", self.norm, NORMS)
        self.__dict__.pop("idf_", None)
        if self.use_idf:
            df = document_frequency(X, thread_count(self.n_jobs))[0]
            if X.shape[0] < len(df) and self.smooth_idf:  # takes fewer logarithms
                self.idf_ = self._idf(np.arange(X.shape[0] + 1, dtype=dtype), X.shape[0]).take(df)
            else:
                self.idf_ = self._idf(df.astype(dtype), X.shape[0])

    def _idf(self, df: NDArray[np.floating], n: int) -> NDArray[np.floating]:
        # The same steps as in scikit-learn, in the type of X, give the same bits.
        df += float(self.smooth_idf)
        idf = np.full_like(df, n + int(self.smooth_idf))
        idf /= df
        np.log(idf, out=idf)
        idf += 1.0
        return idf

    def _apply_weights(self, X: _core.Csr, out: NDArray[np.number]) -> None:
        apply_weights(
            X,
            out,
            tf="log" if self.sublinear_tf else "count",
            idf=getattr(self, "idf_", None),
            norm=self.norm,
            threads=thread_count(self.n_jobs),
        )


class TfidfVectorizer(CountVectorizer):
    """Turns texts into a sparse matrix of tf-idf weights; parameters are scikit-learn's.

    Parameters
    ----------
    input, encoding, ..., binary, n_jobs
        As in `CountVectorizer`.
    dtype : type, default numpy.float64
        The type of the matrix: float64 or float32.
    norm, use_idf, smooth_idf, sublinear_tf
        As in `TfidfTransformer`.

    Examples
    --------
    >>> vectorizer = TfidfVectorizer()
    >>> X = vectorizer.fit_transform(["to be or not to be", "to have"])
    >>> vectorizer.idf_.round(3)
    array([1.405, 1.405, 1.405, 1.405, 1.   ])
    >>> X.toarray().round(3)
    array([[0.706, 0.   , 0.353, 0.353, 0.502],
           [0.   , 0.815, 0.   , 0.   , 0.58 ]])
    """

    _tfidf: TfidfTransformer

    def __init__(
        self,
        *,
        dtype: DTypeLike = np.float64,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        **counting: Any,
    ) -> None:
        super().__init__(dtype=dtype, **counting)
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    def fit(self, raw_documents: Iterable[object], y: object = None) -> Self:
        """Learn the vocabulary of the documents and the weight of every feature."""
        self._count(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[object], y: object = None) -> CsrMatrix:
        """Learn the vocabulary and the weights, and return the weighted matrix."""
        X, rows = self._count(raw_documents)
        self._tfidf._apply_weights(rows, X.data)  # noqa: SLF001
        return X

    def transform(self, raw_documents: Iterable[object]) -> CsrMatrix:
        """The weighted matrix of the learned features."""
        self._check_fitted()
        return self._tfidf.weighted(super().transform(raw_documents), copy=False)

    @property
    def idf_(self) -> NDArray[np.floating]:
        """The weight of every feature; with use_idf, it can be set."""
        if "_tfidf" not in vars(self):
            raise AttributeError("idf_: the vectorizer is not fitted yet; call fit first")
        return self._tfidf.idf_

    @idf_.setter
    def idf_(self, value: ArrayLike) -> None:
        idf = np.asarray(value)
        if not self.use_idf:
            raise InputError("`idf_` cannot be set when `use_idf=False`.")
        if self.vocabulary is not None or "_learned" in vars(self):
            self._check_vocabulary()
            n_features = self._vocabulary.n_features
            if len(idf) != n_features:
                raise InputError(
                    f"idf length = {len(idf)} must be equal to vocabulary size = {n_features}"
                )
        if "_tfidf" not in vars(self):
            self._tfidf = self._weighting()
        self._tfidf.idf_ = idf

    def __sklearn_is_fitted__(self) -> bool:
        return "_tfidf" in vars(self) and super().__sklearn_is_fitted__()

    def _count(self, raw_documents: Iterable[object]) -> tuple[CsrMatrix, _core.Csr]:
        """Learn everything; the matrix of counts, also as a native matrix."""
        if self.dtype not in FLOATS:
            warnings.warn(
                f"Only float 'dtype' should be used. {self.dtype} will be converted to float64.",
                UserWarning,
                stacklevel=3,
            )
        weighting = self._weighting()
        X = super().fit_transform(raw_documents)
        if self.dtype not in FLOATS:
            X = X.astype(np.float64)
        weighting._set_features(X, X.shape[1])  # noqa: SLF001
        rows = scipy_as_csr(X, thread_count(self.n_jobs))
        weighting._learn(rows, X.dtype)  # noqa: SLF001
        self._tfidf = weighting
        return X, rows

    def _weighting(self) -> TfidfTransformer:
        return TfidfTransformer(
            norm=self.norm,
            use_idf=self.use_idf,
            smooth_idf=self.smooth_idf,
            sublinear_tf=self.sublinear_tf,
            n_jobs=self.n_jobs,
        )


def _with_counting_parameters() -> inspect.Signature:
    own = inspect.signature(TfidfVectorizer.__init__).parameters.values()
    parameters = dict(inspect.signature(CountVectorizer).parameters)
    parameters.update((p.name, p) for p in own if p.kind is p.KEYWORD_ONLY)
    return inspect.Signature(list(parameters.values()))


# `**counting` stands for the parameters of CountVectorizer, which are written there, once. Code
# that reads signatures (get_params and through it clone; help) sees the whole list.
TfidfVectorizer.__signature__ = _with_counting_parameters()  # type: ignore[attr-defined]
