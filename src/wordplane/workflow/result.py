"""What every result can do: be printed, stored as JSON, shown in a notebook, written as a page."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from os import PathLike
from pathlib import PurePath

from wordplane.common.html import html_table
from wordplane.common.types import JsonObject
from wordplane.evaluation.intervals import Interval
from wordplane.evaluation.label_scores import ClassScores, Scores
from wordplane.evaluation.number_scores import NumberScores, figure
from wordplane.evaluation.ordered_scores import OrderedScores
from wordplane.evaluation.set_scores import SetScores

RARE = 0.1  # share of the texts
MAX_LABEL = 60  # characters shown
MAX_LINES = 10  # of a result that is shown without being printed
NO_BETTER = (
    "MAE is no better than always the median: see whether a few numbers are far from all others, "
    "which the loss quantile heeds less"
)

Line = tuple[str, str]  # a heading of at most nine letters, and what it says


class Result(ABC):
    """The numbers are fields; `print(result)` shows what the command prints, and `result` by itself
    the first lines of it."""

    source: str
    notes: tuple[str, ...]

    @abstractmethod
    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""

    def _lines(self) -> list[Line]:
        """What the command prints, or begins with."""
        raise NotImplementedError

    def __str__(self) -> str:
        return text_of(self._lines())

    def __repr__(self) -> str:
        """At most ten lines of what the command prints."""
        return first_lines(str(self))

    def _repr_html_(self) -> str:
        """For notebooks: what the command prints."""
        return html_of(self._lines(), self.notes)

    def report(self, path: str | PathLike[str]) -> None:
        """Write a page about the result to a file, which is written whole or not at all."""
        from wordplane.report.plain_page import write_plain_page

        subject = type(self).__name__.removesuffix("Result")
        title = f"{subject} of {PurePath(self.source).name or 'texts'}"
        write_plain_page(path, title, self._repr_html_())


def first_lines(text: str) -> str:
    """A text of at most ten lines; a longer one is cut, and says so.

    >>> first_lines("\\n".join(map(str, range(12)))).splitlines()[-1]
    '… 3 more lines: print it'
    """
    lines = text.splitlines()
    if len(lines) <= MAX_LINES:
        return text
    more = f"… {len(lines) - MAX_LINES + 1:,} more lines: print it"
    return "\n".join([*lines[: MAX_LINES - 1], more])


def text_of(lines: Iterable[Line]) -> str:
    """The lines as a command prints them."""
    return "\n".join(f"{heading:9} {text}" for heading, text in lines)


def html_of(lines: Iterable[Line], notes: Iterable[str] = ()) -> str:
    """The lines, and the notes before them, as a table."""
    return html_table(["", ""], [*(("note", note) for note in notes), *lines], of_texts=True)


def ordered_lines(scores: OrderedScores | None) -> list[Line]:
    """How far labels that are numbers are off."""
    if scores is None:
        return []
    (low, high), (least, most) = scores.mae_interval, scores.quadratic_kappa_interval
    steps = f"{scores.mae:.2f} (95 % interval {low:.2f} to {high:.2f})"
    kappa = f"{scores.quadratic_kappa:.3f} (95 % interval {least:.3f} to {most:.3f})"
    return [
        ("MAE", f"{steps}; always the median would be {scores.median_mae:.2f}"),
        ("kappa", f"{kappa}, quadratic kappa: 1 is right, 0 is chance"),
    ]


def number_lines(scores: NumberScores) -> list[Line]:
    """How good predicted numbers are."""

    def line(value: float, interval: Interval) -> str:
        return f"{figure(value)} (95 % interval {figure(interval[0])} to {figure(interval[1])})"

    return [
        ("MAE", f"{line(scores.mae, scores.mae_interval)}; always the median would be "
         f"{figure(scores.median_mae)}"),
        ("RMSE", f"{line(scores.rmse, scores.rmse_interval)}; always the mean would be "
         f"{figure(scores.spread)}"),
        ("R2", line(scores.r2, scores.r2_interval)),
        ("Spearman", line(scores.spearman, scores.spearman_interval)),
        *([("warning", NO_BETTER)] if scores.no_better else []),
    ]  # fmt: skip


def score_lines(scores: Scores | SetScores | NumberScores) -> list[Line]:
    """The scores in a line each."""
    if isinstance(scores, NumberScores):
        return number_lines(scores)
    if isinstance(scores, Scores):
        return [("accuracy", accuracy_text(scores)), *_rare_class_line(scores)]
    label = shorten(repr(scores.majority_label))
    commonest = shorten(", ".join(map(repr, scores.majority_set))) or "no label"
    lines = []
    for name, value, interval, always in (
        ("micro F1", scores.micro_f1, scores.micro_f1_interval,
         f"; always {label} would be {scores.majority_micro_f1:.1%}"),
        ("macro F1", scores.macro_f1, scores.macro_f1_interval,
         f"; always {label} would be {scores.majority_macro_f1:.1%}"),
        ("exact", scores.subset_accuracy, scores.subset_accuracy_interval,
         f"; always {commonest} would be {scores.majority_subset_accuracy:.1%}"),
        ("Hamming", scores.hamming_loss, scores.hamming_loss_interval, ""),
    ):  # fmt: skip
        lines.append((name, f"{value:.1%} (95 % interval {between(interval)}){always}"))
    return lines


def accuracy_text(scores: Scores) -> str:
    """Accuracy, its interval, and what guessing would give: always the commonest label, and each
    label by its share."""
    return (
        f"{scores.accuracy:.1%} (95 % interval {between(scores.interval)}); always "
        f"{shorten(repr(scores.majority_label))} would be {scores.majority_accuracy:.1%}, "
        f"random {scores.random_accuracy:.1%}"
    )


def _rare_class_line(scores: Scores) -> list[Line]:
    """The rarer of two uneven classes by itself: accuracy hardly depends on it."""
    if len(scores.classes) != 2:
        return []
    rare = min(scores.classes, key=lambda c: c.n)
    if not 0 < rare.n < RARE * scores.n:
        return []
    of = f"{rare.precision:.1%}, recall {rare.recall:.1%}, F1 {rare.f1:.1%}"
    return [("rare", f"{shorten(repr(rare.label))} ({rare.n:,} of {scores.n:,}): precision {of}")]


def shorten(label: object) -> str:
    """A label as it is shown: very long ones are cut."""
    text = str(label)
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1] + "…"


def groups_text(n_groups: int | None) -> str:
    """What comes after the number of texts; nothing without groups.

    >>> groups_text(1200)
    ' in 1,200 groups; intervals are of whole groups'
    """
    if n_groups is None:
        return ""
    return f" in {n_groups:,} groups; intervals are of whole groups"


def between(interval: tuple[float, float]) -> str:
    """An interval of shares in words."""
    low, high = interval
    return f"{low:.1%} to {high:.1%}"


def worst_first(classes: tuple[ClassScores, ...]) -> list[ClassScores]:
    """The classes with the smallest F1 first; those without a text come last."""
    return sorted(classes, key=lambda c: (c.n == 0, c.f1, -c.n))


def class_table(classes: tuple[ClassScores, ...]) -> list[str]:
    """A line per class, the worst first: texts, precision, recall, F1."""
    width = max(len("label"), *(len(shorten(c.label)) for c in classes))
    lines = [f"{'label':{width}}  {'texts':>8}  precision  recall      F1"]
    for c in worst_first(classes):
        row = f"{c.precision:>9.1%}  {c.recall:>6.1%}  {c.f1:>6.1%}"
        lines.append(f"{shorten(c.label):{width}}  {c.n:>8,}  {row}")
    return lines


def class_html(classes: tuple[ClassScores, ...]) -> str:
    """The same as a table for notebooks."""
    rows = [(c.label, f"{c.n:,}", f"{c.precision:.1%}", f"{c.recall:.1%}", f"{c.f1:.1%}")
            for c in worst_first(classes)]  # fmt: skip
    return html_table(["label", "texts", "precision", "recall", "F1"], rows)
