"""Tests of wordplane.common.times, and of training by it: the latest texts are held out."""

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.common.times import as_times, latest_rows
from wordplane.data.splits import holdout

WORDS = {"good": "great fun", "bad": "dull bore"}


def frame(n, seed=0):
    """Days in any order; the later half has other words."""
    days = np.random.default_rng(seed).permutation(n)
    labels = ["good" if day % 2 else "bad" for day in days]
    texts = [f"{WORDS[label]} {'early' if day < n / 2 else 'late'}"
             for label, day in zip(labels, days, strict=True)]  # fmt: skip
    dates = [f"2026-{day // 28 + 1:02}-{day % 28 + 1:02}" for day in days.tolist()]
    return pl.DataFrame({"text": texts, "label": labels, "day": dates}), days


@pytest.mark.parametrize("n", [100, 300])
def test_the_latest_are_held_out_and_nothing_later_is_learned_from(n):
    data, days = frame(n)
    result = wordplane.train(data, time="day", learner="nb")
    held_out = result.model.holdout_.rows
    assert set(days[held_out].tolist()) == set(range(n - n // 10, n))
    first = result.model.holdout_.model
    assert first.training.n_docs == n - n // 10
    assert "that are the latest, by a model trained on the other" in str(result)
    assert result.model.training_.n_docs == n


def test_texts_of_one_time_stay_together():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        times, labels = rng.integers(0, 6, 40), rng.integers(0, 2, 40)
        train, held_out = holdout(labels, 0.2, times=times)
        assert sorted([*train, *held_out]) == list(range(40))
        assert times[train].max() < times[held_out].min()


def test_a_class_that_is_new_is_not_measured():
    train, held_out = holdout(["a"] * 8 + ["b", "a"], 0.2, times=np.arange(10))
    assert held_out.tolist() == [9]
    assert 8 in train


def test_values():
    moments = [datetime(2026, 1, 2, 3), date(2026, 1, 2), datetime(2025, 1, 1)]
    assert as_times(moments, str).tolist() == [2, 1, 0]
    assert as_times(["2026-01-02T03:00", "2026-01-02T05:00+03:00"], str).tolist() == [1, 0]
    assert as_times([3, 1.5, "2"], str).tolist() == [2, 0, 1]
    assert latest_rows(np.zeros(5, np.int64), 0.2).tolist() == []
    with pytest.raises(InputError, match="row 1: the time is 'May'; expected numbers"):
        as_times(["2026-01-01", "May"], "row {}".format)


def test_what_does_not_go_together(tmp_path, capsys):
    data, _ = frame(40)
    with pytest.raises(InputError, match="give one"):
        wordplane.train(data, time="day", group="day")
    with pytest.raises(InputError, match="only training and cross-validation do"):
        wordplane.audit(data, time="day")
    for verb in (wordplane.compare, wordplane.tune, wordplane.diagnose):
        with pytest.raises(InputError, match="every repetition would be the same"):
            verb(data, time="day", repeats=2)
        with pytest.raises(InputError, match="give one"):
            verb(data, time="day", group="label")
    with pytest.raises(InputError, match="`time` is a column"):
        wordplane.compare(["a", "b"], ["+", "-"], time="day")
    with pytest.raises(InputError, match="`time` needs all texts in memory"):
        wordplane.train(data, time="day", learner="svm", blocks=True)
    data.with_columns(day=pl.lit(1)).write_csv(tmp_path / "d.csv")
    path = str(tmp_path / "d.csv")
    assert main(["train", path, "--time", "day"]) == 2
    assert "so none are the latest; name another with --time" in capsys.readouterr().err


def drifting(n=240):
    """The words of the labels change places in the last quarter, so only folds by time show it."""
    days = np.random.default_rng(0).permutation(n)
    labels = ["good" if day % 2 else "bad" for day in days]
    swapped = {"good": "bad", "bad": "good"}
    texts = [
        f"{WORDS[label if day < 3 * n / 4 else swapped[label]]} n{day % 7}"
        for label, day in zip(labels, days, strict=True)
    ]
    return pl.DataFrame({"text": texts, "label": labels, "day": days})


def test_compare_tune_and_diagnose_hold_later_texts_out():
    data = drifting()
    at_random = wordplane.compare(data, learners=["nb"])
    by_time = wordplane.compare(data, learners=["nb"], time="day", folds=4)
    assert by_time.by_time and by_time.best.scores.n == 120
    # Folds of 30 of the days 120 to 239: the words have changed places from day 180 on.
    assert by_time.best.scores.accuracy == pytest.approx(0.5, abs=0.01)
    assert at_random.best.scores.accuracy > 0.7
    assert "4 folds in order of time" in str(by_time)
    assert "earlier half of the texts was only learned from" in str(by_time)
    tuned = wordplane.tune(data, learner="nb", grid={"alpha": [0.1, 1.0]}, time="day", folds=4)
    assert tuned.winner.scores[:2] == (1.0, 1.0) and tuned.winner.scores[2] == 0.0
    assert "4 folds in order of time" in str(tuned)
    diagnosed = wordplane.diagnose(data, learner="nb", time="day", folds=4, sizes=3)
    assert diagnosed.curve.points[-1].at == 120  # what the first fold is trained on
    assert diagnosed.curve.points[-1].dev_accuracy[0] == 1.0
    assert diagnosed.curve.points[-1].dev_accuracy[2] == 0.0


@pytest.mark.filterwarnings("ignore:LinearSVM stopped")
def test_training_tunes_in_order_of_time():
    """By the folds of `tune --time` on the rows that are not held out; others choose another C."""
    rng = np.random.default_rng(2)
    days = rng.permutation(200)
    labels = np.where(rng.random(200) < 0.5, "good", "bad")
    texts = []
    for label, day in zip(labels, days, strict=True):  # names change sides every 20 days
        word = "fine" if (label == "good") == (rng.random() < 0.75) else "poor"
        texts.append(f"{word} {rng.choice(['ann', 'bob'])}{((label == 'good') + day // 20) % 2}")
    data = pl.DataFrame({"text": texts, "label": labels, "day": days})
    earlier = data.filter(pl.col("day") < 180)
    by_time = wordplane.tune(earlier, learner="svm", time="day").best
    assert by_time != wordplane.tune(earlier, learner="svm").best
    trained = wordplane.train(data, learner="svm", tune=True, time="day").model
    assert by_time["learner__C"] == trained.learner.C
    with pytest.raises(InputError, match="5 folds in order of time need texts of at least 6"):
        wordplane.train(data.with_columns(pl.col("day") // 50), tune=True, time="day")


def test_probabilities_are_calibrated_on_earlier_folds():
    data = drifting()
    found = wordplane.compare(data, learners=["nb"], time="day", folds=4, metric="log_loss")
    assert found.best.scores.n == 90  # the first fold has none before it
    assert np.isfinite(found.best.score.value)


def test_repeats_are_folds_of_other_seeds():
    """The accuracies of a repeated comparison are the means of those with the seeds one by one."""
    rng = np.random.default_rng(0)
    labels = np.array(["good", "bad"] * 40)
    wrong = rng.random(80) < 0.3
    texts = [
        f"{WORDS[label if ok else 'bad']} w{rng.integers(30)}"
        for label, ok in zip(labels, ~wrong, strict=True)
    ]
    learners = ["nb", "perceptron"]
    repeated = wordplane.compare(texts, labels, learners, repeats=3, random_state=5)
    alone = [wordplane.compare(texts, labels, learners, random_state=s) for s in (5, 6, 7)]
    for result in repeated.results:
        found = [r.scores.accuracy for one in alone for r in one.results if r.name == result.name]
        assert result.scores.accuracy == pytest.approx(np.mean(found))
        low, high = result.scores.interval
        assert low < result.scores.accuracy < high
        assert high - low > 0.1  # 80 texts, not 240
    assert "texts, each with all its predictions" in repeated.verdicts()[0]
    assert "3 times 5 folds" in str(repeated)
    tuned = wordplane.tune(texts, labels, learner="nb", grid={"alpha": [1.0]}, repeats=3, folds=4)
    assert len(tuned.winner.scores) == 12
    low, high = tuned.winner.interval
    spread = np.std(tuned.winner.scores, ddof=1) * np.sqrt(1 / 12 + 1 / 3)
    assert (high - low) / 2 == pytest.approx(2.200985 * spread, rel=1e-5)  # t with 11 degrees
    diagnosed = wordplane.diagnose(texts, labels, learner="nb", repeats=2, folds=3, sizes=2)
    assert len(diagnosed.curve.points[-1].dev_accuracy) == 6


def test_numbers_by_time_hold_the_latest_out(tmp_path):
    days = np.random.default_rng(0).permutation(100)
    texts = [f"w{day % 5} v{day % 3}" for day in days]
    data = pl.DataFrame({"text": texts, "stars": days % 5 * 1.0, "day": days})
    result = wordplane.train(data, target="stars", time="day")
    assert sorted(days[result.model.holdout_.rows].tolist()) == list(range(90, 100))
    assert "that are the latest, by a model trained on the other 90" in str(result)
    with pytest.raises(InputError, match="give one"):
        wordplane.train(data, target="stars", time="day", group="text")


def test_on_the_command_line(tmp_path, capsys):
    path = str(tmp_path / "d.csv")
    drifting(120).write_csv(path)
    assert main(["compare", path, "--learners", "nb", "--time", "day", "--folds", "3"]) == 0
    assert "3 folds in order of time" in capsys.readouterr().out
    assert main(["compare", path, "--time", "day", "--repeats", "2"]) == 2
    assert "--repeats draws other folds at random" in capsys.readouterr().err
    assert main(["tune", path, "--learner", "nb", "--repeats", "2", "--folds", "3"]) == 0
    assert "2 times 3 folds" in capsys.readouterr().out


@pytest.mark.slow  # draws
def test_a_report_by_time(tmp_path, capsys):
    path, model = str(tmp_path / "d.csv"), str(tmp_path / "m.wordplane")
    drifting(120).write_csv(path)
    assert main(["train", path, "--learner", "nb", "-o", model]) == 0
    page = str(tmp_path / "m.html")
    assert main(["report", model, path, "--time", "day", "--quick", "-o", page]) == 0
    out = capsys.readouterr().out
    assert "60 texts of the later half, each by a model trained on all texts before its fold" in out
