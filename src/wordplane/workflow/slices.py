"""How good a model is on the rows of each value of a column.

Values with fewer than 20 rows are taken together, and so are all after the first 20: their
intervals would say little. A slice is marked if its first metric differs from that of all other
rows by more than chance would let it: z = difference / its standard error, Holm's correction for
the number of slices.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import erfc, hypot, sqrt
from typing import TYPE_CHECKING

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.groups import other_rows, take_groups
from wordplane.common.html import html_paragraph, html_table
from wordplane.common.types import IntArray, JsonObject
from wordplane.evaluation.intervals import Z_95
from wordplane.evaluation.measures import Metric, Score, metric_text, score_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import holm
from wordplane.workflow.result import shorten

if TYPE_CHECKING:
    from wordplane.plots.vega_lite import Chart

MIN_ROWS = 20
MAX_SLICES = 20
ALPHA = 0.05


@dataclass(frozen=True)
class Slice:
    """The rows with one value, or with all values that few rows have.

    scores  by metric; None where the rows do not define it, such as AP of a label none has
    p       that the first metric is the same on all other rows, corrected for the number of slices
    """

    value: str
    n: int
    scores: dict[str, Score | None]
    p: float = 1.0

    @property
    def distinguishable(self) -> bool:
        """Whether the first metric differs from that of all other rows."""
        return self.p < ALPHA


@dataclass(frozen=True)
class Slices:
    """The slices of a column, the largest first, those taken together last."""

    column: str
    metrics: tuple[str, ...]
    slices: tuple[Slice, ...]
    whole: Score | None = None  # the first metric of all rows

    def picture(self) -> "Chart":
        """The first metric of each slice as a chart; `wordplane.plots.save` writes it."""
        from wordplane.plots.slices import slices

        metric = self.metrics[0]
        shown = {shorten(one.value): one.scores[metric] for one in self.slices}
        known = {value: score for value, score in shown.items() if score is not None}
        whole = None if self.whole is None else self.whole.value
        return slices(known, whole, f"{metric} by {self.column}")

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        rows = [{**asdict(one), "distinguishable": one.distinguishable} for one in self.slices]
        return {"column": self.column, "metrics": list(self.metrics), "slices": rows}

    @property
    def table(self) -> list[list[str]]:
        """The rows as they are printed; the first has the names of the columns."""
        plain = "  " if self.legend else ""
        rows = [[f"{plain}by {self.column}", "texts", *self.metrics]]
        for one in self.slices:
            mark = "* " if one.distinguishable else plain
            cells = [_score_text(one.scores[name]) for name in self.metrics]
            rows.append([mark + shorten(one.value), f"{one.n:,}", *cells])
        return rows

    @property
    def legend(self) -> str:
        """What the mark says; empty if no slice has one."""
        if not any(one.distinguishable for one in self.slices):
            return ""
        n = len(self.slices)
        return (
            f"* {self.metrics[0]} differs from that of the other texts (p < 0.05, corrected for "
            f"{n} slices)"
        )

    def __str__(self) -> str:
        rows = self.table
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.rjust(w) if number == 1 else cell.ljust(w)
                for number, (cell, w) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, *filter(None, [self.legend])])

    def _repr_html_(self) -> str:
        head, *rows = self.table
        return html_table(head, rows) + (html_paragraph(self.legend) if self.legend else "")


def slice_by(
    column: str,
    values: Sequence[object],
    outcome: Outcome,
    metrics: Sequence[str] = (),
    *,
    groups: IntArray | None = None,
    random_state: int = 0,
) -> Slices:
    """The metrics on the rows of each value; intervals are of resampled `groups`, if given.

    >>> outcome = Outcome.of_labels(["a", "b"] * 30, ["a"] * 30 + ["a", "b"] * 15)
    >>> print(slice_by("half", ["first"] * 30 + ["second"] * 30, outcome, ["accuracy"]))
      by half   texts  accuracy
    * first      30  50.0% (33.2% to 66.8%)
    * second     30  100.0% (88.6% to 100.0%)
    * accuracy differs from that of the other texts (p < 0.05, corrected for 2 slices)
    """
    chosen = tuple(metrics) or (
        ("micro_f1", "accuracy") if outcome.multilabel else ("accuracy", "macro_f1")
    )
    names = tuple(dict.fromkeys(Metric.of(name, outcome).name for name in chosen))

    def score(name: str, rows: IntArray) -> Score | None:
        return _score(name, outcome.take(rows), take_groups(groups, rows), random_state)

    slices, p = [], []
    everything = np.arange(len(outcome))
    for value, rows in rows_of_values([str(value) for value in values]).items():
        scores = {name: score(name, rows) for name in names}
        slices.append(Slice(value, len(rows), scores))
        p.append(_p_value(scores[names[0]], score(names[0], other_rows(len(outcome), rows))))
    corrected = holm(p).tolist()
    return Slices(
        column,
        names,
        tuple(Slice(s.value, s.n, s.scores, q) for s, q in zip(slices, corrected, strict=True)),
        score(names[0], everything),
    )


def rows_of_values(values: Sequence[str], most: int = MAX_SLICES) -> dict[str, IntArray]:
    """The rows of each value, the most frequent first, the rare ones together at the end."""
    sizes = Counter(values).most_common()
    kept = [value for value, n in sizes if n >= MIN_ROWS][:most]
    array = np.array(values, dtype=object)
    rows_of = {value or "(empty)": np.flatnonzero(array == value) for value in kept}
    n_others = len(sizes) - len(kept)
    if n_others > 0:
        rows = np.flatnonzero(~np.isin(array, np.array(kept, dtype=object)))
        few = "value" if n_others == 1 else "values"
        rows_of[f"({n_others:,} other {few})"] = rows
    return rows_of


def _score(name: str, outcome: Outcome, groups: IntArray | None, random_state: int) -> Score | None:
    if len(outcome) == 0:
        return None
    try:
        return score_by(name, outcome, groups=groups, random_state=random_state)
    except InputError:  # such as the ranking of a label that no row has
        return None


def _p_value(one: Score | None, other: Score | None) -> float:
    """That two equal scores are so far apart: each with the error to the side of the other, as in
    the interval of a difference by Newcombe (1998), Statistics in Medicine 17."""
    if one is None or other is None or one.interval is None or other.interval is None:
        return 1.0
    (low, low_ends), (high, high_ends) = sorted(
        [(one.value, one.interval), (other.value, other.interval)]
    )
    error = hypot(low_ends[1] - low, high - high_ends[0]) / Z_95
    return erfc((high - low) / error / sqrt(2)) if error > 0 else 1.0


def _score_text(score: Score | None) -> str:
    if score is None:
        return "-"
    if score.interval is None:
        return metric_text(score.metric, score.value)
    low, high = (metric_text(score.metric, bound) for bound in score.interval)
    return f"{metric_text(score.metric, score.value)} ({low} to {high})"
