"""The native core; see native/bindings.cpp."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

unicode_version: str

def lower(text: str) -> str: ...

class Texts:
    def __init__(self, source: Any) -> None: ...
    @staticmethod
    def from_lines(data: bytes) -> Texts: ...
    @staticmethod
    def join(parts: list[Texts]) -> Texts: ...
    def blank(self) -> list[int]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def batch_end(self, begin: int, bytes: int) -> int: ...
    def take(self, rows: NDArray[np.int64]) -> Texts: ...

class Analysis:
    def __init__(
        self,
        *,
        tokens: str,
        lowercase: bool,
        boundaries: bool,
        min_n: int,
        max_n: int,
        stop_words: list[str],
        negations: list[str] = ...,
    ) -> None: ...

class TokenFeatures:
    def __init__(
        self,
        *,
        lowercase: bool,
        chars: tuple[int, int],
        prefixes: list[int],
        suffixes: list[int],
        shapes: bool,
        lengths: bool,
        known_words: list[str],
        triggers: list[tuple[str, list[str]]],
    ) -> None: ...

def tokenize(analysis: Analysis, text: str) -> list[tuple[str, int, int]]: ...

class Vocabulary:
    def __init__(
        self,
        word_bytes: NDArray[np.uint8],
        word_ends: NDArray[np.int64],
        ngram_firsts: NDArray[np.uint32],
        ngram_lasts: NDArray[np.uint32],
        columns: NDArray[np.int32],
        parts: str = "words",
    ) -> None: ...
    @staticmethod
    def from_names(names: list[str], parts: str = "words") -> Vocabulary: ...
    @property
    def parts(self) -> str: ...
    @property
    def n_features(self) -> int: ...
    def name(self, column: int) -> str: ...
    def names(self) -> list[str]: ...
    def arrays(
        self,
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.int64],
        NDArray[np.uint32],
        NDArray[np.uint32],
        NDArray[np.int32],
    ]: ...

class Counter:
    def __init__(self, analysis: Analysis) -> None: ...
    def add(self, texts: Texts, begin: int, end: int, threads: int) -> None: ...
    def finish(self, order: str, threads: int) -> None: ...
    @property
    def n_docs(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_selected(self) -> int: ...
    def document_frequency(self, threads: int) -> NDArray[np.int64]: ...
    def term_frequency(self, threads: int) -> NDArray[np.int64]: ...
    def select(self, keep: NDArray[np.bool_], threads: int) -> None: ...
    def indptr(self) -> NDArray[np.int64]: ...
    def fill(self, indices: NDArray[np.int32], values: NDArray[Any], threads: int) -> None: ...
    def vocabulary(self, threads: int = 1) -> Vocabulary: ...

class Block:
    def __init__(self, features: Analysis | TokenFeatures, vocabulary: Vocabulary) -> None: ...
    @property
    def vocabulary(self) -> Vocabulary: ...

def count_tokens(
    analysis: Analysis, texts: Texts, begin: int, end: int, threads: int
) -> NDArray[np.float64]: ...
def count_features(
    block: Block, texts: Texts, begin: int, end: int, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]: ...

_PairCounts = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]

def count_in_windows(
    analysis: Analysis,
    words: Vocabulary,
    texts: Texts,
    begin: int,
    end: int,
    window: int,
    threads: int,
) -> _PairCounts: ...
def count_in_sentences(
    analysis: Analysis, words: Vocabulary, texts: Texts, begin: int, end: int, threads: int
) -> _PairCounts: ...
def count_in_documents(
    analysis: Analysis, words: Vocabulary, texts: Texts, begin: int, end: int, threads: int
) -> _PairCounts: ...
def find_duplicates(
    texts: Texts, threshold: float, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...

class TokenFeatureCounter:
    def __init__(self, features: TokenFeatures) -> None: ...
    def add(self, texts: Texts, begin: int, end: int, threads: int) -> None: ...
    def finish(self) -> None: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_selected(self) -> int: ...
    def document_frequency(self, threads: int) -> NDArray[np.int64]: ...
    def select(self, keep: NDArray[np.bool_], threads: int) -> None: ...
    def indptr(self) -> NDArray[np.int64]: ...
    def fill(
        self, indices: NDArray[np.int32], values: NDArray[np.float32], threads: int
    ) -> None: ...
    def vocabulary(self, threads: int = 1) -> Vocabulary: ...

def lexicon_features(
    analysis: Analysis,
    entries: Vocabulary,
    scores: NDArray[np.float64],
    texts: Texts,
    begin: int,
    end: int,
    threads: int,
) -> NDArray[np.float64]: ...
def lexicon_matches(
    analysis: Analysis, entries: Vocabulary, text: str
) -> list[tuple[int, int, int]]: ...

_Lists = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]

def inner_ngrams(words: Counter, min_n: int, max_n: int) -> tuple[list[str], _Lists]: ...
def known_inner_ngrams(words: Counter, min_n: int, max_n: int, known: Vocabulary) -> _Lists: ...

class InnerCounts:
    def __init__(
        self,
        doc_indptr: NDArray[np.int64],
        doc_words: NDArray[np.int32],
        doc_counts: NDArray[np.int64],
        list_indptr: NDArray[np.int64],
        list_ngrams: NDArray[np.int32],
        list_columns: NDArray[np.int32],
        threads: int,
    ) -> None: ...
    def indptr(self) -> NDArray[np.int64]: ...
    def document_frequency(self, threads: int) -> NDArray[np.int64]: ...
    def fill(self, indices: NDArray[np.int32], values: NDArray[Any], threads: int) -> None: ...

def row_pointers(sizes: NDArray[np.uint32]) -> NDArray[np.int64]: ...

class Csr:
    def __init__(
        self,
        n_cols: int,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        values: NDArray[Any],
        *,
        threads: int = 1,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def n_values(self) -> int: ...
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]: ...
    @property
    def has_negative(self) -> bool: ...

def add_class_counts(
    X: Csr,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    counts: NDArray[np.float64],
    threads: int,
    *,
    power: int = 1,
) -> None: ...
def linear_scores(
    X: Csr, W: NDArray[np.float64], b: NDArray[np.float64], threads: int
) -> NDArray[np.float64]: ...

class GroupWeights:
    def __init__(
        self,
        *,
        tf: str,
        norm: str | None,
        idf: NDArray[np.float64] | None,
        starts: list[int],
        weights: list[float],
        tokens: Analysis | None,
    ) -> None: ...
    def weigh(
        self,
        indptr: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: NDArray[np.float32],
        lengths: NDArray[np.float64] | None,
        threads: int,
    ) -> None: ...

def hstack(
    parts: list[Csr], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...

_SvmResults = list[tuple[float, float, int, bool]]  # primal, dual, passes, done

class DualSvm:
    def __init__(
        self,
        X: Csr,
        y: NDArray[np.int32],
        C: NDArray[np.float64],
        margin: NDArray[np.float64],
        *,
        n_outputs: int,
        squared: bool,
        bias: float,
        scale: NDArray[np.float64] | None,
        threads: int,
    ) -> None: ...
    def run(self, orders: NDArray[np.int32], tol: float, threads: int) -> None: ...
    @property
    def done(self) -> bool: ...
    def results(self, threads: int) -> _SvmResults: ...
    def weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class CrammerSinger:
    def __init__(
        self,
        X: Csr,
        y: NDArray[np.int32],
        C: NDArray[np.float64],
        *,
        cost: NDArray[np.float64],
        bias: float,
        threads: int,
    ) -> None: ...
    def run(self, orders: NDArray[np.int32], tol: float, threads: int) -> None: ...
    @property
    def done(self) -> bool: ...
    def results(self, threads: int) -> _SvmResults: ...
    def weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class L1Svm:
    def __init__(
        self,
        X: Csr,
        y: NDArray[np.int32],
        C: NDArray[np.float64],
        *,
        n_outputs: int,
        bias: float,
    ) -> None: ...
    @property
    def n_features(self) -> int: ...
    def run(self, orders: NDArray[np.int32], tol: float, threads: int) -> None: ...
    @property
    def done(self) -> bool: ...
    def results(self, threads: int) -> _SvmResults: ...
    def weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def take(
    X: Csr, rows: NDArray[np.int64], column_of: NDArray[np.int32], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...

class HeldOutCounts:
    def __init__(
        self,
        X: Csr,
        y: NDArray[np.int32],
        weight: NDArray[np.float64],
        n_classes: int,
        threads: int,
    ) -> None: ...
    def scores(
        self,
        fold_ends: NDArray[np.int64],
        rows: NDArray[np.int32],
        alphas: NDArray[np.float64],
        scale: NDArray[np.float64],
        log_prior: NDArray[np.float64],
        threads: int,
    ) -> NDArray[np.float64]: ...

def judge(
    scores: NDArray[np.float64], y: NDArray[np.int32], threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def middles(X: Csr) -> NDArray[np.int64]: ...
def perceptron_pass(
    X: Csr,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    middle: NDArray[np.int64],
    order: NDArray[np.int32],
    bias: float,
    n_classes: int,
    step: int,
    w: NDArray[np.float64],
    u: NDArray[np.float64] | None,
    threads: int,
) -> int: ...
def mira_pass(
    X: Csr,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    middle: NDArray[np.int64],
    order: NDArray[np.int32],
    bias: float,
    cost: NDArray[np.float64],
    cost_augmented: bool,
    most: float,
    slack: float,
    step: int,
    w: NDArray[np.float64],
    u: NDArray[np.float64] | None,
    threads: int,
) -> int: ...
def online_svm_pass(
    X: Csr,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    order: NDArray[np.int32],
    eta: NDArray[np.float64],
    lambda_: float,
    bias: float,
    cost: NDArray[np.float64],
    radius: float,
    w: NDArray[np.float64],
    sum: NDArray[np.float64] | None,
) -> int: ...

class Scorer:
    def __init__(
        self,
        blocks: list[Block],
        weighting: GroupWeights,
        *,
        W: NDArray[np.float32],
        b: NDArray[np.float64],
    ) -> None: ...
    def scores(self, texts: Texts, begin: int, out: NDArray[np.float64], threads: int) -> None: ...
    def contributions(
        self, texts: Texts, row: int, direction: NDArray[np.float64]
    ) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...

def power_softmax(
    Z: NDArray[np.float64], power: float, temperature: float
) -> NDArray[np.float64]: ...
def sigmoids(
    Z: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def document_frequency(
    X: Csr, y: NDArray[np.int32], n_classes: int, threads: int
) -> NDArray[np.int64]: ...
def weigh(
    X: Csr,
    *,
    tf: str,
    lengths: NDArray[np.float64] | None,
    idf: NDArray[np.float64] | None,
    norm: str | None,
    out: NDArray[Any],
    threads: int,
) -> None: ...
def hashed_columns(features: Iterable[str | bytes], n_features: int) -> NDArray[np.int64]: ...

class HashedRows:
    def __init__(self, n_features: int, alternate_sign: bool) -> None: ...
    def add(self, analysis: Analysis, texts: Texts, begin: int, end: int, threads: int) -> None: ...
    def add_features(self, features: Iterable[str | bytes]) -> None: ...
    def indptr(self) -> NDArray[np.int64]: ...
    def fill(
        self,
        *,
        binary: bool,
        norm: str | None,
        indices: NDArray[np.int32],
        values: NDArray[Any],
        threads: int,
    ) -> None: ...

def linear_gradient(
    X: Csr, R: NDArray[np.float64], G: NDArray[np.float64], threads: int
) -> None: ...
def squared_norms(X: Csr, threads: int) -> NDArray[np.float64]: ...
def binary_dual_pass(
    X: Csr,
    y: NDArray[np.int32],
    order: NDArray[np.int32],
    C: NDArray[np.float64],
    q: NDArray[np.float64],
    bias: float,
    A: NDArray[np.float64],
    W: NDArray[np.float64],
    b: NDArray[np.float64],
    loss_and_gap: NDArray[np.float64],
    threads: int,
) -> None: ...
def softmax_dual_pass(
    X: Csr,
    y: NDArray[np.int32],
    order: NDArray[np.int32],
    C: NDArray[np.float64],
    q: NDArray[np.float64],
    bias: float,
    A: NDArray[np.float64],
    W: NDArray[np.float64],
    b: NDArray[np.float64],
    loss_and_gap: NDArray[np.float64],
    threads: int,
) -> None: ...
def sgd_pass(
    X: Csr,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    order: NDArray[np.int32],
    batch_size: int,
    eta: NDArray[np.float64],
    P: NDArray[np.float64],
    S: NDArray[np.float64],
    *,
    softmax: bool,
    bias: bool,
    penalized_bias: bool,
    W: NDArray[np.float64],
    b: NDArray[np.float64],
) -> float: ...
def adagrad_pass(
    X: Csr,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    order: NDArray[np.int32],
    batch_size: int,
    eta: float,
    eps: float,
    l1: float,
    l2: float,
    G: NDArray[np.float64],
    G_bias: NDArray[np.float64],
    *,
    softmax: bool,
    bias: bool,
    penalized_bias: bool,
    W: NDArray[np.float64],
    b: NDArray[np.float64],
) -> float: ...

class NeighborIndex:
    def __init__(
        self, X: Csr, offset: NDArray[np.float64], weight: NDArray[np.float64] | None
    ) -> None: ...
    def search(
        self, Q: Csr, begin: int, end: int, k: int, threads: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
