"""Lexica: words with scores, their files, and the features that they give to a text.

Each line of a lexicon file has a word and its score, separated by a tab, a comma or blanks;
entries of several words need the tab. Empty lines and lines that begin with # are ignored. A word
that itself begins with # is written with a backslash before it, and so is a word that begins with
a backslash followed by # or another backslash. Files are in UTF-8.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import EstimatorTags, TextTransformer
from wordplane.common.files import no_such_file, whole_file
from wordplane.common.parameters import refuse_string
from wordplane.common.set_output import FrameOutput
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, TextsLike
from wordplane.text.analyzer import Analyzer
from wordplane.text.texts import as_texts, batches


class LexiconSummary(NamedTuple):
    """What a lexicon says about one text; all values are 0 if no entry occurs in it.

    max, min, mean  of the scores of all occurrences of entries
    sum_positive    the sum of the scores above 0
    sum_negative    the sum of the scores below 0, so itself 0 or below
    n_positive      the number of occurrences with a score above 0
    n_negative      the number of occurrences with a score below 0
    """

    max: float = 0.0
    min: float = 0.0
    mean: float = 0.0
    sum_positive: float = 0.0
    sum_negative: float = 0.0
    n_positive: float = 0.0
    n_negative: float = 0.0


class Lexicon(Mapping[str, float]):
    """Words with scores; an entry may be several words separated by single blanks.

    >>> lexicon = Lexicon({"good": 1, "bad": -1, "not bad": 0.5})
    >>> lexicon.matches("not bad , really good".split())
    [0.5, 1.0]
    >>> lexicon.summary("not bad , really good".split()).mean
    0.75
    """

    def __init__(self, scores: Mapping[str, float]) -> None:
        self._scores: dict[str, float] = {}
        for word, score in scores.items():
            if not isinstance(word, str) or not word or word != _join_words(word):
                raise InputError(
                    f"the lexicon has the entry {word!r}, expected words separated by single blanks"
                )
            self._scores[word] = _finite(score, f"the score of {word!r}")
        lengths = {word.count(" ") + 1 for word in self._scores}
        self._lengths = sorted(lengths, reverse=True)

    def __getitem__(self, word: str) -> float:
        return self._scores[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        first = ", ".join(f"{word!r}: {score}" for word, score in list(self.items())[:3])
        return f"Lexicon({{{first}{', ...' if len(self) > 3 else ''}}})"

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Read a lexicon from a file."""
        scores: dict[str, float] = {}
        first_line: dict[str, int] = {}
        for number, line in enumerate(_read_lines(path), start=1):
            if not line.strip() or line.startswith("#"):
                continue
            place = f"{path}, line {number}"
            word, score = _parse_entry(line, place)
            if scores.setdefault(word, score) != score:
                raise InputError(
                    f"{place}: {word!r} has the score {score}, but {scores[word]} in line "
                    f"{first_line[word]}; keep one of them"
                )
            first_line.setdefault(word, number)
        return cls(scores)

    def write(self, path: str | PathLike[str], comment: str = "") -> None:
        """Write the lexicon to a file for `read`, with the comment at its beginning."""
        lines = [f"# {line}\n" for line in comment.splitlines()]
        lines += [f"{_escape(word)}\t{score!r}\n" for word, score in self.items()]
        try:
            content = "".join(lines).encode()
        except UnicodeEncodeError as error:
            raise InputError(f"{path}: a word has half of a surrogate pair: {error}") from None
        with whole_file(path) as draft:
            draft.write_bytes(content)

    def matches(self, tokens: Sequence[str]) -> list[float]:
        """The scores of the entries that occur, from left to right.

        At each token the longest entry matches, and the next match may begin after its end: in
        "not bad", the entry "not bad" hides "bad".
        """
        refuse_string("`tokens`", tokens, "words")
        matched, i = [], 0
        while i < len(tokens):
            for n in self._lengths:
                run = tokens[i : i + n]
                score = self._scores.get(" ".join(run)) if len(run) == n else None
                if score is not None:
                    matched.append(score)
                    i += n
                    break
            else:
                i += 1
        return matched

    def summary(self, tokens: Sequence[str]) -> LexiconSummary:
        """The lexicon features of a text, given its tokens."""
        scores = self.matches(tokens)
        if not scores:
            return LexiconSummary()
        positive = [score for score in scores if score > 0]
        negative = [score for score in scores if score < 0]
        return LexiconSummary(
            max=max(scores),
            min=min(scores),
            mean=sum(scores) / len(scores),
            sum_positive=sum(positive),
            sum_negative=sum(negative),
            n_positive=float(len(positive)),
            n_negative=float(len(negative)),
        )


class LexiconFeatures(FrameOutput, TextTransformer):
    """Turns texts into a small dense matrix of lexicon features.

    Words are looked up as the analyzer returns them: if it folds case, an entry with a capital
    letter never matches. The features are those of `LexiconSummary`.

    Parameters
    ----------
    lexicon : Lexicon or mapping
        The words and their scores.
    analyzer : Analyzer, default None
        How texts become tokens; None stands for `Analyzer()`.

    Examples
    --------
    >>> features = LexiconFeatures(Lexicon({"good": 2, "fun": 1, "dull": -1}))
    >>> features.fit_transform(["Good fun, if a bit dull", "no such word"])
    array([[ 2.        , -1.        ,  0.66666667,  3.        , -1.        , 2.  , 1. ],
           [ 0.        ,  0.        ,  0.        ,  0.        ,  0.        , 0.  , 0. ]])
    >>> features.get_feature_names_out()[3]
    'lexicon:sum_positive'
    """

    def __init__(self, lexicon: Mapping[str, float], analyzer: Analyzer | None = None) -> None:
        self.lexicon = lexicon
        self.analyzer = analyzer

    def fit(self, texts: TextsLike, y: object = None) -> Self:
        """Check the texts and the lexicon; there is nothing to learn."""
        as_texts(texts)
        self._lexicon()
        return self

    def transform(self, texts: TextsLike) -> FloatArray:
        """One row of lexicon features per text."""
        analyzer = Analyzer() if self.analyzer is None else self.analyzer
        lexicon = native_lexicon(self._lexicon())
        plain = analyzer.resolve().tokens.plain_analysis()
        return lexicon_matrix(plain, lexicon, as_texts(texts), thread_count(None))

    def fit_transform(self, texts: TextsLike, y: object = None) -> FloatArray:
        """One row of lexicon features per text."""
        return self.fit(texts).transform(texts)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """lexicon:max, lexicon:min and so on."""
        return np.array([f"lexicon:{name}" for name in LexiconSummary._fields], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> EstimatorTags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def _lexicon(self) -> Lexicon:
        if not isinstance(self.lexicon, Mapping):
            raise InputError(f"lexicon is {self.lexicon!r}, expected a Lexicon or a mapping")
        return self.lexicon if isinstance(self.lexicon, Lexicon) else Lexicon(self.lexicon)


NativeLexicon = tuple[_core.Vocabulary, FloatArray]


def native_lexicon(entries: Mapping[str, float]) -> NativeLexicon:
    """The entries and their scores, for the core."""
    return _core.Vocabulary.from_names(list(entries)), np.array(list(entries.values()), float)


def lexicon_matrix(
    analysis: _core.Analysis, lexicon: NativeLexicon, texts: _core.Texts, threads: int
) -> FloatArray:
    """One row per text, with the features of `LexiconSummary`."""
    parts = [
        _core.lexicon_features(analysis, *lexicon, texts, begin, end, threads)
        for begin, end in batches(texts, "looking up a lexicon")
    ]
    return np.concatenate([np.zeros((0, len(LexiconSummary._fields))), *parts])


def _read_lines(path: str | PathLike[str]) -> list[str]:
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(no_such_file(path)) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        # Only \n ends a line; str.splitlines would also split at characters that words may contain.
        return content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}, line {line}: byte 0x{content[error.start]:02x} is not UTF-8; save the "
            "lexicon as a text file in UTF-8"
        ) from None


def _parse_entry(line: str, place: str) -> tuple[str, float]:
    if "\t" in line:
        fields = [_join_words(field) for field in line.split("\t")]
    elif "," in line:
        fields = [field.strip() for field in line.split(",")]
    else:
        fields = line.split()
    needs_tab = "\t" not in line and any(field != "".join(field.split()) for field in fields)
    if len(fields) != 2 or not fields[0] or needs_tab:
        raise InputError(
            f"{place}: found {line.strip()!r}, expected a word and a score, separated by a tab, a "
            "comma or blanks (by a tab if the entry has several words or a comma)"
        )
    return _unescape(fields[0]), _finite(fields[1], f"{place}: the score")


def _finite(value: float | str, what: str) -> float:
    try:
        # float() accepts 1_000, which no other program writes.
        score = float("" if isinstance(value, str) and "_" in value else value)
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"{what} is {value!r}, expected a finite number")
    return score


def _join_words(text: str) -> str:
    return " ".join(text.split())


def _escape(word: str) -> str:
    return "\\" + word if word.startswith(("#", "\\#", "\\\\")) else word


def _unescape(word: str) -> str:
    return word[1:] if word.startswith(("\\#", "\\\\")) else word
