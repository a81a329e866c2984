"""The result of comparing learners: a table, and a sentence about each learner."""

from dataclasses import asdict, dataclass, field
from html import escape

from wordplane.common.files import size_text
from wordplane.common.types import JsonObject
from wordplane.evaluation.label_scores import Scores
from wordplane.evaluation.measures import Score, difference_text, metric_text
from wordplane.evaluation.paired_tests import name_of_test
from wordplane.evaluation.set_scores import SetScores
from wordplane.selection.splitter import describe_folds

ALPHA = 0.05


@dataclass(frozen=True)
class LearnerResult:
    """The scores and the costs of one learner.

    train_seconds    on one core for the rows of one fold, without reading texts
    predict_seconds  on one core for all rows, without reading texts
    model_bytes      approximate size of the file of a model trained on all rows
    score            the metric that the learners are compared by
    difference       the metric minus that of the best learner
    p                the corrected p-value of the difference; 1 for the best learner
    """

    name: str
    learner: str
    scores: Scores | SetScores
    score: Score
    train_seconds: float
    predict_seconds: float
    n_features: int
    model_bytes: int
    difference: float = 0.0
    p: float = 1.0

    @property
    def distinguishable(self) -> bool:
        """Whether the difference from the best is significant."""
        return self.p < ALPHA


@dataclass(frozen=True)
class Skipped:
    """A learner that was not measured, the reason, and its estimated time if known."""

    name: str
    reason: str
    seconds: float | None = None


@dataclass(frozen=True, repr=False)
class LearnerComparison:
    """Learners ordered by the metric, and those that were not measured."""

    results: tuple[LearnerResult, ...]
    skipped: tuple[Skipped, ...]
    n_docs: int
    folds: int
    seconds: float
    reading_seconds: dict[str, float] = field(default_factory=dict)
    metric: str = "accuracy"
    by_groups: bool = False  # whether folds and tests are of whole groups
    by_time: bool = False  # whether folds follow one another in time
    repeats: int = 1

    @property
    def test(self) -> str:
        """How differences are tested."""
        if self.unit:
            of_accuracy = self.metric == "accuracy"
            return f"McNemar, {self.unit}" if of_accuracy else f"bootstrap of {self.unit}"
        return name_of_test(self.metric)

    @property
    def unit(self) -> str:
        """What is one observation, if not one prediction."""
        if self.by_groups:
            return "whole groups"
        return "texts, each with all its predictions" if self.repeats > 1 else ""

    @property
    def splits(self) -> str:
        """Such as "5 folds"."""
        return describe_folds(self.folds, self.repeats, by_time=self.by_time)

    @property
    def best(self) -> LearnerResult:
        """The learner that is best by the metric."""
        return self.results[0]

    @property
    def n_pairs(self) -> int:
        """The number of comparisons that p-values are corrected for."""
        return len(self.results) * (len(self.results) - 1) // 2

    def verdicts(self) -> list[str]:
        """A sentence about each learner other than the best."""
        test = f"{self.test}, corrected for {self.n_pairs} comparison{'s' * (self.n_pairs > 1)}"
        return [
            f"{other.name} and {self.best.name} are {_verdict(other)}: {self.metric} "
            f"{self._difference(other)}, {_p(other.p)} ({test})"
            for other in self.results[1:]
        ]

    def _difference(self, result: LearnerResult) -> str:
        points = "" if self.metric == "log_loss" else " points"
        return difference_text(self.metric, result.difference) + points

    @property
    def table(self) -> list[dict[str, str]]:
        """The rows of the printed table, by column."""
        rows = [
            {
                "learner": r.name,
                **_usual(r.scores),
                **self._chosen(r),
                "train": f"{r.train_seconds:.3f} s",
                "predict": f"{r.predict_seconds:.3f} s",
                "model": size_text(r.model_bytes),
                "vs. the best": "the best"
                if r is self.best
                else f"{_verdict(r)} ({self._difference(r)}, {_p(r.p)})",
            }
            for r in self.results
        ]
        empty = dict.fromkeys(rows[0], "")
        for name, values in _baselines(self.best.scores).items():
            shown = {measure: f"{value:.1%}" for measure, value in values.items()}
            rows.append({**empty, "learner": name, **shown})
        return rows

    def _chosen(self, result: LearnerResult) -> dict[str, str]:
        """The column of the metric, if it is not there anyway."""
        usual = ("micro_f1",) if isinstance(result.scores, SetScores) else ()
        if self.metric in ("accuracy", "macro_f1", *usual):
            return {}
        value = metric_text(self.metric, result.score.value)
        if result.score.interval is None:
            return {self.metric: value}
        low, high = (metric_text(self.metric, bound) for bound in result.score.interval)
        return {self.metric: f"{value} ({low.rstrip('%')} to {high.rstrip('%')})"}

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        results = [{**asdict(r), "distinguishable": r.distinguishable} for r in self.results]
        return {**asdict(self), "results": results, "n_comparisons": self.n_pairs}

    def __str__(self) -> str:
        rows = self.table
        widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in rows[0]}
        lines = [dict(zip(widths, widths, strict=True)), *rows]
        text = ["  ".join(row[name].ljust(w) for name, w in widths.items()) for row in lines]
        text += [f"{s.name.ljust(widths['learner'])}  skipped: {s.reason}" for s in self.skipped]
        return "\n".join(line.rstrip() for line in text)

    def _repr_html_(self) -> str:
        rows = self.table
        head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
        body = [
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row.values()) + "</tr>"
            for row in rows
        ]
        body += [
            f'<tr><td>{escape(s.name)}</td><td colspan="{len(rows[0]) - 1}">skipped: '
            f"{escape(s.reason)}</td></tr>"
            for s in self.skipped
        ]
        notes = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.verdicts())
        return f"<table><tr>{head}</tr>{''.join(body)}</table><ul>{notes}</ul>"


def _usual(scores: Scores | SetScores) -> dict[str, str]:
    """The columns that every comparison has."""
    macro_f1 = _share(scores.macro_f1, scores.macro_f1_interval)
    if isinstance(scores, SetScores):
        return {
            "micro F1": _share(scores.micro_f1, scores.micro_f1_interval),
            "macro F1": macro_f1,
            "exact": _share(scores.subset_accuracy, scores.subset_accuracy_interval),
        }
    return {"accuracy": _share(scores.accuracy, scores.interval), "macro F1": macro_f1}


def _baselines(scores: Scores | SetScores) -> dict[str, dict[str, float]]:
    """What guessing comes to, by the same columns."""
    if isinstance(scores, SetScores):
        f1 = {"micro F1": scores.majority_micro_f1, "macro F1": scores.majority_macro_f1}
        return {"majority": {**f1, "exact": scores.majority_subset_accuracy}}
    return {
        "majority": {"accuracy": scores.majority_accuracy, "macro F1": scores.majority_macro_f1},
        "random": {"accuracy": scores.random_accuracy, "macro F1": scores.random_macro_f1},
    }


def _verdict(result: LearnerResult) -> str:
    return "distinguishable" if result.distinguishable else "not distinguishable"


def _p(p: float) -> str:
    return f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"


def _share(value: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{value:.1%} ({100 * low:.1f} to {100 * high:.1f})"
