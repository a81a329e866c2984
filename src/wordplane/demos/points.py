"""Learners on points in the plane."""

from functools import partial
from typing import Annotated

import numpy as np

from wordplane import (
    MIRA,
    GaussianNB,
    KernelSVM,
    KMeans,
    KNeighbors,
    LinearSVM,
    LogisticRegression,
    OnlineSVM,
    Perceptron,
    RidgeClassifier,
)
from wordplane.common.types import FloatArray, LabelArray
from wordplane.data.datasets import gaussians
from wordplane.demos import Shown, figures
from wordplane.demos.parameters import Count, Positive, Within
from wordplane.learners.support.base import LinearClassifier

Points = Annotated[int, Within(4, 2000)]
Variance = Annotated[float, Within(0.01, 25)]


def two_gaussians(n: Points = 100, variance: Variance = 0.5, seed: int = 0) -> Shown:
    """Points of two classes and the best possible line; a fifth are test points."""
    X, y = gaussians(n, variances=(variance, variance), random_state=seed)
    truth, last = figures.gaussian_truth(variances=(variance, variance)), n * 4 // 5
    right = (truth(X) > 0) == y
    lines = [f"train {right[:last].mean():.1%}, test {right[last:].mean():.1%} by the best line"]
    test, title = (X[last:], y[last:]), "Two Gaussians, and the best line"
    return Shown(
        lines,
        lambda: figures.decision_lines(X[:last], y[:last], {}, test=test, truth=truth, title=title),
    )


def gaussian_nb(n: Points = 100, seed: int = 0) -> Shown:
    """Gaussian naive Bayes: means, priors, accuracy, and the formula of its line."""
    X, y = gaussians(n, random_state=seed)
    train, test = (X[: n // 2], y[: n // 2]), (X[n // 2 :], y[n // 2 :])
    nb = GaussianNB(variance=1.0).fit(*train)
    m, prior = nb.theta_, nb.class_prior_
    w, b = m[1] - m[0], np.log(prior[1] / prior[0]) + (m[0] @ m[0] - m[1] @ m[1]) / 2
    lines = [
        f"estimated means {m.round(2).tolist()}, priors {prior.tolist()}",
        f"accuracy: train {nb.score(*train):.2f}, test {nb.score(*test):.2f}",
        f"formula {w.round(6)} {b:.6f}",
        f"learner {nb.coef_[0].round(6)} {nb.intercept_[0]:.6f}",
    ]
    truth = figures.gaussian_truth()
    return Shown(
        lines, lambda: figures.decision_lines(*train, {"Gaussian NB": nb}, test=test, truth=truth)
    )


def perceptron_epochs(n: Points = 100, epochs: Count = 25, seed: int = 0) -> Shown:
    """The line of the perceptron after every fifth epoch: the last weights, not their mean."""
    X, y = gaussians(n, random_state=seed)
    learner = Perceptron(averaged=False, keep_path=True, max_iter=epochs)
    last = learner.fit(X[: n // 2], y[: n // 2])
    n_epochs = len(last.path_)  # fewer than asked for if it separates the points
    shown = sorted({*range(5, n_epochs + 1, 5), n_epochs})
    lines_at = {f"epoch {t}": last.path_[t - 1] for t in shown}
    lines = [
        f"{name:8} weights {np.ravel(W).round(2)}, bias {np.ravel(b)[0]:.0f}"
        for name, (W, b) in lines_at.items()
    ]
    lines.append(f"mistakes per epoch {last.mistakes_}")
    title = "The last weights jump"
    return Shown(
        lines,
        lambda: figures.decision_lines(X, y, lines_at, truth=figures.gaussian_truth(), title=title),
    )


def all_learners(n_draws: Annotated[int, Within(1, 1000)] = 10) -> Shown:
    """How far every learner is below the best possible accuracy, in six worlds."""
    learners = {
        "Gaussian NB": GaussianNB(variance="pooled"),
        "perceptron": Perceptron(),
        "MIRA": MIRA(),
        "online SVM": OnlineSVM(alpha=0.01, max_iter=50),
        "linear SVM": LinearSVM(),
        "logistic regression": LogisticRegression(),
        "ridge": RidgeClassifier(),
    }
    worlds = {
        "n = 20": (20, (1, 1), 0.5),
        "n = 100": (100, (1, 1), 0.5),
        "n = 1000": (1000, (1, 1), 0.5),
        "variance 4": (100, (4, 4), 0.5),
        "90 to 10": (100, (1, 1), 0.9),
        "0.3 and 1.5": (100, (0.3, 1.5), 0.5),
    }
    lines = [f"{'points below the best':21}" + "".join(f"{name:>13}" for name in worlds)]
    for name, learner in learners.items():
        behind = (
            excess_error(learner, n, n_draws=n_draws, variances=variances, balance=balance)
            for n, variances, balance in worlds.values()
        )
        lines.append(f"{name:21}" + "".join(f"{value:13.2f}" for value in behind))
    return Shown(lines)


def excess_error(
    learner: LinearClassifier,
    n: int,
    *,
    n_draws: int = 10,
    variances: tuple[float, float] = (1.0, 1.0),
    balance: float = 0.5,
) -> float:
    """How many points of accuracy a learner of n points is below the best rule, on average."""
    draw = partial(gaussians, variances=variances, balance=balance)
    X_new, y_new = draw(10_000, random_state=999)
    truth = figures.gaussian_truth(variances=variances, balance=balance)
    best = np.mean((truth(X_new) > 0) == y_new)
    error = 0.0
    for seed in range(n_draws):
        score = learner.fit(*draw(n, random_state=seed)).score(X_new, y_new)
        error += float(100 * (best - score) / n_draws)
    return error


def margins(n: Points = 40, variance: Variance = 0.2, C: Positive = 100.0, seed: int = 0) -> Shown:
    """Functional and geometric margin, and the support vectors."""
    X, y = gaussians(n, variances=(variance, variance), random_state=seed)
    svm = LinearSVM(C=C, loss="hinge", tol=1e-7, max_iter=100_000).fit(X, y)
    functional = np.where(y == svm.classes_[1], 1, -1) * svm.decision_function(X)
    length = np.linalg.norm(svm.coef_)
    lines = [
        f"smallest functional margin {functional.min():.4f}",
        f"smallest geometric margin {functional.min() / length:.4f} = 1 / |w| = {1 / length:.4f}",
        f"points at that margin {np.sum(functional < 1.001)}",
    ]
    return Shown(lines, lambda: figures.margins(X, y, svm, title="The widest street"))


def separators(n: Points = 40, variance: Variance = 0.2, seed: int = 0) -> Shown:
    """All lines that separate the points, and the one with the largest geometric margin."""
    X, y = gaussians(n, variances=(variance, variance), random_state=seed)
    angles = np.linspace(0, np.pi, 1801)
    across = X @ np.array([np.cos(angles), np.sin(angles)])
    gap = across[y == 1].min(axis=0) - across[y == 0].max(axis=0)
    lines = ["no line separates these points"]
    if gap.max() > 0:
        best = np.degrees(angles[gap.argmax()])
        lines = [
            f"directions that separate: {np.degrees(np.ptp(angles[gap > 0])):.1f} degrees wide",
            f"largest geometric margin {gap.max() / 2:.4f}, normal at {best:.1f} degrees",
        ]
    return Shown(lines, lambda: figures.feasible_separators(X, y, title="All feasible separators"))


def slack(n: Points = 24, variance: Variance = 0.6, C: Positive = 1.0, seed: int = 8) -> Shown:
    """Where no line separates the classes, some points have slack."""
    X, y = gaussians(n, variances=(variance, variance), random_state=seed)
    svm = LinearSVM(C=C, loss="hinge", tol=1e-7, max_iter=100_000).fit(X, y)
    functional = np.where(y == svm.classes_[1], 1, -1) * svm.decision_function(X)
    missing = np.maximum(0, 1 - functional)
    lines = [f"{np.sum(missing > 1e-3)} points have slack, in sum {missing.sum():.3f}"]
    return Shown(lines, lambda: figures.margins(X, y, svm, title="Slack"))


def neighbors(k: Annotated[int, Within(1, 80)] = 25, seed: int = 0) -> Shown:
    """Nearest neighbors: 1 follows every point, 25 smooth the border."""
    X, y = _three_groups(seed)
    train, test = (X[:80], y[:80]), (X[80:], y[80:])
    models = {
        f"k = {k}": KNeighbors(n_neighbors=k, metric="euclidean").fit(*train)
        for k in sorted({1, 5, k})
    }
    lines = [
        f"{name:7} train {model.score(*train):.2f}  test {model.score(*test):.2f}"
        for name, model in models.items()
    ]
    return Shown(lines, lambda: figures.decision_regions(*train, models, test=test))


def kmeans(k: Annotated[int, Within(1, 12)] = 3, seed: int = 0) -> Shown:
    """k-means, round by round."""
    points, _ = _three_groups(seed)
    model = KMeans(k).fit(points)
    lines = [f"center {center.round(2)}" for center in model.cluster_centers_]
    title = "k-means, round by round"
    return Shown(lines, lambda: figures.kmeans_rounds(points, points[2 : 2 + k], title=title))


def kernels(c: Positive = 0.7, seed: int = 1) -> Shown:
    """Three kernels equal their feature maps; a circle becomes a plane."""
    u, v = np.array([1.0, 2, 0.5]), np.array([0.3, 1, 2])
    two_u, two_v = (np.array([x[0] ** 2, x[1] ** 2, np.sqrt(2) * x[0] * x[1]]) for x in (u, v))
    all_u, all_v = (np.outer(x, x).ravel() for x in (u, v))
    more_u = np.concatenate([all_u, np.sqrt(2 * c) * u, [c]])
    more_v = np.concatenate([all_v, np.sqrt(2 * c) * v, [c]])
    lines = [
        f"two features      {two_u @ two_v:.6f} = {(u[:2] @ v[:2]) ** 2:.6f}",
        f"all pairs         {all_u @ all_v:.6f} = {(u @ v) ** 2:.6f}",
        f"pairs and single  {more_u @ more_v:.6f} = {(c + u @ v) ** 2:.6f}",
    ]
    points = np.random.default_rng(seed).uniform(-1.6, 1.6, (80, 2))
    radius = points[:, 0] ** 2 + 1.5 * points[:, 1] ** 2
    points, radius = points[np.abs(radius - 1.2) > 0.25], radius[np.abs(radius - 1.2) > 0.25]
    inside = np.where(radius < 1.2, "in", "out")
    svm = KernelSVM(kernel="polynomial", degree=2, coef0=0, C=100).fit(points, inside)
    lines.append(f"polynomial SVM on the circle: accuracy {svm.score(points, inside):.0%}")
    return Shown(lines, lambda: figures.kernel_lift(points, inside, svm))


def _three_groups(seed: int) -> tuple[FloatArray, LabelArray]:
    """120 points around three centers, and the names of their groups."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, 120)
    points = np.array([[0, 2], [-2, -1], [2, -1]])[group] + rng.normal(size=(120, 2))
    return points, np.array(["art", "law", "sport"])[group]
