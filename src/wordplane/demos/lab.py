"""The exercises of the lab: every learner, for several lambda, on points and on book reviews."""

import warnings
from collections.abc import Callable
from typing import Annotated

import numpy as np

from wordplane import (
    MIRA,
    CountVectorizer,
    GaussianNB,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    OnlineSVM,
    Perceptron,
    read,
)
from wordplane.common.errors import ConvergenceWarning
from wordplane.common.types import CsrMatrix, LabelArray, MatrixLike
from wordplane.data.datasets import gaussians
from wordplane.demos import Shown, figures
from wordplane.demos.corpora import texts_and_labels
from wordplane.demos.parameters import Share, Within
from wordplane.learners.support.base import LinearClassifier

LAMBDAS = (0.01, 0.1, 1.0, 10.0, 100.0)
Rows = tuple[MatrixLike, LabelArray]


def lab(
    data: str | None = None,
    n: Annotated[int, Within(10, 2000)] = 50,
    variance0: Annotated[float, Within(0.01, 25)] = 0.2,
    variance1: Annotated[float, Within(0.01, 25)] = 4.0,
    balance: Share = 0.7,
) -> Shown:
    """All learners for several lambda, on points; --data FILE: on the book reviews, too."""
    variances = (variance0, variance1)
    train = gaussians(n, variances=variances, balance=balance)
    test = gaussians(10_000, variances=variances, balance=balance, random_state=1)
    plain: dict[str, LinearClassifier] = {
        "Gaussian naive Bayes": GaussianNB(variance="pooled"),
        "perceptron": Perceptron(),
    }
    lines = ["points in the plane", *table(plain, train, test), ""]
    if data is not None:
        X_books, y_books = read_books(data)
        books = (X_books[:1600], y_books[:1600]), (X_books[1600:], y_books[1600:])
        plain_books: dict[str, LinearClassifier] = {
            "naive Bayes, unsmoothed": MultinomialNB(alpha=0),
            "naive Bayes, add one": MultinomialNB(),
            "perceptron": Perceptron(),
        }
        lines += [f"book reviews, {X_books.shape[1]:,} words", *table(plain_books, *books), ""]
        lines += objectives(*books[0])
    else:
        lines += objectives(*train)
    fitted = {name: learner.fit(*train) for name, learner in plain.items()}
    for name, make in learners_by_lambda(len(train[1])).items():
        fitted[name] = make(0.1).fit(*train)
    truth = figures.gaussian_truth(variances=variances, balance=balance)
    title = "Every learner's line, lambda 0.1"
    return Shown(lines, lambda: figures.decision_lines(*train, fitted, truth=truth, title=title))


def learners_by_lambda(n: int) -> dict[str, Callable[[float], LinearClassifier]]:
    """How to make each learner for a lambda that multiplies |w|^2 / 2, added to the mean loss."""
    return {
        "MIRA": lambda lam: MIRA(C=1 / lam),  # here lambda limits a single step
        "maximum entropy": lambda lam: _maximum_entropy(C=1 / lam, tol=1e-9, max_iter=5000),
        "SVM, subgradients": lambda lam: OnlineSVM(alpha=lam, max_iter=20),
        "SVM, exact": lambda lam: LinearSVM(C=2 / (n * lam), loss="hinge", max_iter=200_000),
    }


def table(plain: dict[str, LinearClassifier], train: Rows, test: Rows) -> list[str]:
    """Accuracy on training and test rows, in percent: learners without lambda, then those with."""

    def cell(learner: LinearClassifier) -> str:
        model = learner.fit(*train)
        return f"{100 * model.score(*train):5.1f} /{100 * model.score(*test):5.1f}"

    lines = [f"{'train / test, %':23}" + "".join(f"{f'lambda {lam:g}':>13}" for lam in LAMBDAS)]
    lines += [f"{name:23} {cell(learner)}" for name, learner in plain.items()]
    for name, make in learners_by_lambda(len(train[1])).items():
        lines.append(f"{name:23}" + "".join(f" {cell(make(lam))}" for lam in LAMBDAS))
    return lines


def objectives(X: MatrixLike, y: LabelArray) -> list[str]:
    """The objective of maximum entropy with lambda 1 after passes of two optimizers."""
    lines = [f"{'objective, lambda 1':23}  1 pass  5 passes  20 passes"]
    for name, solver in (("L-BFGS", "lbfgs"), ("stochastic gradients", "sgd")):
        model = _maximum_entropy(C=1.0, solver=solver, tol=0, max_iter=20)
        # They are stopped early on purpose.
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            history = model.fit(X, y).history_
        after = [history[min(t, len(history) - 1)] for t in (1, 5, 20)]
        lines.append(f"{name:23}" + "".join(f"{value:9.5f}" for value in after))
    return lines


def _maximum_entropy(
    C: float, tol: float, max_iter: int, solver: str = "auto"
) -> LogisticRegression:
    """Logistic regression as in the lab: the mean loss, and a penalty on the bias as well."""
    return LogisticRegression(
        C=C, tol=tol, max_iter=max_iter, solver=solver,
        average=True, multi_class="softmax", penalize_intercept=True,
    )  # fmt: skip


def read_books(path: str) -> tuple[CsrMatrix, LabelArray]:
    """Reviews as lines of word:count, positive and negative in turns, words that occur 5 times."""
    texts, labels = texts_and_labels(read(path))
    turns = np.column_stack([np.flatnonzero(labels == name) for name in ("positive", "negative")])
    order = turns.ravel()

    def words(text: str) -> list[str]:
        items = (item.rpartition(":") for item in text.split())
        return [word for word, _, count in items for _ in range(int(count))]

    X = CountVectorizer(analyzer=words).fit_transform([texts[i] for i in order])
    frequent = np.flatnonzero(np.asarray(X.sum(axis=0)).ravel() >= 5)
    return X[:, frequent], labels[order]
