"""Tests of wordplane.demos.error_bounds, wordplane.demos.corpora, wordplane.demos.descent,
wordplane.demos.effects, wordplane.demos.evaluation, wordplane.demos.examples,
wordplane.demos.exercises,
wordplane.demos.lab, wordplane.demos.points, wordplane.demos.probability, wordplane.demos.search,
wordplane.demos.steps and wordplane.demos.text.

Every demo is run as a command; what it prints is what theory or other tools say.
"""

import re

import pytest

from wordplane.cli import main
from wordplane.demos import DEMOS, find_demo
from wordplane.demos.guide import GUIDE
from wordplane.demos.lab import LAMBDAS, lab, read_books

from .checks import CHECKS, numbers

NAMES = [name for names in DEMOS.values() for name in names]
PICTURES = {
    *("bag-of-words", "zipf", "embeddings", "two-gaussians", "gaussian-nb", "perceptron-epochs"),
    *("margins", "separators", "slack", "neighbors", "kmeans", "kernels", "lab", "die", "entropy"),
    *("losses", "sigmoid", "softmax", "hinge", "regression", "descent", "stochastic"),
    *("step-sizes", "newton", "optimizers", "precision-recall", "roc", "smoothing", "penalty"),
    *("overfitting", "perceptron-bound", "error-parts", "genetic-search"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_demo(name, tmp_path, capsys):
    picture = tmp_path / "picture.svg"
    drawn = ["-o", str(picture)] if name in PICTURES else []
    assert main(["demo", name, *drawn]) == 0
    out, err = capsys.readouterr()
    assert out.strip()
    assert GUIDE[name].place in err and GUIDE[name].look in err
    assert f"picture   {picture}" in err or not drawn
    assert not drawn or picture.read_text(encoding="utf-8").startswith("<svg")
    CHECKS[name](out.splitlines())


def test_no_picture_is_drawn_unasked():
    assert find_demo("die")().picture is not None
    assert find_demo("prior")().picture is None


def test_lab_learners_differ():
    """Points on which the learners of exercises 1.5 to 1.7 are not all equally good."""
    rows = list(lab().lines[2:8])
    tests = {line[:23].strip(): numbers(line[23:])[1] for line in rows}
    assert max(tests.values()) - min(tests.values()) > 1
    assert len(numbers(rows[-1][23:])) == 2 * len(LAMBDAS)


@pytest.mark.slow
@pytest.mark.data
def test_lab_on_book_reviews(dataset):
    """The figures of METHODS: measured with other tools."""
    path = str(dataset("amazon_books_counts"))
    assert read_books(path)[0].shape == (2000, 13_989)
    text = str(lab(path))
    assert re.search(r"naive Bayes, unsmoothed +98.8 /", text)
    assert re.search(r"naive Bayes, add one +97.4 / 84.0", text)
    entropy = next(line for line in text.splitlines()[9:] if line.startswith("maximum entropy"))
    assert numbers(entropy[23:])[4:6] == [85.8, 79.0]  # lambda 1
