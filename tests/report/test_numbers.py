"""The page about a model that predicts numbers: wordplane.report.numbers, what it is about
(wordplane.model.number_measurement), and its picture (wordplane.plots.numbers)."""

import json
import re

import numpy as np
import polars as pl
import pytest

import wordplane
from wordplane.cli import main
from wordplane.evaluation.number_scores import NumberScores
from wordplane.plots import predicted_numbers

WORDS = {"great": 9.0, "good": 7.0, "long": 4.0, "dull": 2.0}
HOSTILE = "<script>alert(1)</script> great \u202e"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, its training texts, and others, of which one is far off."""
    folder = tmp_path_factory.mktemp("numbers")
    rng = np.random.default_rng(0)
    words = rng.choice(list(WORDS), (90, 2))
    y = np.array([sum(WORDS[word] for word in row) / 2 for row in words]) + rng.normal(0, 0.3, 90)
    texts = [" ".join(row) for row in words]
    texts[75], y[75] = HOSTILE, -20.0
    data = pl.DataFrame({"text": texts, "stars": y})
    data[:60].write_csv(folder / "train.csv")
    data[60:].write_csv(folder / "test.csv")
    wordplane.train(str(folder / "train.csv"), target="stars", output=folder / "m.wordplane")
    return folder


@pytest.fixture(scope="module")
def page(folder):
    path = folder / "page.html"
    args = ["report", str(folder / "m.wordplane"), str(folder / "test.csv"), "-o", str(path)]
    assert main(args) == 0
    return path.read_text(encoding="utf-8")


def test_errors_with_intervals_and_baselines(page, folder):
    result = wordplane.evaluate(str(folder / "m.wordplane"), str(folder / "test.csv"))
    s = result.scores
    assert isinstance(s, NumberScores)
    for value, (low, high) in ((s.mae, s.mae_interval), (s.rmse, s.rmse_interval)):
        assert f">{value:.4g}<" in page
        assert f"{low:.4g} to {high:.4g}" in page
    for value in (s.r2, s.spearman):
        assert f">{value:.3f}<" in page
    assert f"{s.median_mae:.4g}" in page and f"{s.spread:.4g}" in page
    assert "Too good to be true" not in page


def test_words_and_the_texts_farthest_off(page):
    order = page.index('id="features"')
    assert order < page.index(">higher<") < page.index("great", order) < page.index(">lower<")
    far = page[page.index('id="far"') :]
    first = re.search(r'true <bdi class="label">(.*?)</bdi>.*?off by ([\d.]+)', far)
    assert first[1] == "-20" and float(first[2]) > 20
    assert "<script>alert" not in page and "&lt;script&gt;alert" in far
    assert "\u202e" not in page
    assert 'id="confusion"' not in page and 'id="mistakes"' not in page


def test_trained_texts_are_warned_of_and_options_of_labels_refused(folder, capsys):
    model, train = str(folder / "m.wordplane"), str(folder / "train.csv")
    out = str(folder / "seen.html")
    assert main(["report", model, train, "-o", out, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_measured"] == 60
    assert "Too good to be true" in (folder / "seen.html").read_text(encoding="utf-8")
    assert main(["report", model, train, "-o", out, "--force", "--time", "stars"]) == 2
    assert "--time is for labels, and the model predicts numbers" in capsys.readouterr().err


def test_in_python(folder, tmp_path):
    result = wordplane.evaluate(str(folder / "m.wordplane"), str(folder / "test.csv"))
    result.report(tmp_path / "page.html")
    assert "Predicted against true" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_picture_shows_at_most_2000_points():
    truth = np.arange(5000.0)
    chart = predicted_numbers(truth, truth + 1)
    points = chart.layer[1].data.values
    assert len(points) == 2000
    assert all(point["predicted"] == point["true"] + 1 for point in points)
    assert [point["true"] for point in chart.layer[0].data.values] == [0.0, 5000.0]
