"""Hashed features, as scikit-learn's HashingVectorizer gives them.

A feature f with the hash h (MurmurHash3 of its UTF-8, a signed number of 32 bits) counts in
the column |h| mod n_features, with the sign of h. There is no vocabulary: nothing is learned,
any stream of texts can be read, and different features may share a column.
"""

from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.estimator import TextEstimator
from wordplane.common.threads import thread_count
from wordplane.features.count_vectorizer import DEFAULT_PATTERN, CountVectorizer
from wordplane.features.hashed_names import HashedNames
from wordplane.features.weighting import NORMS, check_choice
from wordplane.text.texts import batches, refuse_bare_string

# How a text becomes features: these parameters mean what they mean to a CountVectorizer.
READING = (
    "input", "encoding", "decode_error", "strip_accents", "lowercase", "preprocessor",
    "tokenizer", "stop_words", "token_pattern", "ngram_range", "analyzer",
)  # fmt: skip


class HashingVectorizer(TextEstimator):
    """Texts to a sparse matrix of hashed features; parameters and results are scikit-learn's.

    Parameters
    ----------
    input, encoding, ..., analyzer
        As in `CountVectorizer`.
    n_features : int, default 2**20
        Columns of the matrix. Fewer columns, more features that share one.
    binary : bool, default False
        1 instead of every sum.
    norm : "l1", "l2" or None, default "l2"
        What each row is divided by.
    alternate_sign : bool, default True
        Whether about half of the features count -1, so that those which share a column
        tend to cancel instead of adding up.
    dtype : type, default numpy.float64
        Of the matrix.
    names : bool, default False
        Whether `fit` and `partial_fit` note which features each column stands for, so that
        `feature_names` and `collision_share_` can tell. This reads the texts once more and
        needs memory for up to four names per column. (scikit-learn has no such parameter.)
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
        analyzer: str | Callable[[Any], Iterable[str]] = "word",
        n_features: int = 2**20,
        binary: bool = False,
        norm: str | None = "l2",
        alternate_sign: bool = True,
        dtype: Any = np.float64,
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

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters; with `names`, note the names of X and forget those before."""
        self.__dict__.pop("_names", None)
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters; with `names`, note the names of X beside those before."""
        refuse_bare_string(X)
        reader = self._reader()
        reader._warn_of_unused_parameters()
        if self.names:
            self._held_names().add(reader, X, thread_count(self.n_jobs))
        return self

    def transform(self, X: Any) -> Any:
        """The matrix of hashed features."""
        from scipy.sparse import csr_matrix

        refuse_bare_string(X)
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
        if indptr[-1] <= np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)
        matrix = csr_matrix((values, indices, indptr), shape=(len(indptr) - 1, self.n_features))
        matrix.has_canonical_format = True
        return matrix

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """fit, then transform."""
        refuse_bare_string(X)
        if self.names and not hasattr(X, "__len__"):
            X = list(X)  # read twice
        return self.fit(X).transform(X)

    # What the columns stand for

    def feature_names(self, column: int) -> list[str]:
        """The features met in a column during fit, the most frequent first; at most four."""
        self._check_names()
        return self._names.of(column)

    @property
    def collision_share_(self) -> NDArray[np.float64]:
        """For every column, which share of what was met there is not its main feature.

        Exact where at most four different features were met in a column; above, a little low.
        """
        self._check_names()
        return self._names.collision_share()

    # Features of one document, as scikit-learn names the steps

    def decode(self, doc: Any) -> str:
        """The text of a document: read from a file and decoded if it must be."""
        return self._reader().decode(doc)

    def build_preprocessor(self) -> Callable[[str], str]:
        """The function that folds case and strips accents."""
        return self._reader().build_preprocessor()

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """The function that cuts a text into tokens."""
        return self._reader().build_tokenizer()

    def get_stop_words(self) -> frozenset[str] | None:
        """The words to leave out."""
        return self._reader().get_stop_words()

    def build_analyzer(self) -> Callable[[Any], Iterable[str]]:
        """The function from a document to its features."""
        return self._reader().build_analyzer()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        tags.requires_fit = False
        return tags

    # Inside

    def _reader(self) -> CountVectorizer:
        """What reads texts by these parameters, which are checked."""
        if not isinstance(self.n_features, (int, np.integer)) or not (
            1 <= self.n_features < np.iinfo(np.int32).max
        ):
            raise InputError(
                f"n_features is {self.n_features!r}, expected a whole number from 1 to 2**31 - 2"
            )
        check_choice("norm", self.norm, NORMS)
        reader = CountVectorizer(**{name: getattr(self, name) for name in READING})
        reader._check_parameters()
        return reader

    def _hash(self, documents: Any, threads: int) -> _core.HashedRows:
        reader = self._reader()
        rows = _core.HashedRows(self.n_features, self.alternate_sign)
        if reader._finds_words_natively():
            analysis = reader._analysis()
            for texts in reader._texts(documents):
                for begin, end in batches(texts, "reading texts"):
                    rows.add(analysis, texts, begin, end, threads)
                del texts
        else:
            analyze = reader.build_analyzer()
            for document in documents:
                rows.add_features(analyze(document))
        return rows

    def _held_names(self) -> HashedNames:
        if "_names" not in vars(self):
            self._names = HashedNames(self.n_features)
        return self._names

    def _check_names(self) -> None:
        if "_names" not in vars(self):
            raise InputError("no names were kept: set names=True and call fit or partial_fit")
