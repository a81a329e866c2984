"""Which features the columns of a hashed matrix stand for, in bounded memory.

Each column keeps at most four features with counts (space-saving). A feature already kept
adds to its count; a new one takes a free place, or else the place *and the count* of the
least frequent. So the counts of a column always sum to all that was met in it, a feature
that makes up more than a quarter of a column is among its four, and no count is too low,
or too high by more than a quarter of the column.

Reference: Metwally, Agrawal and El Abbadi (2005), ICDT.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.features.count_vectorizer import CountVectorizer
from wordplane.features.counting import count
from wordplane.text.texts import batches

N_KEPT = 4
BATCH_DOCUMENTS = 4096


class HashedNames:
    """The most frequent features of every column met so far."""

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self._kept: dict[int, dict[str, int]] = {}

    def add(self, reader: CountVectorizer, documents: Any, threads: int) -> None:
        """Count the features of these documents."""
        for counts in _counted(reader, documents, threads):
            self.add_counts(counts)

    def add_counts(self, counts: dict[str, int]) -> None:
        """Count features that were met so many times."""
        columns = _core.hashed_columns(counts, self.n_features)
        for (name, n), column in zip(counts.items(), columns.tolist(), strict=True):
            kept = self._kept.setdefault(column, {})
            if name in kept or len(kept) < N_KEPT:
                kept[name] = kept.get(name, 0) + n
            else:
                least = min(kept, key=kept.__getitem__)
                kept[name] = kept.pop(least) + n

    def of(self, column: int) -> list[str]:
        """The features kept for a column, the most frequent first, alphabetical among equals."""
        kept = self._kept.get(column, {})
        return sorted(kept, key=lambda name: (-kept[name], name))

    def collision_share(self) -> NDArray[np.float64]:
        """Of every column, the share of occurrences that are not of its main feature."""
        share = np.zeros(self.n_features)
        for column, kept in self._kept.items():
            share[column] = 1 - max(kept.values()) / sum(kept.values())
        return share


def _counted(reader: CountVectorizer, documents: Any, threads: int) -> Iterator[dict[str, int]]:
    """Counts of the features of one batch of documents after the other."""
    if reader._finds_words_natively():
        for texts in reader._texts(documents):
            for begin, end in batches(texts, "noting names"):
                batch = texts.take(np.arange(begin, end))
                counter = count(reader._analysis(), [batch], "alphabetical", threads)
                tf = counter.term_frequency(threads).tolist()
                counter.select(np.ones(counter.n_features, dtype=bool), threads)
                yield dict(zip(counter.vocabulary().names(), tf, strict=True))
        return
    analyze = reader.build_analyzer()
    for chunk in _chunks(documents):
        yield Counter(chain.from_iterable(map(analyze, chunk)))


def _chunks(documents: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(documents)
    while chunk := list(islice(rest, BATCH_DOCUMENTS)):
        yield chunk
