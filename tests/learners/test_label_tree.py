"""Tests of wordplane.learners.label_tree, wordplane.learners.support.tree_weights and
wordplane.learners.support.label_clusters."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from wordplane import LinearSVM
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr
from wordplane.common.partial_scores import LEAST_LOGIT, NOT_REACHED, candidates
from wordplane.learners.label_tree import LabelTree
from wordplane.learners.support.label_clusters import halve, label_centroids
from wordplane.learners.support.one_vs_rest import OneVsRest
from wordplane.learners.support.tree_weights import SLOPE, NodeWeights, TreeWeights

N_FEATURES = 6
OTHER_ORDER = "rows of weight 2 and rows that are there twice are met in another order"


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_checks():
    check_estimator(
        LabelTree(max_leaf=2, branching=2),
        expected_failed_checks={
            "check_sample_weight_equivalence_on_dense_data": OTHER_ORDER,
            "check_sample_weight_equivalence_on_sparse_data": OTHER_ORDER,
        },
        on_skip=None,
    )


def random_tree(seed, n_nodes, n_labels, beam=1000):
    """A tree with random weights, most of them 0: node t hangs at a node before it."""
    rng = np.random.default_rng(seed)
    targets = [[] for _ in range(n_nodes)]
    for t in range(1, n_nodes):
        targets[rng.integers(t)].append(-t)
    for k in rng.permutation(n_labels).tolist():
        targets[rng.integers(n_nodes)].append(k)
    nodes = []
    for own in targets:
        W = rng.normal(size=(N_FEATURES, len(own))) * (rng.random((N_FEATURES, len(own))) < 0.4)
        W = W.astype(np.float32).astype(np.float64)
        columns, places = np.nonzero(W)
        nodes.append(NodeWeights(columns, places, W[columns, places], rng.normal(size=len(own))))
    targets = [np.array(own, np.int64) for own in targets]
    return TreeWeights.of_nodes(n_labels, N_FEATURES, targets, nodes, beam), targets, nodes


def slow_search(x, targets, nodes, n_labels, beam):
    """The same with dense vectors, a level after another."""
    found = np.full(n_labels, NOT_REACHED)
    frontier = [(0.0, 0)]
    while frontier:
        following = []
        for log_p, t in frontier:
            W = np.zeros((N_FEATURES, len(targets[t])))
            W[nodes[t].features, nodes[t].places] = nodes[t].weights
            z = x @ W + nodes[t].bias
            for target, score in zip(targets[t].tolist(), z, strict=True):
                way = log_p - np.log1p(np.exp(-SLOPE * score))
                if target < 0:
                    following.append((way, -target))
                else:
                    found[target] = way
        frontier = sorted(following, key=lambda f: (-f[0], f[1]))[:beam]
    return found


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 9), st.integers(1, 4))
def test_search_is_the_slow_one(seed, n_nodes, n_labels, beam):
    tree, targets, nodes = random_tree(seed, n_nodes, n_labels, beam)
    X = np.random.default_rng(seed).normal(size=(5, N_FEATURES)).round(1)
    found = tree.log_probabilities(as_csr(X), threads=2)
    expected = [slow_search(x, targets, nodes, n_labels, beam) for x in X]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_way_to_a_label_by_hand():
    """The root leads to label 0 and to node 1, which leads to the labels 1 and 2."""
    root = NodeWeights(np.array([0, 1]), np.array([0, 1]), np.array([2.0, 3.0]), np.array([0.5, 0]))
    leaf = NodeWeights(
        np.array([1, 5]), np.array([1, 0]), np.array([4.0, 1.0]), np.array([0, -1.0])
    )
    targets = [np.array([0, -1]), np.array([1, 2])]
    tree = TreeWeights.of_nodes(3, N_FEATURES, targets, [root, leaf], 1)
    w, b = tree.way_to(2)
    assert (w.tolist(), b) == ([0, 7, 0, 0, 0, 0], -1.0)
    assert tree.way_to(0)[0].tolist() == [2, 0, 0, 0, 0, 0]
    assert tree.strongest().tolist() == [2, 4, 0, 0, 0, 1]
    assert tree.n_weights == 4


def bad(name, change):
    return pytest.param(name, change, id=f"{name}-{change.__name__}")


def first_to(value):
    def change(array):
        array[0] = value

    change.__name__ = str(value)
    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        bad("slots", first_to(1)),
        bad("slots", first_to(-1)),
        bad("targets", first_to(10**6)),
        bad("targets", first_to(-(2**31))),
        bad("bias", first_to(np.nan)),
        bad("rows", first_to(1)),
        bad("features", first_to(-1)),
        bad("features", first_to(N_FEATURES)),
        bad("starts", first_to(2)),
        bad("places", first_to(10**6)),
        bad("places", first_to(-1)),
        bad("weights", first_to(np.inf)),
    ],
)
def test_a_damaged_tree_is_refused(name, change):
    tree, _, _ = random_tree(1, 5, 8)
    arrays = {key: array.copy() for key, array in tree.arrays.items()}
    change(arrays[name])
    with pytest.raises(InputError, match="not a label tree"):
        TreeWeights(8, N_FEATURES, arrays, 10)


@pytest.mark.parametrize("name", ["slots", "targets", "bias", "rows", "features", "starts"])
def test_an_array_that_is_too_short_is_refused(name):
    tree, _, _ = random_tree(1, 5, 8)
    with pytest.raises(InputError, match="not a label tree"):
        TreeWeights(8, N_FEATURES, tree.arrays | {name: tree.arrays[name][:-1].copy()}, 10)


@pytest.mark.parametrize(
    "targets",
    [[[-1], [-1, 0]], [[-1], [-2], [-1]], [[0, 0]], [[0], [1]], [[-1, -1], [0]], [[-2], [0], [1]]],
)
def test_cycles_and_lost_nodes_are_refused(targets):
    none = np.zeros(0, np.int64)
    nodes = [NodeWeights(none, none, np.zeros(0), np.zeros(len(own))) for own in targets]
    with pytest.raises(InputError, match="not a label tree"):
        TreeWeights.of_nodes(2, 3, [np.array(own) for own in targets], nodes, 1)


def blocks(n_labels=40, n_rows=12, seed=0, noise=0.03):
    """Rows with a column of their label and one of its group, of four labels, and noise."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_labels), n_rows)
    X = (rng.random((len(y), n_labels + n_labels // 4 + 30)) < noise).astype(float)
    X[np.arange(len(y)), y] = 1
    X[np.arange(len(y)), n_labels + y // 4] = 1
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def test_centroids_are_means_of_normalized_rows():
    X, y = blocks()
    X = X * np.arange(1, len(X) + 1)[:, None]
    starts = np.concatenate([[0], np.cumsum(np.bincount(y))])
    C = label_centroids(as_csr(X), np.arange(len(y)), starts, 2)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    expected = np.array([unit[y == k].mean(axis=0) for k in range(40)])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    dense = np.zeros(C.shape)
    indptr, indices, values = C.arrays()
    dense[np.repeat(np.arange(40), np.diff(indptr)), indices] = values
    np.testing.assert_allclose(dense, expected, atol=1e-12)


def test_halves_are_equal_and_keep_like_labels_together():
    C = as_csr([[1, 0.1, 0], [0, 0.1, 1], [1, 0, 0.1], [0.1, 0, 1], [1, 0.1, 0.1]])
    first, second = halve(C, np.arange(5), np.random.default_rng(0), 1)
    assert sorted((len(first), len(second))) == [2, 3]
    assert {frozenset(first.tolist()), frozenset(second.tolist())} == {
        frozenset({0, 2, 4}),
        frozenset({1, 3}),
    }


@pytest.mark.parametrize("n_labels", [2, 3, 8])
def test_one_leaf_is_one_against_the_rest(n_labels):
    X, y = blocks(8)
    X, y = X[y < n_labels], y[y < n_labels]
    tree = LabelTree(cut=0, tol=1e-6).fit(X, y)
    svm = LinearSVM(tol=1e-6).fit(X, y)
    for k in range(n_labels):
        w, b = tree.tree_.way_to(k)
        sign = 2 * k - 1 if n_labels == 2 else 1
        own = 0 if n_labels == 2 else k
        np.testing.assert_allclose(w, sign * svm.coef_[own], atol=1e-6)
        assert b == pytest.approx(sign * svm.intercept_[own], abs=1e-9)
    assert (tree.predict(X) == svm.predict(X)).all()


def test_one_leaf_of_label_sets():
    X, y = blocks(8)
    sets = [[k, (k + 1) % 8] if i % 3 == 0 else [k] for i, k in enumerate(y.tolist())]
    tree = LabelTree(cut=0, tol=1e-6).fit(X, sets)
    machines = OneVsRest(LinearSVM(tol=1e-6)).fit(X, sets)
    np.testing.assert_allclose(
        [tree.tree_.way_to(k)[0] for k in range(8)], machines.coef_, atol=1e-6
    )
    z, s = tree.decision_function(X), machines.decision_function(X)
    np.testing.assert_allclose(z, np.maximum(SLOPE * s, LEAST_LOGIT), atol=1e-5)
    assert tree.predict(X)[0] == tuple(np.flatnonzero(s[0] > 0))


@pytest.mark.parametrize(
    "params", [{"branching": 2, "max_leaf": 2}, {"branching": 4, "max_leaf": 5}]
)
@pytest.mark.parametrize("several", [False, True])
def test_a_deep_tree_finds_the_labels(params, several):
    X, y = blocks(noise=0.01)
    held = np.arange(len(y)) % 4 == 0
    labels = [[k] if i % 2 else [k, k // 4 * 4] for i, k in enumerate(y.tolist())]
    known = [row for row, out in zip(labels, held, strict=True) if not out] if several else y[~held]
    tree = LabelTree(beam=4, **params).fit(X[~held], known)
    z = tree.decision_function(X[held])
    floor = LEAST_LOGIT if several else NOT_REACHED
    reached = (z > floor).sum(axis=1)
    assert reached.max() <= 4 * max(params.values()) * 4 and reached.max() < 40
    flat = OneVsRest(LinearSVM()) if several else LinearSVM()
    expected = flat.fit(X[~held], known).decision_function(X[held])

    def accuracy(z):
        best = z.argmax(axis=1)
        return np.mean((best == y[held]) | (several & (best == y[held] // 4 * 4)))

    assert accuracy(z) >= accuracy(expected) - 0.05  # a machine of two labels has 18 rows


def test_threads_and_copies_change_nothing():
    X, y = blocks()
    one, two = (LabelTree(max_leaf=5, n_jobs=n).fit(X, y) for n in (1, 2))
    for name, array in one.tree_.arrays.items():
        assert array.tobytes() == two.tree_.arrays[name].tobytes()
    again = pickle.loads(pickle.dumps(two))
    assert (again.decision_function(X) == one.decision_function(X)).all()


def test_rows_without_weight_are_not_there():
    X, y = blocks(8)
    weight = np.where(np.arange(len(y)) % 5 == 0, 0.0, 2.0)
    weighted = LabelTree(max_leaf=3).fit(X, y, weight)
    without = LabelTree(max_leaf=3).fit(X[weight > 0], y[weight > 0], weight[weight > 0])
    assert (weighted.decision_function(X) == without.decision_function(X)).all()


def test_the_cut_leaves_out_small_weights():
    X, y = blocks()
    every, few = (LabelTree(cut=cut, max_leaf=10).fit(X, y).tree_ for cut in (0.0, 0.1))
    assert np.abs(few.arrays["weights"]).min() >= 0.1
    assert few.n_weights == (np.abs(every.arrays["weights"]) >= 0.1).sum() < every.n_weights


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"beam": 0}, "beam is 0, expected 1 to 10,000"),
        ({"branching": 1}, "branching is 1, expected 2"),
        ({"max_leaf": 1.5}, "max_leaf is 1.5, expected 2"),
        ({"cut": -1}, "cut is -1, expected a finite number"),
        ({"C": 0}, "C is 0, expected a finite number above 0"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises(InputError, match=message):
        LabelTree(**params).fit(*blocks(8))


@given(st.integers(0, 10**6))
def test_candidates_hold_the_best_and_the_own(seed):
    rng = np.random.default_rng(seed)
    z = np.where(rng.random((6, 200)) < 0.5, rng.normal(size=(6, 200)), NOT_REACHED)
    codes = rng.integers(200, size=6)
    few, place = candidates(z, codes)
    for row, own, at, kept in zip(z, codes, place, few, strict=True):
        best = np.sort(row)[::-1][: few.shape[1]]
        assert kept.tolist() == best.tolist()
        assert kept[at] == row[own] or at == few.shape[1] - 1
