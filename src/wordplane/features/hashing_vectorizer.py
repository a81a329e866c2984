"""Hashed features, the same as those of scikit-learn's HashingVectorizer.

A feature f with the hash h (MurmurHash3 of its UTF-8 bytes, a signed 32-bit number) counts in
column |h| mod n_features, with the sign of h. There is no vocabulary: nothing is learned, any
stream of texts can be read, and different features may share a column.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Self

import numpy as np
from numpy.typing import DTypeLike

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import EstimatorTags
from wordplane.common.threads import thread_count
from wordplane.common.types import CsrMatrix, FloatArray
from wordplane.features.counting.core import count_features, select_all
from wordplane.features.document_reader import (
    DEFAULT_PATTERN,
    Analyze,
    DocumentReader,
    canonical_matrix,
)
from wordplane.features.hashing import HashedNames
from wordplane.text.checks import check_choice
from wordplane.text.texts import batches, refuse_bare_string
from wordplane.text.weighting_spec import NORMS

BATCH_DOCUMENTS = 4096  # counted at a time where Python finds the features


class HashingVectorizer(DocumentReader):
    """Turns texts into a sparse matrix of hashed features; parameters are scikit-learn's.

    Parameters
    ----------
    input, encoding, ..., analyzer
        As in `CountVectorizer`.
    n_features : int, default 2**20
        The number of columns of the matrix. With fewer columns, more features share one.
    binary : bool, default False
        Use 1 instead of every sum.
    norm : "l1", "l2" or None, default "l2"
        The norm by which each row is divided.
    alternate_sign : bool, default True
        Whether about half of the features count -1, so that features that share a column tend
        to cancel out instead of adding up.
    dtype : type, default numpy.float64
        The type of the matrix.
    names : bool, default False
        Whether `fit` and `partial_fit` record which features hash to which column, for
        `feature_names` and `collision_share_`. This reads the texts a second time and needs
        memory for up to four names per column. (scikit-learn has no such parameter.)
    n_jobs : int, default None
        Threads to use; None and -1 mean all. (scikit-learn has no such parameter.)

    Examples
    --------
    >>> vectorizer = HashingVectorizer(n_features=4, norm=None, names=True)
    >>> vectorizer.fit_transform(["to be or not to be"]).toarray()
    array([[ 1.,  0., -2.,  3.]])
    >>> vectorizer.feature_names(3)
    ['to', 'or']
    >>> vectorizer.collision_share_.round(2)
    array([0.  , 0.  , 0.  , 0.33])
    """

    _names: HashedNames

    def __init__(
        self,
        *,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: str | Callable[[str], str] | None = None,
        lowercase: bool = True,
        preprocessor: Callable[[str], str] | None = None,
        tokenizer: Callable[[str], list[str]] | None = None,
        stop_words: str | Iterable[str] | None = None,
        token_pattern: str | None = DEFAULT_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: str | Analyze = "word",
        n_features: int = 2**20,
        binary: bool = False,
        norm: str | None = "l2",
        alternate_sign: bool = True,
        dtype: DTypeLike = np.float64,
        names: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.n_features = n_features
        self.binary = binary
        self.norm = norm
        self.alternate_sign = alternate_sign
        self.dtype = dtype
        self.names = names
        self.n_jobs = n_jobs

    def fit(self, X: Iterable[object], y: object = None) -> Self:
        """Check the parameters; with `names`, record the names in X and forget earlier ones."""
        self.__dict__.pop("_names", None)
        return self.partial_fit(X)

    def partial_fit(self, X: Iterable[object], y: object = None) -> Self:
        """Check the parameters; with `names`, record the names in X in addition to earlier ones."""
        refuse_bare_string(X)
        self._check_parameters()
        self._warn_of_unused_parameters()
        if self.names:
            if "_names" not in vars(self):
                self._names = HashedNames(self.n_features)
            for counts in self._feature_counts(X, thread_count(self.n_jobs)):
                self._names.add_counts(counts)
        return self

    def transform(self, X: Iterable[object]) -> CsrMatrix:
        """The matrix of hashed features."""
        refuse_bare_string(X)
        self._check_parameters()
        threads = thread_count(self.n_jobs)
        rows = self._hash(X, threads)
        indptr = rows.indptr()
        if len(indptr) == 1:
            raise InputError("Cannot vectorize empty sequence: there are no documents")
        indices = np.empty(indptr[-1], np.int32)
        single = np.dtype(self.dtype) == np.float32
        values = np.empty(indptr[-1], np.float32 if single else np.float64)
        rows.fill(
            binary=self.binary, norm=self.norm, indices=indices, values=values, threads=threads
        )
        if self.norm is None:
            values = values.astype(self.dtype, copy=False)
        return canonical_matrix(indptr, indices, values, self.n_features)

    def fit_transform(self, X: Iterable[object], y: object = None) -> CsrMatrix:
        """Fit, then transform."""
        refuse_bare_string(X)
        if self.names and not hasattr(X, "__len__"):
            X = list(X)  # read twice
        return self.fit(X).transform(X)

    def feature_names(self, column: int) -> list[str]:
        """The features of a column that fit has seen, the most frequent first; at most four."""
        self._check_names()
        return self._names.names(column)

    @property
    def collision_share_(self) -> FloatArray:
        """For every column, the share of occurrences that are not of its main feature.

        Exact for columns with at most four different features; a little low for others.
        """
        self._check_names()
        return self._names.collision_share()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> EstimatorTags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def _check_parameters(self) -> None:
        if not isinstance(self.n_features, (int, np.integer)) or not (
            1 <= self.n_features < np.iinfo(np.int32).max
        ):
            raise InputError(
                f"n_features is {self.n_features!r}, expected a whole number from 1 to 2**31 - 2"
            )
        check_choice("norm", self.norm, NORMS)
        self._check_reading()

    def _hash(self, documents: Iterable[object], threads: int) -> _core.HashedRows:
        rows = _core.HashedRows(self.n_features, self.alternate_sign)
        if self._finds_words_natively():
            analysis = self._analysis()
            for texts in self._texts(documents):
                for begin, end in batches(texts, "reading texts"):
                    rows.add(analysis, texts, begin, end, threads)
                del texts
        else:
            analyze = self.build_analyzer()
            for document in documents:
                rows.add_features(analyze(document))
        return rows

    def _feature_counts(
        self, documents: Iterable[object], threads: int
    ) -> Iterator[Mapping[str, int]]:
        """The counts of the features of one batch of documents after the other."""
        if self._finds_words_natively():
            for texts in self._texts(documents):
                for begin, end in batches(texts, "recording names"):
                    batch = texts.take(np.arange(begin, end))
                    counter = count_features(self._analysis(), [batch], "alphabetical", threads)
                    tf = counter.term_frequency(threads).tolist()
                    select_all(counter, threads)
                    yield dict(zip(counter.vocabulary().names(), tf, strict=True))
            return
        analyze = self.build_analyzer()
        rest = iter(documents)
        while some := list(islice(rest, BATCH_DOCUMENTS)):
            yield Counter(chain.from_iterable(map(analyze, some)))

    def _check_names(self) -> None:
        if "_names" not in vars(self):
            raise InputError("no names were recorded; set `names=True` and call fit or partial_fit")
