"""Word embeddings: vectors of words that are alike where the words keep like company.

    c    how often words occur together (features/cooccurrence.py)
    M    their pointwise mutual information
    U D V' the truncated singular value decomposition of M
    Z    U D^power: with power 1 the dot products of rows are those of M, as well as they can be
         with so few columns; 0.5 and 0 let the smaller singular values count for more

A text is the mean of the vectors of its words, each weighed by its count (tf) or by count times
log(n / df); if none of its words is known, it is 0.

References: Levy and Goldberg (2014), NIPS; Levy, Goldberg and Dagan (2015), TACL 3; Bullinaria
and Levy (2012), Behavior Research Methods 44.
"""

from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.estimator import TextEstimator
from wordplane.common.threads import thread_count
from wordplane.features.cooccurrence import CONTEXTS, cooccurrence, pmi
from wordplane.features.counting import count
from wordplane.features.embeddings_file import VOCABULARY, StoredEmbeddings, read_vectors
from wordplane.features.svd import check_solver, truncated_svd
from wordplane.features.text_features import idf_of
from wordplane.text.analyzer import TOKENS, Analyzer
from wordplane.text.texts import as_texts, batches

WEIGHTS = ("tf", "tfidf")


class WordEmbeddings(TextEstimator):
    """Vectors of words from the company that they keep, and texts as means of them.

    Parameters
    ----------
    n_components : int, default 100
        The length of a vector; less if there are fewer words.
    context : "window", "sentence" or "document", default "window"
        Where words must be to occur together.
    window : int, default 5
        For context="window": how many tokens apart they may be.
    positive : bool, default True
        Whether pointwise mutual information below 0 becomes 0.
    shift : float, default 1.0
        k: log k is taken off the information (before what is below 0 becomes 0).
    normalised : bool, default False
        Whether the information is divided by the largest that it could be.
    power : float, default 0.5
        The singular values are taken to this power: 1, 0.5 or 0, or anything between.
    min_count : int, default 5
        Leave out words that occur less often.
    max_words : int or None, default 50000
        Keep the most frequent words, so many.
    weights : "tf" or "tfidf", default "tfidf"
        By what a text weighs its words.
    tokens : "words" or "counts", default "words"
        What texts are made of, as in `Analyzer`.
    lowercase : bool, default True
        Whether case is folded.
    solver : "arpack" or "randomized", default "arpack"
        What finds the singular vectors; "randomized" needs scikit-learn.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        Seed of the start of the solver.

    Attributes
    ----------
    words_
        The words, the frequent ones first.
    vectors_
        Their vectors, one row each.
    idf_
        log(n / df) of each word; None if unknown.

    Examples
    --------
    >>> texts = ["a cat sat", "a dog sat", "a cat ran", "a dog ran", "two men and two women"]
    >>> embeddings = WordEmbeddings(2, window=1, min_count=2).fit(texts)
    >>> embeddings.neighbors("cat", 1)
    [('dog', 1.0)]
    >>> embeddings.transform(["cat dog", "unknown words"]).shape
    (2, 2)
    """

    words_: NDArray[Any]
    vectors_: NDArray[np.float32]
    idf_: NDArray[np.float64] | None

    def __init__(
        self,
        n_components: int = 100,
        *,
        context: str = "window",
        window: int = 5,
        positive: bool = True,
        shift: float = 1.0,
        normalised: bool = False,
        power: float = 0.5,
        min_count: int = 5,
        max_words: int | None = 50_000,
        weights: str = "tfidf",
        tokens: str = "words",
        lowercase: bool = True,
        solver: str = "arpack",
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.context = context
        self.window = window
        self.positive = positive
        self.shift = shift
        self.normalised = normalised
        self.power = power
        self.min_count = min_count
        self.max_words = max_words
        self.weights = weights
        self.tokens = tokens
        self.lowercase = lowercase
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, texts: Any, y: Any = None) -> Self:
        """Find the vectors of the words of the texts; labels are not looked at."""
        self._check()
        texts, threads = as_texts(texts), thread_count(self.n_jobs)
        words, df = self._frequent_words(texts, threads)
        counts = cooccurrence(self._analysis(), words, texts, self.context, self.window, threads)
        idf = idf_of("exact", df, len(texts))
        return self._set(words.names(), self._vectors(counts), idf)

    def fit_pairs(self, pairs: Iterable[tuple[str, str]]) -> Self:
        """Find the vectors of words from pairs of a word and something that it occurred with.

        >>> pairs = [("cat", "fur"), ("dog", "fur"), ("car", "wheel"), ("bus", "wheel")]
        >>> WordEmbeddings(2).fit_pairs(pairs).neighbors("cat", 1)
        [('dog', 1.0)]
        """
        from scipy.sparse import csr_matrix

        self._check()
        counted = Counter((str(word), str(other)) for word, other in pairs)
        if not counted:
            raise InputError("there is no pair of words")
        words = sorted({word for word, _ in counted})
        others = sorted({other for _, other in counted})
        row, column = (
            {name: number for number, name in enumerate(names)} for names in (words, others)
        )
        places = ([row[word] for word, _ in counted], [column[other] for _, other in counted])
        counts = csr_matrix((list(counted.values()), places), shape=(len(words), len(others)))
        return self._set(words, self._vectors(counts), None)

    def transform(self, texts: Any) -> NDArray[np.float64]:
        """The texts, each as the weighted mean of the vectors of its words."""
        self._check_fitted()
        self._check()
        return self.means(as_texts(texts), thread_count(self.n_jobs))

    def means(self, texts: _core.Texts, threads: int) -> NDArray[np.float64]:
        """The same for a column of texts."""
        weight = self._word_weights()
        block = _core.Block(self._analysis(), self._vocabulary)
        vectors = self.vectors_.astype(np.float64)
        means = [np.zeros((0, vectors.shape[1]))]
        for begin, end in batches(texts, "reading texts"):
            indptr, indices, counts = _core.count_features(block, texts, begin, end, threads)
            values = counts * weight[indices]
            row = np.repeat(np.arange(end - begin), np.diff(indptr))
            total = np.bincount(row, values, minlength=end - begin)
            values /= np.where(total > 0, total, 1.0)[row]
            X = _core.Csr(len(weight), indptr, indices, values)
            means.append(_core.linear_scores(X, vectors, np.zeros(vectors.shape[1]), threads))
        return np.concatenate(means)

    def fit_transform(self, texts: Any, y: Any = None) -> NDArray[np.float64]:
        """Find the vectors of the words, and the texts as means of them."""
        texts = as_texts(texts)
        return self.fit(texts).transform(texts)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """embedding:0, embedding:1 and so on."""
        self._check_fitted()
        names = [f"embedding:{j}" for j in range(self.vectors_.shape[1])]
        return np.array(names, dtype=object)

    def __contains__(self, word: object) -> bool:
        self._check_fitted()
        return self._key(word) in self._row_of

    def vector(self, word: str) -> NDArray[np.float32]:
        """The vector of a word."""
        self._check_fitted()
        return np.asarray(self.vectors_[self._row(word)])

    def neighbors(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """The n words with the largest cosine, largest first, without the word itself."""
        self._check_fitted()
        itself = self._row(word)
        found = [pair for pair in self.nearest(self.vectors_[itself], n + 1) if pair[0] != itself]
        return [(str(self.words_[row]), cosine) for row, cosine in found[:n]]

    def nearest(self, vector: Any, n: int = 10) -> list[tuple[int, float]]:
        """Row and cosine of the n words nearest to any vector; the frequent first of equals."""
        self._check_fitted()
        lengths = np.linalg.norm(self.vectors_, axis=1) * np.linalg.norm(vector)
        cosines = self.vectors_ @ vector / np.where(lengths > 0, lengths, 1.0)
        cosines = cosines.astype(np.float64).round(6)  # beyond that, float32 orders by chance
        rows = np.argsort(-cosines, kind="stable")[:n]
        return [(int(row), float(cosines[row])) for row in rows]

    def clustered(self, labels: Any) -> "WordEmbeddings":
        """Words in clusters: the vector of a word has a 1 in the place of its cluster.

        A text is then the share that each cluster has among its words. `labels` are the clusters
        of the words, 0, 1, ..., such as `KMeans(50).fit(embeddings.vectors_).labels_`.
        """
        self._check_fitted()
        clusters = np.asarray(labels)
        if clusters.shape != self.words_.shape or clusters.min(initial=0) < 0:
            raise InputError("labels: one whole number of 0 or more per word expected")
        one_hot = np.eye(clusters.max() + 1, dtype=np.float32)[clusters]
        return type(self)(**self.get_params())._set(list(self.words_), one_hot, self.idf_)

    def save(self, path: str | PathLike[str]) -> None:
        """Write words and vectors to a file that `WordEmbeddings.load` reads."""
        self._check_fitted()
        self.to_stored().save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """What `save` wrote. Safe on files from strangers: no code is run."""
        stored = StoredEmbeddings.load(path)
        try:
            return cls.from_stored(stored)
        except ValueError as error:
            raise ModelFileError(f"{path}: not usable as embeddings: {error}") from None

    @classmethod
    def read(cls, path: str | PathLike[str], **parameters: Any) -> Self:
        """Vectors in the text format of word2vec or GloVe: a word and its numbers on each line."""
        words, vectors = read_vectors(path)
        embeddings = cls(**{"n_components": vectors.shape[1], "weights": "tf", **parameters})
        embeddings._check()
        return embeddings._set(words, vectors, None)

    def to_stored(self) -> StoredEmbeddings:
        """What a file holds."""
        arrays: dict[str, NDArray[Any]] = {"vectors": self.vectors_}
        arrays.update(zip(VOCABULARY, self._vocabulary.arrays(), strict=True))
        if self.idf_ is not None:
            arrays["idf"] = self.idf_
        return StoredEmbeddings(self.get_params() | {"n_jobs": None}, arrays)

    @classmethod
    def from_stored(cls, stored: StoredEmbeddings) -> Self:
        """The embeddings of a file, checked."""
        stored.check(cls().get_params())
        embeddings = cls(**stored.parameters)
        embeddings._check()
        arrays = stored.arrays
        word_bytes, word_ends, firsts, lasts, columns = (arrays[name] for name in VOCABULARY)
        words = _core.Vocabulary(word_bytes, word_ends, firsts, lasts, columns, "whole")
        if words.n_features != len(arrays["vectors"]):
            raise InputError("one vector per word expected")
        return embeddings._set(words.names(), arrays["vectors"], arrays.get("idf"))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags

    def _set(
        self, words: list[str], vectors: NDArray[Any], idf: NDArray[np.float64] | None
    ) -> Self:
        self.words_ = np.array(words, dtype=object)
        self.vectors_ = np.ascontiguousarray(vectors, np.float32)
        self.idf_ = idf
        self._vocabulary = _core.Vocabulary.from_names(words, "whole")
        self._row_of = {word: row for row, word in enumerate(words)}
        return self

    def _row(self, word: str) -> int:
        found = self._row_of.get(self._key(word))
        if found is None:
            alike = get_close_matches(str(word), self._row_of, 3)
            hint = f"; there are {', '.join(map(repr, alike))}" if alike else ""
            raise InputError(f"{word!r} is not among the {len(self.words_):,} words{hint}")
        return found

    def _analysis(self) -> _core.Analysis:
        return Analyzer(tokens=self.tokens, lowercase=self.lowercase).plain_analysis()

    def _frequent_words(
        self, texts: _core.Texts, threads: int
    ) -> tuple[_core.Vocabulary, NDArray[np.int64]]:
        counter = count(self._analysis(), [texts], "frequency", threads)
        occurrences = counter.term_frequency(threads)
        keep = occurrences >= self.min_count
        if not keep.any():
            raise InputError(
                f"no word occurs {self.min_count} times or more in the {len(texts)} texts; lower "
                "min_count"
                if counter.n_features
                else f"there is no word in any of the {len(texts)} texts"
            )
        if self.max_words is not None:
            kept = np.flatnonzero(keep)
            keep[kept[np.argsort(-occurrences[kept], kind="stable")[self.max_words :]]] = False
        df = counter.document_frequency(threads)[keep]
        counter.select(keep, threads)
        return counter.vocabulary(), df

    def _vectors(self, counts: Any) -> NDArray[Any]:
        information = pmi(
            counts, positive=self.positive, shift=self.shift, normalised=self.normalised
        )
        if information.nnz == 0:
            raise InputError(
                "no two words occur together more than by chance: more text, a larger window or "
                "positive=False is needed"
            )
        U, D, _ = truncated_svd(
            information.astype(np.float32), self.n_components, self.solver, self.random_state
        )
        return U * D**self.power if self.power > 0 else U

    def _word_weights(self) -> NDArray[np.float64]:
        if self.weights == "tf":
            return np.ones(len(self.words_))
        if self.idf_ is None:
            raise InputError(
                "in how many texts words occur is not known to these embeddings: use weights='tf'"
            )
        return self.idf_

    def _key(self, word: Any) -> str:
        return _core.lower(str(word)) if self.lowercase else str(word)

    def _check(self) -> None:
        check_solver(self.n_components, self.solver)
        for name, allowed in (("context", CONTEXTS), ("weights", WEIGHTS), ("tokens", TOKENS)):
            if getattr(self, name) not in allowed:
                expected = ", ".join(allowed)
                raise InputError(f"{name} is {getattr(self, name)!r}, expected one of {expected}")
        for name in ("window", "min_count", "max_words"):
            value = getattr(self, name)
            if name == "max_words" and value is None:
                continue
            if type(value) is not int or not 1 <= value < 2**31:
                raise InputError(f"{name} is {value!r}, expected a whole number from 1 up")
        for name in ("positive", "normalised", "lowercase"):
            if type(getattr(self, name)) is not bool:
                raise InputError(f"{name} is {getattr(self, name)!r}, expected True or False")
        for name, low, high in (("power", 0.0, 1.0), ("shift", 1e-9, 1e9)):
            value = getattr(self, name)
            if type(value) not in (int, float) or not low <= value <= high:
                raise InputError(f"{name} is {value!r}, expected a number from {low:g} to {high:g}")
        if self.tokens == "counts" and self.context != "document":
            raise InputError("word:count texts have no order: use context='document'")
