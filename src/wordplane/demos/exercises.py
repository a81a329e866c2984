"""The exercises of the chapter: what can be computed, and numerical checks of what is to be proved.

A check proves nothing, but it catches many mistakes.
"""

import warnings
from typing import Annotated

import numpy as np

from wordplane import BernoulliNB, CountVectorizer, LogisticRegression, MultinomialNB, Perceptron
from wordplane.common.errors import ConvergenceWarning
from wordplane.data.datasets import gaussians
from wordplane.demos import Shown
from wordplane.demos.corpora import labeled_docstrings
from wordplane.demos.parameters import Count, Positive, Within
from wordplane.learners.reference_class import reference_class_form
from wordplane.optimize.losses import hinge

Above = Annotated[float, Within(0.5001, 0.9999)]


def one_word(alpha: Positive = 1.0) -> Shown:
    """For a text of one word the multinomial and the categorical probability agree."""
    nb = MultinomialNB(alpha=alpha).fit([[2, 1, 0], [0, 1, 3]], ["a", "b"])
    with_coefficient = nb.predict_joint_log_proba(np.eye(3), coefficient=True)
    categorical = nb.class_log_prior_ + nb.feature_log_prob_.T
    return Shown([f"largest difference: {np.abs(with_coefficient - categorical).max():.1e}"])


def one_feature(alpha: Above = 0.8, beta: Above = 0.65) -> Shown:
    """The error of naive Bayes with one feature is 1 - (alpha + beta) / 2."""
    # A population of 20,000 in these proportions.
    a, b = round(10_000 * alpha), round(10_000 * beta)
    x = np.repeat([0, 1, 0, 1], [a, 10_000 - a, 10_000 - b, b])[:, None]
    labels = np.repeat([0, 1], 10_000)
    error = 1 - BernoulliNB(alpha=1e-9).fit(x, labels).score(x, labels)
    return Shown([f"error {error:.4f}, formula {1 - (alpha + beta) / 2:.4f}"])


def prior(n: Count = 100_000, seed: int = 0) -> Shown:
    """The most likely parameters of a categorical distribution are its shares."""
    n_k = np.array([2, 5, 3])
    tried = np.random.default_rng(seed).dirichlet([1, 1, 1], size=n)
    best = tried[(n_k * np.log(tried)).sum(axis=1).argmax()]
    return Shown([f"best of {n:,} random priors {best.round(3)}", f"formula {n_k / n_k.sum()}"])


def reference_class(C: Positive = 0.01) -> Shown:
    """One weight vector fewer: the same predictions."""
    texts, labels = labeled_docstrings()
    X = CountVectorizer(min_df=5).fit_transform(texts)
    model = LogisticRegression(C=C).fit(X, labels)
    W, b = reference_class_form(model)
    z = np.column_stack([X @ W.T + b, np.zeros(X.shape[0])])
    same = (model.classes_[z.argmax(axis=1)] == model.predict(X)).all()
    return Shown([f"{len(model.coef_)} vectors become {len(W)}; same predictions: {same}"])


def union(n: Annotated[int, Within(5, 500)] = 30, seed: int = 5) -> Shown:
    """Weights for two data sets together: between the two for one feature, not for three."""
    rng = np.random.default_rng(seed)
    learner = LogisticRegression(
        penalty=None, fit_intercept=False, max_iter=5000, tol=1e-8, solver="newton"
    )
    lines = []
    for n_features in (1, 3):
        outside = 0
        for _ in range(100):
            X = rng.normal(size=(2, n, n_features))
            w = rng.normal(size=(2, n_features, 1))
            y = ((X @ w)[:, :, 0] + rng.logistic(size=(2, n)) > 0).astype(int)
            # Separable draws have no finite optimum.
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                first, second = (learner.fit(X[i], y[i]).coef_[0] for i in (0, 1))
                both = learner.fit(np.concatenate(X), np.concatenate(y)).coef_[0]
            low, high = np.minimum(first, second) - 1e-4, np.maximum(first, second) + 1e-4
            if ((both < low) | (both > high)).any():
                outside += 1
                example = [weights.round(2).tolist() for weights in (first, second, both)]
        lines.append(f"{n_features} feature(s): a weight outside in {outside} of 100 pairs")
        if outside > 0:
            lines.append("such as {} and {}: together {}".format(*example))
    return Shown(lines)


def shrinkage(n: Annotated[int, Within(20, 5000)] = 100) -> Shown:
    """A penalty shortens the weights."""
    X, y = gaussians(n)
    models = {"none": LogisticRegression(penalty=None).fit(X, y)}
    models |= {f"C = {C}": LogisticRegression(C=C).fit(X, y) for C in (10, 1, 0.1, 0.01)}
    lines = [f"{name:9} |w| = {np.linalg.norm(m.coef_):.4f}" for name, m in models.items()]
    return Shown(lines)


def averaging(epochs: Annotated[int, Within(1, 1000)] = 3) -> Shown:
    """The averaged perceptron at the cost of its updates: equal to the plain sum."""
    X, y = np.array([[1.0, 0], [0, 1], [1, 1], [2, 0]]), np.array([1, 0, 0, 1])
    w, total = np.zeros(3), np.zeros(3)  # one vector for two classes, the bias last
    for _ in range(epochs):
        for x, label in zip(np.column_stack([X, np.ones(4)]), y, strict=True):
            sign = 1 if label else -1
            if sign * (w @ x) <= 0:
                w = w + 2 * sign * x
            total += w
    fast = Perceptron(max_iter=epochs, shuffle=False).fit(X, y)
    lazy = np.append(fast.coef_, fast.intercept_)
    return Shown([f"plain sum {(total / 12).round(6)}", f"lazy      {lazy.round(6)}"])


def two_labels(epsilon: Annotated[float, Within(1e-4, 0.4)] = 0.001) -> Shown:
    """Equal texts with two labels: averaging stops at the first odd step from 1 / (2 epsilon)."""
    lines = []
    for most in (0.1, 0.01, epsilon):
        learner, t, mean, change = Perceptron(), 0, 0.0, np.inf
        while change > most or t < 2:
            t += 1  # f(x, y) - f(x, y^) moves two slots of weights: coef_ is twice one of them
            label = "first" if t % 2 == 1 else "second"
            learner.partial_fit([[1.0]], [label], classes=["first", "second"])
            change, mean = abs(learner.coef_[0, 0] / 2 - mean), learner.coef_[0, 0] / 2
        formula = 2 * np.ceil((0.5 / most - 1) / 2 - 1e-9) + 1
        lines.append(f"epsilon {most}: stops at step {t}; formula {formula:.0f}")
    return Shown(lines)


def convexity(n: Count = 100_000, seed: int = 5) -> Shown:
    """The margin loss with costs never lies above its chord."""
    rng = np.random.default_rng(seed)
    costs = np.array([[0, 1, 3], [1, 0, 1], [2, 1, 0.0]])
    a, b = rng.normal(size=(2, n, 3)) * 3
    label, t = rng.integers(0, 3, n), rng.random((n, 1))
    between = hinge(t * a + (1 - t) * b, label, costs)[0]
    chord = t[:, 0] * hinge(a, label, costs)[0] + (1 - t[:, 0]) * hinge(b, label, costs)[0]
    return Shown([f"largest excess of the loss over its chord: {(between - chord).max():.1e}"])


def safe_step(steps: Count = 200, seed: int = 0) -> Shown:
    """A gradient step of 1 / m always descends, by |gradient|^2 / 2m or more."""
    X, y = gaussians(100, random_state=seed)
    A = np.column_stack([X, np.ones(len(X))]) * (2 * y - 1)[:, None]
    m = np.linalg.eigvalsh(A.T @ A)[-1] / 4 + 1.0  # the logistic loss, and a penalty of |w|^2 / 2
    w, shortfall = np.zeros(3), 0.0
    loss = len(X) * np.log(2)
    for _ in range(steps):
        slope = w - A.T @ (1 / (1 + np.exp(A @ w)))
        w = w - slope / m
        promised = loss - slope @ slope / (2 * m)
        loss = float(np.logaddexp(0, -(A @ w)).sum() + w @ w / 2)
        shortfall = max(shortfall, loss - promised)
    return Shown([f"most above the promise in {steps} steps: {shortfall:.1e}"])
