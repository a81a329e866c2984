"""TextClassifier: texts and labels in, a classifier that reads text out."""

from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wordplane.diagnosis.explanation import Explanation, explain, top_features
from wordplane.errors import InputError
from wordplane.estimator import TextEstimator
from wordplane.features.text_features import TextFeatures
from wordplane.labels import as_labels
from wordplane.learners.base import LinearClassifier, accuracy, best_class, probabilities
from wordplane.learners.naive_bayes import MultinomialNB
from wordplane.model_file import load_model, save_model
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents, as_documents
from wordplane.text_model import TextModel
from wordplane.threads import thread_count

LEARNERS = {"nb": MultinomialNB}


class TextClassifier(TextEstimator):
    """A linear classifier of texts.

    Parameters
    ----------
    analyzer : Analyzer, default None
        How texts become features; None means words and pairs of words.
    learner : str or estimator, default None
        What finds the weights: a name ("nb") or a learner; None means naive Bayes.
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        Where chance is involved, its seed.

    Attributes
    ----------
    classes_
        The labels, sorted.

    Examples
    --------
    >>> texts = ["what a great film", "great fun", "a dull film", "dull, long and dull"]
    >>> model = TextClassifier().fit(texts, ["pos", "pos", "neg", "neg"])
    >>> model.predict(["great, great fun", "so dull"])
    array(['pos', 'neg'], dtype='<U3')
    >>> explanation = model.explain("so dull")
    >>> explanation.label
    'neg'
    >>> [(c.feature, c.start, c.end) for c in explanation.contributions]
    [('dull', 3, 7)]
    """

    classes_: NDArray[Any]
    training_: dict[str, Any]

    def __init__(
        self,
        analyzer: Analyzer | None = None,
        learner: Any = None,
        *,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.analyzer = analyzer
        self.learner = learner
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, texts: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from texts and their labels."""
        analyzer = Analyzer() if self.analyzer is None else self.analyzer
        analyzer.check()
        documents = as_documents(texts, analyzer.column_kinds())
        labels = as_labels(y)
        if len(labels) != len(documents):
            raise InputError(f"{len(documents)} texts and {len(labels)} labels: one each is needed")
        threads = thread_count(self.n_jobs)
        features, X = TextFeatures.fit(analyzer, documents, threads)
        learner = self._new_learner()
        described = repr(learner)  # before the threads are set: they change no model
        learner.set_params(n_jobs=threads)
        learner.fit(X, labels, sample_weight=sample_weight)
        if len(learner.classes_) < 2:
            raise InputError(
                f"every text has the label {learner.classes_.tolist()[0]!r}; "
                "a classifier needs at least two different ones"
            )
        if not np.isfinite(learner.intercept_).all():
            raise InputError("all texts of one of the classes have the weight 0")
        self._set_model(
            TextModel(
                features=features,
                classes=learner.classes_,
                W=np.ascontiguousarray(learner.coef_.T, dtype=np.float32),
                b=learner.intercept_,
                training={"n_docs": len(documents), "learner": described},
            )
        )
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
        return probabilities(self.decision_function(texts))

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

        >>> model = TextClassifier(Analyzer(ngrams=(1, 1)))
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

    def _new_learner(self) -> Any:
        if self.learner is None:
            return MultinomialNB()
        if isinstance(self.learner, str):
            if self.learner not in LEARNERS:
                known = ", ".join(LEARNERS)
                raise InputError(f"learner is {self.learner!r}, expected one of {known}")
            return LEARNERS[self.learner]()
        if not isinstance(self.learner, LinearClassifier):
            raise InputError(
                f"learner is {self.learner!r}, expected a name or one of Wordplane's learners; "
                "others go into a scikit-learn pipeline after a vectoriser"
            )
        return type(self.learner)(**{**self.learner.get_params(deep=False), "n_jobs": None})

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
