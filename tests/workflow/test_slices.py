"""Tests of wordplane.workflow.slices: the same numbers as on the rows alone."""

import json

import numpy as np
import polars as pl
import pytest

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.evaluation.outcomes import Outcome
from wordplane.workflow.slices import MAX_SLICES, slice_by

WORDS = {"pos": ["great", "fine", "lovely", "good"], "neg": ["dull", "bad", "awful", "poor"]}


def rows(n, seed):
    """Texts of which those by phone often say nothing about their label."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["pos", "neg"], n)
    channel = rng.choice(["mail", "phone", "fax"], n, p=[0.6, 0.37, 0.03])
    texts = []
    for label, where in zip(labels, channel, strict=True):
        mute = where == "phone" and rng.random() < 0.7
        said = "nothing" if mute else rng.choice(WORDS[label])
        texts.append(f"word{rng.integers(9)} {said} film")
    return pl.DataFrame({"text": texts, "label": labels, "channel": channel})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slices")
    rows(200, 0).write_csv(folder / "train.csv")
    rows(300, 1).write_csv(folder / "test.csv")
    train = wordplane.train(str(folder / "train.csv"), output=folder / "m.wordplane", test=False)
    assert train.n_train == 200
    return folder


def test_each_slice_is_what_its_rows_alone_give(folder):
    model, data = wordplane.load(folder / "m.wordplane"), rows(300, 1)
    found = wordplane.evaluate(model, data, by="channel").slices
    assert [one.value for one in found.slices] == ["mail", "phone", "(1 other value)"]
    for one in found.slices:
        where = one.value if "other" not in one.value else "fax"
        alone = wordplane.evaluate(model, data.filter(pl.col("channel") == where)).scores
        assert one.n == alone.n
        assert one.scores["accuracy"].value == alone.accuracy
        assert one.scores["accuracy"].interval == pytest.approx(alone.interval)
        assert one.scores["macro_f1"].value == pytest.approx(alone.macro_f1)
        assert one.scores["macro_f1"].interval == pytest.approx(alone.macro_f1_interval, abs=0.03)
    marked = {one.value: one.distinguishable for one in found.slices}
    assert marked == {"mail": True, "phone": True, "(1 other value)": False}


def test_the_command_prints_them(folder, capsys):
    command = ["evaluate", str(folder / "m.wordplane"), str(folder / "test.csv")]
    assert main([*command, "--by", "channel", "--metric", "log_loss", "--metric", "ap:pos"]) == 0
    out = capsys.readouterr().out
    assert "by channel" in out
    assert "* phone" in out
    assert "log_loss differs from that of the other texts (p < 0.05, corrected for 3" in out
    assert main([*command, "--by", "channel", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["by"]
    assert printed["metrics"] == ["accuracy", "macro_f1"]
    assert printed["slices"][0]["scores"]["accuracy"]["metric"] == "accuracy"
    picture = folder / "by.svg"
    assert main([*command, "--by", "channel", "--plot", str(picture)]) == 0
    drawn = picture.read_text(encoding="utf-8")
    assert "accuracy by channel" in drawn
    assert "phone" in drawn
    assert main([*command, "--plot", str(picture)]) == 2
    capsys.readouterr()
    assert main([*command, "--by", "place"]) == 2
    assert "no column 'place'" in capsys.readouterr().err


def test_what_is_wrong_is_not_counted_as_a_measurement(folder, capsys):
    command = ["evaluate", str(folder / "m.wordplane"), str(folder / "train.csv"), "--rows", "all"]
    assert main([*command, "--metric", "quadratic_kappa"]) == 2
    assert "--metric quadratic_kappa is for labels that are numbers" in capsys.readouterr().err


def test_many_values_and_undefined_metrics():
    n = 20 * (MAX_SLICES + 5)
    truth = ["a", "b"] * (n // 2)
    P = np.tile([[0.7, 0.3], [0.2, 0.8]], (n // 2, 1))
    outcome = Outcome.of_labels(truth, truth, P, ["a", "b"])
    values = [str(i // 20) for i in range(n)]
    found = slice_by("x", values, outcome, ["accuracy"])
    assert len(found.slices) == MAX_SLICES + 1
    assert found.slices[-1].value == "(5 other values)"
    assert found.slices[-1].n == 100
    by_label = slice_by("label", truth, outcome, ["ap:a"])
    assert [one.scores["ap:a"] for one in by_label.slices] == [None, None]
    assert "-" in str(by_label)
    assert "<table" in by_label._repr_html_()


def test_a_list_of_texts_has_no_columns(folder):
    model = wordplane.load(folder / "m.wordplane")
    with pytest.raises(InputError, match="no column 'channel'"):
        wordplane.evaluate(model, ["good"], ["pos"], by="channel")


def test_metrics_of_multi_label_models():
    texts, tags = (
        ["red big", "blue", "red", "big blue"] * 15,
        [["r", "b"], ["u"], ["r"], ["b"]] * 15,
    )
    model = wordplane.TextClassifier(learner="svm").fit(texts, tags)
    result = wordplane.evaluate(model, texts, tags, metrics=["precision@1", "micro_f1", "ap:u"])
    assert result.metrics["precision@1"][0] == 1.0
    assert result.metrics["micro_f1"][0] == result.scores.micro_f1
    assert "precision@1 100.0%" in str(result)
    with pytest.raises(InputError, match="these texts are multi-label"):
        wordplane.evaluate(model, texts, tags, metrics=["mcc"])


def test_several_columns_are_refused():
    model = wordplane.TextClassifier(learner="nb").fit(["good", "bad"] * 5, ["a", "b"] * 5)
    with pytest.raises(InputError, match=r"`by` is \['who'\], expected the name of one column"):
        wordplane.evaluate(model, ["good"], ["a"], by=["who"])
