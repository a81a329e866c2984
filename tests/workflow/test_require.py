"""`train --require`: shown on rows held out, stored, obeyed by predict, or refused with code 3."""

import numpy as np
import polars as pl
import pytest

import wordplane
from tests.model.rare_texts import rare_texts
from wordplane.cli import main
from wordplane.common.errors import InputError, RequirementError
from wordplane.model.training_record import Training
from wordplane.selection.grid import grid_search

REQUIRED = "precision(spam)>=0.8"


@pytest.fixture(scope="module")
def data():
    return rare_texts(4000, share=0.3)


@pytest.fixture(scope="module")
def required(data):
    return wordplane.train(*data, learner="svm", require=REQUIRED)


def test_the_threshold_is_met_on_new_texts(data, required):
    texts, labels = rare_texts(6000, share=0.3, seed=7)
    truth = np.array(labels) == "spam"
    given = required.model.predict(texts) == "spam"
    plain = wordplane.train(*data, learner="svm").model.predict(texts) == "spam"
    assert truth[given].mean() >= 0.8
    assert truth[plain].mean() < 0.8
    assert given.sum() > 100


def test_the_model_is_the_one_that_was_shown_to_meet_it(data, required):
    model, holdout = required.model, required.model.holdout_
    assert len(holdout.rows) == 800
    assert required.n_train == model.training_.n_docs == 3200
    rest = np.setdiff1d(np.arange(4000), holdout.rows)
    texts, labels = ([part[i] for i in rest] for part in data)
    alone = wordplane.TextClassifier(learner="svm", calibration=None).fit(texts, labels)
    assert (model.model_.W == alone.model_.W).all()
    shown = model.training_.guarantee
    truth = np.array(data[1])[holdout.rows] == "spam"
    given = model.predict([data[0][i] for i in holdout.rows]) == "spam"
    assert (shown["n_rows"], shown["n_label"]) == (800, truth.sum())
    assert (shown["n_given"], shown["n_right"]) == (given.sum(), truth[given].sum())
    assert "the threshold was chosen on them too" in required.tested_on
    assert f"{given.sum()} texts held out that get the label have it" in str(required)
    assert "with 95 % confidence 80 % or more of new texts" in str(required)
    assert required.to_dict()["guarantee"] == shown


def test_the_file_keeps_it(required, tmp_path):
    required.save(tmp_path / "m")
    loaded = wordplane.load(tmp_path / "m")
    assert loaded.metric == REQUIRED
    assert loaded.training_.guarantee == required.model.training_.guarantee
    texts, _ = rare_texts(200, share=0.3, seed=3)
    assert (loaded.predict(texts) == required.model.predict(texts)).all()


def test_recall_and_the_other_class_and_more_classes(data):
    texts, labels = data
    model = wordplane.train(texts, labels, learner="svm", require="recall(spam)>=0.9").model
    new, truth = rare_texts(3000, share=0.3, seed=8)
    given = model.predict(new) == "spam"
    assert given[np.array(truth) == "spam"].mean() >= 0.9
    model = wordplane.train(texts, labels, learner="svm", require="precision(ham)>=0.85").model
    ham = model.predict(new) == "ham"
    assert (np.array(truth)[ham] == "ham").mean() >= 0.85
    three = [y if i % 2 or y == "spam" else "other" for i, y in enumerate(labels)]
    model = wordplane.train(texts, three, learner="svm", require="recall(spam)>=0.8").model
    assert np.flatnonzero(model.training_.shift).tolist() == [2]
    spam = model.predict(new) == "spam"
    assert spam[np.array(truth) == "spam"].mean() >= 0.8


def test_multi_label_models_have_a_threshold_for_the_label(data):
    texts, labels = data
    tags = [[y, "even"] if i % 2 else [y] for i, y in enumerate(labels)]
    model = wordplane.train(texts, tags, learner="svm", require=REQUIRED).model
    new, truth = rare_texts(3000, share=0.3, seed=9)
    given = np.array(["spam" in tags for tags in model.predict(new)])
    assert (np.array(truth)[given] == "spam").mean() >= 0.8
    assert model.training_.guarantee["threshold"] == model.model_.calibrator.thresholds[2]


def test_what_cannot_be_shown_is_exit_code_3(data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"text": data[0][:300], "label": data[1][:300]}).write_csv("d.csv")
    command = ["train", "d.csv", "--learner", "svm", "-o", "m.wordplane"]
    assert main([*command, "--require", "precision(spam)>=0.99"]) == 3
    assert "precision(spam)>=0.99 cannot be shown" in capsys.readouterr().err
    assert not (tmp_path / "m.wordplane").exists()
    assert main([*command, "--require", "precision(eggs)>=0.9"]) == 2
    assert "there is no label 'eggs'" in capsys.readouterr().err
    assert main([*command, "--require", "precision(ham)>=0.6"]) == 0
    assert "decided   for precision(ham)>=0.6" in capsys.readouterr().out
    assert main(["inspect", "m.wordplane"]) == 0
    assert "shown     " in capsys.readouterr().out


@pytest.mark.parametrize("value", [{"threshold": 1.0}, 3, {"threshold": "x", "n_rows": 1,
                         "n_label": 1, "n_given": 1, "n_right": 1}])  # fmt: skip
def test_a_damaged_record_is_refused(value):
    with pytest.raises(InputError, match="the training record has guarantee"):
        Training.from_dict({"guarantee": value})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"metric": "f1"}, "`require` goes neither with `metric`"),
        ({"test": False}, "`require` goes neither"),
        ({"calibration": "cv"}, "`require` needs rows held out"),
        ({"blocks": True}, "`require` needs all texts in memory"),
    ],
)
def test_refused(data, options, says):
    with pytest.raises(InputError, match=says):
        wordplane.train(data[0][:100], data[1][:100], learner="nb", require=REQUIRED, **options)


def test_tuning_does_not_look_at_the_rows_that_show_it(data, monkeypatch):
    seen = []

    def search(*args, **kwargs):
        seen.append(set(args[3].texts))
        return grid_search(*args, **kwargs)

    monkeypatch.setattr("wordplane.workflow.tuning.grid_search", search)
    result = wordplane.train(*data, learner="nb", require="recall(spam)>=0.8", tune=True)
    held_out = {data[0][row] for row in result.model.holdout_.rows}
    assert len(held_out) > 700
    assert not seen[0] & held_out


def test_no_row_to_hold_out():
    with pytest.raises(RequirementError, match="no row can be held out"):
        wordplane.train(["a", "b"], ["ham", "spam"], learner="nb", require=REQUIRED)
