"""Compare two saved models on the same texts: which is better, and which labels changed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Unpack

import numpy as np

from wordplane.common.html import html_table
from wordplane.common.label_sets import LabelSets
from wordplane.common.notes import Note
from wordplane.common.types import JsonObject, Label, LabelsLike
from wordplane.data.tables import TABLES, write_table
from wordplane.data.write import choose_format
from wordplane.evaluation.measures import Score, difference_text, score_by
from wordplane.evaluation.paired_tests import PairedComparison, compare_outcomes
from wordplane.model.classifier import TextClassifier
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.saved_models import ModelLike, open_model
from wordplane.workflow.evaluation import check_metrics, measure_all
from wordplane.workflow.evaluation_count import count_evaluation
from wordplane.workflow.inputs import (
    DataLike,
    GroupsLike,
    Reading,
    has_learned_from,
    load_corpus_for,
    model_columns,
    refuse_time,
    rows_to_measure,
)
from wordplane.workflow.remarks import remarks_on_rows
from wordplane.workflow.result import Line, Result, groups_text, shorten

N_EXAMPLES = 5
SEPARATOR = "|"  # between several labels in CSV
FIXED, BROKEN, OTHER = "right now", "wrong now", "wrong before and after"
Labels = Label | tuple[Label, ...]


@dataclass(frozen=True)
class Change:
    """A text that the models give other labels: "right now" if B is right, "wrong now" if A was."""

    id: str
    text: str
    label: Labels
    a: Labels
    b: Labels
    change: str


@dataclass(frozen=True, repr=False)
class ModelComparisonResult(Result):
    """Two models on the same texts.

    rows         which rows were measured: all, train, dev or test
    names        of the models, A and B
    scores       of each, by metric
    comparisons  by metric; the first is what the verdict is by
    changes      the texts whose labels differ, in their order
    """

    source: str
    notes: tuple[str, ...]
    rows: str
    n_rows: int
    n_groups: int | None
    names: tuple[str, str]
    scores: tuple[dict[str, Score], dict[str, Score]]
    comparisons: tuple[PairedComparison, ...]
    changes: tuple[Change, ...] = field(repr=False)

    @property
    def is_worse(self) -> bool:
        """Whether B is measurably worse than A, by the first metric."""
        return self.comparisons[0].is_worse

    @property
    def verdict(self) -> str:
        """A sentence on B, by the first metric."""
        first = self.comparisons[0]
        if not first.distinguishable:
            return "A and B are not distinguishable"
        return f"B is {'worse' if first.is_worse else 'better'} than A"

    def n_changes(self) -> dict[str, int]:
        """The number of changes of each kind."""
        return {kind: len(self.examples(kind)) for kind in (FIXED, BROKEN, OTHER)}

    def examples(self, kind: str) -> list[Change]:
        """The changes of one kind."""
        return [change for change in self.changes if change.change == kind]

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return {
            "source": self.source,
            "notes": list(self.notes),
            "rows": self.rows,
            "n": self.n_rows,
            "n_groups": self.n_groups,
            "a": self.names[0],
            "b": self.names[1],
            "verdict": self.verdict,
            "is_worse": self.is_worse,
            "scores": [{name: asdict(s) for name, s in each.items()} for each in self.scores],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "n_changes": self.n_changes(),
            "changes": [asdict(change) for change in self.changes],
        }

    def __str__(self) -> str:
        lines = [super().__str__()]
        for kind in (BROKEN, FIXED):
            examples = self.examples(kind)[:N_EXAMPLES]
            lines += ["", kind] if examples else []
            lines += [
                f"  {change.id}: {_labels_text(change.a)} -> {_labels_text(change.b)}, is "
                f"{_labels_text(change.label)}: {shorten(' '.join(change.text.split()))}"
                for change in examples
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, and texts whose labels changed."""
        rows = [
            (c.id, c.change, _labels_text(c.label), _labels_text(c.a), _labels_text(c.b),
             shorten(c.text))
            for kind in (BROKEN, FIXED) for c in self.examples(kind)[:N_EXAMPLES]
        ]  # fmt: skip
        head = ["", "", "label", "A", "B", "text"]
        return super()._repr_html_() + (html_table(head, rows) if rows else "")

    def write_changes(self, path: str | PathLike[str], *, escape_formulas: bool = False) -> None:
        """Write all texts whose labels changed: .csv, .tsv, .jsonl or .parquet. With
        `escape_formulas`, cells of CSV that a spreadsheet would run begin with a quote."""
        form = choose_format(str(path), None, TABLES)
        names = ("id", "change", "label", "a", "b", "text")
        columns = {name: [getattr(c, name) for c in self.changes] for name in names}
        for name in ("label", "a", "b"):
            columns[name] = [_labels_text(value, SEPARATOR) for value in columns[name]]
        types = dict.fromkeys(names, str)
        write_table(iter([columns]), form, str(path), types, escape_formulas=escape_formulas)

    def _lines(self) -> list[Line]:
        marked = "" if self.rows == "all" else f" marked {self.rows}"
        lines = [("measured", f"{self.n_rows:,} texts{marked}{groups_text(self.n_groups)}")]
        for letter, name, scores in zip("AB", self.names, self.scores, strict=True):
            shown = ", ".join(f"{metric} {score}" for metric, score in scores.items())
            lines.append((letter, f"{name}: {shown}"))
        first = self.comparisons[0]
        lines.append(("verdict", f"{self.verdict}: {_difference(first)} ({first.test})"))
        lines += [("", _difference(other)) for other in self.comparisons[1:]]
        kinds = [f"{n:,} {kind}" for kind, n in self.n_changes().items() if n]
        listed = f": {', '.join(kinds)}" if kinds else ""
        lines.append(("changed", f"{len(self.changes):,} texts get another label{listed}"))
        return lines


def compare_models(
    a: ModelLike,
    b: ModelLike,
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    groups: GroupsLike = None,
    rows: str | None = None,
    metrics: Sequence[str] = (),
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> ModelComparisonResult:
    """Say whether model B is better or worse than model A on labeled texts, and what changed.

    Both label the same texts, so the test is a paired one: McNemar's mid-p for accuracy,
    approximate randomization for other metrics. With groups, whole groups are tested, as `compare`
    does. Measure on texts that neither has seen.

    Parameters
    ----------
    a, b : TextClassifier or path
        The models, such as the one in use and the one to replace it.
    data, labels
        Labeled texts, as for `train`. Columns are those that A was trained on, unless others are
        named.
    groups : array of values, default None
        Which texts belong together, one value each, such as their author or thread; or `group`, a
        column of the data.
    rows : "all", "train", "dev", "test" or "cv", default None
        Which rows of a column `split` to measure; None means test, or else cv, or else all.
    metrics : sequence of str, default ()
        What to compare by, as for `evaluate`; the first decides. None means accuracy; for
        multi-label models, micro_f1.
    random_state : int, default 0
        The seed of the intervals and tests.
    n_jobs, **reading
        As for `train`.

    Examples
    --------
    >>> import wordplane
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> old = wordplane.TextClassifier(learner="nb").fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> new = wordplane.TextClassifier(learner="svm").fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> result = compare_models(old, new, ["great", "dull film"], ["good", "bad"])
    >>> result.verdict, len(result.changes)
    ('A and B are not distinguishable', 0)
    """
    first, second = models = [open_model(each, n_jobs) for each in (a, b)]
    refuse_time(reading)
    whole = load_corpus_for(first, data, labels, model_columns(second)["extra"], groups, **reading)
    corpus, wanted = rows_to_measure(whole, rows)
    for model in models:
        check_metrics(metrics, model, corpus)
    notes, measured = [*corpus.notes, *remarks_on_rows(corpus, compared=True)], []
    for letter, model in zip("AB", models, strict=True):
        seen = has_learned_from(model, whole, corpus, wanted)
        measured.append(measure_all(model, corpus, trained_on=seen))
        if seen:
            text = f"{letter} was trained on these texts: it looks better than it is"
            notes.append(Note("model", text))
    outcomes = [one.outcome() for one in measured]
    names = list(dict.fromkeys(metrics)) or ["micro_f1" if first.is_multilabel else "accuracy"]
    together, seed = corpus.groups, random_state
    scores = [
        {s.metric: s for s in (score_by(m, o, groups=together, random_state=seed) for m in names)}
        for o in outcomes
    ]
    compared = [
        compare_outcomes(*outcomes, metric=name, groups=together, random_state=seed)
        for name in names
    ]
    for path in (a, b):
        if not isinstance(path, TextClassifier) and wanted in ("test", "all"):
            again = count_evaluation(path, corpus, wanted)
            notes += [again] if again and again not in notes else []
    return ModelComparisonResult(
        source=corpus.source,
        notes=tuple(notes),
        rows=wanted,
        n_rows=len(corpus),
        n_groups=None if corpus.groups is None else len(np.unique(corpus.groups)),
        names=_names(a, b),
        scores=(scores[0], scores[1]),
        comparisons=tuple(compared),
        changes=tuple(_changes(measured[0], measured[1])),
    )


def _changes(a: Measurement | SetMeasurement, b: Measurement | SetMeasurement) -> Iterator[Change]:
    truth, said_a, said_b = (_label_list(part) for part in (a.truth, a.predicted, b.predicted))
    for row, (label, before, now) in enumerate(zip(truth, said_a, said_b, strict=True)):
        if before == now:
            continue
        kind = FIXED if now == label else BROKEN if before == label else OTHER
        yield Change(a.corpus.row_name(row), a.corpus.texts[row], label, before, now, kind)


def _label_list(labels: object) -> list[Labels]:
    if isinstance(labels, LabelSets):  # models may have their labels in another order
        return [tuple(sorted(row, key=str)) for row in labels.tolist()]
    assert isinstance(labels, np.ndarray)
    return list(labels.tolist())


def _labels_text(labels: Labels, separator: str = ", ") -> str:
    if isinstance(labels, tuple):
        return separator.join(map(str, labels))
    return str(labels)


def _difference(comparison: PairedComparison) -> str:
    metric, (low, high) = comparison.metric, comparison.interval
    points = "" if metric == "log_loss" else " points"
    return (
        f"{metric} {difference_text(metric, comparison.difference)}{points} (95 % interval "
        f"{difference_text(metric, low)} to {difference_text(metric, high)}), "
        f"p = {comparison.p:.2g}"
    )


def _names(a: ModelLike, b: ModelLike) -> tuple[str, str]:
    paths = ["a model" if isinstance(each, TextClassifier) else str(each) for each in (a, b)]
    return paths[0], paths[1]
