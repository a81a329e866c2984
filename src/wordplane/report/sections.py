"""The words and numbers of the sections of the page."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wordplane.common.types import Label
from wordplane.evaluation.decisions import RiskCoverage
from wordplane.evaluation.intervals import NO_INTERVAL, Interval
from wordplane.evaluation.label_scores import Scores
from wordplane.evaluation.reliability import Reliability
from wordplane.model.measurement import Measurement

COVERAGES = (0.9, 0.75, 0.5)
TOLERANCE = 0.02  # two shares that differ by less are about the same


@dataclass(frozen=True)
class Tile:
    """A headline number."""

    name: str
    value: str
    note: str


@dataclass(frozen=True)
class Metric:
    """A line of the table; positions in its picture are percentages of the width."""

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
    """A share in percent, with a narrow space before the sign.

    >>> percent(0.9254)
    '92.5\u202f%'
    """
    return f"{100 * share:.1f}\u202f%"


def tiles(scores: Scores, reliability: Reliability) -> list[Tile]:
    """The headline numbers."""
    low, high = scores.interval
    return [
        Tile("Accuracy", percent(scores.accuracy), f"{percent(low)} to {percent(high)}"),
        Tile("Macro F1", percent(scores.macro_f1), "mean over the classes"),
        Tile(
            "Calibration error",
            percent(reliability.ece),
            _error_interval(reliability),
        ),
        Tile("Texts", f"{scores.n:,}", f"{len(scores.classes):,} classes"),
    ]


def calibration_error(reliability: Reliability) -> str:
    """The calibration error with its interval, and whether chance alone may have made it."""
    error = f"{percent(reliability.ece)} ({_error_interval(reliability)})"
    if reliability.is_miscalibrated:
        return f"{error}, after what chance adds to it was taken off."
    n = sum(b.weight for b in reliability.bins)
    return f"{error}: with {n:,.0f} texts it cannot be told from 0."


def _error_interval(reliability: Reliability) -> str:
    low, high = reliability.ece_interval
    return f"{percent(low)} to {percent(high)}"


def metrics(scores: Scores) -> list[Metric]:
    """The table of metrics, with intervals and baselines."""
    shares = [
        ("Accuracy", scores.accuracy, scores.interval, scores.majority_accuracy,
         scores.random_accuracy),
        ("Macro F1", scores.macro_f1, scores.macro_f1_interval, scores.majority_macro_f1,
         scores.random_macro_f1),
    ]  # fmt: skip
    lines = [metric(*row, most=1.0, show=percent) for row in shares]
    if scores.log_loss is not None:
        prior, interval = scores.prior_log_loss or 0.0, scores.log_loss_interval
        most = max(prior, scores.log_loss, *(interval or ())) * 1.05 or 1.0
        lines.append(
            metric("Log-loss (lower is better)", scores.log_loss, interval, None, prior,
                    most=most, show=lambda value: f"{value:.3f}")
        )  # fmt: skip
    return lines


def metric(
    name: str,
    value: float,
    interval: Interval | None,
    majority: float | None,
    random: float | None,
    *,
    most: float,
    show: Callable[[float], str],
) -> Metric:
    """A line of the table; a baseline or an interval that does not exist is None."""
    low, high = interval or (value, value)

    def position(number: float) -> str:
        return f"{100 * min(max(number / most, 0.0), 0.995):.2f}"

    return Metric(
        name=name,
        value=show(value),
        interval=NO_INTERVAL if interval is None else f"{show(low)} to {show(high)}",
        at=position(value),
        low=position(low),
        width=f"{100 * (high - low) / most:.2f}",
        majority="" if majority is None else show(majority),
        majority_at=None if majority is None else position(majority),
        random="" if random is None else show(random),
        random_at=None if random is None else position(random),
    )


def calibration(scores: Scores, reliability: Reliability) -> str:
    """Whether the confidence of the model matches its accuracy."""
    low, high = scores.interval
    low, high = min(low, scores.accuracy - TOLERANCE), max(high, scores.accuracy + TOLERANCE)
    facts = (
        f"mean confidence {percent(reliability.confidence)}, accuracy {percent(reliability.right)}"
    )
    if reliability.confidence > high:
        return f"It is overconfident: {facts}."
    if reliability.confidence < low:
        return f"It is underconfident: {facts}."
    if reliability.is_miscalibrated and reliability.ece > 2 * TOLERANCE:
        return (
            f"Its mean confidence ({percent(reliability.confidence)}) matches its accuracy, but "
            f"from text to text the two are {percent(reliability.ece)} apart."
        )
    return f"Its confidence matches its accuracy: {facts}."


def summary(
    measured: Measurement,
    scores: Scores,
    reliability: Reliability,
    confused: list[tuple[Label, Label, float]],
    advice: str,
) -> list[str]:
    """The summary of the page in three sentences."""
    low, high = scores.interval
    first = (
        f"On {scores.n:,} texts {measured.description}, the model is right "
        f"{percent(scores.accuracy)} of the time (95\u202f% interval {percent(low)} to "
        f"{percent(high)}); always predicting “{scores.majority_label}” would be right "
        f"{percent(scores.majority_accuracy)} of the time."
    )
    second = calibration(scores, reliability)
    if confused:
        true, predicted, n = confused[0]
        times = "once" if n == 1 else f"{n:,.0f} times"
        second += f" Its most frequent mistake, made {times}: “{true}” predicted as “{predicted}”."
    return [first, second, advice]


def abstaining(curve: RiskCoverage) -> list[str]:
    """The gain from leaving the least certain texts to a person."""
    lines = [f"If every text gets a label, {percent(float(curve.risk[-1]))} are wrong."]
    for wanted in COVERAGES:
        at = min(int(np.searchsorted(curve.coverage, wanted - 1e-12)), len(curve.risk) - 1)
        lines.append(
            f"Of the {curve.coverage[at]:.0%} with a confidence of at least "
            f"{percent(float(curve.confidence[at]))}, {percent(float(curve.risk[at]))} are wrong."
        )
    return lines
