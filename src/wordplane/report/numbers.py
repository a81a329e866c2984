"""The content of the page about a model that predicts numbers."""

import wordplane
from wordplane import plots
from wordplane.common.types import JsonObject
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.evaluation.number_scores import NumberScores, figure
from wordplane.model.number_measurement import NumberMeasurement
from wordplane.plots.style import HEIGHT, WIDTH
from wordplane.report.content import N_MISTAKES, features
from wordplane.report.provenance import provenance
from wordplane.report.sections import Metric, Tile, metric
from wordplane.report.shown_texts import Document, number_document

LEVEL = 0.9  # of the interval that is shown


def number_content(measured: NumberMeasurement) -> JsonObject:
    """The variables of the template."""
    scores, name = measured.score(), _target(measured)
    picture = plots.predicted_numbers(measured.truth, measured.predicted, name)
    return {
        "version": wordplane.__version__,
        "measured": measured,
        "multilabel": False,
        "numbers": {
            "svg": plots.to_svg(picture),
            "interval": _interval_text(measured),
            "far": _farthest(measured),
        },
        "notes": [],
        "summary": _summary(measured, scores),
        "tiles": _tiles(scores),
        "scores": scores,
        "metrics": _metrics(scores),
        "matrix": None,
        "pairs": None,
        "curves": None,
        "reliability": None,
        "learning": None,
        "features": features(measured.model),
        "mistakes": None,
        "audited": False,
        "suspects": None,
        "provenance": provenance(measured),
        "data": {"curves": [], "size": [WIDTH, HEIGHT]},
    }


def _target(measured: NumberMeasurement) -> str:
    return measured.model.training_.label_column or "number"


def _between(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{figure(low)} to {figure(high)}"


def _summary(measured: NumberMeasurement, scores: NumberScores) -> list[str]:
    first = (
        f"On {scores.n:,} texts {measured.description}, the predicted “{_target(measured)}” is off "
        f"by {figure(scores.mae)} on average (95\u202f% interval {_between(scores.mae_interval)}); "
        f"always predicting the median would be off by {figure(scores.median_mae)}."
    )
    low, high = scores.spearman_interval
    order = (
        f"Its order of the texts agrees with the true one with a rank correlation of "
        f"{scores.spearman:.2f} ({low:.2f} to {high:.2f})."
    )
    return [first, order]


def _tiles(scores: NumberScores) -> list[Tile]:
    return [
        Tile("Mean absolute error", figure(scores.mae), _between(scores.mae_interval)),
        Tile("RMSE", figure(scores.rmse), _between(scores.rmse_interval)),
        Tile("R²", f"{scores.r2:.3f}", "share of the variance that is explained"),
        Tile("Texts", f"{scores.n:,}", f"standard deviation {figure(scores.spread)}"),
    ]


def _metrics(scores: NumberScores) -> list[Metric]:
    """The table of errors; the baselines are those of the median, and of the mean."""
    s = scores
    errors = [
        ("Mean absolute error", s.mae, s.mae_interval, s.median_mae),
        ("RMSE", s.rmse, s.rmse_interval, s.spread),
    ]
    shares = [
        ("R²", s.r2, s.r2_interval, 0.0),
        ("Spearman's correlation", s.spearman, s.spearman_interval, 0.0),
    ]
    lines = [
        metric(*row, None, most=1.05 * max(row[2][1], row[3], 1e-12), show=figure) for row in errors
    ]
    return lines + [metric(*row, None, most=1.0, show="{:.3f}".format) for row in shares]


def _interval_text(measured: NumberMeasurement) -> str:
    """How wide the intervals of the model are, and how many of the numbers are in them."""
    intervals = measured.model.model_.calibrator
    if not isinstance(intervals, NumberIntervals) or len(intervals.errors) == 0:
        return ""
    low, high = intervals.margins(LEVEL)
    if high == float("inf"):
        return ""
    errors = measured.truth - measured.predicted
    share = float(((errors >= low) & (errors <= high)).mean())
    return (
        f"The interval for {LEVEL:.0%} of new texts reaches from {figure(low)} to +{figure(high)} "
        f"around the prediction; of these texts, {share:.1%} are in it."
    )


def _farthest(measured: NumberMeasurement) -> list[tuple[Document, str]]:
    """The texts that are farthest off, and by how much."""
    return [
        (
            number_document(measured, i, figure),
            figure(abs(float(measured.truth[i] - measured.predicted[i]))),
        )
        for i in measured.farthest(N_MISTAKES)
    ]
