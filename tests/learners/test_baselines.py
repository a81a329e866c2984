import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.utils.estimator_checks import check_estimator

from wordplane.common.errors import InputError
from wordplane.learners.baselines import MajorityBaseline, RandomBaseline


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [MajorityBaseline(), RandomBaseline()])
def test_scikit_learn_s_checks(learner):
    check_estimator(
        learner,
        expected_failed_checks={
            "check_class_weight_classifiers": "a guess that does not look at weights or rows"
        }
        if isinstance(learner, RandomBaseline)
        else {},
        on_skip=None,
    )


def test_majority():
    X, y = np.ones((5, 2)), ["c", "b", "b", "a", "a"]
    model = MajorityBaseline().fit(X, y)
    assert model.predict(X[:2]).tolist() == ["a", "a"]  # the first among equals
    assert np.allclose(model.predict_proba(X[:1]), [[0.4, 0.4, 0.2]])
    assert MajorityBaseline().fit(X, y, [5, 1, 1, 1, 1]).predict(X[:1]) == ["c"]
    his = DummyClassifier(strategy="prior").fit(X, y)
    assert np.allclose(model.predict_proba(X), his.predict_proba(X))
    parts = MajorityBaseline().partial_fit(X[:3], y[:3], classes=["a", "b", "c"])
    assert parts.predict(X[:1]) == ["b"]
    assert parts.partial_fit(X[3:], y[3:]).predict(X[:1]) == ["a"]
    assert MajorityBaseline(class_weight={"c": 9}).fit(X, y).predict(X[:1]) == ["c"]


def test_random():
    X, y = np.zeros((6000, 1)), np.array(["a", "a", "b"] * 2000)
    guesses = RandomBaseline().fit(X, y).predict(X)
    assert abs((guesses == "a").mean() - 0.5) < 0.03
    learned = RandomBaseline(shares="learned").fit(X, y)
    assert abs((learned.predict(X) == "a").mean() - 2 / 3) < 0.03
    assert np.array_equal(learned.predict(X), learned.predict(X))
    assert np.allclose(learned.class_prior_, [2 / 3, 1 / 3])
    other = RandomBaseline(random_state=1).fit(X, y).predict(X)
    assert abs((other == guesses).mean() - 0.5) < 0.03
    assert learned.kind == "random"
    with pytest.raises(InputError, match="shares is 'even'"):
        RandomBaseline(shares="even").fit(X, y)
