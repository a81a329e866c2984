"""Edit a model: forbid, pin or cap features, refit the others, and say what that costs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.label_sets import are_label_sets
from wordplane.common.labels import as_model_labels, class_array
from wordplane.common.notes import Note
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, JsonObject, LabelArray, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.evaluation.label_scores import score
from wordplane.evaluation.measures import Score, difference_text, score_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import PairedComparison, compare_outcomes
from wordplane.model.classifier import TextClassifier, load
from wordplane.model.decision import Decision
from wordplane.model.editing import (
    Edit,
    check_editable,
    check_known,
    edit_model,
    find_columns,
)
from wordplane.model.fingerprint import fingerprint, was_trained_on
from wordplane.model.fitting import true_probabilities
from wordplane.model.plan import Plan
from wordplane.model.text_model import TextModel
from wordplane.selection.cross_validation import make_folds
from wordplane.text.documents import as_documents
from wordplane.workflow.inputs import (
    DataLike,
    GroupsLike,
    Reading,
    check_folds,
    load_corpus_for,
    name_of,
    training_rows,
)
from wordplane.workflow.result import Line, Result, html_of, shorten, size_text, text_of
from wordplane.workflow.training_steps import record_training

MOST_SHOWN = 10  # features in a line


@dataclass(frozen=True)
class EditedFeature:
    """A feature that was edited: its weights before and after; None if it is left out."""

    name: str
    edit: str  # "forbid", "pin" or "cap"
    before: float
    after: float | None


@dataclass(frozen=True)
class EditResult(Result):
    """A model that was edited.

    features    what was edited
    labels      of the model; weights above 0 speak for the second
    scores      accuracy before and after, on texts held out in folds
    comparison  of the two on the same texts
    """

    model: TextClassifier
    source: str
    notes: tuple[str, ...]
    n_rows: int
    folds: int
    features: tuple[EditedFeature, ...]
    labels: tuple[str, str]
    scores: tuple[Score, Score]
    comparison: PairedComparison
    path: str | None = None
    model_bytes: int | None = None

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return {
            "source": self.source,
            "notes": list(self.notes),
            "n": self.n_rows,
            "folds": self.folds,
            "features": [asdict(one) for one in self.features],
            "labels": list(self.labels),
            "before": asdict(self.scores[0]),
            "after": asdict(self.scores[1]),
            "comparison": self.comparison.to_dict(),
            "n_features": self.model.n_features,
            "path": self.path,
            "bytes": self.model_bytes,
        }

    def __str__(self) -> str:
        return text_of(self._lines())

    def _repr_html_(self) -> str:
        """For notebooks."""
        return html_of(self._lines(), self.notes)

    def _lines(self) -> list[Line]:
        first, second = map(shorten, self.labels)
        lines = [("weights", f"above 0 speak for {second!r}, below 0 for {first!r}")]
        for edit, heading in (("forbid", "left out"), ("pin", "pinned"), ("cap", "capped")):
            edited = [one for one in self.features if one.edit == edit]
            shown = [_feature_text(one) for one in edited[:MOST_SHOWN]]
            if len(edited) > MOST_SHOWN:
                shown.append(f"and {len(edited) - MOST_SHOWN:,} more")
            lines += [(heading, ", ".join(shown))] if edited else []
        tested = f"on {self.n_rows:,} texts, held out in {self.folds} folds"
        lines += [
            ("tested", tested),
            ("before", f"{self.scores[0].metric} {self.scores[0]}"),
            ("after", f"{self.scores[1].metric} {self.scores[1]}"),
            ("cost", self._cost()),
        ]
        size = "" if self.model_bytes is None else f"{size_text(self.model_bytes)}, "
        model = f"{size}{self.model.n_features:,} features"
        where = model if self.path is None else f"{self.path} ({model})"
        return [*lines, ("model", f"{where}, refit on {self.n_rows:,} texts")]

    def _cost(self) -> str:
        compared = self.comparison
        low, high = (difference_text(compared.metric, end) for end in compared.interval)
        difference = difference_text(compared.metric, compared.difference)
        verdict = "measurable" if compared.distinguishable else "not distinguishable from none"
        return (
            f"{compared.metric} {difference} points (95 % interval {low} to {high}), "
            f"p = {compared.p:.2g}: {verdict}"
        )


def _feature_text(one: EditedFeature) -> str:
    after = "" if one.after is None else f", is {one.after:+.3f}"
    return f"{shorten(one.name)!r} (was {one.before:+.3f}{after})"


def edit(
    model: TextClassifier | str | PathLike[str],
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    forbid: Iterable[str] = (),
    pin: Mapping[str, float] | None = None,
    cap: Mapping[str, float] | None = None,
    output: str | PathLike[str] | None = None,
    folds: int = 5,
    groups: GroupsLike = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> EditResult:
    """Forbid, pin or cap words of a model, refit the other weights, and measure what that costs.

    The weights are the optimum of the learner's own objective among those that obey (see
    `wordplane.model.editing`). For models of two classes by the recipe, NBSVM, LinearSVM with the
    squared hinge or LogisticRegression, with an l2 penalty. What it costs is measured in folds: in
    each, a model with and one without the edits learn from the other folds and label the same
    texts, so that the difference is a paired one.

    Parameters
    ----------
    model : TextClassifier or path
        The model to edit; it stays as it is.
    data, labels
        Labeled texts to refit the weights on, as for `train`: those that the model was trained on.
    forbid : list of str, default ()
        Features to leave out. Of a word, also all runs of words that have it; in a model with
        fields, `title:word` is the word in that field alone.
    pin : mapping of str to float, default None
        The weights of features by name. Above 0, a weight speaks for the second class of the model.
    cap : mapping of str to float, default None
        The largest size of the weights of features.
    output : path, default None
        Where to save the edited model.
    folds : int, default 5
        In how many parts texts are held out.
    random_state : int, default 0
        The seed of the folds and the interval.
    groups, n_jobs, **reading
        As for `train`.

    Examples
    --------
    >>> texts = ["a great film", "great fun by Smith", "a dull film", "dull and long"] * 10
    >>> y = ["good", "good", "bad", "bad"] * 10
    >>> model = TextClassifier(learner="svm").fit(texts, y)
    >>> result = edit(model, texts, y, forbid=["smith"], pin={"great": 2}, cap={"dull": 0.1})
    >>> [name for name, _ in result.model.top_features(1)["good"]]
    ['great']
    >>> {one.name: round(one.after, 6) for one in result.features if one.edit != "forbid"}
    {'dull': -0.1, 'great': 2.0}
    """
    asked = Edit.of(forbid, pin, cap)
    given = model if isinstance(model, TextClassifier) else load(model)
    base, threads = given.model_, thread_count(n_jobs)
    learner = check_editable(base)
    check_known(base.features, find_columns(base.features, asked))
    asked = asked.after(base.training.edits)
    corpus = load_corpus_for(given, data, labels, groups=groups, **reading)
    rows = training_rows(corpus)
    chosen = corpus.take(rows)
    check_folds(folds, chosen)
    y = _model_labels(chosen, base.classes)
    documents = as_documents(chosen, base.features.spec.columns.kinds)
    given_rows = documents, y, chosen.weights, threads, chosen.groups
    plan = Plan(*given_rows, analyzer=base.features.analyzer, learner=learner)
    trial = _try_out(plan, base, asked, folds, random_state)
    edited = edit_model(base, learner, documents, y, chosen.weights, asked, threads)
    training = replace(base.training, n_docs=len(rows), edits=asked.to_dict(), rounds=())
    edited = replace(edited, calibrator=trial.decision.calibrator, training=training)
    edited = trial.decision.apply(edited)
    kept = true_probabilities(edited, trial.scores, y)
    edited.training = replace(edited.training, true_probabilities=kept)
    result = TextClassifier.from_model(edited)
    result.n_jobs = n_jobs
    measured = score(y, trial.predicted[1], groups=chosen.groups, random_state=random_state)
    tested_on = f"held out in {folds} folds, by models edited alike"
    record_training(result, corpus, fingerprint(corpus.texts, rows), tested_on, measured)
    if output is not None:
        result.save(output)
    outcomes = [Outcome.of_labels(y, labeled) for labeled in trial.predicted]
    before, after = (score_by("accuracy", one, groups=chosen.groups) for one in outcomes)
    return EditResult(
        model=result,
        source=corpus.source,
        notes=(*corpus.notes, *_remarks(base, corpus, asked)),
        n_rows=len(rows),
        folds=folds,
        features=tuple(_edited(base, edited, asked)),
        labels=(str(base.classes[0]), str(base.classes[1])),
        scores=(before, after),
        comparison=compare_outcomes(
            *outcomes, names=("before", "after"), random_state=random_state
        ),
        path=None if output is None else fspath(output),
        model_bytes=None if output is None else Path(output).stat().st_size,
    )


class Trial(NamedTuple):
    """What models without and with the edits say of rows that they have not seen.

    predicted  the labels, without and with the edits
    decision   how scores with the edits become labels
    scores     those with the edits
    """

    predicted: tuple[LabelArray, LabelArray]
    decision: Decision
    scores: FloatArray


def _try_out(plan: Plan, base: TextModel, asked: Edit, folds: int, random_state: int) -> Trial:
    y, weights, classes = plan.labels, plan.weights, base.classes
    assert isinstance(y, np.ndarray)
    scores = _out_of_fold(plan, y, asked, folds, random_state)
    decisions = [Decision.of(classes, z, y, weights, base.training.metric) for z in scores]
    before, after = (
        np.asarray(decision.predict_out_of_fold(classes, z, y, weights))
        for decision, z in zip(decisions, scores, strict=True)
    )
    decision = decisions[1]
    shifted = scores[1][:, 0] + (decision.shift[0] if decision.shift else 0.0)
    return Trial((before, after), decision, shifted)


def _model_labels(corpus: Corpus, classes: LabelArray) -> LabelArray:
    """The labels of the rows, which must be those of the model."""
    if corpus.labels is None or are_label_sets(corpus.labels):
        raise InputError(f"{name_of(corpus)}: one label per text is needed")
    labels = as_model_labels(corpus.labels, classes).tolist()
    unknown = set(labels) - set(classes.tolist())
    if unknown:
        raise InputError(f"{name_of(corpus)}: the model has no label {min(unknown, key=str)!r}")
    return class_array(labels)


def _out_of_fold(
    plan: Plan, y: LabelArray, asked: Edit, folds: int, random_state: int
) -> tuple[FloatArray, FloatArray]:
    """The scores of every row without and with the edits, by models that have not seen it."""
    z = np.zeros((2, len(y), 1))
    for number, rows in enumerate(make_folds(y, folds, random_state, plan.groups)):  # type: ignore[arg-type]
        rest = np.setdiff1d(np.arange(len(y)), rows)
        part, others = plan.take(rest), plan.documents.take(rows)
        before = part.model()
        given = (part.documents, y[rest], part.weights)
        after = edit_model(before, plan.learner, *given, asked, plan.threads)
        for k, one in enumerate((before, after)):
            z[k, rows] = one.scores(others, plan.threads)
        notify("refitting", number + 1, folds)
    return z[0], z[1]


def _remarks(model: TextModel, corpus: Corpus, asked: Edit) -> Iterator[Note]:
    if model.training.edits:
        text = "the model was edited before: those edits stay, and count in the cost"
        yield Note("model", text)
    if model.training.fingerprint and not was_trained_on(model.training, corpus):
        text = "the model was trained on other texts: its weights are refit on these"
        yield Note("model", text)
    if asked.forbid and any(name.endswith("char") for name, _ in model.features.groups):
        yield Note(
            "method",
            "the model looks at characters too, which still tell of forbidden words: train one "
            "without characters to leave these out",
        )


def _edited(before: TextModel, after: TextModel, asked: Edit) -> list[EditedFeature]:
    """What has become of the features that were asked for, strongest first."""
    chosen, names = find_columns(before.features, asked), before.features.names()
    now = dict(zip(after.features.names(), after.W[:, 0].tolist(), strict=True))
    by_kind = {"forbid": chosen.forbidden, "pin": chosen.pinned, "cap": chosen.capped}
    columns = [(k, kind, names[k]) for kind, own in by_kind.items() for k in own]
    edited = [
        EditedFeature(name, kind, float(before.W[column, 0]), _shortest(now, name))
        for column, kind, name in columns
    ]
    return sorted(edited, key=lambda one: (one.edit, -abs(one.before), one.name))


def _shortest(weights: Mapping[str, float], name: str) -> float | None:
    """A 32-bit weight by the shortest number that names it; None if there is none."""
    return float(str(np.float32(weights[name]))) if name in weights else None
