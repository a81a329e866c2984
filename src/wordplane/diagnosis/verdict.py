"""The verdict on a learning curve, in words, and what to try next.

    target    the desired accuracy; 100 % if none is given
    lacking   target - dev accuracy, at the largest size
    gap       train accuracy - dev accuracy
    doubling  the gain in dev accuracy from twice as many training texts: the slope over log2 of the
              size of a line fitted to the sizes from a quarter of the largest on

    reached     dev accuracy >= the given target
    little left no target is given, the gap is below 3 points and a tenth of the lead over the
                baseline: closing it, which is all that less overfitting can do, would gain little
    large gap   otherwise, gap > lacking / 2: the model gets most of the missing accuracy on
                training texts
        not above the baseline   the interval of dev accuracy reaches down to the share of the most
                                 frequent label: what was learned holds for the training texts alone
        high variance            otherwise: overfitting, by a model too rich for these texts
    small gap   neither training nor dev accuracy reaches the target
        still rising             the same as high bias, but the curve rises: the interval of
                                 doubling is above 0
        high bias                a target is given, or the model is not above the baseline:
                                 underfitting, flat and with a high error
        well fitted              otherwise, as far as one can tell without a target

Where the gap is neither, more texts are not called useless either, if the curve is steep: it rises
by two points or more with each doubling, or its interval is above 0.

High variance closes if the interval of doubling is above 0, and doubling at least a tenth of the
gap and of the lead over the baseline: more texts help. Only then are they advised. They can at
most close the gap: models know their training texts, and what they get wrong there they would
hardly get right elsewhere.
"""

from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.diagnosis.fit_measures import FitMeasures
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.evaluation.intervals import Interval, fold_interval

MORE_TEXTS = "more labeled texts"
REGULARIZE = "stronger regularization (a smaller C, a larger alpha)"
REGULARIZE_LESS = "weaker regularization (a larger C, a smaller alpha)"
MORE_FEATURES = "more or better features (longer `ngrams`, `chars`, `shapes`, `lexica`)"
FEWER_FEATURES = "fewer and better features (`min_df`, `select`)"
SIMPLER = "a simpler model (shorter `ngrams`, no `chars`)"
RICHER = ("more features", "richer models")
TEXTS_ALONE = "more labeled texts alone"
LITTLE_GAP, LITTLE_SHARE = 0.03, 0.1  # of accuracy, and of the lead over the baseline
STEEP = 0.02  # of accuracy, with each doubling
Advice = tuple[tuple[str, ...], tuple[str, ...]]  # what to try, and what will not help
IF_CLOSING: Advice = (MORE_TEXTS, FEWER_FEATURES, REGULARIZE, SIMPLER), RICHER
IF_NOT_CLOSING: Advice = (REGULARIZE, FEWER_FEATURES, SIMPLER), (*RICHER, TEXTS_ALONE)
ADVICE: dict[str, Advice] = {
    "not above the baseline": (
        (
            "look at the labels: do they follow from the texts? (wordplane audit)",
            "other features (`chars`, `suffixes`, `lexica`, columns next to the text)",
            REGULARIZE,
        ),
        ("richer models", TEXTS_ALONE),
    ),
    "still rising": ((MORE_TEXTS, MORE_FEATURES), ("fewer features", REGULARIZE)),
    "high bias": (
        (
            MORE_FEATURES,
            "conjunctions of features (`conjoin`)",
            REGULARIZE_LESS,
            "a richer model, or an ensemble",
        ),
        (TEXTS_ALONE, "fewer features"),
    ),
    "well fitted": ((), ()),
}


@dataclass(frozen=True)
class Verdict:
    """The kind, a sentence with the numbers behind it, what to try, and what will not help.

    closes  whether more texts will visibly close the gap
    """

    kind: str
    closes: bool
    sentence: str
    to_try: tuple[str, ...]
    not_worth_it: tuple[str, ...]
    train_accuracy: float
    dev_accuracy: float
    dev_interval: Interval
    gap: float
    gap_interval: Interval
    doubling: float | None
    doubling_interval: Interval | None
    target: float | None

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.sentence}"]
        if self.to_try:
            lines.append(f"try: {'; '.join(self.to_try)}")
            lines.append(f"will not help: {'; '.join(self.not_worth_it)}")
        return "\n".join(lines)


class _Numbers(TypedDict):
    train_accuracy: float
    dev_accuracy: float
    dev_interval: Interval
    gap: float
    gap_interval: Interval
    doubling: float | None
    doubling_interval: Interval | None
    target: float | None


def verdict(curve: LearningCurve, target: float | None = None) -> Verdict:
    """Judge a learning curve; `target` is the desired accuracy."""
    if target is not None and not 0 < target <= 1:
        raise InputError(f"target is {target!r}, expected an accuracy above 0 and at most 1")
    last = curve.points[-1]
    train, dev = last.mean("train_accuracy"), last.mean("dev_accuracy")
    gaps = np.subtract(last.train_accuracy, last.dev_accuracy)
    gap, gap_interval = float(gaps.mean()), fold_interval(gaps, last.held_to_train)
    gains = _gains_per_doubling(curve.points)
    doubling = None if gains is None else float(gains.mean())
    doubling_interval = None if gains is None else fold_interval(gains, last.held_to_train)
    lacking = (1.0 if target is None else target) - dev
    above_baseline = last.interval("dev_accuracy")[0] > curve.majority
    little_left = gap <= min(LITTLE_GAP, LITTLE_SHARE * (dev - curve.majority))
    if lacking <= 0 or (target is None and above_baseline and little_left):
        kind = "well fitted"
    elif gap > lacking / 2:
        kind = "high variance" if above_baseline else "not above the baseline"
    elif target is not None or not above_baseline:
        rises = doubling_interval is not None and doubling_interval[0] > 0
        kind = "still rising" if rises else "high bias"
    else:
        kind = "well fitted"
    closes = (
        kind == "high variance"
        and gains is not None
        and doubling_interval is not None
        and doubling_interval[0] > 0
        and float(gains.mean()) >= min(gap, dev - curve.majority) / 10
    )
    numbers: _Numbers = {
        "train_accuracy": train,
        "dev_accuracy": dev,
        "dev_interval": last.interval("dev_accuracy"),
        "gap": gap,
        "gap_interval": gap_interval,
        "doubling": doubling,
        "doubling_interval": doubling_interval,
        "target": target,
    }
    to_try, not_worth_it = ADVICE.get(kind, IF_CLOSING if closes else IF_NOT_CLOSING)
    if _may_help(kind, numbers):
        not_worth_it = tuple(one for one in not_worth_it if one != TEXTS_ALONE)
    sentence = _sentence(kind, closes, numbers, curve.majority)
    return Verdict(kind, closes, sentence, to_try, not_worth_it, **numbers)


def _may_help(kind: str, n: _Numbers) -> bool:
    """Whether more texts cannot be ruled out to help: the curve rises, or is steep and noisy."""
    if n["doubling"] is None or n["doubling_interval"] is None:
        return True
    rises = n["doubling_interval"][0] > 0
    return rises or (kind != "high bias" and n["doubling"] >= STEEP)


def _gains_per_doubling(points: tuple[FitMeasures, ...]) -> FloatArray | None:
    """The gain of each fold from twice as many texts; None if no size is twice the smallest."""
    sizes = np.log2([point.at for point in points])
    if sizes[-1] - sizes[0] < 1 - 1e-9:
        return None
    last = sizes >= sizes[-1] - 2.1
    by_size = np.array([point.dev_accuracy for point in points])[last]
    x = sizes[last] - sizes[last].mean()
    return np.asarray(x @ by_size / (x @ x))


def _sentence(kind: str, closes: bool, n: _Numbers, majority: float) -> str:
    low, high = n["dev_interval"]
    guessing = "is worse than guessing" if high < majority else "may be no better than chance"
    accuracies = (
        f"accuracy is {n['train_accuracy']:.1%} on training texts and {n['dev_accuracy']:.1%} ± "
        f"{(high - low) / 2:.1%} on others, a gap of {100 * n['gap']:.1f} points"
    )
    if n["doubling"] is None or n["doubling_interval"] is None:
        gain = "there are too few texts to tell whether the curve rises"
    else:
        low, high = n["doubling_interval"]
        size = f"{100 * abs(n['doubling']):.1f} ± {50 * (high - low):.1f} points"
        gain = f"doubling the texts adds {size}" + (", which may be chance" if low <= 0 else "")
        if n["doubling"] < 0:
            chance = "which may be chance" if high >= 0 else "so they may differ: audit the data"
            gain = f"doubling the texts costs {size}, {chance}"
    target = n["target"]
    wanted = "" if target is None else f"; the target is {target:.1%}"
    baseline = f"always predicting the most frequent label would be {majority:.1%} right"
    helps = "more texts do not visibly help"
    if closes:
        helps = "generalizes better as texts are added"
    elif n["doubling_interval"] is not None and n["doubling_interval"][0] > 0:
        helps = "more texts help slowly"
    elif _may_help(kind, n):
        helps = "there are too few texts to tell whether more of them help"
    ends = {
        "not above the baseline": f"on other texts it {guessing}: {baseline}",
        "high variance": f"the model overfits, and {helps}",
        "high bias": "the model does not even fit its training texts",
        "still rising": "the model has not seen enough texts, and more of them help",
        "well fitted": "the model has learned about as much as these features allow",
    }
    end = ends[kind]
    if kind == "well fitted" and target is not None:
        end = "the target is reached"
    elif kind == "well fitted":
        left = f"closing the gap would add at most {100 * max(n['gap'], 0):.1f} points"
        end += f", and {left}; if that is not enough, set a `target`"
    elif kind == "high bias" and target is None:
        end = baseline
    return f"{accuracies}{wanted}; {gain}. In short: {end}."
