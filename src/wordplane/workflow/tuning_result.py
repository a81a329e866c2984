"""What a search for parameters returns: all points that were tried, and the one that was chosen."""

from dataclasses import asdict, dataclass, field

from wordplane.common.html import html_paragraph, html_table
from wordplane.common.types import JsonObject, Label
from wordplane.features.subset_search import SearchResult
from wordplane.model.classifier import TextClassifier
from wordplane.selection.grid import Search, Trial
from wordplane.selection.halving import Round
from wordplane.selection.nested import Nested
from wordplane.workflow.result import Result

N_SHOWN = 12  # points of a search among several learners
LEGEND = (
    "* chosen; p: on the front of {}, size and time; ±: 95 % interval of such a model, chosen in "
    "advance\n(the best of many is a little too good: --nested measures by how much)"
)


@dataclass(frozen=True, repr=False)
class TuningResult(Result):
    """All points that were tried, and the one that was chosen.

    search     the points that were tried on all rows
    rounds     if several learners were searched, the points that were tried on how many rows
    best       the parameters that were chosen, as `learner__C` or `analyzer__min_df`
    best_learner  the name of the learner that was chosen
    groups     the groups of features that were tried, if they were searched
    nested     how good the search itself is, if that was asked for
    majority_accuracy, random_accuracy
               of always guessing the most frequent label, and of guessing each by its share
    majority_score  the metric of always guessing the most frequent label, with the shares of the
               labels as probabilities
    model      a classifier with these parameters, trained if it was saved
    path       where the model was saved; None if it was not
    """

    source: str
    notes: tuple[str, ...]
    learner: str
    n_rows: int
    folds: int
    splits: str
    search: Search
    groups: SearchResult | None
    winner: Trial
    nested: Nested | None
    majority_label: Label
    majority_accuracy: float
    random_accuracy: float | None  # None for multi-label texts
    majority_score: float
    model: TextClassifier = field(repr=False)
    path: str | None = None
    rounds: tuple[Round, ...] = ()

    @property
    def best_learner(self) -> str:
        """The learner that was chosen."""
        return self.winner.learner or self.learner

    @property
    def best(self) -> JsonObject:
        """The parameters that were chosen."""
        return self.winner.parameters

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        shown: JsonObject = {
            "source": self.source,
            "notes": list(self.notes),
            "metric": self.search.metric,
            "splits": self.splits,
            "best": self.best,
            "best_learner": self.best_learner,
            "majority_label": self.majority_label,
            "majority_accuracy": self.majority_accuracy,
            "random_accuracy": self.random_accuracy,
            "complete": self.search.complete,
            "trials": [self._trial_dict(trial) for trial in self.search.trials],
        }
        if self.rounds:
            shown["rounds"] = [
                {
                    "n_rows": each.n_rows,
                    "trials": [self._trial_dict(trial) for trial in each.trials],
                }
                for each in self.rounds
            ]
        if self.groups is not None:
            shown["groups"] = asdict(self.groups)
        if self.nested is not None:
            mean, interval = self.nested.mean, self.nested.interval
            chosen = {"scores": self.nested.scores, "chosen": self.nested.chosen}
            shown["nested"] = {**chosen, "mean": mean, "interval": interval}
        return shown

    def __str__(self) -> str:
        lines = []
        if self.groups is not None:
            lines.append(f"features  {self._groups_text()}")
        metric = self.search.metric
        lines.append(f"tuned     {self.learner} on {self.n_rows:,} texts, {self.splits}")
        if len(self.rounds) > 1:
            lines.append(f"searched  {self._rounds_text()}")
        lines.append(f"\n{metric:>18}  {'features':>10}  {'seconds':>8}  parameters")
        rows = self._rows()
        n_shown = N_SHOWN if self.rounds else len(rows)
        for marks, value, features, seconds, parameters in rows[:n_shown]:
            lines.append(f"{marks} {value:>15}  {features:>10}  {seconds:>8}  {parameters}")
        if len(rows) > n_shown:
            lines.append(f"  and {len(rows) - n_shown} others")
        lines.append(f"\n{LEGEND.format(metric)}")
        lines.append(f"baseline  {self._baseline_text()}")
        if self.path is not None:
            lines.append(f"model     {self.path}")
        if self.nested is not None:
            lines.append(f"nested    {self._nested_text()}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: the points as a table, the best first."""
        caption = f"{self.learner} on {self.n_rows:,} texts, {self.splits}"
        names = ["", self.search.metric, "features", "seconds", "parameters"]
        table = html_table(names, self._rows(), caption)
        nested = "" if self.nested is None else html_paragraph(f"Nested: {self._nested_text()}")
        if self.groups is not None:
            table = html_paragraph(f"Features: {self._groups_text()}") + table
        baseline = html_paragraph(f"Baseline: {self._baseline_text()}")
        legend = html_paragraph(LEGEND.format(self.search.metric))
        return table + legend + baseline + nested

    def _rows(self) -> list[tuple[str, str, str, str, str]]:
        front = self.search.pareto_front()
        return [
            (
                ("*" if trial is self.winner else " ") + ("p" if trial in front else " "),
                f"{self._text(trial.mean)} ± {self._half(trial)}",
                f"{trial.n_features:,.0f}",
                f"{trial.seconds:.2f}",
                _parameters_text(trial),
            )
            for trial in sorted(self.search.trials, key=lambda trial: -self.search.gain(trial))
        ]

    def _half(self, trial: Trial) -> str:
        low, high = trial.interval
        return self._text((high - low) / 2)

    def _text(self, value: float) -> str:
        """A mean of the metric: with a digit more than `metric_text` shows."""
        return f"{value:.4f}" if self.search.metric == "log_loss" else f"{value:.2%}"

    def _trial_dict(self, trial: Trial) -> JsonObject:
        named = {"learner": trial.learner} if trial.learner else {}
        return {
            **named,
            "parameters": trial.parameters,
            self.search.metric: trial.mean,
            "interval": trial.interval,
            "n_features": trial.n_features,
            "seconds": trial.seconds,
        }

    def _rounds_text(self) -> str:
        *parts, last = self.rounds
        tried = [f"{len(part.trials)} points on {part.n_rows:,} texts" for part in parts]
        return ", ".join([*tried, f"{len(last.trials)} on all"])

    def _groups_text(self) -> str:
        assert self.groups is not None
        named = ", ".join(self.groups.subset) or "none"
        tried = f"{len(self.groups.trace)} subsets tried"
        return f"{named}: {self.groups.loss:.2%} of the texts are wrong, {tried}"

    def _baseline_text(self) -> str:
        always = f"always {self.majority_label!r} would be {self._text(self.majority_score)}"
        if self.search.metric != "accuracy" or self.random_accuracy is None:
            return always
        return f"{always}, random {self.random_accuracy:.2%}"

    def _nested_text(self) -> str:
        assert self.nested is not None
        low, high = self.nested.interval
        half = self._text((high - low) / 2)
        return f"{self._text(self.nested.mean)} ± {half} is what a search like this one comes to"


def _parameters_text(trial: Trial) -> str:
    values = [f"{name.partition('__')[2]}={value}" for name, value in trial.parameters.items()]
    chosen = ", ".join(values)
    return f"{trial.learner} {chosen or 'as it is'}" if trial.learner else chosen
