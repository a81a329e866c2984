"""Word embeddings: words that occur in similar contexts get similar vectors.

    c       how often words occur together (features/cooccurrence.py)
    M       their pointwise mutual information
    U D V'  the truncated singular value decomposition of M
    Z       U D^power; with power 1 the dot products of the rows approximate those of M as well as
            so few columns allow, 0.5 and 0 give the smaller singular values more influence

A text is the mean of the vectors of its words, each weighted by its count (tf), by count times
log(n / df), or by log(n / df) alone. If none of its words is known, it is 0.

References: Levy and Goldberg (2014), NIPS; Levy, Goldberg and Dagan (2015), TACL 3; Bullinaria
and Levy (2012), Behavior Research Methods 44.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from os import PathLike
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.estimator import TextTransformer
from wordplane.common.feature_names import FeatureNames
from wordplane.common.matrix import scipy_csr
from wordplane.common.set_output import FrameOutput
from wordplane.common.threads import thread_count
from wordplane.common.types import CsrMatrix, FloatArray, IntArray, TextsLike
from wordplane.features.cooccurrence import CONTEXTS, cooccurrence, pmi
from wordplane.features.counting.core import count_features
from wordplane.features.embeddings_file import (
    VOCABULARY,
    StoredEmbeddings,
    vocabulary_arrays,
)
from wordplane.features.svd import check_solver, truncated_svd
from wordplane.features.text_features import compute_idf
from wordplane.text.checks import check_choice, check_flag
from wordplane.text.column_spec import WordShares
from wordplane.text.texts import as_texts, batches
from wordplane.text.token_spec import check_tokens, plain_analysis

WEIGHTS = ("tf", "tfidf", "idf", "count")


class WordEmbeddings(FrameOutput, TextTransformer):
    """Vectors of words, learned from the contexts of the words; texts are means of them.

    Parameters
    ----------
    n_components : int, default 100
        The length of a vector; shorter if there are fewer words.
    context : "window", "sentence" or "document", default "window"
        What counts as occurring together: within a window, a sentence or a document.
    window : int, default 5
        The largest distance in tokens, for context="window".
    positive : bool, default True
        Whether pointwise mutual information below 0 becomes 0.
    shift : float, default 1.0
        k: log k is subtracted from the information (before values below 0 become 0).
    normalized : bool, default False
        Whether to divide the information by its largest possible value.
    power : float, default 0.5
        The singular values are raised to this power, from 0 to 1.
    min_count : int, default 5
        Leave out words that occur less often.
    max_words : int or None, default 50000
        Keep only this number of the most frequent words.
    weights : "tf", "tfidf", "idf" or "count", default "tfidf"
        How a text weights its words; with "idf", a word counts once however often it occurs.
        "count" sums the vectors instead of averaging them.
    tokens : "words", "spaced" or "counts", default "words"
        What texts consist of, as in `Analyzer`.
    lowercase : bool, default True
        Whether to fold case.
    solver : "randomized" or "arpack", default "randomized"
        The algorithm that finds the singular vectors: fast, or exact.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        The seed of the solver's starting point.

    Attributes
    ----------
    words_
        The words, the most frequent first.
    vectors_
        Their vectors, one row each.
    idf_
        log(n / df) of each word; None if not known.

    Examples
    --------
    >>> texts = ["a cat sat", "a dog sat", "a cat ran", "a dog ran", "two men and two women"]
    >>> embeddings = WordEmbeddings(2, window=1, min_count=2).fit(texts)
    >>> embeddings.neighbors("cat", 1)
    [('dog', 1.0)]
    >>> embeddings.transform(["cat dog", "unknown words"]).shape
    (2, 2)
    """

    words_: NDArray[np.object_]
    vectors_: NDArray[np.float32]
    idf_: FloatArray | None

    def __init__(
        self,
        n_components: int = 100,
        *,
        context: str = "window",
        window: int = 5,
        positive: bool = True,
        shift: float = 1.0,
        normalized: bool = False,
        power: float = 0.5,
        min_count: int = 5,
        max_words: int | None = 50_000,
        weights: str = "tfidf",
        tokens: str = "words",
        lowercase: bool = True,
        solver: str = "randomized",
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.context = context
        self.window = window
        self.positive = positive
        self.shift = shift
        self.normalized = normalized
        self.power = power
        self.min_count = min_count
        self.max_words = max_words
        self.weights = weights
        self.tokens = tokens
        self.lowercase = lowercase
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, texts: TextsLike, y: object = None) -> Self:
        """Learn the vectors of the words of the texts; labels are ignored."""
        self._check()
        native, threads = as_texts(texts), thread_count(self.n_jobs)
        words, df = self._frequent_words(native, threads)
        counts = cooccurrence(self._analysis(), words, native, self.context, self.window, threads)
        idf = compute_idf("exact", df, len(native))
        return self._set(words.names(), self._vectors(counts), idf)

    def fit_pairs(self, pairs: Iterable[tuple[str, str]]) -> Self:
        """Learn the vectors of words from pairs of a word and something that it occurred with.

        >>> pairs = [("cat", "fur"), ("dog", "fur"), ("car", "wheel"), ("bus", "wheel")]
        >>> WordEmbeddings(2).fit_pairs(pairs).neighbors("cat", 1)
        [('dog', 1.0)]
        """
        self._check()
        n_pairs = Counter((str(word), str(other)) for word, other in pairs)
        if not n_pairs:
            raise InputError("there are no pairs of words, expected at least one")
        words = sorted({word for word, _ in n_pairs})
        others = sorted({other for _, other in n_pairs})
        row, column = (
            {name: number for number, name in enumerate(names)} for names in (words, others)
        )
        places = ([row[word] for word, _ in n_pairs], [column[other] for _, other in n_pairs])
        counts = scipy_csr((list(n_pairs.values()), places), shape=(len(words), len(others)))
        return self._set(words, self._vectors(counts), None)

    def transform(self, texts: TextsLike) -> FloatArray:
        """Each text as the weighted mean of the vectors of its words."""
        self._check_fitted()
        self._check()
        return self.means(as_texts(texts), thread_count(self.n_jobs))

    @property
    def counts(self) -> bool:
        """Whether a text is the sum of its vectors: of clusters, their counts."""
        return self.weights == "count"

    def means(self, texts: _core.Texts, threads: int) -> FloatArray:
        """The same for native texts."""
        vectors = self.vectors_.astype(np.float64)
        means = [np.zeros((0, vectors.shape[1]))]
        means += [
            _core.linear_scores(X, vectors, np.zeros(vectors.shape[1]), threads)
            for X in self._shares(texts, threads)
        ]
        return np.concatenate(means)

    def shares(self, texts: _core.Texts, threads: int) -> CsrMatrix:
        """The weight of each word in the mean of each of the texts, which are few."""
        from scipy.sparse import vstack

        parts = [scipy_csr((0, len(self.words_)))]
        for X in self._shares(texts, threads):
            indptr, indices, values = X.arrays()
            parts.append(scipy_csr((values, indices, indptr), shape=X.shape))
        return cast(CsrMatrix, vstack(parts, format="csr"))

    def _shares(self, texts: _core.Texts, threads: int) -> Iterator[_core.Csr]:
        weight = self._word_weights()
        words = _core.Block(self._analysis(), self._vocabulary)
        for begin, end in batches(texts, "reading texts"):
            indptr, indices, counts = _core.count_features(words, texts, begin, end, threads)
            values = weight[indices] * (1 if self.weights == "idf" else counts)
            row = np.repeat(np.arange(end - begin), np.diff(indptr))
            total = np.bincount(row, values, minlength=end - begin)
            if not self.counts:
                values /= np.where(total > 0, total, 1.0)[row]
            yield _core.Csr(len(weight), indptr, indices, values)

    def fit_transform(self, texts: TextsLike, y: object = None) -> FloatArray:
        """Learn the vectors of the words; return the texts as means of them."""
        native = as_texts(texts)
        return self.fit(native).transform(native)

    def get_feature_names_out(self, input_features: object = None) -> FeatureNames:
        """embedding:0, embedding:1 and so on."""
        self._check_fitted()
        names = [f"embedding:{j}" for j in range(self.vectors_.shape[1])]
        return np.array(names, dtype=object)

    def __contains__(self, word: object) -> bool:
        self._check_fitted()
        return self._find(word) is not None

    def vector(self, word: str) -> NDArray[np.float32]:
        """The vector of a word."""
        self._check_fitted()
        return np.asarray(self.vectors_[self._row(word)])

    def neighbors(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """The n words with the largest cosine, largest first, without the word itself."""
        self._check_fitted()
        own = self._row(word)
        nearest = [pair for pair in self.nearest(self.vectors_[own], n + 1) if pair[0] != own]
        return [(str(self.words_[row]), cosine) for row, cosine in nearest[:n]]

    def nearest(self, vector: ArrayLike, n: int = 10) -> list[tuple[int, float]]:
        """Row and cosine of the n words nearest to a vector; ties go to the more frequent word."""
        self._check_fitted()
        lengths = np.linalg.norm(self.vectors_, axis=1) * np.linalg.norm(vector)
        cosines = self.vectors_ @ np.asarray(vector) / np.where(lengths > 0, lengths, 1.0)
        cosines = cosines.astype(np.float64).round(6)  # further digits are noise in float32
        rows = np.argsort(-cosines, kind="stable")[:n]
        return [(int(row), float(cosines[row])) for row in rows]

    def clustered(self, labels: ArrayLike, *, counts: bool = False) -> "WordEmbeddings":
        """Embeddings by cluster: the vector of a word has a 1 at the number of its cluster.

        A text then consists of the share of each cluster among its words, or with `counts` of the
        number of its words in each cluster, which naive Bayes accepts. `labels` are the
        clusters of the words, 0, 1, ..., such as `KMeans(50).fit(embeddings.vectors_).labels_`.
        """
        self._check_fitted()
        clusters = np.asarray(labels)
        if clusters.shape != self.words_.shape or clusters.min(initial=0) < 0:
            raise InputError("labels: expected one whole number of 0 or more per word")
        one_hot = np.eye(clusters.max() + 1, dtype=np.float32)[clusters]
        return self.with_vectors(one_hot, **({"weights": "count"} if counts else {}))

    def with_vectors(self, vectors: NDArray[np.floating], **changed: object) -> "WordEmbeddings":
        """Embeddings with other vectors for the same words, and some parameters changed."""
        self._check_fitted()
        same = type(self)().set_params(**{**self.get_params(), **changed})
        return same._set(list(self.words_), vectors, self.idf_)  # noqa: SLF001

    def with_words(
        self, words: list[str], vectors: NDArray[np.floating], idf: FloatArray
    ) -> "WordEmbeddings":
        """Embeddings of these words with the same parameters."""
        return type(self)().set_params(**self.get_params())._set(words, vectors, idf)  # noqa: SLF001

    def frequent_words(self, texts: _core.Texts) -> tuple[list[str], IntArray]:
        """The words of texts that `fit` would find vectors for, and how many texts have each."""
        self._check()
        words, df = self._frequent_words(texts, thread_count(self.n_jobs))
        return words.names(), df

    def contributions(self, texts: _core.Texts, values: FloatArray) -> WordShares:
        """How the mean of one value per word over the first text is made up of its words."""
        weighting = _core.GroupWeights(
            tf="binary" if self.weights == "idf" else "count",
            norm=None if self.counts else "l1",
            idf=self._word_weights(),
            starts=[0, len(values)],
            weights=[1.0],
            tokens=None,
        )
        words = _core.Block(self._analysis(), self._vocabulary)
        W = np.ascontiguousarray(values[:, None], np.float32)
        scorer = _core.Scorer([words], weighting, W=W, b=np.zeros(1))
        return scorer.contributions(texts, 0, np.ones(1))

    def save(self, path: str | PathLike[str]) -> None:
        """Write words and vectors to a file for `WordEmbeddings.load`."""
        self._check_fitted()
        self.to_stored().save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load what `save` wrote. Safe to use on files from strangers: no code is run."""
        stored = StoredEmbeddings.load(path)
        try:
            return cls.from_stored(stored)
        except ValueError as error:
            raise ModelFileError(f"{path}: cannot be used as embeddings: {error}") from None

    @classmethod
    def read(cls, path: str | PathLike[str], **parameters: object) -> Self:
        """Read a file of GloVe, word2vec, fastText, wink-embeddings, model2vec or WordLlama; the
        content says which. Words that such a file does not list are left out."""
        from wordplane.features.pretrained.read import read_word_vectors

        words, vectors = (source := read_word_vectors(path)).lookup(source.words)
        embeddings = cls(vectors.shape[1], weights="tf")
        embeddings.set_params(**parameters)
        embeddings._check()
        return embeddings._set(words, vectors, None)

    def to_stored(self) -> StoredEmbeddings:
        """The content of a file."""
        arrays: dict[str, NDArray[np.generic]] = {"vectors": self.vectors_}
        arrays.update(zip(VOCABULARY, self._vocabulary.arrays(), strict=True))
        if self.idf_ is not None:
            arrays["idf"] = self.idf_
        return StoredEmbeddings(self.get_params() | {"n_jobs": None}, arrays)

    @classmethod
    def from_stored(cls, stored: StoredEmbeddings) -> Self:
        """The embeddings from the content of a file, checked."""
        stored.check(cls().get_params())
        embeddings = cls()
        embeddings.set_params(**stored.parameters)
        embeddings._check()
        arrays = stored.arrays
        words = _core.Vocabulary(*vocabulary_arrays(arrays), "whole")
        if words.n_features != len(arrays["vectors"]):
            raise InputError(
                f"{len(arrays['vectors'])} vectors for {words.n_features} words, expected one each"
            )
        idf = cast(FloatArray | None, arrays.get("idf"))
        return embeddings._set(words.names(), arrays["vectors"], idf)

    def _set(self, words: list[str], vectors: NDArray[np.generic], idf: FloatArray | None) -> Self:
        self.words_ = np.array(words, dtype=object)
        self.vectors_ = np.ascontiguousarray(vectors, np.float32)
        self.idf_ = idf
        self._vocabulary = _core.Vocabulary.from_names(words, "whole")
        self._row_of = {word: row for row, word in enumerate(words)}
        return self

    def _row(self, word: str) -> int:
        row = self._find(word)
        if row is None:
            similar = get_close_matches(str(word), self._row_of, 3)
            hint = f"; did you mean {', '.join(map(repr, similar))}?" if similar else ""
            raise InputError(f"{word!r} is not among the {len(self.words_):,} words{hint}")
        return row

    def _analysis(self) -> _core.Analysis:
        return plain_analysis(self.tokens, self.lowercase)

    def _frequent_words(
        self, texts: _core.Texts, threads: int
    ) -> tuple[_core.Vocabulary, IntArray]:
        counter = count_features(self._analysis(), [texts], "frequency", threads)
        occurrences = counter.term_frequency(threads)
        keep = occurrences >= self.min_count
        if not keep.any():
            raise InputError(
                f"no word occurs {self.min_count} times or more in the {len(texts)} texts; lower "
                "`min_count`"
                if counter.n_features
                else f"none of the {len(texts)} texts has a word"
            )
        if self.max_words is not None:
            frequent = np.flatnonzero(keep)
            order = np.argsort(-occurrences[frequent], kind="stable")
            keep[frequent[order[self.max_words :]]] = False
        df = counter.document_frequency(threads)[keep]
        counter.select(keep, threads)
        return counter.vocabulary(), df

    def _vectors(self, counts: CsrMatrix) -> NDArray[np.floating]:
        information = pmi(
            counts, positive=self.positive, shift=self.shift, normalized=self.normalized
        )
        if information.nnz == 0:
            raise InputError(
                "no two words occur together more often than by chance; use more text, a larger "
                "`window` or `positive=False`"
            )
        U, D, _ = truncated_svd(
            information.astype(np.float32),
            self.n_components,
            self.solver,
            self.random_state,
            thread_count(self.n_jobs),
        )
        return U * D**self.power if self.power > 0 else U

    def _word_weights(self) -> FloatArray:
        if self.weights in ("tf", "count"):
            return np.ones(len(self.words_))
        if self.idf_ is None:
            raise InputError(
                'these embeddings do not know in how many texts words occur; use `weights="tf"`'
            )
        return self.idf_

    def _find(self, word: object) -> int | None:
        """The row of a word. Files of others may have words with capitals."""
        row = self._row_of.get(str(word))
        if row is None and self.lowercase:
            row = self._row_of.get(_core.lower(str(word)))
        return row

    def _check(self) -> None:
        check_solver(self.n_components, self.solver)
        check_tokens(self.tokens)
        check_choice("context", self.context, CONTEXTS)
        check_choice("weights", self.weights, WEIGHTS)
        for name in ("window", "min_count", "max_words"):
            value = getattr(self, name)
            if name == "max_words" and value is None:
                continue
            if type(value) is not int or not 1 <= value < 2**31:
                raise InputError(f"{name} is {value!r}, expected a whole number of 1 or more")
        for name in ("positive", "normalized", "lowercase"):
            check_flag(name, getattr(self, name))
        for name, low, high in (("power", 0.0, 1.0), ("shift", 1e-9, 1e9)):
            value = getattr(self, name)
            if type(value) not in (int, float) or not low <= value <= high:
                raise InputError(f"{name} is {value!r}, expected a number from {low:g} to {high:g}")
        if self.tokens == "counts" and self.context != "document":
            raise InputError('word:count texts have no word order; use `context="document"`')
