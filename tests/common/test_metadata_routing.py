"""Tests of wordplane.common.metadata_routing."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline

from wordplane import TextClassifier
from wordplane.common.errors import InputError
from wordplane.features.count_vectorizer import CountVectorizer
from wordplane.learners.svm import LinearSVM

TEXTS = ["a good film", "a bad film", "good fun", "bad bad plot"] * 8
LABELS = ["good", "bad", "good", "bad"] * 8


@pytest.fixture(autouse=True)
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_weights_reach_the_step_that_asked_for_them():
    weights = np.where(np.array(LABELS) == "good", 5.0, 1.0)
    asked = LinearSVM().set_fit_request(sample_weight=True)
    routed = make_pipeline(CountVectorizer(), asked).fit(TEXTS, LABELS, sample_weight=weights)
    X = CountVectorizer().fit_transform(TEXTS)
    expected = LinearSVM().fit(X, LABELS, sample_weight=weights)
    np.testing.assert_array_equal(routed[-1].coef_, expected.coef_)
    refused = LinearSVM().set_fit_request(sample_weight=False)
    plain = make_pipeline(CountVectorizer(), refused)
    with pytest.raises(TypeError, match="sample_weight"):
        plain.fit(TEXTS, LABELS, sample_weight=weights)


def test_groups_go_to_splits_and_to_the_classifier():
    groups = np.repeat(np.arange(8), 4)
    model = TextClassifier(learner="nb").set_fit_request(groups=True)
    found = cross_validate(model, TEXTS, LABELS, cv=GroupKFold(4), params={"groups": groups})
    assert (found["test_score"] == 1).all()


def test_what_nobody_decided_on_is_refused():
    model = make_pipeline(CountVectorizer(), LinearSVM())
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        model.fit(TEXTS, LABELS, sample_weight=np.ones(len(TEXTS)))


def test_a_request_is_copied_with_the_estimator_and_not_shared():
    first = TextClassifier().set_fit_request(sample_weight="importance")
    second = clone(first).set_fit_request(sample_weight=False)
    asked = [
        model.get_metadata_routing().fit.requests["sample_weight"] for model in (first, second)
    ]
    assert asked == ["importance", False]
    assert TextClassifier().get_metadata_routing().fit.requests["sample_weight"] is None


def test_unknown_metadata():
    with pytest.raises(InputError, match=r"LinearSVM.fit has no parameter 'size'"):
        LinearSVM().set_fit_request(size=True)
