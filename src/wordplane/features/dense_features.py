"""Features that are not counted: lexica, numbers, vectors, word embeddings, categories.

Also the lengths of texts, if counts are relative to them.

Numbers are standardized, (x - center) / scale, with their mean and standard deviation in the
training documents. All dimensions of a column of vectors, and of word embeddings, have the same
scale, the root of their summed variances, so that the mean squared norm of the group is 1; it is
multiplied by the weight of the group. Those that count (clusters of words) stay counts. Every
category that occurs in the training documents is a feature of its own.
"""

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.types import FloatArray, IntArray
from wordplane.data.vectors import MAX_NUMBER, VECTOR_KIND
from wordplane.text.analyzer_spec import AnalyzerSpec
from wordplane.text.column_spec import Embeddings, WordShares
from wordplane.text.documents import Documents
from wordplane.text.lexicon import LexiconSummary, lexicon_matrix, native_lexicon
from wordplane.text.texts import batches


@frozen
class DenseValues:
    """The values of some documents, not yet standardized."""

    numbers: FloatArray  # n_docs x n_numbers
    categories: dict[str, list[str | None]]
    lengths: FloatArray | None  # the number of tokens of each document, for tf="relative"
    dimensions: dict[str, int] = field(default_factory=dict)  # of the columns of vectors

    @classmethod
    def of(cls, spec: AnalyzerSpec, documents: Documents, threads: int) -> Self:
        """Lexicon features, columns and embeddings of the documents."""
        texts, plain = documents.texts, spec.tokens.plain_analysis()
        parts = [
            lexicon_matrix(plain, native_lexicon(entries), texts, threads)
            for entries in spec.columns.lexica.values()
        ]
        for name, column in documents.numbers.items():
            _check_size(name, column)
            parts.append(column[:, None])
        parts += list(documents.vectors.values())
        parts += [one.means(texts, threads) for one in spec.columns.embeddings.values()]
        numbers = np.hstack([np.zeros((len(documents), 0)), *parts])
        lengths = None
        if spec.weighting.tf == "relative":
            lengths = _token_counts(plain, texts, threads)
        dimensions = {name: vectors.shape[1] for name, vectors in documents.vectors.items()}
        return cls(numbers, documents.categories, lengths, dimensions)

    def take(self, rows: IntArray) -> Self:
        """The values of some of the documents."""
        categories = {
            name: [values[row] for row in rows.tolist()] for name, values in self.categories.items()
        }
        lengths = None if self.lengths is None else self.lengths[rows]
        return type(self)(self.numbers[rows], categories, lengths, self.dimensions)


def _check_size(name: str, numbers: FloatArray) -> None:
    """Raise an error if a number is so large that its square or its float32 would be infinite."""
    too_large = np.flatnonzero(np.abs(numbers) > MAX_NUMBER)
    if len(too_large) > 0:
        row = int(too_large[0])
        raise InputError(
            f"row {row + 1}: the column {name!r} is {numbers[row]:g}, expected at most "
            f"{MAX_NUMBER:g} in size"
        )


def _token_counts(analysis: _core.Analysis, texts: _core.Texts, threads: int) -> FloatArray:
    """The number of tokens of each text, including those that are not features."""
    parts = [
        _core.count_tokens(analysis, texts, begin, end, threads)
        for begin, end in batches(texts, "reading texts")
    ]
    return np.concatenate([np.zeros(0), *parts])


class DenseFeatures:
    """Fitted features that are not counted."""

    def __init__(
        self,
        spec: AnalyzerSpec,
        center: FloatArray,
        scale: FloatArray,
        categories: dict[str, list[str]],
        dimensions: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        lexicon_names = [
            f"lexicon:{name}:{feature}"
            for name in spec.columns.lexica
            for feature in LexiconSummary._fields
        ]
        kinds = spec.columns.kinds.items()
        self.numbers = lexicon_names + [name for name, kind in kinds if kind == "number"]
        n_standardized = len(self.numbers)
        self.dimensions = {name: dimensions[name] for name, kind in kinds if kind == VECTOR_KIND}
        self.vector_columns: dict[str, range] = {}
        for name, n in self.dimensions.items():
            first = len(self.numbers)
            self.numbers += [f"vector:{name}:{j}" for j in range(n)]
            self.vector_columns[name] = range(first, len(self.numbers))
        self._embeddings: list[tuple[str, Embeddings, slice]] = []
        n_others = len(self.numbers)
        for name, embeddings in spec.columns.embeddings.items():
            first, n_dimensions = len(self.numbers), embeddings.vectors_.shape[1]
            self.numbers += [f"embedding:{name}:{j}" for j in range(n_dimensions)]
            self._embeddings.append((name, embeddings, slice(first, len(self.numbers))))
        n_numbers = len(self.numbers)
        self._weight = np.ones(n_numbers)
        self._weight[n_standardized:n_others] = spec.weighting.group_weight("vector")
        self._weight[n_others:] = spec.weighting.group_weight("embedding")
        if (len(center), len(scale)) != (n_numbers, n_numbers) or not (scale > 0).all():
            raise InputError("expected one center and one scale above 0 per number")
        self.center, self.scale, self.categories = center, scale, categories
        self.embedding_columns = range(n_others, n_numbers)
        names = [f"{name}={value}" for name, values in categories.items() for value in values]
        self._index_of = {name: n_numbers + j for j, name in enumerate(names)}
        self.names = self.numbers + names

    @classmethod
    def fit(cls, spec: AnalyzerSpec, values: DenseValues) -> Self:
        """Fit the features to training documents."""
        center, spread = values.numbers.mean(axis=0), values.numbers.std(axis=0)
        end = len(spread)
        for embeddings in reversed(spec.columns.embeddings.values()):
            begin = end - embeddings.vectors_.shape[1]
            spread[begin:end] = np.sqrt((spread[begin:end] ** 2).sum())
            if embeddings.counts:
                center[begin:end], spread[begin:end] = 0.0, 1.0
            end = begin
        for n in reversed(values.dimensions.values()):
            spread[end - n : end] = np.sqrt((spread[end - n : end] ** 2).sum())
            end -= n
        categories = {
            name: sorted({value for value in column if value is not None})
            for name, column in values.categories.items()
        }
        scale = np.where(spread > 0, spread, 1.0)
        return cls(spec, center, scale, categories, values.dimensions)

    def matrix(self, values: DenseValues) -> _core.Csr:
        """The values of the features in the documents."""
        n_docs, n_numbers = len(values.numbers), len(self.center)
        self._check_dimensions(values)
        rows: list[NDArray[np.intp]] = [np.repeat(np.arange(n_docs), n_numbers)]
        indices: list[NDArray[np.intp]] = [np.tile(np.arange(n_numbers), n_docs)]
        numbers = values.numbers if n_docs > 0 else np.zeros((0, n_numbers))
        standardized = (numbers - self.center) / self.scale * self._weight
        data = [np.clip(standardized, -MAX_NUMBER, MAX_NUMBER).ravel()]
        for name, column in values.categories.items():
            index = np.array([self._index_of.get(f"{name}={value}", -1) for value in column], int)
            known = np.flatnonzero(index >= 0)
            rows.append(known)
            indices.append(index[known])
            data.append(np.ones(len(known)))
        row = np.concatenate(rows)
        order = np.argsort(row, kind="stable")  # the indices of a row ascend already
        indptr = np.zeros(n_docs + 1, np.int64)
        np.cumsum(np.bincount(row, minlength=n_docs), out=indptr[1:])
        return _core.Csr(
            len(self.names),
            indptr,
            np.concatenate(indices)[order].astype(np.int32),
            np.concatenate(data)[order].astype(np.float32),
        )

    def _check_dimensions(self, values: DenseValues) -> None:
        for name, n in self.dimensions.items():
            given = values.dimensions.get(name)
            if given != n and len(values.numbers) > 0:
                raise InputError(
                    f"the vectors {name!r} have {given} numbers, but the model was trained on "
                    f"vectors of {n}"
                )

    def word_contributions(self, texts: _core.Texts, w: FloatArray) -> WordShares:
        """What each word of the first text adds to the product of its mean word vectors and w,
        one weight per feature; what has no place in the text starts and ends at -1."""
        names: list[str] = []
        starts, ends, added = [], [], []
        for name, embeddings, columns in self._embeddings:
            scaled = w[columns] * self._weight[columns] / self.scale[columns]
            center = float(self.center[columns] @ scaled)
            if not embeddings.means(texts, 1)[:1].any():  # no word is known
                words: WordShares = [""], np.array([-1]), np.array([-1]), np.array([-center])
            else:
                words = embeddings.contributions(texts, embeddings.vectors_ @ scaled - center)
            names += [f"embedding:{name}:{word}".rstrip(":") for word in words[0]]
            starts.append(words[1])
            ends.append(words[2])
            added.append(words[3])
        return names, np.concatenate(starts), np.concatenate(ends), np.concatenate(added)
