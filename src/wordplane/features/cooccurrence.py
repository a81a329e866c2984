"""How often words occur together, and how much more than by chance.

    c_ij      pairs of places of one context with word i at the one and word j at the other
    PMI_ij    log(c_ij c.. / (c_i. c_.j)); where c_ij is 0, it is 0
    normalised PMI_ij / -log(c_ij / c..), from -1 to 1
    shifted   less log k
    positive  max(0, .)

The core counts about 16 MB of text at a time; counts of runs that are alike in size are added up,
so that memory holds the counts and one run, however many texts there are.

References: Church and Hanks (1990), Computational Linguistics 16(1); Bouma (2009), GSCL; Levy and
Goldberg (2014), NIPS.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.memory import available_memory
from wordplane.text.texts import batches

CONTEXTS = ("window", "sentence", "document")
ROWS = 512  # that are weighed at a time


def cooccurrence(
    analysis: _core.Analysis,
    words: _core.Vocabulary,
    texts: _core.Texts,
    context: str,
    window: int,
    threads: int,
) -> Any:
    """The counts c as a SciPy matrix of integers.

    context  "window": places at most `window` tokens apart; tokens that are not among the words
             take up a place. "sentence", "document": all places of one.
    """
    count: Callable[[int, int], Any] = {
        "window": lambda begin, end: _core.count_in_windows(
            analysis, words, texts, begin, end, window, threads
        ),
        "sentence": lambda begin, end: _core.count_in_sentences(
            analysis, words, texts, begin, end, threads
        ),
        "document": lambda begin, end: _core.count_in_documents(
            analysis, words, texts, begin, end, threads
        ),
    }[context]
    from scipy.sparse import csr_matrix

    shape = (words.n_features, words.n_features)
    parts = [csr_matrix(shape, dtype=np.int64)]
    for begin, end in batches(texts, "counting pairs of words"):
        indptr, indices, values = count(begin, end)
        parts.append(csr_matrix((values, indices, indptr), shape=shape))
        while len(parts) > 1 and parts[-2].nnz <= 2 * parts[-1].nnz:
            _add_last(parts)
    while len(parts) > 1:
        _add_last(parts)
    return _mirrored(parts.pop())


def _add_last(parts: list[Any]) -> None:
    """Add the last part to the one before it."""
    _check_memory(*parts[-2:])
    last = parts.pop()
    parts[-1] = parts[-1] + last


def _mirrored(upper: Any) -> Any:
    """Both halves of a symmetric matrix of which the upper is given."""
    _check_memory(upper, upper, upper)  # the lower half, and both
    lower = upper.T.tocsr()
    used = np.flatnonzero(np.diff(lower.indptr))
    last = lower.indptr[used + 1] - 1  # in each of these rows: the diagonal, if it is there
    lower.data[last[lower.indices[last] == used]] = 0
    return upper + lower


def pmi(counts: Any, *, positive: bool = True, shift: float = 1.0, normalised: bool = False) -> Any:
    """The pointwise mutual information of counts, as a sparse matrix.

    positive    whether values below 0 become 0
    shift       k: log k is taken off
    normalised  whether the information is divided by its largest possible value

    >>> pmi([[0, 2], [2, 4]], positive=False).toarray().round(3).tolist()
    [[0.0, 0.288], [0.288, -0.118]]
    """
    from scipy.sparse import csr_matrix, vstack

    matrix = csr_matrix(counts)
    total = float(matrix.sum())
    of_row = np.asarray(matrix.sum(axis=1), np.float64).ravel()
    of_column = np.asarray(matrix.sum(axis=0), np.float64).ravel()
    blocks = []
    for first in range(0, matrix.shape[0], ROWS):
        block = matrix[first : first + ROWS]
        c, n_in_row = block.data.astype(np.float64), np.diff(block.indptr)
        row_total = np.repeat(of_row[first : first + ROWS], n_in_row)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.log(row_total) + np.log(of_column)[block.indices] - np.log(total)
            values = np.log(c) - expected
            if normalised:
                # A pair that is all there is tells nothing.
                values = np.where(c == total, 0.0, values / (np.log(total) - np.log(c)))
        values -= np.log(shift)
        if positive:
            np.maximum(values, 0.0, out=values)
        values[c == 0] = 0.0
        weighed = csr_matrix((values, block.indices, block.indptr), shape=block.shape)
        weighed.eliminate_zeros()
        blocks.append(weighed)
    return vstack(blocks, format="csr")


def _check_memory(*parts: Any) -> None:
    """Refuses what is to take as much memory as these matrices, if there is less."""
    needed = sum(part.data.nbytes + part.indices.nbytes for part in parts)
    if needed > available_memory():
        raise InputError(
            f"the counts of {sum(part.nnz for part in parts):,} pairs of words need more memory "
            "than there is: raise min_count, lower max_words, or use a smaller window"
        )
