"""Tests of wordplane.cli.inspect."""

import json

import pytest

from wordplane import Analyzer, TextClassifier
from wordplane.cli import main


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.wordplane"
    texts, y = ["good film", "fine film", "bad film", "dull film"], ["+", "+", "-", "-"]
    TextClassifier(Analyzer(ngrams=(1, 1)), "nb", calibration=None).fit(texts, y).save(path)
    return str(path)


def test_what_a_model_is(model, capsys):
    assert main(["inspect", model, "--top", "2"]) == 0
    shown = capsys.readouterr().out
    assert "classes   -, +" in shown or "classes   +, -" in shown
    assert "features  5, Analyzer(ngrams=(1, 1))" in shown
    assert "on 4 texts" in shown
    assert "  -: bad, dull" in shown
    assert "  +: fine, good" in shown or "  +: good, fine" in shown


def test_json(model, capsys):
    assert main(["inspect", model, "--top", "1", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert described["n_features"] == 5
    assert Analyzer.from_dict(described["analyzer"]).ngrams == (1, 1)
    assert set(described["top_features"]) == {"+", "-"}
    assert all(len(features) == 1 for features in described["top_features"].values())
