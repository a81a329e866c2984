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
    with pytest.raises(InputError, match="which `train` does"):
        wordplane.compare(data, time="day")
    with pytest.raises(InputError, match="`time` needs all texts in memory"):
        wordplane.train(data, time="day", learner="svm", blocks=True)
    data.with_columns(day=pl.lit(1)).write_csv(tmp_path / "d.csv")
    path = str(tmp_path / "d.csv")
    assert main(["train", path, "--time", "day"]) == 2
    assert "so none are the latest; name another with --time" in capsys.readouterr().err
