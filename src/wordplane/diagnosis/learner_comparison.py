"""Compares learners by cross-validation on the same texts and folds.

Each row is predicted by models that have not seen it; probabilities, if the metric asks for them,
are calibrated on the other folds. Multi-label rows are decided by thresholds chosen among the rows
that the model of their fold was trained on (`selection.deciding`).

Whether two learners differ is decided by McNemar's test on the rows that exactly one of them gets
right, or by approximate randomization if the metric is not accuracy; intervals and tests allow for
what the models of folds add to the variance of the rows (`evaluation.fold_variance`). With several
repetitions, all predictions of a row are one observation. The best learner is chosen
from the same data, so the p-values are corrected (Holm) for the comparisons of all pairs, not only
of those with the best.

Each learner is first timed on a small sample; the time is scaled up by the number of rows. The
fastest learners go first, and one whose estimate exceeds the remaining budget is skipped. A learner
that takes longer than the budget allows is stopped.
"""

import pickle
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import combinations
from time import perf_counter, thread_time
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.groups import take_groups
from wordplane.common.label_sets import (
    LabelSets,
    as_labels_or_sets,
    classes_of,
    strata_of,
)
from wordplane.common.labels import class_array, encode
from wordplane.common.progress import OutOfTimeError, notify, overall, tell, time_limit
from wordplane.common.types import LabelArray, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.splits import holdout
from wordplane.diagnosis.learner_results import LearnerComparison, LearnerResult, Skipped
from wordplane.evaluation.cross_calibration import cross_calibrate
from wordplane.evaluation.fold_variance import DIFFERENCE_VARIANCE, widen_score, widen_scores
from wordplane.evaluation.label_scores import Scores, score
from wordplane.evaluation.measures import is_higher_better, score_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import holm, paired_p_value
from wordplane.evaluation.set_scores import SetScores, score_sets
from wordplane.features.fold_counts import FoldCounts
from wordplane.model.classifier import TextClassifier
from wordplane.model.plan import Plan
from wordplane.selection.cross_validation import OutOfFold, cross_validate_counted
from wordplane.selection.fold_metric import FoldMetric
from wordplane.selection.grid import reading_of
from wordplane.selection.splitter import FIVE_FOLDS, Splitter

Scalar = TypeVar("Scalar", bound=np.generic)
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
    splitter: Splitter = FIVE_FOLDS,
    budget: float = 60.0,
    metric: str | None = None,
) -> LearnerComparison:
    """Cross-validate classifiers on the same texts and folds, within `budget` seconds."""
    comparison = _Comparison(labels, splitter, budget, metric)
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
        splitter: Splitter,
        budget: float,
        metric: str | None,
    ) -> None:
        self.started = perf_counter()
        self.budget = budget
        self.deadline = self.started + budget
        self.y = as_labels_or_sets(labels)
        strata = strata_of(self.y)
        self.metric = FoldMetric.of(metric, self.y)
        self.splitter = splitter
        self.repetitions = splitter.repetitions(strata)
        # By time, the first fold has none before it to calibrate its probabilities on.
        calibrates = splitter.times is not None and self.metric.metric.of_probabilities
        measured = [held for _, held in self.repetitions[0][int(calibrates) :]]
        rows = np.sort(np.concatenate(measured))
        self.rows = np.tile(rows, splitter.repeats)
        self.together = take_groups(splitter.groups, self.rows)
        if splitter.groups is None and splitter.repeats > 1:
            self.together = self.rows
        n_sampled = min(MAX_SAMPLE, len(self.y) // 10)
        self.sample: NDArray[np.int64] | None = None
        if n_sampled >= MIN_SAMPLE:
            share = n_sampled / len(self.y)
            self.sample = holdout(strata, share, splitter.random_state)[1]
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
                    Splitter(2).split(strata_of(y)),
                    1,
                    decide=True,
                )
        except InputError:  # too few rows to learn from; all rows may be enough
            return _Estimate(0.0)
        except OutOfTimeError:
            in_time = False
        # Two folds train on n_sample rows in total.
        n_trained = sum(len(train) for splits in self.repetitions for train, _ in splits)
        seconds = n_trained / len(self.sample) * (perf_counter() - started)
        at_once = min(plan.threads, self.splitter.n_folds)
        return _Estimate(seconds / at_once, at_least=not in_time)

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
                predictions = [
                    cross_validate_counted(
                        counted,
                        plan.analyzer,
                        plan.learner,
                        self.y,
                        splits,
                        plan.threads,
                        decide=True,
                        groups=self.splitter.groups,
                    )
                    for splits in self.repetitions
                ]
        except OutOfTimeError:
            reason = (
                f"did not finish within {self.budget:g} s; about {expected:.1f} s were expected"
            )
            self.skipped.append(Skipped(name, reason, expected))
            return
        except InputError as error:
            self.skipped.append(Skipped(name, str(error)))
            return
        fit_seconds = [done.fit_seconds for done in predictions]
        score_seconds = [sum(done.score_seconds) for done in predictions]
        seconds = float(np.mean(fit_seconds)), float(np.mean(score_seconds))
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
        y, seconds, size = self.y, [], (0, 0)
        n_splits, predicted = self.splitter.n_splits, []
        try:
            with time_limit(self.deadline):
                for splits in self.repetitions:
                    labels = np.empty(len(y), dtype=object)
                    for train, held in splits:
                        began, model = thread_time(), deepcopy(pipeline)
                        model.fit(list(texts.take(train)), y[train])
                        fitted = thread_time()
                        labels[held] = np.asarray(model.predict(list(texts.take(held))))
                        seconds.append((fitted - began, thread_time() - fitted))
                        notify(f"cross-validating {name}", len(seconds), n_splits)
                        size = _pipeline_size(model)
                    predicted.append(labels)
        except OutOfTimeError:
            reason = f"did not finish within {self.budget:g} s"
            self.skipped.append(Skipped(name, reason))
            return
        truth, labels = y[self.rows], class_array(self._gather(predicted).tolist())
        outcome = Outcome.of_labels(truth, labels)
        scores = score(truth, labels, groups=self.together)
        to_fit, to_predict = np.array(seconds).T
        times = float(to_fit.mean()), float(to_predict.sum()) / self.splitter.repeats
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
        n, together = len(np.unique(self.rows)), self.together
        self.outcomes[name] = outcome
        self.results[name] = LearnerResult(
            name=name,
            learner=learner,
            scores=widen_scores(scores, n),
            score=widen_score(score_by(self.metric.name, outcome, groups=together), n),
            train_seconds=seconds[0],
            predict_seconds=seconds[1],
            n_features=size[0],
            model_bytes=size[1],
        )
        tell(f"{name}: {self.metric.name} {self.results[name].score}")

    def _measured(self, predictions: list[OutOfFold]) -> tuple[Outcome, Scores | SetScores]:
        """The rows as the learner decides them, and how good that is."""
        y, P = self.y, None
        if isinstance(y, LabelSets):
            truth = y[self.rows]
            member = self._gather([_given(done.member) for done in predictions])
            decided = LabelSets.of_member(y.classes, member)
            P = self._gather([_given(done.probabilities) for done in predictions])
            outcome = Outcome.of_sets(truth, decided, P)
            return outcome, score_sets(truth, decided, groups=self.together)
        if self.metric.metric.of_probabilities:
            codes, in_order = encode(y)[1].astype(np.int64), self.splitter.times is not None
            P = self._gather(
                [
                    cross_calibrate(done.scores, codes, done.folds, in_order=in_order)
                    for done in predictions
                ]
            )
        labels = self._gather([done.predicted for done in predictions])
        outcome = Outcome.of_labels(y[self.rows], labels, P, predictions[0].classes.tolist())
        return outcome, score(y[self.rows], labels, groups=self.together)

    def _gather(self, by_repetition: Sequence[NDArray[Scalar]]) -> NDArray[Scalar]:
        """What was found of all rows, of those that are measured."""
        rows = np.split(self.rows, self.splitter.repeats)
        return np.concatenate(
            [found[some] for found, some in zip(by_repetition, rows, strict=True)]
        )

    def result(self) -> LearnerComparison:
        """All learners, compared with the best one; ties are in the order of the request."""
        metric = self.metric.name
        sign = 1 if is_higher_better(metric) else -1
        names = sorted(self.results, key=lambda name: -sign * self.results[name].score.value)
        pairs = list(combinations(names, 2))
        outcomes = self.outcomes
        p = holm(
            [
                paired_p_value(
                    outcomes[a],
                    outcomes[b],
                    metric=metric,
                    groups=self.together,
                    variance=DIFFERENCE_VARIANCE,
                )
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
            self.splitter.n_folds,
            perf_counter() - self.started,
            {name: self.reading_seconds[name] for name in self.counted},
            metric,
            by_groups=self.splitter.groups is not None,
            by_time=self.splitter.times is not None,
            repeats=self.splitter.repeats,
        )


def _given(found: NDArray[Scalar] | None) -> NDArray[Scalar]:
    assert found is not None, "sets of labels were decided"
    return found


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
