"""Tests of wordplane.model.classifier and wordplane.model.sklearn_pipeline: as scikit-learn uses
and shows them."""

import pickle
from time import process_time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer as TheirTfidf
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import wordplane
from wordplane import Analyzer, LinearSVM, TextClassifier, TfidfVectorizer
from wordplane.common.errors import InputError

TEXTS = ["what a great film", "great fun", "a dull film", "dull, long and dull"] * 6
LABELS = ["pos", "pos", "neg", "neg"] * 6


def test_parameters_of_a_learner_that_was_named():
    model = TextClassifier(learner="svm")
    assert model.get_params()["learner__C"] == LinearSVM(**LinearSVM.text_defaults).C
    assert model.learner == "svm"  # asking changes nothing
    same = clone(model)
    assert same.get_params(deep=False) == model.get_params(deep=False)
    same.set_params(learner__C=0.5)
    assert (same.learner.C, model.learner) == (0.5, "svm")
    assert clone(same).learner.C == 0.5
    both = TextClassifier().set_params(learner__C=2.0, learner="svm")
    assert both.learner.C == 2.0
    expected = TextClassifier(learner=LinearSVM(**{**LinearSVM.text_defaults, "C": 0.5}))
    found = [one.fit(TEXTS, LABELS).decision_function(TEXTS) for one in (same, expected)]
    assert found[0].tolist() == found[1].tolist()


def test_grid_search_over_a_learner_that_was_named():
    search = GridSearchCV(TextClassifier(learner="svm"), {"learner__C": [0.01, 1.0]}, cv=2)
    search.fit(TEXTS, LABELS)
    assert search.best_estimator_.learner.C in (0.01, 1.0)
    assert search.best_score_ == 1.0


def test_what_has_no_parameters_is_named():
    with pytest.raises(InputError, match=r"'learner__C' cannot be set: .*'learner' is None"):
        TextClassifier().set_params(learner__C=1)
    with pytest.raises(InputError, match="'analyzer__ngrams' cannot be set"):
        TextClassifier().set_params(analyzer__ngrams=(1, 1))


@pytest.mark.parametrize("X", [pd.Series(TEXTS), np.array(TEXTS), pd.Series(TEXTS, dtype=object)])
def test_cross_val_score_takes_pipelines_and_classifiers(X):
    for model in (
        TextClassifier(learner="nb"),
        make_pipeline(TfidfVectorizer(), LinearSVC()),
        make_pipeline(TheirTfidf(), LinearSVM()),
    ):
        assert cross_val_score(model, X, pd.Series(LABELS), cv=3).min() == 1.0


def test_learners_are_compared_with_pipelines():
    pipeline = make_pipeline(TheirTfidf(), LinearSVC())
    search = GridSearchCV(make_pipeline(TheirTfidf(), LinearSVC()), {"linearsvc__C": [1, 10]}, cv=2)
    learners = ["nb", LinearSVM(), TextClassifier(), pipeline, search]
    result = wordplane.compare(TEXTS, LABELS, learners, folds=3)
    reading = sum(result.reading_seconds.values())
    assert f"without reading the texts, which took {reading:.1f} s in all." in str(result)
    names = {one.name for one in result.results}
    assert names == {
        *("nb", "LinearSVM", "TextClassifier", "TfidfVectorizer + LinearSVC", "GridSearchCV")
    }
    assert all(one.scores.accuracy == 1.0 for one in result.results)
    assert all(one.model_bytes > 0 for one in result.results)
    assert not hasattr(pipeline, "classes_")  # the one that was passed stays as it was
    named = wordplane.compare(TEXTS, LABELS, {"mine": pipeline, "ours": None}, folds=3)
    assert {one.name for one in named.results} == {"mine", "ours"}
    held = wordplane.compare(TEXTS, LABELS, {"mine": pipeline, "nb": "nb"}, folds=3, metric="auc")
    assert [one.name for one in held.skipped] == ["mine"]


def test_pipelines_are_compared_as_cross_validation_scores_them():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["a b", "c d", "e f", "g h"], 6)) for _ in range(120)]
    y = ["x" if text.count("a b") > 1 else "y" for text in texts]
    pipeline = make_pipeline(TheirTfidf(token_pattern=r"\S+"), LinearSVC(C=0.1))
    (result,) = wordplane.compare(texts, y, {"mine": pipeline}, folds=4).results
    from wordplane.data.splits import stratified_folds

    right = np.zeros(120, bool)
    for held in stratified_folds(y, 4, 0):
        rest = np.setdiff1d(np.arange(120), held)
        model = clone(pipeline).fit([texts[i] for i in rest], [y[i] for i in rest])
        right[held] = model.predict([texts[i] for i in held]) == np.array(y)[held]
    assert result.scores.accuracy == right.mean()


def test_a_pipeline_is_no_model_and_that_is_said():
    pipeline = make_pipeline(TheirTfidf(), LinearSVC()).fit(TEXTS, LABELS)
    with pytest.raises(InputError, match=r"the model is a Pipeline, .*`wordplane\.compare`"):
        wordplane.evaluate(pipeline, pd.DataFrame({"text": TEXTS, "label": LABELS}))


@pytest.mark.clock
@pytest.mark.slow
def test_the_pipeline_of_a_large_model_is_shown_at_once():
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(40_000)])
    texts = [" ".join(words[rng.integers(0, 40_000, 60)]) for _ in range(2000)]
    y = [str(i % 2) for i in range(2000)]
    model = TextClassifier(Analyzer(ngrams=(1, 2)), "nb").fit(texts, y)
    assert model.n_features > 100_000
    pipeline = model.to_sklearn()
    began = process_time()
    shown = repr(pipeline), pipeline._repr_html_()
    assert process_time() - began < 2
    assert len(shown[0]) < 2000
    assert len(shown[1]) < 200_000
    assert (pipeline.predict(texts[:50]) == model.predict(texts[:50])).all()
    again = pickle.loads(pickle.dumps(pipeline))
    assert (again.predict(texts[:50]) == model.predict(texts[:50])).all()
