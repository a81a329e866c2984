"""Features of texts by hand, and against the slow ones of reference_features: tests of
wordplane.features.text_features and of what it puts together, wordplane.features.text_counts,
wordplane.features.dense_features and wordplane.features.stems.
"""

from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference_features as slow
from tests.fitting import fitted_features
from tests.strategies import sentences, texts
from tests.strategies_analyzers import analyzers, loud
from wordplane import Analyzer, Lexicon, TextClassifier
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents, as_documents
from wordplane.text.texts import as_texts


def documents_of(rows):
    return Documents(as_texts(rows))


def counted(**parameters):
    """The features of a text that the core finds, with their counts."""

    def of(text):
        features, X = fitted_features(Analyzer(ngrams=None, **parameters), documents_of([text]), 1)
        _, columns, values = X.arrays()
        return {features.name(j): x for j, x in zip(columns, values.tolist(), strict=True)}

    return of


def test_shapes_by_hand():
    shapes = counted(shapes=True)
    assert shapes("NASA sent Ann to 42 McD :) sooo") == {
        "shape:ALLCAPS": 1, "shape:CAPITALISED": 1, "shape:DIGITS": 1, "shape:MIXED": 1,
        "shape:EMOTICON": 1, "shape:ELONGATED": 1,
    }  # fmt: skip
    assert shapes("The Big Sleep")["shape:ALL_WORDS_CAPITALISED"] == 1
    assert "shape:ALL_WORDS_CAPITALISED" not in shapes("The Big sleep")
    assert shapes("A 4u I") == {"shape:CAPITALISED": 2, "shape:MIXED": 1}


def test_affixes_lengths_and_misspellings_by_hand():
    assert counted(prefixes=[2], suffixes=[3])("Running, ran! a") == {
        "prefix:ru": 1, "suffix:ing": 1, "prefix:ra": 1,
    }  # fmt: skip
    assert counted(lengths=True)("a bb cccc dddddddd 0123456789") == {
        "length:1": 1, "length:2-3": 1, "length:4-6": 1, "length:7-9": 1, "length:10+": 1,
    }  # fmt: skip
    assert counted(known_words=["good", "Film"])("Goood film 42, good!") == {"shape:MISSPELT": 1}


def test_relative_counts_by_hand():
    """They are relative to all tokens, also to those that are no features."""
    rows = ["a a b, c", "a b", ""]
    features, X = fitted_features(
        Analyzer(ngrams=(1, 1), tf="relative", min_df=2), documents_of(rows), 2
    )
    names = [features.name(j) for j in range(features.n_features)]
    indptr, columns, values = X.arrays()
    found = [
        {names[j]: v for j, v in zip(columns[b:e], values[b:e].tolist(), strict=True)}
        for b, e in pairwise(indptr)
    ]
    assert found == [pytest.approx({"a": 2 / 5, "b": 1 / 5}), {"a": 0.5, "b": 0.5}, {}]
    counts = Analyzer(ngrams=(1, 1), tf="relative", tokens="counts")
    features, X = fitted_features(counts, documents_of(["good:3 bad:1"]), 1)
    assert sorted(X.arrays()[2].tolist()) == [0.25, 0.75]


def test_triggers_by_hand():
    found = counted(triggers={"school": ["diploma", ":)", "high school"]})
    assert found("My DIPLOMA:) from high school, diplomas, xdiploma") == {
        "trigger:diploma": 1, "trigger::)": 1, "trigger:high school": 1, "trigger:any:school": 3,
    }  # fmt: skip


@pytest.mark.slow
@settings(max_examples=100)
@given(st.lists(st.one_of(sentences, loud, texts), min_size=1, max_size=6), analyzers)
def test_features_are_those_of_the_reference(rows, analyzer):
    """Names, counts and values, of training texts and of others."""
    rows = ["The cat isn't on a mat :) 42", *rows, "The cat isn't on a mat :) 42"]
    found = [Counter(slow.features(analyzer, text)) for text in rows]
    df = Counter(name for counts in found for name in counts)
    kept = {n for n, x in df.items() if analyzer.min_df <= x <= analyzer.max_df * len(rows)}
    kept = slow.most_frequent(kept, df, analyzer)
    if not kept:
        with pytest.raises(InputError, match=r"no features|no word|lower min_df"):
            fitted_features(analyzer, documents_of(rows), 1)
        return
    features, X = fitted_features(analyzer, documents_of(rows), 2)
    names = [features.name(j) for j in range(features.n_features)]
    assert sorted(names) == sorted(kept)
    for matrix, texts_of_it in ((X, rows), (features.transform(documents_of(rows), 1), rows)):
        indptr, columns, values = matrix.arrays()
        for i, text in enumerate(texts_of_it):
            here = slice(indptr[i], indptr[i + 1])
            row = {names[j]: v for j, v in zip(columns[here], values[here].tolist(), strict=True)}
            counts = {n: x for n, x in Counter(slow.features(analyzer, text)).items() if n in kept}
            assert row == pytest.approx(
                slow.values(analyzer, text, counts, df, len(rows)), rel=1e-5
            )


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(st.one_of(sentences, loud, texts), min_size=1, max_size=5), analyzers, st.data())
def test_places_and_contributions(rows, analyzer, data):
    """The scorer equals the matrix times W; every feature is found where it stands."""
    analyzer.set_params(min_df=1, max_df=1.0, ngrams=analyzer.ngrams or (1, 1))
    features, _ = fitted_features(analyzer, documents_of([*rows, "some cat"]), 1)
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    W = rng.normal(size=(features.n_features, 3)).astype(np.float32)
    model = TextModel(features, np.array(["a", "b", "c"]), W, rng.normal(size=3))
    classifier = TextClassifier.from_model(model)
    for text in rows:
        one = documents_of([text])
        _, columns, values = features.transform(one, 1).arrays()
        expected = model.b + values.astype(float) @ W[columns]
        assert model.scores(one, 1)[0] == pytest.approx(expected, rel=1e-4, abs=1e-4)
        explanation = classifier.explain(text)
        total = explanation.bias + sum(c.value for c in explanation.contributions)
        assert total == pytest.approx(explanation.score, abs=1e-4)
        for c in explanation.contributions:
            group, here = slow.group(c.feature), text[c.start : c.end]
            folded = here.lower() if analyzer.lowercase else here
            if group in ("prefix", "suffix"):
                assert c.feature == f"{group}:{folded}" or "İ" in here or "Σ" in text
            elif group == "char" and not analyzer.chars_across:
                assert c.feature[5:].strip() == folded or "İ" in here or "Σ" in text
            elif group == "trigger" and not c.feature.startswith("trigger:any:"):
                assert c.feature[8:].casefold() == here.casefold()


@given(st.lists(loud, min_size=1, max_size=40), analyzers)
@pytest.mark.slow
def test_threads_and_batches_change_nothing(rows, analyzer):
    analyzer.set_params(min_df=1, max_df=1.0, ngrams=(1, 2))
    rows.append("cat")
    one, *others = (fitted_features(analyzer, documents_of(rows * 4), n) for n in (1, 2, 3, 8))
    for features, X in others:
        for a, b in zip(X.arrays(), one[1].arrays(), strict=True):
            assert np.array_equal(a, b)
        assert features.groups == one[0].groups


def test_groups_have_their_own_norm_and_weight():
    analyzer = Analyzer(ngrams=(1, 1), shapes=True, suffixes=[1], norm="l2", weights={"shape": 0.5})
    features, X = fitted_features(analyzer, documents_of(["ANN saw ANN", "it"]), 1)
    _, columns, values = X.arrays()
    row = {features.name(j): v for j, v in zip(columns[:5], values[:5].tolist(), strict=True)}
    five = 5**-0.5
    assert row == pytest.approx(
        {"ann": 2 * five, "saw": five, "shape:ALLCAPS": 0.5, "suffix:n": 2 * five, "suffix:w": five}
    )
    assert [name for name, _ in features.groups] == ["word", "shape", "suffix"]


def test_columns_beside_the_text():
    rows = {
        "text": ["hello bob", "buy now", "hi", "buy"],
        "links": [0, 4, 0, 8],
        "sender": ["bob", "shop", None, "shop"],
    }
    analyzer = Analyzer(columns={"links": "number", "sender": "category"})
    features, X = fitted_features(analyzer, as_documents(rows, analyzer.columns), 1)
    names = [features.name(j) for j in range(features.n_features)]
    assert names[-3:] == ["links", "sender=bob", "sender=shop"]
    dense = np.zeros(X.shape)
    indptr, columns, values = X.arrays()
    dense[np.repeat(np.arange(4), np.diff(indptr)), columns] = values
    links = np.array([0, 4, 0, 8])
    assert dense[:, -3] == pytest.approx((links - links.mean()) / links.std())
    assert dense[:, -2].tolist() == [1, 0, 0, 0]
    assert dense[:, -1].tolist() == [0, 1, 0, 1]
    others = {"text": ["buy", "hi"], "links": [0, 1], "sender": ["stranger", "bob"]}
    frames = [others, pd.DataFrame(others), pl.DataFrame(others)]
    frames.append(Corpus(as_texts(others["text"]), extras={k: others[k] for k in analyzer.columns}))
    for frame in frames:
        same = features.transform(as_documents(frame, analyzer.columns), 1).arrays()
        assert same[1].tolist()[-2:] == [names.index("links"), names.index("sender=bob")]


def test_lexicon_features_in_a_model():
    lexicon = Lexicon({"good": 2, "bad": -1, "not bad": 1})
    analyzer = Analyzer(ngrams=(1, 1), negation=True, lexica={"mood": lexicon})
    rows = ["Good, not bad!", "bad bad", "nothing here"]
    features, X = fitted_features(analyzer, documents_of(rows), 1)
    names = [features.name(j) for j in range(features.n_features)][-7:]
    assert names[0] == "lexicon:mood:max"
    raw = np.array([lexicon.summary(t) for t in (["good", "not bad"], ["bad", "bad"], [])])
    # "not bad" is one entry of two words, looked up as it stands, not as it is marked
    raw[0] = lexicon.summary(["good", ",", "not", "bad", "!"])
    spread = np.where(raw.std(axis=0) > 0, raw.std(axis=0), 1)
    indptr, columns, values = X.arrays()
    first = features.n_features - 7
    for i in range(3):
        here = slice(indptr[i], indptr[i + 1])
        row = np.zeros(features.n_features)
        row[columns[here]] = values[here]
        assert row[first:] == pytest.approx((raw[i] - raw.mean(axis=0)) / spread[:], abs=1e-6)
    places = {
        (features.name(column), start, end)
        for column, _, start, end in features.dense_occurrences(documents_of(rows[:1]))
    }
    assert ("lexicon:mood:max", 0, 4) in places
    assert ("lexicon:mood:min", 6, 13) in places
    assert ("lexicon:mood:sum_negative", None, None) in places
