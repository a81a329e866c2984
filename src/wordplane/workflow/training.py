"""Train a model: measure it on rows held out, fit it on all rows, save it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Literal, Unpack

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, are_label_sets, as_labels_or_sets
from wordplane.common.labels import as_labels, as_model_labels
from wordplane.common.types import JsonObject, LabelArray, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.read import read
from wordplane.evaluation.metrics import Scores
from wordplane.evaluation.set_scores import SetScores
from wordplane.learners.resuming import resumable_names
from wordplane.model.classifier import TextClassifier, load
from wordplane.model.measuring import Measurement, SetMeasurement, measure
from wordplane.text.texts import as_texts
from wordplane.workflow.classifiers import (
    AnalyzerLike,
    LearnerLike,
    make_classifier,
    record_training,
)
from wordplane.workflow.evaluation_count import count_evaluation
from wordplane.workflow.inputs import (
    DataLike,
    Reading,
    load_corpus,
    load_corpus_for,
    name_of,
    training_rows,
)
from wordplane.workflow.result import (
    Line,
    Result,
    class_html,
    html_of,
    score_lines,
    shorten,
    size_text,
    text_of,
)

MANY_TEXTS = 20  # of which most should share their label with another
MAX_CLASSES_SHOWN = 8


@dataclass(frozen=True)
class TrainingResult(Result):
    """A model, how good it is, and what it was trained on.

    model      the classifier, trained on all training rows
    classes    how many texts each label has
    tested_on  which texts the scores were measured on, and by which model
    scores     None if nothing was measured
    path       where the model was saved; None if it was not
    rounds     of a learner such as EM, the likelihood and the accuracy on the texts held out in
               each round; empty for others
    measured   the texts behind the scores
    """

    model: TextClassifier = field(repr=False)
    source: str
    notes: tuple[str, ...]
    n_rows: int
    n_train: int
    n_unlabeled: int
    unlabeled_folds: JsonObject
    multilabel: bool
    classes: dict[str, int]
    tested_on: str
    scores: Scores | SetScores | None
    n_features: int
    n_unseen_features: int | None
    path: str | None
    model_bytes: int | None
    rounds: tuple[dict[str, float], ...]
    corpus: Corpus = field(repr=False)
    measured: Measurement | SetMeasurement | None = field(repr=False, default=None)

    def save(self, path: str | PathLike[str], *, resumable: bool = False) -> None:
        """Write the model to a file."""
        self.model.save(path, resumable=resumable)

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return {
            "source": self.source,
            "notes": list(self.notes),
            "n_rows": self.n_rows,
            "n_train": self.n_train,
            "n_unlabeled": self.n_unlabeled,
            "unlabeled_folds": self.unlabeled_folds,
            "n_test": 0 if self.scores is None else self.scores.n,
            "multilabel": self.multilabel,
            "classes": self.classes,
            "tested_on": self.tested_on,
            "scores": None if self.scores is None else self.scores.to_dict(),
            "n_features": self.n_features,
            "n_unseen_features": self.n_unseen_features,
            "model": self.path,
            "model_bytes": self.model_bytes,
            "rounds": list(self.rounds),
        }

    def __str__(self) -> str:
        return text_of(self._lines())

    def _repr_html_(self) -> str:
        """For notebooks: what the command prints, and the classes one by one."""
        by_class = "" if self.scores is None else class_html(self.scores.classes)
        return html_of(self._lines(), self.notes) + by_class

    def report(self, path: str | PathLike[str], *, quick: bool = False) -> None:
        """Write a page about the model and its data: how good it is, why, and what to do next."""
        from wordplane.report.page import write_report

        if self.measured is None:
            raise InputError(
                f"there is nothing to report on: the model was {self.tested_on}; mark rows as test "
                "in a column `split`, or leave `test` and `calibration` at their defaults and give "
                "more texts of each class"
            )
        seed = self.model.random_state
        write_report(path, self.model, self.corpus, self.measured, quick=quick, random_state=seed)

    def _lines(self) -> list[Line]:
        classes = [f"{shorten(label)} {n:,}" for label, n in self.classes.items()]
        shown = ", ".join(classes[:MAX_CLASSES_SHOWN])
        if len(classes) > MAX_CLASSES_SHOWN:
            shown += f" and {len(classes) - MAX_CLASSES_SHOWN} more"
        kind = "labels, any number per text" if self.multilabel else "classes"
        source = self.source or "texts given in Python"
        lines = [("read", f"{source}: {self.n_rows:,} texts, {len(classes)} {kind} ({shown})")]
        if self.scores is None:
            lines.append(("accuracy", self.tested_on))
        else:
            lines.append(("tested", f"on {self.scores.n:,} texts {self.tested_on}"))
            lines += score_lines(self.scores)
        lines += [
            ("rounds" if number == 0 else "", f"{number}: {_round_text(values)}")
            for number, values in enumerate(self.rounds)
        ]
        if self.unlabeled_folds:
            lines.append(("unlabeled", self._unlabeled_text()))
        features = f"{self.n_features:,} features"
        saved = features
        if self.path is not None and self.model_bytes is not None:
            saved = f"{self.path} ({size_text(self.model_bytes)}, {features})"
        also = f" and {self.n_unlabeled:,} without labels" if self.n_unlabeled else ""
        lines.append(("model", f"{saved}, trained on {self.n_train:,} texts{also}"))
        if self.n_unseen_features is not None:
            ignored = f"{self.n_unseen_features:,} features that the model does not have"
            lines.append(("ignored", ignored))
        return lines

    def _unlabeled_text(self) -> str:
        """Whether texts without labels were used, and why."""
        folds = self.unlabeled_folds
        used = "used" if self.n_unlabeled else "not used"
        return (
            f"{used}: {folds['accuracy']:.1%} against {folds['accuracy_without']:.1%} without, log "
            f"loss {folds['log_loss']:.3f} against {folds['log_loss_without']:.3f}, by five folds"
        )


def train(
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    learner: LearnerLike = None,
    params: Mapping[str, object] | None = None,
    analyzer: AnalyzerLike = None,
    output: str | PathLike[str] | None = None,
    test: bool = True,
    calibration: str | None = "holdout",
    tune: bool = False,
    budget: float | None = None,
    unlabeled: DataLike | None = None,
    from_model: TextClassifier | str | PathLike[str] | None = None,
    resumable: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> TrainingResult:
    """Learn a model from labeled texts, and measure it on texts that it has not seen.

    A first model learns from nine tenths of the texts and is measured on the others; the model
    that is returned learns from all. If the data has a column `split`, the model learns from the
    rows marked train and is measured on those marked test (or dev), which it never learns from.

    Parameters
    ----------
    data : path, frame, Corpus or texts
        Labeled texts: a file, a pattern or several of them, a frame, a `Corpus`; or texts alone,
        with `labels`.
    labels : labels, default None
        One label per text, or for multi-label data a list of labels per text.
    learner : str or estimator, default None
        What finds the weights: a name such as "nb" or "svm", or a learner; None means the recipe.
    params : mapping, default None
        Parameters of the learner that is named.
    analyzer : Analyzer or mapping, default None
        How texts become features. A mapping changes parameters of what suits learner and texts.
    output : path, default None
        Where to save the model; an existing file is replaced.
    test : bool, default True
        Whether to measure the model. If not, it is trained once, on all rows.
    calibration : "holdout", "cv" or None, default "holdout"
        What probabilities are fitted on.
    tune : bool, default False
        First find parameters of the learner by five folds, without the rows measured on.
    budget : float, default None
        Seconds for tuning.
    unlabeled : path, frame, Corpus or texts, default None
        Texts without labels to learn from too. The recipe adds word vectors that are learned from
        them, if five folds of the labeled texts say that it helps; naive Bayes learns by EM, a
        `learner` that cannot use them by self-training.
    from_model : TextClassifier or path, default None
        Train this model further: its features, classes and learner stay.
    resumable : bool, default False
        Save what training further needs, several times the size of the weights.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        The seed.
    **reading
        How files and frames are read: `text`, `label`, `format` and the other parameters of
        `wordplane.read`.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> result = train(texts, ["good", "good", "bad", "bad"] * 5)
    >>> result.scores.accuracy
    1.0
    >>> print(result)
    read      texts given in Python: 20 texts, 2 classes (bad 10, good 10)
    tested    on 2 texts held out, by a model trained on the other 18
    accuracy  100.0% (95 % interval 34.2% to 100.0%); always 'bad' would be 50.0%, random 50.0%
    model     123 features, trained on 20 texts
    >>> result.model.predict(["so dull"]).tolist()
    ['bad']
    """
    if tune and (from_model is not None or unlabeled is not None):
        raise InputError("`tune` goes neither with `from_model` nor with `unlabeled`")
    if budget is not None and not tune:
        raise InputError("`budget` is the time for `tune`: give that too")
    calibration = calibration if test else None
    if from_model is not None:
        if learner is not None or params or analyzer or unlabeled is not None:
            raise InputError(
                "`from_model` keeps its features and its learner: leave out `learner`, `params`, "
                "`unlabeled`, and what chooses features"
            )
        classifier = _resume(from_model, calibration, n_jobs, random_state)
        corpus = _corpus_for(classifier, data, labels, reading)
    else:
        corpus = load_corpus(data, labels, **reading)
        classifier = make_classifier(
            corpus,
            learner,
            params,
            analyzer,
            unlabeled=unlabeled is not None,
            calibration=calibration,
            n_jobs=n_jobs,
            random_state=random_state,
        )
    if resumable:
        _check_resumable(classifier)
    rows = training_rows(corpus)
    if tune:
        from wordplane.workflow.tuning import tune_classifier

        tune_classifier(classifier, corpus.take(rows), budget)
    without_labels = None if unlabeled is None else _load_unlabeled(unlabeled, reading)
    _fit(classifier, corpus.take(rows), without_labels, further=from_model is not None)
    measured, tested_on = _measure(classifier, corpus, test=test, further=from_model is not None)
    scores = None if measured is None else measured.score()
    record_training(classifier, corpus, rows, tested_on, scores)
    remarks = _remarks(classifier, corpus.take(rows), further=from_model is not None)
    if output is not None:
        classifier.save(output, resumable=resumable or from_model is not None)
        test_rows = corpus.split_rows("test")
        if test and len(test_rows) > 0:
            again = count_evaluation(output, corpus.take(test_rows), "test")
            remarks += [again] if again else []
    y = as_labels_or_sets(corpus.labels)
    return TrainingResult(
        model=classifier,
        source=corpus.source,
        notes=(*corpus.notes, *remarks),
        n_rows=len(corpus),
        n_train=len(rows),
        n_unlabeled=classifier.training_.n_unlabeled,
        unlabeled_folds=classifier.training_.unlabeled_folds,
        multilabel=isinstance(y, LabelSets),
        classes={str(label): n for label, n in class_sizes(y)},
        tested_on=tested_on,
        scores=scores,
        n_features=classifier.n_features,
        n_unseen_features=classifier.n_unseen_features_ if from_model is not None else None,
        path=None if output is None else str(output),
        model_bytes=None if output is None else Path(output).stat().st_size,
        rounds=_rounds(classifier),
        corpus=corpus,
        measured=measured,
    )


def _rounds(classifier: TextClassifier) -> tuple[dict[str, float], ...]:
    """Those of the model that was measured on rows held out, if there is one."""
    holdout = classifier.holdout_
    model = classifier.model_ if holdout is None or holdout.model is None else holdout.model
    return model.training.rounds


def _round_text(values: Mapping[str, float]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value:.1%}"
        if name.endswith("accuracy")
        else f"{name.replace('_', ' ')} {value:,.1f}"
        for name, value in values.items()
    )


def class_sizes(labels: LabelArray | LabelSets) -> list[tuple[object, int]]:
    """Every label, and how many rows have it."""
    if isinstance(labels, LabelSets):
        n_rows = labels.member.sum(axis=0).tolist()
        return list(zip(labels.classes.tolist(), n_rows, strict=True))
    return sorted(Counter(labels.tolist()).items())


def _resume(
    model: TextClassifier | str | PathLike[str],
    calibration: str | None,
    n_jobs: int | None,
    random_state: int,
) -> TextClassifier:
    """The model to train further."""
    classifier = model if isinstance(model, TextClassifier) else load(model)
    if not classifier.is_resumable:
        name = "the model" if isinstance(model, TextClassifier) else str(model)
        raise InputError(
            f"{name} cannot be trained further: train it as `resumable` with one of the learners "
            f"{', '.join(resumable_names())}"
        )
    calibration = "holdout" if calibration == "holdout" else None
    return classifier.set_params(n_jobs=n_jobs, random_state=random_state, calibration=calibration)


def _corpus_for(
    classifier: TextClassifier, data: DataLike, labels: LabelsLike | None, reading: Reading
) -> Corpus:
    """More rows for a model, with labels as it has them."""
    corpus = load_corpus_for(classifier, data, labels, **reading)
    if are_label_sets(corpus.labels):
        raise InputError(f"{name_of(corpus)} has several labels per text, the model one")
    known = as_model_labels(corpus.labels or [], classifier.classes_)
    return replace(corpus, labels=known.tolist())


def _check_resumable(classifier: TextClassifier) -> None:
    learner = classifier.learner
    if learner is None or isinstance(learner, str) or not learner.state:
        name = "the recipe" if learner is None else repr(learner)
        raise InputError(
            f"{name} cannot be trained further; these can: {', '.join(resumable_names())}"
        )


def _load_unlabeled(data: DataLike, reading: Reading) -> Corpus:
    """Texts without labels, read as the labeled ones are."""
    if isinstance(data, Corpus):
        return data
    if not isinstance(data, str | PathLike):
        return Corpus(as_texts(data))
    kept = ("format", "text", "id", "encoding", "header", "delimiter", "skip_bad", "follow_links")
    given = {name: value for name, value in reading.items() if name in kept}
    return read(data, labels=False, **given)  # type: ignore[arg-type]


def _fit(
    classifier: TextClassifier, corpus: Corpus, unlabeled: Corpus | None, *, further: bool
) -> None:
    try:
        if further:
            classifier.partial_fit(corpus, as_labels(corpus.labels), corpus.weights)
        else:
            labels = as_labels_or_sets(corpus.labels)
            classifier.fit(corpus, labels, corpus.weights, unlabeled=unlabeled)
    except InputError as error:
        if not corpus.source:
            raise
        raise InputError(f"{corpus.source}: {error}") from None


def _measure(
    classifier: TextClassifier, corpus: Corpus, *, test: bool, further: bool
) -> tuple[Measurement | SetMeasurement | None, str]:
    """How good the model is on rows marked test or dev, or else on those held out, in words too."""
    parts: tuple[Literal["test", "dev"], ...] = ("test", "dev")
    for part in parts:
        rows = corpus.split_rows(part)
        if test and len(rows) > 0:
            how = f"marked {part}, never trained on"
            return measure(classifier, corpus, rows, how), how
    holdout = classifier.holdout_
    if holdout is not None:
        rows = training_rows(corpus)
        n_others = len(rows) - len(holdout.rows)
        did = "that was trained further on" if further else "trained on"
        how = f"held out, by a model {did} the other {n_others:,}"
        return measure(classifier, corpus, rows[holdout.rows], how, holdout=holdout), how
    if test and classifier.calibration == "holdout":
        return None, "not tested: no class has a row to spare"
    return None, "not tested"


def _remarks(classifier: TextClassifier, trained: Corpus, *, further: bool) -> list[str]:
    remarks, n_rows = [], len(trained)
    n_classes = len(classifier.classes_)
    if n_classes > n_rows / 2 and n_rows >= MANY_TEXTS and not further:
        remarks.append(f"{n_classes:,} classes for {n_rows:,} texts: are these the labels?")
    if n_rows > 1 and all(text == trained.texts[0] for text in trained.texts):
        remarks.append("all training texts are the same: nothing can be learned from them")
    return remarks
