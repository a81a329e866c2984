"""What a learning curve says about a model, in words, and what to try next.

    level     the accuracy that is desired; 100 % if nobody names one
    lacks     level - dev accuracy, of models of the largest size
    gap       train accuracy - dev accuracy
    doubling  what a doubling of the training texts adds to the dev accuracy: the slope, by the
              logarithm of the size, of a line through the sizes from a quarter of the largest on

    reached     dev accuracy >= the named level
    large gap   gap > lacks / 2: most of what is lacking is right of the training texts
        overfitting     doubling is less than a tenth of the gap, and of what dev accuracy is
                        above that of the commonest label: more texts alone would take too long
        short of data   otherwise, also if there are too few to double
    small gap   neither training nor other texts come to the level
        underfitting    a level is named, or the model is no better than the commonest label
        well fitted     otherwise: as far as one can say without a level

More texts can close the gap at most: the models know their training texts, and what they do not
get right there they would hardly get right elsewhere.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wordplane.common.errors import InputError
from wordplane.diagnosis.fit_measures import FitMeasures
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.evaluation.intervals import Interval, fold_interval

GAP_TRY = (
    "more labelled texts",
    "fewer and better features (`min_df`, SelectFeatures)",
    "stronger regularisation (a smaller C, a larger alpha)",
    "a simpler model (shorter `ngrams`, no `chars`)",
)
GAP_NOT = ("more features", "richer models")
FIT_TRY = (
    "more or better features (longer `ngrams`, `chars`, `shapes`, `lexica`)",
    "conjunctions of features",
    "weaker regularisation (a larger C, a smaller alpha)",
    "a richer model, or an ensemble",
)
FIT_NOT = ("more labelled texts alone", "fewer features")
ADVICE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "short of data": (GAP_TRY, GAP_NOT),
    "overfitting": ((*GAP_TRY[2:3], *GAP_TRY[1:2], *GAP_TRY[3:], *GAP_TRY[:1]), GAP_NOT),
    "underfitting": (FIT_TRY, FIT_NOT),
    "well fitted": ((), ()),
}


@dataclass(frozen=True)
class Verdict:
    """The kind, the sentence with the numbers behind it, and what to try and what not to."""

    kind: str
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


def verdict(curve: LearningCurve, target: float | None = None) -> Verdict:
    """Judge a learning curve, against a desired accuracy if one is given."""
    if target is not None and not 0 < target <= 1:
        raise InputError(f"target is {target!r}, expected an accuracy above 0 and at most 1")
    last = curve.points[-1]
    train, dev = last.mean("train_accuracy"), last.mean("dev_accuracy")
    gaps = np.subtract(last.train_accuracy, last.dev_accuracy)
    gap, gap_interval = float(gaps.mean()), fold_interval(gaps)
    gains = _per_doubling(curve.points)
    doubling = None if gains is None else float(gains.mean())
    doubling_interval = None if gains is None else fold_interval(gains)
    lacks = (1.0 if target is None else target) - dev
    if target is not None and lacks <= 0:
        kind = "well fitted"
    elif gap > lacks / 2:
        learned = max(dev - curve.majority, 0.0)
        flat = doubling is not None and doubling < min(gap, learned) / 10
        kind = "overfitting" if flat else "short of data"
    elif target is not None or last.interval("dev_accuracy")[0] <= curve.majority:
        kind = "underfitting"
    else:
        kind = "well fitted"
    numbers: dict[str, Any] = {
        "train_accuracy": train,
        "dev_accuracy": dev,
        "dev_interval": last.interval("dev_accuracy"),
        "gap": gap,
        "gap_interval": gap_interval,
        "doubling": doubling,
        "doubling_interval": doubling_interval,
        "target": target,
    }
    return Verdict(kind, _sentence(kind, numbers, curve.majority), *ADVICE[kind], **numbers)


def _per_doubling(points: tuple[FitMeasures, ...]) -> Any:
    """By fold, what a doubling of the texts adds; None if the sizes do not reach so far."""
    sizes = np.log2([point.at for point in points])
    if sizes[-1] - sizes[0] < 1 - 1e-9:
        return None
    last = sizes >= sizes[-1] - 2.1
    by_size = np.array([point.dev_accuracy for point in points])[last]
    x = sizes[last] - sizes[last].mean()
    return x @ by_size / (x @ x)


def _sentence(kind: str, n: dict[str, Any], majority: float) -> str:
    low, high = n["dev_interval"]
    fits = (
        f"{n['train_accuracy']:.1%} of the training texts and {n['dev_accuracy']:.1%} ± "
        f"{(high - low) / 2:.1%} of others are right, a gap of {100 * n['gap']:.1f} points"
    )
    if n["doubling"] is None:
        moves = "there are too few texts to see how the curve rises"
    else:
        low, high = n["doubling_interval"]
        flat = "" if low > 0 else ", which may be chance"
        moves = (
            f"a doubling of the texts adds {100 * n['doubling']:.1f} ± "
            f"{50 * (high - low):.1f} points{flat}"
        )
    target = n["target"]
    wanted = "" if target is None else f"; wanted were {target:.1%}"
    ends = {
        "short of data": "what was learned carries over ever better as texts are added",
        "overfitting": "much of what was learned is true of the training texts alone",
        "underfitting": "the model does not even get its training texts right",
        "well fitted": "the model has learned what these features can tell",
    }
    end = ends[kind]
    if kind == "well fitted" and target is not None:
        end = "that is reached"
    elif kind == "well fitted":
        end += "; if that is not enough, name what is (--target): then it underfits"
    elif kind == "underfitting" and target is None:
        end = f"always the commonest label would be right {majority:.1%} of the time"
    return f"{fits}{wanted}; {moves}. In short: {end}."
