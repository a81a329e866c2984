"""How good a model is, and how good it could be."""

import numpy as np
from numpy.typing import NDArray

from wordplane import plots
from wordplane.common.types import FloatArray
from wordplane.data.read import read
from wordplane.demos.corpora import labeled_docstrings, split_rows, texts_and_labels
from wordplane.demos.shown import Shown
from wordplane.diagnosis.learning_curve import learning_curve
from wordplane.diagnosis.regularization_path import regularization_path
from wordplane.evaluation import curves
from wordplane.features.count_vectorizer import CountVectorizer
from wordplane.learners.logistic import LogisticRegression
from wordplane.learners.naive_bayes import MultinomialNB
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import as_documents


def precision_recall() -> Shown:
    """Precision and recall of naive Bayes with a threshold."""
    curve = curves.precision_recall(*_email_or_not())
    lines = [f"average precision {curve.average_precision:.4f}"]
    return Shown(lines, lambda: plots.pr_curve(curve, title="Is a docstring from email?"))


def roc() -> Shown:
    """The ROC curve of the same decisions."""
    curve = curves.roc(*_email_or_not())
    lines = [f"area under the curve {curve.auc:.4f}"]
    return Shown(lines, lambda: plots.roc_curve(curve, title="Is a docstring from email?"))


def smoothing() -> Shown:
    """The error over the smoothing of naive Bayes, on training and on held-out texts."""
    texts, labels = labeled_docstrings()
    data = as_documents(texts, {}), labels
    alphas = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]
    words = Analyzer(ngrams=(1, 1))
    path = regularization_path(words, MultinomialNB(), "alpha", alphas, *data, folds=3)
    lines = ["  alpha  training  held out"]
    for at in path.points:
        errors = [1 - at.mean(name) for name in ("train_accuracy", "dev_accuracy")]
        lines.append(f"{at.at:7g} {errors[0]:9.1%} {errors[1]:9.1%}")
    return Shown(lines, lambda: plots.validation_curve(path, title="Naive Bayes: smoothing"))


def penalty() -> Shown:
    """The error over the penalty of logistic regression, on training and on held-out texts."""
    texts, labels = labeled_docstrings()
    data = as_documents(texts, {}), labels
    words = Analyzer(ngrams=(1, 1))
    strengths = [0.001, 0.01, 0.1, 1.0, 10.0]
    path = regularization_path(words, LogisticRegression(), "C", strengths, *data, folds=3)
    lines = ["      C  training  held out"]
    for at in path.points:
        errors = [1 - at.mean(name) for name in ("train_accuracy", "dev_accuracy")]
        lines.append(f"{at.at:7g} {errors[0]:9.1%} {errors[1]:9.1%}")
    return Shown(lines, lambda: plots.validation_curve(path, title="Logistic regression: penalty"))


def overfitting() -> Shown:
    """Learning curves of a model that overfits and of one that underfits."""
    texts, labels = labeled_docstrings()
    data = as_documents(texts, {}), labels
    few = Analyzer(ngrams=(1, 1), max_features=40)
    found = {
        "Overfitting: bigrams, C = 100": learning_curve(
            Analyzer(), LogisticRegression(C=100), *data, sizes=6, folds=3
        ),
        "Underfitting: 40 words": learning_curve(few, MultinomialNB(), *data, sizes=6, folds=3),
    }
    lines = []
    for name, curve in found.items():
        for at in (curve.points[0], curve.points[-1]):
            train, dev = at.mean("train_loss"), at.mean("dev_loss")
            lines.append(f"{name}: {at.at:g} texts, loss {train:.3f} training, {dev:.3f} held out")
    return Shown(lines, lambda: plots.learning_curves(found, desired=0.8))


def bigrams(data: str | None = None) -> Shown:
    """What bigrams add to naive Bayes and to logistic regression; --data: your own texts."""
    texts, labels = labeled_docstrings() if data is None else texts_and_labels(read(data))
    train, test = split_rows(len(labels), 0.8)
    learners = {
        "naive Bayes": MultinomialNB(alpha=0.1),
        "logistic regression": LogisticRegression(),
    }
    lines = [f"on {len(test):,} texts             unigram  bigram"]
    pattern = r"(?u)[\w'-]+|[^\w\s]"
    for name, learner in learners.items():
        scores = []
        for n in (1, 2):
            vectorizer = CountVectorizer(token_pattern=pattern, ngram_range=(1, n), binary=True)
            X = vectorizer.fit_transform([texts[i] for i in train])
            X_test = vectorizer.transform([texts[i] for i in test])
            scores.append(learner.fit(X, labels[train]).score(X_test, labels[test]))
        lines.append(f"{name:24}{scores[0]:9.1%} {scores[1]:7.1%}")
    return Shown(lines)


def _email_or_not() -> tuple[NDArray[np.bool_], FloatArray]:
    """Whether docstrings are from the package email, and how much naive Bayes believes it."""
    texts, labels = labeled_docstrings()
    is_email = labels == "email"
    train, test = split_rows(len(labels), 0.75)
    vectorizer = CountVectorizer(binary=True)
    X = vectorizer.fit_transform([texts[i] for i in train])
    model = MultinomialNB(alpha=0.1).fit(X, is_email[train])
    return is_email[test], model.decision_function(vectorizer.transform([texts[i] for i in test]))
