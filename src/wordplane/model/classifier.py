"""TextClassifier: texts and labels in, a classifier that reads text out."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.estimator import TextEstimator
from wordplane.common.label_sets import (
    LabelSets,
    as_label_sets,
    as_labels_or_sets,
    classes_of,
)
from wordplane.common.labels import as_labels, encode_known
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    CsrMatrix,
    FloatArray,
    Label,
    LabelArray,
    LabelsLike,
    WeightsLike,
)
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.learners.registry import check_learner, learner_named
from wordplane.learners.resuming import resumable_names
from wordplane.learners.support.base import (
    LinearClassifier,
    accuracy,
    best_class,
)
from wordplane.model.file import load_model, save_model
from wordplane.model.json_document import json_lines
from wordplane.model.text_model import Calibration, TextModel
from wordplane.model.training import Training
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents, TextsLike, as_documents

if TYPE_CHECKING:  # what prediction does not need is imported where it is used
    from wordplane.model.explanation import Explanation
    from wordplane.model.flip import Flip
    from wordplane.model.plan import FurtherPlan, Holdout, Plan
    from wordplane.model.similar import Neighbour

CALIBRATIONS = ("holdout", "cv", None)


class TextClassifier(TextEstimator):
    """A linear classifier of texts.

    Parameters
    ----------
    analyzer : Analyzer, default None
        How texts become features; None means what suits the learner and, for the recipe, the
        length of the texts.
    learner : str or estimator, default None
        What finds the weights: a name ("nb", "svm", "logistic" ...) or a learner; None means the
        recipe (see `wordplane.model.recipe`).
    calibration : "holdout", "cv" or None, default "holdout"
        How scores become probabilities: by a temperature and a power found on a tenth of the
        texts that a first fit did not see, or on all texts by cross-fitting in five folds, or
        taken as they are.
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
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.analyzer = analyzer
        self.learner = learner
        self.calibration = calibration
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def from_model(cls, model: TextModel) -> Self:
        """The classifier that has this fitted model."""
        classifier = cls(model.features.analyzer)
        classifier._set_model(model)
        return classifier

    def fit(
        self,
        texts: TextsLike,
        y: LabelsLike | LabelSets,
        sample_weight: WeightsLike = None,
        *,
        unlabeled: TextsLike | None = None,
    ) -> Self:
        """Learn from texts and their labels.

        Texts may have several labels, or none: y is then a list of lists of labels, or a matrix
        with a 1 where text i has label k. Each label is learned against the rest.
        `unlabeled` are texts without. The recipe uses them for word vectors if that helps by folds
        (see `wordplane.model.stacking`); of the learners, EMNaiveBayes and SelfTraining can.
        """
        if self.calibration not in CALIBRATIONS:
            raise InputError(f"calibration is {self.calibration!r}, expected holdout, cv or None")
        plan = self.plan(texts, y, sample_weight)
        self._fitted_to_matrix = getattr(y, "ndim", 1) == 2
        if unlabeled is not None:
            from wordplane.model.stacking import stack_vectors

            if self.calibration == "cv":
                raise InputError(
                    "`calibration` 'cv' cannot use texts without labels: 'holdout' can"
                )
            if self.learner is None:
                plan = stack_vectors(plan, unlabeled, self.random_state)
            else:
                plan = plan.with_unlabeled(unlabeled)
        self._fit_plan(plan)
        return self

    def partial_fit(
        self, texts: TextsLike, y: LabelsLike, sample_weight: WeightsLike = None
    ) -> Self:
        """Train further on more texts, with naive Bayes and the online learners.

        Features and classes stay those of the first fit; `n_unseen_features_` says how many
        features of these texts are ignored. Weights become those of the learner's `partial_fit`
        after its `fit`. With calibration="holdout", probabilities are calibrated again.
        """
        from wordplane.model.plan import FurtherPlan

        self._check_fitted()
        model = self.model_
        if model.learner is None:
            raise InputError(
                "the model cannot go on learning: its learner must be one of "
                f"{', '.join(resumable_names())}, and a file must be saved as resumable"
            )
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        documents, labels = self._documents(texts), as_labels(y)
        if len(labels) != len(documents):
            raise InputError(f"{len(documents)} texts and {len(labels)} labels: one each is needed")
        encode_known(labels, model.classes)
        plan = FurtherPlan(model, documents, labels, weights, thread_count(self.n_jobs))
        self._fit_plan(plan)
        self.n_unseen_features_ = plan.n_unseen()
        return self

    def decision_function(self, texts: TextsLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        documents = self._documents(texts)
        threads = 1 if len(documents) == 1 else thread_count(self.n_jobs)
        z = self.model_.scores(documents, threads)
        return z[:, 0] if z.shape[1] == 1 and not self.model_.multilabel else z

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
            return LabelSets(self.classes_, decisions.predict(z))
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
        found = self.labels_of(self.decision_function(texts))
        if isinstance(found, LabelSets):
            true = as_label_sets(y)
            if getattr(y, "ndim", 1) == 2:  # columns in the order of the classes
                true = LabelSets(self.classes_, true.member)
            if len(true) != len(found) or true.member.shape[1] > len(self.classes_):
                raise InputError(
                    f"{len(found)} texts and sets of {true.member.shape[1]} labels for "
                    f"{len(true)}: the model has {len(self.classes_)} labels"
                )
            right = [a == b for a, b in zip(found.tolist(), true.tolist(), strict=True)]
            weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
            return float(np.average(np.array(right), weights=weights))
        return accuracy(found, y, sample_weight)

    def explain(self, text: str | TextsLike, label: Label | None = None) -> Explanation:
        """Which words of the text speak for and against a label, and how much: its own, or, if the
        model is one of sets of labels, the one with the highest score above its threshold.

        With columns beside the text, pass a frame (or mapping) of one row.
        """
        from wordplane.model.explanation import explain

        self._check_fitted()
        documents = self._document(text)
        return explain(self.model_, documents, label)

    @property
    def training_(self) -> Training:
        """How the model was made."""
        self._check_fitted()
        return self.model_.training

    def record(self, training: Training) -> None:
        """Replace the record of how the model was made."""
        self._check_fitted()
        self.model_.training = training

    @property
    def is_multilabel(self) -> bool:
        """Whether the fitted model gives sets of labels."""
        self._check_fitted()
        return self.model_.multilabel

    @property
    def is_resumable(self) -> bool:
        """Whether the fitted model can go on learning by `partial_fit`."""
        self._check_fitted()
        return self.model_.learner is not None

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
        if self.is_multilabel:
            raise InputError("the model gives sets of labels: there is no other label to flip to")
        documents = self._document(text)
        return smallest_flip(self.model_, documents)

    def nearest(self, text: str | TextsLike, texts: TextsLike, n: int = 5) -> list[Neighbour]:
        """The n texts (such as those trained on) that are most like a text: their row numbers and
        the cosine of the features, the most alike first.

        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb").fit(["good film", "bad"], [1, 0])
        >>> model.nearest("bad, bad film", ["good film", "bad"], n=1)[0].row
        1
        """
        from wordplane.model.similar import nearest

        self._check_fitted()
        documents = self._document(text)
        others = self._documents(texts)
        return nearest(self.model_, documents, others, n, thread_count(self.n_jobs))

    @property
    def n_features(self) -> int:
        """The number of features of the fitted model."""
        self._check_fitted()
        return self.model_.features.n_features

    def top_features(self, n: int = 10) -> dict[Label, list[tuple[str, float]]]:
        """The features that speak most for each class, with their weights, strongest first.

        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb")
        >>> model = model.fit(["good good", "good fun", "bad"], ["pos", "pos", "neg"])
        >>> [name for name, weight in model.top_features(2)["pos"]]
        ['good', 'fun']
        """
        from wordplane.model.explanation import top_features

        self._check_fitted()
        return top_features(self.model_, n)

    def _repr_html_(self) -> str:
        """For notebooks: what the model is, how good, and what it looks at."""
        from wordplane.common.html import html_paragraph
        from wordplane.model.card import html_card

        if not self.__sklearn_is_fitted__():
            return html_paragraph(repr(self))
        return html_card(type(self).__name__, self.model_)

    def save(self, path: str | PathLike[str], *, resumable: bool = False) -> None:
        """Write the model to a file that `wordplane.load` reads; if `resumable`, with what its
        learner needs for `partial_fit`, several times the size of the weights."""
        self._check_fitted()
        save_model(self.model_, path, resumable)

    def feature_matrix(self, texts: TextsLike) -> CsrMatrix:
        """The texts as values of the model's features: a sparse matrix of SciPy's, row by row."""
        from scipy.sparse import csr_array

        self._check_fitted()
        X = self.model_.features.transform(self._documents(texts), thread_count(self.n_jobs))
        indptr, indices, values = X.arrays()
        matrix: CsrMatrix = csr_array((values, indices, indptr), shape=X.shape)
        return matrix

    def to_sklearn(self) -> Any:
        """The same classifier as a Pipeline of scikit-learn's own estimators.

        `predict` and `predict_proba` give the same; only words are found by a function of
        Wordplane's, which scikit-learn has no pattern for. Refuses features that scikit-learn
        does not have.
        """
        from wordplane.model.sklearn_pipeline import pipeline_of

        self._check_fitted()
        return pipeline_of(self.model_)

    def to_json(self) -> Iterator[str]:
        """The whole model as the lines of a JSON document (docs/convert.md)."""
        self._check_fitted()
        return json_lines(self.model_)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        return tags

    def plan(self, texts: TextsLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike) -> Plan:
        """What to fit on what; the recipe is chosen by the texts."""
        from wordplane.model.plan import Plan, check_labels
        from wordplane.model.recipe import Recipe, binary_analyzer, default_analyzer

        learner = learner_named(self.learner) if isinstance(self.learner, str) else self.learner
        if learner is not None:
            check_learner(learner)
        analyzer = self.analyzer
        kinds = {} if analyzer is None else analyzer.column_kinds()
        documents = as_documents(texts, kinds)
        labels = as_labels_or_sets(y)
        if len(labels) != len(documents):
            raise InputError(f"{len(documents)} texts and {len(labels)} labels: one each is needed")
        check_labels(labels)
        if learner is None:
            recipe = Recipe.of(documents, len(classes_of(labels)))
            learner = recipe.learner(self.random_state)
            analyzer = recipe.analyzer() if analyzer is None else analyzer
        elif analyzer is None:
            analyzer = default_analyzer(learner, documents, len(classes_of(labels)))
        analyzer.check()
        if learner.reads_binary:
            analyzer = binary_analyzer(analyzer, learner)
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        return Plan(analyzer, learner, documents, labels, weights, thread_count(self.n_jobs))

    def _fit_plan(self, plan: Plan | FurtherPlan) -> None:
        """Fit without the rows held out, if any are, and then on all rows."""
        from wordplane.model.plan import Plan, hold_out

        calibrator: Calibration = None
        self.holdout_ = hold_out(plan, self.random_state) if self.calibration == "holdout" else None
        if self.holdout_ is not None:
            calibrator = self.holdout_.calibrator
        elif self.calibration == "cv" and isinstance(plan, Plan):
            calibrator = plan.cross_fitted_calibrator(self.random_state)
        self._set_model(plan.model(calibrator))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _document(self, text: str | TextsLike) -> Documents:
        """One text, or a frame of one row with its columns."""
        documents = self._documents([text] if isinstance(text, str) else text)
        if len(documents) == 0:
            raise InputError("there is no text, expected one")
        return documents

    def _documents(self, texts: TextsLike) -> Documents:
        return as_documents(texts, self.model_.features.analyzer.column_kinds())

    def _set_model(self, model: TextModel) -> None:
        self.model_ = model
        self.classes_ = model.classes


def load(path: str | PathLike[str]) -> TextClassifier:
    """The classifier saved in a model file. Safe on files from strangers: no code is run."""
    return TextClassifier.from_model(load_model(path))
