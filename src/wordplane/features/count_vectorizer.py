"""Counts of words or n-grams, as scikit-learn's CountVectorizer gives them.

Words by the default token pattern and characters are found and counted in the core. Anything
else scikit-learn allows (another pattern, a callable) goes the slower way: Python cuts the
texts into features and a dictionary counts them.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import TextEstimator
from wordplane.common.threads import thread_count
from wordplane.features.counting import count, count_known
from wordplane.features.inner_counting import InnerCounter, inner_count_known
from wordplane.features.slow_counting import SlowCounter, slow_count_known
from wordplane.text.accents import ACCENT_STRIPPERS
from wordplane.text.ngrams import char_ngrams, char_wb_ngrams, word_ngrams
from wordplane.text.texts import as_texts, columns_of, refuse_bare_string

AnyCounter = _core.Counter | InnerCounter | SlowCounter

DEFAULT_PATTERN = r"(?u)\b\w\w+\b"


class CountVectorizer(TextEstimator):
    """Texts to a sparse matrix of counts; parameters and results are scikit-learn's.

    Parameters
    ----------
    input : "content", "file" or "filename", default "content"
        What the documents are: texts (or bytes), open files, or paths of files.
    encoding, decode_error : str, default "utf-8" and "strict"
        How bytes become text.
    strip_accents : None, "ascii", "unicode" or callable, default None
        How accents are taken off.
    lowercase : bool, default True
        Whether case is folded.
    preprocessor : callable, default None
        Replaces strip_accents and lowercase.
    tokenizer : callable, default None
        Replaces token_pattern: a text to a list of tokens.
    stop_words : None, "english" or list, default None
        Tokens left out before n-grams are formed; the English list is scikit-learn's.
    token_pattern : str, default r"(?u)\\b\\w\\w+\\b"
        What a token is; with one group, that group.
    ngram_range : (int, int), default (1, 1)
        The shortest and the longest n-gram.
    analyzer : "word", "char", "char_wb" or callable, default "word"
        Words, characters, characters inside word boundaries; or a function from a
        document to its features.
    max_df, min_df : float or int, default 1.0 and 1
        Leave out features in more or fewer documents (a float is a share of them).
    max_features : int, default None
        Keep only the most frequent ones.
    vocabulary : mapping or iterable, default None
        Use these features instead of learning them.
    binary : bool, default False
        1 instead of every count.
    dtype : type, default numpy.int64
        Of the matrix.
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
    _learned: AnyCounter | _core.Vocabulary
    _held_names: list[str] | None
    _columns: dict[str, int] | None
    _warned_of: frozenset[str] | None = None

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
        analyzer: str | Callable[[Any], Iterable[str]] = "word",
        max_df: float | int = 1.0,
        min_df: float | int = 1,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        binary: bool = False,
        dtype: Any = np.int64,
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

    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the vocabulary of the documents."""
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and return the matrix of counts."""
        self._check_parameters()
        self._warn_of_unused_parameters()
        self.fixed_vocabulary_ = self.vocabulary is not None
        if self.fixed_vocabulary_:
            self._set_names(self._given_names())
            return CountVectorizer.transform(self, raw_documents)  # counts, also in a subclass
        threads = thread_count(self.n_jobs)
        refuse_bare_string(raw_documents)
        counter: AnyCounter
        if self._is_native() and self.analyzer == "char_wb":
            texts = self._texts(raw_documents)
            counter = InnerCounter(self._analysis(), texts, self.ngram_range, threads)
        elif self._is_native():
            counter = count(self._analysis(), self._texts(raw_documents), "alphabetical", threads)
        else:
            counter = SlowCounter(self.build_analyzer(), raw_documents)
        if counter.n_features == 0:
            raise InputError("empty vocabulary; perhaps the documents only contain stop words")
        counter.select(self._kept(counter, threads), threads)
        indptr = counter.indptr()
        indices = np.empty(indptr[-1], np.int32)
        values = np.empty(indptr[-1], self._count_dtype())
        counter.fill(indices, values, threads)
        self._learned = counter
        self._forget_names()
        return self._matrix((indptr, indices, values), counter.n_selected)

    def transform(self, raw_documents: Any) -> Any:
        """The matrix of counts of the learned features."""
        self._check_vocabulary()
        refuse_bare_string(raw_documents)
        threads = thread_count(self.n_jobs)
        if self._is_native() and self.analyzer == "char_wb":
            rows = inner_count_known(
                self._analysis(),
                self._vocabulary,
                self._texts(raw_documents),
                self.ngram_range,
                threads,
            )
        elif self._is_native():
            texts = self._texts(raw_documents)
            rows = count_known(self._analysis(), self._vocabulary, texts, threads)
        else:
            rows = slow_count_known(self.build_analyzer(), raw_documents, self.vocabulary_)
        return self._matrix(rows, self._vocabulary.n_features)

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """The features of every row of X that are not zero."""
        from scipy.sparse import csr_array

        self._check_vocabulary()
        names = self.get_feature_names_out()
        rows = csr_array(X)
        rows.sort_indices()
        return [names[rows[[i]].nonzero()[1]] for i in range(rows.shape[0])]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The features in column order."""
        self._check_vocabulary()
        return np.array(self._names(), dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Column of every feature, built when first asked for."""
        if "_learned" not in vars(self):
            raise AttributeError("vocabulary_: the vectoriser is not fitted yet; call fit first")
        if self._columns is None:
            names = self._names()
            self._columns = dict(zip(names, range(len(names)), strict=True))
        return self._columns

    def __sklearn_is_fitted__(self) -> bool:
        return "_learned" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        if self.__sklearn_is_fitted__():
            _ = self._vocabulary
        return vars(self).copy()

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags

    # Features of one document, as scikit-learn names the steps

    def decode(self, doc: Any) -> str:
        """The text of a document: read from a file and decoded if it must be."""
        if self.input == "filename":
            doc = Path(doc).read_bytes()
        elif self.input == "file":
            doc = doc.read()
        if isinstance(doc, bytes):
            doc = doc.decode(self.encoding, self.decode_error)
        if not isinstance(doc, str):
            raise InputError(f"{doc!r} is an invalid document, expected a string")
        return doc

    def build_preprocessor(self) -> Callable[[str], str]:
        """The function that folds case and strips accents."""
        if self.preprocessor is not None:
            return self.preprocessor
        if self.strip_accents is None or callable(self.strip_accents):
            strip = self.strip_accents
        elif self.strip_accents in ACCENT_STRIPPERS:
            strip = ACCENT_STRIPPERS[self.strip_accents]
        else:
            raise InputError(
                f"strip_accents is {self.strip_accents!r}, "
                "expected None, 'ascii', 'unicode' or a function"
            )
        return partial(_preprocess, lowercase=self.lowercase, strip=strip)

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """The function that cuts a text into tokens."""
        if self.tokenizer is not None:
            return self.tokenizer
        pattern = re.compile(self.token_pattern or "")
        if pattern.groups > 1:
            raise InputError("More than 1 capturing group in token pattern, expected one")
        return pattern.findall

    def get_stop_words(self) -> frozenset[str] | None:
        """The words to leave out."""
        if self.stop_words == "english":
            from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

            return frozenset(ENGLISH_STOP_WORDS)
        if isinstance(self.stop_words, str):
            raise InputError(f"not a built-in stop list: {self.stop_words}")
        return None if self.stop_words is None else frozenset(self.stop_words)

    def build_analyzer(self) -> Callable[[Any], Iterable[str]]:
        """The function from a document to its features."""
        if callable(self.analyzer):
            steps: list[Callable[..., Any]]
            steps = [self.analyzer] if self.input == "content" else [self.decode, self.analyzer]
            return partial(_analyze, steps)
        min_n, max_n = self.ngram_range
        steps = [self.decode, self.build_preprocessor()]
        if self.analyzer == "word":
            steps.append(self.build_tokenizer())
            stop_words = self.get_stop_words()
            if stop_words is not None:
                self._warn_of_odd_stop_words(stop_words)
                steps.append(partial(_without, stop_words))
            steps.append(partial(word_ngrams, min_n=min_n, max_n=max_n))
        else:
            ngrams = char_ngrams if self.analyzer == "char" else char_wb_ngrams
            steps += [_with_single_blanks, partial(ngrams, min_n=min_n, max_n=max_n)]
        return partial(_analyze, [*steps, list])

    # Inside

    def _check_parameters(self) -> None:
        min_n, max_n = self.ngram_range
        if min_n > max_n:
            raise InputError(
                f"Invalid value for ngram_range={self.ngram_range} lower boundary larger than the "
                "upper boundary."
            )
        if min_n < 1:
            raise InputError(f"ngram_range is {self.ngram_range}, expected numbers from 1 up")
        if self.input not in ("content", "file", "filename"):
            raise InputError(f"input is {self.input!r}, expected content, file or filename")
        if not callable(self.analyzer) and self.analyzer not in ("word", "char", "char_wb"):
            raise InputError(
                f"{self.analyzer!r} is not a valid analyzer: word, char, char_wb or a function"
            )
        if self.max_features is not None and self.max_features <= 0:
            raise InputError(f"max_features is {self.max_features}, expected at least 1 or None")
        for name, value in (("max_df", self.max_df), ("min_df", self.min_df)):
            if value < 0 or (not isinstance(value, Integral) and value > 1.0):
                raise InputError(
                    f"{name} is {value}, expected a share from 0.0 to 1.0 or a whole number"
                )

    def _warn_of_unused_parameters(self) -> None:
        custom = callable(self.analyzer)
        not_words = "'analyzer' is callable" if custom else "'analyzer' != 'word'"
        if self.analyzer == "word":
            own_pattern = self.tokenizer is not None and self.token_pattern is not None
            unused = {"token_pattern": own_pattern and "'tokenizer' is not None"}
        else:
            other_pattern = self.token_pattern not in (None, DEFAULT_PATTERN)
            unused = {
                "preprocessor": custom and self.preprocessor is not None and not_words,
                "ngram_range": custom and self.ngram_range != (1, 1) and not_words,
                "stop_words": self.stop_words is not None and "'analyzer' != 'word'",
                "token_pattern": other_pattern and "'analyzer' != 'word'",
                "tokenizer": self.tokenizer is not None and "'analyzer' != 'word'",
            }
        for name, reason in unused.items():
            if reason:
                warnings.warn(
                    f"The parameter {name!r} will not be used since {reason}", stacklevel=3
                )

    def _warn_of_odd_stop_words(self, stop_words: frozenset[str]) -> None:
        """Stop words that the texts' own reading would cut up or fold never match; told once."""
        if self._warned_of == stop_words or self.preprocessor or self.tokenizer:
            return
        self._warned_of = stop_words
        tokenize, preprocess = self.build_tokenizer(), self.build_preprocessor()
        found = {token for word in stop_words for token in tokenize(preprocess(word))}
        if odd := sorted(found - stop_words):
            warnings.warn(
                "Your stop_words may be inconsistent with your preprocessing. Tokenizing the stop "
                f"words generated tokens {odd} not in stop_words.",
                stacklevel=3,
            )

    def _is_native(self) -> bool:
        return self.analyzer in ("char", "char_wb") or self._finds_words_natively()

    def _finds_words_natively(self) -> bool:
        return (
            self.analyzer == "word"
            and self.tokenizer is None
            and self.token_pattern == DEFAULT_PATTERN
        )

    def _analysis(self) -> _core.Analysis:
        min_n, max_n = (1, 1) if self.analyzer == "char_wb" else self.ngram_range
        stop_words = self.get_stop_words() if self.analyzer == "word" else None
        if stop_words:
            self._warn_of_odd_stop_words(stop_words)
        return _core.Analysis(
            tokens={"word": "pattern", "char": "chars", "char_wb": "white"}[str(self.analyzer)],
            lowercase=self.lowercase and not self._folds_in_python(),
            boundaries=False,
            min_n=min_n,
            max_n=max_n,
            stop_words=sorted(stop_words or ()),
        )

    def _folds_in_python(self) -> bool:
        return self.preprocessor is not None or self.strip_accents is not None

    def _texts(self, raw_documents: Any) -> Iterator[_core.Texts]:
        if self.input != "content" or self._folds_in_python():
            fold = self.build_preprocessor() if self._folds_in_python() else str
            raw_documents = (fold(self.decode(doc)) for doc in raw_documents)
        return columns_of(
            raw_documents,
            partial(as_texts, encoding=self.encoding, decode_error=self.decode_error),
        )

    def _kept(self, counter: AnyCounter, threads: int) -> NDArray[np.bool_]:
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
            # The same call as scikit-learn's, so that ties fall the same way. A binary
            # matrix sums to document frequencies.
            tf = df if self.binary else counter.term_frequency(threads)
            best = (-tf[keep]).argsort()[: self.max_features]
            kept = np.zeros(len(keep), dtype=bool)
            kept[np.flatnonzero(keep)[best]] = True
            keep = kept
        if not keep.any():
            raise InputError("After pruning, no terms remain. Lower min_df or raise max_df.")
        return np.asarray(keep)

    def _count_dtype(self) -> Any:
        """The type in which the core writes counts: the asked one, if it can."""
        return self.dtype if self.dtype in (np.int64, np.float32, np.float64) else np.int64

    def _matrix(self, rows: tuple[Any, Any, NDArray[Any]], n_features: int) -> Any:
        from scipy.sparse import csr_matrix

        indptr, indices, values = rows
        if self.binary:
            values.fill(1)
        if indptr[-1] <= np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)
        matrix = csr_matrix(
            (values.astype(self.dtype, copy=False), indices, indptr),
            shape=(len(indptr) - 1, n_features),
        )
        matrix.has_canonical_format = True
        return matrix

    def _given_names(self) -> list[str]:
        given = self.vocabulary
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
        columns = set(given.values())
        if len(columns) != len(given):
            raise InputError("Vocabulary contains repeated indices.")
        for column in range(len(given)):
            if column not in columns:
                raise InputError(f"Vocabulary of size {len(given)} doesn't contain index {column}.")
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
        self._held_names = None
        self._columns = None

    def _names(self) -> list[str]:
        if self._held_names is None:
            self._held_names = self._vocabulary.names()
        return self._held_names


# The steps of an analyzer are functions with names, so that it can be pickled.


def _analyze(steps: list[Callable[..., Any]], document: Any) -> Any:
    for step in steps:
        document = step(document)
    return document


def _preprocess(text: str, lowercase: bool, strip: Callable[[str], str] | None) -> str:
    if lowercase:
        text = text.lower()
    return text if strip is None else strip(text)


def _without(stop_words: frozenset[str], words: list[str]) -> list[str]:
    return [word for word in words if word not in stop_words]


def _with_single_blanks(text: str) -> str:
    return re.sub(r"\s\s+", " ", text)
