"""Two saved models on the same texts: the verdict, what changed, and a code for scripts.

Tests of wordplane.workflow.model_comparison.
"""

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest, chi2

import wordplane
from tests.workflow.shown import check_html, reviews
from wordplane.cli import main
from wordplane.common.errors import InputError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A good model, and one that learned from labels of which many are wrong."""
    folder = tmp_path_factory.mktemp("models")
    texts, labels = reviews(200)
    wrong = np.where(np.random.default_rng(0).random(200) < 0.45, "neg", labels).tolist()
    wordplane.train(texts, labels, learner="nb", output=folder / "good.wordplane", test=False)
    wordplane.train(texts, wrong, learner="nb", output=folder / "bad.wordplane", test=False)
    texts, labels = reviews(300, seed=1)
    ids = [f"r{i}" for i in range(300)]
    pl.DataFrame({"id": ids, "text": texts, "label": labels}).write_csv(folder / "test.csv")
    return folder


def both(folder):
    texts, labels = reviews(300, seed=1)
    models = [wordplane.load(folder / name) for name in ("good.wordplane", "bad.wordplane")]
    return np.array(labels), *(model.predict(texts) for model in models)


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1"])
def test_groups_are_tested_as_a_whole(folder, capsys, monkeypatch, metric):
    monkeypatch.chdir(folder)
    texts, labels = reviews(300, seed=1)
    authors = [f"a{i % 12}" for i in range(300)]
    frame = pl.DataFrame({"text": texts, "label": labels, "author": authors})
    frame.write_csv(folder / "authors.csv")
    models = ["good.wordplane", "bad.wordplane"]
    given = ["evaluate", *models, "authors.csv", "--metric", metric, "--group", "author"]
    assert main(given) in (0, 3)
    shown = capsys.readouterr().out
    assert "300 texts in 12 groups; intervals are of whole groups" in shown
    result = wordplane.compare_models(*models, texts, labels, groups=authors, metrics=[metric])
    named = wordplane.compare_models(*models, frame, group="author", metrics=[metric])
    rows = wordplane.compare_models(*models, frame, metrics=[metric])
    first = result.comparisons[0]
    assert first == named.comparisons[0] and first != rows.comparisons[0]
    assert "whole groups" in first.test and first.test in shown
    assert result.to_dict()["n_groups"] == 12 and rows.to_dict()["n_groups"] is None
    truth, good, bad = both(folder)
    if metric == "accuracy":
        d = np.bincount(np.arange(300) % 12, (good == truth) * 1.0 - (bad == truth))
        assert first.p == pytest.approx(chi2.sf(d.sum() ** 2 / (d**2).sum(), 1))


def test_the_verdict_is_that_of_a_paired_test(folder):
    truth, good, bad = both(folder)
    result = wordplane.compare_models(
        folder / "good.wordplane", folder / "bad.wordplane", str(folder / "test.csv")
    )
    only_good = int(((good == truth) & (bad != truth)).sum())
    only_bad = int(((bad == truth) & (good != truth)).sum())
    first = result.comparisons[0]
    assert (first.a, first.b) == (np.mean(good == truth), np.mean(bad == truth))
    exact = binomtest(only_bad, only_good + only_bad).pvalue
    assert first.mcnemar.p_exact == pytest.approx(exact)
    assert result.is_worse
    assert result.verdict == "B is worse than A"
    changed = result.n_changes()
    assert (changed["right now"], changed["wrong now"]) == (only_bad, only_good)
    assert len(result.changes) == (good != bad).sum()
    row = int(np.flatnonzero(good != bad)[0])
    one = result.changes[0]
    assert (one.id, one.label, one.a, one.b) == (f"r{row}", truth[row], good[row], bad[row])
    check_html(result._repr_html_())
    back = wordplane.compare_models(
        folder / "bad.wordplane", folder / "good.wordplane", str(folder / "test.csv")
    )
    assert (back.is_worse, back.verdict) == (False, "B is better than A")


def test_the_command_ends_with_3_if_b_is_worse(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    worse = ["evaluate", "good.wordplane", "bad.wordplane", "test.csv"]
    better = ["evaluate", "bad.wordplane", "good.wordplane", "test.csv"]
    assert main(better) == 0
    assert "verdict   B is better than A: accuracy +" in capsys.readouterr().out
    assert main([*worse, "-o", "changed.csv"]) == 3
    out, err = capsys.readouterr()
    assert "wrong now" in out
    table = pl.read_csv("changed.csv")
    _, good, bad = both(folder)
    assert table["id"].to_list() == [f"r{i}" for i in np.flatnonzero(good != bad)]
    assert f"wrote {len(table)} rows" in err
    assert main([*worse, "--metric", "log_loss", "--metric", "f1:pos", "--json"]) == 3
    printed = json.loads(capsys.readouterr().out)
    assert [c["metric"] for c in printed["comparisons"]] == ["log_loss", "f1:pos"]
    assert printed["is_worse"]
    assert main(["evaluate", "good.wordplane", "good.wordplane", "test.csv"]) == 0
    assert "0 texts get another label" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["good.wordplane", "bad.wordplane"], "name labeled texts after the models"),
        (["good.wordplane", "bad.wordplane", "test.csv", "--by", "id"], "--by is for one model"),
        (["good.wordplane", "test.csv", "-o", "x.pdf"], "in which format"),
        (["good.wordplane", "bad.wordplane", "test.csv", "-o", "x.png"], "in which format"),
        (["test.csv", "good.wordplane"], "the model comes first"),
    ],
)
def test_refused(folder, monkeypatch, capsys, words, says):
    monkeypatch.chdir(folder)
    assert main(["evaluate", *words]) == 2
    assert says in capsys.readouterr().err


def test_models_that_have_seen_the_texts_are_named(folder):
    texts, labels = reviews(200)
    good, bad = (wordplane.load(folder / f"{name}.wordplane") for name in ("good", "bad"))
    other = wordplane.train(*reviews(50, seed=5), learner="nb").model
    assert not any("trained on" in note for note in wordplane.compare_models(
        other, other, texts, labels).notes)  # fmt: skip
    notes = wordplane.compare_models(other, bad, texts, labels).notes
    assert notes == ("B was trained on these texts: it looks better than it is",)
    assert len(wordplane.compare_models(good, bad, texts, labels).notes) == 2


def test_sets_of_labels_and_other_labels():
    texts = ["red big", "blue", "red", "big blue"] * 15
    tags = [["r", "x"], ["b"], ["r"], ["x", "b"]] * 15
    one = wordplane.TextClassifier(learner="svm").fit(texts, tags)
    fewer = [[tag for tag in row if tag != "b"] for row in tags]
    two = wordplane.TextClassifier(learner="svm").fit(texts, fewer)
    result = wordplane.compare_models(one, two, texts, tags)
    assert result.comparisons[0].metric == "micro_f1"
    assert result.is_worse
    assert {change.label for change in result.changes} == {("b",), ("b", "x")}
    assert len(result.changes) == 30
    single = wordplane.TextClassifier(learner="nb").fit(texts, ["a", "b"] * 30)
    with pytest.raises(InputError, match="several labels per text, the model predicts one"):
        wordplane.compare_models(one, single, texts, tags)
