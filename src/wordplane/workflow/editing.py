"""Edit a model: forbid words, pin or cap weights, refit the others, and say what that costs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple, Unpack, cast

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.files import size_text
from wordplane.common.label_sets import (
    LabelSets,
    LabelsOrSets,
    are_label_sets,
    as_labels_or_sets,
    classes_of,
    strata_of,
)
from wordplane.common.labels import as_model_labels, class_array
from wordplane.common.notes import Note
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, IntArray, JsonObject, LabelArray, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.evaluation.fold_variance import widen_score, widen_scores
from wordplane.evaluation.label_scores import Scores, score
from wordplane.evaluation.measures import Score, difference_text, score_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.paired_tests import PairedComparison, compare_outcomes
from wordplane.evaluation.set_scores import SetScores, score_sets
from wordplane.features.text_features import TextFeatures
from wordplane.model.classifier import TextClassifier
from wordplane.model.decision import Decision
from wordplane.model.editing import (
    Edit,
    bound_weights,
    check_editable,
    check_names,
    find_columns,
)
from wordplane.model.fingerprint import fingerprint, was_trained_on
from wordplane.model.fitting import true_probabilities
from wordplane.model.plan import Plan
from wordplane.model.saved_models import load_classifier
from wordplane.model.text_model import TextModel
from wordplane.selection.cross_validation import place_scores
from wordplane.selection.fold_metric import FoldMetric
from wordplane.selection.splitter import Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents, as_documents
from wordplane.text.token_spec import TokenSpec
from wordplane.workflow.inputs import (
    DataLike,
    GroupsLike,
    Reading,
    check_folds,
    load_corpus_for,
    name_of,
    refuse_time,
    training_rows,
)
from wordplane.workflow.result import Line, Result, shorten
from wordplane.workflow.training_steps import record_training

MOST_SHOWN = 10  # words or features in a line


@dataclass(frozen=True)
class ForbiddenWord:
    """A word that is masked, and how many of the texts have it."""

    word: str
    n_texts: int


@dataclass(frozen=True)
class EditedFeature:
    """A feature that was pinned or capped: its weights before and after."""

    name: str
    edit: str  # "pin" or "cap"
    before: float
    after: float


@dataclass(frozen=True, repr=False)
class EditResult(Result):
    """A model that was edited.

    forbidden   the words that the model no longer sees
    features    what was pinned and capped
    labels      of the model; with two, weights above 0 speak for the second
    scores      accuracy before and after, on texts held out in folds; micro-F1 of multi-label texts
    comparison  of the two on the same texts
    """

    model: TextClassifier = field(repr=False)
    source: str
    notes: tuple[str, ...]
    n_rows: int
    folds: int
    forbidden: tuple[ForbiddenWord, ...]
    features: tuple[EditedFeature, ...]
    labels: tuple[str, ...]
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
            "forbidden": [asdict(one) for one in self.forbidden],
            "features": [asdict(one) for one in self.features],
            "labels": list(self.labels),
            "before": asdict(self.scores[0]),
            "after": asdict(self.scores[1]),
            "comparison": self.comparison.to_dict(),
            "n_features": self.model.n_features,
            "path": self.path,
            "bytes": self.model_bytes,
        }

    def _lines(self) -> list[Line]:
        lines: list[Line] = []
        if self.forbidden:
            shown = [f"{shorten(one.word)!r} (in {one.n_texts:,} texts)" for one in self.forbidden]
            lines.append(("forbidden", _join(shown)))
        if self.features:
            first, second = map(shorten, self.labels)
            lines.append(("weights", f"above 0 speak for {second!r}, below 0 for {first!r}"))
        for edit, heading in (("pin", "pinned"), ("cap", "capped")):
            shown = [
                f"{shorten(one.name)!r} (was {one.before:+.3f}, is {one.after:+.3f})"
                for one in self.features
                if one.edit == edit
            ]
            lines += [(heading, _join(shown))] if shown else []
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


def _join(shown: list[str]) -> str:
    more = len(shown) - MOST_SHOWN
    return ", ".join([*shown[:MOST_SHOWN], *([f"and {more:,} more"] if more > 0 else [])])


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
    """Forbid words, or pin or cap weights of a model; refit the others, and measure the cost.

    A forbidden word is masked before a text is read: no n-gram, no run of characters and no form
    after a negation can tell of it. Works with any learner and any number of labels. Weights are
    pinned and capped in models of two classes by the recipe, NBSVM, LinearSVM with the squared
    hinge or LogisticRegression, with an l2 penalty: the others are the optimum of the learner's own
    objective among those that obey (see `wordplane.model.editing`). What it costs is measured in
    folds: in each, a model with and one without the edits learn from the other folds and label the
    same texts, so that the difference is a paired one.

    Parameters
    ----------
    model : TextClassifier or path
        The model to edit; it stays as it is.
    data, labels
        Labeled texts to refit the model on, as for `train`: those that it was trained on.
    forbid : list of str, default ()
        Words that the model is not to see, whatever their case, if the model ignores that; in a
        model with stems, all words with the same stem. In a model with fields, `title:word` is the
        word in that field alone.
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
    >>> result.forbidden
    (ForbiddenWord(word='smith', n_texts=10),)
    >>> {one.name: round(one.after, 6) for one in result.features}
    {'dull': -0.1, 'great': 2.0}
    """
    asked = Edit.of(forbid, pin, cap)
    given = model if isinstance(model, TextClassifier) else load_classifier(model)
    base, threads = given.model_, thread_count(n_jobs)
    asked = replace(asked, forbid=with_stem_words(asked.forbid, base.features.spec.tokens))
    learner = check_editable(base, asked)
    check_known(base.features, asked)
    refuse_time(reading)
    corpus = load_corpus_for(given, data, labels, groups=groups, **reading)
    rows = training_rows(corpus)
    chosen = corpus.take(rows)
    check_folds(folds, chosen)
    y = _model_labels(chosen, base.classes)
    documents = as_documents(chosen, base.features.spec.columns.kinds)
    forbidden = _count_texts(base.features, documents, asked.forbid)
    asked = asked.after(base.training.edits)
    before, after = _analyzers(base, asked)
    plan = Plan(
        documents, y, chosen.weights, threads, chosen.groups, analyzer=before, learner=learner
    )
    trial = _try_out(plan, replace(plan, analyzer=after), base, asked, folds, random_state)
    edited = _fit_edited(replace(plan, analyzer=after), asked)
    if edited.classes.tolist() != base.classes.tolist():
        raise InputError(f"{name_of(corpus)}: the texts do not have all classes of the model")
    training = replace(base.training, n_docs=len(rows), edits=asked.to_dict(), rounds=())
    edited = replace(edited, calibrator=trial.decision.calibrator, training=training)
    edited = trial.decision.apply(edited)
    kept = true_probabilities(edited, trial.scores, y)
    edited.training = replace(edited.training, true_probabilities=kept)
    result = TextClassifier.from_model(edited)
    result.n_jobs = n_jobs
    tested_on = f"held out in {folds} folds, by models edited alike"
    measured = _measured(y, trial.predicted[1], chosen.groups, random_state)
    record_training(result, corpus, fingerprint(corpus.texts, rows), tested_on, measured)
    if output is not None:
        result.save(output)
    outcomes = [_outcome(y, labeled) for labeled in trial.predicted]
    metric = FoldMetric.of(None, y).name
    of_before, of_after = (
        widen_score(score_by(metric, one, groups=chosen.groups), len(rows)) for one in outcomes
    )
    return EditResult(
        model=result,
        source=corpus.source,
        notes=(*corpus.notes, *_remarks(base, corpus)),
        n_rows=len(rows),
        folds=folds,
        forbidden=forbidden,
        features=tuple(_edited(base, edited, asked)),
        labels=tuple(str(label) for label in base.classes.tolist()),
        scores=(of_before, of_after),
        comparison=compare_outcomes(
            *outcomes, metric=metric, names=("before", "after"), random_state=random_state
        ),
        path=None if output is None else fspath(output),
        model_bytes=None if output is None else Path(output).stat().st_size,
    )


def with_stem_words(words: Iterable[str], tokens: TokenSpec) -> tuple[str, ...]:
    """The words, and in a model with stems all words that have the same stem as one of them.

    >>> tokens = Analyzer(stem={"films": "film", "filming": "film"}).resolve().tokens
    >>> with_stem_words(["films"], tokens)
    ('films', 'filming', 'film')
    """
    stems = tokens.stem if isinstance(tokens.stem, dict) else {}
    found: dict[str, None] = {}
    for word in words:
        field, colon, own = word.rpartition(":")
        stem = stems.get(own.lower())
        alike = [one for one in stems if stems[one] == (stem or own.lower())]
        names = [own, *alike, *([] if stem is None else [stem])]
        found |= dict.fromkeys(f"{field}{colon}{name}" for name in names)
    return tuple(found)


def check_known(features: TextFeatures, asked: Edit) -> None:
    """Raise an InputError if a feature to pin or cap is none of the model's, or is forbidden."""
    check_names(features, find_columns(features, asked).unknown)
    tokens = features.spec.tokens
    for name in (*asked.pin, *asked.cap):
        if tokens.mask(asked.forbid, name) != name:
            raise InputError(f"{name!r} is forbidden, so it can be neither pinned nor capped")


def _analyzers(base: TextModel, asked: Edit) -> tuple[Analyzer, Analyzer]:
    """How texts are read without any edits and with them."""
    before, after = base.features.analyzer, base.features.analyzer
    earlier = cast(list[str], base.training.edits.get("forbid", []))
    own = [word for word in base.features.spec.tokens.forbid if word not in earlier]
    before.forbid = own or None
    after.forbid = [*own, *asked.forbid] or None
    return before, after


def _count_texts(
    features: TextFeatures, documents: Documents, words: Iterable[str]
) -> tuple[ForbiddenWord, ...]:
    """How many texts have each word; one that none has is an error, unless its stem is known."""
    counted = []
    for word in words:
        spec = features.analyzer.set_params(forbid=[word]).resolve()
        masked = spec.mask(documents).texts
        pairs = zip(masked, documents.texts, strict=True)
        counted.append(ForbiddenWord(word, sum(one != other for one, other in pairs)))
    if counted and not any(one.n_texts for one in counted):
        check_names(features, [counted[0].word])
    return tuple(one for one in counted if one.n_texts)


class Trial(NamedTuple):
    """What models without and with the edits say of rows that they have not seen.

    predicted  the labels, without and with the edits
    decision   how scores with the edits become labels
    scores     those with the edits
    """

    predicted: tuple[LabelsOrSets, LabelsOrSets]
    decision: Decision
    scores: FloatArray


def _try_out(
    plan: Plan, edited: Plan, base: TextModel, asked: Edit, folds: int, random_state: int
) -> Trial:
    y, weights, classes = plan.labels, plan.weights, base.classes
    n_outputs = len(classes) if base.multilabel or len(classes) > 2 else 1
    z = np.full((2, len(y), n_outputs), -np.inf)
    splitter = Splitter(folds, groups=plan.groups, random_state=random_state)
    for number, (rest, rows) in enumerate(splitter.split(strata_of(y))):
        others = plan.documents.take(rows)
        for k, one in enumerate((plan.take(rest).model(), _fit_edited(edited.take(rest), asked))):
            columns = np.searchsorted(classes, one.classes)
            place_scores(z[k], rows, one.scores(others, plan.threads), columns)
        notify("refitting", number + 1, folds)
    decisions = [Decision.of(classes, scores, y, weights, base.training.metric) for scores in z]
    before, after = (
        decision.predict_out_of_fold(classes, scores, y, weights)
        for decision, scores in zip(decisions, z, strict=True)
    )
    shifted = z[1] + np.array(decisions[1].shift or 0.0)
    scores = shifted[:, 0] if n_outputs == 1 else shifted
    return Trial((before, after), decisions[1], scores)


def _fit_edited(plan: Plan, asked: Edit) -> TextModel:
    """The model of a plan whose analyzer masks forbidden words, with weights that obey."""
    model = plan.model()
    if not asked.pin and not asked.cap:
        return replace(model, learner=None)
    assert isinstance(plan.labels, np.ndarray)
    given = (plan.documents, plan.labels, plan.weights)
    return bound_weights(model, plan.learner, *given, asked, plan.threads)


def _outcome(y: LabelsOrSets, predicted: LabelsOrSets) -> Outcome:
    if isinstance(y, LabelSets) and isinstance(predicted, LabelSets):
        return Outcome.of_sets(y, predicted)
    return Outcome.of_labels(np.asarray(y), np.asarray(predicted))


def _measured(
    y: LabelsOrSets, predicted: LabelsOrSets, groups: IntArray | None, random_state: int
) -> Scores | SetScores:
    if isinstance(y, LabelSets) and isinstance(predicted, LabelSets):
        sets = score_sets(y, predicted, groups=groups, random_state=random_state)
        return widen_scores(sets, len(y))
    labels = np.asarray(y), np.asarray(predicted)
    return widen_scores(score(*labels, groups=groups, random_state=random_state), len(y))


def _model_labels(corpus: Corpus, classes: LabelArray) -> LabelsOrSets:
    """The labels of the rows, which must be those of the model."""
    if corpus.labels is None:
        raise InputError(f"{name_of(corpus)}: labels are needed")
    if are_label_sets(corpus.labels):
        y: LabelsOrSets = as_labels_or_sets(corpus.labels)
    else:
        y = class_array(as_model_labels(corpus.labels, classes).tolist())
    unknown = set(classes_of(y).tolist()) - set(classes.tolist())
    if unknown:
        raise InputError(f"{name_of(corpus)}: the model has no label {min(unknown, key=str)!r}")
    return y


def _remarks(model: TextModel, corpus: Corpus) -> Iterator[Note]:
    if model.training.edits:
        text = "the model was edited before: those edits stay, and count in the cost"
        yield Note("model", text)
    if model.training.fingerprint and not was_trained_on(model.training, corpus):
        text = "the model was trained on other texts: it is refit on these"
        yield Note("model", text)


def _edited(before: TextModel, after: TextModel, asked: Edit) -> list[EditedFeature]:
    """What has become of the features that were pinned or capped, strongest first."""
    chosen = find_columns(before.features, asked)
    names = after.features.names() if chosen.pinned or chosen.capped else []
    now = dict(zip(names, after.W[:, 0].tolist(), strict=True)) if names else {}
    edited = [
        EditedFeature(name, kind, float(before.W[column, 0]), _shortest(now[name]))
        for kind, own in (("pin", chosen.pinned), ("cap", chosen.capped))
        for column in own
        if (name := before.features.name(column)) in now
    ]
    return sorted(edited, key=lambda one: (one.edit, -abs(one.before), one.name))


def _shortest(weight: float) -> float:
    """A 32-bit weight by the shortest number that names it."""
    return float(str(np.float32(weight)))
