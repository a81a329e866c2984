"""Tests of wordplane.workflow.spec and wordplane.workflow.train_options."""

from dataclasses import FrozenInstanceError

import pytest

import wordplane
from wordplane.common.errors import InputError
from wordplane.learners.svm import LinearSVM
from wordplane.workflow.inputs import Reading, load_corpus
from wordplane.workflow.spec import SpecOptions, TrainingSpec
from wordplane.workflow.train_options import ResourceOptions, TrainOptions, select_options

TEXTS, LABELS = ["a fine film", "a dull film"] * 10, ["good", "bad"] * 10


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"tune": True, "unlabeled": True}, "`tune` does not go with `unlabeled`"),
        ({"chain": True, "tune": True}, "`chain` goes neither with `tune` nor"),
        ({"chain": ["a"], "resumable": True}, "`chain` goes neither with `tune` nor"),
        ({"budget": 1.0}, "`budget` is the time for `tune`"),
        ({"metric": "f1", "test": False}, "`metric` needs rows to decide on"),
        ({"require": "recall(a)>=0.9", "metric": "f1"}, "`require` goes neither with `metric`"),
        ({"require": "recall(a)>=0.9", "test": False}, "`require` goes neither with `metric`"),
        ({"learner": "pu", "tune": True}, "`tune` needs texts of several labels"),
        ({"calibration": "no"}, "calibration is 'no', expected holdout"),
        ({"calibrator": "no"}, "calibrator is 'no', expected one of"),
        ({"metric": "f1", "calibration": None}, "`metric` needs texts to decide on"),
    ],
)
def test_what_does_not_go_together_is_refused_at_once(options, why):
    with pytest.raises(InputError, match=why):
        TrainingSpec(**options)


def test_a_spec_is_frozen_and_makes_the_classifier():
    spec = TrainingSpec("svm", {"C": 2}, {"ngrams": (1, 1)}, require="recall(good)>=0.9")
    classifier = spec.classifier(load_corpus(TEXTS, LABELS), n_jobs=1)
    assert repr(classifier.learner) == repr(LinearSVM(C=2))
    assert classifier.analyzer.ngrams == (1, 1)
    assert classifier.metric == spec.rule.metric == "recall(good)>=0.9"
    assert (classifier.n_jobs, classifier.calibration) == (1, "holdout")
    assert TrainingSpec(test=False).rule.calibration is None
    with pytest.raises(FrozenInstanceError):
        spec.learner = "nb"


def test_every_option_is_of_one_kind():
    kinds = [set(kind.__annotations__) for kind in (SpecOptions, ResourceOptions, Reading)]
    assert sum(map(len, kinds)) == len(set.union(*kinds)) == len(TrainOptions.__annotations__)
    assert select_options({"memory": 1, "text": "body"}, ResourceOptions) == {"memory": 1}


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (wordplane.train, (TEXTS, LABELS)),
        (wordplane.tune, (TEXTS, LABELS)),
        (wordplane.update, ("m.wordplane", TEXTS, LABELS)),
        (wordplane.unlearn, ("m.wordplane", TEXTS, LABELS)),
    ],
)
def test_an_unknown_option_is_named_with_one_that_may_be_meant(function, given):
    with pytest.raises(TypeError, match=r"has no option 'metrik' \(did you mean 'metric'\?\)"):
        function(*given, metrik="f1")
