"""Compares learners by cross-validation on the same texts and folds.

Each row is predicted by models that have not seen it; probabilities, if the metric asks for them,
are calibrated on the other folds. Multi-label rows are decided by thresholds chosen among the rows
that the model of their fold was trained on (`selection.deciding`).

Whether two learners differ is decided by McNemar's test on the rows that exactly one of them gets
right, or by approximate randomization if the metric is not accuracy. The best learner is chosen
from the same data, so the p-values are corrected (Holm) for the comparisons of all pairs, not only
of those with the best.

Each learner is first timed on a small sample; the time is scaled up by the number of rows. The
fastest learners go first, and one whose estimate exceeds the remaining budget is skipped. A learner
that takes longer than the budget allows is stopped.
"""

import pickle
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import combinations
from time import perf_counter, thread_time
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import (
    LabelSets,
    as_labels_or_sets,
    classes_of,
    strata_of,
)
from wordplane.common.labels import class_array, encode
from wordplane.common.progress import OutOfTimeError, notify, overall, time_limit
from wordplane.common.types import IntArray, LabelArray, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.splits import holdout
from wordplane.diagnosis.learner_results import LearnerComparison, LearnerResult, Skipped
from wordplane.evaluation.cross_calibration import cross_calibrate
from wordplane.evaluation.label_scores import Scores, score
from wordplane.evaluation.measures import is_higher_better, score_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import holm, paired_p_value
from wordplane.evaluation.set_scores import SetScores, score_sets
from wordplane.features.fold_counts import FoldCounts
from wordplane.model.classifier import TextClassifier
from wordplane.model.plan import Plan
from wordplane.selection.cross_validation import OutOfFold, cross_validate_counted, make_folds
from wordplane.selection.fold_metric import FoldMetric
from wordplane.selection.grid import reading_of

MAX_SAMPLE, MIN_SAMPLE = 1000, 20  # rows for the estimate; a tenth of all if that is less
ESTIMATE_SHARE = 0.05  # of the budget, for each learner


class Pipeline(Protocol):
    """A classifier of another library that takes texts, such as a pipeline of scikit-learn."""

    def fit(self, X: list[str], y: LabelArray) -> object: ...

    def predict(self, X: list[str]) -> ArrayLike: ...


def compare_classifiers(
    texts: Corpus,
    labels: LabelsLike | LabelSets,
    classifiers: Mapping[str, TextClassifier | Pipeline],
    *,
    folds: int = 5,
    budget: float = 60.0,
    metric: str | None = None,
    random_state: int = 0,
) -> LearnerComparison:
    """Cross-validate classifiers on the same texts and folds, within `budget` seconds."""
    comparison = _Comparison(labels, texts.groups, folds, budget, metric, random_state)
    plans: dict[str, Plan] = {}
    for name, classifier in classifiers.items():
        if not isinstance(classifier, TextClassifier):
            comparison.measure_pipeline(name, classifier, texts.texts)
            continue
        try:
            plans[name] = classifier.make_plan(texts, labels, None)
        except InputError as error:
            comparison.skipped.append(Skipped(name, str(error)))
    estimates = {name: comparison.estimate(plan) for name, plan in plans.items()}
    for name in overall("learners", sorted(estimates, key=lambda name: estimates[name].seconds)):
        comparison.measure(name, plans[name], estimates[name])
    if not comparison.results:
        reasons = list(dict.fromkeys(s.reason for s in comparison.skipped))  # often one: bad data
        more = f"; and {len(reasons) - 2} more like that" if len(reasons) > 2 else ""
        raise InputError(f"no learner could be measured: {'; '.join(reasons[:2])}{more}")
    return comparison.result()


@dataclass(frozen=True)
class _Estimate:
    """The expected time; a lower bound (`at_least`) if the sample alone exceeded its limit."""

    seconds: float
    at_least: bool = False


class _Comparison:
    """The learners measured so far, and the time left."""

    def __init__(
        self,
        labels: LabelsLike | LabelSets,
        groups: IntArray | None,
        folds: int,
        budget: float,
        metric: str | None,
        random_state: int,
    ) -> None:
        self.started = perf_counter()
        self.budget = budget
        self.deadline = self.started + budget
        self.y = as_labels_or_sets(labels)
        strata = strata_of(self.y)
        self.metric = FoldMetric.of(metric, self.y)
        self.folds = folds
        self.groups = groups
        self.held = make_folds(strata, folds, random_state, groups)
        n_sampled = min(MAX_SAMPLE, len(self.y) // 10)
        self.sample: NDArray[np.int64] | None = None
        if n_sampled >= MIN_SAMPLE:
            self.sample = holdout(strata, n_sampled / len(self.y), random_state)[1]
        self.counted: dict[str, FoldCounts] = {}
        self.counted_sample: dict[str, FoldCounts] = {}
        self.reading_seconds: dict[str, float] = {}  # estimates, replaced by measured times
        self.results: dict[str, LearnerResult] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.skipped: list[Skipped] = []

    def estimate(self, plan: Plan) -> "_Estimate":
        """Seconds to cross-validate the learner, without reading texts; 0 if unknown."""
        if self.sample is None or len(self.sample) < MIN_SAMPLE:
            return _Estimate(0.0)
        scale = len(self.y) / len(self.sample)
        reading, y = reading_of(plan.analyzer), self.y[self.sample]
        in_time = True
        started = perf_counter()
        try:
            with time_limit(min(self.deadline, started + ESTIMATE_SHARE * self.budget)):
                if reading not in self.counted_sample:
                    self.counted_sample[reading] = FoldCounts.of(
                        plan.analyzer, plan.documents.take(self.sample), plan.threads, y
                    )
                    self.reading_seconds[reading] = scale * (perf_counter() - started)
                    started = perf_counter()
                cross_validate_counted(
                    self.counted_sample[reading],
                    plan.analyzer,
                    plan.learner,
                    y,
                    make_folds(strata_of(y), 2),
                    1,
                    decide=True,
                )
        except InputError:  # too few rows to learn from; all rows may be enough
            return _Estimate(0.0)
        except OutOfTimeError:
            in_time = False
        # Two folds train on n_sample rows in total, all folds on (folds - 1) n rows.
        seconds = scale * (self.folds - 1) * (perf_counter() - started)
        return _Estimate(seconds / min(plan.threads, self.folds), at_least=not in_time)

    def measure(self, name: str, plan: Plan, estimate: "_Estimate") -> None:
        """Cross-validate one learner, or skip it."""
        reading = reading_of(plan.analyzer)
        expected = estimate.seconds
        if reading not in self.counted:
            expected += self.reading_seconds.get(reading, 0.0)
        left = self.deadline - perf_counter()
        if expected > left:
            about = "at least" if estimate.at_least else "about"
            reason = (
                f"would take {about} {expected:.1f} s, but only {max(left, 0.0):.1f} s of "
                f"{self.budget:g} s are left"
            )
            self.skipped.append(Skipped(name, reason, expected))
            return
        try:
            with time_limit(self.deadline):
                if reading not in self.counted:
                    started = perf_counter()
                    self.counted[reading] = FoldCounts.of(
                        plan.analyzer, plan.documents, plan.threads, self.y
                    )
                    self.reading_seconds[reading] = perf_counter() - started
                counted = self.counted[reading]
                every = np.arange(len(self.y))
                n_features = counted.fit(plan.analyzer, every, plan.threads).n_features
                predictions = cross_validate_counted(
                    counted,
                    plan.analyzer,
                    plan.learner,
                    self.y,
                    self.held,
                    plan.threads,
                    decide=True,
                    groups=self.groups,
                )
        except OutOfTimeError:
            reason = (
                f"did not finish within {self.budget:g} s; about {expected:.1f} s were expected"
            )
            self.skipped.append(Skipped(name, reason, expected))
            return
        except InputError as error:
            self.skipped.append(Skipped(name, str(error)))
            return
        seconds = float(np.mean(predictions.fit_seconds)), sum(predictions.score_seconds)
        size = n_features, _model_bytes(counted, plan, n_features)
        self._add(name, repr(plan.learner), *self._measured(predictions), seconds, size)

    def measure_pipeline(self, name: str, pipeline: Pipeline, texts: _core.Texts) -> None:
        """Cross-validate a classifier of another library, which reads texts again for each fold,
        or skip it."""
        if isinstance(self.y, LabelSets):
            self.skipped.append(Skipped(name, "pipelines are compared on one label per text"))
            return
        if self.metric.metric.of_probabilities:
            reason = f"pipelines are compared by their labels, not by {self.metric.name}"
            self.skipped.append(Skipped(name, reason))
            return
        y, seconds, size = self.y, np.zeros((self.folds, 2)), (0, 0)
        predicted = np.empty(len(y), dtype=object)
        try:
            with time_limit(self.deadline):
                for number, held in enumerate(self.held):
                    rest = np.setdiff1d(np.arange(len(y)), held)
                    began, model = thread_time(), deepcopy(pipeline)
                    model.fit(list(texts.take(rest)), y[rest])
                    fitted = thread_time()
                    predicted[held] = np.asarray(model.predict(list(texts.take(held))))
                    seconds[number] = fitted - began, thread_time() - fitted
                    notify(f"cross-validating {name}", number + 1, self.folds)
                    size = _pipeline_size(model)
        except OutOfTimeError:
            reason = f"did not finish within {self.budget:g} s"
            self.skipped.append(Skipped(name, reason))
            return
        labels = class_array(predicted.tolist())
        outcome = Outcome.of_labels(y, labels)
        scores = score(y, labels, groups=self.groups)
        times = float(seconds[:, 0].mean()), float(seconds[:, 1].sum())
        self._add(name, " ".join(repr(pipeline).split()), outcome, scores, times, size)

    def _add(
        self,
        name: str,
        learner: str,
        outcome: Outcome,
        scores: Scores | SetScores,
        seconds: tuple[float, float],
        size: tuple[int, int],
    ) -> None:
        """Enter what was measured: seconds to train and predict, numbers of features and bytes."""
        self.outcomes[name] = outcome
        self.results[name] = LearnerResult(
            name=name,
            learner=learner,
            scores=scores,
            score=score_by(self.metric.name, outcome, groups=self.groups),
            train_seconds=seconds[0],
            predict_seconds=seconds[1],
            n_features=size[0],
            model_bytes=size[1],
        )

    def _measured(self, predictions: OutOfFold) -> tuple[Outcome, Scores | SetScores]:
        """The rows as the learner decides them, and how good that is."""
        if isinstance(self.y, LabelSets):
            assert predictions.member is not None
            decided = LabelSets.of_member(self.y.classes, predictions.member)
            outcome = Outcome.of_sets(self.y, decided, predictions.probabilities)
            return outcome, score_sets(self.y, decided, groups=self.groups)
        P = None
        if self.metric.metric.of_probabilities:
            _, codes = encode(self.y)
            P = cross_calibrate(predictions.scores, codes.astype(np.int64), self.held)
        classes = predictions.classes.tolist()
        outcome = Outcome.of_labels(self.y, predictions.predicted, P, classes)
        return outcome, score(self.y, predictions.predicted, groups=self.groups)

    def result(self) -> LearnerComparison:
        """All learners, compared with the best one; ties are in the order of the request."""
        metric = self.metric.name
        sign = 1 if is_higher_better(metric) else -1
        names = sorted(self.results, key=lambda name: -sign * self.results[name].score.value)
        pairs = list(combinations(names, 2))
        outcomes = self.outcomes
        p = holm(
            [
                paired_p_value(outcomes[a], outcomes[b], metric=metric, groups=self.groups)
                for a, b in pairs
            ]
        )
        p_of = dict(zip(pairs, p.tolist(), strict=True))
        best = self.results[names[0]]
        results = [best]
        for name in names[1:]:
            r = self.results[name]
            difference = r.score.value - best.score.value
            changed = {"difference": difference, "p": p_of[names[0], name]}
            results.append(LearnerResult(**{**vars(r), **changed}))
        return LearnerComparison(
            tuple(results),
            tuple(self.skipped),
            len(self.y),
            self.folds,
            perf_counter() - self.started,
            {name: self.reading_seconds[name] for name in self.counted},
            metric,
            by_groups=self.groups is not None,
        )


def _pipeline_size(model: Pipeline) -> tuple[int, int]:
    """The number of features of the last step of a pipeline, if it says so, and its size."""
    steps = getattr(model, "steps", [("", model)])
    return int(getattr(steps[-1][1], "n_features_in_", 0)), len(pickle.dumps(model))


def _model_bytes(counted: FoldCounts, plan: Plan, n_features: int) -> int:
    """Weights, idf, and the share of the vocabulary that is kept."""
    n_classes = len(classes_of(plan.labels))
    one_output = n_classes == 2 and not isinstance(plan.labels, LabelSets)
    per_feature = 4 * (1 if one_output else n_classes) + (8 if plan.analyzer.idf else 0)
    words = sum(a.nbytes for v in counted.vocabularies().values() for a in v.arrays())
    n_counted = max(counted.counts.shape[1], 1)
    return int(n_features * per_feature + words * min(1.0, n_features / n_counted))
