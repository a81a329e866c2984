"""Tests of wordplane.learners.support.online, by the learners that are built on it."""

import os
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from tests.learners.online_checks import EXPECTED, HEAVY
from tests.strategies_learners import problems
from wordplane import MIRA, OnlineSVM, Perceptron, _core
from wordplane.common import progress
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.matrix import as_csr

ONLINE = [Perceptron, MIRA, OnlineSVM]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", ONLINE)
def test_scikit_learn_s_checks(learner):
    expected = EXPECTED if learner is MIRA else EXPECTED | HEAVY
    check_estimator(learner(), expected_failed_checks=expected, on_skip=None)


def separable(n=60, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return np.eye(k)[y] * 3 + rng.random((n, k)), np.array(["a", "b", "c"])[:k][y]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("learner", ONLINE)
def test_learns_what_can_be_learned(learner, k):
    X, y = separable(k=k)
    assert learner(max_iter=50).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("learner", ONLINE)
def test_dense_sparse_single_and_double_are_the_same(learner):
    X, y = np.round(separable()[0] * 4) / 4, separable()[1]
    one = learner().fit(X, y)
    for same in (sp.csr_matrix(X), sp.csc_array(X), X.astype(np.float32)):
        assert np.array_equal(one.coef_, learner().fit(same, y).coef_)


@pytest.mark.parametrize("learner", ONLINE)
def test_rows_of_weight_0_are_not_there(learner):
    X, y = separable()
    weights = np.ones(len(y))
    weights[::4] = 0
    model = learner(shuffle=False).fit(X, y, weights)
    without = learner(shuffle=False).fit(X[weights > 0], y[weights > 0])
    assert np.array_equal(model.coef_, without.coef_)
    assert np.array_equal(model.predict(X), without.predict(X))


@pytest.mark.parametrize("learner", ONLINE)
def test_class_weights(learner):
    X, y = separable()
    given_weights = learner(class_weight={"a": 2.0}).fit(X, y)
    assert np.array_equal(
        given_weights.coef_, learner().fit(X, y, np.where(y == "a", 2.0, 1.0)).coef_
    )
    assert not np.array_equal(given_weights.coef_, learner().fit(X, y).coef_)
    rows = np.r_[0:30, 30:60:3]  # more of b and c than of a
    counts = {label: (y[rows] == label).sum() for label in "abc"}
    balanced = {label: len(rows) / (3 * n) for label, n in counts.items()}
    assert np.array_equal(
        learner(class_weight="balanced").fit(X[rows], y[rows]).coef_,
        learner(class_weight=balanced).fit(X[rows], y[rows]).coef_,
    )


@pytest.mark.parametrize("averaged", [True, False])
@pytest.mark.parametrize("learner", ONLINE)
def test_partial_fit_goes_on(learner, averaged):
    X, y = separable()
    whole = learner(averaged=averaged, shuffle=False, max_iter=1).fit(X, y)
    parts = learner(averaged=averaged)
    for rows in (slice(0, 7), slice(7, 40), slice(40, None)):
        parts.partial_fit(X[rows], y[rows], classes=["a", "b", "c"])
    assert parts.n_iter_ == 3
    # Settling the lazy decay between the parts rounds differently.
    assert np.allclose(whole.coef_, parts.coef_, rtol=1e-12, atol=1e-12)
    again = learner(averaged=averaged, shuffle=False, max_iter=2).fit(X, y)
    if whole.mistakes_[-1] and learner is not OnlineSVM:  # else fit may have stopped
        assert np.allclose(whole.partial_fit(X, y).coef_, again.coef_)
    with pytest.raises(InputError, match="classes must be passed"):
        learner().partial_fit(X, y)


@pytest.mark.parametrize("learner", ONLINE)
def test_the_path_ends_in_the_model(learner):
    X, y = separable()
    model = learner(keep_path=True, max_iter=4, fit_intercept=True).fit(X, y)
    assert len(model.path_) == model.n_iter_ == len(model.mistakes_)
    W, b = model.path_[-1]
    assert np.array_equal(W.T, model.coef_) and np.array_equal(b, model.intercept_)
    first = learner(max_iter=1).fit(X, y)
    assert np.array_equal(model.path_[0][0].T, first.coef_)


@pytest.mark.parametrize("learner", ONLINE)
def test_tolerance_without_averaging(learner):
    """The weights change in place: those before an epoch must not change along."""
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 4)), rng.integers(0, 2, 80)
    with pytest.warns(ConvergenceWarning, match="stopped after max_iter=3 epochs"):
        assert learner(averaged=False, tol=1e-9, max_iter=3).fit(X, y).n_iter_ == 3


@pytest.mark.parametrize("learner", ONLINE)
def test_tolerance(learner):
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 4)), rng.integers(0, 2, 80)
    with pytest.warns(ConvergenceWarning, match=r"stopped after max_iter=2 epochs.*tol=1e-09"):
        assert not learner(tol=1e-9, max_iter=2).fit(X, y).converged_
    model = learner(tol=0.2, max_iter=500, keep_path=True).fit(X, y)
    assert model.converged_ and model.n_iter_ < 500
    (W0, b0), (W1, b1) = model.path_[-2:]
    change = np.sqrt(((W1 - W0) ** 2).sum() + ((b1 - b0) ** 2).sum())
    assert change <= 0.2 * np.sqrt((W1**2).sum() + (b1**2).sum())


@pytest.mark.parametrize("learner", ONLINE)
def test_early_stopping(learner):
    rng = np.random.default_rng(0)
    X = rng.random((200, 5))
    y = (X[:, 0] + 0.3 * rng.standard_normal(200) > 0.5).astype(int)
    model = learner(
        early_stopping=True, validation_fraction=0.25, n_iter_no_change=3, max_iter=300,
        keep_path=True,
    ).fit(X, y)  # fmt: skip
    assert model.converged_ and 3 < model.n_iter_ < 300
    best = model.n_iter_ - 3  # the last time that accuracy rose
    W, b = model.path_[best - 1]
    assert np.array_equal(W.T, model.coef_) and np.array_equal(b, model.intercept_)
    with pytest.raises(InputError, match="holds out none"):
        learner(early_stopping=True).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("learner", ONLINE)
@pytest.mark.parametrize("averaged", [True, False])
def test_more_rows_after_early_stopping_start_from_the_best_epoch(learner, averaged):
    rng = np.random.default_rng(0)
    X = rng.random((200, 5))
    y = (X[:, 0] + 0.3 * rng.standard_normal(200) > 0.5).astype(int)
    options = {"averaged": averaged, "validation_fraction": 0.25, "n_iter_no_change": 3}
    model = learner(early_stopping=True, max_iter=300, **options).fit(X, y)
    best = learner(early_stopping=True, max_iter=model.n_iter_ - 3, **options).fit(X, y)
    assert np.array_equal(model.coef_, best.coef_)
    more = X[:1], y[:1]
    assert np.array_equal(model.partial_fit(*more).coef_, best.partial_fit(*more).coef_)


@pytest.mark.parametrize("learner", ONLINE)
def test_one_class_and_no_mistake_is_possible(learner):
    model = learner().fit([[1.0], [2.0]], ["only", "only"])
    assert model.predict([[5.0]]).tolist() == ["only"]


@pytest.mark.parametrize("learner", ONLINE)
def test_progress_copies_and_threads(learner):
    X, y = separable()
    steps = []
    with progress.listen(lambda *step: steps.append(step)):
        model = learner(max_iter=3).fit(X, y)
    assert steps == [("training", done + 1, 3) for done in range(model.n_iter_)]
    assert clone(model).get_params() == model.get_params()
    copied = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copied.partial_fit(X, y).coef_, model.partial_fit(X, y).coef_)
    one, two, three = (learner(n_jobs=n).fit(X, y).decision_function(X) for n in (1, 2, 3))
    assert np.array_equal(one, two) and np.array_equal(one, three)


def middles(X):
    """Where the second of two threads begins in every row."""
    n_rows = X.shape[0]
    rows = _core.LabeledRows(X, np.zeros(n_rows, np.int32), np.ones(n_rows), 2)
    return _core.OnlineRows(rows, bias=1.0).middle


def many_values(n_classes):
    """Rows with so many values that two threads share them, most of them easy."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((9000, 20))
    z = X @ rng.standard_normal((20, n_classes))
    sure = np.diff(np.sort(z))[:, -1] > 1  # so that mistakes become rare
    X, y = X[sure], z[sure].argmax(axis=1)
    assert X.size > 100_000
    return X, y


def same(one, other):
    assert one.mistakes_ == other.mistakes_
    assert np.array_equal(one.coef_, other.coef_)
    assert np.array_equal(one.intercept_, other.intercept_)


@pytest.mark.parametrize("n_classes", [2, 3, 12])
@pytest.mark.parametrize("learner", ONLINE)
def test_threads_that_share_every_step(learner, n_classes):
    X, y = many_values(n_classes)
    one, two, three = (learner(n_jobs=n).fit(X, y) for n in (1, 2, 3))
    if learner is Perceptron:
        assert one.mistakes_[0] > len(y) / 64 and any(0 < n < len(y) / 64 for n in one.mistakes_)
    same(one, two)
    same(one, three)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system cannot bind threads")
@pytest.mark.parametrize("learner", [Perceptron, MIRA])
def test_a_second_thread_that_gets_no_processor(learner):
    X, y = many_values(2)
    one = learner(n_jobs=1).fit(X, y)
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})  # of this thread and those that it starts
    try:
        two = learner(n_jobs=2).fit(X, y)
    finally:
        os.sched_setaffinity(0, allowed)
    same(one, two)


@pytest.mark.parametrize("learner", [Perceptron, MIRA])
def test_columns_that_do_not_ascend(learner):
    X, y = many_values(3)
    rows = sp.csr_matrix(X)
    n = X.shape[1]
    mixed = np.random.default_rng(0).permutation(n)
    indices = np.tile(mixed, len(X)).astype(np.int32)
    unsorted = _core.Csr(n, rows.indptr.astype(np.int64), indices, X[:, mixed].ravel())
    assert np.array_equal(middles(unsorted), rows.indptr[1:])
    models = [learner(n_jobs=n).fit(unsorted, y) for n in (1, 2)]
    same(*models)
    assert np.allclose(models[0].coef_, learner().fit(X, y).coef_)


@given(problems())
def test_middles_split_every_row_at_one_column(problem):
    rows = as_csr(problem[0])
    middle = middles(rows)
    indptr, indices, _ = rows.arrays()
    left = [indices[a:m] for a, m in zip(indptr[:-1], middle, strict=True)]
    right = [indices[m:b] for m, b in zip(middle, indptr[1:], strict=True)]
    left, right = np.concatenate(left), np.concatenate(right)
    assert len(left) + len(right) == len(indices)
    if len(left) and len(right):
        assert left.max() < right.min()


def test_middles_share_the_values_evenly():
    rng = np.random.default_rng(0)
    rows = as_csr(sp.random_array((500, 300), density=0.1, rng=rng))
    share = (middles(rows) - rows.arrays()[0][:-1]).sum() / rows.n_values
    assert 0.45 < share < 0.55


@pytest.mark.parametrize(
    "params",
    [
        {"max_iter": 0}, {"max_iter": 1.5}, {"tol": -1}, {"tol": "small"}, {"averaged": "yes"},
        {"shuffle": 1}, {"validation_fraction": 1}, {"n_iter_no_change": 0}, {"keep_path": None},
    ],
)  # fmt: skip
@pytest.mark.parametrize("learner", ONLINE)
def test_bad_parameters(learner, params):
    with pytest.raises(InputError, match=f"{next(iter(params))} is"):
        learner(**params).fit([[0], [1]], [0, 1])
