"""Tests of wordplane.features.growing: features that come with new texts, and go."""

import numpy as np
import pytest

from tests.fitting import fitted_features
from wordplane import Analyzer
from wordplane.features.growing import can_grow, grow_features, keep_features
from wordplane.text.documents import Documents
from wordplane.text.texts import as_texts


def documents_of(*texts):
    return Documents(as_texts(list(texts)))


def dense(matrix):
    indptr, indices, values = matrix.arrays()
    rows = np.zeros(matrix.shape)
    rows[np.repeat(np.arange(matrix.shape[0]), np.diff(indptr)), indices] = values
    return rows


@pytest.mark.parametrize(
    "analyzer",
    [
        Analyzer(ngrams=(1, 2), idf="smooth"),
        Analyzer(ngrams=None, suffixes=[2], shapes=True),
        Analyzer(chars=(2, 2), chars_across=True),
        Analyzer(tokens=r"regex:\w+ \w+", ngrams=(1, 2)),  # words with blanks inside
    ],
)
def test_old_features_keep_their_values_and_new_ones_follow_in_their_group(analyzer):
    old, _ = fitted_features(analyzer, documents_of("good film", "BAD film"), 1)
    new = documents_of("good acting", "fine FILM acting")
    grown = grow_features(old, new, n_docs=4, threads=1)
    assert grown.n_unseen == grown.features.n_features - old.n_features > 0
    names = grown.features.names()
    assert [names[j] for j in grown.place] == old.names()
    assert len(set(names)) == len(names)
    both = documents_of("good film", "fine acting", "BAD film acting")
    values = dense(grown.features.transform(both, 1))
    assert np.array_equal(values[:, grown.place], dense(old.transform(both, 1)))


def test_a_model_that_does_not_grow_counts_what_it_has_not_seen():
    old, _ = fitted_features(Analyzer(ngrams=(1, 1)), documents_of("a b", "a c"), 1)
    same = grow_features(old, documents_of("a d", "d e"), 4, 1, grows=False)
    assert same.features.names() == old.names()
    assert same.n_unseen == 2


@pytest.mark.parametrize(
    ("parameters", "grows"),
    [
        ({}, True),
        ({"select": "df:2"}, False),
        ({"max_features": 2}, False),
        ({"idf": "delta"}, False),
    ],
)
def test_chosen_features_do_not_grow(parameters, grows):
    assert can_grow(Analyzer(**parameters).resolve()) == grows


def test_features_that_are_left_out():
    old, _ = fitted_features(Analyzer(idf="exact"), documents_of("a b a", "b c"), 1)
    keep = np.array(["a" in name.split() for name in old.names()])
    kept = keep_features(old, keep)
    assert kept.features.names() == [n for n, k in zip(old.names(), keep, strict=True) if k]
    assert (kept.place[~keep] == -1).all()
    text = documents_of("a b c a")
    assert np.array_equal(
        dense(kept.features.transform(text, 1)), dense(old.transform(text, 1))[:, keep]
    )


def test_hashed_columns_are_there_already():
    old, _ = fitted_features(Analyzer(hash_bits=4), documents_of("a b", "c"), 1)
    for resized in (
        grow_features(old, documents_of("d"), 3, 1),
        keep_features(old, np.zeros(16, bool)),
    ):
        assert resized.features is old
        assert resized.place.tolist() == list(range(16))
