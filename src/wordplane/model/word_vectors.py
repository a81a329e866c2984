"""Word vectors that the recipe is stacked with, learned from texts or read from a file.

All vectors have length 1. A text is the mean of those of its words, each weighted by

    log((n + 1) / (df + 1/2))

where df of the n texts at hand have the word.

Two readings of vectors that are learned are tried: singular vectors times the roots of their
singular values, and times the values themselves, which has less noise where the texts are few or
short. And two of the vectors of a file: as they are, and without what most of them have in
common, which mostly says how frequent a word is: their mean, and the directions in which they vary
most.

Vectors that are no good are known without labels: neither words of the same text nor words that
begin alike, such as "free" and "freely", are more alike than they would be if the vectors were
shuffled among the words (`coherence`).

Reference: Mu and Viswanath (2018), All-but-the-top, ICLR.
"""

import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.features.embeddings import WordEmbeddings
from wordplane.features.pretrained.read import read_word_vectors
from wordplane.features.pretrained.vectors import Rows, WordVectors
from wordplane.text.analyzer import Analyzer

PretrainedLike: TypeAlias = str | PathLike[str] | WordVectors

MIN_COUNT, MAX_WORDS = 2, 30_000  # of vectors that are learned
MAX_PRETRAINED = 50_000  # of vectors from a file
N_COMMON = 3  # directions
MAX_NUMBERS = 4_000_000  # that a model keeps of them: one per word and class
FEWEST_WORDS = 50  # different ones that can tell
SAMPLE_WORDS, N_ALIKE = 10_000, 4  # words that are compared, and how many letters are the same
SAMPLE, SHUFFLES = 300, 20  # texts that coherence is measured on, and how often
MIN_COHERENCE = 3.0  # standard deviations above that of shuffled vectors


class PoolVectors(NamedTuple):
    """Word vectors that were learned from texts without labels, and from how many: for those who
    fit often."""

    embeddings: WordEmbeddings
    n_texts: int


def learned_vectors(
    texts: _core.Texts, analyzer: Analyzer, threads: int, random_state: int
) -> list[WordEmbeddings]:
    """Vectors of the most frequent words of texts, which are read as the analyzer reads them."""
    embeddings = _reader(
        analyzer, threads, min_count=MIN_COUNT, max_words=MAX_WORDS, random_state=random_state
    )
    embeddings.fit(texts)
    even = embeddings.vectors_  # singular vectors times the roots of their singular values
    steep = even * np.linalg.norm(even, axis=0)  # times the values themselves
    return [embeddings.with_vectors(_of_length_1(one)) for one in (even, steep)]


def pretrained_vectors(
    given: PretrainedLike, texts: _core.Texts, analyzer: Analyzer, threads: int, n_classes: int
) -> list[WordEmbeddings]:
    """Vectors from a file: of the words of the texts, and then of the words that the file begins
    with, as many as a model may keep."""
    source = given if isinstance(given, WordVectors) else read_word_vectors(given)
    n_most = max(min(MAX_PRETRAINED, MAX_NUMBERS // max(n_classes, 1)), 1)
    reader = _reader(analyzer, threads, min_count=1, max_words=n_most)
    in_texts, df = reader.frequent_words(texts)
    forms = _forms(source.words, lowercase=analyzer.lowercase)
    wanted = dict.fromkeys([*in_texts, *forms][: n_most + len(in_texts)])
    spelled = {forms.get(word, word): word for word in wanted}
    found, vectors = source.lookup(spelled)
    words = [spelled[form] for form in found][:n_most]
    if not set(words) & set(in_texts):
        raise InputError(
            f"{name_of(given)}: none of the words of the texts has a vector; are "
            "they of another language?"
        )
    frequency = dict(zip(in_texts, df.tolist(), strict=True))
    known_df = np.array([frequency.get(word, 0) for word in words])
    idf = np.log((len(texts) + 1) / (known_df + 0.5))
    plain = reader.with_words(words, _of_length_1(vectors[:n_most]), np.maximum(idf, 0.0))
    return [plain, plain.with_vectors(_without_common(plain.vectors_))]


def name_of(given: PretrainedLike) -> str:
    """The name of the file, without its folder."""
    return Path(given).name if isinstance(given, str | PathLike) else "vectors given in Python"


def coherence(embeddings: WordEmbeddings, texts: _core.Texts, threads: int) -> float:
    """How much more alike words of the same text, or words that begin alike, are than if vectors
    were shuffled among words: in standard deviations of what that gives, the larger of both;
    infinite where there are too few words to tell."""
    sample = texts.take(np.linspace(0, len(texts) - 1, min(len(texts), SAMPLE)).astype(np.int64))
    shares = embeddings.shares(sample, threads)
    used = np.unique(shares.indices)
    if len(used) < FEWEST_WORDS:
        return math.inf
    shares, vectors = shares[:, used], embeddings.vectors_[used].astype(np.float64)
    in_texts = _above_chance(vectors, lambda rows: float(((shares @ rows) ** 2).sum()))
    words = embeddings.words_[:SAMPLE_WORDS].tolist()
    order = sorted(range(len(words)), key=words.__getitem__)
    alike = np.array(
        [
            (i, j)
            for i, j in pairwise(order)
            if words[i][:N_ALIKE] == words[j][:N_ALIKE] and len(words[i]) > N_ALIKE
        ],
        np.int64,
    ).reshape(-1, 2)
    if len(alike) < FEWEST_WORDS:
        return in_texts
    first, second = alike.T
    by_form = _above_chance(
        embeddings.vectors_[: len(words)],
        lambda rows: float(np.einsum("ij,ij->", rows[first], rows[second])),
    )
    return max(in_texts, by_form)


def _above_chance(
    vectors: NDArray[np.floating], likeness: Callable[[NDArray[np.floating]], float]
) -> float:
    rng = np.random.default_rng(0)
    dealt = [likeness(rng.permutation(vectors)) for _ in range(SHUFFLES)]
    spread = float(np.std(dealt))
    return (likeness(vectors) - float(np.mean(dealt))) / spread if spread > 0 else 0.0


def _reader(analyzer: Analyzer, threads: int, **parameters: object) -> WordEmbeddings:
    reader = WordEmbeddings(
        weights="idf", tokens=analyzer.tokens, lowercase=analyzer.lowercase, n_jobs=threads
    )
    return reader.set_params(**parameters)


def _forms(words: Iterable[str], *, lowercase: bool) -> dict[str, str]:
    """How the file spells each word: itself, or else the first that differs by case alone."""
    if not lowercase:
        return {word: word for word in words}
    forms: dict[str, str] = {}
    for word in words:
        low = word.lower()
        if low not in forms or low == word:
            forms[low] = word
    return forms


def _without_common(vectors: Rows) -> Rows:
    own = vectors.astype(np.float64) - vectors.mean(axis=0)
    common = np.linalg.eigh(own.T @ own)[1][:, ::-1][:, :N_COMMON]
    return _of_length_1((own - own @ common @ common.T).astype(np.float32))


def _of_length_1(vectors: Rows) -> Rows:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0), np.float32)
