"""Confusion matrix, precision, recall, F, macro and micro averages, log-loss, baselines.

Tests of wordplane.evaluation.label_scores, wordplane.evaluation.confusion and
wordplane.evaluation.arrays.
"""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs
from sklearn.dummy import DummyClassifier

from wordplane.common.errors import InputError
from wordplane.evaluation.confusion import confusion, most_confused
from wordplane.evaluation.label_scores import log_loss, score

LABELS = ["a", "b", "c", "d"]


@st.composite
def predictions(draw, min_size=1):
    rows = st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS), st.integers(1, 3))
    y, p, w = zip(*draw(st.lists(rows, min_size=min_size, max_size=30)), strict=True)
    return np.array(y), np.array(p), np.array(w, float)


def quick(y, p, **options):
    return score(y, p, **{"n_resamples": 20, **options})


def point_values(scores):
    """All of the scores that are no intervals."""
    return {
        name: value
        for name, value in scores.to_dict().items()
        if "interval" not in name and name not in ("n", "classes")
    }


def test_by_hand():
    # a: 3 rows, 2 found, 1 more called a; b: 2 rows, 1 found, 1 called b besides.
    scores = quick(["a", "a", "a", "b", "b"], ["a", "a", "b", "b", "a"])
    a, b = scores.classes
    assert (a.label, a.n, a.precision, a.recall) == ("a", 3, 2 / 3, 2 / 3)
    assert (b.label, b.n, b.precision, b.recall, b.f1) == ("b", 2, 1 / 2, 1 / 2, 1 / 2)
    assert scores.accuracy == scores.micro_f1 == pytest.approx(3 / 5)
    assert scores.macro_f1 == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert (scores.majority_label, scores.majority_accuracy) == ("a", 3 / 5)
    assert scores.majority_macro_f1 == pytest.approx((2 * 3 / (3 + 5)) / 2)
    assert scores.random_accuracy == pytest.approx(0.6**2 + 0.4**2)
    assert scores.random_macro_f1 == pytest.approx(1 / 2)


@settings(max_examples=40)
@given(predictions(), st.booleans(), st.sampled_from([0.5, 1.0, 2.0]))
@pytest.mark.slow
def test_equal_to_scikit_learn(rows, weighted, beta):
    y, p, w = rows
    weight = w if weighted else None
    table = confusion(y, p, sample_weight=weight)
    labels = [*table.labels, "none"]  # with one label only, scikit-learn would warn
    matrix = theirs.confusion_matrix(y, p, labels=labels, sample_weight=weight)
    assert np.array_equal(table.matrix, matrix[:-1, :-1])
    expected = theirs.precision_recall_fscore_support(
        y, p, beta=beta, sample_weight=weight, zero_division=0
    )
    totals = table.totals()
    assert totals.precision() == pytest.approx(expected[0])
    assert totals.recall() == pytest.approx(expected[1])
    assert totals.f(beta) == pytest.approx(expected[2])
    scores = quick(y, p, sample_weight=weight)
    options = {"sample_weight": weight, "zero_division": 0}
    assert scores.accuracy == pytest.approx(theirs.accuracy_score(y, p, sample_weight=weight))
    assert scores.macro_f1 == pytest.approx(theirs.f1_score(y, p, average="macro", **options))
    assert scores.micro_f1 == pytest.approx(theirs.f1_score(y, p, average="micro", **options))
    precision = theirs.precision_score(y, p, average="macro", **options)
    assert scores.macro_precision == pytest.approx(precision)
    assert scores.macro_recall == pytest.approx(
        theirs.recall_score(y, p, average="macro", **options)
    )
    some = [label for label in table.labels if label in ("a", "b")]
    if some:
        micro = theirs.fbeta_score(y, p, beta=beta, labels=some, average="micro", **options)
        assert table.totals(some).micro().f(beta)[0] == pytest.approx(micro)


@given(predictions(), st.randoms())
def test_order_of_rows_does_not_matter(rows, random):
    y, p, w = rows
    order = list(range(len(y)))
    random.shuffle(order)
    shuffled = quick(y[order], p[order], sample_weight=w[order])
    assert shuffled.to_dict() == quick(y, p, sample_weight=w).to_dict()
    assert quick(y[order], p[order]).to_dict() == quick(y, p).to_dict()


@given(predictions())
def test_names_of_labels_do_not_matter(rows):
    y, p, _ = rows
    numbers = {"a": 7, "b": 8, "c": 9, "d": 10}
    renamed = quick([numbers[label] for label in y], [numbers[label] for label in p]).to_dict()
    original = quick(y, p).to_dict()
    for found in (renamed, original):
        found["classes"] = [
            {**c, "label": numbers.get(c["label"], c["label"])} for c in found["classes"]
        ]
        label = found["majority_label"]
        found["majority_label"] = numbers.get(label, label)
    assert renamed == original


@given(predictions())
def test_weights_are_repeats(rows):
    y, p, w = rows
    n = w.astype(int)
    repeated = quick(np.repeat(y, n), np.repeat(p, n))
    weighted = quick(y, p, sample_weight=w)
    assert point_values(weighted) == pytest.approx(point_values(repeated))
    # A row of weight 0 might as well not be there.
    extra = quick([*y, "z"], [*p, "a"], sample_weight=[*w, 0.0])
    assert extra.macro_f1 == pytest.approx(weighted.macro_f1)
    assert extra.accuracy == pytest.approx(weighted.accuracy)


@settings(max_examples=40)
@given(predictions(), st.data())
def test_log_loss_equals_scikit_learn(rows, data):
    y, _, w = rows
    rows = st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any)
    P = np.array([data.draw(rows) for _ in y], float)
    P /= P.sum(axis=1, keepdims=True)
    loss, interval = log_loss(y, P, classes=LABELS, sample_weight=w, n_resamples=50)
    expected = theirs.log_loss(y, P, labels=LABELS, sample_weight=w)
    assert loss == pytest.approx(expected, abs=1e-12)
    assert (interval is None) == (np.count_nonzero(w) == 1)
    assert interval is None or interval[0] <= interval[1]
    assert loss == quick(y, y, probabilities=P, classes=LABELS, sample_weight=w).log_loss


def test_prior_log_loss_is_the_entropy():
    y = ["a", "b", "b", "b"]
    P = np.tile([0.25, 0.75], (4, 1))
    scores = quick(y, y, probabilities=P, classes=["a", "b"])
    assert scores.log_loss == pytest.approx(scores.prior_log_loss)
    assert "log-loss" in str(scores)


@pytest.mark.parametrize("rows", [{"groups": np.zeros(3, int)}, {"sample_weight": [0, 0, 2.0]}, {}])
def test_the_log_loss_of_one_row_or_group_has_no_interval(rows):
    y, P = (["a", "a", "b"], np.array([[0.8, 0.2], [0.6, 0.4], [0.5, 0.5]]))
    if not rows:
        y, P = y[:1], P[:1]
    loss, interval = log_loss(y, P, classes=["a", "b"], **rows)
    assert interval is None and loss > 0
    scores = quick(y, y, probabilities=P, classes=["a", "b"], **rows)
    assert scores.log_loss_interval is None and scores.log_loss == loss
    for shown in (str(scores), scores._repr_html_()):
        assert f"{loss:.4f}" in shown and "no interval" in shown


def test_log_loss_of_an_unknown_label_is_large_but_finite():
    loss, _ = log_loss(["?"], [[0.5, 0.5]], classes=["a", "b"], n_resamples=2)
    assert loss == pytest.approx(-np.log(2.0**-52))


def test_random_baseline_is_what_guessing_gives():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], p=[0.6, 0.3, 0.1], size=3000)
    guesses = [
        DummyClassifier(strategy="stratified", random_state=seed).fit(y, y).predict(y)
        for seed in range(40)
    ]
    scores = quick(y, y)
    accuracy = np.mean([np.mean(guess == y) for guess in guesses])
    macro = np.mean([theirs.f1_score(y, guess, average="macro") for guess in guesses])
    assert scores.random_accuracy == pytest.approx(accuracy, abs=0.005)
    assert scores.random_macro_f1 == pytest.approx(macro, abs=0.005)


def test_most_confused_and_text():
    rows, weights = ([1, 1, 1, 2, 3], [2, 2, 1, 1, 3]), [1, 1, 1, 0.5, 1]
    assert most_confused(*rows, sample_weight=weights) == [(1, 2, 2.0), (2, 1, 0.5)]
    assert most_confused(*rows, 1) == [(1, 2, 2.0)]
    assert most_confused([1], [1]) == []
    table = confusion(*rows, sample_weight=weights)
    assert str(table).splitlines()[1].split() == ["1", "1", "2", "0"]
    assert json.loads(json.dumps(table.to_dict()))["labels"] == [1, 2, 3]


def test_result_is_json():
    scores = quick(np.array([True, False]), np.array([True, True]))
    assert json.loads(json.dumps(scores.to_dict()))["accuracy"] == 0.5


@pytest.mark.parametrize(
    "y, p, options, message",
    [
        ([], [], {}, "no rows"),
        (["a"], ["a", "b"], {}, "1 and 2 rows"),
        (["a"], ["a"], {"n_resamples": 1}, "n_resamples is 1"),
        ([["a"]], ["a"], {}, "one label per row"),
        (["a"], ["a"], {"sample_weight": [-1.0]}, "must be finite and not negative"),
        (["a"], ["a"], {"sample_weight": [0.0]}, "all zero"),
        (["a"], ["a"], {"sample_weight": [np.nan]}, "must be finite"),
        (["a"], ["a"], {"probabilities": [[0.5, 0.6]], "classes": ["a", "b"]}, "the sum 1.1"),
        (["a"], ["a"], {"probabilities": [[1.0]], "classes": ["a", "b"]}, "1 columns"),
        (["a"], ["a"], {"probabilities": [[1.0], [1.0]], "classes": ["a"]}, "2 rows"),
        (["a"], ["a"], {"probabilities": [["x"]], "classes": ["a"]}, "not an array of numbers"),
    ],
)
def test_refused(y, p, options, message):
    with pytest.raises(InputError, match=message):
        quick(y, p, **options)


def test_refused_by_confusion():
    table = confusion(["a"], ["a"])
    with pytest.raises(InputError, match="'z' is not in"):
        table.totals(["z"])
    with pytest.raises(InputError, match="beta is 0"):
        table.totals().f(0)
