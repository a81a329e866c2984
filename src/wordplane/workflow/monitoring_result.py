"""What monitoring found, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from wordplane.common.errors import InputError
from wordplane.common.html import html_table
from wordplane.common.types import JsonObject, Label
from wordplane.evaluation.intervals import Interval
from wordplane.evaluation.trait_test import MIN_TEXTS
from wordplane.workflow.result import Line, Result, between, shorten

if TYPE_CHECKING:
    from polars import DataFrame

    from wordplane.plots.vega_lite import Chart


MAX_SHOWN = 10  # labels and traits
ALPHA = 0.05
LARGE = 0.15  # change of the share of a trait from which on errors are no longer those held out

MISLEADING = (
    "the texts differ so much from those trained on that errors may be others: label some of them, "
    "and measure (`wordplane evaluate`), before you rely on shares and accuracy"
)
CHANGED = (
    "shares and accuracy take it that texts of a label are what they were, and the texts have "
    "changed: both may be off; label some of them, and measure (`wordplane evaluate`)"
)


class LabelShare(NamedTuple):
    """How many texts have a label.

    given     the share of texts that the model gives it to
    share     the share that have it, corrected for the model's errors
    training  its share among the texts trained on
    """

    label: Label
    given: float
    share: float
    interval: Interval
    training: float


class Change(NamedTuple):
    """A trait of texts that more or fewer have than would be expected.

    before  the share of texts expected to have it, with the labels that they are thought to have
    now     the share that has it
    z       the difference in standard errors
    """

    trait: str
    before: float
    now: float
    z: float


@dataclass(frozen=True)
class MonitoredPart:
    """What was found in texts, or in those with one value of a column.

    labels      the shares of the labels; empty if the model does not tell
    accuracy    the share of labels given that are expected to be right, with its interval
    p           that texts like those trained on differ so much from them, whatever their labels;
                corrected for the number of parts; None if there are too few to tell
    changes     what differs most
    unfamiliar  the share of texts of which the model knows too few words
    """

    value: str
    n: int
    labels: tuple[LabelShare, ...] = ()
    accuracy: float | None = None
    accuracy_interval: Interval | None = None
    p: float | None = None
    changes: tuple[Change, ...] = ()
    unfamiliar: float | None = None

    @property
    def changed(self) -> bool:
        """Whether the texts are no longer of the kind that the model was trained on."""
        return self.is_foreign or (self.p is not None and self.p < ALPHA)

    @property
    def is_foreign(self) -> bool:
        """Whether the model knows too few words of most texts, such as those in other languages."""
        return self.unfamiliar is not None and self.unfamiliar > 0.5

    @property
    def misleading(self) -> bool:
        """Whether they differ so much that shares and accuracy should not be relied upon."""
        has_large = any(abs(change.now - change.before) >= LARGE for change in self.changes)
        return self.is_foreign or (self.changed and has_large)

    @property
    def warning(self) -> str:
        """What to do about texts that have changed."""
        return MISLEADING if self.misleading else CHANGED

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        shown: JsonObject = {**asdict(self), "changed": self.changed, "misleading": self.misleading}
        shown["labels"] = [label._asdict() for label in self.labels]
        shown["changes"] = [change._asdict() for change in self.changes]
        return shown


@dataclass(frozen=True, repr=False)
class MonitoringResult(Result):
    """What a model meets in texts without labels.

    whole            all texts
    parts            those of each value of the column `by`, in order of the values
    methods          what the shares are corrected by, and how much each counts
    tested_accuracy  the accuracy of the model when it was trained
    """

    source: str
    notes: tuple[str, ...]
    whole: MonitoredPart
    parts: tuple[MonitoredPart, ...] = ()
    by: str | None = None
    methods: dict[str, float] | None = None
    tested_accuracy: float | None = None

    @property
    def changed(self) -> bool:
        """Whether the texts, or those of some value, are no longer of the kind trained on."""
        return any(part.changed for part in (self.whole, *self.parts))

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        shown: JsonObject = {"notes": list(self.notes), **self.whole.to_dict()}
        del shown["value"]
        shown |= {"methods": self.methods, "tested_accuracy": self.tested_accuracy}
        if self.by is not None:
            shown["by"] = self.by
            shown["parts"] = [part.to_dict() for part in self.parts]
        return shown | {"changed": self.changed}

    @property
    def table(self) -> DataFrame:
        """A row for each label, of all texts or of each value: a frame of polars."""
        import polars as pl

        rows = [
            {
                **({} if self.by is None else {self.by: part.value}),
                "texts": part.n,
                "label": one.label,
                "given": one.given,
                "share": one.share,
                "low": one.interval[0],
                "high": one.interval[1],
                "training": one.training,
                "accuracy": part.accuracy,
                "p": part.p,
            }
            for part in (self.parts if self.by is not None else (self.whole,))
            for one in part.labels
        ]
        if not rows:
            raise InputError("the model does not tell the shares of labels: there is no table")
        return pl.DataFrame(rows)

    def picture(self) -> Chart:
        """The shares of the labels in each part, with intervals; `wordplane.plots.save` writes
        it."""
        from wordplane.plots.shares import shares

        if not self.parts or not self.whole.labels:
            raise InputError("there are no parts to draw: name a column with `by`")
        rows = [
            (part.value, str(one.label), one.share, *one.interval)
            for part in self.parts
            for one in part.labels
        ]
        largest = sorted(self.whole.labels, key=lambda one: -one.share)
        return shares(rows, [str(one.label) for one in largest], self.by)

    def __str__(self) -> str:
        text = super().__str__()
        for head, *rows in filter(None, self._tables()):
            text += "\n\n" + _aligned([head, *rows])
        return text

    def _repr_html_(self) -> str:
        tables = [html_table(head, rows) for head, *rows in filter(None, self._tables())]
        return super()._repr_html_() + "".join(tables)

    def _lines(self) -> list[Line]:
        whole = self.whole
        lines = [("looked at", f"{whole.n:,} texts without their labels")]
        was = ""
        if self.tested_accuracy is not None:
            was = f"; it was {self.tested_accuracy:.1%} in training"
        if whole.accuracy is not None and whole.misleading:
            lines.append(("accuracy", f"unknown until some of the texts are labeled{was}"))
        elif whole.accuracy is not None and whole.accuracy_interval is not None:
            interval = between(whole.accuracy_interval)
            expected = f"{whole.accuracy:.1%} expected (95 % interval {interval})"
            lines.append(("accuracy", expected + was))
        if whole.unfamiliar is not None:
            unknown = f"{whole.unfamiliar:.1%} of the texts have few words that the model knows"
            lines.append(("unknown", unknown))
        lines.append(("texts", _change_text(whole)))
        return lines

    def _tables(self) -> list[list[list[str]]]:
        tables = [_share_table(self.whole.labels), _change_table(self.whole.changes)]
        return [*tables, self._part_table()]

    def _part_table(self) -> list[list[str]]:
        if not self.parts:
            return []
        shown = sorted(self.whole.labels, key=lambda one: -one.share)[:4]
        names = [shorten(str(one.label)) for one in shown]
        rows = [[f"by {self.by}", "texts", *names, "accuracy", "texts changed"]]
        for part in self.parts:
            of = {one.label: one for one in part.labels}
            cells = [_share_text(of[one.label].share, of[one.label].interval) for one in shown]
            accuracy = "-"
            if part.accuracy is not None and part.misleading:
                accuracy = "unknown"
            elif part.accuracy is not None and part.accuracy_interval is not None:
                accuracy = _share_text(part.accuracy, part.accuracy_interval)
            change = "too few" if part.p is None else f"p = {part.p:.3f}"
            if part.changed:
                change += ", much" if part.misleading else ", yes"
            rows.append([shorten(part.value), f"{part.n:,}", *cells, accuracy, change])
        return rows


def _change_text(part: MonitoredPart) -> str:
    if part.p is None and not part.is_foreign:
        return f"too few, or too alike, to say whether they have changed ({MIN_TEXTS} are needed)"
    if not part.changed:
        return f"as those trained on, as far as words, lengths and scripts show (p = {part.p:.2f})"
    how = "much" if part.misleading else "measurably"
    more = "" if part.changes or part.p is None else ", many traits a little"
    p = "" if part.p is None else f" (p = {part.p:.3f})"
    return f"differ {how} from those trained on, whatever their labels{p}{more}"


def _share_text(share: float, interval: Interval) -> str:
    return f"{share:.1%} ({interval[0]:.1%} to {interval[1]:.1%})"


def _share_table(labels: Sequence[LabelShare]) -> list[list[str]]:
    if not labels:
        return []
    rows = [["label", "given", "share", "95 % interval", "in training"]]
    largest = sorted(labels, key=lambda one: -one.share)
    for one in largest if len(labels) <= 2 * MAX_SHOWN else largest[:MAX_SHOWN]:
        shares = f"{one.given:.1%}", f"{one.share:.1%}", between(one.interval)
        rows.append([shorten(str(one.label)), *shares, f"{one.training:.1%}"])
    if len(labels) > len(rows) - 1:
        rows.append([f"({len(labels) - len(rows) + 1:,} more)", "", "", "", ""])
    return rows


def _change_table(changes: Sequence[Change]) -> list[list[str]]:
    if not changes:
        return []
    rows = [["texts with", "expected", "found"]]
    for one in changes[:MAX_SHOWN]:
        rows.append([shorten(one.trait), f"{one.before:.1%}", f"{one.now:.1%}"])
    if len(changes) > MAX_SHOWN:
        rows.append([f"({len(changes) - MAX_SHOWN:,} more)", "", ""])
    return rows


def _aligned(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if number == 0 else cell.rjust(w)
            for number, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
