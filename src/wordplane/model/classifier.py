"""TextClassifier: texts and labels in, a classifier that reads text out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.estimator import EstimatorTags
from wordplane.common.groups import as_groups
from wordplane.common.label_sets import LabelSets, as_labels_or_sets, classes_of
from wordplane.common.labels import as_labels, encode_known
from wordplane.common.parameters import check_whole
from wordplane.common.soft_labels import as_soft_labels
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    FloatArray,
    Label,
    LabelArray,
    LabelsLike,
    WeightsLike,
)
from wordplane.data.corpus import Corpus
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.learners.names import RECIPE
from wordplane.learners.registry import learner_named, learns_one_label
from wordplane.learners.support.base import (
    LinearClassifier,
    accuracy,
    best_class,
)
from wordplane.learners.support.chain import ClassifierChain
from wordplane.model.fingerprint import fingerprint
from wordplane.model.predictor import TextPredictor
from wordplane.model.remote import refuse_remote
from wordplane.model.text_model import TextModel
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import TextsLike, as_documents
from wordplane.text.fields import FIELD_KIND, FieldsLike, check_fields

if TYPE_CHECKING:  # what prediction does not need is imported where it is used
    from sklearn.pipeline import Pipeline

    from wordplane.model.decision import Rule
    from wordplane.model.fitting import FitPlan, Holdout
    from wordplane.model.flip import Flip
    from wordplane.model.further_plan import FurtherPlan
    from wordplane.model.plan import Plan
    from wordplane.model.word_vectors import PoolVectors, PretrainedLike


class TextClassifier(TextPredictor):
    """A linear classifier of texts.

    Parameters
    ----------
    analyzer : Analyzer, default None
        How texts become features; None means what suits the learner and, for the recipe, the
        length of the texts.
    learner : str or estimator, default None
        What finds the weights: a name ("nb", "svm", "logistic" ...) or a learner; "recipe" means
        what suits the length and the script of the texts (see `wordplane.model.recipe`). None means
        the recipe too, or if there is no analyzer either what predicts best by folds of some
        thousand texts: the recipe or one of its rivals (see `wordplane.model.race`).
    calibration : "holdout", "cv" or None, default "holdout"
        What probabilities are fitted on: a tenth of the texts that a first fit did not see, all
        texts by cross-fitting in five folds, or nothing.
    calibrator : "power", "temperature", "platt" or "isotonic", default "power"
        What kind of function probabilities are of scores (see `wordplane.evaluation.calibration`).
    metric : str, default None
        What the labels are to be best by, such as "f1:spam" or "macro_f1", or what is required of
        them, such as "precision(spam)>=0.95", or the probability from which on one of two classes
        is given, "threshold:spam=0.3"; boundaries are then shifted on the texts that
        probabilities are fitted on. None means the learner's own.
    chain : bool or list of labels, default False
        Of multi-label texts: whether a label is decided with those before it in mind, the most
        frequent first, or in this order (see `wordplane.learners.support.chain`).
    fields : list of str, or mapping of str to float, default None
        Columns of text that are feature spaces of their own, with weights if a mapping gives them
        (see `Analyzer`). Texts are then frames, or mappings, that have these columns.
    max_size : int, default None
        Bytes of the model's file at most: weights of 8 bits and fewer features, if need be (see
        `wordplane.compress`).
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        Where chance is involved, its seed.

    Attributes
    ----------
    classes_
        The labels, sorted.
    holdout_
        With calibration="holdout", the rows that a first fit did not see, a tenth of them, and
        the labels that it gave them: an honest estimate of how good the classifier is. None if
        no row could be spared.
    model_
        The fitted model: features, weights, calibrator.
    training_
        How the model was made, a `Training` record: learner, rows, seed, scores.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull, long and dull"]
    >>> model = TextClassifier().fit(texts, ["pos", "pos", "neg", "neg"])
    >>> model.predict(["great, great fun", "so dull"])
    array(['pos', 'neg'], dtype='<U3')
    >>> model = TextClassifier(learner="nb").fit(texts, ["pos", "pos", "neg", "neg"])
    >>> explanation = model.explain("so dull")
    >>> explanation.label
    'neg'
    >>> [(c.feature, c.start, c.end) for c in explanation.contributions]
    [('dull', 3, 7)]
    """

    classes_: LabelArray
    model_: TextModel
    holdout_: Holdout | None
    n_unseen_features_: int

    def __init__(
        self,
        analyzer: Analyzer | None = None,
        learner: str | LinearClassifier | None = None,
        *,
        calibration: str | None = "holdout",
        calibrator: str = "power",
        metric: str | None = None,
        chain: bool | Sequence[Label] = False,
        fields: FieldsLike = None,
        max_size: int | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.analyzer = analyzer
        self.learner = learner
        self.calibration = calibration
        self.calibrator = calibrator
        self.metric = metric
        self.chain = chain
        self.fields = fields
        self.max_size = max_size
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _nested(self, name: str) -> object:
        """The estimator that a parameter is; a learner that was named is made, with its defaults
        for texts."""
        value = getattr(self, name)
        is_name = name == "learner" and isinstance(value, str) and value != RECIPE
        return learner_named(value) if is_name else value

    @classmethod
    def from_model(cls, model: TextModel) -> Self:
        """The classifier that has this fitted model."""
        classifier = cls(model.features.analyzer, metric=model.training.metric)
        classifier.set_fitted(model)
        return classifier

    def fit(
        self,
        texts: TextsLike,
        y: LabelsLike | LabelSets | None = None,
        sample_weight: WeightsLike = None,
        *,
        unlabeled: TextsLike | PoolVectors | None = None,
        pretrained: PretrainedLike | None = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Learn from texts and their labels.

        Texts may have several labels, or none: y is then a list of lists of labels, or a matrix
        with a 1 where text i has label k. Each label is learned against the rest.
        Or y has a distribution for each text, {"spam": 0.7, "ham": 0.3}, or votes of annotators,
        {"spam": 3, "ham": 1}: a text then counts for each of its labels with this share.
        What else is known of a text, such as a vector, is a column of `texts`: pass a frame or
        mapping, and name the column in `Analyzer(columns={"embedding": "vector"})`.
        `unlabeled` are texts without. The recipe uses them for word vectors if that helps by folds
        (see `wordplane.model.stacking`); EMNaiveBayes, SelfTraining and PositiveUnlabeled can. Who
        fits often passes vectors that were learned from them instead.
        `pretrained` is a file of word vectors (docs/embeddings.md), which the recipe uses likewise.
        `groups`, one value per text, say which texts are held out together (author, thread).
        Texts on the workers of Dask are for `DaskTextClassifier`.
        """
        rule = self._rule().check()
        refuse_remote(texts, y)
        uses_folds = self.calibration == "cv" or unlabeled is not None or pretrained is not None
        if uses_folds and as_soft_labels(y) is not None:
            raise InputError(
                "a distribution over labels goes neither with `calibration` 'cv' nor with "
                "`unlabeled` and `pretrained`, whose folds count every text as one"
            )
        plan = self.make_plan(texts, y, sample_weight, groups)
        self._fitted_to_matrix = getattr(y, "ndim", 1) == 2
        if unlabeled is not None or pretrained is not None:
            from wordplane.model.more_texts import with_more

            by_folds = self.calibration == "cv"
            plan = with_more(plan, self.learner, by_folds, unlabeled, pretrained)
        if self.max_size is None:
            self._fit_plan(plan, rule)
        else:
            from wordplane.model.small_plan import fit_small

            holdout, model = fit_small(plan, rule, self.max_size)
            self.set_fitted(model, holdout)
        # Not part of the model, whose file is the same for any order of the texts.
        self._fingerprint = fingerprint(plan.documents.texts, np.arange(len(plan.documents)))
        return self

    def partial_fit(
        self,
        texts: TextsLike,
        y: LabelsLike | LabelSets,
        sample_weight: WeightsLike = None,
        *,
        classes: LabelsLike | None = None,
        groups: Iterable[Hashable] | None = None,
        forget: float = 0.0,
    ) -> Self:
        """Train further on more texts, with naive Bayes and the online learners. A first call is
        `fit`.

        Words and classes that are new to the model are added to it. Naive Bayes is then the model
        of all texts together, as far as it kept their words; the online learners begin with
        weights of 0. `n_unseen_features_` says how many features of these texts were new. With
        `forget`, the model first forgets this share of what it has learned. With
        calibration="holdout", probabilities are calibrated again. `classes`, which scikit-learn
        asks for, is not needed: other labels are then an error, instead of new classes.

        >>> model = TextClassifier(learner="nb").fit(["good film", "bad film"], ["+", "-"])
        >>> model = model.partial_fit(["an average film"], ["0"])
        >>> model.predict(["good", "average"]).tolist()
        ['+', '0']
        """
        if not isinstance(forget, Real) or not 0 <= forget < 1:
            raise InputError(f"`forget` is {forget!r}, expected a share from 0 to below 1")
        if self.max_size is not None or as_soft_labels(y) is not None:
            raise InputError("`max_size` and distributions over labels are for `fit`")
        if classes is not None:
            encode_known(classes_of(as_labels_or_sets(y)), as_labels(classes))
        if not self.__sklearn_is_fitted__():
            from wordplane.learners.resuming import check_resumable

            check_resumable(self._nested("learner"))
            self.fit(texts, y, sample_weight, groups=groups)
            self.n_unseen_features_ = self.n_features
            return self
        plan = self._further_plan(texts, y, sample_weight)
        together = None if groups is None else as_groups(groups, len(plan.documents))
        plan = replace(plan, groups=together, forget=forget)
        self._fit_plan(plan, self._rule())
        self.n_unseen_features_ = plan.grow().n_unseen
        return self

    def remove(
        self, texts: TextsLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike = None
    ) -> Self:
        """Take texts out of the model again that it learned from, with the labels they had then.

        Naive Bayes becomes the model that never saw them; the other learners cannot.

        >>> texts, y = ["good film", "bad film", "good bad mistake"], ["+", "-", "-"]
        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb", calibration=None).fit(texts, y)
        >>> before = TextClassifier(Analyzer(ngrams=(1, 1)), "nb", calibration=None)
        >>> before = before.fit(texts[:2], y[:2])
        >>> model = model.remove(texts[2:], y[2:])
        >>> model.n_features, model.predict_proba(["good"]) == before.predict_proba(["good"])
        (3, array([[ True,  True]]))
        """
        self.set_fitted(self._further_plan(texts, y, sample_weight).model_without())
        return self

    def _further_plan(
        self, texts: TextsLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike
    ) -> FurtherPlan:
        from wordplane.model.further_plan import plan_further

        self._check_fitted()
        documents, threads = self._documents(texts), thread_count(self.n_jobs)
        return plan_further(self.model_, documents, y, sample_weight, threads)

    def predict(self, texts: TextsLike) -> LabelArray:
        """The label of every text; the first of the classes with the largest score.

        For a model of sets of labels, a tuple of labels for every text, which may be empty; or a
        matrix of 0 and 1, if the model was fitted to one.
        """
        labels = self.labels_of(self.decision_function(texts))
        if not isinstance(labels, LabelSets):
            return labels
        if getattr(self, "_fitted_to_matrix", False):
            return labels.member.astype(np.int64)
        sets = np.empty(len(labels), dtype=object)
        sets[:] = labels.tolist()
        return sets

    def predict_proba(self, texts: TextsLike) -> FloatArray:
        """The probability of every class."""
        return self.probabilities_of(self.decision_function(texts))

    def labels_of(self, z: FloatArray) -> LabelArray | LabelSets:
        """The labels, or sets of labels, that belong to scores of `decision_function`."""
        self._check_fitted()
        decisions = self.model_.calibrator
        if isinstance(decisions, LabelDecisions):
            return LabelSets.of_member(self.classes_, decisions.predict(z))
        if len(z) == 1:  # without array operations, which would take longer than the rest
            k = int(z.item() > 0 if z.ndim == 1 else z.argmax())
            return self.classes_[k : k + 1].copy()
        return self.classes_[best_class(z, len(self.classes_))]

    def probabilities_of(self, z: FloatArray) -> FloatArray:
        """The probabilities that belong to scores of `decision_function`."""
        self._check_fitted()
        return self.model_.probabilities(z)

    def score(
        self, texts: TextsLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike = None
    ) -> float:
        """The share of texts (by weight) whose label, or set of labels, is predicted right."""
        labels = self.labels_of(self.decision_function(texts))
        if isinstance(labels, LabelSets):
            return labels.accuracy(y, sample_weight)
        return accuracy(labels, y, sample_weight)

    def flip(self, text: str | TextsLike) -> Flip | None:
        """The fewest words of the text without which it would get another label; None if it
        keeps its label whatever is taken away.

        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb")
        >>> model = model.fit(["good fun", "good film", "bad", "a bad film"], [1, 1, 0, 0])
        >>> model.flip("a good, good film")
        Flip(words=('good',), label=0, text='a , film', is_smallest=True)
        """
        from wordplane.model.flip import smallest_flip

        self._check_fitted()
        if self.model_.multilabel:
            raise InputError("the model gives sets of labels: there is no other label to flip to")
        return smallest_flip(self.model_, self._document(text))

    def to_sklearn(self) -> Pipeline:
        """The same classifier as a Pipeline of scikit-learn's own estimators.

        `predict` and `predict_proba` give the same (a multi-label `predict` a matrix of 0 and 1,
        with a column for each of `classes_`); only words are found by a function of
        Wordplane's, which scikit-learn has no pattern for. Refuses features that scikit-learn
        does not have.
        """
        from wordplane.model.sklearn_pipeline import pipeline_of

        self._check_fitted()
        return pipeline_of(self.model_)

    @property
    def is_resumable(self) -> bool:
        """Whether the fitted model can be trained further by `partial_fit`."""
        self._check_fitted()
        return self.model_.learner is not None

    def __sklearn_tags__(self) -> EstimatorTags:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        return tags

    def make_plan(
        self,
        texts: TextsLike,
        y: LabelsLike | LabelSets | None,
        sample_weight: WeightsLike = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Plan:
        """What to fit on what; the recipe is chosen by the texts."""
        from wordplane.model.boundary import FEW_TEXTS
        from wordplane.model.labeled_rows import labeled_rows
        from wordplane.model.plan import Plan, check_labels
        from wordplane.model.recipe import choose_parts

        if self.analyzer is not None and not isinstance(self.analyzer, Analyzer):
            raise InputError(
                f"`analyzer` is {self.analyzer!r:.60}, expected an Analyzer; learners are named "
                "with `learner`"
            )
        check_whole("`random_state`", self.random_state)
        kinds = {} if self.analyzer is None else self.analyzer.resolve().columns.kinds
        kinds = {**kinds, **dict.fromkeys(check_fields(self.fields), FIELD_KIND)}
        times = texts.times if isinstance(texts, Corpus) else None
        rows = labeled_rows(as_documents(texts, kinds), y, sample_weight, groups, times)
        documents, labels = rows.documents, rows.labels
        check_labels(labels, one_label=learns_one_label(self.learner))
        analyzer, learner, rivals = choose_parts(
            self.analyzer,
            self.learner,
            documents,
            len(classes_of(labels)),
            fields=self.fields,
            random_state=self.random_state,
        )
        if self.chain is not False:
            if not isinstance(labels, LabelSets):
                raise InputError("`chain` is for multi-label texts, and these have one label each")
            order = None if self.chain is True else list(self.chain)
            learner, rivals = ClassifierChain(learner, order=order, n_jobs=self.n_jobs), ()
        few = len(labels) < FEW_TEXTS and not isinstance(labels, LabelSets)
        return Plan(
            documents,
            labels,
            rows.weights,
            thread_count(self.n_jobs),
            rows.groups,
            rows.times,
            analyzer=analyzer,
            learner=learner,
            rivals=() if len(labels) < FEW_TEXTS or rows.texts is not None else rivals,
            shifts_boundary=few and self.learner in (None, RECIPE) and rows.weights is None,
            random_state=self.random_state,
            same_texts=rows.texts,
        )

    def _fit_plan(self, plan: FitPlan, rule: Rule) -> None:
        from wordplane.model.fitting import fit

        holdout, model = fit(plan, rule)
        self.set_fitted(model, holdout)

    def _rule(self) -> Rule:
        from wordplane.model.decision import Rule

        return Rule(self.calibration, self.metric, self.calibrator, self.random_state)

    def set_fitted(self, model: TextModel, holdout: Holdout | None = None) -> None:
        """Become the classifier with this fitted model."""
        self.model_ = model
        self.classes_ = model.classes
        self.holdout_ = holdout
