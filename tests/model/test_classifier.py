"""Tests of wordplane.model.classifier, wordplane.model.plan, wordplane.model.card and
wordplane.model.remote.
"""

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import MultinomialNB as TheirNB

from tests import reference
from tests.strategies import sentences, texts
from wordplane import Analyzer, MultinomialNB, TextClassifier
from wordplane.common.errors import InputError

TEXTS = ["what a great film", "great fun", "a dull film", "dull, long and dull"]
LABELS = ["pos", "pos", "neg", "neg"]

analyzers = st.builds(
    Analyzer,
    ngrams=st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3)]),
    lowercase=st.booleans(),
    boundaries=st.booleans(),
    tf=st.sampled_from(["count", "binary"]),
)


def features(analyzer, text):
    words = [token.text for token in analyzer.tokenize(text)]
    return reference.ngrams(words, *analyzer.ngrams)


@given(
    st.lists(st.tuples(st.one_of(sentences, texts), st.integers(0, 2)), min_size=2, max_size=10),
    st.lists(texts, max_size=5),
    analyzers,
)
@pytest.mark.slow
def test_scores_are_those_of_the_matrix(rows, held_out, analyzer):
    """The native scorer equals analyzer -> matrix -> learner -> W, done slowly."""
    rows = [*rows, ("some words", 0), ("here too", 1)]
    documents, labels = [text for text, _ in rows], [label for _, label in rows]
    names = sorted({name for text in documents for name in features(analyzer, text)})
    model = TextClassifier(analyzer, "nb").fit(documents, labels)
    X, Z = (
        reference.count_matrix([features(analyzer, text) for text in column], names).reshape(
            len(column), len(names)
        )
        for column in (documents, held_out)
    )
    if analyzer.tf == "binary":
        X, Z = X > 0, Z > 0
    learner = MultinomialNB().fit(X.astype(float), labels)
    if held_out:
        expected = learner.decision_function(Z.astype(float))
        assert np.allclose(model.decision_function(held_out), expected, rtol=1e-5, atol=1e-4)
        model.set_params(calibration=None).fit(documents, labels)
        expected = TheirNB().fit(X, labels).predict_proba(Z)
        assert np.allclose(model.predict_proba(held_out), expected, atol=1e-4)


@pytest.mark.slow
@given(st.lists(st.one_of(sentences, texts), min_size=2, max_size=6), analyzers, st.integers(2, 3))
def test_contributions_sum_to_the_score(documents, analyzer, n_classes):
    documents = [*documents, "some words"]
    labels = [i % n_classes for i in range(len(documents))]
    model = TextClassifier(analyzer).fit(documents, labels)
    for text in documents:
        explanation = model.explain(text)
        total = explanation.bias + sum(c.value for c in explanation.contributions)
        assert total == pytest.approx(explanation.score, abs=1e-6)
        assert explanation.label == model.predict([text])[0]
        for c in explanation.contributions:
            words = [token.text for token in analyzer.tokenize(text[c.start : c.end])]
            marked = c.feature.replace("<s>", "").replace("</s>", "").split()
            assert "".join(marked) == "".join(words).replace("<s>", "").replace("</s>", "")


def test_explanation_by_hand():
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb").fit(["good good", "bad"], ["+", "-"])
    explanation = model.explain("GOOD, Good?")
    # log phi: + (3/4, 1/4), - (1/3, 2/3); equal priors.
    weight = np.log(3 / 4) - np.log(1 / 3)
    assert explanation.label == "+"
    assert [(c.feature, c.start, c.end) for c in explanation.contributions] == [
        ("good", 0, 4),
        ("good", 6, 10),
    ]
    assert [c.value for c in explanation.contributions] == pytest.approx([weight, weight], rel=1e-6)
    assert explanation.score == pytest.approx(2 * weight, rel=1e-6)


def test_offsets_are_characters():
    model = TextClassifier(learner="nb").fit(["süße Katze 😀", "Hund"], [0, 1])
    text = "💥 Süße KATZE 😀!"
    found = {c.feature: text[c.start : c.end] for c in model.explain(text).contributions}
    assert found == {
        "süße": "Süße",
        "katze": "KATZE",
        "😀": "😀",
        "süße katze": "Süße KATZE",
        "katze 😀": "KATZE 😀",
    }


def test_top_features():
    model = TextClassifier(Analyzer(ngrams=(1, 1))).fit(["a a b", "c", "d d"], ["x", "y", "z"])
    assert [name for name, _ in model.top_features(1)["x"]] == ["a"]
    assert list(model.top_features(2)) == ["x", "y", "z"]


@pytest.mark.parametrize("make", [list, tuple, np.array, pl.Series])
def test_any_column(make):
    model = TextClassifier().fit(make(TEXTS), make(LABELS))
    assert model.predict(make(TEXTS)).tolist() == LABELS


def test_nothing_to_predict():
    model = TextClassifier().fit(TEXTS, LABELS)
    assert model.predict([]).tolist() == []
    assert model.predict_proba([]).shape == (0, 2)


def test_sample_weights_are_repeated_rows():
    weighted = TextClassifier(learner="nb").fit(TEXTS, LABELS, [1, 2, 1, 1])
    repeated = TextClassifier(learner="nb").fit([*TEXTS, TEXTS[1]], [*LABELS, LABELS[1]])
    assert np.allclose(weighted.decision_function(TEXTS), repeated.decision_function(TEXTS))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TextClassifier().fit(TEXTS, LABELS[:3]), "4 texts and 3 labels"),
        (lambda: TextClassifier().fit(TEXTS, ["a"] * 4), "every text has the label 'a'"),
        (lambda: TextClassifier().fit(["", " "], [0, 1]), "none of the 2 texts has a word"),
        (lambda: TextClassifier(Analyzer(min_df=9)).fit(TEXTS, LABELS), "lower `min_df`"),
        (lambda: TextClassifier(Analyzer(tokens="letters")).fit(TEXTS, LABELS), "tokens is"),
        (lambda: TextClassifier(Analyzer(ngrams=(2, 1))).fit(TEXTS, LABELS), "ngrams is"),
        (lambda: TextClassifier(learner="magic").fit(TEXTS, LABELS), "expected one of nb"),
        (lambda: TextClassifier(learner="svn").fit(TEXTS, LABELS), "did you mean svm"),
        (lambda: TextClassifier(learner=TheirNB()).fit(TEXTS, LABELS), "not a linear classifier"),
        (lambda: TextClassifier().fit(TEXTS, LABELS).score(TEXTS, ["pos"]), "4 rows and 1 labels"),
        (lambda: TextClassifier().fit("one text", ["a"]), "Put a single text in a list"),
        (lambda: TextClassifier().fit(TEXTS, LABELS).predict("great"), "Put a single text"),
        (lambda: TextClassifier().set_params(speed=3), "Invalid parameter 'speed'"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_weights_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr("wordplane.learners.registry.SMALL_BYTES", 0)
    monkeypatch.setattr("wordplane.common.memory.available_memory", lambda: 1000)
    with pytest.raises(InputError, match=r"features and 2 labels needs .* raise `min_df`.*hash"):
        TextClassifier().fit(TEXTS, LABELS)


def test_not_fitted():
    for method in ("predict", "predict_proba", "decision_function", "explain", "save"):
        with pytest.raises(NotFittedError, match="call fit first"):
            getattr(TextClassifier(), method)("x")


def test_lives_in_scikit_learn():
    model = TextClassifier(Analyzer(ngrams=(1, 2)), learner=MultinomialNB(alpha=0.5))
    assert is_classifier(model)
    assert clone(model).get_params()["learner__alpha"] == 0.5
    search = GridSearchCV(model, {"learner__alpha": [0.1, 1.0], "analyzer__tf": ["binary"]}, cv=2)
    search.fit(TEXTS * 2, LABELS * 2)
    assert search.best_estimator_.analyzer.tf == "binary"
    assert cross_val_score(model, TEXTS * 3, LABELS * 3, cv=3).min() == 1.0
    fitted = clone(model).fit(TEXTS, LABELS)
    copied = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(copied.decision_function(TEXTS), fitted.decision_function(TEXTS))


def test_repr_shows_what_was_chosen():
    assert repr(TextClassifier()) == "TextClassifier()"
    model = TextClassifier(Analyzer(tf="binary"), "nb")
    assert repr(model) == "TextClassifier(analyzer=Analyzer(tf='binary'), learner='nb')"


@pytest.mark.parametrize(("n_classes", "ngrams"), [(2, (1, 3)), (5, (1, 3)), (6, (1, 2))])
def test_the_recipe_reads_long_texts_by_the_number_of_classes(n_classes, ngrams):
    texts = [" ".join([f"topic{i % n_classes}"] * 200) for i in range(4 * n_classes)]
    labels = [i % n_classes for i in range(len(texts))]
    assert TextClassifier().make_plan(texts, labels, None).analyzer.ngrams == ngrams
    assert TextClassifier().make_plan(texts, [[k] for k in labels], None).analyzer.ngrams == ngrams


def test_what_is_no_text_is_told():
    model = TextClassifier(learner="nb").fit(["good", "bad"], [1, 0])
    for use in (model.explain, model.flip, model.predict):
        with pytest.raises(InputError, match="the texts are None, expected a list of strings"):
            use(None)
    with pytest.raises(InputError, match="0 texts were given, expected one"):
        model.flip([])
    with pytest.raises(InputError, match="2 texts were given, expected one"):
        model.flip(["good", "bad"])
    for missing, name in ((float("nan"), "nan"), (None, "None")):
        with pytest.raises(InputError, match=f"document 1 is {name}, expected a string; fill"):
            model.predict(["good", missing])


def test_no_texts_are_refused_without_a_warning():
    for learner in (None, "nb"):
        with pytest.raises(InputError, match="there are no texts to learn from"):
            TextClassifier(learner=learner).fit([], [])
