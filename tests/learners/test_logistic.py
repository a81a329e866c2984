"""Tests of wordplane.learners.logistic; its solvers have files of their own in support/."""

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
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.estimator_checks import check_estimator

from tests import reference_logistic as reference
from tests.learners.logistic_problems import (
    EXACT,
    his_as_ours,
    objective,
    problem,
    texts,
)
from wordplane import LogisticRegression
from wordplane.common.errors import InputError


@pytest.mark.slow
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
    # The bias alone, not penalized: the log-odds of the classes.
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


def test_ovr_equals_scikit_learn():
    X, y = problem(4)
    ours = LogisticRegression(multi_class="ovr", tol=1e-8).fit(X, y)
    his = OneVsRestClassifier(theirs.LogisticRegression(tol=1e-10, max_iter=10**4)).fit(X, y)
    assert np.allclose(ours.coef_, np.vstack([e.coef_ for e in his.estimators_]), atol=1e-4)
    assert np.allclose(ours.predict_proba(X), his.predict_proba(X), atol=1e-4)
    assert np.allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X))


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


@pytest.mark.slow
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
