import itertools
import subprocess
import sys
import warnings

import numpy as np
import polars as pl
import pytest
import scipy.optimize
import scipy.sparse as sp
import scipy.special
import sklearn.linear_model as theirs
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.estimator_checks import check_estimator

from tests import reference_logistic as reference
from wordplane import LogisticRegression, _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.matrix import as_csr
from wordplane.learners.support import stochastic
from wordplane.learners.support.stochastic import _parts, shrinkage

EXACT = ["dual", "lbfgs", "newton"]
STOCHASTIC = ["sgd", "minibatch", "adagrad"]


def problem(n_classes=3, n=120, n_features=8, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < 0.4)
    z = X @ rng.normal(size=(n_features, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, z.argmax(axis=1)


def texts(n_classes, n=400, n_features=300, seed=0):
    """Sparse rows of length 1, as TF-IDF makes them."""
    rng = np.random.default_rng(seed)
    X = np.abs(sp.random(n, n_features, 0.05, "csr", rng=rng))
    X = sp.csr_matrix(X.multiply(1 / np.maximum(np.sqrt(X.multiply(X).sum(axis=1)), 1e-9)))
    return X, (X @ rng.normal(size=(n_features, n_classes))).argmax(axis=1)


def objective(model, X, y, **options):
    X = X.toarray() if sp.issparse(X) else X
    options = {"C": model.C, "penalize_intercept": model.penalize_intercept, **options}
    return reference.logistic_objective(X, y, model.coef_.T, model.intercept_, **options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("params", [{}, {"multi_class": "ovr"}, {"solver": "dual"},
                                    {"penalty": "l1"}])  # fmt: skip
def test_scikit_learn_s_checks(params):
    failing = {}
    if params.get("solver") == "dual":
        orders = "compares to 1e-7, and other rows come in another order to another 1e-4"
        failing = dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data",
             "check_sample_weight_equivalence_on_sparse_data"), orders,
        )  # fmt: skip
    check_estimator(LogisticRegression(**params), expected_failed_checks=failing, on_skip=None)


def test_worked_by_hand():
    # One feature, x = 1 for both rows, no bias: C log(1 + exp(-w)) twice against w^2 / 2 ...
    # ... and the optimum has w = 2 C / (1 + exp(w)).
    model = LogisticRegression(fit_intercept=False, tol=1e-12).fit([[1.0], [-1.0]], [1, 0])
    w = model.coef_[0, 0]
    assert np.isclose(w, 2 / (1 + np.exp(w))) and model.intercept_ == [0]
    assert np.isclose(model.objective_, w**2 / 2 + 2 * np.log(1 + np.exp(-w)))
    assert np.allclose(model.predict_proba([[1.0]]), [[1 / (1 + np.exp(w)), 1 / (1 + np.exp(-w))]])
    # The bias alone, not penalised: the log-odds of the classes.
    model = LogisticRegression(tol=1e-10).fit([[0.0]] * 4, [1, 1, 1, 0])
    assert np.allclose(model.intercept_, np.log(3)) and np.allclose(model.coef_, 0)


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
def test_equals_scikit_learn(solver, n_classes, C):
    X, y = problem(n_classes)
    his = theirs.LogisticRegression(C=C, tol=1e-12, max_iter=10**5).fit(X, y)
    ours = LogisticRegression(C=C, solver=solver, tol=1e-8, max_iter=10**4).fit(X, y)
    assert ours.converged_ and ours.solver_ == solver
    best = objective(his_as_ours(his, ours), X, y)
    assert np.isclose(ours.objective_, objective(ours, X, y), rtol=1e-12)
    assert np.isclose(ours.objective_, best, rtol=1e-7)
    assert np.allclose(ours.coef_, his.coef_, atol=2e-3)
    assert np.allclose(ours.predict_proba(X), his.predict_proba(X), atol=1e-3)
    assert np.allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X))
    if n_classes > 2:
        assert abs(ours.intercept_.sum()) < 1e-9


def his_as_ours(his, ours):
    model = LogisticRegression(**ours.get_params())
    model.coef_, model.intercept_ = his.coef_, his.intercept_
    return model


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("multi_class", ["auto", "ovr"])
@pytest.mark.parametrize("bias", [{}, {"penalize_intercept": True}, {"fit_intercept": False}])
def test_equals_scipy_on_the_reference_objective(solver, multi_class, bias):
    X, y = problem(3, n=40, n_features=4)
    options = {"C": 2.0, "ovr": multi_class == "ovr"}
    options["penalize_intercept"] = "penalize_intercept" in bias
    free = 0.0 if "fit_intercept" in bias else 1.0

    def value(w):
        return reference.logistic_objective(X, y, w[:12].reshape(4, 3), free * w[12:], **options)

    best = scipy.optimize.minimize(value, np.zeros(15), method="BFGS", options={"gtol": 1e-6}).fun
    model = LogisticRegression(
        C=2.0, multi_class=multi_class, solver=solver, tol=1e-8, max_iter=10**4, **bias
    ).fit(X, y)
    assert np.isclose(model.objective_, best, rtol=1e-7)


@pytest.mark.parametrize("multi_class", ["auto", "ovr"])
def test_gradient_descent_gets_there_too(multi_class):
    X, y = problem(3)
    exact = LogisticRegression(multi_class=multi_class, tol=1e-8).fit(X, y)
    slow = LogisticRegression(multi_class=multi_class, solver="gd", tol=1e-6).fit(X, y)
    assert np.isclose(slow.objective_, exact.objective_, rtol=1e-9)


def test_ovr_equals_scikit_learn():
    X, y = problem(4)
    ours = LogisticRegression(multi_class="ovr", tol=1e-8).fit(X, y)
    his = OneVsRestClassifier(theirs.LogisticRegression(tol=1e-10, max_iter=10**4)).fit(X, y)
    assert np.allclose(ours.coef_, np.vstack([e.coef_ for e in his.estimators_]), atol=1e-4)
    assert np.allclose(ours.predict_proba(X), his.predict_proba(X), atol=1e-4)
    assert np.allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X))


def test_dual_with_a_penalised_bias_equals_liblinear():
    X, y = texts(2)
    his = theirs.LogisticRegression(solver="liblinear", dual=True, tol=1e-10, max_iter=10**5)
    his.fit(X, y)
    ours = LogisticRegression(solver="dual", penalize_intercept=True, tol=1e-10).fit(X, y)
    assert np.allclose(ours.coef_, his.coef_, atol=1e-4)
    assert np.isclose(ours.objective_, objective(his_as_ours(his, ours), X, y), rtol=1e-7)


@pytest.mark.parametrize("solver", ["lbfgs", "gd"])
@pytest.mark.parametrize("penalty", ["l1", "elasticnet"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_penalties_equal_saga(solver, penalty, n_classes):
    X, y = problem(n_classes)
    ratio = {"elasticnet": 0.4, "l1": 1.0}[penalty]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the name of this parameter is changing
        his = theirs.LogisticRegression(
            penalty="elasticnet", l1_ratio=ratio, solver="saga", C=0.2, tol=1e-10, max_iter=10**5
        ).fit(X, y)
    ours = LogisticRegression(
        penalty=penalty, l1_ratio=0.4 if penalty == "elasticnet" else None, C=0.2,
        solver=solver, tol=1e-8, max_iter=10**4,
    ).fit(X, y)  # fmt: skip
    options = {"l1": ratio, "l2": 1 - ratio}
    assert np.isclose(ours.objective_, objective(ours, X, y, **options), rtol=1e-12)
    assert np.isclose(
        ours.objective_, objective(his_as_ours(his, ours), X, y, **options), rtol=1e-6
    )
    assert np.array_equal(ours.coef_ == 0, np.abs(his.coef_) < 1e-6)
    assert (ours.coef_ == 0).any()


def test_l1_equals_liblinear():
    X, y = texts(2)
    ours = LogisticRegression(penalty="l1", fit_intercept=False, C=20, tol=1e-8).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        his = theirs.LogisticRegression(
            penalty="l1", solver="liblinear", fit_intercept=False, C=20, tol=1e-8, max_iter=10**4
        ).fit(X, y)
    his.intercept_ = np.zeros(1)
    options = {"l1": 1.0, "l2": 0.0}
    best = objective(his_as_ours(his, ours), X, y, **options)
    assert ours.objective_ <= best * (1 + 1e-6)
    assert 0.3 < (ours.coef_ == 0).mean() < 1


def test_no_penalty():
    X, y = problem(3)
    ours = LogisticRegression(penalty=None, tol=1e-8).fit(X, y)
    his = theirs.LogisticRegression(C=np.inf, tol=1e-10, max_iter=10**4).fit(X, y)
    assert np.allclose(ours.predict_proba(X), his.predict_proba(X), atol=1e-5)
    assert np.allclose(ours.coef_.sum(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize("solver", EXACT)
def test_moments_match(solver):
    X, y = problem(3)
    C = 0.7
    model = LogisticRegression(C=C, solver=solver, tol=1e-9, max_iter=10**5).fit(X, y)
    excess = np.eye(3)[y] - model.predict_proba(X)
    assert np.allclose(X.T @ excess, model.coef_.T / C, atol=1e-3)
    assert np.allclose(excess.sum(axis=0), 0, atol=1e-3)
    gradient = np.vstack([model.coef_.T - C * X.T @ excess, -C * excess.sum(axis=0)])
    assert np.isclose(model.gradient_norm_, np.abs(gradient).max(), atol=1e-9)


def test_two_vectors_are_one_with_half_the_penalty():
    X, y = problem(2)
    two = LogisticRegression(C=0.5, multi_class="softmax", penalize_intercept=True, tol=1e-9)
    one = LogisticRegression(C=1.0, penalize_intercept=True, tol=1e-9)
    assert np.allclose(two.fit(X, y).coef_, one.fit(X, y).coef_, atol=1e-6)
    assert np.isclose(two.objective_, one.objective_ / 2)
    dual = LogisticRegression(C=0.5, multi_class="softmax", penalize_intercept=True, solver="dual")
    assert np.isclose(dual.set_params(tol=1e-9).fit(X, y).objective_, two.objective_)
    w = two.coef_[0], two.intercept_
    W = np.column_stack([-w[0] / 2, w[0] / 2])
    b = np.concatenate([-w[1] / 2, w[1] / 2])
    value = reference.logistic_objective(X, y, W, b, C=0.5, penalize_intercept=True)
    assert np.isclose(two.objective_, value)


def test_average_is_the_mean_of_losses():
    X, y = problem(3)
    mean = LogisticRegression(C=50.0, average=True, tol=1e-9).fit(X, y)
    total = LogisticRegression(C=50.0 / len(y), tol=1e-9).fit(X, y)
    assert np.allclose(mean.coef_, total.coef_, atol=1e-8)


@pytest.mark.parametrize("solver", STOCHASTIC)
@pytest.mark.parametrize(
    ("penalty", "far"),
    [({"penalty": "l1"}, 3e-3), ({"penalty": "elasticnet", "l1_ratio": 0.5}, 2e-3)],
)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_stochastic_solvers_under_sparse_penalties(solver, penalty, far, n_classes):
    X, y = texts(n_classes)
    best = LogisticRegression(tol=1e-8, max_iter=100_000, **penalty).fit(X, y)
    model = LogisticRegression(solver=solver, max_iter=50, tol=0, **penalty).fit(X, y)
    assert best.objective_ <= model.objective_ < best.objective_ * (1 + far)
    wanted, found = best.coef_ != 0, model.coef_ != 0
    assert found.sum() < 2.5 * wanted.sum()
    assert (np.abs(best.coef_[wanted & ~found]) < 0.2).all()  # what is lost is little


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("multi_class", ["softmax", "ovr"])
@pytest.mark.parametrize(("step", "far"), [("fixed", 1e-6), ("decay", 0.02)])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_steps_of_gradient_descent(step, far, penalty, multi_class):
    X, y = problem()
    options = {"penalty": penalty, "multi_class": multi_class}
    best = LogisticRegression(tol=1e-9, max_iter=100_000, **options).fit(X, y).objective_
    model = LogisticRegression(
        solver="gd", step=step, power_t=0.6, tol=1e-9, max_iter=20_000, **options
    ).fit(X, y)
    assert best * (1 - 1e-9) <= model.objective_ <= best * (1 + far)
    assert all(new <= old * (1 + 1e-12) for old, new in itertools.pairwise(model.history_))
    short = LogisticRegression(solver="gd", step=step, eta0=1e-9, max_iter=1, **options).fit(X, y)
    assert 0 < np.abs(short.coef_).max() < 1e-6  # eta0 is what is stepped by


@pytest.mark.parametrize("solver", STOCHASTIC)
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_epochs_in_parts(solver, l1_ratio, monkeypatch):
    X, y = texts(4)
    model = LogisticRegression(
        solver=solver, penalty="elasticnet", l1_ratio=l1_ratio, max_iter=3, tol=0
    )
    whole = model.fit(X, y).coef_
    parts = []
    monkeypatch.setattr(stochastic, "PART", 0)
    monkeypatch.setattr(stochastic, "_parts", lambda *a: parts.append(_parts(*a)) or parts[-1])
    assert np.allclose(model.fit(X, y).coef_, whole, rtol=1e-9, atol=1e-12)
    assert len(parts) == 3 and all(len(epoch) > 3 for epoch in parts)


@pytest.mark.parametrize("solver", STOCHASTIC)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_stochastic_solvers_come_near_in_50_epochs(solver, n_classes):
    X, y = texts(n_classes)
    best = LogisticRegression(tol=1e-8).fit(X, y).objective_
    model = LogisticRegression(solver=solver, max_iter=50, tol=0).fit(X, y)
    assert best <= model.objective_ < best * (1 + 1e-3)
    assert np.isclose(model.objective_, objective(model, X, y), rtol=1e-12)
    if n_classes > 2:
        assert abs(model.intercept_.sum()) < 1e-9


@st.composite
def stochastic_problems(draw):
    n, v = draw(st.integers(2, 12)), draw(st.integers(1, 5))
    X = draw(hnp.arrays(np.float64, (n, v), elements=st.sampled_from([0, 0, 0, 1, 2, -1.5])))
    softmax = draw(st.booleans())
    y = draw(hnp.arrays(np.int32, n, elements=st.integers(0, draw(st.integers(1, 3)))))
    y[0] = max(y.max(), 1)
    weight = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.5, 1.0, 2.0])))
    order = draw(st.permutations(range(n)))
    l1, l2 = draw(st.sampled_from([0, 0.01, 0.2])), draw(st.sampled_from([0, 0.1, 2.0]))
    return X, y, weight, np.array(order, np.int32), l1, l2, softmax


@given(stochastic_problems(), st.integers(1, 4), st.booleans(), st.booleans(), st.booleans())
def test_lazy_passes_equal_the_dense_loop(drawn, batch_size, bias, penalized, adagrad):
    X, y, weight, order, l1, l2, softmax = drawn
    n_steps = -(-len(order) // batch_size)
    eta = np.full(n_steps, 0.3) if adagrad else 0.5 * (1 + np.arange(n_steps)) ** -0.6
    penalized = penalized and bias
    W, b = reference.stochastic(
        X, y, weight, order, batch_size, eta, l1, l2,
        softmax=softmax, bias=bias, penalized=penalized, adagrad=adagrad,
    )  # fmt: skip
    lazy_W, lazy_b = np.zeros_like(W), np.zeros_like(b)
    rows = _core.LabeledRows(as_csr(X), y, weight, max(y) + 1)
    state = _core.StochasticState(
        rows, lazy_W, lazy_b, softmax=softmax, bias=bias, penalized_bias=penalized
    )
    if adagrad:
        G = np.zeros((W.shape[0] + 1, W.shape[1]))
        rule = _core.AdaGrad(state, G, eta=0.3, eps=1e-10, l1=l1, l2=l2)
        _core.adagrad_pass(state, rule, order, batch_size)
    else:
        _core.sgd_pass(state, order, batch_size, eta, *shrinkage(eta, l1, l2))
    # AdaGrad makes much of a gradient that is zero but for its rounding.
    atol = 1e-6 if adagrad else 1e-12
    assert np.allclose(lazy_W, W, rtol=0, atol=atol) and np.allclose(lazy_b, b, rtol=0, atol=atol)
    if l1 > 0:
        assert np.array_equal(lazy_W == 0, W == 0)


@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_strong_decay_is_taken_in_parts():
    parts = _parts(np.full(1000, 10.0), 1e3, 1000)
    assert len(parts) > 20 and parts[0].start == 0 and parts[-1].stop == 1000
    assert all(a.stop == b.start for a, b in itertools.pairwise(parts))
    X, y = texts(3, n=50)
    best = LogisticRegression(C=1e-6, fit_intercept=False, tol=1e-10).fit(X, y).objective_
    options = {"fit_intercept": False, "solver": "sgd", "eta0": 1.0, "max_iter": 20, "tol": 0}
    model = LogisticRegression(C=1e-6, **options).fit(X, y)
    assert np.isclose(model.objective_, best, rtol=1e-3)


@pytest.mark.parametrize("solver", ["sgd", "adagrad"])
def test_stochastic_l1_makes_exact_zeros(solver):
    X, y = texts(2)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = LogisticRegression(solver=solver, penalty="l1", max_iter=50, tol=0).fit(X, y)
    best = LogisticRegression(penalty="l1", tol=1e-6).fit(X, y)
    assert best.objective_ <= model.objective_ < best.objective_ * 1.003
    unseen = np.asarray((X != 0).sum(axis=0)).ravel() == 0
    assert (model.coef_[0, ~unseen] == 0).sum() > 20


def exact_problems():
    return st.tuples(
        hnp.arrays(np.float64, (10, 3), elements=st.sampled_from([0, 0, 1, 2, -1, 30, 0.01])),
        hnp.arrays(np.int64, 10, elements=st.integers(0, 2)),
        st.sampled_from([0.01, 1.0, 100.0]),
    )


@given(exact_problems(), st.sampled_from(["auto", "ovr"]))
@settings(max_examples=60)
def test_dual_and_newton_agree(drawn, multi_class):
    X, y, C = drawn
    y[:3] = 0, 1, 2
    options = {"C": C, "multi_class": multi_class, "penalize_intercept": True}
    exact = LogisticRegression(solver="newton", tol=1e-9, **options).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        dual = LogisticRegression(solver="dual", tol=1e-7, max_iter=3000, **options).fit(X, y)
    assert exact.objective_ <= dual.objective_ * (1 + 1e-9)
    assert not dual.converged_ or np.isclose(dual.objective_, exact.objective_, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-8, 1e6])
@pytest.mark.parametrize("C", [1e-6, 1e6])
@pytest.mark.parametrize("multi_class", ["auto", "ovr"])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_extreme_numbers_stay_finite(scale, C, multi_class):
    X, y = problem(3, n=30)
    X[0] = 0
    at_zero = C * len(y) * (np.log(3) if multi_class == "auto" else 3 * np.log(2))
    for solver in ("auto", "dual", "newton", "lbfgs", "sgd", "adagrad"):
        model = LogisticRegression(C=C, solver=solver, multi_class=multi_class, max_iter=60)
        model.fit(sp.csr_matrix(scale * np.hstack([X, np.zeros((30, 20))])), y)
        assert np.isfinite(model.coef_).all() and np.isfinite(model.objective_)
        if solver in ("auto", "newton", "lbfgs"):
            assert model.objective_ <= at_zero * (1 + 1e-9)


@pytest.mark.parametrize("solver", ["dual", "newton", "lbfgs"])
def test_weights_are_repeated_rows(solver):
    X, y = problem(3, n=60)
    times = 1 + np.arange(60) % 3
    times[-1] = 0
    options = {"solver": solver, "tol": 1e-9}
    weighted = LogisticRegression(**options).fit(X, y, times)
    repeated = LogisticRegression(**options).fit(X.repeat(times, 0), y.repeat(times))
    assert np.isclose(weighted.objective_, repeated.objective_, rtol=1e-7)
    assert np.allclose(weighted.coef_, repeated.coef_, atol=1e-3)


def test_class_weights():
    X, y = problem(2)
    weight = np.where(y == 1, 3.0, 1.0)
    mapped = LogisticRegression(class_weight={1: 3.0}, tol=1e-9).fit(X, y)
    assert np.allclose(mapped.coef_, LogisticRegression(tol=1e-9).fit(X, y, weight).coef_)
    his = theirs.LogisticRegression(class_weight="balanced", tol=1e-10, max_iter=10**4).fit(X, y)
    ours = LogisticRegression(class_weight="balanced", tol=1e-8).fit(X, y)
    assert np.allclose(ours.coef_, his.coef_, atol=1e-5)


@pytest.mark.parametrize("multi_class", ["auto", "ovr"])
@pytest.mark.parametrize("solver", ["dual", "newton", "lbfgs", "sgd"])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_threads_change_no_bit(solver, multi_class):
    X, y = texts(5, n=1500, n_features=400)  # enough values to be shared out
    options = {"solver": solver, "multi_class": multi_class, "max_iter": 5}
    one, *others = (LogisticRegression(n_jobs=n, **options).fit(X, y) for n in (1, 2, 3, 8))
    for other in others:
        assert np.array_equal(one.coef_, other.coef_)
        assert np.array_equal(one.intercept_, other.intercept_)
        assert one.objective_ == other.objective_


def test_long_passes_are_cut_without_a_trace(monkeypatch):
    X, y = texts(3)
    whole = LogisticRegression(solver="dual").fit(X, y)
    monkeypatch.setattr("wordplane.learners.support.logistic_dual.VALUES_PER_CALL", 1000)
    assert np.array_equal(whole.coef_, LogisticRegression(solver="dual").fit(X, y).coef_)


def test_auto_takes_what_suits_and_goes_on_with_newton():
    X, y = texts(3)
    assert LogisticRegression().fit(X, y).solver_ == "dual"
    assert LogisticRegression().fit(*problem(3)).solver_ == "newton"
    assert LogisticRegression(penalty="l1").fit(X, y).solver_ == "lbfgs"
    hard = LogisticRegression(C=1e5, tol=1e-6).fit(X, y)
    assert hard.solver_ == "newton" and hard.converged_


@pytest.mark.parametrize("labels", [["b", "a"], [7, -3], [True, False]])
@pytest.mark.parametrize("solver", ["auto", "dual", "sgd"])
@pytest.mark.filterwarnings("ignore::wordplane.common.errors.ConvergenceWarning")
def test_labels_come_back_as_they_were(labels, solver):
    model = LogisticRegression(solver=solver).fit([[1, 0], [0, 1]], labels)
    assert model.predict([[1, 0], [0, 1]]).tolist() == labels


@pytest.mark.parametrize("solver", EXACT)
def test_empty_rows_count_for_the_bias(solver):
    X = sp.csr_matrix([[0, 0], [0, 0], [0, 0], [1, 0]])
    model = LogisticRegression(solver=solver, tol=1e-6).fit(X, ["a", "a", "b", "b"])
    assert np.allclose(model.predict_proba([[0, 0]])[0, 0], 0.6, atol=0.1)


def test_not_converging_is_said():
    X, y = problem(3)
    for solver in ("dual", "lbfgs", "newton", "gd"):
        with pytest.warns(ConvergenceWarning, match=r"max_iter.*after 1 iterations.*tol=1e-10"):
            model = LogisticRegression(solver=solver, tol=1e-10, max_iter=1).fit(X, y)
        assert not model.converged_ and model.n_iter_ == 1


def test_one_class_is_refused():
    for y, weight in (["a", "a"], None), (["a", "b"], [1, 0]):
        with pytest.raises(InputError, match=r"one class with a weight above zero: .*'a'"):
            LogisticRegression().fit(np.eye(2), y, weight)


@pytest.mark.parametrize(
    "params",
    [{"C": 0}, {"C": "1"}, {"C": float("inf")}, {"penalty": "l3"}, {"l1_ratio": 0.5},
     {"penalty": "elasticnet"}, {"penalty": "elasticnet", "l1_ratio": 2}, {"multi_class": "all"},
     {"solver": "magic"}, {"tol": -1}, {"max_iter": 0}, {"max_iter": 1.5}, {"eta0": 0},
     {"power_t": 0.5}, {"batch_size": 0}, {"average": 1}, {"fit_intercept": "yes"},
     {"solver": "dual", "penalty": "l1"}, {"solver": "newton", "penalty": "l1"}],
)  # fmt: skip
def test_bad_parameters(params):
    name = "solver" if len(params) == 2 and "solver" in params else list(params)[-1]
    name = "l1_ratio" if params == {"penalty": "elasticnet"} else name
    with pytest.raises(InputError, match=name):
        LogisticRegression(**params).fit(np.eye(2), ["a", "b"])


def test_fit_on_a_native_matrix_loads_nothing_heavy():
    code = """
import sys
import numpy as np
from wordplane import LogisticRegression, RidgeClassifier, _core
X = _core.Csr(2, np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2))
for solver in ("auto", "dual", "lbfgs", "newton", "gd"):
    LogisticRegression(solver=solver).fit(X, ["a", "b"]).predict_proba(X)
RidgeClassifier().fit(X, ["a", "b"]).predict(X)
assert not {"scipy", "sklearn", "polars"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.data
@pytest.mark.parametrize("solver", ["dual", "newton", "lbfgs", "gd"])
def test_the_lab_s_figures_on_amazon_books(dataset, solver):
    frame = pl.read_parquet(dataset("amazon_books_counts"))
    sides = [frame.filter(pl.col("label") == label) for label in ("positive", "negative")]
    rows = [row for pair in zip(*(side["text"] for side in sides), strict=True) for row in pair]
    y = np.tile([1, 0], len(rows) // 2)
    counts = [dict(pair.rsplit(":", 1) for pair in row.split()) for row in rows]
    total = {}
    for document in counts:
        for word, count in document.items():
            total[word] = total.get(word, 0) + int(count)
    column = {word: j for j, word in enumerate(w for w, count in total.items() if count >= 5)}
    entries = [
        (i, column[word], int(count))
        for i, document in enumerate(counts)
        for word, count in document.items()
        if word in column
    ]
    i, j, value = np.array(entries).T
    X = sp.csr_matrix((value.astype(float), (i, j)), (len(rows), len(column)))
    assert len(column) == 13989
    cut = int(0.8 * len(rows))
    model = LogisticRegression(
        average=True, multi_class="softmax", penalize_intercept=True, solver=solver, tol=1e-9
    ).fit(X[:cut], y[:cut])
    assert model.score(X[:cut], y[:cut]) == 0.858125
    assert model.score(X[cut:], y[cut:]) == 0.79


def test_warm_start_goes_on_from_the_last_weights():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.5, (200, 30)), rng.integers(0, 3, 200)
    cold = LogisticRegression(C=0.5, penalty="l1", tol=1e-7).fit(X, y)
    warm = LogisticRegression(C=0.4, penalty="l1", tol=1e-7, warm_start=True).fit(X, y)
    warm.set_params(C=0.5).fit(X, y)
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-6)
    assert warm.n_iter_ < cold.n_iter_
    warm.fit(X[:, :20], y)  # other columns: from the start
    fresh = LogisticRegression(C=0.5, penalty="l1", tol=1e-7).fit(X[:, :20], y)
    assert np.array_equal(warm.coef_, fresh.coef_)


@pytest.mark.parametrize("multi_class", ["softmax", "ovr"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalized", [False, True])
def test_warm_dual_ends_where_a_cold_one_does(penalized, n_classes, multi_class):
    X, y = texts(n_classes)
    params = {"solver": "dual", "tol": 1e-9, "multi_class": multi_class}
    params["penalize_intercept"] = penalized
    warm = LogisticRegression(C=10.0, warm_start=True, **params).fit(X, y)
    for C, labels in [(30.0, y), (3.0, y), (30.0, np.roll(y, 7))]:  # up, down, other rows
        cold = LogisticRegression(C=C, **params).fit(X, labels)
        warm.set_params(C=C).fit(X, labels)
        assert warm.converged_
        assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-8)
        np.testing.assert_allclose(warm.coef_, cold.coef_, atol=2e-3)
    other = "ovr" if multi_class == "softmax" else "softmax"  # its dual variables are no start
    warm.set_params(multi_class=other).fit(X, y)
    cold.set_params(multi_class=other).fit(X, y)
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-8)


@given(st.floats(-30, 30), st.floats(0, 1), st.floats(-3, 5).map(lambda e: 10.0**e), st.booleans())
@example(-2.9, 5e-14, 299.0, True)  # Newton's method alone would go to and fro
def test_a_step_of_the_dual_solves_its_equation(m, before, q, own):
    W, A = np.array([[m if own else -m]]), np.array([[before]])
    rows = _core.LabeledRows(as_csr([[1.0]]), np.array([own], np.int32), np.array([q]), 2)
    dual = _core.LogisticDual(rows, A, W, np.zeros(1), bias=0.0, threads=1)
    dual.binary_pass(np.zeros(1, np.int32), np.zeros((2, 1)), 1)
    root = scipy.optimize.brentq(
        lambda u: m + q * (scipy.special.expit(u) - before) + u,
        -m - q * (1 - before) - 1,
        -m + q * before + 1,
        xtol=1e-13,
    )
    assert A[0, 0] == pytest.approx(scipy.special.expit(root), rel=1e-6, abs=1e-12)
    assert W[0, 0] == pytest.approx(
        (m if own else -m) + (1 if own else -1) * q * (A[0, 0] - before)
    )


def test_warm_dual_takes_fewer_passes_along_a_path():
    X, y = texts(2)
    warm = LogisticRegression(solver="dual", warm_start=True)
    passes = np.zeros(2, dtype=int)
    for C in [1.0, 3.0, 10.0, 30.0, 100.0]:
        cold = LogisticRegression(solver="dual", C=C).fit(X, y)
        warm.set_params(C=C).fit(X, y)
        passes += [warm.n_iter_, cold.n_iter_]
    assert passes[0] <= 72 and passes[0] < passes[1] / 1.25


def test_nothing_to_learn_is_no_failure():
    """With balanced classes and a strong l1 penalty the start is the optimum."""
    X, y = [[1, 0], [0, 1], [1, 0], [0, 1]], [0, 0, 1, 1]
    model = LogisticRegression(C=1e-3, penalty="l1").fit(X, y)
    assert model.converged_
    assert not model.coef_.any()
