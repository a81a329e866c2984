"""Tests of wordplane.learners.registry, wordplane.learners.names,
wordplane.learners.support.base and wordplane.learners.support.protocols: what learners declare
about themselves, and that a new learner needs nothing but its own file."""

import inspect
from collections.abc import Mapping

import numpy as np
import pytest

import wordplane
from tests.corpora import clean_texts
from wordplane import (
    MIRA,
    NBSVM,
    Analyzer,
    Bagging,
    BernoulliNB,
    EMNaiveBayes,
    Ensemble,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    OnlineSVM,
    Perceptron,
    RidgeClassifier,
    SelfTraining,
    TextClassifier,
)
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_rows
from wordplane.learners.baselines import RandomBaseline
from wordplane.learners.describing import describe, from_description
from wordplane.learners.registry import (
    FURTHER_LEARNERS,
    LEARNERS,
    NO_TEXT_MODEL,
    learner_class,
    learner_named,
    why_no_text_model,
)
from wordplane.learners.support.base import row_weights
from wordplane.learners.support.incremental import IncrementalClassifier
from wordplane.learners.support.online import OnlineClassifier
from wordplane.model.recipe import Recipe
from wordplane.selection.cross_validation import out_of_fold
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents

NAMES = (*LEARNERS, *FURTHER_LEARNERS)
C = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
ALPHA = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


@pytest.mark.parametrize("name", NAMES)
def test_names_and_parameters_are_those_of_the_class(name):
    cls = learner_class(name)
    parameters = inspect.signature(cls).parameters
    assert cls.name == name
    assert set(cls.text_defaults) <= set(parameters)
    assert issubclass(cls, OnlineClassifier) == ("keep_path" in parameters)


@pytest.mark.parametrize(
    ("learner", "grid"),
    [
        (LinearSVM(), {"C": C}),
        (LogisticRegression(), {"C": C}),
        (MIRA(), {"C": C}),
        (MultinomialNB(), {"alpha": ALPHA}),
        (BernoulliNB(), {"alpha": ALPHA}),
        (RidgeClassifier(), {"alpha": ALPHA}),
        (EMNaiveBayes(), {"alpha": ALPHA}),
        (OnlineSVM(), {"alpha": ALPHA}),
        (Perceptron(), {}),
        (Recipe(short=True).learner(), {"learner__C": C[2:7], "beta": (0.25, 0.5, 1.0)}),
        (NBSVM(), {"alpha": ALPHA}),
        (SelfTraining(LogisticRegression()), {"learner__C": C}),
        (Bagging(MultinomialNB()), {"learner__alpha": ALPHA}),
        (Ensemble([MultinomialNB()]), {}),
    ],
    ids=repr,
)  # fmt: skip
def test_grids(learner, grid):
    assert learner.tuning_grid() == grid
    assert set(grid) <= set(learner.get_params())


def test_names_that_make_no_text_model():
    for name in NO_TEXT_MODEL:
        assert "decides by training texts" in why_no_text_model(name)
        with pytest.raises(InputError, match="decides by training texts"):
            learner_named(name)
    with pytest.raises(InputError, match="expected one of nb, bernoulli"):
        learner_named("bagging")
    with pytest.raises(InputError, match=r"RandomBaseline.* is not a linear model"):
        TextClassifier(learner=RandomBaseline()).fit(["a", "b"], [0, 1])
    with pytest.raises(InputError, match="KNeighbors decides by training texts"):
        TextClassifier(learner=SelfTraining(wordplane.KNeighbors())).fit(["a", "b"], [0, 1])


class NearestMean(IncrementalClassifier):
    """The class whose mean is nearest: z_k = m_k . x - |m_k|^2 / 2, means shrunk towards 0.

    A toy that has no line outside this class.
    """

    name = "toy"
    text_defaults: Mapping[str, object] = {"shrink": 0.25}
    state = ("n_", "sums_", "n_calls_")

    def __init__(self, *, shrink=0.0, per_group=None):
        self.shrink = shrink
        self.per_group = per_group

    def tuning_grid(self):
        return {"shrink": (0.0, 0.5)}

    def set_groups(self, starts, n_counted, n_features):
        self.per_group = [*starts, n_features]

    def prepare_for_one_label(self):
        self.shrink = 0.0

    def chosen_parameters(self):
        return {"calls": float(self.n_calls_)}

    def _start(self):
        self.n_, self.n_calls_ = np.zeros(len(self.classes_)), 0
        self.sums_ = np.zeros((len(self.classes_), self.n_features_in_))

    def _add(self, X, codes, sample_weight):
        weights = row_weights(X, codes, self.classes_, sample_weight, None)
        of_class = weights[:, None] * np.eye(len(self.classes_))[codes]
        self.n_ += of_class.sum(axis=0)
        self.sums_ += of_class.T @ as_rows(X).toarray()
        self.n_calls_ += 1
        means = (1 - self.shrink) * self.sums_ / np.maximum(self.n_, 1)[:, None]
        self._set_weights(means.T, -(means**2).sum(axis=1) / 2)
        return self


TEXTS, LABELS = clean_texts(60)
UNIGRAMS = Analyzer(ngrams=(1, 1))


def test_a_toy_learner_makes_a_text_model(tmp_path):
    model = TextClassifier(learner="toy").fit(TEXTS, LABELS)
    assert model.score(TEXTS, LABELS) > 0.9
    assert model.training_.chosen == {"calls": 1.0}
    assert repr(model.model_.learner).startswith("NearestMean(shrink=0.25, per_group=[0, ")
    model.save(tmp_path / "m")
    assert np.array_equal(wordplane.load(tmp_path / "m").predict(TEXTS), model.predict(TEXTS))
    sets = TextClassifier(UNIGRAMS, NearestMean(shrink=0.9)).fit(TEXTS, [[y] for y in LABELS])
    plain = TextClassifier(UNIGRAMS, NearestMean()).fit(TEXTS, [[y] for y in LABELS])
    assert np.array_equal(sets.model_.W, plain.model_.W)


def test_a_toy_learner_resumes_from_a_file(tmp_path):
    first = TextClassifier(UNIGRAMS, NearestMean(shrink=0.5), calibration=None)
    first.fit(TEXTS, LABELS).save(tmp_path / "m", resumable=True)
    resumed = wordplane.load(tmp_path / "m")
    resumed.calibration = None
    resumed.partial_fit(TEXTS[:20], LABELS[:20])
    both = TextClassifier(UNIGRAMS, NearestMean(shrink=0.5), calibration=None)
    both.fit(TEXTS + TEXTS[:20], LABELS + LABELS[:20])
    z = both.decision_function(TEXTS)  # columns stand in another order
    assert pytest.approx(z, abs=1e-6) == resumed.decision_function(TEXTS)
    learner = resumed.model_.learner
    assert (learner.n_calls_, type(learner.n_calls_)) == (2, int)
    assert from_description(describe(learner)).shrink == 0.5


def test_a_toy_learner_is_tuned_and_compared():
    tuned = wordplane.tune(TEXTS, LABELS, learner="toy", analyzer=UNIGRAMS, folds=3)
    assert [t.parameters for t in tuned.search.trials] == [
        {"learner__shrink": 0.0}, {"learner__shrink": 0.5},
    ]  # fmt: skip
    documents = as_documents(TEXTS, {})
    done = out_of_fold(UNIGRAMS, NearestMean(shrink=0.5), documents, LABELS, splitter=Splitter(3))
    right = done.predicted == np.array(LABELS)
    expected = [right[fold].mean() for fold in done.folds]
    assert tuned.search.trials[1].scores == pytest.approx(expected)
    compared = wordplane.compare(TEXTS, LABELS, ["nb", "toy"])
    assert {r.name for r in compared.results} == {"nb", "toy"}
    with pytest.raises(InputError, match="minimizes an objective"):
        NBSVM(learner=NearestMean()).fit(np.eye(2), [0, 1])


def test_a_state_of_another_shape_is_refused():
    learner = NearestMean().fit(np.eye(3), ["a", "b", "a"])
    state = learner.get_state()
    assert {name: array.shape for name, array in state.items()} == {
        "n_": (2,), "sums_": (2, 3), "n_calls_": (1,),
    }  # fmt: skip
    for wrong in (
        {},
        {**state, "coef_": np.zeros(1)},
        {**state, "n_": np.zeros(3)},
        {**state, "n_": np.array([1.0, np.inf])},
        {**state, "n_calls_": np.zeros(())},
        {"n_": state["n_"], "sums_": state["sums_"]},
    ):
        with pytest.raises(InputError, match="state of NearestMean"):
            NearestMean().set_state(wrong, learner.classes_, 3)
