"""Tests of wordplane.features.cooccurrence: counts by hand and by definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference_embeddings as reference
from wordplane import Analyzer, WordEmbeddings, _core
from wordplane.common.errors import InputError
from wordplane.features.cooccurrence import CONTEXTS, cooccurrence, pmi

tokens = st.sampled_from(["a", "b", "c", "d", "e", ".", "!", "?"])


documents = st.lists(st.lists(tokens, max_size=12), max_size=6)


def counted(docs, context, window=2, threads=1, words="abcd."):
    texts = _core.Texts([" ".join(doc) for doc in docs])
    vocabulary = _core.Vocabulary.from_names(list(words), "whole")
    analysis = Analyzer().resolve().tokens.plain_analysis()
    return cooccurrence(analysis, vocabulary, texts, context, window, threads)


def test_window_by_hand():
    c = counted([["a", "b", "a", "x", "c"]], "window", window=2).toarray()
    # Pairs at most 2 apart: ab (1), aa (2), ba (1), bx, ax, ac (2): x takes a place.
    assert c[:3, :3].tolist() == [[2, 2, 1], [2, 0, 0], [1, 0, 0]]


def test_sentences_and_documents_by_hand():
    docs = [["a", "b", ".", "a", "c"]]
    assert counted(docs, "sentence").toarray()[0].tolist() == [0, 1, 1, 0, 1]
    assert counted(docs, "document").toarray()[0].tolist() == [2, 2, 2, 0, 2]


@given(documents, st.sampled_from(CONTEXTS), st.integers(1, 13), st.integers(1, 3))
def test_counts_equal_all_pairs_of_places(docs, context, window, threads):
    expected = reference.cooccurrence(docs, "abcd.", context, window)
    assert (counted(docs, context, window, threads).toarray() == expected).all()


@pytest.mark.parametrize("context", CONTEXTS)
def test_many_batches_and_threads_give_the_same_counts(context, monkeypatch):
    rng = np.random.default_rng(0)
    docs = [rng.choice(list("abcde.!"), rng.integers(0, 30)).tolist() for _ in range(300)]
    whole = counted(docs, context)
    monkeypatch.setattr("wordplane.text.texts.BATCH_BYTES", 200)
    for threads in (1, 2, 3):
        part = counted(docs, context, threads=threads)
        for name in ("indptr", "indices", "data"):
            assert (getattr(part, name) == getattr(whole, name)).all()


def test_word_counts_know_documents_alone():
    embeddings = WordEmbeddings(1, context="document", min_count=1, tokens="counts")
    assert embeddings.fit(["a:2 b:1", "b:3 c:1"]).words_.tolist() == ["b", "a", "c"]
    with pytest.raises(InputError, match="no word order"):
        WordEmbeddings(1, tokens="counts").fit(["a:2 b:1"])


tables = st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=4)


@given(tables, st.booleans(), st.sampled_from([1.0, 2.0, 0.5]), st.booleans())
def test_pmi_equals_its_definition(table, positive, shift, normalized):
    c = np.array(table)
    expected = reference.pmi(c, positive, shift, normalized)
    found = pmi(c, positive=positive, shift=shift, normalized=normalized).toarray()
    assert found == pytest.approx(expected, abs=1e-12)


def test_pmi_by_hand():
    c = np.array([[0, 2], [2, 4]])
    assert pmi(c, positive=False).toarray() == pytest.approx(
        np.array([[0, np.log(2 * 8 / 12)], [np.log(2 * 8 / 12), np.log(4 * 8 / 36)]])
    )
    assert pmi(c).toarray()[1, 1] == 0
    assert pmi(c, normalized=True).toarray()[0, 1] == pytest.approx(np.log(4 / 3) / np.log(4))
    assert pmi(c, shift=1.2).toarray()[0, 1] == pytest.approx(np.log(4 / 3) - np.log(1.2))
