"""Tests of wordplane.features.fold_counts: a fit on some rows never saw the others."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fitting import fitted_features
from tests.strategies import sentences, texts
from tests.strategies_analyzers import analyzers, loud
from wordplane import Analyzer
from wordplane.common.errors import InputError
from wordplane.features.fold_counts import FoldCounts
from wordplane.text.documents import as_documents


def rows_of(matrix, names):
    indptr, columns, values = matrix.arrays()
    return [
        {names[j]: v for j, v in zip(columns[a:b], values[a:b].tolist(), strict=True)}
        for a, b in pairwise(indptr)
    ]


def all_names(counted):
    return [
        ("char:" if part == "chars" else "") + name
        for part, vocabulary in counted.vocabularies().items()
        for name in vocabulary.names()
    ]


@given(
    st.lists(st.one_of(sentences, loud, texts), min_size=4, max_size=9),
    analyzers,
    st.integers(0, 9),
)
def test_equal_to_a_fit_on_the_rows_alone(documents, analyzer, seed):
    analyzer.set_params(max_features=None)  # which of equals is kept depends on the order of all
    documents = ["The cat sat", *documents]
    rng = np.random.default_rng(seed)
    columns = {"n": rng.integers(0, 5, len(documents)), "c": rng.choice(["x", "y"], len(documents))}
    kinds = {"n": "number", "c": "category"} if seed % 2 else None
    analyzer.set_params(columns=kinds)
    everything = as_documents({"text": documents, **columns} if kinds else documents, kinds or {})
    order = rng.permutation(len(documents))
    train, held = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])

    def part(rows):
        chosen = {name: values[rows] for name, values in columns.items()}
        held = [documents[row] for row in rows]
        return as_documents({"text": held, **chosen} if kinds else held, kinds or {})

    counted = FoldCounts.of(analyzer, everything, 1)
    try:
        features, X = fitted_features(analyzer, part(train), 1)
    except InputError:
        if not analyzer.boundaries:  # else these are features, if of no use
            with pytest.raises(InputError):
                counted.fit(analyzer, train, 1)
        return
    fold = counted.fit(analyzer, train, 2)
    assert fold.n_features == features.n_features
    names = [features.name(j) for j in range(features.n_features)]
    kept = np.array(all_names(counted), dtype=object)[fold.keep].tolist()
    kept += names[features.n_counted :]
    for rows, expected in ((train, X), (held, features.transform(part(held), 1))):
        ours, theirs = rows_of(fold.matrix(rows, 1), kept), rows_of(expected, names)
        for a, b in zip(ours, theirs, strict=True):
            assert a == pytest.approx(b, rel=1e-5, abs=1e-6)
    alone = counted.fit_texts(analyzer, train, 1).features()
    own_names = [alone.name(j) for j in range(alone.n_features)]
    assert own_names == kept
    for a, b in zip(rows_of(alone.transform(part(held), 1), own_names), theirs, strict=True):
        assert a == pytest.approx(b, rel=1e-5, abs=1e-6)


def test_a_word_of_held_out_rows_leaks_nowhere():
    documents = ["good film", "bad film", "good planted", "planted planted"]
    analyzer = Analyzer(ngrams=(1, 1), tf="binary", idf="smooth", norm="l2")
    counted = FoldCounts.of(analyzer, as_documents(documents, {}), 1)
    fold = counted.fit(analyzer, np.array([0, 1]), 1)
    assert sorted(np.array(all_names(counted))[fold.keep]) == ["bad", "film", "good"]
    (row,) = rows_of(fold.matrix(np.array([2]), 1), ["film", "bad", "good"])
    assert list(row.values()) == [1.0]  # only `good` is known, and its norm is that of itself
