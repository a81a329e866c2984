"""Rows that belong together are held out together, by every verb.

The texts of a group have a word of their own, which is all that tells their label: a model that has
seen some rows of a group knows the label of the others, and nothing about another group.
"""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2, t

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.common.groups import as_groups
from wordplane.common.label_sets import as_label_sets
from wordplane.evaluation.intervals import Z_95, spread_of_groups
from wordplane.evaluation.label_scores import log_loss, score
from wordplane.evaluation.paired_tests import mcnemar_by_groups
from wordplane.evaluation.set_scores import score_sets
from wordplane.model.measuring import measure_unseen


def threads(n_groups=80, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for group in range(n_groups):
        topic = "".join(rng.choice(list("bcdfghjklm"), 8))
        for _ in range(rng.integers(2, 6)):
            noise = " ".join(rng.choice(list("uvwxyz"), 3))
            label = "ab"[group % 2]
            rows.append((f"{topic} {topic} {noise}", label, f"thread {group}"))
    return pl.DataFrame(rows, schema=["text", "label", "thread"], orient="row")


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    threads().write_csv("posts.csv")
    return "posts.csv"


def run(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def accuracy(verb, result):
    if verb == "train":
        return result["scores"]["accuracy"]
    if verb == "tune":
        return max(trial["accuracy"] for trial in result["trials"])
    if verb == "compare":
        return result["results"][0]["scores"]["accuracy"]
    return result["learning_curve"]["points"][-1]["dev_accuracy"]["mean"]


VERBS = {
    "train": ["--learner", "nb"],
    "tune": ["--learner", "nb", "--nested"],
    "compare": ["--learners", "nb"],
    "diagnose": ["--learner", "nb", "--sizes", "3"],
}


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_verbs_hold_out_whole_groups(verb, data, capsys):
    options = VERBS[verb]
    assert accuracy(verb, run(capsys, verb, data, *options)) > 0.95
    force = ["--force"] if verb == "train" else []
    grouped = run(capsys, verb, data, *options, *force, "--group", "thread")
    assert accuracy(verb, grouped) < 0.75
    if verb == "tune":
        assert grouped["nested"]["mean"] < 0.75


def test_calibration_by_folds_and_tuning_before_training_hold_out_whole_groups(data):
    frame = threads()
    nb = {"learner": "nb", "group": "thread"}
    cv = wordplane.train(frame, calibration="cv", **nb).model
    alone = wordplane.train(frame, calibration="cv", learner="nb").model
    text = frame["text"].to_list()[:1]
    assert cv.predict_proba(text).max() < 0.7 < alone.predict_proba(text).max()
    assert wordplane.train(frame, tune=True, **nb).scores.accuracy < 0.75


@pytest.mark.slow
def test_a_report_is_measured_by_folds_of_whole_groups(data, capsys):
    run(capsys, "train", data, "--learner", "nb", "--group", "thread", "-o", "m.wordplane")
    model = wordplane.load("m.wordplane")
    plain, grouped = (
        measure_unseen(model, wordplane.read(data, group=g)) for g in (None, "thread")
    )
    assert plain.score().accuracy > 0.95
    assert grouped.score().accuracy < 0.75
    run(capsys, "report", "m.wordplane", data, "--quick", "--group", "thread")
    shown = f"{grouped.score().accuracy:.1%}".removesuffix("%")
    assert shown in Path("m.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_audit_names_the_column_of_groups(data, capsys):
    assert main(["audit", data]) == 0
    out = capsys.readouterr().out
    assert "groups: rows with the same 'thread' are alike" in out
    assert "group by 'thread'" in out
    assert "groups" not in wordplane.audit(data, group="thread")
    shuffled = threads().with_columns(pl.col("thread").shuffle(seed=1))
    assert "groups" not in wordplane.audit(shuffled)


def test_python_takes_groups_of_any_kind_and_the_summary_says_so():
    frame = threads()
    texts, labels = frame["text"].to_list(), frame["label"].to_list()
    by_column = wordplane.train(frame, learner="nb", group="thread")
    by_values = wordplane.train(texts, labels, learner="nb", groups=frame["thread"].to_list())
    assert by_values.scores == by_column.scores
    assert "held out in whole groups" in str(by_column)
    numbers = as_groups(frame["thread"]).tolist()
    model = wordplane.TextClassifier(learner="nb").fit(texts, labels, groups=numbers)
    held = set(model.holdout_.rows.tolist())
    assert {numbers[row] for row in held}.isdisjoint(
        numbers[row] for row in range(len(texts)) if row not in held
    )


def test_wrong_groups_are_refused(data):
    texts, labels = ["good", "bad"] * 5, ["+", "-"] * 5
    with pytest.raises(InputError, match="`groups` has 3 values for 10 texts"):
        wordplane.train(texts, labels, groups=[1, 2, 3])
    with pytest.raises(InputError, match="5 folds of whole groups need at least 5 groups"):
        wordplane.compare(texts, labels, ["nb"], groups=[1, 2] * 5)
    with pytest.raises(InputError, match=r"no column 'tread'.*did you mean 'thread'"):
        wordplane.train(data, group="tread")
    same = threads().with_columns(thread=pl.lit("x"))
    with pytest.raises(InputError, match="all rows have the same value"):
        wordplane.train(same, group="thread")
    with pytest.raises(InputError, match="`group` needs all texts in memory"):
        wordplane.train(data, group="thread", blocks=True)


def draw_groups(rng, n_groups=40, size=10):
    """Rows whose groups are right with shares of their own, 0.7 on average."""
    share = rng.beta(1.4, 0.6, n_groups)
    groups = np.repeat(np.arange(n_groups), size)
    return (rng.random(len(groups)) < share[groups]).astype(int), groups


@pytest.mark.slow
def test_intervals_of_groups_cover_what_intervals_of_rows_do_not():
    rng = np.random.default_rng(0)
    by_rows, by_groups, runs = 0, 0, 200
    for _ in range(runs):
        right, groups = draw_groups(rng)
        ones = np.ones(len(right), int)
        for kind, options in (("rows", {}), ("groups", {"groups": groups})):
            low, high = score(ones, right, n_resamples=200, **options).interval
            hit = low <= 0.7 <= high
            by_rows, by_groups = (
                by_rows + (hit and kind == "rows"),
                by_groups + (hit and kind == "groups"),
            )
    assert by_groups >= 0.91 * runs
    assert by_rows <= 0.8 * runs


def test_groups_of_one_row_have_the_interval_of_rows():
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 3, 400), rng.integers(0, 3, 400)
    rows, groups = score(y, p), score(y, p, groups=np.arange(400), n_resamples=5000)
    assert np.allclose(rows.interval, groups.interval, atol=0.004)
    assert np.allclose(rows.macro_f1_interval, groups.macro_f1_interval, atol=0.004)
    sets = [as_label_sets(rng.random((400, 3)) < 0.4) for _ in range(2)]
    plain, by_group = (score_sets(*sets, groups=g) for g in (None, np.arange(400)))
    assert np.allclose(plain.micro_f1_interval, by_group.micro_f1_interval, atol=0.006)


def test_log_loss_of_groups_is_as_unsure_as_one_row_per_group():
    rng = np.random.default_rng(2)
    y, p = rng.integers(0, 2, 100), rng.random(100)
    P = np.column_stack([1 - p, p])
    once, (low, high) = log_loss(y, P)
    repeated = np.repeat(np.arange(100), 5)
    again, interval = log_loss(y[repeated], P[repeated], groups=repeated)
    assert np.isclose(once, again)
    assert np.allclose(interval, (low, high))


@pytest.mark.parametrize("n_groups", [5, 20, 100])
def test_few_groups_have_the_quantile_of_the_t_distribution(n_groups):
    draws = spread_of_groups(np.array([-1.0, 1.0]), n_groups)
    expected = t.ppf(0.975, n_groups - 1) / Z_95 * np.sqrt(n_groups / (n_groups - 1))
    assert np.isclose(draws[1], expected, rtol=0.005)


def test_mcnemar_by_groups():
    rng = np.random.default_rng(3)
    a, b = rng.random(200) < 0.7, rng.random(200) < 0.6
    only_a, only_b = (a & ~b).sum(), (b & ~a).sum()
    expected = chi2.sf((only_a - only_b) ** 2 / (only_a + only_b), 1)
    assert np.isclose(mcnemar_by_groups(a, b, np.arange(200)), expected)
    assert mcnemar_by_groups(a, a, np.arange(200)) == 1.0
    # every row twice in its group: the same evidence
    twice = np.repeat(np.arange(200), 2)
    assert np.isclose(mcnemar_by_groups(a[twice], b[twice], twice), expected)


def test_evaluate_gives_intervals_of_groups(data, capsys, tmp_path):
    """Each text ten times over says no more than once, if the copies are one group."""
    posts = threads(60, seed=3).with_row_index("n")
    model = wordplane.train(data, learner="nb", output="m.wordplane").model
    copies = pl.concat([posts] * 10)
    copies.write_csv("copies.csv")

    def width(*options):
        scores = run(capsys, "evaluate", "m.wordplane", "copies.csv", *options)
        low, high = scores["interval"]
        return high - low

    plain, grouped = width(), width("--group", "n")
    low, high = wordplane.evaluate(model, posts).scores.interval
    assert plain < 0.5 * grouped
    assert grouped == pytest.approx(high - low, rel=0.2)
    given = wordplane.evaluate(
        model, copies, groups=copies["n"].to_list(), metrics=["macro_f1"], by="label"
    )
    alone = wordplane.evaluate(model, copies, metrics=["macro_f1"], by="label")
    assert given.scores.accuracy == alone.scores.accuracy
    assert f"in {len(posts):,} groups; intervals are of" in str(given).splitlines()[0]

    def spread(interval):
        return interval[1] - interval[0]

    assert spread(given.metrics["macro_f1"][1]) > 2 * spread(alone.metrics["macro_f1"][1])
    for one, other in zip(given.slices.slices, alone.slices.slices, strict=True):
        wide, narrow = one.scores["macro_f1"], other.scores["macro_f1"]
        assert wide.value == narrow.value
        assert spread(wide.interval) > 2 * spread(narrow.interval)


def test_evaluate_refuses_what_does_not_go_with_groups(data):
    model = wordplane.train(data, learner="nb", output="m.wordplane").model
    with pytest.raises(InputError, match="`bootstrap` resamples texts one by one"):
        wordplane.evaluate(model, data, group="thread", bootstrap=True)
    with pytest.raises(InputError, match="no such column"):
        wordplane.evaluate(model, data, group="no such column")
