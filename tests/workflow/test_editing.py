"""Tests of wordplane.workflow.editing: forbidden, pinned and capped features, and their cost.

Also of wordplane.model.editing.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import wordplane
from tests.model.model_files import tampered
from wordplane import Analyzer, LinearSVM, LogisticRegression, TextClassifier, edit, load, train
from wordplane.cli import main
from wordplane.common.errors import InputError, ModelFileError
from wordplane.evaluation.fold_variance import widen_share
from wordplane.evaluation.intervals import wilson_interval
from wordplane.model.editing import Edit
from wordplane.model.file import from_bytes, to_bytes

RNG = np.random.default_rng(5)
WORDS = ["great", "fine", "dull", "slow", "plot", "film", "cast", "smith"]
TEXTS, LABELS = [], []
for _ in range(240):
    words = RNG.choice(WORDS, 5)
    score = sum(
        {"great": 2, "fine": 1, "dull": -2, "slow": -1, "smith": 2}.get(w, 0) for w in words
    )
    TEXTS.append(" ".join(words))
    LABELS.append("good" if score + RNG.normal() > 0.5 else "bad")


N_SMITH = sum("smith" in text.split() for text in TEXTS)


def weights(model: TextClassifier) -> dict[str, float]:
    names = model.model_.features.names()
    return dict(zip(names, model.model_.W[:, 0].tolist(), strict=True))


@pytest.mark.parametrize("learner", [None, "svm", "logistic", "nbsvm"])
def test_the_edited_model_obeys(learner, tmp_path) -> None:
    model = train(TEXTS, LABELS, learner=learner).model
    before = weights(model)
    asked = {"forbid": ["smith"], "pin": {"plot": 0.7}, "cap": {"great": 0.1, "cast": 50.0}}
    result = edit(model, TEXTS, LABELS, output=tmp_path / "m.wordplane", **asked)
    after = weights(result.model)
    assert weights(model) == before  # the old one stays
    assert after["plot"] == np.float32(0.7)
    assert abs(after["great"]) <= 0.1 < abs(before["great"])
    assert not any("smi" in name for name in after)  # nor in runs of characters
    again = load(tmp_path / "m.wordplane")
    assert again.predict_proba(TEXTS).tolist() == result.model.predict_proba(TEXTS).tolist()
    assert again.training_.edits == Edit.of(**asked).to_dict()
    names = {(one.name, one.edit) for one in result.features}
    assert names == {("plot", "pin"), ("great", "cap"), ("cast", "cap")}
    assert [(one.word, one.n_texts) for one in result.forbidden] == [("smith", N_SMITH)]


def test_explanations_agree_with_the_edit() -> None:
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "svm").fit(TEXTS, LABELS)
    edited = edit(model, TEXTS, LABELS, forbid=["smith"], pin={"plot": 2}, cap={"great": 0}).model
    found = edited.explain("great plot by smith", "good")
    assert dict(found.by_feature()) == {"plot": 2.0, "great": 0.0}
    assert found.score == pytest.approx(2.0 + found.bias)
    assert edited.decision_function(["smith"])[0] == edited.decision_function(["unknown"])[0]


def test_the_others_are_the_optimum_given_the_edits() -> None:
    from scipy.optimize import minimize

    analyzer = Analyzer(ngrams=(1, 1))
    learner = LogisticRegression(C=1.0, tol=1e-8)
    model = TextClassifier(analyzer, learner).fit(TEXTS, LABELS)
    asked = {"forbid": ["smith"], "pin": {"plot": 0.5}, "cap": {"great": 0.3}}
    edited = edit(model, TEXTS, LABELS, **asked).model
    X = edited.feature_matrix(TEXTS).toarray().astype(float)
    names = edited.model_.features.names()
    sign = np.where(np.array(LABELS) == "good", 1, -1)
    bounds = [(-np.inf, np.inf)] * len(names)
    bounds[names.index("plot")] = (0.5, 0.5)
    bounds[names.index("great")] = (-0.3, 0.3)

    def value(u):
        return u[:-1] @ u[:-1] / 2 + np.logaddexp(0, -sign * (X @ u[:-1] + u[-1])).sum()

    start = np.clip(np.zeros(len(names)), *np.transpose(bounds))
    options = {"ftol": 1e-15, "maxiter": 5000}
    best = minimize(
        value, np.append(start, 0), method="SLSQP", options=options,
        bounds=[*bounds, (-np.inf, np.inf)],
    )  # fmt: skip
    own = np.append(edited.model_.W[:, 0], edited.model_.b).astype(float)
    assert value(own) <= best.fun * (1 + 1e-6)
    np.testing.assert_allclose(own, best.x, atol=2e-3)


def test_the_cost_is_that_of_folds_by_hand() -> None:
    from wordplane.data.splits import stratified_folds

    y = np.array(LABELS)
    model = TextClassifier(Analyzer(ngrams=(1, 1)), LinearSVM(tol=1e-6)).fit(TEXTS, LABELS)
    result = edit(model, TEXTS, LABELS, forbid=["great", "smith", "dull"])
    right = np.zeros((2, len(y)), bool)
    for held in stratified_folds(LABELS, 5, 0):
        rest = np.setdiff1d(np.arange(len(y)), held)
        for k, without in enumerate([[], ["great", "smith", "dull"]]):
            analyzer = Analyzer(ngrams=(1, 1), stop_words=without or None)
            one = TextClassifier(analyzer, LinearSVM(tol=1e-6), calibration=None)
            one.fit([TEXTS[i] for i in rest], y[rest])
            right[k, held] = one.predict([TEXTS[i] for i in held]) == y[held]
    found = [score.value for score in result.scores]
    assert found == pytest.approx(right.mean(axis=1).tolist(), abs=0.01)
    assert result.comparison.difference == pytest.approx(found[1] - found[0])
    assert result.comparison.is_worse
    low, high = result.comparison.interval
    assert low < result.comparison.difference < high < 0
    for one in result.scores:  # as wide as those of other numbers of folds
        wider = widen_share(one.value, wilson_interval(one.value * len(y), len(y)), len(y))
        assert one.interval == pytest.approx(wider)


@pytest.mark.parametrize("word", ["smith", "Smith", "SMITH"])
def test_a_forbidden_word_is_seen_nowhere(word, tmp_path) -> None:
    """Not by its characters, in no n-gram, not after a negation; in every way to use the model."""
    analyzer = Analyzer(ngrams=(1, 2), chars=(2, 5), negation=True, prefixes=[3], suffixes=[3])
    texts = [f"not {text}" if i % 3 else f"{text} Smith's" for i, text in enumerate(TEXTS)]
    model = TextClassifier(analyzer, "svm").fit(texts, LABELS)
    edited = edit(model, texts, LABELS, forbid=[word], output=tmp_path / "m.wordplane").model
    assert not any("smi" in name.lower() for name in edited.model_.features.names())
    for used in (edited, load(tmp_path / "m.wordplane")):
        one, other = "a film by SMITH, not Smith", "a film by      , not      "
        assert used.decision_function([one]) == used.decision_function([other])
        assert used.predict_proba([one]).tolist() == used.predict_proba([other]).tolist()
        assert used.feature_matrix([one]).toarray().tolist() == (
            used.feature_matrix([other]).toarray().tolist()
        )
        explanation = used.explain(one)
        assert explanation.text == one
        assert not any("smi" in name.lower() for name, _ in explanation.by_feature())
        assert not any("smi" in word.lower() for word, _ in explanation.by_word())
        assert used.knowledge([one]).known == used.knowledge([other]).known


@pytest.mark.parametrize(
    ("make", "labels"),
    [
        ({"learner": "nb"}, LABELS),
        ({"learner": LinearSVM(loss="hinge")}, LABELS),
        ({"learner": "svm", "analyzer": {"hash_bits": 10}}, LABELS),
        ({}, [f"{label}{i % 3}" for i, label in enumerate(LABELS)]),
        ({}, [[label, f"third{i % 3}"] for i, label in enumerate(LABELS)]),
        ({"learner": "tree"}, [f"{label}{i % 3}" for i, label in enumerate(LABELS)]),
    ],
)
@pytest.mark.slow
def test_words_are_forbidden_in_models_of_all_kinds(make, labels, tmp_path) -> None:
    model = train(TEXTS, labels, **make).model
    result = edit(model, TEXTS, labels, forbid=["smith"], output=tmp_path / "m.wordplane")
    for used in (result.model, load(tmp_path / "m.wordplane")):
        z = used.decision_function(["smith", "SMITH", "", "great smith", "great"])
        assert z[0].tolist() == z[1].tolist() == z[2].tolist()
        assert z[3].tolist() == z[4].tolist()
    assert result.model.classes_.tolist() == model.classes_.tolist()
    assert result.scores[0].metric == ("micro_f1" if model.is_multilabel else "accuracy")
    assert len(str(result).splitlines()) <= 10
    assert json.dumps(result.to_dict())
    again = edit(result.model, TEXTS, labels, forbid=["plot"]).model
    assert again.model_.features.spec.tokens.forbid == ("smith", "plot")


def test_a_forbidden_word_takes_those_with_its_stem_along() -> None:
    texts = [f"{text} films" if i % 2 else f"{text} filming" for i, text in enumerate(TEXTS)]
    model = TextClassifier(Analyzer(stem="english"), "svm").fit(texts, LABELS)
    edited = edit(model, texts, LABELS, forbid=["film"]).model
    assert not any("film" in name for name in edited.model_.features.names())
    assert edited.decision_function(["films"]) == edited.decision_function([""])


def test_fields_are_named(tmp_path) -> None:
    rows = {"title": TEXTS, "body": TEXTS[::-1]}
    model = TextClassifier(Analyzer(ngrams=(1, 2)), "svm", fields=["title", "body"])
    model.fit(rows, LABELS)
    names = weights(edit(model, rows, LABELS, forbid=["title:smith"]).model)
    assert "body:smith" in names
    assert not any(name.startswith("title:") and "smith" in name for name in names)
    both = weights(edit(model, rows, LABELS, forbid=["smith"], pin={"body:plot": -1}).model)
    assert not any("smith" in name for name in both)
    assert both["body:plot"] == -1


def test_columns_and_conjunctions(tmp_path) -> None:
    rows = {"text": TEXTS, "n": RNG.normal(size=240).tolist()}
    model = TextClassifier(Analyzer(columns={"n": "number"}, conjoin=6), "svm").fit(rows, LABELS)
    after = weights(edit(model, rows, LABELS, forbid=["smith"], pin={"n": 0}).model)
    assert after["n"] == 0
    assert not any("smith" in name for name in after)


def test_earlier_edits_stay(tmp_path) -> None:
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "svm").fit(TEXTS, LABELS)
    once = edit(model, TEXTS, LABELS, forbid=["smith"], pin={"plot": 1, "film": 2}).model
    twice = edit(once, TEXTS, LABELS, cap={"plot": 0.5, "great": 0.2})
    after = weights(twice.model)
    assert "smith" not in after
    assert after["film"] == 2
    assert abs(after["plot"]) <= 0.5
    assert abs(after["great"]) <= 0.2
    expected = {"forbid": ["smith"], "pin": {"film": 2.0}, "cap": {"plot": 0.5, "great": 0.2}}
    assert twice.model.training_.edits == expected
    assert any("edited before" in note for note in twice.notes)


def test_a_metric_is_decided_again() -> None:
    model = train(TEXTS, LABELS, learner="svm", metric="f1:good").model
    result = edit(model, TEXTS, LABELS, forbid=["smith"])
    assert result.model.training_.metric == "f1:good"
    assert result.model.training_.true_probabilities


@pytest.mark.parametrize(
    ("make", "why"),
    [
        ({"learner": "nb"}, "its learner is MultinomialNB"),
        ({"learner": LinearSVM(loss="hinge")}, "its learner is LinearSVM"),
        ({"learner": LogisticRegression(penalty="l1")}, "its learner is LogisticRegression"),
        ({"learner": "svm", "analyzer": {"hash_bits": 10}}, "hashed"),
        ({"labels": [f"{label}{i % 3}" for i, label in enumerate(LABELS)]}, "it has 6 classes"),
        ({"learner": "oneclass", "labels": ["x"] * 240}, "trained on one label"),
        ({"labels": [[label] for label in LABELS]}, "several per text"),
        ({"unlabeled": TEXTS, "learner": "logistic"}, "without labels"),
        ({"require": "precision(good)>=0.5", "learner": "svm"}, "requirement"),
    ],
)
@pytest.mark.slow
def test_models_that_cannot_be_edited(make, why) -> None:
    labels = make.get("labels", LABELS)
    model = train(TEXTS, **{"labels": labels, **make}).model
    with pytest.raises(InputError, match=why):
        edit(model, TEXTS, labels, pin={"smith": 0})


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({}, "nothing to edit"),
        ({"forbid": ["smiht"]}, "no feature 'smiht'; did you mean 'smith'"),
        ({"pin": {"xyz": 1}}, "no feature 'xyz'"),
        ({"pin": {"plot": float("nan")}}, "NaN"),
        ({"pin": {"plot": "1"}}, "expected a finite number"),
        ({"pin": ["plot"]}, "expected features with numbers"),
        ({"cap": {"plot": -1}}, "expected 0 or more"),
        ({"forbid": ["plot"], "cap": {"plot": 1}}, "named twice"),
        ({"forbid": ["plot"], "cap": {"plot film": 1}}, "is forbidden"),
        ({"forbid": [""]}, "not empty"),
        ({"forbid": ["plot"], "folds": 1}, "expected at least 2"),
    ],
)
def test_wrong_edits_are_refused(asked, why) -> None:
    model = TextClassifier(learner="svm").fit(TEXTS, LABELS)
    with pytest.raises(InputError, match=why):
        edit(model, TEXTS, LABELS, **asked)


def test_other_labels_are_refused() -> None:
    model = TextClassifier(learner="svm").fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="no label 'other'"):
        edit(model, TEXTS, ["other", *LABELS[1:]], forbid=["smith"])


@pytest.mark.parametrize(
    "edits",
    [
        [],
        {"forbid": []},
        {"forbid": [1], "pin": {}, "cap": {}},
        {"forbid": [], "pin": {"a": "b"}, "cap": {}},
        {"forbid": [], "pin": {}, "cap": [1]},
        {"forbid": [], "pin": {}, "cap": {}, "more": 1},
    ],
)
def test_damaged_records_are_refused(edits) -> None:
    model = TextClassifier(learner="svm").fit(TEXTS, LABELS)
    changed = edit(model, TEXTS, LABELS, forbid=["smith"]).model.model_
    data = tampered(lambda _, metadata: metadata["training"].update(edits=edits), to_bytes(changed))
    with pytest.raises(ModelFileError, match="edits"):
        from_bytes(data)


@pytest.mark.slow
def test_command_line(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("d.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *zip(TEXTS, LABELS, strict=True)])
    assert main("train d.csv --learner svm -o m.wordplane".split()) == 0
    options = "--forbid smith --pin plot=0.5 --cap great=0.1"
    assert main(f"edit m.wordplane d.csv {options} -o e.wordplane".split()) == 0
    out = capsys.readouterr().out
    assert f"forbidden 'smith' (in {N_SMITH} texts)" in out
    assert "pinned    'plot'" in out
    assert "cost      accuracy" in out
    asked = {"forbid": ["smith"], "pin": {"plot": 0.5}, "cap": {"great": 0.1}}
    edit("m.wordplane", "d.csv", output="p.wordplane", **asked)
    assert Path("e.wordplane").read_bytes() == Path("p.wordplane").read_bytes()
    assert main("inspect e.wordplane".split()) == 0
    assert "edited    forbidden smith; pinned plot=0.5; capped great=0.1" in capsys.readouterr().out
    assert main(f"edit m.wordplane d.csv {options} -o e.wordplane".split()) == 2
    assert "e.wordplane exists" in capsys.readouterr().err
    assert main(f"edit m.wordplane d.csv {options} -o j.wordplane --json".split()) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["comparison"]["metric"] == "accuracy"
    assert {one["edit"] for one in told["features"]} == {"pin", "cap"}
    assert told["forbidden"] == [{"word": "smith", "n_texts": N_SMITH}]
    assert wordplane.compare_models("m.wordplane", "e.wordplane", "d.csv").n_rows == 240
