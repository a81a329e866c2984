"""A model without some texts is the one that has never seen them, also if it keeps no texts.

Tests of wordplane.workflow.unlearn and wordplane.cli.unlearn.
"""

import json
import re

import numpy as np
import polars as pl
import pytest

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.learners.logistic import LogisticRegression
from wordplane.learners.svm import LinearSVM


def make_texts(n=240, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    words = [f"w{i}" for i in range(60)]
    texts = [" ".join([*rng.choice(words, 8), f"c{k}{rng.integers(4)}"]) for k in y]
    return texts, [f"l{k}" for k in y]


TEXTS, Y = make_texts()
WRONG, WRONG_Y = [*TEXTS[:20], "only here"], [*Y[:20], Y[0]]
ALL, ALL_Y = [*TEXTS, "only here"], [*Y, Y[0]]


def remove(model, texts, labels, rest, **options):
    rest = {"text": rest[0], "label": rest[1]}
    return wordplane.unlearn(model, texts, labels, rest=rest, **options)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("learner", ["svm", "logistic", "nb", None])
@pytest.mark.slow
def test_equals_training_without_the_texts(learner, n_classes):
    texts, y = make_texts(n_classes=n_classes)
    model = wordplane.train([*texts, "only here"], [*y, y[0]], learner=learner).model
    wrong = [*texts[:20], "only here"], [*y[:20], y[0]]
    analyzer = model.model_.features.analyzer
    fresh = wordplane.train(texts[20:], y[20:], learner=learner, analyzer=analyzer)
    for rest in ([*texts, "only here"], [*y, y[0]]), (texts[20:], y[20:]):
        result = remove(model, *wrong, rest)
        new, old = result.model.model_, fresh.model.model_
        assert new.features.names() == old.features.names()
        assert "only" in "".join(model.model_.features.names())
        assert "only" not in "".join(new.features.names())
        assert (new.W == old.W).all() and (new.b == old.b).all()
        assert (result.model.predict_proba(ALL) == fresh.model.predict_proba(ALL)).all()
        assert result.scores == fresh.scores
        assert result.n_train == len(texts) - 20


def test_a_text_takes_out_one_row_with_the_same_label():
    model = wordplane.train(ALL, ALL_Y, learner="svm").model
    other = next(label for label in Y if label != Y[0])
    rest = [*ALL, TEXTS[0], TEXTS[0]], [*ALL_Y, Y[0], other]
    result = remove(model, TEXTS[:1], Y[:1], rest)
    assert result.n_train == len(ALL) + 1
    assert f"texts to remove: 1; 1 of them are among the {len(ALL) + 2:,} of" in str(result.notes)
    result = remove(model, ["never seen"], Y[:1], (ALL, ALL_Y))
    assert result.n_train == len(ALL) and "0 of them are among" in str(result.notes)
    assert "are not there any more, or differ in a character or in the label" in str(result.notes)


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
def test_the_stated_gap_holds(tol):
    svm = LinearSVM(tol=1e-12)
    best = wordplane.train(TEXTS, Y, learner=svm, test=False).model.model_.certificate
    optimum = float(re.search(r"objective (\S+),", best)[1])
    model = wordplane.train(ALL, ALL_Y, learner=LinearSVM(tol=tol), test=False).model
    note = remove(model, ["only here"], [Y[0]], (ALL, ALL_Y), test=False).notes[-1]
    objective, gap, share = map(
        float, re.search(r"objective (\S+), at most (\S+) \((\S+) of it\) too high", note).groups()
    )
    assert optimum <= objective * (1 + 1e-5) and objective - optimum <= 1.05 * gap + 1e-3
    assert share <= 1.05 * tol


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (LogisticRegression(solver="dual", tol=1e-3), r"at most 0\.001 of it too high"),
        (LogisticRegression(solver="newton"), "no component of the gradient is above"),
        (LinearSVM(penalty="l1"), r"at most \S+ \(\S+ of it\) too high"),
        (None, "on the texts that remain$"),
    ],
)
def test_what_is_known_of_the_optimum_is_said(learner, said):
    model = wordplane.train(ALL, ALL_Y, learner=learner, test=False).model
    note = remove(model, WRONG, WRONG_Y, (ALL, ALL_Y), test=False).notes[-1]
    assert note.startswith("trained again, from weights of 0, on the texts that remain")
    assert re.search(said, note)


def test_multi_label_models():
    sets = [[label, "third"] if i % 3 == 0 else [label] for i, label in enumerate(Y)]
    data = {"text": TEXTS, "label": sets}
    model = wordplane.train(data, learner="svm").model
    wrong = {"text": TEXTS[:20], "label": sets[:20]}
    result = wordplane.unlearn(model, wrong, rest=data)
    fresh = wordplane.train({"text": TEXTS[20:], "label": sets[20:]}, learner="svm").model
    assert (result.model.model_.W == fresh.model_.W).all()


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"text": ALL, "label": ALL_Y}).write_csv("all.csv")
    pl.DataFrame({"text": WRONG, "label": WRONG_Y}).write_csv("wrong.csv")
    assert main(["train", "all.csv", "--learner", "svm", "-o", "m.wordplane"]) == 0
    removal = ["unlearn", "m.wordplane", "wrong.csv", "-o", "new.wordplane"]
    assert main(removal) == 2
    assert "to remove texts, give its training data as --rest" in capsys.readouterr().err
    assert main([*removal, "--rest", "all.csv", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["n_train"] == len(TEXTS) - 20 and "too high" in result["notes"][-1]
    assert wordplane.load("new.wordplane").n_features == result["n_features"]
    assert main(["unlearn", "wrong.csv", "m.wordplane", "--rest", "all.csv"]) == 2
    assert "wordplane unlearn m.wordplane wrong.csv" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["train", "wrong.csv", "--rest", "all.csv", "-o", "x.wordplane"])
    assert "there is no option --rest" in capsys.readouterr().err


def test_what_cannot_be_trained_again_is_refused():
    rest = ALL, ALL_Y
    svm = wordplane.train(ALL, ALL_Y, learner="svm").model
    edited = wordplane.edit(svm, ALL, ALL_Y, forbid=["w1"]).model
    with pytest.raises(InputError, match="with `rest`: it was edited"):
        remove(edited, WRONG, WRONG_Y, rest)
    with pytest.raises(TypeError, match=r"unlearn\(\) has no option 'learner'"):
        remove(svm, WRONG, WRONG_Y, rest, learner="nb")


def test_the_model_that_is_given_stays():
    model = wordplane.train(ALL, ALL_Y, learner="nb", n_jobs=1).model
    before, words = model.predict_proba(ALL), model.n_features
    result = wordplane.unlearn(model, ["only here"], Y[:1])
    assert result.model.n_features < words == model.n_features
    assert (model.predict_proba(ALL) == before).all() and model.n_jobs == 1
