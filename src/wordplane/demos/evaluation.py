"""How good a model is, and how good it could be."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from wordplane import Analyzer, CountVectorizer, LogisticRegression, MultinomialNB, plots, read
from wordplane.common.types import FloatArray
from wordplane.data.hotel_reviews import hotel_reviews
from wordplane.demos import Shown, figures
from wordplane.demos.corpora import labeled_docstrings, split_matrix, texts_and_labels
from wordplane.demos.parameters import Count, Positive, Within
from wordplane.diagnosis.learning_curve import learning_curve
from wordplane.diagnosis.regularization_path import RegularizationPath, regularization_path
from wordplane.evaluation.curves import precision_recall as pr_curve
from wordplane.evaluation.curves import roc as roc_curve
from wordplane.learners.support.base import LinearClassifier
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents

Folds = Annotated[int, Within(2, 10)]


def precision_recall(alpha: Positive = 0.1) -> Shown:
    """Precision and recall of naive Bayes with a threshold."""
    curve = pr_curve(*_email_or_not(alpha))
    lines = [f"average precision {curve.average_precision:.4f}"]
    return Shown(lines, lambda: plots.pr_curve(curve, title="Is a docstring from email?"))


def roc(alpha: Positive = 0.1) -> Shown:
    """The ROC curve of the same decisions."""
    curve = roc_curve(*_email_or_not(alpha))
    lines = [f"area under the curve {curve.auc:.4f}"]
    return Shown(lines, lambda: plots.roc_curve(curve, title="Is a docstring from email?"))


def smoothing(folds: Folds = 3) -> Shown:
    """The error over the smoothing of naive Bayes, on training and on held-out texts."""
    path = _path(MultinomialNB(), "alpha", [0.001, 0.01, 0.1, 1.0, 10.0, 100.0], folds)
    lines = _errors(path)
    return Shown(lines, lambda: figures.validation_curve(path, title="Naive Bayes: smoothing"))


def penalty(folds: Folds = 3) -> Shown:
    """The error over the penalty of logistic regression, on training and on held-out texts."""
    path = _path(LogisticRegression(), "C", [0.001, 0.01, 0.1, 1.0, 10.0], folds)
    lines, title = _errors(path), "Logistic regression: penalty"
    return Shown(lines, lambda: figures.validation_curve(path, title=title))


def overfitting(C: Positive = 10.0, words: Count = 40) -> Shown:
    """Learning curves of a model that overfits and of one that underfits."""
    texts, labels = labeled_docstrings()
    models = {
        f"Overfitting: bigrams, C = {C:g}": (
            Analyzer(),
            LogisticRegression(C=C, average=True),  # as strong a penalty for any number of texts
        ),
        f"Underfitting: {words} words": (
            Analyzer(ngrams=(1, 1), max_features=words),
            MultinomialNB(),
        ),
    }
    curves = {
        name: learning_curve(*model, as_documents(texts, {}), labels, sizes=6, splitter=Splitter(3))
        for name, model in models.items()
    }
    lines = []
    for name, curve in curves.items():
        for at in (curve.points[0], curve.points[-1]):
            train, dev = at.mean("train_loss"), at.mean("dev_loss")
            lines.append(f"{name}: {at.at:g} texts, loss {train:.3f} training, {dev:.3f} held out")
    return Shown(lines, lambda: plots.learning_curves(curves, desired=0.8))


def bigrams(
    data: str | None = None, n: Count = 1000, alpha: Positive = 1.0, C: Positive = 1.0
) -> Shown:
    """What bigrams add to naive Bayes and to logistic regression; --data: your own texts."""
    corpus = hotel_reviews(n + 3000) if data is None else read(data)
    texts, labels = texts_and_labels(corpus)
    share = 0.8 if data is not None else n / len(texts)
    learners = {
        "naive Bayes": MultinomialNB(alpha=alpha),
        "logistic regression": LogisticRegression(C=C),
    }
    scores = []
    for most in (1, 2):
        pattern = r"(?u)[\w'-]+|[^\w\s]"
        vectorizer = CountVectorizer(token_pattern=pattern, ngram_range=(1, most), binary=True)
        X, y, X_test, y_test = split_matrix(vectorizer, texts, labels, share)
        scores.append([learner.fit(X, y).score(X_test, y_test) for learner in learners.values()])
    lines = [f"on {len(y_test):,} texts             unigram  bigram"]
    for name, unigram, bigram in zip(learners, *scores, strict=True):
        lines.append(f"{name:24}{unigram:9.1%} {bigram:7.1%}")
    return Shown(lines)


def _email_or_not(alpha: float) -> tuple[NDArray[np.bool_], FloatArray]:
    """Whether docstrings are from the package email, and how much naive Bayes believes it."""
    texts, labels = labeled_docstrings()
    vectorizer = CountVectorizer(binary=True)
    X, y, X_test, y_test = split_matrix(vectorizer, texts, labels == "email", 0.75)
    return y_test, MultinomialNB(alpha=alpha).fit(X, y).decision_function(X_test)


def _path(
    learner: LinearClassifier, parameter: str, values: list[float], folds: int
) -> RegularizationPath:
    """The errors of a learner of single words, in folds."""
    texts, labels = labeled_docstrings()
    data = as_documents(texts, {}), labels
    words = Analyzer(ngrams=(1, 1))
    return regularization_path(words, learner, parameter, values, *data, splitter=Splitter(folds))


def _errors(path: RegularizationPath) -> list[str]:
    lines = [f"{path.parameter:>7}  training  held out"]
    for at in path.points:
        train, dev = 1 - at.mean("train_accuracy"), 1 - at.mean("dev_accuracy")
        lines.append(f"{at.at:7g} {train:9.1%} {dev:9.1%}")
    return lines
