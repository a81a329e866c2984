"""Measure a model on labeled texts."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.html import html_table
from wordplane.common.labels import check_known
from wordplane.common.types import FloatArray, JsonObject, Label, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.evaluation.confusion import most_confused
from wordplane.evaluation.hierarchy import Hierarchy, LevelScores, score_levels
from wordplane.evaluation.intervals import Interval, percentile_interval
from wordplane.evaluation.label_scores import Scores, resample_means
from wordplane.evaluation.measures import Score, score_by
from wordplane.evaluation.ordered_scores import OrderedScores
from wordplane.evaluation.reliability import Reliability, brier_score, top_label_reliability
from wordplane.evaluation.resampling import N_RESAMPLES
from wordplane.evaluation.set_scores import SetScores
from wordplane.model.classifier import TextClassifier, load
from wordplane.model.fingerprint import TRAINED_ON, was_trained_on
from wordplane.model.measuring import (
    Measurement,
    SetMeasurement,
    check_labels,
    measure,
    measure_unseen,
    score_order,
)
from wordplane.workflow.beside_labels import beside_labels, beside_lines, level_lines
from wordplane.workflow.evaluation_count import count_evaluation
from wordplane.workflow.inputs import (
    DaskLike,
    DataLike,
    GroupsLike,
    Reading,
    load_corpus_for,
    name_of,
    rows_to_measure,
)
from wordplane.workflow.prediction import Wanted
from wordplane.workflow.result import (
    Line,
    Result,
    accuracy_text,
    between,
    class_html,
    class_table,
    html_of,
    ordered_lines,
    score_lines,
    text_of,
)
from wordplane.workflow.slices import Slices, slice_by

N_CONFUSED = 5


@dataclass(frozen=True)
class EvaluationResult(Result):
    """How good a model is on some rows.

    rows           which rows were measured: all, train, dev or test
    scores         accuracy, macro F1 and log-loss with intervals and baselines; for a multi-label
                   model micro F1, macro F1, exact matches and Hamming loss
    reliability    whether probabilities can be trusted; None for a multi-label model
    brier          the Brier score; None for a multi-label model
    bootstrap      percentiles of the accuracy of resampled rows, if asked for
    metrics        further metrics by name, with 95 % intervals, if asked for
    slices         the metrics on the rows of each value of a column, if asked for
    beside         how good the likeliest labels, confident labels and sets of labels are, if asked
                   for
    levels         how good it is at every level of labels such as a/b/c, if asked for
    ordered        of a learner that takes labels to be in order, how far they are off
    on_dask        whether workers of Dask have the texts, so that those of `corpus` are empty
    most_confused  (true label, predicted label, texts), the commonest first
    """

    source: str
    notes: tuple[str, ...]
    rows: str
    scores: Scores | SetScores
    reliability: Reliability | None
    brier: float | None
    most_confused: tuple[tuple[Label, Label, float], ...]
    bootstrap: Interval | None
    metrics: dict[str, tuple[float, Interval]]
    slices: Slices | None
    beside: dict[str, float]
    model: TextClassifier = field(repr=False)
    corpus: Corpus = field(repr=False)
    measured: Measurement | SetMeasurement = field(repr=False)
    ordered: OrderedScores | None = None
    levels: tuple[LevelScores, ...] = ()
    on_dask: bool = False

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        shown: JsonObject = {"rows": self.rows, "notes": list(self.notes), **self.scores.to_dict()}
        shown["metrics"] = {name: list(held) for name, held in self.metrics.items()}
        if self.slices is not None:
            shown["by"] = self.slices.to_dict()
        if self.reliability is not None:
            shown |= self.beside
            if self.levels:
                shown["levels"] = [level.to_dict() for level in self.levels]
            if self.ordered is not None:
                shown["ordered"] = self.ordered.to_dict()
            shown["brier"] = self.brier
            shown["bootstrap"] = self.bootstrap
            shown["reliability"] = self.reliability.to_dict()
            shown["most_confused"] = [list(mistake) for mistake in self.most_confused]
        return shown

    def __str__(self) -> str:
        lines = [text_of(self._lines()), "", *class_table(self.scores.classes)]
        if isinstance(self.scores, Scores):
            s = self.scores
            width = max(len("label"), *(len(str(c.label)) for c in s.classes))
            macro = f"{s.macro_precision:>9.1%}  {s.macro_recall:>6.1%}  {s.macro_f1:>6.1%}"
            lines.append(f"{'macro':{width}}  {s.n:>8,}  {macro}")
        if self.most_confused:
            lines += ["", "commonest mistakes"]
        lines += [f"  {n:,.0f} of {true} called {said}" for true, said, n in self.most_confused]
        if self.slices is not None:
            lines += ["", str(self.slices)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: what the command prints."""
        html = html_of(self._lines(), self.notes) + class_html(self.scores.classes)
        if self.most_confused:
            mistakes = [(true, said, f"{n:,.0f}") for true, said, n in self.most_confused]
            html += html_table(["label", "called", "texts"], mistakes, "commonest mistakes")
        return html if self.slices is None else html + self.slices._repr_html_()

    def report(self, path: str | PathLike[str], *, quick: bool = False) -> None:
        """Write a page about the model on these rows, without training models if `quick`."""
        from wordplane.report.page import write_report

        if self.on_dask:
            raise InputError("a report needs the texts here: evaluate without `dask`")
        measured = self.measured
        if measured.trained_on:
            measured = measure_unseen(self.model, self.corpus)
        seed = self.model.random_state
        write_report(path, self.model, self.corpus, measured, quick=quick, random_state=seed)

    def _groups_text(self) -> str:
        groups = self.corpus.groups
        n = 0 if groups is None else len(np.unique(groups))
        return f" in {n:,} groups; intervals are of whole groups" if n else ""

    def _lines(self) -> list[Line]:
        s = self.scores
        marked = "" if self.rows == "all" else f" marked {self.rows}"
        lines = [("measured", f"{s.n:,} texts{marked}{self._groups_text()}")]
        metrics = [(name, str(Score(name, *held))) for name, held in self.metrics.items()]
        if not isinstance(s, Scores):
            return [*lines, *score_lines(s), *metrics]
        lines.append(("accuracy", accuracy_text(s)))
        if self.bootstrap is not None:
            how = f"{between(self.bootstrap)} is the 95 % interval of the accuracy by resampling"
            lines.append(("bootstrap", how))
        macro = (
            f"{s.macro_f1:.1%} (95 % interval {between(s.macro_f1_interval)}); always "
            f"{s.majority_label!r} would be {s.majority_macro_f1:.1%}, "
            f"random {s.random_macro_f1:.1%}"
        )
        lines += [("macro F1", macro), *ordered_lines(self.ordered), *metrics]
        if s.log_loss is not None and s.log_loss_interval is not None:
            low, high = s.log_loss_interval
            loss = (
                f"{s.log_loss:.4f} (95 % interval {low:.4f} to {high:.4f}); the shares of the "
                f"classes would be {s.prior_log_loss:.4f}"
            )
            lines.append(("log-loss", loss))
        if self.reliability is not None:
            r = self.reliability
            lines.append(
                (
                    "certain",
                    f"mean confidence {r.confidence:.1%}, accuracy {r.right:.1%}; calibration "
                    f"error {r.ece:.1%}",
                )
            )
        return [*lines, *beside_lines(self.beside), *level_lines(self.levels)]


def evaluate(
    model: TextClassifier | str | PathLike[str],
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    rows: str | None = None,
    bootstrap: bool = False,
    metrics: Sequence[str] = (),
    by: str | None = None,
    groups: GroupsLike = None,
    top_k: int | None = None,
    min_confidence: float | None = None,
    set_confidence: float | None = None,
    separator: str | None = None,
    count_beside: str | PathLike[str] | None = None,
    dask: DaskLike | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> EvaluationResult:
    """Measure a model on labeled texts, beside what guessing would give.

    Parameters
    ----------
    model : TextClassifier or path
        The model.
    data, labels
        Labeled texts, as for `train`. Columns are those that the model was trained on, unless
        others are named.
    rows : "all", "train", "dev" or "test", default None
        Which rows of a column `split` to measure; None means test if there are any, else all.
    bootstrap : bool, default False
        Also give the bootstrap interval of the accuracy, beside Wilson's.
    metrics : sequence of str, default ()
        Further metrics with intervals: micro_f1, weighted_f1, macro_recall, mcc, kappa,
        quadratic_kappa, log_loss, f1:LABEL, ap:LABEL, auc:LABEL, precision@K, recall@K, ndcg@K,
        lrap.
    by : str, default None
        A column: also measure the rows of each of its values by themselves, by `metrics` or else
        by accuracy and macro F1 (multi-label: micro F1 and exact matches).
    groups : values, default None
        Which texts belong together (author, thread, customer), one value per text: intervals are
        of resampled groups, because texts of a group are right or wrong together. Files have
        `group`, the name of a column.
    top_k : int, default None
        Also tell how often the label is among the k likeliest.
    min_confidence : float, default None
        Also tell how many texts get a label with this probability or more, and how many are right.
    set_confidence : float, default None
        Also tell how often sets of labels contain the label, and how large they are.
    separator : str, default None
        Of labels such as a/b/c: also tell how good every level is; with `min_confidence`, how many
        texts get a label, or the part of one, of so much probability.
    count_beside : path, default None
        The file of the model: how often the same test rows are measured is counted beside it, and
        said from the second time on. None means `model`, if that is a path.
    dask : Client or str, default None
        Let the workers of Dask read and label files that all of them see, each file by one: a
        client, the address of a scheduler, or "local" (docs/scale.md).
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        The seed of the intervals.
    **reading
        How files and frames are read, as for `train`.

    Examples
    --------
    >>> import wordplane
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> model = wordplane.TextClassifier().fit(texts, ["good", "good", "bad", "bad"] * 5)
    >>> evaluate(model, ["great", "dull film"], ["good", "bad"]).scores.accuracy
    1.0
    """
    if not isinstance(model, TextClassifier):
        count_beside = model if count_beside is None else count_beside
        model = load(model)
    model.n_jobs = n_jobs
    if by is not None and not isinstance(by, str):
        raise InputError(f"`by` is {by!r:.60}, expected the name of one column")
    columns, scores = () if by is None else (by,), None
    if dask is None:
        whole = load_corpus_for(model, data, labels, columns, groups=groups, **reading)
        corpus, wanted = rows_to_measure(whole, rows)
    elif labels is not None or groups is not None:
        raise InputError(
            "`dask` measures files that all workers see: leave out `labels` and `groups`"
        )
    else:
        from wordplane.workflow.dask_evaluation import score_on_dask

        corpus, wanted, scores = score_on_dask(model, data, columns, rows, dask, reading)
    if by is not None and by not in corpus.extras:
        raise InputError(f"{name_of(corpus)}: there is no column {by!r} (`by`)")
    together = corpus.groups
    if bootstrap and together is not None:
        raise InputError(
            "`bootstrap` resamples texts one by one; with groups, the intervals are of resampled "
            "groups already: leave it out"
        )
    if was_trained_on(model.training_, corpus):
        corpus = replace(corpus, notes=(*corpus.notes, TRAINED_ON))
    measured = measure_all(model, corpus, trained_on=TRAINED_ON in corpus.notes, scores=scores)
    outcome = measured.outcome()
    scored = [
        score_by(metric, outcome, groups=together, random_state=random_state) for metric in metrics
    ]
    slices = None
    if by is not None:
        slices = slice_by(
            by, corpus.extras[by], outcome, metrics, groups=together, random_state=random_state
        )
    notes = list(corpus.notes)
    if measured.unknown_labels:
        named = ", ".join(map(repr, measured.unknown_labels))
        notes.append(f"the model does not know the labels {named}")
    if count_beside is not None and wanted in ("test", "all") and not measured.trained_on:
        again = count_evaluation(count_beside, corpus, wanted)
        notes += [again] if again else []
    Wanted(top_k, False, min_confidence, set_confidence, separator=separator).check(model)
    beside: dict[str, float] = {}
    reliability = brier = resampled = None
    mistakes: list[tuple[Label, Label, float]] = []
    levels: tuple[LevelScores, ...] = ()
    if isinstance(measured, Measurement):
        truth, classes, P = measured.truth, model.classes_, measured.probabilities
        reliability = top_label_reliability(truth, P, classes=classes)
        brier = brier_score(truth, P, classes=classes)
        if bootstrap:
            draws = resample_means(
                (~measured.wrong).astype(np.float64),
                np.ones(len(truth)),
                N_RESAMPLES,
                np.random.default_rng(random_state),
            )
            resampled = percentile_interval(draws)
        mistakes = most_confused(truth, measured.predicted, N_CONFUSED)
        beside = beside_labels(measured, top_k, min_confidence, set_confidence)
        if separator is not None:
            hierarchy = Hierarchy.of(classes.tolist(), separator)
            levels = score_levels(
                hierarchy, truth.tolist(), measured.predicted.tolist(), P, min_confidence
            )
    elif top_k is not None:
        raise InputError("`top_k` is for one label per text: choose the metric precision@K")
    return EvaluationResult(
        source=corpus.source,
        notes=tuple(notes),
        rows=wanted,
        scores=measured.score(log_loss=True, random_state=random_state),
        reliability=reliability,
        brier=brier,
        most_confused=tuple(mistakes),
        bootstrap=resampled,
        metrics={score.metric: (score.value, score.interval) for score in scored},
        slices=slices,
        beside=beside,
        model=model,
        corpus=corpus,
        measured=measured,
        ordered=score_order(measured, random_state),
        levels=levels,
        on_dask=dask is not None,
    )


def measure_all(
    model: TextClassifier, corpus: Corpus, *, trained_on: bool, scores: FloatArray | None = None
) -> Measurement | SetMeasurement:
    """What a model says of all rows, whose labels it must know in part, or has said (`scores`)."""
    check_labels(model, corpus)
    rows = np.arange(len(corpus))
    measured = measure(model, corpus, rows, scores=scores, trained_on=trained_on)
    measured = replace(measured, by_other_models=False)
    check_known(measured.true_labels, model.classes_, name_of(corpus))
    return measured
