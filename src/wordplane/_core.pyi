from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray

# Made from native/bindings*.cpp by `make stubs`: edit those.

unicode_version: str

def lower(text: str) -> str:
    """str.lower() as the core computes it."""

class Texts:
    """
    A column of documents, held as UTF-8: from a list of strings or an Arrow column of strings. Indexing gives Python strings.
    """

    def __init__(self, source: object) -> None:
        """source: a list or tuple of strings, an Arrow column, or other Texts."""

    @staticmethod
    def from_lines(data: bytes) -> Texts:
        """One document per line of UTF-8."""

    @staticmethod
    def join(parts: Sequence[Texts]) -> Texts:
        """The documents of all parts, one after another."""

    @staticmethod
    def from_arrays(bytes: NDArray[numpy.uint8], ends: NDArray[numpy.int64]) -> Texts:
        """Documents of UTF-8 that end so within the bytes."""

    def arrays(self, begin: int, end: int) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64]]:
        """The bytes of documents begin .. end-1, and their ends."""

    def blank(self) -> list[int]:
        """Which documents are empty or white space."""

    def __len__(self) -> int: ...
    def __getitem__(self, arg: int, /) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def batch_end(self, begin: int, bytes: int) -> int:
        """
        The end of a run of documents from `begin` that holds about this many bytes.
        """

    def take(self, rows: NDArray[numpy.int64]) -> Texts:
        """The documents at these row numbers, in that order."""

def csv_columns(
    data: bytes, delimiter: str, n_fields: int, columns: Sequence[int], most_rows: int, is_end: bool
) -> tuple[list[Texts], NDArray[numpy.int64], int, int] | None:
    """
    Of the first rows of CSV: the texts of these columns, the number of lines that end before each row, and the numbers of bytes and lines of these rows; None if a row is unusual.
    """

def json_columns(data: bytes, names: Sequence[bytes]) -> list[bytes] | None:
    """
    The JSON of the values of each name in lines of JSON, with commas between them; None if a line is unusual.
    """

class Folding:
    """What is done to a text before its words are compared."""

    def __init__(
        self,
        *,
        lowercase: bool = True,
        accents: bool = False,
        urls: bool = False,
        mentions: bool = False,
        numbers: bool = False,
    ) -> None:
        """
        lowercase: fold case; accents: strip them; urls, mentions, numbers: replace them by <url>, <mention>, <number>.
        """

class Stems:
    """Words, and what each becomes."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        """pairs: words with their stems."""

class Analysis:
    """How a text becomes features."""

    def __init__(
        self,
        *,
        tokens: str = "words",
        folding: Folding = ...,
        boundaries: bool = False,
        ngrams: tuple[int, int] = (1, 1),
        stop_words: Sequence[str] = [],
        negations: Sequence[str] = [],
        stems: Stems | None = None,
    ) -> None:
        """
        tokens: words, spaced, pattern, counts, whitespace, chars or regex:PATTERN; boundaries: put <s> before and </s> after the words; ngrams: the shortest and the longest; negations: words that mark those after them with NOT_; stems: what words become.
        """

class TokenFeatures:
    """Which features of single tokens a text has."""

    def __init__(
        self,
        *,
        spaced: bool,
        folding: Folding,
        chars: tuple[int, int],
        affixes: tuple[Sequence[int], Sequence[int]],
        shapes: bool,
        lengths: bool,
        known_words: Sequence[str],
        triggers: Sequence[tuple[str, Sequence[str]]],
    ) -> None:
        """
        Whether words have spaces between them in every script; how texts are folded; lengths of n-grams of characters (0, 0: none), of prefixes and of suffixes; whether shapes and lengths of words count; words that are known; lists of words by name.
        """

def tokenize(analysis: Analysis, text: str) -> list[tuple[str, int, int]]:
    """The words of a text, each with its first character and its end."""

class Vocabulary:
    """Which words and n-grams are features, and their columns."""

    def __init__(
        self,
        word_bytes: NDArray[numpy.uint8],
        word_ends: NDArray[numpy.int64],
        ngram_firsts: NDArray[numpy.uint32],
        ngram_lasts: NDArray[numpy.uint32],
        columns: NDArray[numpy.int32],
        parts: str = "words",
    ) -> None:
        """
        Words as bytes and their ends; n-grams as pairs of nodes (words, then n-grams); the column of each node, or -1; what a name is made of: words, chars or whole.
        """

    @property
    def n_features(self) -> int: ...
    def name(self, column: int) -> str:
        """The name of a feature."""

    def names(self) -> list[str]:
        """The names of all features, in column order."""

    def arrays(
        self,
    ) -> tuple[
        NDArray[numpy.uint8],
        NDArray[numpy.int64],
        NDArray[numpy.uint32],
        NDArray[numpy.uint32],
        NDArray[numpy.int32],
    ]:
        """What the constructor takes, to be stored."""

    def select(self, keep: NDArray[numpy.bool_]) -> Vocabulary:
        """
        The same with the flagged columns only, which are numbered in their order.
        """

    @staticmethod
    def read(
        word_bytes: NDArray[numpy.uint8],
        word_ends: NDArray[numpy.int64],
        ngram_firsts: NDArray[numpy.uint32],
        ngram_lasts: NDArray[numpy.uint32],
        columns: NDArray[numpy.int32],
        parts: str,
        longest: int,
    ) -> Vocabulary:
        """
        The vocabulary of a model file, with n-grams of at most `longest` words or characters, and names in proportion to the arrays.
        """

    @staticmethod
    def from_names(names: Sequence[str], parts: str = "words") -> Vocabulary:
        """
        The vocabulary with these columns; `parts` says what a name is made of: words joined by single spaces, chars, or one whole.
        """

    @property
    def parts(self) -> str: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class Block:
    """A part of the features: how they are read, and their columns."""

    @overload
    def __init__(self, features: Analysis, vocabulary: Vocabulary) -> None:
        """Words and n-grams."""

    @overload
    def __init__(self, features: TokenFeatures, vocabulary: Vocabulary) -> None:
        """Features of single tokens, by whole names."""

    @overload
    def __init__(self, features: Analysis, n_hashed: int) -> None:
        """Words and n-grams, hashed into so many columns."""

    @overload
    def __init__(self, features: TokenFeatures, n_hashed: int) -> None:
        """Features of single tokens, hashed by their names."""

    @property
    def n_features(self) -> int: ...

def count_features(
    block: Block, texts: Texts, begin: int, end: int, threads: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Documents begin .. end-1 as counts of the block's features: indptr, indices, values.
    """

def count_tokens(
    analysis: Analysis, texts: Texts, begin: int, end: int, threads: int
) -> NDArray[numpy.float64]:
    """How many tokens documents begin .. end-1 have."""

def count_in_windows(
    analysis: Analysis,
    words: Vocabulary,
    texts: Texts,
    begin: int,
    end: int,
    window: int,
    threads: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    How often two words are at most `window` tokens apart in documents begin .. end-1: the upper half of a symmetric matrix, by row.
    """

def count_in_sentences(
    analysis: Analysis, words: Vocabulary, texts: Texts, begin: int, end: int, threads: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """The same for two words of one sentence."""

def count_in_documents(
    analysis: Analysis, words: Vocabulary, texts: Texts, begin: int, end: int, threads: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int64]]:
    """The same for two words of one document."""

class TokenFeatureCounter:
    """Counts features of single tokens and gives them columns."""

    def __init__(self, features: TokenFeatures) -> None:
        """features: which of them are counted."""

    def add(self, texts: Texts, begin: int, end: int, threads: int) -> None:
        """Count the documents begin .. end-1."""

    def finish(self) -> None:
        """End the counting and number the features."""

    @property
    def n_features(self) -> int: ...
    @property
    def n_selected(self) -> int: ...
    def document_frequency(self, threads: int) -> NDArray[numpy.int64]:
        """In how many documents each feature occurs."""

    def select(self, keep: NDArray[numpy.bool_], threads: int) -> None:
        """Keep the flagged features; they take the columns 0, 1, ..."""

    def indptr(self) -> NDArray[numpy.int64]:
        """Row pointers of the matrix of the selected features."""

    def fill(
        self, indices: NDArray[numpy.int32], values: NDArray[numpy.float32], threads: int
    ) -> None:
        """Write the matrix of the selected features."""

    def name(self, column: int) -> str:
        """The name of a selected feature."""

    def vocabulary(self, threads: int = 1) -> Vocabulary:
        """The vocabulary of the selected features."""

def lexicon_features(
    analysis: Analysis,
    entries: Vocabulary,
    scores: NDArray[numpy.float64],
    texts: Texts,
    begin: int,
    end: int,
    threads: int,
) -> NDArray[numpy.float64]:
    """What a lexicon says about documents begin .. end-1."""

def lexicon_matches(
    analysis: Analysis, entries: Vocabulary, text: str
) -> list[tuple[int, int, int]]:
    """Entry, first character and end of every match."""

class Counter:
    """Counts words and n-grams and gives them columns."""

    def __init__(self, analysis: Analysis) -> None:
        """analysis: how texts become words and n-grams."""

    def add(self, texts: Texts, begin: int, end: int, threads: int) -> None:
        """Count the documents begin .. end-1."""

    def finish(self, order: str, threads: int) -> None:
        """End the counting and number the features in this order."""

    @property
    def n_docs(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_selected(self) -> int: ...
    def document_frequency(self, threads: int) -> NDArray[numpy.int64]:
        """In how many documents each feature occurs."""

    def term_frequency(self, threads: int) -> NDArray[numpy.int64]:
        """How often each feature occurs in all documents."""

    def select(self, keep: NDArray[numpy.bool_], threads: int) -> None:
        """
        Keep the flagged features; they take the columns 0, 1, ... Can be done once.
        """

    def indptr(self) -> NDArray[numpy.int64]:
        """Row pointers of the matrix of the selected features."""

    def vocabulary(self, threads: int = 1) -> Vocabulary:
        """The vocabulary of the selected features."""

    @overload
    def fill(
        self, indices: NDArray[numpy.int32], values: NDArray[numpy.int64], threads: int
    ) -> None: ...
    @overload
    def fill(
        self, indices: NDArray[numpy.int32], values: NDArray[numpy.float32], threads: int
    ) -> None: ...
    @overload
    def fill(
        self, indices: NDArray[numpy.int32], values: NDArray[numpy.float64], threads: int
    ) -> None:
        """
        Write the matrix of the selected features, whose counts are then let go of.
        """

def inner_ngrams(
    words: Counter, min_n: int, max_n: int
) -> tuple[list[str], tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32]]]:
    """
    n-grams of characters inside words: their names by column; row pointers and numbers of each word's n-grams, columns of the numbers.
    """

def known_inner_ngrams(
    words: Counter, min_n: int, max_n: int, known: Vocabulary
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32]]:
    """
    Row pointers and numbers of the n-grams of each word that have columns, and these.
    """

class InnerCounts:
    """Documents as counts of the n-grams inside their words."""

    def __init__(
        self,
        doc_indptr: NDArray[numpy.int64],
        doc_words: NDArray[numpy.int32],
        doc_counts: NDArray[numpy.int64],
        list_indptr: NDArray[numpy.int64],
        list_ngrams: NDArray[numpy.int32],
        list_columns: NDArray[numpy.int32],
        threads: int,
    ) -> None:
        """
        Rows of words and their counts; rows of n-grams by word, and the columns of these.
        """

    def indptr(self) -> NDArray[numpy.int64]:
        """Row pointers of the matrix."""

    def document_frequency(self, threads: int) -> NDArray[numpy.int64]:
        """In how many documents each n-gram occurs."""

    @overload
    def fill(
        self, indices: NDArray[numpy.int32], values: NDArray[numpy.int64], threads: int
    ) -> None: ...
    @overload
    def fill(
        self, indices: NDArray[numpy.int32], values: NDArray[numpy.float32], threads: int
    ) -> None: ...
    @overload
    def fill(
        self, indices: NDArray[numpy.int32], values: NDArray[numpy.float64], threads: int
    ) -> None:
        """Write the matrix."""

def row_pointers(sizes: NDArray[numpy.uint32]) -> NDArray[numpy.int64]:
    """Row pointers of a matrix from the sizes of its rows."""

class Csr:
    """A sparse matrix, checked when made, that keeps its arrays alive."""

    @overload
    def __init__(
        self,
        n_cols: int,
        indptr: NDArray[numpy.int64],
        indices: NDArray[numpy.int32],
        values: NDArray[numpy.float32],
        *,
        threads: int = 1,
    ) -> None:
        """Row pointers; the column and the value of every entry."""

    @overload
    def __init__(
        self,
        n_cols: int,
        indptr: NDArray[numpy.int64],
        indices: NDArray[numpy.int32],
        values: NDArray[numpy.float64],
        *,
        threads: int = 1,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def n_values(self) -> int: ...
    def arrays(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int64], dict(writable=False)],
        Annotated[NDArray[numpy.int32], dict(writable=False)],
        Annotated[NDArray[numpy.float32], dict(writable=False)]
        | Annotated[NDArray[numpy.float64], dict(writable=False)],
    ]:
        """
        Row pointers, indices and values, which are shared and cannot be written to.
        """

    @property
    def has_negative(self) -> bool: ...

def hstack(
    parts: Sequence[Csr], threads: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
    """Matrices side by side: indptr, indices, values."""

def take(
    X: Csr, rows: NDArray[numpy.int64], column_of: NDArray[numpy.int32], threads: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
    """
    Some rows with renumbered columns, -1 for those left out: indptr, indices, values.
    """

class GroupWeights:
    """From counts to values, group by group."""

    def __init__(
        self,
        *,
        tf: str,
        norm: str | None,
        idf: NDArray[numpy.float64] | None,
        starts: Sequence[int],
        weights: Sequence[float],
        tokens: Analysis | None,
    ) -> None: ...
    def weigh(
        self,
        indptr: NDArray[numpy.int64],
        columns: NDArray[numpy.int32],
        values: NDArray[numpy.float32],
        lengths: NDArray[numpy.float64] | None,
        threads: int,
    ) -> None:
        """
        Counts, by ascending column in each row, become values. Relative counts need the lengths of the texts.
        """

def document_frequency(
    X: Csr, y: NDArray[numpy.int32], n_classes: int, threads: int
) -> NDArray[numpy.int64]:
    """In how many rows of each class every column is stored."""

@overload
def weigh(
    X: Csr,
    *,
    tf: str,
    lengths: NDArray[numpy.float64] | None,
    idf: NDArray[numpy.float64] | None,
    norm: str | None,
    out: NDArray[numpy.float32],
    threads: int,
) -> None: ...
@overload
def weigh(
    X: Csr,
    *,
    tf: str,
    lengths: NDArray[numpy.float64] | None,
    idf: NDArray[numpy.float64] | None,
    norm: str | None,
    out: NDArray[numpy.float64],
    threads: int,
) -> None:
    """
    out[i, j] = tf(X[i, j]) idf[j], each row divided by its norm. `out` may be X's own values.
    """

class Scorer:
    """Text in, scores out: blocks of features with folded weights."""

    def __init__(
        self,
        blocks: Sequence[Block],
        weighting: GroupWeights,
        *,
        W: NDArray[numpy.float32],
        b: NDArray[numpy.float64],
    ) -> None: ...
    def scores(self, texts: Texts, begin: int, out: NDArray[numpy.float64], threads: int) -> None:
        """
        Write the scores of as many documents as `out` has rows, from `begin` on.
        """

    def contributions(
        self, texts: Texts, row: int, direction: NDArray[numpy.float64]
    ) -> tuple[list[str], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64]]:
        """
        What every occurrence of a feature adds to scores @ direction, strongest first: names, first characters, ends, values.
        """

def power_softmax(
    Z: Annotated[NDArray[numpy.float64], dict(order="C", device="cpu", writable=False)],
    power: float,
    temperature: float,
) -> NDArray[numpy.float64]:
    """
    Probabilities of scores: softmax(-d^power / temperature), d what a class is behind the best. One score per row is that of the second of two classes.
    """

def sigmoids(
    Z: NDArray[numpy.float64], a: NDArray[numpy.float64], b: NDArray[numpy.float64]
) -> NDArray[numpy.float64]:
    """1 / (1 + exp(-(a z + b))), a and b by column."""

def platt(
    Z: NDArray[numpy.float64], a: NDArray[numpy.float64], b: NDArray[numpy.float64]
) -> NDArray[numpy.float64]:
    """
    1 / (1 + exp(-(a m + b))) of the margin m of each class over its best rival, divided by their sum. One score per row is that of the second of two classes.
    """

def isotonic(
    Z: NDArray[numpy.float64],
    x: Sequence[NDArray[numpy.float64]],
    y: Sequence[NDArray[numpy.float64]],
) -> NDArray[numpy.float64]:
    """
    The same with a piecewise linear function of the margin for each class.
    """

def likeliest(P: NDArray[numpy.float64], k: int) -> NDArray[numpy.int64]:
    """
    The k columns with the largest values of each row, the first of equals first.
    """

class NeighborIndex:
    """Rows to be found; see native/search/neighbors.h."""

    def __init__(
        self,
        X: Csr,
        offset: NDArray[numpy.float64],
        weight: NDArray[numpy.float64] | None,
        square: NDArray[numpy.float64] | None,
    ) -> None:
        """
        offset: what the rows of X start from; weight: what each feature counts, or square: the squared lengths of the rows, for cosines.
        """

    def search(
        self, Q: Csr, begin: int, end: int, k: int, threads: int
    ) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """The k neighbors of rows of Q, best first, and how far they are."""

def find_duplicates(
    texts: Texts, threshold: float, threads: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    By text, the first that has the same words, and the first of those that are alike.
    """

class LabeledRows:
    """
    Rows with their classes and weights, checked when made, that keep their arrays alive.
    """

    def __init__(
        self, X: Csr, y: NDArray[numpy.int32], weight: NDArray[numpy.float64], n_classes: int
    ) -> None:
        """
        y: the class of each row, from 0 to n_classes - 1; weight: what each row counts.
        """

    @property
    def X(self) -> Csr: ...
    @property
    def y(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...
    @property
    def weight(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...
    @property
    def n_classes(self) -> int: ...
    @property
    def n_outputs(self) -> int:
        """Vectors of weights: one for each class, or one that two classes share."""

def add_class_counts(
    X: Csr,
    y: NDArray[numpy.int32],
    weight: NDArray[numpy.float64],
    counts: NDArray[numpy.float64],
    threads: int,
) -> None:
    """counts[k, j] += sum of weight[i] * X[i, j] over the rows i of class k."""

def add_class_presences(
    X: Csr,
    y: NDArray[numpy.int32],
    weight: NDArray[numpy.float64],
    counts: NDArray[numpy.float64],
    threads: int,
) -> None:
    """
    counts[k, j] += sum of weight[i] over the rows i of class k where X[i, j] is not 0.
    """

def add_class_squares(
    X: Csr,
    y: NDArray[numpy.int32],
    weight: NDArray[numpy.float64],
    counts: NDArray[numpy.float64],
    threads: int,
) -> None:
    """
    counts[k, j] += sum of weight[i] * X[i, j]**2 over the rows i of class k.
    """

@overload
def dense_product(
    X: Csr, Q: NDArray[numpy.float32], product: NDArray[numpy.float32], threads: int
) -> None: ...
@overload
def dense_product(
    X: Csr, Q: NDArray[numpy.float64], product: NDArray[numpy.float64], threads: int
) -> None:
    """product = X @ Q, all in one precision."""

def linear_scores(
    X: Csr, W: NDArray[numpy.float64], b: NDArray[numpy.float64], threads: int
) -> NDArray[numpy.float64]:
    """X @ W + b, with W of shape (n_features, n_outputs)."""

def linear_gradient(
    X: Csr, R: NDArray[numpy.float64], G: NDArray[numpy.float64], threads: int
) -> None:
    """G += X.T @ R."""

def squared_norms(X: Csr, threads: int) -> NDArray[numpy.float64]:
    """The squared Euclidean norm of every row."""

class LabelTree:
    """Labels at the leaves of a tree; see native/learners/label_tree.h."""

    def __init__(
        self,
        n_labels: int,
        n_features: int,
        nodes: tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]],
        weights: tuple[
            NDArray[numpy.int64],
            NDArray[numpy.int32],
            NDArray[numpy.int64],
            NDArray[numpy.int32],
            NDArray[numpy.float32],
        ],
    ) -> None:
        """
        nodes: slots, targets, bias; weights: rows, features, starts, places, weights. Checked when made.
        """

    def search(
        self,
        X: Csr,
        begin: int,
        beam: int,
        slope: float,
        unreached: float,
        z: NDArray[numpy.float64],
        threads: int,
    ) -> None:
        """
        z[i, k] = log p of the labels k that the beam reaches for row begin + i; of others, unreached.
        """

class HeldOutCounts:
    """Counts per class that can leave out documents."""

    def __init__(
        self,
        X: Csr,
        y: NDArray[numpy.int32],
        weight: NDArray[numpy.float64],
        n_classes: int,
        threads: int,
    ) -> None:
        """Count the features of each class, as `add_class_counts` does."""

    def scores(
        self,
        fold_ends: NDArray[numpy.int64],
        rows: NDArray[numpy.int32],
        alphas: NDArray[numpy.float64],
        scale: NDArray[numpy.float64],
        log_prior: NDArray[numpy.float64],
        threads: int,
    ) -> NDArray[numpy.float64]:
        """
        The scores (row, class, alpha) of every fold's rows, counted without that fold.
        """

def judge(
    scores: NDArray[numpy.float64], y: NDArray[numpy.int32], threads: int
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    By row and alpha: 1 if the class of the row wins, else 0, and its log-loss.
    """

class OnlineRows(LabeledRows):
    """Labeled rows for the online learners, with a bias."""

    def __init__(self, rows: LabeledRows, bias: float) -> None:
        """
        bias: the value of a feature that all rows have; 0 means that there is none.
        """

    @property
    def middle(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """The entry of every row at which the half of a second thread begins."""

def perceptron_pass(
    rows: OnlineRows,
    order: NDArray[numpy.int32],
    w: NDArray[numpy.float64],
    u: NDArray[numpy.float64] | None,
    step: int,
    threads: int,
) -> int:
    """
    One pass of the perceptron from step `step` on; returns the number of mistakes.
    """

class MiraRule:
    """How MIRA answers a mistake; see native/learners/mira.h."""

    def __init__(
        self, cost: NDArray[numpy.float64], *, cost_augmented: bool, most: float, slack: float
    ) -> None:
        """cost[true, guess]; a step is at most `most`, and shortened by `slack`."""

def mira_pass(
    rows: OnlineRows,
    order: NDArray[numpy.int32],
    rule: MiraRule,
    w: NDArray[numpy.float64],
    u: NDArray[numpy.float64] | None,
    step: int,
    threads: int,
) -> int:
    """One pass of MIRA from step `step` on; returns the number of updates."""

def online_svm_pass(
    rows: OnlineRows,
    order: NDArray[numpy.int32],
    eta: NDArray[numpy.float64],
    w: NDArray[numpy.float64],
    sum: NDArray[numpy.float64] | None,
    *,
    alpha: float,
    cost: NDArray[numpy.float64],
    radius: float,
) -> int:
    """
    One pass of Pegasos with these step sizes; returns the number of updates.
    """

class DualSvm:
    """One-vs-rest linear SVMs in training; see native/learners/svm.h."""

    @overload
    def __init__(
        self,
        rows: LabeledRows,
        margin: NDArray[numpy.float64],
        *,
        squared: bool,
        bias: float,
        scale: NDArray[numpy.float64] | None,
        single: bool = False,
        threads: int,
    ) -> None:
        """
        Weights of rows are their C. margin: what is wanted of each row; scale (n_features x n_outputs): what each output multiplies the features by; single: whether weights in single precision are enough.
        """

    @overload
    def __init__(
        self,
        X: Csr,
        member: NDArray[numpy.bool_],
        C: NDArray[numpy.float64],
        *,
        squared: bool,
        bias: float,
        scale: NDArray[numpy.float64] | None,
        single: bool = False,
        threads: int,
    ) -> None:
        """
        The same for rows with several labels: member (n_rows x n_outputs) says which each has.
        """

    def run(self, orders: NDArray[numpy.int32], tol: float, threads: int) -> None:
        """One pass per row of `orders`, for what is not within `tol` yet."""

    @property
    def done(self) -> bool:
        """Whether the duality gap is within `tol`."""

    def results(self, threads: int) -> list[tuple[float, float, int, bool]]:
        """
        Primal and dual objective, passes and whether done: of each output, or of all classes.
        """

    def weights(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """W (n_features x n_outputs) and b."""

def log_count_ratios(
    counts: NDArray[numpy.float64],
    total: NDArray[numpy.float64],
    masses: NDArray[numpy.float64],
    alpha: float,
    smooth: float,
    threads: int,
) -> NDArray[numpy.float64]:
    """
    R (n_features x n_outputs): log(p / q), p = (n + alpha) / inside + smooth of counts n, q likewise of total - n and outside; masses has inside and outside.
    """

def shift_ratios(
    R: NDArray[numpy.float64], squares: NDArray[numpy.float64], begins: Sequence[int], threads: int
) -> None:
    """
    R becomes c sign(R) (|R| + 1/2), which keeps the sum of squares of each block of features.
    """

def mix_with_ratios(
    W: NDArray[numpy.float64], R: NDArray[numpy.float64], beta: float, threads: int
) -> NDArray[numpy.float64]:
    """W becomes (1 - beta) mean|W / R| R + beta W; the means of the outputs."""

class PackedRows:
    """A block of rows as solvers meet them."""

    def __init__(
        self, X: Csr, bias: float, scale: NDArray[numpy.float64] | None, threads: int
    ) -> None:
        """
        With a constant feature, unless bias is 0; values are multiplied by the scale.
        """

    def __len__(self) -> int: ...
    def arrays(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint64], NDArray[numpy.float64]]:
        """
        Where rows begin, their cells and their squared norms, for `from_arrays`.
        """

    @staticmethod
    def from_arrays(
        begin: NDArray[numpy.int64],
        cells: NDArray[numpy.uint64],
        squared_norm: NDArray[numpy.float64],
        bias: float,
        n_features: int,
    ) -> PackedRows:
        """Rows that were packed before."""

class SvmMachines:
    """
    One-vs-rest linear SVMs whose rows come in blocks; see native/learners/svm.h.
    """

    def __init__(
        self,
        y: NDArray[numpy.int32],
        C: NDArray[numpy.float64],
        n_classes: int,
        n_columns: int,
        *,
        squared: bool,
        bias: float,
        lag: float,
        scale: NDArray[numpy.float64] | None,
    ) -> None:
        """lag: how many rows the bias lags behind."""

    def start_pass(self) -> None: ...
    def visit(
        self, rows: PackedRows, first: int, order: NDArray[numpy.int32], threads: int
    ) -> None:
        """Meet the rows of a block in this order."""

    def end_pass(self, tol: float) -> bool:
        """Whether the rows must be measured."""

    def start_measure(self) -> None: ...
    def measure(self, rows: PackedRows, first: int, threads: int) -> None:
        """Add the losses of the rows of a block."""

    def end_measure(self, tol: float) -> None:
        """Close the outputs that are done."""

    @property
    def done(self) -> bool:
        """Whether the duality gap is within `tol`."""

    def results(self) -> list[tuple[float, float, int, bool]]:
        """Primal and dual objective, passes and whether done, of each output."""

    @property
    def n_groups(self) -> int:
        """Groups of outputs, for `state`."""

    def state(self, group: int) -> NDArray[numpy.uint8]:
        """What a group of outputs knows between two passes."""

    def set_state(self, group: int, state: NDArray[numpy.uint8]) -> None:
        """Go on from what another process has come to."""

    def weights(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """W (n_features x n_outputs) and b."""

class CrammerSinger:
    """A multiclass SVM in training; see native/learners/crammer_singer.h."""

    def __init__(
        self, rows: LabeledRows, *, cost: NDArray[numpy.float64], bias: float, threads: int
    ) -> None:
        """Weights of rows are their C; cost[true, guess]."""

    def run(self, orders: NDArray[numpy.int32], tol: float, threads: int) -> None:
        """One pass per row of `orders`, for what is not within `tol` yet."""

    @property
    def done(self) -> bool:
        """Whether the duality gap is within `tol`."""

    def results(self, threads: int) -> list[tuple[float, float, int, bool]]:
        """
        Primal and dual objective, passes and whether done: of each output, or of all classes.
        """

    def weights(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """W (n_features x n_outputs) and b."""

class L1Svm:
    """One-vs-rest SVMs with an l1 penalty; see native/learners/svm_l1.h."""

    def __init__(self, rows: LabeledRows, *, bias: float) -> None:
        """Weights of rows are their C."""

    @property
    def n_features(self) -> int:
        """The features and, if any, that of the bias."""

    def run(self, orders: NDArray[numpy.int32], tol: float, threads: int) -> None:
        """One pass per row of `orders`, for what is not within `tol` yet."""

    @property
    def done(self) -> bool:
        """Whether the duality gap is within `tol`."""

    def results(self, threads: int) -> list[tuple[float, float, int, bool]]:
        """
        Primal and dual objective, passes and whether done: of each output, or of all classes.
        """

    def weights(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """W (n_features x n_outputs) and b."""

class LogisticDual:
    """
    Logistic regression and its dual in training; see native/learners/logistic_dual.h.
    """

    def __init__(
        self,
        rows: LabeledRows,
        A: NDArray[numpy.float64],
        W: NDArray[numpy.float64],
        b: NDArray[numpy.float64],
        *,
        bias: float,
        threads: int,
    ) -> None:
        """
        Dual variables A (n_rows x n_outputs) and the weights W, b that belong to them, which passes change. bias: the square of the bias feature, 0 for none.
        """

    def binary_pass(
        self, order: NDArray[numpy.int32], loss_and_gap: NDArray[numpy.float64], threads: int
    ) -> None:
        """
        Descend over the rows in order, each output against the rest. Adds the losses and gaps of the rows when they are met, by output.
        """

    def softmax_pass(
        self, order: NDArray[numpy.int32], loss_and_gap: NDArray[numpy.float64], threads: int
    ) -> None:
        """The same for all classes at once, which threads cannot share out."""

class StochasticState:
    """
    Logistic regression in training by stochastic steps; see native/learners/stochastic.h.
    """

    def __init__(
        self,
        rows: LabeledRows,
        W: NDArray[numpy.float64],
        b: NDArray[numpy.float64],
        *,
        softmax: bool,
        bias: bool,
        penalized_bias: bool,
    ) -> None:
        """
        The weights that passes change; whether all classes are learned at once, and whether there is a bias, and it is penalized.
        """

def sgd_pass(
    state: StochasticState,
    order: NDArray[numpy.int32],
    batch_size: int,
    eta: NDArray[numpy.float64],
    P: NDArray[numpy.float64],
    S: NDArray[numpy.float64],
) -> float:
    """
    Stochastic gradient steps over the rows in order; the loss of the rows when met.
    """

class AdaGrad:
    """The steps of AdaGrad, and the squares of gradients so far."""

    def __init__(
        self,
        state: StochasticState,
        G: NDArray[numpy.float64],
        *,
        eta: float,
        eps: float,
        l1: float,
        l2: float,
    ) -> None:
        """
        For the weights of `state`; G: the squares of their gradients so far, the bias last.
        """

def adagrad_pass(
    state: StochasticState, rule: AdaGrad, order: NDArray[numpy.int32], batch_size: int
) -> float:
    """AdaGrad steps over the rows in order; the loss of the rows when met."""

def hashed_columns(features: Iterable[str | bytes], n_features: int) -> NDArray[numpy.int64]:
    """The column of every feature."""

class HashedRows:
    """Documents as rows of hashed features."""

    def __init__(self, n_features: int, alternate_sign: bool) -> None: ...
    def add(self, analysis: Analysis, texts: Texts, begin: int, end: int, threads: int) -> None:
        """Add the documents begin .. end-1."""

    def add_features(self, features: Iterable[str | bytes]) -> None:
        """Add one document with these features."""

    def indptr(self) -> NDArray[numpy.int64]: ...
    @overload
    def fill(
        self,
        *,
        binary: bool,
        norm: str | None,
        indices: NDArray[numpy.int32],
        values: NDArray[numpy.float32],
        threads: int,
    ) -> None: ...
    @overload
    def fill(
        self,
        *,
        binary: bool,
        norm: str | None,
        indices: NDArray[numpy.int32],
        values: NDArray[numpy.float64],
        threads: int,
    ) -> None:
        """Write the matrix."""

@overload
def cut_words(
    analysis: Analysis, texts: Texts, begin: int, end: int, first_row: int
) -> tuple[
    tuple[NDArray[numpy.uint8], NDArray[numpy.int64]],
    tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint32]],
]: ...
@overload
def cut_words(
    analysis: TokenFeatures, texts: Texts, begin: int, end: int, first_row: int
) -> tuple[
    tuple[NDArray[numpy.uint8], NDArray[numpy.int64]],
    tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint32]],
]:
    """
    The texts begin .. end-1 as words: bytes and ends of the sorted words; ends of the texts, numbers of their words, and how often each counts (nothing: once).
    """

class WordIndex:
    """The numbers of sorted words."""

    def __init__(self, bytes: NDArray[numpy.uint8], ends: NDArray[numpy.int64]) -> None: ...
    def find(
        self, bytes: NDArray[numpy.uint8], ends: NDArray[numpy.int64]
    ) -> NDArray[numpy.uint32]:
        """The number of each word, or 2**32 - 1."""

class NgramIndex:
    """The numbers of the n-grams of one length by their keys."""

    def __init__(self, keys: NDArray[numpy.uint64]) -> None: ...
    def __len__(self) -> int: ...

class TokenBlock:
    """The texts of a block as numbers of its words."""

    def __init__(
        self,
        doc_ends: NDArray[numpy.int64],
        tokens: NDArray[numpy.uint32],
        times: NDArray[numpy.uint32],
        n_words: int,
    ) -> None:
        """What `cut_words` returned."""

    def word_frequency(self, held_out: NDArray[numpy.bool_]) -> NDArray[numpy.uint32]:
        """
        By word: how many texts have it, of those that are not held out and of those that are.
        """

    def count_ngrams(
        self,
        word_of: NDArray[numpy.uint32],
        levels: Sequence[NgramIndex],
        held_out: NDArray[numpy.bool_],
    ) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint16]]:
        """
        The n-grams one word longer than those of the last level: sorted keys, frequencies.
        """

    def encode_ngrams(
        self,
        word_of: NDArray[numpy.uint32],
        levels: Sequence[NgramIndex],
        columns: Sequence[NDArray[numpy.int32]],
        n_columns: int,
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.uint32]]:
        """
        Row pointers, columns and counts of the words and n-grams that have a column.
        """

def merge_words(
    lists: Sequence[tuple[NDArray[numpy.uint8], NDArray[numpy.int64], NDArray[numpy.uint32]]],
    min_df: int,
) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64], NDArray[numpy.uint32]]:
    """
    Sorted lists of words (bytes, ends, frequencies) as one, without those in fewer than `min_df` texts.
    """

def merge_ngrams(
    keys: NDArray[numpy.uint64],
    df: NDArray[numpy.uint16],
    run_ends: NDArray[numpy.int64],
    min_df: int,
) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint32], int]:
    """
    Sorted runs of n-grams, one after the other, as one, without those in fewer than `min_df` texts; and how many different ones there were.
    """

class FastTextMatrix:
    """Rows of numbers, or product-quantized."""

    @overload
    def __init__(self, values: NDArray[numpy.float32]) -> None: ...
    @overload
    def __init__(
        self,
        codes: NDArray[numpy.uint8],
        centroids: NDArray[numpy.float32],
        norm_codes: NDArray[numpy.uint8],
        norms: NDArray[numpy.float32],
        n_columns: int,
        part: int,
    ) -> None:
        """
        A row is a centroid of 256 for each part of so many columns, times its norm.
        """

    @property
    def shape(self) -> tuple[int, int]: ...
    def take(self, rows: NDArray[numpy.int64]) -> NDArray[numpy.float32]:
        """The numbers of these rows."""

class FastText:
    """Text in, outputs out; see native/features/fasttext.h."""

    def __init__(
        self,
        words: Vocabulary,
        labels: Sequence[str],
        n_buckets: int,
        subwords: tuple[int, int],
        word_ngrams: int,
        kept: NDArray[numpy.int32] | None,
        input: FastTextMatrix,
        output: FastTextMatrix,
    ) -> None:
        """
        kept: the buckets that have a row and which, or None if all have. Checked when made.
        """

    def outputs(self, texts: Texts, begin: int, out: NDArray[numpy.float32], threads: int) -> None:
        """
        Write the outputs of as many documents as `out` has rows, from `begin` on.
        """

    def word_vectors(self, begin: int, out: NDArray[numpy.float32], threads: int) -> None:
        """Write the vectors of as many words as `out` has rows, from `begin` on."""

    def places(
        self, texts: Texts, row: int
    ) -> tuple[list[str], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]:
        """
        What the rows of the input stand for in a document: names, rows, first characters, ends.
        """

class ModelFile:
    """The content of a model file, which may be anybody's."""

    def __init__(self, content: bytes) -> None:
        """The bytes of a file of the current version."""

    def is_intact(self) -> bool:
        """
        Whether the content is what was written, by its length and its SHA-256.
        """

    def read(self) -> tuple[dict[str, NDArray[numpy.generic]], object]:
        """
        The arrays by name, and the metadata; sizes and types are checked. Arrays may be views of the content.
        """
