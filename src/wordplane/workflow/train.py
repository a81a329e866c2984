"""Train a model: measure it on rows held out, fit it on all rows, save it."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, NamedTuple, Unpack, overload

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.types import LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.learners.resuming import resumable_names
from wordplane.learners.support.incremental import can_resume
from wordplane.model.classifier import TextClassifier
from wordplane.model.word_vectors import PretrainedLike
from wordplane.workflow.inputs import (
    DataLike,
    GroupsLike,
    LabeledData,
    Reading,
    load_unlabeled,
    training_rows,
)
from wordplane.workflow.one_label import OneLabelTraining
from wordplane.workflow.placement import Placement
from wordplane.workflow.spec import SpecOptions, TrainingSpec
from wordplane.workflow.train_options import (
    ResourceOptions,
    Resources,
    TrainOptions,
    check_options,
    select_options,
)
from wordplane.workflow.training_result import TrainingResult
from wordplane.workflow.training_steps import finish_training, fit_corpus

if TYPE_CHECKING:
    from wordplane.workflow.number_training import NumberTrainingResult


@overload
def train(
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    output: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    unlabeled: DataLike | None = None,
    pretrained: PretrainedLike | None = None,
    groups: GroupsLike = None,
    target: None = None,
    **options: Unpack[TrainOptions],
) -> TrainingResult: ...


@overload
def train(
    data: DataLike,
    *,
    target: str,
    output: str | PathLike[str] | None = None,
    **options: Unpack[TrainOptions],
) -> NumberTrainingResult: ...


def train(
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    output: str | PathLike[str] | None = None,
    report: str | PathLike[str] | None = None,
    unlabeled: DataLike | None = None,
    pretrained: PretrainedLike | None = None,
    groups: GroupsLike = None,
    target: str | None = None,
    **options: Unpack[TrainOptions],
) -> TrainingResult | NumberTrainingResult:
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
    output : path, default None
        Where to save the model; an existing file is replaced.
    report : path, default None
        Where to write a page about the model, if it is measured (`TrainingResult.report`).
    unlabeled : path, frame, Corpus or texts, default None
        Texts without labels to learn from too. The recipe adds word vectors that are learned from
        them, if five folds of the labeled texts say that it helps; naive Bayes learns by EM, a
        `learner` that cannot use them by self-training. With the learner "pu", texts whose label
        is missing (None) are such texts too.
    pretrained : path, default None
        A file of word vectors: GloVe, word2vec, fastText, wink-embeddings, model2vec or WordLlama,
        plain, .gz or .zip (docs/embeddings.md). The recipe adds them, if folds of the labeled texts
        say that it helps; the model keeps one number per word and class.
    groups : values, default None
        Which texts belong together (author, thread, customer), one value per text: the rows held
        out are whole groups, and intervals come from groups. Files have `group`, the name of a
        column.
    target : str, default None
        A column of numbers to predict, in place of labels: the result is a `TextRegressor`, with
        the mean absolute error and other scores of numbers. `params` are then loss ("squared",
        "huber" or "quantile"), alpha and quantile.
    learner : str or estimator, default None
        What finds the weights: a name such as "nb" or "svm", or a learner; None means the recipe.
    params : mapping, default None
        Parameters of the learner that is named.
    analyzer : Analyzer or mapping, default None
        How texts become features. A mapping changes parameters of what suits learner and texts.
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
    resumable : bool, default False
        Save what `update` needs, several times the size of the weights.
    max_size : int, default None
        Bytes of the model's file at most: weights of 8 bits and fewer features, if need be. What is
        measured is a model of that size.
    memory : int, default None
        Bytes that training may take; None means most of what is free. If all texts would take
        more, they are trained on in blocks on disk (docs/scale.md).
    blocks : bool, default None
        Whether to train on blocks, whatever `memory` says.
    scratch : path, default None
        The folder for blocks; None means the system's folder for temporary files.
    resume : bool, default False
        Continue a training of the same files on blocks, with the same parameters and `scratch`,
        that was killed, after its last finished pass.
    dask : Client or str, default None
        Train on the workers of Dask: those of a client, of the scheduler at an address such as
        "tcp://10.0.0.1:8786", or "local" for one per core of this machine. `data` may be a frame or
        a bag of Dask, or files that all workers see (docs/scale.md).
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        The seed.
    **options
        The parameters from `learner` on, and how files and frames are read: `text`, `label`,
        `format` and the other parameters of `wordplane.read`. With `fields`, columns of text are
        feature spaces of their own; with `vectors`, vectors next to the texts are features too.
        With `time`, a column of dates or numbers, the latest tenth of the texts is held out, and
        the model that is measured learned from earlier ones alone.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull and long"] * 5
    >>> result = train(texts, ["good", "good", "bad", "bad"] * 5)
    >>> result.scores.accuracy
    1.0
    >>> print(result)
    read      texts given in Python: 20 texts, 2 classes (bad 10, good 10)
    tested    on 20 texts in 10 folds, each by a model trained on the other 9
    accuracy  100.0% (95 % interval 73.3% to 100.0%); always 'bad' would be 50.0%, random 50.0%
    repeated  16 texts repeat an earlier one (80.0%): the estimate may be too good
    model     123 features, trained on 20 texts
    >>> result.model.predict(["so dull"]).tolist()
    ['bad']
    """
    check_options("train", options, TrainOptions)
    given = LabeledData(data, labels, groups, select_options(options, Reading))
    if target is not None:
        from wordplane.workflow.number_training import train_numbers

        if report is not None or unlabeled is not None or pretrained is not None:
            raise InputError("`target` goes with neither `report`, `unlabeled` nor `pretrained`")
        return train_numbers(given, target, options, output=output)
    spec = TrainingSpec(
        **select_options(options, SpecOptions),
        unlabeled=unlabeled is not None,
        pretrained=pretrained is not None,
    )
    resources = Resources(**select_options(options, ResourceOptions))
    placement = Placement.of(given, spec, resources)
    if placement.on_blocks:
        if report is not None:
            raise InputError(f"`report` needs all texts in memory (`blocks`): {placement.why}")
        from wordplane.workflow.block_training import train_on_blocks

        return train_on_blocks(given, spec, resources, placement, output)
    if resources.resume:
        raise InputError(
            "`resume` continues a training on blocks, and this one would be in memory: give "
            "`memory` as before"
        )
    more = More(unlabeled, pretrained)
    return _train_in_memory(given, more, spec, resources.n_jobs, placement, output, report)


class More(NamedTuple):
    """What is learned from next to labeled texts."""

    unlabeled: DataLike | None
    pretrained: PretrainedLike | None


def _train_in_memory(
    given: LabeledData,
    more: More,
    spec: TrainingSpec,
    n_jobs: int | None,
    placement: Placement,
    output: str | PathLike[str] | None,
    report: str | PathLike[str] | None,
) -> TrainingResult:
    corpus, others = given.split_unlabeled() if spec.one_label else (given.corpus(), None)
    classifier = spec.classifier(corpus, n_jobs, unlabeled=others is not None)
    if spec.resumable:
        _check_resumable(classifier)
    rows = training_rows(corpus)
    trained_on = corpus.take(rows)
    if spec.tune:
        from wordplane.workflow.tuning import tune_classifier

        tune_classifier(classifier, trained_on, spec.budget)
    if more.unlabeled is not None:
        found = load_unlabeled(more.unlabeled, given.reading)
        others = found if others is None else Corpus(Texts.join([others.texts, found.texts]))
    fit_corpus(classifier, trained_on, unlabeled=others, pretrained=more.pretrained)
    return finish_training(
        classifier,
        corpus,
        spec,
        output=output,
        report=report,
        notes=placement.notes,
        unlabeled=others is not None or spec.pretrained,
        one_label=OneLabelTraining.of(classifier, corpus, rows) if spec.one_label else None,
    )


def _check_resumable(classifier: TextClassifier) -> None:
    learner = classifier.learner
    if not can_resume(learner):
        name = "the recipe" if learner is None else repr(learner)
        raise InputError(
            f"{name} cannot be trained further; these can: {', '.join(resumable_names())}"
        )
