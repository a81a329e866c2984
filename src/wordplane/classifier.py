"""TextClassifier: texts and labels in, a classifier that reads text out."""

from dataclasses import dataclass, replace
from inspect import signature
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane.data.splits import holdout
from wordplane.diagnosis.explanation import Explanation, explain, top_features
from wordplane.errors import InputError
from wordplane.estimator import TextEstimator
from wordplane.labels import as_labels
from wordplane.learners.base import accuracy, best_class, best_output, probabilities
from wordplane.learners.for_text import check_learner, learner_named
from wordplane.model_file import load_model, save_model
from wordplane.plan import Plan, calibrated
from wordplane.recipe import are_short, recipe_analyzer, recipe_learner
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents, as_documents
from wordplane.text_model import TextModel
from wordplane.threads import thread_count

CALIBRATIONS = ("holdout", "cv", None)
HELD_OUT = 0.1
TFIDF: dict[str, Any] = {"tf": "log", "idf": "smooth", "norm": "l2"}


@dataclass(frozen=True)
class Holdout:
    """Rows that a first fit did not see, and the labels that it gave them."""

    rows: NDArray[np.int64]
    predicted: NDArray[Any]


class TextClassifier(TextEstimator):
    """A linear classifier of texts.

    Parameters
    ----------
    analyzer : Analyzer, default None
        How texts become features; None means what suits the learner and, for the recipe, the
        length of the texts.
    learner : str or estimator, default None
        What finds the weights: a name ("nb", "svm", "logistic" ...) or a learner; None means the
        recipe (see `wordplane.recipe`).
    calibration : "holdout", "cv" or None, default "holdout"
        How scores become probabilities: by a temperature found on a tenth of the texts that a
        first fit did not see, by one found on all texts by cross-fitting in five folds, or
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
        the labels that it gave them: an honest estimate of how good the classifier is.

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

    classes_: NDArray[Any]
    training_: dict[str, Any]
    holdout_: Holdout

    def __init__(
        self,
        analyzer: Analyzer | None = None,
        learner: Any = None,
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

    def fit(self, texts: Any, y: Any, sample_weight: Any = None, *, unlabeled: Any = None) -> Self:
        """Learn from texts and their labels.

        `unlabeled` are texts without, for learners that can use them: EMNaiveBayes, SelfTraining.
        """
        if self.calibration not in CALIBRATIONS:
            raise InputError(f"calibration is {self.calibration!r}, expected holdout, cv or None")
        plan = self.plan(texts, y, sample_weight)
        if unlabeled is not None:
            plan = self._with_unlabeled(plan, unlabeled)
        self.__dict__.pop("holdout_", None)
        calibrator = None
        if self.calibration == "holdout":
            calibrator = self._calibrated_on_holdout(plan)
        elif self.calibration == "cv":
            calibrator = plan.cross_fitted_calibrator(self.random_state)
        self._set_model(plan.model(calibrator))
        return self

    def decision_function(self, texts: Any) -> NDArray[np.float64]:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        z = self._model.scores(self._documents(texts), thread_count(self.n_jobs))
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, texts: Any) -> NDArray[Any]:
        """The label of every text; the first of the classes with the largest score."""
        z = self.decision_function(texts)
        return self.classes_[best_class(z, len(self.classes_))]

    def predict_proba(self, texts: Any) -> NDArray[np.float64]:
        """The probability of every class."""
        return self.probabilities_of(self.decision_function(texts))

    def probabilities_of(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probabilities that belong to scores of `decision_function`."""
        self._check_fitted()
        calibrator = self._model.calibrator
        if calibrator is None or len(z) == 0:
            return probabilities(z)
        return np.asarray(calibrator.transform(z))

    def score(self, texts: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of texts (by weight) whose label is predicted right."""
        return accuracy(self.predict(texts), y, sample_weight)

    def explain(self, text: Any) -> Explanation:
        """Which words of the text speak for and against its label, and how much.

        With columns beside the text, pass a frame (or mapping) of one row.
        """
        self._check_fitted()
        return explain(self._model, self._documents([text] if isinstance(text, str) else text))

    @property
    def n_features(self) -> int:
        """The number of features of the fitted model."""
        self._check_fitted()
        return self._model.features.n_features

    def top_features(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """The features that speak most for each class, with their weights, strongest first.

        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb")
        >>> model = model.fit(["good good", "good fun", "bad"], ["pos", "pos", "neg"])
        >>> [name for name, weight in model.top_features(2)["pos"]]
        ['good', 'fun']
        """
        self._check_fitted()
        return top_features(self._model, n)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `wordplane.load` reads."""
        self._check_fitted()
        save_model(self._model, path)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        return tags

    def plan(self, texts: Any, y: Any, sample_weight: Any) -> Plan:
        """What to fit on what; the recipe is chosen by the texts."""
        learner = learner_named(self.learner) if isinstance(self.learner, str) else self.learner
        if learner is not None:
            check_learner(learner)
        analyzer = self.analyzer
        kinds = {} if analyzer is None else analyzer.column_kinds()
        documents = as_documents(texts, kinds)
        labels = as_labels(y)
        if len(labels) != len(documents):
            raise InputError(f"{len(documents)} texts and {len(labels)} labels: one each is needed")
        if len(set(labels.tolist())) == 1:
            raise InputError(
                f"every text has the label {labels.tolist()[0]!r}; "
                "a classifier needs at least two different ones"
            )
        if analyzer is None:
            analyzer = default_analyzer(learner, documents)
        analyzer.check()
        if learner is None:
            learner = recipe_learner(are_short(documents), self.random_state)
        if learner.reads_binary:
            analyzer = _binary(analyzer, learner)
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        return Plan(analyzer, learner, documents, labels, weights, thread_count(self.n_jobs))

    def _with_unlabeled(self, plan: Plan, unlabeled: Any) -> Plan:
        if "unlabeled" not in signature(plan.learner.fit).parameters:
            raise InputError(
                f"{plan.learner!r} cannot learn from texts without labels; EMNaiveBayes can, and "
                "learners with probabilities inside SelfTraining"
            )
        if plan.analyzer.column_kinds():
            raise InputError("texts without labels cannot have columns beside the text")
        if self.calibration == "cv":
            raise InputError("calibration='cv' has no use for texts without labels: use 'holdout'")
        return replace(plan, unlabeled=as_documents(unlabeled, {}))

    def _calibrated_on_holdout(self, plan: Plan) -> Any:
        """Fit without a tenth of the rows, and calibrate on these; None where that cannot be."""
        rows, held = holdout(plan.labels.tolist(), HELD_OUT, self.random_state)
        if len(held) == 0:
            return None
        try:
            model = plan.take(rows).model()
        except InputError:  # of the rest alone nothing can be learned; of all rows perhaps
            return None
        z = model.scores(plan.documents.take(held), plan.threads)
        self.holdout_ = Holdout(held, model.classes[best_output(z, len(model.classes))])
        weights = None if plan.weights is None else plan.weights[held]
        return calibrated(model.classes, z, plan.labels[held], weights)

    def _documents(self, texts: Any) -> Documents:
        return as_documents(texts, self._model.features.analyzer.column_kinds())

    def _set_model(self, model: TextModel) -> None:
        self._model = model
        self.classes_ = model.classes
        self.training_ = model.training


def load(path: str | PathLike[str]) -> TextClassifier:
    """The classifier saved in a model file. Safe on files from strangers: no code is run."""
    model = load_model(path)
    classifier = TextClassifier(model.features.analyzer)
    classifier._set_model(model)
    return classifier


def default_analyzer(learner: Any, documents: Documents) -> Analyzer:
    """What suits a learner: counts for naive Bayes, the recipe's for None, else tf-idf."""
    if learner is None:
        return recipe_analyzer(are_short(documents))
    return Analyzer() if learner.reads_counts else Analyzer(**TFIDF)


def _binary(analyzer: Analyzer, learner: Any) -> Analyzer:
    """The analyzer for a learner that looks at what occurs, not how often."""
    if analyzer.entries() or analyzer.column_kinds():
        raise InputError(
            f"{learner!r} takes every value as 1: it cannot use lexica or columns beside the text"
        )
    changed = {"tf": "binary", "idf": None, "norm": None, "weights": None}
    return Analyzer(**{**analyzer.get_params(deep=False), **changed})
