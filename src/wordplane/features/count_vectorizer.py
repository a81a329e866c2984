"""Counts of words or n-grams, the same as those of scikit-learn's CountVectorizer.

The core counts what it can find itself; features that Python finds are counted in a dictionary.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.feature_names import FeatureNames
from wordplane.common.matrix import as_rows
from wordplane.common.parameters import refuse_string
from wordplane.common.threads import thread_count
from wordplane.common.types import CsrMatrix, MatrixLike
from wordplane.features.counting.core import count_features, count_known, take_counts
from wordplane.features.counting.inside_words import InnerCounter, count_known_inside
from wordplane.features.counting.python import PythonCounter, count_known_in_python
from wordplane.features.document_reader import (
    DEFAULT_PATTERN,
    Analyze,
    DocumentReader,
    canonical_matrix,
)
from wordplane.text.texts import refuse_bare_string

FeatureCounter = _core.Counter | InnerCounter | PythonCounter
CountArrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.number]]


class CountVectorizer(DocumentReader):
    """Turns texts into a sparse matrix of counts; parameters and results are scikit-learn's.

    Parameters
    ----------
    input : "content", "file" or "filename", default "content"
        What the documents are: texts (or bytes), open files, or paths to files.
    encoding, decode_error : str, default "utf-8" and "strict"
        How bytes become text.
    strip_accents : None, "ascii", "unicode" or callable, default None
        How to strip accents.
    lowercase : bool, default True
        Whether to fold case.
    preprocessor : callable, default None
        Replaces strip_accents and lowercase.
    tokenizer : callable, default None
        Replaces token_pattern: a function from a text to its tokens.
    stop_words : None, "english" or list, default None
        Tokens to leave out before n-grams are formed; the English list is scikit-learn's.
    token_pattern : str, default r"(?u)\\b\\w\\w+\\b"
        The regular expression of a token; if it has a group, the token is that group.
    ngram_range : (int, int), default (1, 1)
        The shortest and the longest n-gram.
    analyzer : "word", "char", "char_wb" or callable, default "word"
        Words, characters, or characters inside words; or a function from a document to its
        features.
    max_df, min_df : float or int, default 1.0 and 1
        Leave out features that occur in more or in fewer documents (a float is a share of them).
    max_features : int, default None
        Keep only this number of the most frequent features.
    vocabulary : mapping or iterable, default None
        Use these features instead of learning them.
    binary : bool, default False
        Use 1 instead of every count.
    dtype : type, default numpy.int64
        The type of the matrix.
    n_jobs : int, default None
        Threads to use; None and -1 mean all. (scikit-learn has no such parameter.)

    Examples
    --------
    >>> vectorizer = CountVectorizer(ngram_range=(1, 2))
    >>> X = vectorizer.fit_transform(["to be or not", "not to be"])
    >>> vectorizer.get_feature_names_out().tolist()
    ['be', 'be or', 'not', 'not to', 'or', 'or not', 'to', 'to be']
    >>> X.toarray()
    array([[1, 1, 1, 0, 1, 1, 1, 1],
           [1, 0, 1, 1, 0, 0, 1, 1]])
    """

    # What was learned: the counter until someone asks for more than the matrix, then its
    # vocabulary, which can be searched and pickled.
    _learned: FeatureCounter | _core.Vocabulary
    _names: list[str] | None
    _index_of: dict[str, int] | None

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
        max_df: float | int = 1.0,
        min_df: float | int = 1,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        binary: bool = False,
        dtype: DTypeLike = np.int64,
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
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype
        self.n_jobs = n_jobs

    # Learning the vocabulary

    def fit(self, raw_documents: Iterable[object], y: object = None) -> Self:
        """Learn the vocabulary of the documents."""
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[object], y: object = None) -> CsrMatrix:
        """Learn the vocabulary and return the matrix of counts."""
        self._check_parameters()
        self._warn_of_unused_parameters()
        self.fixed_vocabulary_ = self.vocabulary is not None
        if self.fixed_vocabulary_:
            self._set_names(self._given_names())
            return CountVectorizer.transform(self, raw_documents)  # counts, even in a subclass
        threads = thread_count(self.n_jobs)
        refuse_bare_string(raw_documents)
        counter: FeatureCounter
        if self._is_native() and self.analyzer == "char_wb":
            texts = self._texts(raw_documents)
            counter = InnerCounter(self._analysis(), texts, self.ngram_range, threads)
        elif self._is_native():
            texts = self._texts(raw_documents)
            counter = count_features(self._analysis(), texts, "alphabetical", threads)
        else:
            counter = PythonCounter(self.build_analyzer(), raw_documents)
        if counter.n_features == 0:
            raise InputError("empty vocabulary; perhaps the documents only contain stop words")
        counter.select(self._feature_mask(counter, threads), threads)
        rows = take_counts(counter, self._count_dtype(), threads)
        self._learned = counter
        self._forget_names()
        return self._matrix(rows, counter.n_selected)

    def transform(self, raw_documents: Iterable[object]) -> CsrMatrix:
        """The matrix of counts of the learned features."""
        self._check_vocabulary()
        refuse_bare_string(raw_documents)
        threads = thread_count(self.n_jobs)
        if self._is_native() and self.analyzer == "char_wb":
            texts = self._texts(raw_documents)
            rows = count_known_inside(
                self._analysis(), self._vocabulary, texts, self.ngram_range, threads
            )
        elif self._is_native():
            block = _core.Block(self._analysis(), self._vocabulary)
            rows = count_known(block, self._texts(raw_documents), np.int64, threads)
        else:
            rows = count_known_in_python(self.build_analyzer(), raw_documents, self.vocabulary_)
        return self._matrix(rows, self._vocabulary.n_features)

    def inverse_transform(self, X: MatrixLike) -> list[FeatureNames]:
        """The features of every row of X that are not zero."""
        self._check_vocabulary()
        names = self.get_feature_names_out()
        rows = as_rows(X).copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return [names[rows.indices[begin:end]] for begin, end in pairwise(rows.indptr)]

    def get_feature_names_out(self, input_features: object = None) -> FeatureNames:
        """The features in the order of the matrix."""
        self._check_vocabulary()
        return np.array(self._feature_names(), dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The index of every feature in the matrix, built on first use."""
        if "_learned" not in vars(self):
            raise AttributeError("vocabulary_: the vectorizer is not fitted yet; call fit first")
        if self._index_of is None:
            names = self._feature_names()
            self._index_of = dict(zip(names, range(len(names)), strict=True))
        return self._index_of

    def __sklearn_is_fitted__(self) -> bool:
        return "_learned" in vars(self)

    def __getstate__(self) -> dict[str, object]:
        if self.__sklearn_is_fitted__():
            _ = self._vocabulary
        return vars(self).copy()

    def _check_parameters(self) -> None:
        self._check_reading()
        if self.max_features is not None and self.max_features <= 0:
            raise InputError(
                f"max_features is {self.max_features}, expected a number of 1 or more, or None"
            )
        for name, value in (("max_df", self.max_df), ("min_df", self.min_df)):
            if value < 0 or (not isinstance(value, Integral) and value > 1.0):
                raise InputError(
                    f"{name} is {value}, expected a share from 0.0 to 1.0 or a whole number"
                )

    def _feature_mask(self, counter: FeatureCounter, threads: int) -> NDArray[np.bool_]:
        """Which features to keep."""
        n_docs = counter.n_docs
        high = self.max_df if isinstance(self.max_df, Integral) else self.max_df * n_docs
        low = self.min_df if isinstance(self.min_df, Integral) else self.min_df * n_docs
        if high < low:
            raise InputError("max_df corresponds to < documents than min_df")
        if low <= 1 and high >= n_docs and self.max_features is None:
            return np.ones(counter.n_features, dtype=bool)
        df = counter.document_frequency(threads)
        keep = (df <= high) & (df >= low)
        if self.max_features is not None and keep.sum() > self.max_features:
            # The same call as in scikit-learn, so that ties are broken the same way. A binary
            # matrix sums to document frequencies.
            tf = df if self.binary else counter.term_frequency(threads)
            best = (-tf[keep]).argsort()[: self.max_features]
            frequent = np.flatnonzero(keep)[best]
            keep = np.zeros(len(keep), dtype=bool)
            keep[frequent] = True
        if not keep.any():
            raise InputError("After pruning, no terms remain. Lower min_df or raise max_df.")
        return np.asarray(keep)

    def _count_dtype(self) -> type[np.number]:
        """The type in which the core writes counts: `dtype` if it can, else int64."""
        floats: tuple[type[np.number], ...] = (np.float32, np.float64)
        return next((kind for kind in floats if self.dtype == kind), np.int64)

    def _matrix(self, rows: CountArrays, n_features: int) -> CsrMatrix:
        indptr, indices, values = rows
        if self.binary:
            values.fill(1)
        return canonical_matrix(indptr, indices, values.astype(self.dtype, copy=False), n_features)

    def _given_names(self) -> list[str]:
        given = self.vocabulary
        refuse_string("`vocabulary`", given, "words, or a mapping of them")
        assert given is not None
        if not isinstance(given, Mapping):
            names = sorted(given) if isinstance(given, (set, frozenset)) else list(given)
            if len(set(names)) != len(names):
                raise InputError("Duplicate term in vocabulary")
            if not names:
                raise InputError("empty vocabulary passed to fit")
            return names
        if not given:
            raise InputError("empty vocabulary passed to fit")
        indices = set(given.values())
        if len(indices) != len(given):
            raise InputError("Vocabulary contains repeated indices.")
        for index in range(len(given)):
            if index not in indices:
                raise InputError(f"Vocabulary of size {len(given)} doesn't contain index {index}.")
        return sorted(given, key=given.__getitem__)

    def _check_vocabulary(self) -> None:
        if "_learned" in vars(self):
            return
        self.fixed_vocabulary_ = self.vocabulary is not None
        if not self.fixed_vocabulary_:
            self._check_fitted()
        self._check_parameters()
        self._set_names(self._given_names())

    def _set_names(self, names: list[str]) -> None:
        if self.lowercase and any(name.lower() != name for name in names):
            warnings.warn(
                "Upper case characters found in vocabulary while 'lowercase' is True. These entries"
                " will not be matched with any documents",
                stacklevel=3,
            )
        parts = {"char": "chars", "char_wb": "whole"}.get(str(self.analyzer), "words")
        self._learned = _core.Vocabulary.from_names(names, parts)
        self._forget_names()

    @property
    def _vocabulary(self) -> _core.Vocabulary:
        if not isinstance(self._learned, _core.Vocabulary):
            self._learned = self._learned.vocabulary(thread_count(self.n_jobs))
        return self._learned

    def _forget_names(self) -> None:
        self._names = None
        self._index_of = None

    def _feature_names(self) -> list[str]:
        if self._names is None:
            self._names = self._vocabulary.names()
        return self._names
