"""Tests of wordplane.demos.error_bounds, wordplane.demos.corpora, wordplane.demos.descent,
wordplane.demos.effects, wordplane.demos.evaluation, wordplane.demos.exercises,
wordplane.demos.lab, wordplane.demos.points, wordplane.demos.probability, wordplane.demos.search,
wordplane.demos.steps and wordplane.demos.text.

Every demo is run as a command; what it prints is what theory or other tools say.
"""

import re

import numpy as np
import pytest

from wordplane.cli import main
from wordplane.demos import DEMOS, find_demo
from wordplane.demos.guide import GUIDE
from wordplane.demos.lab import LAMBDAS, lab, read_books

NAMES = [name for names in DEMOS.values() for name in names]
PICTURES = {
    *("bag-of-words", "zipf", "embeddings", "two-gaussians", "gaussian-nb", "perceptron-epochs"),
    *("margins", "separators", "slack", "neighbors", "kmeans", "kernels", "lab", "die", "entropy"),
    *("losses", "sigmoid", "softmax", "hinge", "regression", "descent", "stochastic"),
    *("step-sizes", "newton", "optimizers", "precision-recall", "roc", "smoothing", "penalty"),
    *("overfitting", "perceptron-bound", "error-parts", "genetic-search"),
}


def numbers(line):
    return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", line)]


def check_bound(lines):
    for line in lines[1:]:
        _, share, bound, most, mean = numbers(line)
        assert mean <= most <= bound
        assert bound == pytest.approx(1 / share**2, rel=0.02)
    assert len(lines) == 7


def check_die(lines):
    p = [numbers(line)[1] for line in lines[:6]]
    assert p == pytest.approx([1 / 12] * 3 + [1 / 4] * 3, abs=1e-4)
    largest, others = numbers(lines[6])[-1], numbers(lines[7])[-1]
    assert largest == pytest.approx(0.25 * np.log2(12) + 0.75 * np.log2(4), abs=1e-4)
    assert others < largest


def check_parts(lines):
    rows = np.array([numbers(line.partition(",")[2])[1:] for line in lines[1:]])
    assert rows[:, :3].sum(axis=1) == pytest.approx(rows[:, 3], abs=0.02)
    noise, family, sample = rows[:, 0], rows[:, 1], rows[:, 2]
    assert np.ptp(noise) == 0
    assert family[0] > 0.5 > 0.1 > abs(family[3])  # lines cannot bend, cubics can
    assert sample[3] > sample[0] > sample[2]  # a richer family needs more points


def check_unknown(lines):
    # 8 tokens of spam, 4 of ham, 9 words: log-odds (alpha + 0) / (9 alpha + n) by hand.
    for line in lines[1:4]:
        alpha, odds = numbers(line)
        assert odds == pytest.approx(np.log((9 * alpha + 4) / (9 * alpha + 8)), abs=1e-3)
    assert "[-inf -inf]" in lines[4] and "+0.000" in lines[5]
    weights = [numbers(line)[-1] for line in lines[7:]]
    assert 0 < weights[0] < weights[1] < weights[2]


def check_entropy(lines):
    rows = np.array([numbers(line) for line in lines[2:]])
    assert (np.diff(rows[:, 1]) < 0).all() and rows[0, 1] < np.log2(10)
    assert rows[-1, 2] > rows[-2, 2] and rows[-1, 2] > rows[-1, 1]  # too sure


def check_generate(lines):
    assert all(len(line.split()) == 13 for line in lines[:5])
    assert numbers(lines[6])[0] < 0.01
    assert "three words have 6 orders" in lines[7]


def check_gradients(lines):
    assert len(lines) == 7 and all(numbers(line)[-1] < 1e-8 for line in lines[1:])


def check_genetic(lines):
    every, genetic, climbing = (numbers(line.partition("error")[2])[0] for line in lines)
    assert genetic < every and climbing < every


def check_propagation(lines):
    for line in lines[1::2]:
        found, every = numbers(line)
        assert found > every + 25


def check_small(lines):
    (line,) = lines
    assert numbers(line)[-1] < 1e-9


def check_shrinkage(lines):
    lengths = [numbers(line)[-1] for line in lines]
    assert len(lengths) == 5 and lengths == sorted(lengths, reverse=True)


def check_all_learners(lines):
    behind = np.array([numbers(line[21:]) for line in lines[1:]])
    assert behind.shape == (7, 6) and (behind > -0.2).all()  # nobody beats the best rule
    assert (behind[:, 0] > behind[:, 1]).all() and (behind[:, 1] > behind[:, 2]).all()


def check_online_svm(lines):
    *heights, least = [numbers(line)[-1] for line in lines[1:]]
    assert heights == sorted(heights, reverse=True)
    assert 0 <= heights[-1] - least < 0.002


def check_first_steps(*changes):
    """What the first sentences change; the fourth line is that of the second step."""

    def check(lines):
        assert len(lines) == 12
        assert [part for part in changes if part not in "\n".join(lines[1:4:2])] == []

    return check


def check_em_steps(lines):
    heights = [numbers(line)[-1] for line in lines[:5]]
    assert heights == sorted(heights)
    p = {line[:27].strip(): numbers(line)[-1] for line in lines[5:]}
    assert p["a fine end"] > 0.8 and p["poor jokes and a poor end"] < 0.1


def check_prior(lines):
    assert numbers(lines[0])[-3:] == pytest.approx([0.2, 0.5, 0.3], abs=0.01)
    assert numbers(lines[1]) == [0.2, 0.5, 0.3]


def check_regression(lines):
    assert numbers(lines[0]) == numbers(lines[1])[-2:]


def check_equal(*rows):
    def check(lines):
        for row in rows:
            left, right = (re.sub(r"^[^\d\[-]*", "", line) for line in (lines[row], lines[row + 1]))
            assert numbers(left) == pytest.approx(numbers(right), abs=1e-6)

    return check


def check_says(*words):
    def check(lines):
        assert [word for word in words if word not in "\n".join(lines)] == []

    return check


def check_bigrams(lines):
    (nb, nb_bigrams), (logistic, logistic_bigrams) = (numbers(line[24:]) for line in lines[1:])
    assert nb_bigrams > nb + 5 and logistic_bigrams > logistic + 5
    assert logistic > nb and logistic_bigrams > nb_bigrams


def check_learners(lines):
    rows = np.array([numbers(line[20:]) for line in lines[1:-1]])
    words, bigrams, marked = rows.T
    always = numbers(lines[-1])[-1]
    assert len(rows) == 11 and (rows > always + 20).all()
    assert (bigrams > words + 2).all() and (marked > words + 3).all()


def check_unlabeled(lines):
    (alone, both, _), (all_alone, all_both, _) = (numbers(line[30:]) for line in lines[1:])
    assert both > alone + 8 and all_both - all_alone < both - alone


CHECKS = {
    "bigrams": check_bigrams,
    "learners": check_learners,
    "unlabeled": check_unlabeled,
    "perceptron-bound": check_bound,
    "die": check_die,
    "error-parts": check_parts,
    "unknown-words": check_unknown,
    "entropy": check_entropy,
    "generate": check_generate,
    "gradients": check_gradients,
    "convexity": check_small,
    "safe-step": check_small,
    "shrinkage": check_shrinkage,
    "all-learners": check_all_learners,
    "label-propagation": check_propagation,
    "genetic-search": check_genetic,
    "gaussian-nb": check_equal(2),
    "averaging": check_equal(0),
    "regression": check_regression,
    "negation": check_says("didn't NOT_like NOT_it , but the end was good"),
    "bag-of-words": check_says("it        2", "best      1", "aardvark  0"),
    "hand-set": check_says("the bicycle    score -2.0  English", "la bicicleta   score  2.0  Span"),
    "spam-vectors": check_says("money       1 0", "language    0 1", "successful  1 1"),
    "word-properties": check_says("shape:MISSPELT       1", "shape:ALLCAPS        4", "diploma"),
    "lexicon": check_says("sum_negative  -5", "mean          -0.666667", "max           3"),
    "one-word": check_says("largest difference: 0.0e+00"),
    "one-feature": check_says("error 0.2750, formula 0.2750"),
    "prior": check_prior,
    "reference-class": check_says("10 vectors become 9; same predictions: True"),
    "union": check_says("1 feature(s): a weight outside in 0 of 100"),
    "two-labels": check_says("0.1: stops at step 5;", "0.01: stops at step 51;", "step 501;"),
    "newton": check_says("1.414213562373095"),
    "kernels": check_says("5.290000 = 5.290000", "10.890000 = 10.890000", "16.000000 = 16.000000"),
    "softmax": check_says("[0.705 0.259 0.035]", "[0.731 0.269 0.   ]", "[0.333 0.333 0.333]"),
    "hinge": check_says("zero-one loss in 0 of 10,000"),
    "step-sizes": check_says("2 to 1.0772", "2 to 0.0000", "2 to 4.3178"),
    "losses": check_says("0         1       0.000   1.000     0.693"),
    "online-svm": check_online_svm,
    # By hand: "a great film with a great cast" has 2 + 2 + 1 + 1 + 1 words and the bias.
    "perceptron-steps": check_first_steps("great +0.00 to +4.00", "dull +0.00 to -4.00"),
    "averaged-steps": check_first_steps("great +0.00 to +4.00", "dull +0.00 to -2.00"),
    "mira-steps": check_first_steps("great +0.00 to +0.17", "dull +0.00 to -0.25"),
    "online-svm-steps": check_first_steps("great +0.00 to +40.00", "great +40.00 to +20.00"),
    "sgd-steps": check_first_steps("great +0.00 to +1.00"),
    "em-steps": check_em_steps,
    "margins": check_says("smallest functional margin 1.0000"),
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
    if name in CHECKS:
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
