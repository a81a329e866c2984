"""What a new model and its data lack: which classes it gets wrong, and which have too few texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Self

from wordplane.common.frozen import frozen
from wordplane.common.types import JsonObject, Label
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.audit_findings import count_text
from wordplane.evaluation.label_scores import Scores
from wordplane.evaluation.set_scores import SetScores
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.workflow.remarks import MAX_COMPARED, count_repeated
from wordplane.workflow.result import Line, between, shorten, worst_first

MIN_TEXTS = 10  # of a class
SHOWN = 3


@frozen
class WeakClass:
    """A class that is often missed: its n texts, and the label that most of its mistakes get."""

    label: Label
    n: int
    f1: float
    recall: float
    taken_for: Label | None = None
    n_taken: int = 0

    def __str__(self) -> str:
        texts = count_text(self.n, "text", "texts")
        found = f"{shorten(repr(self.label))}: F1 {self.f1:.1%}, {self.recall:.1%} of {texts} found"
        if self.taken_for is None:
            return found
        return f"{found}; {self.n_taken:,} taken for {shorten(repr(self.taken_for))}"


@frozen
class WeakSpots:
    """What to mend first.

    no_better      whether always giving the most frequent label would be as good
    worst          the three worst of more than two classes
    few            the classes with fewer than ten texts, and how many they have
    untested       the classes of which no text was measured
    n_repeated     texts that repeat an earlier one; None if they were not compared
    """

    no_better: bool
    worst: tuple[WeakClass, ...]
    few: dict[str, int]
    untested: tuple[str, ...]
    n_repeated: int | None

    @classmethod
    def of(
        cls,
        scores: Scores | SetScores | None,
        measured: Measurement | SetMeasurement | None,
        classes: Mapping[str, int],
        corpus: Corpus,
    ) -> Self:
        few = {label: n for label, n in classes.items() if n < MIN_TEXTS}
        n_repeated = None
        if 0 < len(corpus) <= MAX_COMPARED:
            n_repeated = count_repeated(corpus.texts)
        if not isinstance(scores, Scores):
            return cls(False, (), few, (), n_repeated)
        no_better = scores.accuracy <= scores.majority_accuracy and len(scores.classes) > 1
        tested = {str(one.label) for one in scores.classes if one.n}
        untested = tuple(label for label in classes if label not in tested)
        return cls(no_better, _worst(scores, measured), few, untested, n_repeated)

    def to_dict(self) -> JsonObject:
        """As JSON can hold it."""
        return asdict(self)

    def lines(self, scores: Scores | SetScores | None, n_rows: int) -> list[Line]:
        """The same in words, to follow the accuracy."""
        lines: list[Line] = []
        if self.no_better and isinstance(scores, Scores):
            always = shorten(repr(scores.majority_label))
            lines.append(
                (
                    "warning",
                    f"no better than always {always}: the model has learned nothing useful",
                )
            )
        if isinstance(scores, Scores) and len(scores.classes) > 2:
            interval = between(scores.macro_f1_interval)
            mean = f"{scores.macro_f1:.1%} (95 % interval {interval}), the mean over all classes"
            lines.append(("macro F1", mean))
        lines += [("worst" if i == 0 else "", str(one)) for i, one in enumerate(self.worst)]
        if self.few:
            smallest = sorted(self.few.items(), key=lambda pair: (pair[1], pair[0]))
            named = _list([f"{shorten(label)} {n:,}" for label, n in smallest])
            lines.append(("few texts", f"fewer than {MIN_TEXTS} of a class: {named}"))
        if self.untested:
            named = _list([shorten(repr(label)) for label in self.untested])
            lines.append(("untested", f"no text of {named} was measured: it may never be found"))
        if self.n_repeated:
            texts = count_text(self.n_repeated, "text repeats", "texts repeat")
            of = f"{texts} an earlier one ({self.n_repeated / n_rows:.1%})"
            lines.append(("repeated", f"{of}: the estimate may be too good"))
        return lines


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _worst(scores: Scores, measured: Measurement | SetMeasurement | None) -> tuple[WeakClass, ...]:
    if len(scores.classes) < 3:
        return ()
    worst = [one for one in worst_first(scores.classes)[:SHOWN] if one.n and one.f1 < 1]
    taken: dict[Label, Counter[Label]] = {one.label: Counter() for one in worst}
    if isinstance(measured, Measurement):
        for truth, predicted in zip(measured.truth, measured.predicted, strict=True):
            if truth in taken and truth != predicted:
                taken[truth][predicted] += 1
    found = []
    for one in worst:
        weak = WeakClass(one.label, one.n, one.f1, one.recall)
        for other, n in taken[one.label].most_common(1):
            weak = replace(weak, taken_for=other, n_taken=n)
        found.append(weak)
    return tuple(found)
