"""Tests of wordplane.learners.nbsvm and wordplane.learners.support.log_count_ratios."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils.estimator_checks import check_estimator

from tests import reference_svm as reference
from tests.learners.svm_checks import TO_THE_LAST_BIT
from wordplane import NBSVM, LinearSVM, MultinomialNB
from wordplane.common.errors import InputError
from wordplane.learners.support.base import LinearClassifier

TIGHT = {"tol": 1e-9, "max_iter": 100_000}
RECIPE = {"smoothing": "mass", "scaling": "shifted", "binary": False}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("params", [{}, {**RECIPE, "beta": 1.0}])
def test_scikit_learn_s_checks(params):
    check_estimator(
        NBSVM(**params),
        expected_failed_checks={
            "check_sample_weight_equivalence_on_dense_data": TO_THE_LAST_BIT,
            "check_sample_weight_equivalence_on_sparse_data": TO_THE_LAST_BIT,
        },
        on_skip=None,
    )


def test_worked_by_hand():
    # good: "fine fine film", "fine"; bad: "dull film". Present in good: fine 2, film 1.
    X = np.array([[2, 1, 0], [1, 0, 0], [0, 1, 1]])
    y = ["good", "good", "bad"]
    model = NBSVM(alpha=1, beta=0.25, learner=LinearSVM(**TIGHT)).fit(X, y)
    p, q = np.array([3, 2, 1]) / 6, np.array([1, 2, 2]) / 5
    r = np.log(p / q)
    assert np.allclose(model.scale_, [r])
    machine = LinearSVM(**TIGHT).fit((X > 0) * r, y)
    w, b = machine.coef_[0], machine.intercept_
    mean = np.abs(w).sum() / 3
    assert np.allclose(model.coef_, [r * (0.75 * mean + 0.25 * w)], atol=1e-5)
    assert np.allclose(model.intercept_, 0.75 * mean * np.log(2 / 1) + 0.25 * b, atol=1e-5)


@st.composite
def problems(draw):
    n, v = draw(st.integers(3, 12)), draw(st.integers(1, 6))
    X = draw(hnp.arrays(np.float64, (n, v), elements=st.integers(0, 3).map(float)))
    n_classes = draw(st.integers(2, 3))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, n_classes - 1)))
    y[:n_classes] = range(n_classes)
    weights = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.25, 1.0, 2.0])))
    return X, y, weights, draw(st.sampled_from([0.1, 1.0])), draw(st.sampled_from([0, 0.25, 1]))


@settings(max_examples=20)
@given(problems(), st.booleans())
def test_equals_reference(problem, binary):
    X, y, weights, alpha, beta = problem
    model = NBSVM(alpha=alpha, beta=beta, binary=binary, learner=LinearSVM(**TIGHT))
    model.fit(X, y, weights)
    x = (X > 0).astype(float) if binary else X
    for row, k in enumerate([1] if y.max() == 1 else range(3)):
        positive = y == k
        r = reference.nbsvm_ratio(X, positive, alpha, weights)
        assert np.allclose(model.scale_[row], r)
        s = reference.signs(y, k)
        w = reference.squared_hinge_svm(reference.with_bias(x * r), s, weights)
        w, b = w[:-1], w[-1]
        mean = np.abs(w).sum() / len(w)
        odds = np.log(weights[positive].sum() / weights[~positive].sum())
        assert np.allclose(
            model.coef_[row], r * ((1 - beta) * mean + beta * w), atol=1e-4 * (1 + mean)
        )
        assert np.isclose(
            model.intercept_[row], (1 - beta) * mean * odds + beta * b, atol=1e-4 * (1 + mean)
        )
    z = model.decision_function(X)
    assert np.allclose(z.reshape(len(X), -1), x @ model.coef_.T + model.intercept_)


@pytest.mark.slow
@settings(max_examples=25)
@given(problems(), st.sampled_from([None, [1]]))
def test_variants_of_the_recipe(problem, blocks):
    X, y, weights, alpha, _ = problem
    if blocks and X.shape[1] < 2:
        blocks = None
    params = {**RECIPE, "alpha": alpha, "beta": 1.0}
    model = NBSVM(**params, blocks=blocks, learner=LinearSVM(**TIGHT)).fit(X, y, weights)
    cuts = [0, *(blocks or []), X.shape[1]]
    for row, k in enumerate([1] if y.max() == 1 else range(3)):
        positive = y == k
        if not X[positive].any() or not X[~positive].any():
            continue  # r as defined divides by 0 there
        r = reference.nbsvm_mass_ratio(X, positive, alpha, weights)
        r[np.abs(r) < 1e-12] = 0
        ours = model.scale_[row].copy()
        for begin, end in pairwise(cuts):
            rho = np.sign(r[begin:end]) * (np.abs(r[begin:end]) + 0.5)
            rho[r[begin:end] == 0] = ours[begin:end][r[begin:end] == 0] = 0
            norms = ((X[:, begin:end] * model.scale_[row, begin:end]) ** 2).sum(1)
            if norms.any():
                before = (X[:, begin:end] ** 2).sum(1)
                assert np.isclose(*(np.average(n, weights=weights) for n in (norms, before)))
            big = np.abs(rho).max(initial=0)
            if big:
                c = np.abs(ours[begin:end]).max() / big
                assert np.allclose(ours[begin:end], c * rho)
        s, x = reference.signs(y, k), reference.with_bias(X * model.scale_[row])
        w = reference.squared_hinge_svm(x, s, weights)
        assert np.allclose(model.coef_[row], model.scale_[row] * w[:-1], atol=2e-3)


def test_no_evidence_is_no_ratio():
    # A word that nobody uses weighs nothing, however uneven the classes are.
    X = np.array([[1, 0, 0]] * 9 + [[0, 1, 0]])
    y = [0] * 9 + [1]
    assert np.isclose(NBSVM(smoothing="mass").fit(X, y).scale_[0, 2], 0, atol=1e-12)
    assert NBSVM(smoothing="add").fit(X, y).scale_[0, 2] > 0.5


def test_beta_0_with_even_classes_is_naive_bayes():
    rng = np.random.default_rng(0)
    X, y = (rng.random((60, 20)) < 0.3).astype(float), np.arange(60) % 2
    model, bayes = NBSVM(beta=0.0).fit(X, y), MultinomialNB().fit(X, y)
    assert np.allclose(model.coef_ / model.coef_[0, 0], bayes.coef_ / bayes.coef_[0, 0])


def text_like(n=300, v=400, n_classes=4):
    rng = np.random.default_rng(0)
    X = sp.random(n, v, 0.05, "csr", rng=rng)
    y = (X @ rng.standard_normal((v, n_classes))).argmax(axis=1)
    return X, y


class Scaled(LinearClassifier):
    """A learner that NBSVM does not know: it gets a scaled matrix for every class."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y, sample_weight=None):
        machine = LinearSVM(C=self.C, **TIGHT).fit(X, y, sample_weight)
        self.__dict__.update({k: v for k, v in vars(machine).items() if k.endswith("_")})
        return self


@pytest.mark.parametrize("n_classes", [2, 6])
@pytest.mark.parametrize("params", [{}, RECIPE])
def test_folding_equals_scaled_copies(n_classes, params):
    X, y = text_like(n_classes=n_classes)
    weights = np.random.default_rng(1).random(300)
    folded = NBSVM(learner=LinearSVM(C=0.5, **TIGHT), **params).fit(X, y, weights)
    copied = NBSVM(learner=Scaled(C=0.5), **params).fit(X, y, weights)
    assert np.allclose(folded.coef_, copied.coef_, atol=1e-4)
    assert np.allclose(folded.intercept_, copied.intercept_, atol=1e-4)
    assert np.isclose(folded.objective_, copied.objective_, rtol=1e-6)
    assert folded.converged_ and copied.converged_


@pytest.mark.parametrize(
    "machine", [{"loss": "hinge"}, {"penalty": "l1"}, {"multi_class": "crammer_singer"}]
)
def test_any_machine(machine):
    X, y = text_like()
    learner = LinearSVM(**machine, tol=1e-2)
    model = NBSVM(learner=learner, beta=0.5).fit(X, y)
    assert model.score(X, y) > 0.9
    assert not hasattr(learner, "coef_") and model.learner is learner


def test_weights_are_repeated_rows():
    X, y = text_like(n=80, v=60)
    times = np.random.default_rng(2).integers(1, 4, 80)
    for params in ({}, RECIPE):
        weighted = NBSVM(**params, learner=LinearSVM(**TIGHT)).fit(X, y, times)
        repeated = NBSVM(**params, learner=LinearSVM(**TIGHT)).fit(
            X.toarray().repeat(times, 0), y.repeat(times)
        )
        assert np.allclose(weighted.scale_, repeated.scale_)
        assert np.allclose(weighted.coef_, repeated.coef_, atol=1e-3)
    named = NBSVM(class_weight={0: 2.0, 1: 1.0, 2: 1.0, 3: 1.0}).fit(X, y)
    assert np.array_equal(named.coef_, NBSVM().fit(X, y, np.where(y == 0, 2.0, 1.0)).coef_)


def test_threads_change_no_bit():
    X, y = text_like(n=1500, n_classes=7)
    one, *others = (NBSVM(n_jobs=n).fit(X, y) for n in (1, 2, 3))
    for other in others:
        assert np.array_equal(one.coef_, other.coef_)


def test_stored_zeros_and_empty_rows_count_as_absent():
    X = sp.csr_matrix(np.array([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0], [1.0, 0.0]]))
    clean = X.copy()
    X.data[0] = clean.data[0] = 0
    clean.eliminate_zeros()
    y = [0, 1, 0, 1]
    ours, theirs = NBSVM().fit(X, y), NBSVM().fit(clean, y)
    assert np.array_equal(ours.coef_, theirs.coef_)
    assert np.array_equal(ours.decision_function(X), ours.decision_function(clean))
    empty = NBSVM(**RECIPE).fit(np.zeros((2, 3)), ["a", "b"])
    assert np.isfinite(empty.coef_).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 0}, "alpha is 0, expected a finite number above 0"),
        ({"learner": LinearSVM(class_weight="balanced")}, "give it to NBSVM"),
        ({"beta": 1.5}, "beta is 1.5, expected a number from 0 to 1"),
        ({"smoothing": "none"}, "smoothing is 'none', expected 'add' or 'mass'"),
        ({"scaling": "idf"}, "scaling is 'idf'"),
        ({"blocks": [3]}, "blocks is"),
        ({"blocks": [0]}, "blocks is"),
        ({"blocks": [1.5]}, "blocks is"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(InputError, match=message):
        NBSVM(**params).fit(np.eye(3), ["a", "b", "b"])


def test_what_cannot_be_trained_is_refused():
    with pytest.raises(InputError, match="one class only"):
        NBSVM().fit(np.eye(2), ["a", "a"])
    with pytest.raises(InputError, match="weight 0"):
        NBSVM().fit(np.eye(2), ["a", "b"], [1, 0])


def test_a_feature_without_evidence_has_no_scale():
    """7 of 21 in one class, 11 of 33 in the other, which are equal shares: no sign, not c / 2."""
    counts = np.array([[5, 4, 7, 5], [6, 7, 11, 9]])
    X = np.vstack([(np.arange(12)[:, None] < n) for n in counts]).astype(float)
    y = np.repeat([0, 1], 12)
    for weight in (None, 0.1, 1 / 3, 0.7):
        model = NBSVM(**RECIPE).fit(X, y, weight)
        assert model.scale_[0, 2] == 0 and (model.scale_[0, :2] != 0).all()
