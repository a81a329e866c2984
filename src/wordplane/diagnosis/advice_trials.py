"""Tries the advice of a verdict: what a change gives in cross-validation, on the same folds.

Each change is one that takes no thought: ten times as much regularization or as little, fewer
features, simpler or richer ones. Its labels of the held-out texts are compared with those of the
learner as it is, text by text, so that differences are paired.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.progress import notify
from wordplane.common.types import LabelArray
from wordplane.diagnosis.verdict import (
    FEWER_FEATURES,
    MORE_FEATURES,
    REGULARIZE,
    REGULARIZE_LESS,
    SIMPLER,
)
from wordplane.evaluation.intervals import Interval
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import compare_outcomes
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.protocols import copy_unfitted
from wordplane.selection.cross_validation import out_of_fold
from wordplane.selection.splitter import FIVE_FOLDS, Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

FACTOR = 10.0
FEWER_DF, MORE_CHARS = 3, (2, 5)
MAX_DOCS = 20_000  # with more, trials take minutes


class Change(NamedTuple):
    """What is tried: a piece of advice, the same in particular, and what it comes to."""

    advice: str
    what: str
    analyzer: Analyzer
    learner: LinearClassifier


@dataclass(frozen=True)
class AdviceTrial:
    """What a change gives.

    advice      that of the verdict
    what        the change in particular
    accuracy    with it, on texts held out in folds
    difference  from the accuracy without it, with its 95 % interval and p-value
    """

    advice: str
    what: str
    accuracy: float
    difference: float
    interval: Interval
    p: float

    @property
    def before(self) -> float:
        """The accuracy without it, on the same folds."""
        return self.accuracy - self.difference

    @property
    def effect(self) -> str:
        """Whether it helps."""
        low, high = self.interval
        if low > 0:
            return "helps"
        return "hurts" if high < 0 else "no measurable difference"

    def __str__(self) -> str:
        low, high = (100 * end for end in self.interval)
        return (
            f"{self.what}: {self.accuracy:.1%}, {100 * self.difference:+.1f} points "
            f"({low:+.1f} to {high:+.1f}): {self.effect}"
        )


def try_advice(
    to_try: tuple[str, ...],
    analyzer: Analyzer,
    learner: LinearClassifier,
    documents: Documents,
    labels: LabelArray,
    *,
    splitter: Splitter = FIVE_FOLDS,
    threads: int = 1,
) -> tuple[AdviceTrial, ...]:
    """Try those pieces of advice that can be, the best result first."""
    changes = [one for one in _changes(analyzer, learner) if one.advice in to_try]
    if not changes:
        return ()

    def outcome(analyzer: Analyzer, learner: LinearClassifier) -> Outcome:
        done = out_of_fold(analyzer, learner, documents, labels, splitter=splitter, threads=threads)
        return Outcome.of_labels(labels[done.rows], done.predicted[done.rows])

    before, trials = outcome(analyzer, learner), []
    for number, change in enumerate(changes):
        try:
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                after = outcome(change.analyzer, change.learner)
        except InputError:  # such as no feature being left
            continue
        compared = compare_outcomes(before, after, random_state=splitter.random_state)
        numbers = compared.difference, compared.interval, compared.p
        trials.append(AdviceTrial(change.advice, change.what, float(after.right.mean()), *numbers))
        notify("trying advice", number + 1, len(changes))
    return tuple(sorted(trials, key=lambda one: -one.difference))


def is_simple(analyzer: Analyzer) -> bool:
    """Whether there are no simpler features than single words."""
    spec = analyzer.resolve()
    return spec.tokens.ngrams in (None, (1, 1)) and spec.word_features.chars is None


def _changes(analyzer: Analyzer, learner: LinearClassifier) -> Iterator[Change]:
    spec = analyzer.resolve()
    for name, stronger in (("C", 1 / FACTOR), ("alpha", FACTOR)):
        value = learner.get_params(deep=False).get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        for advice, factor in ((REGULARIZE, stronger), (REGULARIZE_LESS, 1 / stronger)):
            new = copy_unfitted(learner, None).set_params(**{name: value * factor})
            what = f"{name} = {value * factor:g} instead of {value:g}"
            yield Change(advice, what, analyzer, new)
    min_df = max(FEWER_DF, 2 * spec.selection.min_df)
    if spec.selection.hash_bits is None:
        fewer = _with(analyzer, min_df=min_df)
        yield Change(FEWER_FEATURES, f"words in {min_df} texts or more", fewer, learner)
    ngrams, chars = spec.tokens.ngrams, spec.word_features.chars
    if ngrams is not None and not is_simple(analyzer):
        simple = _with(analyzer, ngrams=(1, 1), chars=None, weights=None)
        yield Change(SIMPLER, "single words only", simple, learner)
    if ngrams is not None and chars is None:
        rich = _with(analyzer, chars=MORE_CHARS)
        yield Change(MORE_FEATURES, "runs of 2 to 5 characters too", rich, learner)
    if ngrams is not None:
        rich = _with(analyzer, ngrams=(ngrams[0], ngrams[1] + 1))
        yield Change(MORE_FEATURES, f"n-grams of up to {ngrams[1] + 1} words", rich, learner)


def _with(analyzer: Analyzer, **parameters: object) -> Analyzer:
    return Analyzer(**{**analyzer.get_params(deep=False), **parameters})
