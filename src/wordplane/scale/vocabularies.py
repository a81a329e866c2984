"""Counts the words and n-grams of texts in blocks: cut, count, merge (see counting.py).

Runs of n-grams are merged shard by shard, a shard being a range of keys, so that memory is bounded
whatever the number of n-grams; where the cuts are makes no difference to the result.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.learners.support.row_blocks import Array
from wordplane.scale.counting import (
    MERGED_AT_ONCE,
    Frequencies,
    KeptNgrams,
    merge_word_lists,
    shard_cuts,
)
from wordplane.scale.ordered import ordered
from wordplane.scale.scratch import Scratch
from wordplane.scale.text_blocks import TextBlocks
from wordplane.text.analyzer import Analyzer

SHARD_BYTES = 1 << 25
RUN_BYTES = 12  # of an n-gram in a run
Flags = NDArray[np.bool_]


def count_vocabularies(
    analyzer: Analyzer, blocks: TextBlocks, held_out: Flags, threads: int
) -> dict[str, KeptNgrams]:
    """By part, the words and n-grams that occur in at least `analyzer.min_df` texts.

    The texts stay on disk as numbers of kept words, for `token_block`. Words, and n-grams of each
    length, are counted in steps of their own, named `PART-LENGTH`.
    """
    kept = {}
    analyses = analyzer.resolve().analyses()
    for part, (min_n, max_n) in ngram_lengths(analyzer).items():
        analysis = analyses[part]
        counting = _PartCounting(part, analysis, blocks, held_out, analyzer.min_df, threads)
        ngrams = counting.count_words(min_n)
        for _ in range(2, max_n + 1):
            keys, df = counting.count_ngrams(ngrams)
            ngrams = KeptNgrams(ngrams.words, [*ngrams.keys, keys], [*ngrams.df, df], min_n, part)
        kept[part] = ngrams
    return kept


def ngram_lengths(analyzer: Analyzer) -> dict[str, tuple[int, int]]:
    """Of every part, the length of its shortest and longest features."""
    lengths = {"words": analyzer.ngrams, "chars": analyzer.chars, "tokens": (1, 1)}
    return {part: lengths[part] or (1, 1) for part in analyzer.resolve().analyses()}


def token_block(scratch: Scratch, part: str, block: int) -> _core.TokenBlock:
    """A block of texts as numbers of its words."""
    names = ("docs", "tokens", "times")
    docs, tokens, times = (scratch.read(f"{part}-{name}", block) for name in names)
    n_words = len(scratch.read(f"{part}-word-of", block))
    return _core.TokenBlock(docs, tokens, times, n_words)  # type: ignore[arg-type]


def remove_tokens(scratch: Scratch, part: str, block: int) -> None:
    """Give back the space of a block of texts."""
    for name in ("docs", "tokens", "times", "word-of"):
        scratch.remove(f"{part}-{name}", block)


class _PartCounting:
    def __init__(
        self,
        part: str,
        analysis: _core.Analysis | _core.TokenFeatures,
        blocks: TextBlocks,
        held_out: Flags,
        min_df: int,
        threads: int,
    ) -> None:
        self.part, self.analysis, self.blocks = part, analysis, blocks
        self.min_df, self.threads = min_df, threads
        self.scratch, self.n_blocks = blocks.scratch, len(blocks.sizes)
        self.bounds = blocks.bounds
        self.held_out = held_out

    def _held_out(self, block: int) -> Flags:
        return self.held_out[self.bounds[block] : self.bounds[block + 1]]

    def count_words(self, min_n: int) -> KeptNgrams:
        """Cut the texts into words, count the texts with each, and number those kept."""
        step = f"{self.part}-1"
        known = self.scratch.finished(step)
        if known is not None:
            words = known.arrays["bytes"], known.arrays["ends"]
            df = known.arrays["df"]
            ngrams = KeptNgrams(words, [], [df], min_n, self.part)  # type: ignore[arg-type, list-item]
        else:
            lists = []
            for one in ordered(self._cut, self.n_blocks, self.threads, "counting words"):
                lists.append(one)
                if len(lists) == MERGED_AT_ONCE:
                    lists = [_core.merge_words(lists, 0)]
            kept, frequencies = merge_word_lists(lists, self.min_df)
            del lists
            ngrams = KeptNgrams(kept, [], [frequencies], min_n, self.part)
            self._number_words(ngrams)
            arrays: list[tuple[str, Array]] = [("bytes", kept[0]), ("ends", kept[1])]
            self.scratch.finish(step, [*arrays, ("df", frequencies)])
        for block in range(self.n_blocks):
            for name in ("bytes", "ends"):
                self.scratch.remove(f"{self.part}-{name}", block)
        return ngrams

    def _cut(self, block: int) -> tuple[NDArray[np.uint8], NDArray[np.int64], Frequencies]:
        texts = self.blocks.texts(block)
        first_row = int(self.bounds[block])
        (data, ends), (docs, tokens, times) = _core.cut_words(
            self.analysis, texts, 0, len(texts), first_row
        )
        df = _core.TokenBlock(docs, tokens, times, len(ends)).word_frequency(self._held_out(block))
        arrays: dict[str, NDArray[np.generic]] = {"bytes": data, "ends": ends}
        arrays |= {"docs": docs, "tokens": tokens, "times": times}
        for name, array in arrays.items():
            self.scratch.write(f"{self.part}-{name}", block, array)
        return data, ends, df

    def _number_words(self, kept: KeptNgrams) -> None:
        """Write down which kept word each word of a block is."""
        for block in range(self.n_blocks):
            words = [self.scratch.read(f"{self.part}-{name}", block) for name in ("bytes", "ends")]
            word_of = kept.index.find(*words)  # type: ignore[arg-type]
            self.scratch.write(f"{self.part}-word-of", block, word_of)

    def count_ngrams(self, kept: KeptNgrams) -> tuple[NDArray[np.uint64], Frequencies]:
        """The n-grams one word longer than the longest that are kept."""
        length = len(kept.keys) + 2
        step = f"{self.part}-{length}"
        known = self.scratch.finished(step)
        if known is None:
            levels, name = kept.levels, f"counting n-grams of {length}"
            sizes = list(ordered(partial(self._run, levels), self.n_blocks, self.threads, name))
            n_shards = max(1, sum(sizes) * RUN_BYTES // SHARD_BYTES)
            cuts = shard_cuts(kept.df[-1], n_shards)
            places = [self._places(block, size, cuts) for block, size in enumerate(sizes)]
            merge = partial(self._merge, places)
            merged = list(ordered(merge, len(cuts) + 1, self.threads, "merging n-grams"))
            keys = np.concatenate([keys for keys, _ in merged])
            df = np.concatenate([df for _, df in merged])
            del merged
            self.scratch.finish(step, [("keys", keys), ("df", df)])
        else:
            keys, df = known.arrays["keys"], known.arrays["df"]
        for block in range(self.n_blocks):
            self.scratch.remove("keys", block)
            self.scratch.remove("df", block)
        return keys, df

    def _run(self, levels: list[_core.NgramIndex], block: int) -> int:
        word_of = self.scratch.read(f"{self.part}-word-of", block)
        texts = token_block(self.scratch, self.part, block)
        keys, df = texts.count_ngrams(word_of, levels, self._held_out(block))  # type: ignore[arg-type]
        for name, run in (("keys", keys), ("df", df)):
            self.scratch.remove(name, block)  # of a start that came to no end
            self.scratch.append(name, block, run)
        return len(keys)

    def _places(self, block: int, size: int, cuts: NDArray[np.uint64]) -> list[int]:
        """Where the shards begin and end in the run of a block."""
        keys = self.scratch.read_run("keys", block, np.uint64, 0, size)
        return [0, *np.searchsorted(keys, cuts).tolist(), size]

    def _merge(self, places: list[list[int]], shard: int) -> tuple[NDArray[np.uint64], Frequencies]:
        keys, df, ends = [], [], [0]
        for block in range(self.n_blocks):
            begin, end = places[block][shard : shard + 2]
            if begin == end:
                continue
            keys.append(self.scratch.read_run("keys", block, np.uint64, begin, end))
            df.append(self.scratch.read_run("df", block, np.uint16, 2 * begin, 2 * end))
            ends.append(ends[-1] + end - begin)
        if not keys:
            return np.zeros(0, np.uint64), np.zeros((0, 2), np.uint32)
        run_keys, run_df = np.concatenate(keys), np.concatenate(df).reshape(-1, 2)
        del keys, df
        ngrams = _core.merge_ngrams(run_keys, run_df, np.array(ends[1:], np.int64), self.min_df)
        return ngrams[0], ngrams[1]
