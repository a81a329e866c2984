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
from wordplane.scale.scratch_format import TOKENS, WORDS, ngrams_form
from wordplane.scale.text_blocks import TextBlocks
from wordplane.text.analyzer import Analyzer
from wordplane.text.analyzer_spec import AnalyzerSpec
from wordplane.text.documents import Documents

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
    spec = analyzer.resolve()
    for part, (min_n, max_n) in ngram_lengths(analyzer).items():
        counting = _PartCounting(part, spec, blocks, held_out, threads)
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


def token_block(
    scratch: Scratch, part: str, block: int, n_texts: int, n_kept: int
) -> tuple[_core.TokenBlock, NDArray[np.uint32]]:
    """A block of texts as numbers of its words, and which kept word each of these is."""
    sizes = {"texts": n_texts, "kept": n_kept}
    arrays = scratch.read_block(TOKENS, part, block, sizes)
    docs, tokens, times, word_of = (arrays[name] for name in TOKENS)
    block_of = _core.TokenBlock(docs, tokens, times, len(word_of))  # type: ignore[arg-type]
    return block_of, word_of  # type: ignore[return-value]


def remove_tokens(scratch: Scratch, part: str, block: int) -> None:
    """Give back the space of a block of texts."""
    for name in TOKENS:
        scratch.remove(f"{part}-{name}", block)


class _PartCounting:
    def __init__(
        self,
        part: str,
        spec: AnalyzerSpec,
        blocks: TextBlocks,
        held_out: Flags,
        threads: int,
    ) -> None:
        self.part, self.spec, self.blocks = part, spec, blocks
        self.analysis = spec.analyses()[part]
        self.min_df, self.threads = spec.selection.min_df, threads
        self.scratch, self.n_blocks = blocks.scratch, len(blocks.sizes)
        self.runs = self.scratch.section(part)  # of a step that is not finished
        self.bounds = blocks.bounds
        self.held_out = held_out

    def _held_out(self, block: int) -> Flags:
        return self.held_out[self.bounds[block] : self.bounds[block + 1]]

    def count_words(self, min_n: int) -> KeptNgrams:
        """Cut the texts into words, count the texts with each, and number those kept."""
        step = f"{self.part}-1"
        known = self.scratch.finished(step, WORDS)
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
        return ngrams

    def _cut(self, block: int) -> tuple[NDArray[np.uint8], NDArray[np.int64], Frequencies]:
        texts = self.spec.mask(Documents(self.blocks.texts(block))).texts
        first_row = int(self.bounds[block])
        (data, ends), (docs, tokens, times) = _core.cut_words(
            self.analysis, texts, 0, len(texts), first_row
        )
        df = _core.TokenBlock(docs, tokens, times, len(ends)).word_frequency(self._held_out(block))
        self.runs.write("bytes", block, data)
        self.runs.write("ends", block, ends)
        for name, array in (("docs", docs), ("tokens", tokens), ("times", times)):
            self.scratch.write(f"{self.part}-{name}", block, array)
        return data, ends, df

    def _number_words(self, kept: KeptNgrams) -> None:
        """Write down which kept word each word of a block is, in the place of the words."""
        for block in range(self.n_blocks):
            words = [self.runs.read(name, block) for name in ("bytes", "ends")]
            word_of = kept.index.find(*words)  # type: ignore[arg-type]
            self.scratch.write(f"{self.part}-word-of", block, word_of)
            for name in ("bytes", "ends"):
                self.runs.remove(name, block)

    def count_ngrams(self, kept: KeptNgrams) -> tuple[NDArray[np.uint64], Frequencies]:
        """The n-grams one word longer than the longest that are kept."""
        length = len(kept.keys) + 2
        step = f"{self.part}-{length}"
        known = self.scratch.finished(step, ngrams_form(len(kept.df[-1]), len(kept.df[0])))
        if known is None:
            levels, name = kept.levels, f"counting n-grams of {length}"
            run = partial(self._run, levels, len(kept.df[0]))
            sizes = list(ordered(run, self.n_blocks, self.threads, name))
            n_shards = max(1, sum(sizes) * RUN_BYTES // SHARD_BYTES)
            cuts = shard_cuts(kept.df[-1], n_shards)
            places = [self._places(block, size, cuts) for block, size in enumerate(sizes)]
            merge = partial(self._merge, places)
            merged = list(ordered(merge, len(cuts) + 1, self.threads, "merging n-grams"))
            keys = np.concatenate([keys for keys, _ in merged])
            df = np.concatenate([df for _, df in merged])
            del merged
            for block in range(self.n_blocks):
                self.runs.remove("keys", block)
                self.runs.remove("df", block)
            self.scratch.finish(step, [("keys", keys), ("df", df)])
        else:
            keys, df = known.arrays["keys"], known.arrays["df"]
        return keys, df

    def _run(self, levels: list[_core.NgramIndex], n_kept: int, block: int) -> int:
        n_texts = self.blocks.sizes[block]
        texts, word_of = token_block(self.scratch, self.part, block, n_texts, n_kept)
        keys, df = texts.count_ngrams(word_of, levels, self._held_out(block))
        self.runs.write("keys", block, keys)
        self.runs.write("df", block, df)
        return len(keys)

    def _places(self, block: int, size: int, cuts: NDArray[np.uint64]) -> list[int]:
        """Where the shards begin and end in the run of a block."""
        keys = self.runs.read("keys", block)
        return [0, *np.searchsorted(keys, cuts).tolist(), size]

    def _merge(self, places: list[list[int]], shard: int) -> tuple[NDArray[np.uint64], Frequencies]:
        keys, df, ends = [], [], [0]
        for block in range(self.n_blocks):
            begin, end = places[block][shard : shard + 2]
            if begin == end:
                continue
            keys.append(self.runs.read_run("keys", block, begin, end))
            df.append(self.runs.read_run("df", block, begin, end))
            ends.append(ends[-1] + end - begin)
        if not keys:
            return np.zeros(0, np.uint64), np.zeros((0, 2), np.uint32)
        run_keys, run_df = np.concatenate(keys), np.concatenate(df)
        del keys, df
        run_ends = np.array(ends[1:], np.int64)
        ngrams = _core.merge_ngrams(run_keys, run_df, run_ends, self.min_df)  # type: ignore[arg-type]
        return ngrams[0], ngrams[1]
