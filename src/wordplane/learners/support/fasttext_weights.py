"""A supervised model of fastText: its matrices, and what its loss makes of their product.

The outputs of a text are o = B h, with h the mean of rows of the input matrix
(native/features/fasttext.h). By the loss, the score of label k is

    softmax   o_k; of labels that have the same probability in 32 bits, the last is ahead by a
              trifle, as fastText prefers it
    ova, ns   log p, p = 1 / (1 + exp(-o_k)), which fastText looks up in a table: o_k is rounded
              down to a multiple of 1/32, and p is 0 and 1 beyond -8 and 8; of equals, the last
              label is ahead, as above. For label sets it is log(p / (1 - p))
    hs        log p by a tree of decisions (`huffman`)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.memory import require_memory
from wordplane.common.partial_scores import LEAST_LOGIT
from wordplane.common.types import AnyArray, FloatArray, IntArray, JsonObject
from wordplane.learners.support.huffman import HuffmanTree
from wordplane.text.texts import batches

LOSSES = ("hs", "ns", "softmax", "ova")
MAX_COLUMNS, MAX_RUN, MAX_NGRAMS = 10_000, 50, 100
MAX_SIZE = 1e6  # of a number in a matrix: products and sums are then finite
TRIFLE = 1e-7
NEAR = np.float32(1e-5)  # outputs of labels whose probabilities may be the same number of 32 bits
ROWS_AT_ONCE = 4096
PREFIX = "__label__"

# The table of sigmoids: 32 steps for each unit from -8 to 8, before them 0, and after them 1.
STEPS, MOST_LOGIT = np.float32(32), np.float32(8)
LOGITS = np.array([LEAST_LOGIT, *(np.arange(513) / 32 - 8), -LEAST_LOGIT])
LOG_SIGMOIDS = -np.logaddexp(0, -LOGITS)

# Names, types and numbers of dimensions of the arrays. A matrix is there as numbers, or as codes,
# with norms or without; `counts` is for hs, `kept` for pruned models.
_MATRIX = {
    "": ("float32", 2),
    "_codes": ("uint8", 2),
    "_centroids": ("float32", 1),
    "_norm_codes": ("uint8", 1),
    "_norms": ("float32", 1),
}
ARRAYS = {
    **{name + part: kind for name in ("input", "output") for part, kind in _MATRIX.items()},
    "order": ("int32", 1),
    "counts": ("int64", 1),
    "kept": ("int32", 2),
}

Arrays = Mapping[str, AnyArray]


@frozen
class FastTextSettings:
    """How texts are read, and the loss.

    n_columns    of both matrices
    n_buckets    that hashes choose from
    min_n, max_n   characters of subwords; there are none if max_n is 0
    word_ngrams  words of the longest n-gram
    prefix       of labels in texts, which are not read
    input_part, output_part   columns of the parts of a quantized matrix; 0 if it is not
    """

    loss: str
    n_columns: int
    n_buckets: int
    min_n: int
    max_n: int
    word_ngrams: int
    prefix: str = PREFIX
    input_part: int = 0
    output_part: int = 0

    def __post_init__(self) -> None:
        right = (
            self.loss in LOSSES
            and 1 <= self.n_columns <= MAX_COLUMNS
            and 0 <= self.n_buckets < 2**31
            and 0 <= self.min_n < 2**31
            and 0 <= self.max_n <= MAX_RUN
            and 1 <= self.word_ngrams <= MAX_NGRAMS
            and 0 <= self.input_part <= self.n_columns
            and 0 <= self.output_part <= self.n_columns
        )
        if not right:
            raise InputError(f"settings of fastText that cannot be: {asdict(self)!r:.300}")

    def to_dict(self) -> JsonObject:
        """As JSON can hold them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, described: object) -> Self:
        """The inverse of `to_dict`; types and ranges are checked."""
        names = [field.name for field in fields(cls)]
        if not isinstance(described, dict) or set(described) != set(names):
            raise InputError(f"the settings of fastText are {', '.join(names)}")
        for name, value in described.items():
            if type(value) is not (str if name in ("loss", "prefix") else int):
                raise InputError(f"the setting {name} of fastText is {value!r:.60}")
        return cls(**described)


class FastTextWeights:
    """The model.

    words     the listed words; their columns are rows of the input matrix
    classes   the labels without prefix, sorted
    arrays    by the names of `ARRAYS`; anything odd in them is refused
    """

    def __init__(
        self,
        words: _core.Vocabulary,
        classes: Sequence[str],
        settings: FastTextSettings,
        arrays: Arrays,
    ) -> None:
        self.words, self.classes, self.settings = words, tuple(classes), settings
        self.arrays = dict(arrays)
        order = self.arrays.get("order", np.zeros(0, np.int32))
        if not np.array_equal(np.sort(order), np.arange(len(classes))):
            raise InputError("the order of labels does not name each of them once")
        self._expect_arrays()
        self._input = self._matrix("input", settings.input_part)
        self._output = self._matrix("output", settings.output_part)
        if self._output.shape[0] != len(classes):
            raise InputError("one output for each label expected")
        self._order = order.astype(np.int64)
        self._tree = None
        if settings.loss == "hs":
            if len(self.arrays["counts"]) != len(classes):
                raise InputError("one count for each label expected")
            self._tree = HuffmanTree(self.arrays["counts"].tolist())
        self._native = _core.FastText(
            words,
            [settings.prefix + label for label in self.classes],
            settings.n_buckets,
            (settings.min_n, settings.max_n),
            settings.word_ngrams,
            self.arrays.get("kept"),
            self._input,
            self._output,
        )

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return FastTextWeights, (self.words, self.classes, self.settings, self.arrays)

    def _expect_arrays(self) -> None:
        expected = {"order"} | ({"counts"} if self.settings.loss == "hs" else set())
        for name in ("input", "output"):
            is_quantized = getattr(self.settings, f"{name}_part") > 0
            norms = {f"{name}_norm_codes", f"{name}_norms"}
            own = {f"{name}_codes", f"{name}_centroids"} | (norms & set(self.arrays))
            expected |= own if is_quantized else {name}
        if set(self.arrays) - {"kept"} != expected:
            raise InputError(f"the arrays {', '.join(sorted(expected))} of fastText are expected")

    def _matrix(self, name: str, part: int) -> _core.FastTextMatrix:
        own = [array for key, array in self.arrays.items() if key.split("_")[0] == name]
        for array in own:
            small = array.size == 0 or (array.min() >= -MAX_SIZE and array.max() <= MAX_SIZE)
            if not small:
                raise InputError(f"a number of the {name} matrix is not finite, or above 1e6")
        columns = self.settings.n_columns
        if part == 0:
            values = self.arrays[name]
            if values.shape[1] != columns or len(values) == 0:
                raise InputError(f"the {name} matrix has another shape than stated")
            return _core.FastTextMatrix(values)
        return _core.FastTextMatrix(
            self.arrays[f"{name}_codes"],
            self.arrays[f"{name}_centroids"],
            self.arrays.get(f"{name}_norm_codes", np.zeros(0, np.uint8)),
            self.arrays.get(f"{name}_norms", np.zeros(0, np.float32)),
            columns,
            part,
        )

    @property
    def n_outputs(self) -> int:
        """The number of scores of a text: with two labels and softmax their difference alone."""
        return (
            1 if len(self.classes) == 2 and self.settings.loss == "softmax" else len(self.classes)
        )

    def scores(self, texts: _core.Texts, threads: int, sets: bool) -> FloatArray:
        """One row of scores per text; `sets` if texts have sets of labels."""
        z = np.empty((len(texts), self.n_outputs))
        for begin, end in batches(texts, "classifying texts"):
            for first in range(begin, end, ROWS_AT_ONCE):
                last = min(first + ROWS_AT_ONCE, end)
                outputs = np.empty((last - first, len(self.classes)), np.float32)
                self._native.outputs(texts, first, outputs, threads)
                z[first:last] = self._scores_of(outputs, sets)
        return z

    def _scores_of(self, outputs: NDArray[np.float32], sets: bool) -> FloatArray:
        if self._tree is not None:
            z = self._tree.log_probabilities(outputs).astype(np.float64)
        elif self.settings.loss == "softmax":
            z = outputs.astype(np.float64)
            _prefer_last(outputs, z)
        else:
            z = (LOGITS if sets else LOG_SIGMOIDS)[_table_places(outputs)]
            z += np.linspace(0.0, TRIFLE, outputs.shape[1] + 1)[1:]
        z = z[:, self._order]
        return np.asarray(z if z.shape[1] == self.n_outputs else z[:, 1:] - z[:, :1])

    def direction(self, k: int) -> FloatArray:
        """The vector v whose product v . h is explained of class k: with softmax its output above
        the mean of all (of two, above the other), otherwise its own; with hs, the sum of those on
        the way to it, those of left branches with the other sign."""
        label = int(self._order[k])
        if self._tree is not None:
            outputs, signs = zip(*self._tree.path(label), strict=True)
            return np.asarray(np.array(signs, np.float64) @ self._rows(self._output, outputs))
        own = self._rows(self._output, [label])[0]
        if self.settings.loss != "softmax":
            return np.asarray(own)
        difference = own - self._mean_output
        return np.asarray(2 * difference if len(self.classes) == 2 else difference)

    @cached_property
    def _mean_output(self) -> FloatArray:
        n = len(self.classes)
        parts = (range(at, min(at + ROWS_AT_ONCE, n)) for at in range(0, n, ROWS_AT_ONCE))
        total = sum(self._rows(self._output, part).sum(axis=0) for part in parts)
        return np.asarray(total / n)

    @staticmethod
    def _rows(matrix: _core.FastTextMatrix, rows: Sequence[int] | IntArray) -> FloatArray:
        return np.asarray(matrix.take(np.asarray(rows, np.int64)), np.float64)

    def contributions(
        self, texts: _core.Texts, direction: FloatArray
    ) -> tuple[list[str], IntArray, IntArray, FloatArray]:
        """What every row of the input that the first text has adds to direction . h: names, where
        they begin and end, values; strongest first. They sum to it."""
        names, rows, starts, ends = self._native.places(texts, 0)
        parts = np.split(rows, range(ROWS_AT_ONCE, len(rows), ROWS_AT_ONCE))
        values = np.concatenate([self._rows(self._input, part) @ direction for part in parts])
        values /= max(len(rows), 1)
        order = np.lexsort((ends, starts, -np.abs(values)))
        return [names[i] for i in order.tolist()], starts[order], ends[order], values[order]

    def _word_vectors(self) -> Iterator[NDArray[np.float32]]:
        """The vectors of the listed words, some at a time."""
        for begin in range(0, self.words.n_features, ROWS_AT_ONCE):
            n_words = min(ROWS_AT_ONCE, self.words.n_features - begin)
            vectors = np.empty((n_words, self.settings.n_columns), np.float32)
            self._native.word_vectors(begin, vectors, 1)
            yield vectors

    @cached_property
    def _all_word_vectors(self) -> NDArray[np.float32]:
        size = 8 * self.words.n_features * self.settings.n_columns
        require_memory(size, "the vectors of all words", "use a machine with more memory")
        return np.concatenate(list(self._word_vectors()))

    def word_weights(self, k: int) -> NDArray[np.float32]:
        """What each listed word would add to the score of class k, if it were all of a text; with
        hs, the logarithm of its probability."""
        vectors = self._all_word_vectors
        if self._tree is None:
            return np.asarray(vectors @ self.direction(k).astype(np.float32))
        outputs, signs = zip(*self._tree.path(int(self._order[k])), strict=True)
        rows = self._rows(self._output, outputs) * np.array(signs)[:, None]
        z = vectors @ rows.T.astype(np.float32)
        return np.asarray(-np.logaddexp(0, -z).sum(axis=1), np.float32)

    def strongest(self) -> FloatArray:
        """By listed word, the length of its vector."""
        lengths = [np.linalg.norm(vectors, axis=1) for vectors in self._word_vectors()]
        return np.concatenate(lengths).astype(np.float64)


def _table_places(outputs: NDArray[np.float32]) -> IntArray:
    """Where in the table of sigmoids outputs are.

    >>> LOGITS[_table_places(np.array([0.05, -0.01, 8.0, 9.0, -9.0], np.float32))].tolist()
    [0.03125, -0.03125, 8.0, 50.0, -50.0]
    """
    inside = np.clip(outputs, -MOST_LOGIT, MOST_LOGIT)
    places = np.floor((inside + MOST_LOGIT) * STEPS).astype(np.int64) + 1
    places[outputs > MOST_LOGIT] = len(LOGITS) - 1
    places[outputs < -MOST_LOGIT] = 0
    return np.asarray(places)


def _prefer_last(outputs: NDArray[np.float32], z: FloatArray) -> None:
    """Raise the score of the last of the labels that are the best by the logarithms of fastText,
    which are of 32 bits and have 1e-5 added to the probability, where another is ahead.

    >>> outputs = np.array([[0.5, 0.5, 0.4]], np.float32)
    >>> z = outputs.astype(np.float64)
    >>> _prefer_last(outputs, z)
    >>> int(z.argmax())
    1
    """
    best = outputs.max(axis=1, keepdims=True)
    close = np.flatnonzero((outputs >= best - NEAR).sum(axis=1) > 1)
    for row in close.tolist():
        o = outputs[row]
        e = np.exp((o - o.max()).astype(np.float64)).astype(np.float32)
        p = e / np.add.accumulate(e)[-1]  # sums of 32 bits, in order
        log_p = np.log(p.astype(np.float64) + 1e-5).astype(np.float32)
        last = len(o) - 1 - int(log_p[::-1].argmax())
        z[row, last] = max(z[row, last], z[row].max() + TRIFLE)
