"""Tests of wordplane.features.induction: lexica from labeled texts."""

from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from tests.strategies import sentences
from wordplane import Analyzer
from wordplane.common.errors import InputError
from wordplane.features.induction import induce
from wordplane.text import LexiconFeatures


def test_induction_by_hand():
    texts = ["great fun great", "great film", "dull film", "a dull great film", "dull"]
    found = induce(texts, ["pos", "pos", "neg", "neg", "neg"], analyzer=words_only(), min_df=2)
    records = {(r.word, r.label): r for r in found.records(min_odds=0)}
    assert set(records) == {(w, c) for w in ("great", "film", "dull") for c in ("pos", "neg")}
    great = records["great", "pos"]
    assert (great.n, great.precision, great.recall, great.f1) == (3, 2 / 3, 1, 4 / 5)
    # dull: 3 of 3; great: odds 2 : 1 against 2 : 3; film: 1 : 2 for pos, 2 : 1 against 3 : 2.
    assert [(r.word, r.label) for r in found.records()] == [("dull", "neg"), ("great", "pos")]
    assert [r.word for r in found.records("neg")] == ["dull"]
    assert [r.word for r in found.records("neg", min_odds=1)] == ["dull", "film"]
    assert [r.word for r in found.records(min_odds=0, top=1)] == ["dull"]
    lexicon = found.lexicon("pos")
    assert list(lexicon) == ["great", "dull"]
    assert lexicon == pytest.approx({"great": 2 / 3 - 2 / 5, "dull": 0 - 2 / 5})
    assert found.lexicon("neg") == pytest.approx({"dull": 1 - 3 / 5, "great": 1 / 3 - 3 / 5})


def words_only():
    return Analyzer(ngrams=(1, 1))


@st.composite
def corpora(draw):
    texts = draw(st.lists(sentences, min_size=2, max_size=12))
    labels = st.lists(st.integers(0, 2), min_size=len(texts), max_size=len(texts))
    return texts, draw(labels.filter(lambda y: len(set(y)) > 1))


@given(corpora(), st.integers(1, 3))
def test_induction_equals_the_obvious_way(corpus, min_df):
    texts, y = corpus
    bags = []
    for text in texts:
        tokens = text.lower().split()
        bags.append({*tokens, *map(" ".join, pairwise(tokens))})
    df = Counter(word for bag in bags for word in bag)
    frequent = {word for word, n in df.items() if n >= min_df}
    if not frequent:
        with pytest.raises(InputError, match=r"lower `min_df`|has a word"):
            induce(texts, y, min_df=min_df)
        return
    found = induce(texts, y, min_df=min_df)
    records = found.records(min_odds=0)
    assert {(r.word, r.label) for r in records} == {(w, c) for w in frequent for c in set(y)}
    assert [r.f1 for r in records] == sorted((r.f1 for r in records), reverse=True)
    for number, r in enumerate(records):
        guess = [r.word in bag for bag in bags]
        truth = [label == r.label for label in y]
        hits = sum(g and t for g, t in zip(guess, truth, strict=True))
        n = df[r.word]
        assert (r.n, r.precision, r.recall) == (n, hits / n, hits / sum(truth))
        assert r.f1 == pytest.approx(2 * hits / (n + sum(truth)))
        if number < 2:
            theirs = precision_recall_fscore_support(truth, guess, average="binary")
            assert (r.precision, r.recall, r.f1) == pytest.approx(theirs[:3])
    share = sum(label == y[0] for label in y) / len(y)
    precision = {r.word: r.precision for r in records if r.label == y[0]}
    lexicon = found.lexicon(y[0], min_odds=0)
    assert lexicon == pytest.approx({word: p - share for word, p in precision.items()})


def test_induction_is_the_same_on_any_number_of_threads():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdefgh"), 8)) for _ in range(2000)]
    y = rng.integers(0, 3, 2000)
    one, *others = (induce(texts, y, n_jobs=n).records(min_odds=0) for n in (1, 2, 3, 8))
    assert all(other == one for other in others)


def test_induction_errors():
    with pytest.raises(InputError, match="2 texts and 1 labels"):
        induce(["a", "b"], ["x"])
    with pytest.raises(InputError, match="all texts have the same label"):
        induce(["a", "b"], ["x", "x"])
    for min_df in (0, 1.5, True):
        with pytest.raises(InputError, match="min_df is"):
            induce(["a", "b"], ["x", "y"], min_df=min_df)
    found = induce(["a", "b"], ["x", "y"], min_df=1)
    for use in (found.records, found.lexicon):
        with pytest.raises(InputError, match="there is no class 'z'; the classes are 'x', 'y'"):
            use("z")


@pytest.mark.data
def test_induction_on_reviews(dataset):
    table = pl.read_parquet(dataset("rt_snippets"))
    found = induce(table["text"], table["label"].to_list())
    best = {label: [r.word for r in found.records(label, top=40)] for label in found.classes}
    assert {"best", "fun", "entertaining", "the best", "heart"} <= set(best["positive"])
    assert {"too", "bad", "dull", "boring", "worst"} <= set(best["negative"])
    assert not {".", ",", "the", "a", "and", "of"} & {w for ws in best.values() for w in ws}
    lexicon = found.lexicon("positive")
    assert lexicon["best"] > 0 > lexicon["dull"]
    # These are the texts it comes from: this says that the signs are right, not how good it is.
    votes = LexiconFeatures(lexicon, words_only()).transform(table["text"])[:, 2] > 0
    assert np.mean(votes == (table["label"] == "positive").to_numpy()) > 0.75
