"""Tests of wordplane.learners.svm, wordplane.learners.reference_class and
wordplane.learners.support.costs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse.linalg import norm
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from tests import reference_svm as reference
from tests.learners.svm_checks import TO_THE_LAST_BIT
from wordplane import NBSVM, LinearSVM
from wordplane.common import progress
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.learners.reference_class import reference_class_form

TIGHT = {"tol": 1e-9, "max_iter": 100_000}
KINDS = [
    {},
    {"loss": "hinge"},
    {"penalty": "l1"},
    {"multi_class": "crammer_singer"},
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=["squared", "hinge", "l1", "crammer"])


@every_kind
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks(kind):
    check_estimator(
        LinearSVM(**kind),
        expected_failed_checks={
            "check_sample_weight_equivalence_on_dense_data": TO_THE_LAST_BIT,
            "check_sample_weight_equivalence_on_sparse_data": TO_THE_LAST_BIT,
        },
        on_skip=None,
    )


def test_worked_by_hand():
    # One document x = 1 of each class, no bias: w solves w = 2 C (1 - w) + 2 C (1 - w).
    X, y = [[1.0], [-1.0]], ["yes", "no"]
    model = LinearSVM(C=0.5, fit_intercept=False, **TIGHT).fit(X, y)
    assert np.allclose(model.coef_, [[2 / 3]], atol=1e-9)
    assert np.isclose(model.objective_, 0.5 * (2 / 3) ** 2 + 2 * 0.5 * (1 / 3) ** 2)
    # Hinge: w = min(1, 2 C), at C = 0.3 both lie within the margin.
    model = LinearSVM(C=0.3, loss="hinge", fit_intercept=False, **TIGHT).fit(X, y)
    assert np.allclose(model.coef_, [[0.6]], atol=1e-9)
    assert np.isclose(model.objective_, 0.5 * 0.36 + 2 * 0.3 * 0.4)
    # l1: the slope 1 of |w| balances 4 C (1 - w).
    model = LinearSVM(C=0.5, penalty="l1", fit_intercept=False, **TIGHT).fit(X, y)
    assert np.allclose(model.coef_, [[0.5]], atol=1e-9)
    model = LinearSVM(C=0.25, penalty="l1", fit_intercept=False, **TIGHT).fit(X, y)
    assert model.coef_[0, 0] == 0


def test_costs_worked_by_hand():
    # An empty row has no say in w, and a loss of C times its largest cost.
    X, y = np.zeros((1, 1)), [2]
    cost = np.array([[0, 1, 1], [1, 0, 1], [3, 5, 0.0]])
    X, y = np.array([[0.0], [0.0], [0.0]]), [0, 1, 2]
    model = LinearSVM(
        C=2, multi_class="crammer_singer", cost=cost, fit_intercept=False, **TIGHT
    ).fit(X, y)
    assert np.isclose(model.objective_, 2 * (1 + 1 + 5)) and model.converged_
    # Two classes, x = +1 and -1, costs c: u = w_1 - w_0 minimizes u^2/4 + C sum max(0, c_i - u).
    cost = np.array([[0, 0.5], [2.0, 0]])
    model = LinearSVM(
        C=10, multi_class="crammer_singer", cost=cost, fit_intercept=False, **TIGHT
    ).fit([[-1.0], [1.0]], [0, 1])
    assert np.allclose(model.coef_, [[2.0]]) and np.isclose(model.objective_, 1.0)


@st.composite
def problems(draw, n_classes=3):
    n, v = draw(st.integers(3, 14)), draw(st.integers(1, 5))
    X = draw(hnp.arrays(np.float64, (n, v), elements=st.integers(-2, 3).map(float)))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, n_classes - 1)))
    y[:n_classes] = range(n_classes)
    weights = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.25, 1.0, 2.0, 0.5])))
    C = draw(st.sampled_from([0.01, 0.1, 1.0, 10.0]))
    bias = draw(st.sampled_from([0.0, 1.0, 2.0]))
    return X, y, weights, C, bias


def fit(problem, **params):
    X, y, weights, C, bias = problem
    model = LinearSVM(
        C=C, fit_intercept=bias > 0, intercept_scaling=bias or 1.0, **{**TIGHT, **params}
    )
    return model.fit(X, y, weights)


def weights_of(model, bias):
    """The weights with that of the bias, features x outputs."""
    W = model.coef_.T
    return np.vstack([W, model.intercept_ / bias]) if bias else W


def near(ours, best):
    return abs(ours - best) <= 1e-6 * max(best, 1e-3)


@settings(max_examples=20)
@given(problems())
def test_squared_hinge_equals_reference(problem):
    X, y, weights, C, bias = problem
    model = fit(problem)
    Xb, W = reference.with_bias(X, bias), weights_of(model, bias)
    objectives = []
    for k in range(3):
        s = reference.signs(y, k)
        best = reference.squared_hinge_svm(Xb, s, C * weights)
        assert np.allclose(W[:, k], best, atol=1e-4)
        objectives.append(reference.ovr_objective(W[:, k], Xb, s, C * weights, "squared_hinge"))
        lowest = reference.ovr_objective(best, Xb, s, C * weights, "squared_hinge")
        assert near(objectives[-1], lowest)
        # At the optimum the gradient is 0.
        m = np.maximum(0, 1 - s * (Xb @ W[:, k]))
        gradient = W[:, k] - 2 * Xb.T @ (C * weights * s * m)
        assert np.abs(gradient).max() < 1e-3 * (1 + C * len(y))
    assert np.isclose(model.objective_, sum(objectives), rtol=1e-9)
    assert -1e-9 <= model.gap_ <= 1.01e-9 * model.objective_ and model.converged_


@settings(max_examples=15)
@given(problems(n_classes=2))
def test_hinge_equals_reference(problem):
    X, y, weights, C, bias = problem
    model = fit(problem, loss="hinge")
    Xb, w, s = reference.with_bias(X, bias), weights_of(model, bias)[:, 0], reference.signs(y, 1)
    slow = reference.hinge_svm(Xb, s, C * weights)
    best = reference.ovr_objective(slow, Xb, s, C * weights, "hinge")
    found = reference.ovr_objective(w, Xb, s, C * weights, "hinge")
    assert np.isclose(found, model.objective_, rtol=1e-9)
    assert found <= best * (1 + 1e-8) and model.dual_objective_ <= best * (1 + 1e-9)
    assert near(found, best) or found < best


@settings(max_examples=50)
@given(problems())
def test_l1_meets_the_conditions_of_optimality(problem):
    X, y, weights, C, bias = problem
    model = fit(problem, penalty="l1")
    Xb, W = reference.with_bias(X, bias), weights_of(model, bias)
    objective = 0
    for k in range(3):
        s, w = reference.signs(y, k), W[:, k]
        objective += reference.l1_objective(w, Xb, s, C * weights)
        m = np.maximum(0, 1 - s * (Xb @ w))
        G = -2 * Xb.T @ (C * weights * s * m)
        slack = 1e-3 * (1 + C)
        assert (np.abs(G[w == 0]) <= 1 + slack).all()
        assert np.allclose(G[w != 0], -np.sign(w[w != 0]), atol=slack)
    assert np.isclose(model.objective_, objective, rtol=1e-9)
    assert -1e-9 <= model.gap_ <= 1.01e-9 * max(model.objective_, 1) and model.converged_


costs = hnp.arrays(np.float64, (3, 3), elements=st.sampled_from([0.0, 0.5, 1.0, 3.0])).map(
    lambda c: c * (1 - np.eye(3))
)


@settings(max_examples=40)
@given(problems(), costs)
def test_crammer_singer_objective_and_certificate(problem, cost):
    X, y, weights, C, bias = problem
    model = fit(problem, multi_class="crammer_singer", cost=cost, tol=1e-8)
    Xb, W = reference.with_bias(X, bias), weights_of(model, bias)
    objective = reference.crammer_singer_objective(W, Xb, y, C * weights, cost)
    assert np.isclose(model.objective_, objective, rtol=1e-9, atol=1e-12)
    assert -1e-9 <= model.gap_ <= 1.01e-8 * model.objective_ + 1e-12 and model.converged_
    # The objective is convex: no small step in any direction goes down by more than the gap.
    rng = np.random.default_rng(0)
    for size in (1e-1, 1e-3):
        for _ in range(20):
            other = W + size * rng.standard_normal(W.shape)
            value = reference.crammer_singer_objective(other, Xb, y, C * weights, cost)
            assert value >= model.dual_objective_ - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_crammer_singer_reaches_the_minimum_of_a_quadratic_program(seed):
    rng = np.random.default_rng(seed)
    n_classes = 3 + seed % 2
    X, y = rng.standard_normal((14, 3)).astype(np.float32), rng.permutation(14) % n_classes
    cost = rng.uniform(0.5, 2, (n_classes, n_classes)) * (1 - np.eye(n_classes))
    C, weights = 10.0 ** rng.uniform(-1, 1), rng.uniform(0.5, 2, 14)
    model = LinearSVM(C=C, multi_class="crammer_singer", cost=cost, **TIGHT)
    model.fit(X, y, sample_weight=weights)
    least = reference.crammer_singer_minimum(reference.with_bias(X), y, C * weights, cost)
    assert np.isclose(model.objective_, least, rtol=1e-6)


def test_crammer_singer_with_two_classes_is_the_hinge():
    # u = w_1 - w_0 minimizes 1/4 |u|^2 + C sum hinge: the plain machine with 2 C, halved.
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((40, 5)), rng.integers(0, 2, 40)
    multi = LinearSVM(C=0.5, multi_class="crammer_singer", **TIGHT).fit(X, y)
    plain = LinearSVM(C=1.0, loss="hinge", **TIGHT).fit(X, y)
    assert np.allclose(multi.coef_, plain.coef_, atol=1e-4)
    assert np.isclose(multi.objective_, plain.objective_ / 2)


def text_like(n=300, v=400, n_classes=4, seed=0, density=0.05):
    rng = np.random.default_rng(seed)
    X = sp.random(n, v, density, "csr", rng=rng)
    W = rng.standard_normal((v, n_classes))
    y = (X @ W + 0.3 * rng.standard_normal((n, n_classes))).argmax(axis=1)
    return X, y


def objective_of(model, X, y, C, kind):
    Xb, W = reference.with_bias(X.toarray()), weights_of(model, 1.0)
    if kind.get("multi_class") == "crammer_singer":
        if W.shape[1] == 1:
            W = np.column_stack([-W[:, 0] / 2, W[:, 0] / 2])
        n_classes = W.shape[1]
        return reference.crammer_singer_objective(W, Xb, y, C, 1 - np.eye(n_classes))
    ks = range(W.shape[1]) if W.shape[1] > 1 else [1]
    loss = kind.get("loss", "squared_hinge")
    return sum(
        reference.l1_objective(w, Xb, reference.signs(y, k), C)
        if kind.get("penalty") == "l1"
        else reference.ovr_objective(w, Xb, reference.signs(y, k), C, loss)
        for k, w in zip(ks, W.T, strict=True)
    )


@every_kind
@pytest.mark.parametrize("n_classes", [2, 4, 7])
def test_objective_equals_liblinear_s(kind, n_classes):
    X, y = text_like(n_classes=n_classes)
    tight = {"tol": 1e-8, "max_iter": 100_000}
    ours = LinearSVM(**kind, **tight).fit(X, y)
    dual = {} if "multi_class" in kind else {"dual": kind.get("penalty") != "l1"}
    theirs = LinearSVC(**kind, **dual, **tight).fit(X, y)
    best = objective_of(theirs, X, y, 1.0, kind)
    assert abs(objective_of(ours, X, y, 1.0, kind) / best - 1) <= 1e-6
    assert np.isclose(ours.objective_, best, rtol=1e-6)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@every_kind
def test_stops_by_the_gap(kind):
    X, y = text_like()
    best = LinearSVM(**kind, tol=1e-9, max_iter=100_000).fit(X, y).objective_
    passes = []
    for tol in (0.3, 1e-2, 1e-4, 1e-6):
        model = LinearSVM(**kind, tol=tol, max_iter=100_000).fit(X, y)
        passes.append(model.n_iter_)
        assert model.converged_
        assert 0 <= model.gap_ <= tol * model.objective_
        assert model.dual_objective_ <= best * (1 + 1e-9) <= model.objective_ * (1 + 1e-8)
        assert np.isclose(model.objective_, objective_of(model, X, y, 1.0, kind), rtol=1e-6)
    assert passes == sorted(passes) and passes[0] < passes[-1]


@every_kind
def test_says_that_it_did_not_converge(kind):
    X, y = text_like()
    with pytest.warns(ConvergenceWarning, match="max_iter=2 passes with a duality gap of"):
        model = LinearSVM(**kind, tol=1e-12, max_iter=2).fit(X, y)
    assert model.n_iter_ == 2 and not model.converged_
    assert model.gap_ > 0
    assert np.isclose(model.objective_, objective_of(model, X, y, 1.0, kind), rtol=1e-6)


@every_kind
def test_weights_are_repeated_rows(kind):
    X, y = text_like(n=80, v=60)
    times = np.random.default_rng(2).integers(0, 3, 80)
    weighted = LinearSVM(**kind, **TIGHT).fit(X, y, times)
    repeated = LinearSVM(**kind, **TIGHT).fit(X.toarray().repeat(times, 0), y.repeat(times))
    assert np.isclose(weighted.objective_, repeated.objective_, rtol=1e-8)
    assert np.allclose(weighted.coef_, repeated.coef_, atol=1e-3)


@every_kind
def test_class_weights(kind):
    X, y = text_like(n=80, v=60, n_classes=3)
    named = LinearSVM(**kind, **TIGHT, class_weight={0: 2.0, 2: 0.5}).fit(X, y)
    rows = LinearSVM(**kind, **TIGHT).fit(X, y, np.array([2.0, 1.0, 0.5])[y])
    assert np.array_equal(named.coef_, rows.coef_)
    balanced = LinearSVM(**kind, class_weight="balanced").fit(X, y)
    rows = LinearSVM(**kind).fit(X, y, 80 / 3 / np.bincount(y)[y])
    assert np.allclose(balanced.coef_, rows.coef_)


@pytest.mark.slow
@every_kind
@pytest.mark.parametrize("n_classes", [2, 11])
def test_threads_change_no_bit(kind, n_classes):
    X, y = text_like(n=600, n_classes=n_classes)
    one, *others = (LinearSVM(**kind, n_jobs=n).fit(X, y) for n in (1, 2, 3, 8))
    for other in others:
        assert np.array_equal(one.coef_, other.coef_)
        assert np.array_equal(one.intercept_, other.intercept_)
        assert one.objective_ == other.objective_


@every_kind
def test_seeds(kind):
    X, y = text_like()
    first, again, other = (LinearSVM(**kind, random_state=s).fit(X, y) for s in (3, 3, 4))
    assert np.array_equal(first.coef_, again.coef_)
    assert not np.array_equal(first.coef_, other.coef_)
    assert abs(first.objective_ / other.objective_ - 1) <= 2e-3


@every_kind
@pytest.mark.parametrize(
    "labels", [["b", "a", "b"], [7, -3, 7], [True, False, True], ["x", "y", "z"]]
)
def test_labels_come_back(kind, labels):
    X = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert LinearSVM(**kind, C=100.0).fit(X, labels).predict(X).tolist() == labels


@every_kind
def test_empty_rows_and_unseen_features(kind):
    X, y = text_like(n=60, v=30, n_classes=3)
    X = sp.vstack([X, sp.csr_matrix((5, 30))], "csr")
    y = np.append(y, [0, 1, 2, 0, 1])
    for fit_intercept in (True, False):
        params = {**kind, **TIGHT, "fit_intercept": fit_intercept}
        model = LinearSVM(**params).fit(X, y)
        wider = sp.hstack([sp.csr_matrix((65, 2)), X], "csr")
        wide = LinearSVM(**params).fit(wider, y)
        assert (wide.coef_[:, :2] == 0).all()
        assert np.allclose(wide.coef_[:, 2:], model.coef_, atol=1e-3)
        assert fit_intercept or (model.intercept_ == 0).all()


@every_kind
def test_a_matrix_of_float32_and_one_of_float64(kind):
    X, y = text_like()
    single = LinearSVM(**kind).fit(X.astype(np.float32), y)
    assert np.array_equal(LinearSVM(**kind).fit(X, y).coef_, single.coef_)  # both are rounded


def test_values_that_float32_cannot_hold():
    with pytest.raises(ValueError, match="too large for single precision"):
        LinearSVM().fit([[1e300], [1.0]], [0, 1])


def test_the_larger_intercept_scaling_the_freer_the_bias():
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 0, 0, 1]
    low, high = (LinearSVM(intercept_scaling=s, **TIGHT).fit(X, y) for s in (0.01, 100.0))
    assert abs(low.intercept_[0]) < 0.1 < abs(high.intercept_[0])


def test_l1_has_exact_zeros():
    X, y = text_like(n_classes=2)
    l1, l2 = (LinearSVM(penalty=p, tol=0.01).fit(X, y) for p in ("l1", "l2"))
    assert (l1.coef_ == 0).mean() > 0.5 > (l2.coef_ == 0).mean()


def test_costs_steer_the_mistakes():
    X, y = text_like(n=400, v=20, n_classes=3, density=0.3)
    cost = 1 - np.eye(3)
    cost[0, 1:] = 10  # class 0 must not be missed
    plain = LinearSVM(multi_class="crammer_singer").fit(X, y)
    costly = LinearSVM(multi_class="crammer_singer", cost=cost).fit(X, y)
    missed = [(model.predict(X)[y == 0] != 0).sum() for model in (plain, costly)]
    assert missed[1] < missed[0]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0}, "C is 0, expected a finite number above 0"),
        ({"C": "1"}, "C is '1'"),
        ({"tol": 0.0}, "tol is 0.0"),
        ({"intercept_scaling": -1}, "intercept_scaling is -1"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"max_iter": 1.5}, "max_iter is 1.5"),
        ({"loss": "log"}, "loss is 'log', expected 'squared_hinge' or 'hinge'"),
        ({"multi_class": "ovo"}, "multi_class is 'ovo'"),
        ({"penalty": "l3"}, "penalty is 'l3'"),
        ({"penalty": "l1", "loss": "hinge"}, "penalty is 'l1' with loss 'hinge'"),
        ({"penalty": "l1", "multi_class": "crammer_singer"}, "penalty is 'l1' with loss"),
        ({"cost": np.eye(2)}, "cost is given with multi_class 'ovr'"),
        ({"multi_class": "crammer_singer", "cost": np.eye(2)}, "0 on the diagonal"),
        ({"multi_class": "crammer_singer", "cost": np.zeros((3, 3))}, "expected a table of 2 x 2"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(InputError, match=message):
        LinearSVM(**params).fit(np.eye(2), ["a", "b"])


def test_one_class_is_refused():
    with pytest.raises(InputError, match="one class only"):
        LinearSVM().fit(np.eye(2), ["a", "a"])


def test_progress_is_told():
    X, y = text_like()
    steps = []
    with progress.listen(lambda *step: steps.append(step)):
        LinearSVM().fit(X, y)
    assert steps == [("fitting LinearSVM", 16, 0)]  # a small problem: many passes in a call


def test_reference_class_form():
    X, y = text_like()
    model = LinearSVM().fit(X, y)
    W, b = reference_class_form(model)
    assert W.shape == (3, 400)
    z = np.column_stack([X @ W.T + b, np.zeros(300)])
    full = model.decision_function(X)
    assert np.allclose(z, full - full[:, -1:])
    assert np.array_equal(model.classes_[z.argmax(axis=1)], model.predict(X))
    two = LinearSVM().fit(X, y > 1)
    W, b = reference_class_form(two)
    assert np.array_equal((X @ W.T + b)[:, 0] < 0, two.predict(X))


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_a_bias_costs_few_passes(loss):
    rng = np.random.default_rng(0)
    X = sp.random_array((2000, 5000), density=0.01, random_state=rng, format="csr")
    X = sp.csr_array(X / norm(X, axis=1)[:, None])
    y = X @ rng.normal(size=5000) + 0.1 > 0
    passes = [
        LinearSVM(loss=loss, fit_intercept=bias, tol=1e-4, max_iter=500).fit(X, y).n_iter_
        for bias in (False, True)
    ]
    assert passes[1] <= 1.5 * passes[0]
    far = LinearSVM(loss=loss, intercept_scaling=5.0, tol=0.01, max_iter=500).fit(X, y)
    assert far.converged_ and far.gap_ <= 0.01 * far.objective_


@pytest.mark.parametrize(("loss", "far"), [("squared_hinge", 1e-4), ("hinge", 1e-2)])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_a_tolerance_that_is_out_of_reach_does_no_harm(loss, far):
    # Rows with small whole numbers and much noise: 1,000 passes are not enough. Rows that were
    # left out must come back all the same.
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.poisson(1.0, (80, 10)).astype(float), rng.integers(0, 2, 80)
        weights = rng.integers(0, 4, 80).astype(float)
        best = LinearSVM(loss=loss, tol=1e-6, max_iter=10**6).fit(X, y, weights).objective_
        model = LinearSVM(loss=loss, tol=1e-12).fit(X, y, weights)
        assert model.objective_ < best * (1 + far)


@pytest.mark.parametrize("scaled", [False, True])
def test_weights_in_single_precision_keep_the_gap(scaled, monkeypatch):
    """From a tolerance of a thousandth on, three classes are learned in single precision; the
    optimum in double precision lies within the gap that is told."""
    rng = np.random.default_rng(3)
    X = sp.random_array((3000, 400), density=0.05, rng=rng, format="csr")
    y = np.argmax(X @ rng.standard_normal((400, 3)) + 0.5 * rng.standard_normal((3000, 3)), axis=1)

    def fitted(tol):
        machine = LinearSVM(C=4.0, tol=tol, max_iter=10_000)
        if not scaled:
            return machine.fit(X, y)
        return NBSVM(learner=machine, binary=False, beta=1.0).fit(X, y)

    single, exact = fitted(1e-3), fitted(1e-8)
    assert exact.objective_ - 1e-6 <= single.objective_ <= exact.objective_ * (1 + 1e-3)
    monkeypatch.setattr("wordplane.learners.svm.ENOUGH_FOR_SINGLE", 1.0)
    assert not np.array_equal(single.coef_, fitted(1e-3).coef_)  # which is double precision
    if not scaled:
        assert 0 < single.objective_ - exact.objective_ <= single.gap_


def test_a_scale_that_single_precision_cannot_hold():
    y = np.arange(60) % 3
    X = np.zeros((60, 4))
    X[:, 0], X[np.arange(60), 1 + y] = 1e9, 1e-11
    machine = LinearSVM(max_iter=50)
    model = NBSVM(binary=False, smoothing="mass", scaling="shifted", learner=machine).fit(X, y)
    assert np.isfinite(model.coef_).all() and model.score(X, y) == 1


@pytest.mark.parametrize("size", [1e-15, 1e15, 1e30])
def test_large_and_small_values_of_three_classes(size):
    """Values whose squares single precision cannot hold are learned in double precision."""
    X, y = text_like(n_classes=3)
    usual = LinearSVM(C=10.0, fit_intercept=False).fit(X, y)
    other = LinearSVM(C=10.0 / size**2, fit_intercept=False).fit(X * size, y)
    assert other.converged_ and np.allclose(other.coef_ * size, usual.coef_, atol=1e-2)
    assert np.mean(usual.predict(X) == other.predict(X * size)) >= 0.95
