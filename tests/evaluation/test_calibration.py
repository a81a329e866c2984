"""Calibrators: against SciPy's optimizers and scikit-learn, and safe to load.

Tests of wordplane.evaluation.calibration, wordplane.evaluation.cross_calibration and
wordplane.evaluation.solvers.
"""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

import wordplane
from wordplane.common.errors import InputError
from wordplane.data.splits import stratified_folds
from wordplane.evaluation.calibration import (
    CALIBRATORS,
    Isotonic,
    Platt,
    PowerTemperature,
    Temperature,
    calibrator_from_dict,
    softmax,
)
from wordplane.evaluation.label_scores import log_loss
from wordplane.evaluation.reliability import reliability, top_label_reliability
from wordplane.evaluation.solvers import sigmoid

KINDS = list(CALIBRATORS.values())


@st.composite
def scored(draw, n_classes=None):
    """Scores with ties, classes and whole weights."""
    k = n_classes or draw(st.integers(2, 4))
    n = draw(st.integers(1, 25))
    columns = 1 if k == 2 else k
    numbers = st.integers(-8, 8).map(lambda x: x / 2)
    z = np.array([[draw(numbers) for _ in range(columns)] for _ in range(n)])
    y = np.array([draw(st.integers(0, k - 1)) for _ in range(n)])
    w = np.array([draw(st.integers(1, 3)) for _ in range(n)], float)
    return (z[:, 0] if k == 2 else z), y, w


def columns_of(z):
    return np.column_stack([np.zeros(len(z)), z]) if z.ndim == 1 else z


def targets(positive, w):
    n_pos, n_neg = w[positive].sum(), w[~positive].sum()
    return np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))


def slow_margins(Z):
    return np.array([[row[k] - max(np.delete(row, k)) for k in range(len(row))] for row in Z])


class Margins(ClassifierMixin, BaseEstimator):
    """For scikit-learn: a classifier whose features are scores, and whose decisions margins."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 1] - X[:, 0] if X.shape[1] == 2 else slow_margins(X)

    def predict(self, X):
        return self.classes_[X.argmax(axis=1)]


def problem(n, n_classes, seed=0):
    """Scores of which softmax(2 z) is the truth."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, n_classes))
    P = softmax(2 * Z)
    y = (rng.random(n)[:, None] > np.cumsum(P, axis=1)).sum(axis=1)
    return Z, np.minimum(y, n_classes - 1)


@given(scored())
@pytest.mark.slow
def test_temperature_minimizes_its_loss(rows):
    z, y, w = rows
    Z = columns_of(z)
    doubt = 1 / (w.sum() + 2)
    target = np.full(Z.shape, doubt / (Z.shape[1] - 1))
    target[np.arange(len(y)), y] = 1 - doubt

    def loss(temperature):
        return -(w[:, None] * target * log_softmax(Z / temperature, axis=1)).sum()

    found = Temperature.fit(z, y, w).temperature
    spread = np.mean(Z.max(axis=1, keepdims=True) - Z)
    if spread == 0:
        assert found == 1
        return
    best = min(loss(t) for t in spread * np.logspace(-4, 4, 400))
    if found > 1e5 * spread:  # the scores say the opposite: all classes alike is the best
        assert best >= loss(np.inf)
        return
    assert loss(found) <= best + 1e-9
    around = (np.log(found) - 1, np.log(found) + 1)
    polished = optimize.minimize_scalar(lambda x: loss(np.exp(x)), bounds=around)
    assert loss(found) <= polished.fun + 1e-9


def test_temperature_finds_the_truth():
    Z, y = problem(20_000, 3)
    assert Temperature.fit(Z, y).temperature == pytest.approx(0.5, rel=0.03)
    assert Temperature.fit(4 * Z, y).temperature == pytest.approx(
        4 * Temperature.fit(Z, y).temperature
    )


def test_scores_without_a_mistake_leave_doubt():
    z = np.array([-3.0, -2.0, 2.0, 3.0])
    y = np.array([0, 0, 1, 1])
    for kind in KINDS:
        P = kind.fit(z, y).transform(z)
        assert P.max() < 0.95
        assert P[0, 0] > 0.7


@st.composite
def score_rows(draw):
    """Any finite scores of 2 to 9 classes, as one column or one per class."""
    n, k = draw(st.integers(0, 6)), draw(st.integers(1, 9))
    numbers = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 1e-300, 1e90, -1e90])
    Z = np.array([[draw(numbers) for _ in range(k)] for _ in range(n)]).reshape(n, k)
    return Z[:, 0] if k == 1 else Z


@settings(max_examples=300)
@given(score_rows(), st.sampled_from([1.0, 0.7, 0.5, 0.1]), st.floats(1e-3, 1e3))
@pytest.mark.slow
def test_transform_equals_numpy(z, power, temperature):
    """To 1e-15: functions and order of sums are not NumPy's. Rows do not depend on each other."""
    Z = columns_of(z)
    expected = softmax(-((Z.max(axis=1, keepdims=True) - Z) ** power) / temperature)
    calibrator = PowerTemperature(Z.shape[1], temperature, power)
    P = calibrator.transform(z)
    assert P.shape == expected.shape
    assert np.abs(P - expected).max(initial=0) <= 1e-15
    for row in range(len(z)):
        assert (calibrator.transform(z[row : row + 1]) == P[row]).all()
    if power == 1:
        assert (Temperature(Z.shape[1], temperature).transform(z) == P).all()


def test_transform_by_hand():
    # d = (0, ln 9): exp(-ln 9) = 1/9; with the power 1/2 and T = sqrt(ln 9), exp(-1).
    z = np.array([np.log(9), -np.log(9), 0.0])
    by_ninths = [[0.1, 0.9], [0.9, 0.1], [0.5, 0.5]]
    assert Temperature(2, 1.0).transform(z) == pytest.approx(np.array(by_ninths))
    e = np.exp(-1)
    bent = PowerTemperature(2, np.sqrt(np.log(9)), 0.5)
    assert bent.transform(z)[0] == pytest.approx([e / (1 + e), 1 / (1 + e)])
    assert Temperature(3, 1.0).transform([[0.0, np.log(3), np.log(6)]])[0] == pytest.approx(
        [0.1, 0.3, 0.6]
    )


@given(scored(n_classes=2))
def test_platt_minimizes_its_loss(rows):
    z, y, w = rows
    target = targets(y == 1, w)

    def loss(theta):
        f = theta[0] * z + theta[1]
        return (w * (np.logaddexp(0, f) - target * f)).sum()

    calibrator = Platt.fit(z, y, w)
    best = optimize.minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-9})
    assert loss([calibrator.a[0], calibrator.b[0]]) <= best.fun + 1e-9


@given(scored(n_classes=2))
def test_isotonic_equals_scikit_learn(rows):
    z, y, w = rows
    theirs = IsotonicRegression(out_of_bounds="clip").fit(z, targets(y == 1, w), sample_weight=w)
    ours = Isotonic.fit(z, y, w)
    points = np.concatenate([z, np.linspace(-5, 5, 41)])
    assert ours.transform(points)[:, 1] == pytest.approx(theirs.predict(points), abs=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_platt_equals_scikit_learn(n_classes):
    Z, y = problem(400, n_classes)
    model = FrozenEstimator(Margins().fit(Z, y))
    theirs = CalibratedClassifierCV(model, method="sigmoid").fit(Z, y)
    new = np.random.default_rng(1).normal(size=Z.shape)
    assert Platt.fit(Z, y).transform(new) == pytest.approx(theirs.predict_proba(new), abs=1e-4)


@given(scored(n_classes=3))
def test_isotonic_of_several_classes(rows):
    Z, y, w = rows
    M = slow_margins(Z)
    each = np.column_stack(
        [
            IsotonicRegression(out_of_bounds="clip")
            .fit(M[:, k], targets(y == k, w), sample_weight=w)
            .predict(M[:, k])
            for k in range(3)
        ]
    )
    expected = each / each.sum(axis=1, keepdims=True)
    assert Isotonic.fit(Z, y, w).transform(Z) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@given(rows=scored(), shift=st.integers(-100, 100))
@settings(max_examples=20)
def test_what_all_scores_of_a_row_share_does_not_matter(kind, rows, shift):
    z, y, w = rows
    Z = columns_of(z)
    shifted = Z + shift * np.arange(len(Z))[:, None]
    P = kind.fit(Z, y, w).transform(Z)
    assert kind.fit(shifted, y, w).transform(shifted) == pytest.approx(P, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(rows=scored())
@settings(max_examples=40)
def test_invariances(kind, rows):
    z, y, w = rows
    P = kind.fit(z, y, w).transform(z)
    assert P.shape == (len(y), 2 if z.ndim == 1 else z.shape[1])
    assert P.sum(axis=1) == pytest.approx(1)
    assert (P >= 0).all()
    n = w.astype(int)
    repeated = kind.fit(np.repeat(z, n, axis=0), np.repeat(y, n))
    assert repeated.transform(z) == pytest.approx(P, abs=1e-6)
    backwards = kind.fit(z[::-1], y[::-1], w[::-1])
    assert backwards.transform(z) == pytest.approx(P, abs=1e-6)
    if z.ndim == 1:
        assert kind.fit(columns_of(z), y, w).transform(columns_of(z)) == pytest.approx(P)
        mirrored = kind.fit(-z, 1 - y, w).transform(-z)
        assert mirrored[:, ::-1] == pytest.approx(P, abs=1e-6)
    else:
        order = np.roll(np.arange(z.shape[1]), 1)
        renamed = kind.fit(z[:, order], np.argsort(order)[y], w).transform(z[:, order])
        assert renamed == pytest.approx(P[:, order], abs=1e-6)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_become_honest(kind, n_classes):
    """Scores five times too sure, on rows that were not used to fit."""
    Z, y = problem(8000, n_classes)
    Z = 10 * Z
    P = kind.fit(Z[:4000], y[:4000]).transform(Z[4000:])
    raw = softmax(Z[4000:])
    assert log_loss(y[4000:], P, n_resamples=2)[0] < log_loss(y[4000:], raw, n_resamples=2)[0]
    assert top_label_reliability(y[4000:], P).ece < 0.04
    assert top_label_reliability(y[4000:], raw).ece > 0.1


@pytest.mark.parametrize("kind", KINDS)
@given(rows=scored())
@settings(max_examples=30)
def test_round_trip(kind, rows):
    z, y, w = rows
    calibrator = kind.fit(z, y, w)
    again = calibrator_from_dict(json.loads(json.dumps(calibrator.to_dict())))
    assert type(again) is kind
    assert np.array_equal(again.transform(z), calibrator.transform(z))


@pytest.mark.parametrize("kind", KINDS)
def test_odd_input(kind):
    # One row; equal scores; a class without rows; scores that say the opposite; huge scores.
    for z, y in [
        ([0.0], [1]),
        ([1.0, 1.0, 1.0], [0, 1, 1]),
        ([[1.0, 1.0, 1.0]], [2]),
        ([[3.0, 0.0, 1.0], [0.0, 3.0, 1.0]], [0, 1]),
        ([3.0, 2.0, -2.0, -3.0], [0, 0, 1, 1]),
        ([-1e90, 1e90], [0, 1]),
        ([-1e-300, 1e-300], [0, 1]),
    ]:
        P = kind.fit(z, y).transform(z)
        assert np.isfinite(P).all(), (z, y)
        assert P.sum(axis=1) == pytest.approx(1)
    assert kind.fit([1.0, 2.0], [0, 1]).transform(np.zeros(0)).shape == (0, 2)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_power_is_found_where_scores_were_bent(n_classes):
    """Scores d^2 of honest d: the power is 1/2, the temperature 1, and no row changes its class."""
    Z, y = problem(8000, n_classes)
    bent = -((Z.max(axis=1, keepdims=True) - Z) ** 2)
    found = PowerTemperature.fit(bent, y)
    assert found.power == 0.5
    assert found.transform(bent) == pytest.approx(Temperature.fit(Z, y).transform(Z), abs=0.02)
    assert (found.transform(bent).argmax(axis=1) == bent.argmax(axis=1)).all()
    assert PowerTemperature.fit(Z, y).power == 1.0  # nothing to be won


def test_opposite_scores():
    z, y = np.array([3.0, 2.0, -2.0, -3.0] * 20), np.array([0, 0, 1, 1] * 20)
    assert Platt.fit(z, y).transform([3.0])[0, 0] > 0.9  # a sigmoid may fall
    assert Temperature.fit(z, y).transform([3.0])[0] == pytest.approx([0.5, 0.5], abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "z, y, w, message",
    [
        ([1.0, 2.0], [0, 2], None, "expected 0 to 1"),
        ([1.0, 2.0], [-1, 1], None, "expected 0 to 1"),
        ([1.0, 2.0], ["a", "b"], None, "expected the class number"),
        ([1.0, 2.0], [0.0, 1.0], None, "expected the class number"),
        ([1.0, 2.0], [0], None, "2 rows"),
        ([], [], None, "at least one row"),
        ([[1.0], [2.0]], [0, 0], None, "scores of 1 classes"),
        ([1.0, np.inf], [0, 1], None, "NaN or infinity"),
        ([1.0, 1e200], [0, 1], None, "at most 1e100"),
        ([[[1.0]]], [0], None, "dimension"),
        ([1.0, 2.0], [0, 1], [1.0], "expected one per row"),
    ],
)
def test_refused(kind, z, y, w, message):
    with pytest.raises(InputError, match=message):
        kind.fit(z, y, w)


@pytest.mark.parametrize("kind", KINDS)
def test_refused_by_transform(kind):
    with pytest.raises(InputError, match="scores of 3 classes, expected 2"):
        kind.fit([1.0, 2.0], [0, 1]).transform([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_scores_that_are_no_numbers_are_refused(kind, score):
    for good, bad in [([1.0, 2.0], [1.0, score]), (np.eye(3), [[1.0, score, 2.0]])]:
        calibrator = kind.fit(good, [0, 1, 0][: len(good)])
        with pytest.raises(InputError, match="NaN or infinity"):
            calibrator.transform(bad)


GOOD = {
    "temperature": {"kind": "temperature", "n_classes": 3, "temperature": 2.0},
    "power": {"kind": "power", "n_classes": 3, "temperature": 2.0, "power": 0.5},
    "platt": {"kind": "platt", "n_classes": 2, "a": [1.0], "b": [0.0]},
    "isotonic": {"kind": "isotonic", "n_classes": 2, "x": [[0.0, 1.0]], "p": [[0.0, 1.0]]},
}


@pytest.mark.parametrize(
    "kind, changes",
    [
        ("temperature", {"temperature": 0.0}),
        ("temperature", {"temperature": -1.0}),
        ("temperature", {"temperature": float("nan")}),
        ("temperature", {"temperature": float("inf")}),
        ("temperature", {"temperature": "2"}),
        ("temperature", {"temperature": True}),
        ("temperature", {"temperature": 10**400}),
        ("temperature", {"temperature": None}),
        ("temperature", {"n_classes": 1}),
        ("temperature", {"n_classes": 2.0}),
        ("temperature", {"n_classes": True}),
        ("temperature", {"more": 1}),
        ("temperature", {"kind": "platt"}),
        ("temperature", {"kind": "pickle"}),
        ("temperature", {"kind": ["temperature"]}),
        ("power", {"power": 0.0}),
        ("power", {"power": 1.5}),
        ("power", {"power": float("nan")}),
        ("power", {"power": "1"}),
        ("power", {"temperature": -1.0}),
        ("platt", {"a": [1.0, 2.0]}),
        ("platt", {"n_classes": 3}),
        ("platt", {"a": []}),
        ("platt", {"a": {"0": 1.0}}),
        ("platt", {"b": [float("nan")]}),
        ("platt", {"b": [[0.0]]}),
        ("isotonic", {"x": [[0.0, 0.0]]}),
        ("isotonic", {"x": [[1.0, 0.0]]}),
        ("isotonic", {"x": [[0.0]]}),
        ("isotonic", {"x": [[]], "p": [[]]}),
        ("isotonic", {"x": "ab"}),
        ("isotonic", {"x": [0.0, 1.0]}),
        ("isotonic", {"x": [[0.0, float("inf")]]}),
        ("isotonic", {"p": [[1.0, 0.0]]}),
        ("isotonic", {"p": [[-0.1, 1.0]]}),
        ("isotonic", {"p": [[0.0, 1.1]]}),
        ("isotonic", {"n_classes": 3}),
    ],
)
def test_strangers_are_refused(kind, changes):
    calibrator_from_dict(GOOD[kind])
    with pytest.raises(InputError, match="calibration"):
        calibrator_from_dict({**GOOD[kind], **changes})


@pytest.mark.parametrize("data", [None, [], "temperature", {}, {"kind": "temperature"}])
def test_other_things_are_refused(data):
    with pytest.raises(InputError, match="calibration"):
        calibrator_from_dict(data)


@pytest.mark.data
@pytest.mark.parametrize("kind", KINDS)
def test_naive_bayes_on_real_texts(dataset, kind):
    """Naive Bayes is far too sure of long texts: every calibrator takes most of that away."""
    corpus = wordplane.read(dataset("rt_2k"))
    order = np.random.default_rng(0).permutation(len(corpus))
    labels = np.array(corpus.labels)
    model = wordplane.TextClassifier(learner="nb").fit(
        corpus.take(order[:1000]), labels[order[:1000]]
    )
    z = model.decision_function(corpus.take(order[1000:]))
    y = np.searchsorted(model.classes_, labels[order[1000:]])
    P = kind.fit(z[:500], y[:500]).transform(z[500:])
    raw = softmax(columns_of(z[500:]))
    before, after = (top_label_reliability(y[500:], p).ece for p in (raw, P))
    assert after < 0.6 * before
    assert log_loss(y[500:], P)[0] < 0.5 * log_loss(y[500:], raw)[0]


@pytest.mark.data
@pytest.mark.parametrize("learner", ["nb", "perceptron"])
def test_calibrated_error_on_real_texts(dataset, learner):
    """Of all texts, each by a model of other folds: 1 % would be chance."""
    corpus = wordplane.read(dataset("rt_snippets"))
    labels = np.array(corpus.labels)
    right, sure = [], []
    for fold in stratified_folds(corpus.labels, 3):
        train = np.setdiff1d(np.arange(len(labels)), fold)
        model = wordplane.TextClassifier(learner=learner).fit(corpus.take(train), labels[train])
        P = model.predict_proba(corpus.take(fold))
        right.append(model.classes_[P.argmax(axis=1)] == labels[fold])
        sure.append(P.max(axis=1))
    assert reliability(np.concatenate(right), np.concatenate(sure)).ece < 0.03


def test_sigmoid_and_softmax_agree():
    z = np.linspace(-40, 40, 81)
    assert sigmoid(z) == pytest.approx(softmax(columns_of(z))[:, 1])
