"""The vocabulary of texts in blocks is that of the same texts in memory.

Tests of wordplane.scale.counting and wordplane.scale.vocabularies.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordplane import _core
from wordplane.features.text_features import TextCounts, feature_mask
from wordplane.scale.counting import KeptNgrams
from wordplane.scale.row_encoding import encode_rows
from wordplane.scale.scratch import open_scratch
from wordplane.scale.text_blocks import TextBlocks
from wordplane.scale.vocabularies import count_vocabularies
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

WORDS = ["a", "b", "ab", "the", "film", "é", "日本", "not", "good", "!"]
texts_in_blocks = st.lists(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=6),
    min_size=1,
    max_size=5,
)
ANALYZERS = [
    {"ngrams": (1, 1)},
    {"ngrams": (1, 3), "boundaries": True, "min_df": 2},
    {"ngrams": (2, 3), "min_df": 2, "max_features": 5},
    {"ngrams": (1, 2), "max_df": 0.7},
    {"ngrams": (1, 2), "max_features": 4, "negation": True},
    {"ngrams": None, "chars": (1, 3), "chars_across": True},
    {"ngrams": (1, 2), "chars": (2, 4), "suffixes": [1], "shapes": True, "min_df": 2},
]


def store(scratch, blocks):
    stored = TextBlocks(scratch=scratch, part="train")
    for texts in blocks:
        stored.add(_core.Texts(texts), 0, len(texts))
    return stored


@pytest.mark.parametrize("params", ANALYZERS, ids=str)
@settings(max_examples=10, deadline=None)
@given(blocks=texts_in_blocks, seed=st.integers(0, 9))
def test_vocabulary_and_rows_are_those_in_memory(params, blocks, seed):
    analyzer = Analyzer(**params)
    spec = analyzer.resolve()
    texts = [text for block in blocks for text in block]
    held_out = np.random.default_rng(seed).random(len(texts)) < 0.3
    with open_scratch() as scratch:
        kept = count_vocabularies(analyzer, store(scratch, blocks), held_out, threads=2)
        for fit_on in (~held_out, np.ones(len(texts), bool)):
            own_texts = [t for t, own in zip(texts, fit_on, strict=True) if own]
            documents = Documents(_core.Texts(own_texts))
            n_docs = len(documents)
            memory = TextCounts.of(
                spec, documents, 1, lambda _, df, n=n_docs: feature_mask(spec.selection, df, n)
            )
            for part, expected in memory.vocabularies().items():
                columns = kept[part].columns(spec.selection, n_docs, held_out=n_docs == len(texts))
                found = kept[part].vocabulary(columns)
                assert found.names() == expected.names()
                assert all(map(np.array_equal, found.arrays(), expected.arrays())), part
        columns = {
            part: found.columns(spec.selection, len(texts), held_out=True)
            for part, found in kept.items()
        }
        rows = encode_rows(
            kept, columns, store(scratch, blocks), binary=False, deal=None, threads=1
        )
        parts = [rows.read(block) for block in range(len(blocks))]
    assert np.array_equal(np.concatenate([p[1] for p in parts]), memory.rows[1])
    assert np.array_equal(np.concatenate([p[2] for p in parts]), memory.rows[2])


def test_alphabetical_order_by_hand():
    # a, b; a a, b a; b a b
    keys = [np.array([0 << 32 | 0, 1 << 32 | 0], np.uint64), np.array([1 << 32 | 1], np.uint64)]
    words = np.frombuffer(b"ab", np.uint8), np.array([1, 2])
    df = [np.ones((n, 2), np.uint32) for n in (2, 2, 1)]
    kept = KeptNgrams(words, keys, df, 1, "words")
    # a (0), a a (2), b (1), b a (3), b a b (4)
    assert kept.alphabetical_order().tolist() == [0, 2, 1, 3, 4]


def test_merge_sums_runs_and_leaves_rare_ngrams_out():
    keys = np.array([1, 5, 9, 5, 9, 9], np.uint64)
    df = np.array([[1, 0], [1, 1], [0, 1], [2, 0], [1, 0], [4, 0]], np.uint16)
    found, sums, n_distinct = _core.merge_ngrams(keys, df, np.array([3, 5, 6]), 2)
    assert found.tolist() == [5, 9]
    assert sums.tolist() == [[3, 1], [5, 1]]
    assert n_distinct == 3


def test_a_damaged_run_is_refused():
    with pytest.raises(ValueError, match="ascend"):
        _core.merge_ngrams(
            np.array([5, 1], np.uint64), np.ones((2, 2), np.uint16), np.array([2]), 1
        )


def test_dealt_rows_are_all_there_once():
    texts = [f"w{i} common" for i in range(700)]
    blocks = [texts[:300], texts[300:]]
    analyzer = Analyzer(ngrams=(1, 1))
    with open_scratch() as scratch:
        stored = store(scratch, blocks)
        kept = count_vocabularies(analyzer, stored, np.zeros(700, bool), threads=2)
        columns = {"words": kept["words"].columns(analyzer, 700, held_out=True)}
        rows = encode_rows(kept, columns, stored, binary=True, deal=3, threads=2)
        names = kept["words"].vocabulary(columns["words"]).names()
        assert len(rows.bounds) - 1 == 256
        found = {}
        for block in range(256):
            indptr, indices, _ = rows.read(block)
            for i in range(len(indptr) - 1):
                row = rows.row_of[rows.bounds[block] + i]
                found[row] = {names[j] for j in indices[indptr[i] : indptr[i + 1]]}
    assert found == {row: set(text.split()) for row, text in enumerate(texts)}
