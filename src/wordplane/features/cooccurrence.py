"""How often words occur together, and how much more than by chance.

    c_ij        the number of pairs of places in one context with word i in the first place and
                word j in the second
    PMI_ij      log(c_ij c.. / (c_i. c_.j)); 0 where c_ij is 0
    normalized  PMI_ij / -log(c_ij / c..), from -1 to 1
    shifted     minus log k
    positive    max(0, .)

The core counts about 16 MB of text at a time; counts of batches of similar size are added up, so
that memory holds the counts and one batch, however many texts there are.

References: Church and Hanks (1990), Computational Linguistics 16(1); Bouma (2009), GSCL; Levy and
Goldberg (2014), NIPS.
"""

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.matrix import scipy_csr
from wordplane.common.memory import available_memory
from wordplane.common.types import CsrMatrix
from wordplane.features.counting.core import CountArrays
from wordplane.text.texts import batches

CONTEXTS = ("window", "sentence", "document")
CHUNK_ROWS = 512  # weighted at a time


def cooccurrence(
    analysis: _core.Analysis,
    words: _core.Vocabulary,
    texts: _core.Texts,
    context: str,
    window: int,
    threads: int,
) -> CsrMatrix:
    """The counts c as a SciPy matrix of integers.

    context  "window": places at most `window` tokens apart; tokens that are not among the words
             occupy a place too. "sentence" or "document": all places of one
    """
    count: Callable[[int, int], CountArrays] = {
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
    shape = (words.n_features, words.n_features)
    parts = [scipy_csr(shape).astype(np.int64)]
    for begin, end in batches(texts, "counting pairs of words"):
        indptr, indices, values = count(begin, end)
        parts.append(scipy_csr((values, indices, indptr), shape=shape))
        while len(parts) > 1 and parts[-2].nnz <= 2 * parts[-1].nnz:
            _add_last(parts)
    while len(parts) > 1:
        _add_last(parts)
    return _mirror(parts.pop())


def _add_last(parts: list[CsrMatrix]) -> None:
    """Add the last part to the one before it."""
    _check_memory(*parts[-2:])
    last = parts.pop()
    parts[-1] = parts[-1] + last


def _mirror(upper: CsrMatrix) -> CsrMatrix:
    """The whole of a symmetric matrix, given its upper half."""
    _check_memory(upper, upper, upper)  # the lower half, and both
    lower = upper.T.tocsr()
    used = np.flatnonzero(np.diff(lower.indptr))
    last = lower.indptr[used + 1] - 1  # in each of these rows: the diagonal, if it is stored
    lower.data[last[lower.indices[last] == used]] = 0
    return upper + lower


def pmi(
    counts: ArrayLike | CsrMatrix,
    *,
    positive: bool = True,
    shift: float = 1.0,
    normalized: bool = False,
) -> CsrMatrix:
    """The pointwise mutual information of counts, as a sparse matrix.

    positive    whether values below 0 become 0
    shift       k: log k is subtracted
    normalized  whether to divide by the largest possible value

    >>> pmi([[0, 2], [2, 4]], positive=False).toarray().round(3).tolist()
    [[0.0, 0.288], [0.288, -0.118]]
    """
    from scipy.sparse import vstack

    matrix = scipy_csr(counts)
    total = float(matrix.sum())
    row_totals = np.asarray(matrix.sum(axis=1), np.float64).ravel()
    column_totals = np.asarray(matrix.sum(axis=0), np.float64).ravel()
    weighted = []
    for first in range(0, matrix.shape[0], CHUNK_ROWS):
        chunk = matrix[first : first + CHUNK_ROWS]
        c, n_in_row = chunk.data.astype(np.float64), np.diff(chunk.indptr)
        row_total = np.repeat(row_totals[first : first + CHUNK_ROWS], n_in_row)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.log(row_total) + np.log(column_totals)[chunk.indices] - np.log(total)
            values = np.log(c) - expected
            if normalized:
                # A pair that makes up all counts carries no information.
                values = np.where(c == total, 0.0, values / (np.log(total) - np.log(c)))
        values -= np.log(shift)
        if positive:
            np.maximum(values, 0.0, out=values)
        values[c == 0] = 0.0
        rows = scipy_csr((values, chunk.indices, chunk.indptr), shape=chunk.shape)
        rows.eliminate_zeros()
        weighted.append(rows)
    return cast(CsrMatrix, vstack(weighted, format="csr"))


def _check_memory(*parts: CsrMatrix) -> None:
    """Raise an error if there is not enough memory for copies of these matrices."""
    needed = sum(part.data.nbytes + part.indices.nbytes for part in parts)
    if needed > available_memory():
        raise InputError(
            f"the counts of {sum(part.nnz for part in parts):,} pairs of words need more memory "
            "than is available; raise `min_count`, lower `max_words`, or use a smaller `window`"
        )
