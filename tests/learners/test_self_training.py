"""Tests of wordplane.learners.self_training."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from wordplane import (
    KNeighbors,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    SelfTraining,
)
from wordplane.common.errors import InputError


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_scikit_learn_s_checks():
    check_estimator(SelfTraining(LogisticRegression()), on_skip=None)


def test_self_training_worked_by_hand():
    # Add-one NB of the labeled rows gives row 0 of U 3/4: 3/5 against 1/5 once, 1/5 in both twice.
    X, y = np.array([[2.0, 0, 0], [0, 0, 2]]), ["a", "b"]
    U = np.array([[1.0, 2, 0], [0, 1, 0]])
    believing = SelfTraining(MultinomialNB(), threshold=0.74).fit(X, y, unlabeled=U)
    assert believing.n_added_[0] == 1
    by_hand = MultinomialNB().fit(np.vstack([X, U[:1]]), ["a", "b", "a"])
    p = by_hand.predict_proba(U[1:])[0, 0]
    assert np.isclose(p, (2 / 3) * (3 / 8) / ((2 / 3) * (3 / 8) + (1 / 3) * (1 / 5)))
    assert believing.n_added_ == [1, 1]  # of which the second is sure by the first alone
    doubting = SelfTraining(MultinomialNB(), threshold=0.76).fit(X, y, unlabeled=U)
    assert doubting.n_added_ == []
    assert np.allclose(doubting.coef_, MultinomialNB().fit(X, y).coef_)


def test_self_training_of_other_learners():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = rng.normal(size=(200, 3)) + 2 * y[:, None]
    for learner in (LogisticRegression(), KNeighbors(n_neighbors=3, metric="euclidean")):
        model = SelfTraining(learner, threshold=0.8).fit(X[:10], y[:10], unlabeled=X[10:])
        assert sum(model.n_added_) > 100 and model.score(X, y) > 0.9
        assert not hasattr(learner, "classes_")
    assert SelfTraining(KNeighbors()).kind == "neighbors"
    with pytest.raises(InputError, match="no probabilities"):
        SelfTraining(LinearSVM()).fit(X, y)
    with pytest.raises(InputError, match="threshold is 0"):
        SelfTraining(MultinomialNB(), threshold=0).fit(X, y)
