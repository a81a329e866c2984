"""`wordplane tune`."""

import pytest

import wordplane
from wordplane.cli import main


def test_what_tune_saves_remembers_its_columns(data, capsys):
    tune = ["tune", data, "--grid", "C=1", "--folds", "2", "--text", "text", "--label", "label"]
    assert main([*tune, "-o", "t.wordplane"]) == 0
    training = wordplane.load("t.wordplane").training_
    assert (training.text_columns, training.label_column) == (("text",), "label")


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("Q=1,10", "--grid: there is no parameter Q; LinearSVM has C, "),
        ("c=1", "; the features have tokens, ngrams, "),
        ("C", "--grid is 'C', expected NAME=VALUE,VALUE such as C=0.1,1"),
    ],
)
def test_mistakes_in_a_grid(data, capsys, grid, message):
    assert main(["tune", data, "--grid", grid]) == 2
    assert message in capsys.readouterr().err


def test_marks_stand_apart_from_figures(data, capsys):
    assert main(["tune", data, "--learner", "svm", "--folds", "2"]) == 0
    _, *lines = capsys.readouterr().out.split("\n\n")[1].splitlines()
    assert any("p" in line[:2] for line in lines) and lines[0].startswith("*")
    assert all(line[2] == " " for line in lines)
