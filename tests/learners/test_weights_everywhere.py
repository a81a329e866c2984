"""Sample and class weights of the learners that combine others, and of those outside the usual
form."""

import numpy as np
import pytest

from tests.learners.joint_problems import blobs, margins, times_class
from wordplane import (
    MIRA,
    Bagging,
    BernoulliNB,
    EMNaiveBayes,
    Ensemble,
    KNeighbors,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    Perceptron,
    SelfTraining,
)
from wordplane.learners.joint import JointLinearClassifier

WEIGHTS = {0: 2, 1: 1, 2: 3}


def counts(n=60, seed=0, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    return rng.poisson(1.0, (n, 7)) + 2 * (np.arange(7) == y[:, None]), y


def made(kind):
    return {
        "ensemble": lambda **p: Ensemble([MultinomialNB(), LogisticRegression(tol=1e-10)], **p),
        "vote": lambda **p: Ensemble([MultinomialNB(), BernoulliNB()], combine="vote", **p),
        "self": lambda **p: SelfTraining(MultinomialNB(), **p),
        "em": lambda **p: EMNaiveBayes(**p),
        "em bernoulli": lambda **p: EMNaiveBayes(model="bernoulli", **p),
        "knn": lambda **p: KNeighbors(metric="euclidean", **p),
        "knn 1/d": lambda **p: KNeighbors(weights="distance", n_neighbors=7, **p),
    }[kind]  # fmt: skip


KINDS = ["ensemble", "vote", "self", "em", "em bernoulli", "knn", "knn 1/d"]


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_repeated_rows(kind):
    X, y = counts()
    Q, _ = counts(40, seed=1)
    times = np.random.default_rng(5).integers(0, 4, len(X))
    weighted = made(kind)().fit(X, y, sample_weight=times)
    repeated = made(kind)().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert proba(weighted, Q) == pytest.approx(proba(repeated, Q), abs=1e-6)
    by_class = made(kind)(class_weight=WEIGHTS).fit(X, y)
    times = np.array([WEIGHTS[k] for k in y.tolist()])
    repeated = made(kind)().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert proba(by_class, Q) == pytest.approx(proba(repeated, Q), abs=1e-6)


def proba(model, X):
    scores = model.decision_function if isinstance(model, Ensemble) else model.predict_proba
    return scores(X)


@pytest.mark.parametrize("kind", KINDS)
def test_balanced_is_n_by_classes_times_n_of_the_class(kind):
    X, y = counts()
    n = np.bincount(y)
    by_hand = {k: len(y) / (3 * n[k]) for k in range(3)}
    one, two = (made(kind)(class_weight=w).fit(X, y) for w in ("balanced", by_hand))
    assert proba(one, X) == pytest.approx(proba(two, X))


def test_a_heavy_neighbor_leaves_less_room_for_others():
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
    model = KNeighbors(n_neighbors=3, metric="euclidean").fit(X, y, sample_weight=[2.5, 1, 1])
    assert model.predict_proba([[0.0]]) == pytest.approx(np.array([[2.5 / 3, 0.5 / 3]]))
    light = KNeighbors(n_neighbors=3, metric="euclidean").fit(X, y, sample_weight=[0.5, 0.5, 0.5])
    assert light.predict_proba([[0.0]]) == pytest.approx(np.array([[1 / 3, 2 / 3]]))


def test_self_labeled_rows_get_the_weights_of_their_classes():
    X, y = counts(30, n_classes=2)
    U, _ = counts(50, seed=2, n_classes=2)
    weights = {0: 3.0, 1: 1.0}
    model = SelfTraining(MultinomialNB(), threshold=0.7, max_iter=1, class_weight=weights)
    model.fit(X, y, unlabeled=U)
    first = MultinomialNB(class_weight=weights).fit(X, y)
    p = first.predict_proba(U)
    sure = p.max(axis=1) >= 0.7
    both = np.vstack([X, U[sure]]), np.r_[y, p[sure].argmax(axis=1)]
    expected = MultinomialNB(class_weight=weights).fit(*both)
    assert model.predict_proba(U) == pytest.approx(expected.predict_proba(U))


def test_bagging_weights_the_rows_it_draws():
    X, y = counts()
    times = np.random.default_rng(5).integers(1, 4, len(X))
    model = Bagging(MultinomialNB(), n_learners=4, class_weight=WEIGHTS)
    model.fit(X, y, sample_weight=times)
    total = times * np.array([WEIGHTS[k] for k in y.tolist()])
    plain = Bagging(MultinomialNB(), n_learners=4).fit(X, y, sample_weight=total)
    assert model.coef_ == pytest.approx(plain.coef_)
    assert not np.allclose(model.coef_, Bagging(MultinomialNB(), n_learners=4).fit(X, y).coef_)


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["svm", "maxent"])
def test_joint_losses_are_weighted(learner):
    X, y = blobs(3)
    times = np.random.default_rng(1).integers(0, 3, len(X))
    params = {"learner": learner, "tol": 1e-8, "max_iter": 20_000}
    weighted = JointLinearClassifier(times_class, **params).fit(X, y, sample_weight=times)
    repeated = JointLinearClassifier(times_class, **params)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-6)
    z, other = weighted.decision_function(X), repeated.decision_function(X)
    assert margins(z) == pytest.approx(margins(other), abs=2e-3)
    by_class = JointLinearClassifier(times_class, **params, class_weight=WEIGHTS).fit(X, y)
    rows = np.array([WEIGHTS[k] for k in y.tolist()])
    same = JointLinearClassifier(times_class, **params).fit(X, y, sample_weight=rows)
    assert by_class.objective_ == pytest.approx(same.objective_)
    if learner == "svm":
        ordinary = LinearSVM(multi_class="crammer_singer", tol=1e-8, max_iter=20_000)
        ordinary.fit(X, y, sample_weight=times)
        assert weighted.objective_ == pytest.approx(ordinary.objective_, rel=1e-5)


@pytest.mark.parametrize(("learner", "ordinary"), [("perceptron", Perceptron), ("mira", MIRA)])
def test_joint_steps_are_weighted(learner, ordinary):
    X, y = blobs(3)
    rows = np.random.default_rng(1).random(len(X)) + 0.5
    joint = JointLinearClassifier(
        times_class, learner=learner, max_iter=3, class_weight="balanced"
    ).fit(X, y, sample_weight=rows)
    other = ordinary(max_iter=3, class_weight="balanced").fit(X, y, sample_weight=rows)
    z = joint.decision_function(X)
    assert margins(z) == pytest.approx(margins(other.decision_function(X)), abs=1e-9)
