"""Stored models, with the scores and probabilities that they had when they were written.

Tests of wordplane.model.training_record, wordplane.model.fingerprint and wordplane.model.golden.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import wordplane
from tests.model.model_files import FRAME, LABELS, RICH
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.evaluation.label_scores import score
from wordplane.model.training_record import Training
from wordplane.text.documents import as_documents

STORED = Path(__file__).parents[1] / "models"
EXPECTED = json.loads((STORED / "scores.json").read_text(encoding="utf-8"))
MODELS = EXPECTED["models"]


@pytest.mark.parametrize("name", MODELS)
def test_scores_stay_the_same(name):
    model = wordplane.load(STORED / f"{name}.wordplane")
    scores = model.decision_function(EXPECTED["texts"])
    assert np.array_equal(scores, np.array(MODELS[name]["scores"]))
    expected = np.array(MODELS[name]["probabilities"])
    assert model.predict_proba(EXPECTED["texts"]) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "learner", "n_docs"),
    [
        (
            "recipe",
            "NBSVM(beta=0.5, learner=LinearSVM(C=1.5, tol=0.003), binary=False, smoothing='mass', "
            "scaling='shifted')",
            40,
        ),
        ("svm", "LinearSVM(C=3)", 40),
        ("tuned", "LogisticRegression(C=0.3)", 40),
        ("nb_resumable", "MultinomialNB(alpha='auto')", 40),
        ("multilabel", "MultinomialNB(alpha='auto')", 10),
    ],
)
def test_the_record_of_training_is_read(name, learner, n_docs):
    training = wordplane.load(STORED / f"{name}.wordplane").training_
    assert repr(training.make_learner()) == training.learner_text == learner
    assert (training.n_docs, training.seed) == (n_docs, 0)
    assert training.text_columns == ("text",)
    assert len(training.fingerprint) == 16
    assert training.tested_on.startswith("held out, by a model trained on the other ")
    assert training.scores.n in (1, 4)


@pytest.mark.parametrize("name", ["nb_resumable", "onlinesvm_resumable"])
def test_they_can_be_trained_further(name, tmp_path):
    output = tmp_path / "m.wordplane"
    data = tmp_path / "more.csv"
    data.write_text("text,label\n" + "a great joy,good\nso dull,bad\n" * 5)
    stored = str(STORED / f"{name}.wordplane")
    assert main(["update", stored, str(data), "-o", str(output)]) == 0
    assert wordplane.load(output).training_.n_docs == 50


def test_a_stored_model_of_words_keeps_its_scores():
    model = wordplane.load(STORED / "words.wordplane")
    assert model.classes_.tolist() == ["neg", "pos"]
    assert model.predict(["a great film", "so dull"]).tolist() == ["pos", "neg"]
    assert np.allclose(model.decision_function(["a great film"]), [2.91996355], atol=1e-5)


def test_a_stored_model_of_many_features_keeps_its_probabilities():
    model = wordplane.load(STORED / "columns.wordplane")
    texts = as_documents(FRAME, RICH.columns)
    assert model.predict(texts).tolist() == LABELS
    assert model.predict_proba(texts).max(axis=1) == pytest.approx(
        [0.715478, 0.716401, 0.707908, 0.721922], abs=1e-4
    )
    assert model.analyzer.to_dict() == {**RICH.to_dict(), "tokens": "spaced"}


@pytest.mark.parametrize(
    ("name", "value"),
    [("interval", 1), ("accuracy", [0.1, 0.2]), ("majority_label", 2**63), ("macro_f1", None)],
)
def test_scores_that_could_not_be_shown_are_refused(name, value):
    scores = json.loads(json.dumps(score(["a", "b"], ["a", "a"]).to_dict()))
    training = Training(scores=None).to_dict() | {"scores": scores | {name: value}}
    with pytest.raises(InputError, match=f"the training record has a score {name} of"):
        Training.from_dict(training)
