"""Learners as JSON and back: the same parameters, and nothing but learners."""

import inspect
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane import (
    NBSVM,
    Bagging,
    Ensemble,
    KNeighbors,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    Perceptron,
    SelfTraining,
)
from wordplane.common.errors import InputError
from wordplane.learners.describing import describe, from_description
from wordplane.learners.registry import FURTHER_LEARNERS, LEARNERS, learner_class, learner_named
from wordplane.learners.support.base import LinearClassifier

OF_LEARNERS = {"learner", "learners"}
PLAIN = [
    name
    for name in (*LEARNERS, *FURTHER_LEARNERS)
    if OF_LEARNERS.isdisjoint(inspect.signature(learner_class(name)).parameters)
]
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**40), 2**40)
values = st.one_of(
    st.none(),
    st.booleans(),
    numbers,
    st.text(),
    st.lists(numbers),
    st.lists(numbers).map(tuple),
    st.lists(st.floats(0, 1), min_size=1).map(np.array),
    st.floats(0, 1).map(np.float32),
    st.integers(0, 9).map(np.int64),
    st.dictionaries(st.text(), numbers, max_size=3),
)


@st.composite
def plain_learners(draw):
    """Any registered learner that has no other inside, with any values of some parameters."""
    cls = learner_class(draw(st.sampled_from(PLAIN)))
    names = st.sampled_from([*inspect.signature(cls).parameters])
    return cls(**draw(st.dictionaries(names, values, max_size=4)))


def nested(inner):
    return st.one_of(
        st.builds(lambda learner, beta: NBSVM(learner=learner, beta=beta), inner, numbers),
        st.builds(SelfTraining, inner, threshold=numbers, n_jobs=st.integers(1, 3)),
        st.builds(Bagging, inner, max_samples=numbers),
        st.builds(Ensemble, st.lists(inner, max_size=3), weights=st.none() | st.lists(numbers)),
    )


learners = st.recursive(plain_learners(), nested, max_leaves=4)


def plain(value):
    """What a parameter is after a file: tuples and arrays are lists, learners their parameters."""
    if isinstance(value, LinearClassifier):
        held = {k: plain(v) for k, v in value.get_params(deep=False).items() if k != "n_jobs"}
        return {"": type(value), **held}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return list(map(plain, value)) if isinstance(value, (list, tuple)) else value


@given(learners)
def test_there_and_back(learner):
    described = describe(learner)
    assert set(described) == {"name", "params"}
    text = json.dumps(described, allow_nan=False)
    back = from_description(json.loads(text))
    assert plain(back) == plain(learner)
    assert "n_jobs" not in text
    assert back.n_jobs is None
    assert describe(back) == json.loads(text)


@pytest.mark.parametrize("name", LEARNERS)
def test_defaults_for_texts_are_told_and_those_of_the_class_are_not(name):
    learner = learner_named(name)
    assert describe(learner) == {"name": name, "params": dict(learner.text_defaults)}
    assert repr(from_description({"name": name, "params": {}})) == repr(type(learner)())


def test_worked_by_hand():
    svm = {"name": "svm", "params": {"C": 3.0}}
    assert describe(NBSVM(learner=LinearSVM(C=3.0, n_jobs=2), n_jobs=2)) == {
        "name": "nbsvm",
        "params": {"learner": svm},
    }
    assert describe(SelfTraining(NBSVM(beta=1, learner=LinearSVM(C=3.0)), threshold=0.5)) == {
        "name": "self_training",
        "params": {
            "learner": {"name": "nbsvm", "params": {"beta": 1, "learner": svm}},
            "threshold": 0.5,
        },
    }
    assert describe(MultinomialNB(alpha=0.5)) == {"name": "nb", "params": {"alpha": 0.5}}
    assert describe(Perceptron(class_weight={"name": 1.0, "params": 2.0})) == {
        "name": "perceptron",
        "params": {"class_weight": {"name": 1.0, "params": 2.0}},
    }


def test_the_same_model_is_learned():
    X, y = np.random.default_rng(0).poisson(1.0, (40, 6)), np.arange(40) % 3
    learner = NBSVM(beta=0.5, learner=LogisticRegression(C=3.0))
    back = from_description(describe(learner))
    assert np.array_equal(back.fit(X, y).coef_, learner.fit(X, y).coef_)


def a_function(X, Y):
    return X @ Y.T


class Unnamed(LinearClassifier):
    def __init__(self, *, size=1):
        self.size = size


class Heir(MultinomialNB):
    """Has the name of its parent, but is another class."""


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (
            Perceptron(class_weight={1: 2.0}),
            r"class_weight of Perceptron is \{1: 2.0\}, which cannot",
        ),
        (LinearSVM(C=np.inf), "C of LinearSVM is inf, which cannot be kept in a file"),
        (LinearSVM(cost=a_function), "cost of LinearSVM is <function a_function"),
        (LinearSVM(cost=[[0, a_function]]), "cost of LinearSVM is <function a_function"),
        (Perceptron(class_weight={"params": {}}), "class_weight of Perceptron is {'params'"),
        (SelfTraining(KNeighbors()), r"learner of SelfTraining is KNeighbors\(\)"),
        (NBSVM(learner=LinearSVM(C=np.inf)), "C of LinearSVM is inf"),
        (Unnamed(), r"Unnamed\(\) has no name"),
        (Heir(), r"Heir\(\) has no name"),
        (KNeighbors(), r"KNeighbors\(\) has no name"),
        (None, "None has no name"),
    ],
    ids=range(11),
)
def test_what_a_file_cannot_hold_is_refused(learner, message):
    with pytest.raises(InputError, match=message):
        describe(learner)


DEEP = {"name": "nb", "params": {}}
for _ in range(50):
    DEEP = {"name": "bagging", "params": {"learner": DEEP}}
LONG = []
for _ in range(200):
    LONG = [LONG]


@pytest.mark.parametrize(
    ("described", "message"),
    [
        (None, "a learner is expected"),
        ("nb", "a learner is expected"),
        ({"name": "nb"}, "a learner is expected"),
        ({"name": "nb", "params": []}, "a learner is expected"),
        ({"name": ["nb"], "params": {}}, "a learner is expected"),
        ({"name": "nb", "params": {}, "code": "1"}, "a learner is expected"),
        ({"name": "nb", "params": {1: 2}}, "a learner is expected"),
        ({"name": "", "params": {}}, "no learner called ''"),
        ({"name": "knn", "params": {}}, "no learner called 'knn'"),
        ({"name": "os.system", "params": {}}, "no learner called"),
        ({"name": "nb", "params": {"n_jobs": 2}}, "has no parameters n_jobs"),
        ({"name": "svm", "params": {"C": 1, "x": 1, "a": 2}}, "has no parameters a, x"),
        ({"name": "nbsvm", "params": {"learner__C": 1}}, "has no parameters learner__C"),
        ({"name": "self_training", "params": {}}, "cannot be made again: .*learner"),
        ({"name": "nbsvm", "params": {"learner": {"name": "x", "params": {}}}}, "called 'x'"),
        ({"name": "nbsvm", "params": {"learner": {"params": {}}}}, "a learner is expected"),
        ({"name": "nb", "params": {"alpha": float("nan")}}, "expected what JSON holds"),
        ({"name": "nb", "params": {"alpha": print}}, "expected what JSON holds"),
        ({"name": "nb", "params": {"alpha": {1: 2}}}, "expected what JSON holds"),
        (DEEP, "20 levels"),
        ({"name": "nb", "params": {"alphas": LONG}}, "20 levels"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_refusals(described, message):
    with pytest.raises(InputError, match=message):
        from_description(described)


keys = st.sampled_from(["name", "params", "learner", "learners", "alpha"])
names = st.sampled_from([*LEARNERS, *FURTHER_LEARNERS, "knn"])
anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3) | names,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(keys, inner, max_size=3)
        | st.fixed_dictionaries({"name": names, "params": st.dictionaries(keys, inner)})
    ),
    max_leaves=8,
)


@given(anything)
def test_whatever_is_in_a_file_gives_a_learner_or_an_input_error(described):
    try:
        learner = from_description(described)
    except InputError:
        return
    assert isinstance(learner, LinearClassifier)
    with pytest.raises(InputError):
        learner.fit([[1.0, 0.0], [0.0, 1.0]], [1.5, None])  # and it can be asked to learn
