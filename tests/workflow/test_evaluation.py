"""Tests of wordplane.workflow.evaluation, wordplane.workflow.evaluation_result and
wordplane.model.saved_models."""

import json

import numpy as np
import pytest
from sklearn.metrics import top_k_accuracy_score

import wordplane
from tests.workflow.topics import topic_texts
from wordplane import TextClassifier, check_behavior, compare_models, evaluate, predict
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.report.multilabel import multilabel_content
from wordplane.text.texts import as_texts
from wordplane.workflow.behavior_tests import BehaviorTest
from wordplane.workflow.evaluation import measure_all


@pytest.fixture(scope="module")
def model():
    return TextClassifier(learner="svm", n_jobs=2).fit(*topic_texts(600, 0))


@pytest.fixture(scope="module")
def new():
    return topic_texts(300, 1)


def test_evaluate_tells_how_good_they_are(model, new):
    result = evaluate(
        model, *new, metrics=["mcc", "f1:law"], top_k=2, min_confidence=0.7, set_confidence=0.9
    )
    P = model.predict_proba(new[0])
    codes = np.searchsorted(model.classes_, new[1])
    scores = result.answers
    assert scores["top_k_accuracy"] == pytest.approx(top_k_accuracy_score(codes, P, k=2))
    given = P.max(axis=1) >= 0.7
    assert scores["share_labeled"] == pytest.approx(given.mean())
    assert scores["labeled_accuracy"] == pytest.approx((P.argmax(axis=1) == codes)[given].mean())
    sets = predict(model, new[0], set_confidence=0.9)["label_set"]
    hits = [label in labels for label, labels in zip(new[1], sets, strict=True)]
    assert scores["set_coverage"] == pytest.approx(np.mean(hits))
    assert scores["mean_set_size"] == pytest.approx(np.mean([len(one) for one in sets]))
    low, high = result.metrics["mcc"][1]
    assert low < result.metrics["mcc"][0] < high
    text = str(result)
    assert "f1:law" in text
    assert "of the labels are among the 2 likeliest" in text
    assert "(90% asked for)" in text
    json.dumps(result.to_dict())


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"top_k": 0}, "`top_k` is 0"),
        ({"set_confidence": 1.5}, "`set_confidence` is 1.5"),
        ({"min_confidence": 0}, "`min_confidence` is 0"),
        ({"metrics": ["nothing"]}, "`metric` is 'nothing'"),
        ({"metrics": ["f1:nothing"]}, "nothing"),
        ({"by": "place"}, "no column 'place'"),
        ({"bootstrap": True, "groups": ["a", "b"] * 150}, "`bootstrap` resamples texts"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_texts_are_scored(
    model, new, monkeypatch, wrong, why
):
    def score(*args):
        raise AssertionError("a text was scored")

    monkeypatch.setattr(TextClassifier, "decision_function", score)
    texts, labels = new
    with pytest.raises(InputError, match=why):
        evaluate(model, {"text": texts}, labels, **wrong)


def test_labels_of_many_are_refused_before_texts_are_scored(new, monkeypatch):
    texts, labels = topic_texts(60, 0)
    model = TextClassifier(learner="nb").fit(texts, [[label, "all"] for label in labels])
    monkeypatch.setattr(TextClassifier, "decision_function", None)
    for wrong in ({"top_k": 1}, {"min_confidence": 0.5}, {"set_confidence": 0.5}):
        with pytest.raises(InputError, match="one label per text"):
            evaluate(model, texts, [[label] for label in labels], **wrong)


def test_the_model_of_the_caller_stays_as_it_is(model, new):
    evaluate(model, *new, n_jobs=1)
    compare_models(model, model, *new, n_jobs=1)
    check_behavior(
        model, [BehaviorTest("same", "same", ["a goal"], swap=["goal", "ball"])], n_jobs=1
    )
    assert model.n_jobs == 2
    assert evaluate(model, *new, n_jobs=1).model.n_jobs == 1


def weighted_rows():
    good, bad = ["great fun film", "lovely cast"], ["dull long film", "awful mess"]
    texts = [f"{text} {row}" for row in range(60) for text in (*good, *bad)]
    labels = ["good", "good", "bad", "bad"] * 60
    flipped = [{"good": "bad", "bad": "good"}[label] for label in labels]
    weights = [1.0] * 240 + [1e-6] * 240
    return {
        "text": [*texts, *(f"{text} again" for text in texts)],
        "label": labels + flipped,
        "w": weights,
    }


def test_weights_count_in_what_is_measured():
    rows = weighted_rows()
    result = wordplane.train(rows, weight="w", learner="nb")
    assert result.scores.accuracy > 0.99 and "texts count by their weights" in str(result)
    low, high = result.scores.interval
    assert low < 0.95 and high > 0.9999  # 48 texts do not say more
    found = wordplane.evaluate(result.model, rows, weight="w")
    assert found.scores.accuracy > 0.99
    assert any("by their weights" in note for note in found.notes)
    assert wordplane.evaluate(result.model, rows).scores.accuracy == 0.5


def test_the_log_loss_of_one_text_has_no_interval(model, new, tmp_path):
    texts, labels = new
    one = evaluate(model, texts[:1], labels[:1], metrics=["log_loss"])
    loss = one.scores.log_loss
    assert one.scores.log_loss_interval is None and one.metrics == {"log_loss": (loss, None)}
    said = f"{loss:.4f} (no interval: one row or group)"
    assert dict(one._lines())["log-loss"].startswith(said)
    assert dict(one._lines())["log_loss"] == said
    assert json.loads(json.dumps(one.to_dict()))["metrics"] == {"log_loss": [loss, None]}
    one.report(tmp_path / "r.html")
    assert "no interval" in (tmp_path / "r.html").read_text()
    # A part with one text: nothing tells whether it differs from the others.
    frame = {"text": texts, "label": labels, "part": ["x"] + ["y"] * (len(texts) - 1)}
    parts = evaluate(model, frame, by="part", metrics=["log_loss"], text="text", label="label")
    assert "log_loss differs" not in str(parts)


def test_repeated_texts_are_said_to_narrow_the_intervals():
    model = wordplane.TextClassifier(learner="nb").fit(["great", "dull"] * 5, ["good", "bad"] * 5)
    texts, labels = ["great film", "Great film!", "dull film"] * 10, ["good", "good", "bad"] * 10
    assert any(
        "28 of 30 texts repeat" in note for note in wordplane.evaluate(model, texts, labels).notes
    )
    from wordplane.workflow.model_comparison import compare_models

    compared = compare_models(model, model, texts, labels)
    assert any("28 of 30 texts repeat" in note for note in compared.notes)


def test_many_unknown_labels_are_not_all_listed(model, new, tmp_path):
    """Neither in a note nor on a page, of one label per text or several."""
    texts, labels = new
    shown = ", ".join(repr(f"new {i:02}") for i in range(10)) + " and 5 more"
    strange = [f"new {i:02}" for i in range(15)] + labels[15:]
    assert f"the model does not know the labels {shown}" in evaluate(model, texts, strange).notes
    of_sets = TextClassifier(learner="nb").fit(texts, [[label] for label in labels])
    measured = measure_all(
        of_sets, Corpus(as_texts(texts), [(label,) for label in strange]), trained_on=False
    )
    assert multilabel_content(measured)["notes"] == [f"The model does not know the labels {shown}."]
