"""What the sections of the page say, in words and numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wordplane.evaluation.decisions import RiskCoverage
from wordplane.evaluation.intervals import Interval
from wordplane.evaluation.metrics import Scores
from wordplane.evaluation.reliability import Reliability
from wordplane.model.measuring import Measured

COVERAGES = (0.9, 0.75, 0.5)
FEW = 1000  # texts, of which chance alone would set the two some per cent apart
ABOUT = 0.02  # as far apart, two shares are about the same


@dataclass(frozen=True)
class Tile:
    """A number to be seen first."""

    name: str
    value: str
    note: str


@dataclass(frozen=True)
class Metric:
    """A line of the table; places in its picture are percentages of the width."""

    name: str
    value: str
    interval: str
    at: str
    low: str
    width: str
    majority: str
    majority_at: str | None
    random: str
    random_at: str | None


def percent(share: float) -> str:
    """A share with its sign, the space between them narrow.

    >>> percent(0.9254)
    '92.5\u202f%'
    """
    return f"{100 * share:.1f}\u202f%"


def tiles(scores: Scores, reliable: Reliability) -> list[Tile]:
    """The headline."""
    low, high = scores.interval
    return [
        Tile("Accuracy", percent(scores.accuracy), f"{percent(low)} to {percent(high)}"),
        Tile("Macro F1", percent(scores.macro_f1), "mean over the classes"),
        Tile(
            "Calibration error",
            percent(reliable.ece),
            f"{percent(reliable.confidence)} sure, on average",
        ),
        Tile("Texts", f"{scores.n:,}", f"{len(scores.classes):,} classes"),
    ]


def metrics(scores: Scores) -> list[Metric]:
    """The table of metrics, with intervals and baselines."""
    shares = [
        ("Accuracy", scores.accuracy, scores.interval, scores.majority_accuracy,
         scores.random_accuracy),
        ("Macro F1", scores.macro_f1, scores.macro_f1_interval, scores.majority_macro_f1,
         scores.random_macro_f1),
    ]  # fmt: skip
    lines = [metric(*row, most=1.0, show=percent) for row in shares]
    if scores.log_loss is not None and scores.log_loss_interval is not None:
        prior = scores.prior_log_loss or 0.0
        most = max(prior, scores.log_loss_interval[1]) * 1.05
        lines.append(
            metric("Log-loss (less is better)", scores.log_loss, scores.log_loss_interval, None,
                    prior, most=most, show=lambda value: f"{value:.3f}")
        )  # fmt: skip
    return lines


def metric(
    name: str,
    value: float,
    interval: Interval,
    majority: float | None,
    random: float | None,
    *,
    most: float,
    show: Any,
) -> Metric:
    """A line of the table; baselines that there are not are None."""
    low, high = interval

    def place(number: float) -> str:
        return f"{100 * min(max(number / most, 0.0), 0.995):.2f}"

    return Metric(
        name=name,
        value=show(value),
        interval=f"{show(low)} to {show(high)}",
        at=place(value),
        low=place(low),
        width=f"{100 * (high - low) / most:.2f}",
        majority="" if majority is None else show(majority),
        majority_at=None if majority is None else place(majority),
        random="" if random is None else show(random),
        random_at=None if random is None else place(random),
    )


def calibration(scores: Scores, reliable: Reliability) -> str:
    """Whether the model is as sure as it is right."""
    low, high = scores.interval
    low, high = min(low, scores.accuracy - ABOUT), max(high, scores.accuracy + ABOUT)
    facts = f"{percent(reliable.confidence)} sure on average and right {percent(reliable.right)}"
    if reliable.confidence > high:
        return f"It is too sure of itself: {facts} of the time."
    if reliable.confidence < low:
        return f"It is less sure than it could be: {facts} of the time."
    if reliable.ece > 2 * ABOUT:
        chance = ", in part by chance, as texts are few" if scores.n < FEW else ""
        return (
            f"On average it is as sure ({percent(reliable.confidence)}) as it is right, but from "
            f"text to text the two are {percent(reliable.ece)} apart{chance}."
        )
    return f"It is about as sure as it is right: {facts} of the time."


def summary(
    measured: Measured,
    scores: Scores,
    reliable: Reliability,
    confused: list[tuple[Any, Any, float]],
    advice: str,
) -> list[str]:
    """The page in three sentences."""
    low, high = scores.interval
    first = (
        f"On {scores.n:,} texts {measured.how}, the model is right {percent(scores.accuracy)} of "
        f"the time (95\u202f% interval {percent(low)} to {percent(high)}), where always saying "
        f"“{scores.majority_label}” would be right {percent(scores.majority_accuracy)}."
    )
    second = calibration(scores, reliable)
    if confused:
        true, said, n = confused[0]
        times = "once" if n == 1 else f"{n:,.0f} times"
        second = f"{second[:-1]}; most often, {times}, it takes “{true}” for “{said}”."
    return [first, second, advice]


def abstaining(curve: RiskCoverage) -> list[str]:
    """What it buys to leave the least sure texts to a person."""
    lines = [f"Every text labelled: {percent(float(curve.risk[-1]))} wrong."]
    for wanted in COVERAGES:
        at = min(int(np.searchsorted(curve.coverage, wanted - 1e-12)), len(curve.risk) - 1)
        lines.append(
            f"Only the {curve.coverage[at]:.0%} of which it is at least "
            f"{percent(float(curve.confidence[at]))} sure: {percent(float(curve.risk[at]))} wrong."
        )
    return lines
