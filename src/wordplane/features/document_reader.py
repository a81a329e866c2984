"""How documents become features: the parameters and steps that scikit-learn's vectorizers share.

The core finds words by the default token pattern, and characters. Anything else that scikit-learn
allows (another pattern, a callable) takes the slower way: Python splits the texts into features.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import TextTransformer
from wordplane.common.matrix import scipy_csr
from wordplane.common.types import CsrMatrix
from wordplane.text.accents import ACCENT_STRIPPERS
from wordplane.text.texts import as_texts, columns_of

DEFAULT_PATTERN = r"(?u)\b\w\w+\b"
NATIVE_TOKENS = {"word": "pattern", "char": "chars", "char_wb": "whitespace"}

Analyze = Callable[..., Iterable[str]]  # what a document is depends on `input`


class OpenFile(Protocol):
    """A document for input="file"."""

    def read(self) -> str | bytes: ...


class DocumentReader(TextTransformer):
    """Turns documents into features; the base of the vectorizers."""

    input: str
    encoding: str
    decode_error: str
    strip_accents: str | Callable[[str], str] | None
    lowercase: bool
    preprocessor: Callable[[str], str] | None
    tokenizer: Callable[[str], list[str]] | None
    stop_words: str | Iterable[str] | None
    token_pattern: str | None
    ngram_range: tuple[int, int]
    analyzer: str | Analyze

    _warned_of: frozenset[str] | None = None

    # Features of one document; scikit-learn gives the steps these names.

    def decode(self, doc: object) -> str:
        """The text of a document: read from a file and decoded if necessary."""
        if self.input == "filename":
            doc = Path(cast(str, doc)).read_bytes()
        elif self.input == "file":
            doc = cast(OpenFile, doc).read()
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
        """The function that splits a text into tokens."""
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

    def build_analyzer(self) -> Analyze:
        """The function from a document to its features."""
        if callable(self.analyzer):
            steps: list[Callable[..., object]]
            steps = [self.analyzer] if self.input == "content" else [self.decode, self.analyzer]
            return partial(_analyze, steps)
        min_n, max_n = self.ngram_range
        steps = [self.decode, self.build_preprocessor()]
        if self.analyzer == "word":
            steps.append(self.build_tokenizer())
            stop_words = self.get_stop_words()
            if stop_words is not None:
                self._warn_of_odd_stop_words(stop_words)
                steps.append(partial(_remove_words, stop_words))
            steps.append(partial(word_ngrams, min_n=min_n, max_n=max_n))
        else:
            ngrams = char_ngrams if self.analyzer == "char" else char_wb_ngrams
            steps += [_join_blanks, partial(ngrams, min_n=min_n, max_n=max_n)]
        return partial(_analyze, [*steps, list])

    # Features of all documents

    def _check_reading(self) -> None:
        min_n, max_n = self.ngram_range
        if min_n > max_n:
            raise InputError(
                f"Invalid value for ngram_range={self.ngram_range} lower boundary larger than the "
                "upper boundary."
            )
        if min_n < 1:
            raise InputError(f"ngram_range is {self.ngram_range}, expected numbers of 1 or more")
        if self.input not in ("content", "file", "filename"):
            raise InputError(f"input is {self.input!r}, expected content, file or filename")
        if not callable(self.analyzer) and self.analyzer not in ("word", "char", "char_wb"):
            raise InputError(
                f"{self.analyzer!r} is not a valid analyzer, expected word, char, char_wb or a "
                "function"
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
        """Warn once of stop words that never match, since reading splits or folds them."""
        if self._warned_of == stop_words or self.preprocessor or self.tokenizer:
            return
        self._warned_of = stop_words
        tokenize, preprocess = self.build_tokenizer(), self.build_preprocessor()
        tokens = {token for word in stop_words for token in tokenize(preprocess(word))}
        if odd := sorted(tokens - stop_words):
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
            tokens=NATIVE_TOKENS[str(self.analyzer)],
            folding=_core.Folding(lowercase=self.lowercase and not self._folds_in_python()),
            ngrams=(min_n, max_n),
            stop_words=sorted(stop_words or ()),
        )

    def _folds_in_python(self) -> bool:
        return self.preprocessor is not None or self.strip_accents is not None

    def _texts(self, documents: Iterable[object]) -> Iterator[_core.Texts]:
        if self.input != "content" or self._folds_in_python():
            fold = self.build_preprocessor() if self._folds_in_python() else str
            documents = (fold(self.decode(document)) for document in documents)
        return columns_of(
            documents, partial(as_texts, encoding=self.encoding, decode_error=self.decode_error)
        )


def canonical_matrix(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.number],
    n_features: int,
) -> CsrMatrix:
    """A SciPy matrix with the index types of scikit-learn's; the features of each row ascend."""
    small = indptr[-1] <= np.iinfo(np.int32).max
    matrix = scipy_csr(
        (values, indices, indptr.astype(np.int32) if small else indptr),
        shape=(len(indptr) - 1, n_features),
    )
    matrix.has_canonical_format = True
    return matrix


# The steps of an analyzer are named functions, so that it can be pickled.


def _analyze(steps: list[Callable[..., object]], document: object) -> Iterable[str]:
    for step in steps:
        document = step(document)
    return cast(Iterable[str], document)


def _preprocess(text: str, lowercase: bool, strip: Callable[[str], str] | None) -> str:
    if lowercase:
        text = text.lower()
    return text if strip is None else strip(text)


def _remove_words(stop_words: frozenset[str], words: list[str]) -> list[str]:
    return [word for word in words if word not in stop_words]


def _join_blanks(text: str) -> str:
    return re.sub(r"\s\s+", " ", text)


def word_ngrams(words: list[str], min_n: int, max_n: int) -> Iterator[str]:
    """Runs of words, joined by spaces.

    >>> list(word_ngrams(["to", "be", "or"], 1, 2))
    ['to', 'be', 'or', 'to be', 'be or']
    """
    for n in range(min_n, max_n + 1):
        for i in range(len(words) - n + 1):
            yield " ".join(words[i : i + n])


def char_ngrams(text: str, min_n: int, max_n: int) -> Iterator[str]:
    """Runs of characters.

    >>> list(char_ngrams("abc", 2, 3))
    ['ab', 'bc', 'abc']
    """
    for n in range(min_n, max_n + 1):
        for i in range(len(text) - n + 1):
            yield text[i : i + n]


def char_wb_ngrams(text: str, min_n: int, max_n: int) -> Iterator[str]:
    """Runs of characters inside words; a space marks each end. A word shorter than n counts once.

    >>> list(char_wb_ngrams("ab c", 3, 4))
    [' ab', 'ab ', ' ab ', ' c ']
    """
    for word in text.split():
        padded = f" {word} "
        for n in range(min_n, max_n + 1):
            yield padded[:n]
            for i in range(1, len(padded) - n + 1):
                yield padded[i : i + n]
            if len(padded) <= n:
                break
