"""Which learner suits some labelled texts: all of them, cross-validated on the same folds.

Every row is predicted by models that never saw it. Two learners differ for real if McNemar's test
on the rows that exactly one of them gets right says so; since the best is chosen by looking, the
p-values are corrected (Holm) for the comparisons of all pairs, not only of those with the best.

Time is shared out by estimates: each learner is first timed on a small sample, which is scaled up
by the number of rows. The quickest go first, and one that does not fit into what is left of the
budget is skipped. One that takes longer than it promised is stopped.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.label_sets import classes_of
from wordplane.common.labels import as_labels
from wordplane.common.progress import OutOfTimeError, time_limit
from wordplane.common.types import LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.splits import holdout
from wordplane.diagnosis.learner_results import LearnerComparison, LearnerResult, Skipped
from wordplane.evaluation.metrics import score
from wordplane.evaluation.paired_tests import holm, mcnemar
from wordplane.features.counted_texts import CountedTexts
from wordplane.model.classifier import TextClassifier
from wordplane.model.plan import Plan, check_memory
from wordplane.selection.cross_validation import OutOfFold, cross_validate_counted, make_folds
from wordplane.selection.grid import reading_of

MOST_SAMPLED, FEWEST_SAMPLED = 1000, 20  # rows for the estimate, a tenth of all if they are fewer
FOR_ESTIMATE = 0.05  # of the budget, for each learner


def compare_classifiers(
    texts: Corpus,
    labels: LabelsLike,
    classifiers: Mapping[str, TextClassifier],
    *,
    folds: int = 5,
    budget: float = 60.0,
    random_state: int = 0,
) -> LearnerComparison:
    """Cross-validate classifiers on the same texts and folds, within `budget` seconds."""
    work = _Work(labels, folds, budget, random_state)
    plans: dict[str, Plan] = {}
    for name, classifier in classifiers.items():
        try:
            plans[name] = classifier.plan(texts, labels, None)
        except InputError as error:
            work.skipped.append(Skipped(name, str(error)))
    estimates = {name: work.estimate(plan) for name, plan in plans.items()}
    for name in sorted(estimates, key=lambda name: estimates[name].seconds):
        work.measure(name, plans[name], estimates[name])
    if not work.done:
        reasons = dict.fromkeys(s.reason for s in work.skipped)  # mostly one: wrong data
        raise InputError(f"no learner could be measured: {'; '.join(reasons)}")
    return work.comparison()


@dataclass(frozen=True)
class _Estimate:
    """How long a learner takes; `at_least` if the sample alone took longer than was allowed."""

    seconds: float
    at_least: bool = False


class _Work:
    """What is known so far."""

    def __init__(self, labels: LabelsLike, folds: int, budget: float, random_state: int) -> None:
        self.began = perf_counter()
        self.budget = budget
        self.deadline = self.began + budget
        self.y = as_labels(labels)
        self.folds = folds
        self.held = make_folds(self.y.tolist(), folds, random_state)
        n_sampled = min(MOST_SAMPLED, len(self.y) // 10)
        self.sample: NDArray[np.int64] | None = None
        if n_sampled >= FEWEST_SAMPLED:
            self.sample = holdout(self.y, n_sampled / len(self.y), random_state)[1]
        self.counted: dict[str, CountedTexts] = {}
        self.counted_sample: dict[str, CountedTexts] = {}
        self.reading_seconds: dict[str, float] = {}  # estimated, until they are known
        self.done: dict[str, LearnerResult] = {}
        self.right: dict[str, NDArray[np.bool_]] = {}
        self.skipped: list[Skipped] = []

    def estimate(self, plan: Plan) -> "_Estimate":
        """Seconds to cross-validate the learner on texts that are read; 0 if nobody knows."""
        if self.sample is None or len(self.sample) < FEWEST_SAMPLED:
            return _Estimate(0.0)
        scale = len(self.y) / len(self.sample)
        reading, y = reading_of(plan.analyzer), self.y[self.sample]
        enough = True
        began = perf_counter()
        try:
            with time_limit(min(self.deadline, began + FOR_ESTIMATE * self.budget)):
                if reading not in self.counted_sample:
                    self.counted_sample[reading] = CountedTexts.of(
                        plan.analyzer, plan.documents.take(self.sample), plan.threads, y
                    )
                    self.reading_seconds[reading] = scale * (perf_counter() - began)
                    began = perf_counter()
                cross_validate_counted(
                    self.counted_sample[reading],
                    plan.analyzer,
                    plan.learner,
                    y,
                    make_folds(y.tolist(), 2),
                    1,
                )
        except InputError:  # of so few rows nothing can be learned; of all perhaps
            return _Estimate(0.0)
        except OutOfTimeError:
            enough = False
        # Two folds train on as many rows as the sample has, all folds on (folds - 1) n.
        seconds = scale * (self.folds - 1) * (perf_counter() - began)
        return _Estimate(seconds / min(plan.threads, self.folds), at_least=not enough)

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
                f"would take {about} {expected:.1f} s, and of {self.budget:g} s there are "
                f"{max(left, 0.0):.1f} s left"
            )
            self.skipped.append(Skipped(name, reason, expected))
            return
        try:
            with time_limit(self.deadline):
                if reading not in self.counted:
                    began = perf_counter()
                    self.counted[reading] = CountedTexts.of(
                        plan.analyzer, plan.documents, plan.threads, self.y
                    )
                    self.reading_seconds[reading] = perf_counter() - began
                counted = self.counted[reading]
                every = np.arange(len(self.y))
                n_features = counted.fit(plan.analyzer, every, plan.threads).n_features
                check_memory(n_features, len(np.unique(self.y)) * min(plan.threads, self.folds))
                done = cross_validate_counted(
                    counted, plan.analyzer, plan.learner, self.y, self.held, plan.threads
                )
        except OutOfTimeError:
            reason = (
                f"about {expected:.1f} s were expected, but the {self.budget:g} s were over before"
            )
            self.skipped.append(Skipped(name, reason, expected))
            return
        except InputError as error:
            self.skipped.append(Skipped(name, str(error)))
            return
        self._add(name, plan, done, n_features, _model_bytes(counted, plan, n_features))

    def _add(
        self, name: str, plan: Plan, done: OutOfFold, n_features: int, model_bytes: int
    ) -> None:
        self.right[name] = done.predicted == self.y
        self.done[name] = LearnerResult(
            name=name,
            learner=repr(plan.learner),
            scores=score(self.y, done.predicted),
            train_seconds=float(np.mean(done.fit_seconds)),
            predict_seconds=sum(done.score_seconds),
            n_features=n_features,
            model_bytes=model_bytes,
        )

    def comparison(self) -> LearnerComparison:
        """All learners beside the best, the first of equals in the order they were asked for."""
        names = sorted(self.done, key=lambda name: -self.done[name].scores.accuracy)
        pairs = list(combinations(names, 2))
        p = holm([_mcnemar(self.right[a], self.right[b]) for a, b in pairs])
        p_of = dict(zip(pairs, p.tolist(), strict=True))
        best = self.done[names[0]]
        results = [best]
        for name in names[1:]:
            r = self.done[name]
            difference = r.scores.accuracy - best.scores.accuracy
            changed = {"difference": difference, "p": p_of[names[0], name]}
            results.append(LearnerResult(**{**vars(r), **changed}))
        return LearnerComparison(
            tuple(results),
            tuple(self.skipped),
            len(self.y),
            self.folds,
            perf_counter() - self.began,
            {name: self.reading_seconds[name] for name in self.counted},
        )


def _mcnemar(right_a: NDArray[np.bool_], right_b: NDArray[np.bool_]) -> float:
    return mcnemar(int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())).p_mid


def _model_bytes(counted: CountedTexts, plan: Plan, n_features: int) -> int:
    """Weights, idf, and of the words of all features the share that is kept."""
    n_classes = len(classes_of(plan.labels))
    per_feature = 4 * (n_classes if n_classes > 2 else 1) + (8 if plan.analyzer.idf else 0)
    words = sum(a.nbytes for v in counted.vocabularies().values() for a in v.arrays())
    n_counted = max(counted.counts.shape[1], 1)
    return int(n_features * per_feature + words * min(1.0, n_features / n_counted))
