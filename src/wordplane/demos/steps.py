"""Learners step by step: what one sentence after the other does to the weights.

Each line is one step of the learner itself, which is given a single sentence. The pages of these
demos (`wordplane demo NAME -o page.html`) take one step per key press, on sentences of one's own.
"""

import numpy as np

from wordplane import MIRA, CountVectorizer, EMNaiveBayes, LinearSVM, OnlineSVM, Perceptron
from wordplane.common.types import FloatArray
from wordplane.data.datasets import gaussians
from wordplane.demos import Shown
from wordplane.learners.support.online import OnlineClassifier

CLASSES = ("bad", "good")
SENTENCES = (
    ("a great film with a great cast", "good"),
    ("a dull film and a dull plot", "bad"),
    ("the cast is great", "good"),
    ("the plot is not great", "bad"),
    ("not dull at all", "good"),
    ("what a bad film", "bad"),
)
UNLABELED = (
    "great cast and fine music",
    "fine music and a fine end",
    "dull plot and poor jokes",
    "poor jokes and a poor end",
    "a fine end",
    "poor music",
)


def online_svm(seed: int = 0) -> Shown:
    """The online SVM: its objective comes down to that of the SVM."""
    X, y = gaussians(60, variances=(0.6, 0.6), random_state=seed)
    alpha = 0.1
    lines = ["epochs  objective"]
    for n_epochs in (1, 5, 25, 125):
        model = OnlineSVM(alpha=alpha, max_iter=n_epochs, shuffle=False).fit(X, y)
        lines.append(f"{n_epochs:6}  {model.objective_:.5f}")
    # With two classes, w_1 = -w_0 = w / 2: half of the objective of one machine with twice the C.
    best = LinearSVM(C=2 / (alpha * len(y)), loss="hinge", tol=1e-9, max_iter=100_000).fit(X, y)
    w = np.append(best.coef_, best.intercept_)
    margins = np.where(y == 1, 1, -1) * best.decision_function(X)
    least = alpha * (w @ w) / 4 + np.maximum(0, 1 - margins).mean()
    return Shown([*lines, f"minimum {least:.5f}"])


def perceptron_steps() -> Shown:
    """The perceptron step by step: each mistake moves the words of a sentence."""
    return Shown(_steps(Perceptron(averaged=False)))


def averaged_steps() -> Shown:
    """The averaged perceptron step by step: the mean of all weights so far."""
    return Shown(_steps(Perceptron()))


def mira_steps() -> Shown:
    """MIRA step by step: each mistake is put right by the smallest step."""
    return Shown(_steps(MIRA(averaged=False)))


def online_svm_steps() -> Shown:
    """The online SVM step by step: smaller steps each time, and weights that shrink."""
    return Shown(_steps(OnlineSVM(alpha=0.1, averaged=False)))


def sgd_steps() -> Shown:
    """Logistic regression by stochastic gradients, step by step: every sentence teaches."""
    X, y, words = _rows()
    W, eta = np.zeros((2, X.shape[1])), 0.5
    lines: list[str] = []
    for t, (x, label) in enumerate(zip(X, y, strict=True), 1):
        z = W @ x
        p = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
        after = W + eta * np.outer(np.eye(2)[label] - p, x)
        lines += _step(t, label, float(p[1]), W[1] - W[0], after[1] - after[0], words)
        W = after
    return Shown(lines)


def em_steps() -> Shown:
    """EM round by round: sentences without labels find their class."""
    vectorizer = CountVectorizer(token_pattern=r"\w+")
    labeled = SENTENCES[:2]
    rows = vectorizer.fit_transform([text for text, _ in labeled] + list(UNLABELED))
    X, unlabeled = rows[: len(labeled)], rows[len(labeled) :]
    model = EMNaiveBayes(tol=0.0).fit(X, [y for _, y in labeled], unlabeled=unlabeled)
    heights = model.penalized_log_likelihood_
    lines = [f"round {t}: penalized log-likelihood {heights[t]:.4f}" for t in (0, 1, 2, 5, -1)]
    for text, p in zip(UNLABELED, model.predict_proba(unlabeled), strict=True):
        lines.append(f"{text:27} good {p[1]:.3f}")
    return Shown(lines)


def _steps(learner: OnlineClassifier) -> list[str]:
    """One line for the prediction and one for the weights, at each step of a first epoch."""
    X, y, words = _rows()
    learner.set_params(fit_intercept=False)  # the last column is the bias
    before = np.zeros(X.shape[1])
    lines: list[str] = []
    for t, (x, label) in enumerate(zip(X, y, strict=True), 1):
        score = float(before @ x)
        learner.partial_fit(x[None], [label], classes=[0, 1])
        lines += _step(t, label, score, before, learner.coef_[0], words)
        before = learner.coef_[0].copy()
    return lines


def _step(
    t: int, label: int, score: float, before: FloatArray, after: FloatArray, words: list[str]
) -> list[str]:
    changed = [
        f"{word} {b:+.2f} to {a:+.2f}"
        for word, b, a in zip(words, before, after, strict=True)
        if abs(a - b) > 1e-12
    ]
    text, name = SENTENCES[t - 1]
    return [
        f"step {t}: {text!r} is {name}, score of good {score:+.2f}",
        f"   {', '.join(changed) or 'nothing changes'}",
    ]


def _rows() -> tuple[FloatArray, list[int], list[str]]:
    """The sentences as counts, with a 1 for the bias; their classes; the names of the columns."""
    vectorizer = CountVectorizer(token_pattern=r"\w+")
    X = vectorizer.fit_transform([text for text, _ in SENTENCES]).toarray()
    words = [*vectorizer.get_feature_names_out().tolist(), "(bias)"]
    y = [CLASSES.index(label) for _, label in SENTENCES]
    return np.column_stack([X, np.ones(len(X))]), y, words
