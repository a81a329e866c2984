"""Tests of wordplane.learners.one_class_svm and wordplane.learners.support.one_label."""

import numpy as np
import pytest
from sklearn.svm import OneClassSVM as Reference

from wordplane import OneClassSVM
from wordplane.common.errors import ConvergenceWarning, InputError


def rows(n=200, n_features=30, seed=0):
    """Rows of length 1 with values from 0 up, as those of texts are."""
    X = np.random.default_rng(seed).poisson(0.5, (n, n_features)) + 0.0
    X[:, 0] += 1
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def primal(X, w, rho, nu):
    """The objective, as it is written."""
    hinges = [max(0.0, rho - sum(a * b for a, b in zip(w, x, strict=True))) for x in X]
    return 0.5 * sum(a * a for a in w) - rho + sum(hinges) / (nu * len(X))


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.7])
@pytest.mark.parametrize("label", ["a", "z"])  # before and after "other"
def test_equals_scikit_learn(nu, label):
    X = rows()
    model = OneClassSVM(nu=nu, tol=1e-6, max_iter=10_000).fit(X, [label] * len(X))
    reference = Reference(kernel="linear", nu=nu, tol=1e-8).fit(X)
    scale = nu * len(X)  # the sum of its dual variables, which is 1 here
    w, rho = reference.coef_[0] / scale, reference.offset_[0] / scale
    sign = 1 if model.classes_[1] == label else -1
    assert model.rho_ == pytest.approx(rho, rel=1e-4)
    np.testing.assert_allclose(sign * model.coef_[0] * model.rho_, w, atol=1e-5)
    assert model.objective_ == pytest.approx(primal(X, w, rho, nu), rel=1e-5)
    assert model.objective_ == pytest.approx(
        primal(X, sign * model.coef_[0] * model.rho_, model.rho_, nu), rel=1e-5
    )


def test_rejects_the_share_nu_of_new_rows():
    X, new = rows(2000, seed=1), rows(5000, seed=2)
    for nu in (0.05, 0.2, 0.5):
        model = OneClassSVM(nu=nu).fit(X, ["text"] * len(X))
        assert np.mean(model.predict(new) == "other") == pytest.approx(nu, abs=0.025)


def test_rejects_other_rows_and_is_half_sure_at_the_boundary():
    X = rows()
    model = OneClassSVM().fit(X, ["a"] * len(X))
    others = np.zeros((1, 30))
    others[0, 29] = 1.0
    assert model.predict(others).tolist() == ["other"]
    z, p = model.decision_function(X), model.predict_proba(X)[:, 0]
    assert ((p > 0.5) == (model.predict(X) == "a")).all()
    order = np.argsort(z)
    assert (np.diff(p[order]) <= 1e-12).all()
    assert model.calibrator_.transform([0.0])[0, 0] == pytest.approx(0.5)
    assert p.max() <= 1 / (1 + 0.1) + 0.01


def test_equal_rows_are_accepted():
    model = OneClassSVM().fit([[0.6, 0.8]] * 20, ["a"] * 20)
    assert model.predict([[0.6, 0.8], [0.0, 0.0]]).tolist() == ["a", "other"]
    mixed = [[0.6, 0.8]] * 18 + [[0.0, 1.0]] * 2
    assert OneClassSVM(nu=0.15).fit(mixed, ["a"] * 20).predict(mixed).tolist().count("a") >= 18


def test_rows_count_by_their_weight():
    X = rows(60)
    weights = np.random.default_rng(3).integers(1, 4, len(X))
    twice = np.repeat(X, weights, axis=0)
    options = {"nu": 0.2, "tol": 1e-7, "max_iter": 20_000}
    by_weight = OneClassSVM(**options).fit(X, ["a"] * len(X), sample_weight=weights)
    by_copies = OneClassSVM(**options).fit(twice, ["a"] * len(twice))
    assert by_weight.rho_ == pytest.approx(by_copies.rho_, rel=1e-4)
    assert by_weight.objective_ == pytest.approx(by_copies.objective_, rel=1e-4)


@pytest.mark.parametrize(
    ("label", "other", "classes"),
    [
        ("spam", None, ["other", "spam"]),
        ("spam", "ham", ["ham", "spam"]),
        ("1", 0, ["0", "1"]),
        (1, None, [0, 1]),
        (0, None, [0, 1]),
        (7, 3, [3, 7]),
        (True, None, [False, True]),
        (False, None, [False, True]),
    ],
)
def test_names_of_the_rest(label, other, classes):
    X = rows(20)
    model = OneClassSVM(nu=0.3, other=other).fit(X, [label] * len(X))
    assert model.classes_.tolist() == classes
    assert label in model.predict(X).tolist()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"nu": 0}, "nu is 0, expected a number between 0 and 1"),
        ({"nu": 1}, "nu is 1, expected"),
        ({"nu": "few"}, "nu is 'few', expected"),
        ({"tol": 0}, "tol is 0, expected"),
        ({"max_iter": 0}, "max_iter is 0, expected"),
        ({"other": "a"}, "`other` is 'a', expected another label"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(InputError, match=message):
        OneClassSVM(**params).fit(rows(20), ["a"] * 20)


def test_bad_rows():
    with pytest.raises(InputError, match="learns one label, and there are 2: 'a', 'b'"):
        OneClassSVM().fit(rows(20), ["a", "b"] * 10)
    with pytest.raises(InputError, match="`other` is 'rest', expected another label of the type"):
        OneClassSVM(other="rest").fit(rows(20), [1] * 20)
    with pytest.raises(InputError, match="there is one row"):
        OneClassSVM().fit(rows(1), ["a"])
    with pytest.raises(InputError, match="no row has a feature that counts"):
        OneClassSVM().fit(np.zeros((10, 3)), ["a"] * 10)
    around_0 = np.random.default_rng(0).normal(size=(100, 2))
    with pytest.raises(InputError, match="raise nu, or use features that are not negative"):
        OneClassSVM(nu=0.05).fit(around_0, ["a"] * 100)


def test_too_few_passes_are_told():
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        OneClassSVM(max_iter=1, tol=0.01).fit(rows(500), ["a"] * 500)
