"""Train a model: measure it on rows held out, fit it on all rows, save it."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal, Unpack

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, as_labels_or_sets
from wordplane.common.types import Label, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.read import read
from wordplane.evaluation.requirements import Requirement
from wordplane.learners.registry import learns_one_label
from wordplane.learners.resuming import resumable_names
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.incremental import can_resume
from wordplane.model.classifier import TextClassifier
from wordplane.model.decision import USUAL_KIND
from wordplane.model.measuring import Measurement, SetMeasurement, measure, score_order
from wordplane.model.remote import is_remote
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents
from wordplane.text.texts import as_texts
from wordplane.workflow.block_training import train_on_blocks
from wordplane.workflow.classifiers import (
    AnalyzerLike,
    LearnerLike,
    make_classifier,
    record_training,
)
from wordplane.workflow.evaluation_count import count_evaluation
from wordplane.workflow.further_training import (
    corpus_for,
    moved_in,
    new_classes,
    remove_texts,
    resume_model,
)
from wordplane.workflow.inputs import (
    DaskLike,
    DataLike,
    GroupsLike,
    Reading,
    load_corpus,
    load_partly_labeled,
    training_rows,
)
from wordplane.workflow.one_label import OneLabelTraining
from wordplane.workflow.placement import Placement
from wordplane.workflow.remarks import remarks_on
from wordplane.workflow.removal import model_to_repeat, removal_note, texts_that_remain
from wordplane.workflow.training_result import TrainingResult, class_sizes


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
    calibrator: str = USUAL_KIND,
    metric: str | None = None,
    require: str | None = None,
    chain: bool | Sequence[Label] = False,
    tune: bool = False,
    budget: float | None = None,
    unlabeled: DataLike | None = None,
    groups: GroupsLike = None,
    from_model: TextClassifier | str | PathLike[str] | None = None,
    forget: float = 0.0,
    remove: bool = False,
    rest: DataLike | None = None,
    resumable: bool = False,
    memory: int | None = None,
    blocks: bool | None = None,
    scratch: str | PathLike[str] | None = None,
    resume: bool = False,
    report: str | PathLike[str] | None = None,
    dask: DaskLike | None = None,
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
    calibrator : "power", "temperature", "platt" or "isotonic", default "power"
        What kind of function probabilities are of scores.
    metric : str, default None
        What the labels are to be best by, on the rows that probabilities are fitted on: accuracy,
        micro_f1, macro_f1, weighted_f1, macro_recall, mcc, kappa, f1:LABEL, or f1 for the rarer of
        two classes; or threshold:LABEL=0.3 for one of two classes from this probability on. None
        means the learner's own boundary.
    require : str, default None
        "precision(LABEL)>=SHARE" or "recall(LABEL)>=SHARE": give the label from the score on that
        meets this on new texts with 95 % confidence, as a fifth of the texts, held out, shows. The
        model that was shown to meet it is returned; it is not trained on those texts. A
        `RequirementError` if that cannot be shown.
    chain : bool or list of labels, default False
        Of multi-label texts: decide each label with those before it in mind, the most frequent
        first, or in this order.
    tune : bool, default False
        First find parameters of the learner by five folds, without the rows measured on.
    budget : float, default None
        Seconds for tuning.
    unlabeled : path, frame, Corpus or texts, default None
        Texts without labels to learn from too. The recipe adds word vectors that are learned from
        them, if five folds of the labeled texts say that it helps; naive Bayes learns by EM, a
        `learner` that cannot use them by self-training. With the learner "pu", texts whose label
        is missing (None) are such texts too.
    groups : values, default None
        Which texts belong together (author, thread, customer), one value per text: the rows held
        out are whole groups, and intervals come from groups. Files have `group`, the name of a
        column.
    from_model : TextClassifier or path, default None
        Train this model further, by its own learner. New words and new classes are added to it.
    forget : float, default 0
        With `from_model`, the share of what it has learned that it forgets first.
    remove : bool, default False
        Take the texts out of `from_model` again, which learned from them, instead of learning from
        them. Naive Bayes, if the model is resumable, needs nothing else; others need `rest`.
    rest : path, frame or Corpus, default None
        With `remove`, the training data of the model, with the texts to remove or without them.
        The model is trained again on what remains, by its own features and learner; a note says
        how far from the optimum the weights of an SVM or a logistic regression can be.
    resumable : bool, default False
        Save what training further needs, several times the size of the weights.
    memory : int, default None
        Bytes that training may take; None means most of what is free. If all texts would take
        more, they are trained on in blocks on disk (docs/scale.md).
    blocks : bool, default None
        Whether to train on blocks, whatever `memory` says.
    scratch : path, default None
        The folder for blocks; None means the system's folder for temporary files.
    resume : bool, default False
        Go on where a training of the same files on blocks, with the same parameters and `scratch`,
        was killed: behind its last finished pass.
    report : path, default None
        Where to write a page about the model, if it is measured (`TrainingResult.report`).
    dask : Client or str, default None
        Train on the workers of Dask: those of a client, of the scheduler at an address such as
        "tcp://10.0.0.1:8786", or "local" for one per core of this machine. `data` may be a frame or
        a bag of Dask, or files that all workers see (docs/scale.md).
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        The seed.
    **reading
        How files and frames are read: `text`, `label`, `format` and the other parameters of
        `wordplane.read`. With `fields`, columns of text are feature spaces of their own; with
        `vectors`, vectors beside the texts are features too.

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
    if chain is not False and (tune or resumable or from_model is not None):
        raise InputError("`chain` goes neither with `tune`, `resumable` nor `from_model`")
    if budget is not None and not tune:
        raise InputError("`budget` is the time for `tune`: give that too")
    if from_model is None and (forget or remove):
        raise InputError(
            "`forget` and `remove` are for a model that is trained further: name it "
            "with `from_model`"
        )
    if rest is not None and not remove:
        raise InputError("`rest` are the texts that remain after `remove`: give that too")
    if metric is not None and not test:
        raise InputError("`metric` needs rows to decide on, and `test` is off")
    if require is not None:
        if metric is not None or not test:
            raise InputError("`require` goes neither with `metric` nor without a `test`")
        metric = str(Requirement.parse(require))
    calibration = calibration if test else None
    one_label = learns_one_label(learner)
    if one_label and tune:
        raise InputError("`tune` needs texts of several labels, and this learner is taught one")
    blocks = False if one_label and blocks is None else blocks

    def choose(sample: Corpus, n_docs: int, n_classes: int) -> tuple[Analyzer, LinearClassifier]:
        chosen = make_classifier(
            sample,
            learner,
            params,
            analyzer,
            unlabeled=unlabeled is not None,
            n_docs=n_docs,
            n_classes=n_classes,
        )
        return chosen.choose(Documents(sample.texts), n_classes, n_docs)

    if dask is None and is_remote(data):
        raise InputError("the data are a collection of Dask: give the client too (`dask`)")
    if dask is None:
        plan = Placement.of(data, labels, reading, memory, blocks, choose, n_jobs)
    else:
        plan = Placement.on_dask(memory)
    if resume and not plan.on_blocks:
        raise InputError(
            "`resume` continues a training on blocks, and this one would be in memory: give "
            "`memory` as before"
        )
    if plan.on_blocks:
        refused = {
            "`report`": report is not None,
            "`tune`": tune,
            "`unlabeled`": unlabeled is not None,
            "`from_model`": from_model is not None,
            "`resumable`": resumable,
            "`group`": groups is not None or reading.get("group") is not None,
            "`fields`": bool(reading.get("fields")),
            "`vectors`": reading.get("vectors") is not None,
            "`require`": require is not None,
            "`chain`": chain is not False,
            "this `learner`": one_label,
        }
        for what, asked in refused.items():
            if asked:
                raise InputError(
                    f"{what} needs all texts in memory (`blocks`): {plan.why or 'as asked'}"
                )
        return train_on_blocks(
            data if labels is None else load_corpus(data, labels),
            plan,
            learner,
            params,
            analyzer,
            output=output,
            test=test,
            calibration=calibration,
            calibrator=calibrator,
            metric=metric,
            scratch=scratch,
            resume=resume,
            dask=dask,
            n_jobs=n_jobs,
            random_state=random_state,
            **reading,
        )
    others: Corpus | None = None
    further = from_model is not None and rest is None
    if from_model is not None and (learner or params or analyzer or unlabeled is not None):
        raise InputError(
            "`from_model` keeps its features and its learner: leave out `learner`, `params`, "
            "`unlabeled`, and what chooses features"
        )
    if from_model is not None and rest is not None:
        rule = calibration, calibrator, metric, n_jobs, random_state
        base, classifier = model_to_repeat(from_model, *rule)
        corpus = texts_that_remain(base, data, labels, rest, groups, reading)
    elif from_model is not None:
        classifier = resume_model(from_model, calibration, n_jobs, random_state)
        classifier.metric = metric or classifier.metric
        corpus = corpus_for(classifier, data, labels, groups, reading)
        before = classifier.model_
    else:
        if one_label:
            corpus, others = load_partly_labeled(data, labels, groups, **reading)
        else:
            corpus = load_corpus(data, labels, groups, **reading)
        classifier = make_classifier(
            corpus,
            learner,
            params,
            analyzer,
            unlabeled=unlabeled is not None or others is not None,
            calibration=calibration,
            calibrator=calibrator,
            metric=metric,
            chain=chain,
            n_jobs=n_jobs,
            random_state=random_state,
        )
    if resumable:
        _check_resumable(classifier)
    rows = training_rows(corpus)
    if remove and further:
        return remove_texts(classifier, corpus.take(rows), output)
    if tune:
        from wordplane.workflow.tuning import tune_classifier

        tune_classifier(classifier, corpus.take(rows), budget)
    without_labels = others if unlabeled is None else _load_unlabeled(unlabeled, reading, others)
    _fit(classifier, corpus.take(rows), without_labels, forget, further=further)
    measured, tested_on = _measure(classifier, corpus, test=test, further=further)
    taught = None
    if one_label:
        taught = OneLabelTraining.of(classifier, corpus, rows)
        if isinstance(measured, Measurement) and len(measured.true_labels) == 1:
            measured, tested_on = None, taught.tested_on
    scores = None if measured is None else measured.score()
    record_training(classifier, corpus, rows, tested_on, scores)
    has_more = without_labels is not None
    remarks = remarks_on(classifier, corpus.take(rows), further=further, unlabeled=has_more)
    if rest is not None:
        remarks.append(removal_note(classifier))
    if output is not None:
        classifier.save(output, resumable=resumable or further)
        test_rows = corpus.split_rows("test")
        if test and len(test_rows) > 0:
            again = count_evaluation(output, corpus.take(test_rows), "test")
            remarks += [again] if again else []
    y = as_labels_or_sets(corpus.labels)
    result = TrainingResult(
        model=classifier,
        source=corpus.source,
        notes=(*corpus.notes, *plan.notes, *remarks),
        n_rows=len(corpus),
        n_train=len(rows) if require is None else classifier.training_.n_docs or 0,
        n_unlabeled=classifier.training_.n_unlabeled,
        unlabeled_folds=classifier.training_.unlabeled_folds,
        multilabel=isinstance(y, LabelSets),
        classes={str(label): n for label, n in class_sizes(y)},
        tested_on=tested_on,
        scores=scores,
        n_features=classifier.n_features,
        n_unseen_features=classifier.n_unseen_features_ if further else None,
        moved=moved_in(before, classifier, corpus.take(rows)) if further else (),
        new_classes=new_classes(before, classifier) if further else (),
        path=None if output is None else str(output),
        model_bytes=None if output is None else Path(output).stat().st_size,
        rounds=_rounds(classifier),
        corpus=corpus,
        measured=measured,
        ordered=score_order(measured),
        one_label=taught,
    )
    if report is not None and measured is not None:
        result.report(report)
    return result


def _rounds(classifier: TextClassifier) -> tuple[dict[str, float], ...]:
    """Those of the model that was measured on rows held out, if there is one."""
    holdout = classifier.holdout_
    model = classifier.model_ if holdout is None or holdout.model is None else holdout.model
    return model.training.rounds


def _check_resumable(classifier: TextClassifier) -> None:
    learner = classifier.learner
    if not can_resume(learner):
        name = "the recipe" if learner is None else repr(learner)
        raise InputError(
            f"{name} cannot be trained further; these can: {', '.join(resumable_names())}"
        )


def _load_unlabeled(data: DataLike, reading: Reading, others: Corpus | None) -> Corpus:
    """Texts without labels, read as the labeled ones are, and after others without labels."""
    kept = ("format", "text", "id", "encoding", "header", "delimiter", "skip_bad", "follow_links")
    given = {name: value for name, value in reading.items() if name in kept}
    if isinstance(data, Corpus):
        corpus = data
    elif isinstance(data, str | PathLike):
        corpus = read(data, labels=False, **given)  # type: ignore[arg-type]
    else:
        corpus = Corpus(as_texts(data))
    return corpus if others is None else Corpus(Texts.join([others.texts, corpus.texts]))


def _fit(
    classifier: TextClassifier,
    corpus: Corpus,
    unlabeled: Corpus | None,
    forget: float,
    *,
    further: bool,
) -> None:
    try:
        if further:
            classifier.partial_fit(
                corpus,
                as_labels_or_sets(corpus.labels),
                corpus.weights,
                groups=corpus.groups,
                forget=forget,
            )
        else:
            labels = as_labels_or_sets(corpus.labels)
            classifier.fit(
                corpus, labels, corpus.weights, unlabeled=unlabeled, groups=corpus.groups
            )
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
        whole = "held out" if corpus.groups is None else "held out in whole groups"
        how = f"{whole}, by a model {did} the other {n_others:,}"
        if holdout.decision.guarantee is not None:
            how += "; the threshold was chosen on them too"
        return measure(classifier, corpus, rows[holdout.rows], how, holdout=holdout), how
    if test and classifier.calibration == "holdout":
        return None, "not tested: no class has a row to spare"
    return None, "not tested"
