"""Labels that are decided for a metric: honest, stored, and kept when training goes on.

Tests of wordplane.model.decision and wordplane.model.fitting.
"""

import json

import numpy as np
import pytest

from tests.model.rare_texts import rare_texts
from wordplane import TextClassifier, load, train
from wordplane.common.errors import InputError
from wordplane.evaluation.label_metrics import NamedMetric


@pytest.fixture(scope="module")
def data():
    return rare_texts()


def f1(model, texts, labels):
    predicted = model.predict(texts)
    hits = sum(p == t == "spam" for p, t in zip(predicted, labels, strict=True))
    return 2 * hits / (sum(predicted == "spam") + labels.count("spam"))


def test_f1_of_a_rare_class_gains_on_new_texts(data):
    new = rare_texts(seed=1)
    plain = TextClassifier(learner="svm").fit(*data)
    for_f1 = TextClassifier(learner="svm", metric="f1").fit(*data)
    assert f1(for_f1, *new) > f1(plain, *new) + 0.1
    assert (for_f1.model_.W == plain.model_.W).all()
    (shift,) = for_f1.training_.shift
    assert for_f1.model_.b[0] == pytest.approx(plain.model_.b[0] + shift)
    z = for_f1.decision_function(new[0])
    assert ((z > 0) == (for_f1.predict(new[0]) == "spam")).all()


def test_probabilities_stay_those_of_the_rare_class(data):
    model = TextClassifier(learner="svm", metric="f1").fit(*data)
    texts, labels = rare_texts(seed=2)
    assert model.predict_proba(texts)[:, 1].mean() == pytest.approx(
        labels.count("spam") / len(labels), abs=0.03
    )


def test_the_file_keeps_the_decision(data, tmp_path):
    model = TextClassifier(learner="svm", metric="f1:spam").fit(*data)
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert loaded.metric == "f1:spam"
    assert loaded.training_.shift == model.training_.shift
    texts, _ = rare_texts(seed=3)
    assert (loaded.predict(texts) == model.predict(texts)).all()


def test_explain_and_flip_agree_with_predict(data):
    model = TextClassifier(learner="svm", metric="f1").fit(*data)
    texts, _ = rare_texts(60, share=0.5, seed=4)
    for text, label in zip(texts, model.predict(texts), strict=True):
        explanation = model.explain(text)
        assert explanation.label == label
        assert explanation.score >= 0


def test_training_further_decides_again_or_keeps_the_shift(data):
    texts, labels = data
    model = TextClassifier(learner="nb", metric="f1").fit(texts[:1000], labels[:1000])
    model.partial_fit(texts[1000:], labels[1000:])
    learner = model.model_.learner
    assert model.training_.metric == "f1:spam"
    shift = np.array(model.training_.shift)
    assert model.model_.b == pytest.approx(learner.intercept_ + shift)
    model.set_params(calibration=None).partial_fit(texts[:50], labels[:50])
    assert model.training_.shift == tuple(shift)
    assert model.model_.b == pytest.approx(model.model_.learner.intercept_ + shift)


def test_the_estimate_is_of_rows_that_others_decided(data):
    result = train(*data, learner="svm", metric="f1")
    holdout = result.model.holdout_
    truth = np.array(data[1])[holdout.rows]
    predicted = (result.measured.predicted == "spam").astype(int)
    assert (result.measured.predicted == holdout.predicted).all()
    (rare,) = [c for c in result.scores.classes if c.label == "spam"]
    hits = (predicted == 1) & (truth == "spam")
    assert rare.f1 == pytest.approx(2 * hits.sum() / (predicted.sum() + (truth == "spam").sum()))
    assert "decided   for the best f1:spam: 'spam' from a probability of" in str(result)
    json.dumps(result.to_dict())


def test_cross_fitted_decisions(data):
    model = TextClassifier(learner="svm", metric="macro_f1", calibration="cv").fit(*data)
    assert model.training_.metric == "macro_f1"
    assert model.training_.shift[0] > 0


def test_several_classes():
    texts, labels = rare_texts(seed=5)
    labels = [label if i % 3 else f"{label}-b" for i, label in enumerate(labels)]
    model = TextClassifier(learner="svm", metric="macro_recall").fit(texts, labels)
    assert len(model.training_.shift) == 4
    assert model.predict_proba(texts).sum(axis=1) == pytest.approx(np.ones(len(texts)))


@pytest.mark.parametrize(
    ("options", "labels", "says"),
    [
        ({"metric": "f1", "calibration": None}, ["a", "b"] * 20, "`metric` needs texts to decide"),
        ({"metric": "best"}, ["a", "b"] * 20, "`metric` is 'best'"),
        ({"metric": "f1:c"}, ["a", "b"] * 20, "there is no label 'c'"),
        ({"metric": "f1"}, [["a"], ["a", "b"]] * 20, "one label per text"),
    ],
)
def test_what_cannot_be_decided_says_so(options, labels, says):
    texts = ["good film", "bad film"] * 20
    with pytest.raises(InputError, match=says):
        TextClassifier(learner="svm", **options).fit(texts, labels)


def test_metric_names_are_those_of_the_help():
    with pytest.raises(InputError, match="accuracy, micro_f1, macro_f1, weighted_f1, macro_recall"):
        NamedMetric.of("", np.array(["a", "b"]), np.array([1, 1]))
