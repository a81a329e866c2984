"""How many mistakes there can be, and where errors come from."""

from collections.abc import Callable
from typing import Annotated

import numpy as np

from wordplane import LinearSVM, LogisticRegression, Perceptron
from wordplane.common.types import FloatArray
from wordplane.data.datasets import gaussians
from wordplane.demos import Shown, figures
from wordplane.demos.parameters import Within


def perceptron_bound(
    n: Annotated[int, Within(50, 2000)] = 400,
    orders: Annotated[int, Within(1, 500)] = 50,
    seed: int = 0,
) -> Shown:
    """The perceptron's mistakes, and the bound (R / margin)^2 that they never exceed."""
    points = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    distance = points @ [0.6, 0.8] - 0.2  # from the line that the labels are drawn by
    gaps = [0.4, 0.2, 0.1, 0.05, 0.02, 0.01]
    curves: dict[str, list[float]] = {"bound": [], "most": [], "mean": []}
    lines = [f"gap    margin / R    bound   most   mean mistakes in {orders} orders"]
    for gap in gaps:
        far = np.abs(distance) > gap
        X, y = points[far], distance[far] > 0
        # The bias is one more feature, for the SVM as for the perceptron.
        R = np.sqrt((X**2).sum(axis=1) + 1).max()
        svm = LinearSVM(C=1e6, loss="hinge", tol=1e-4, max_iter=1_000_000).fit(X, y)
        margin = 1 / np.sqrt((svm.coef_**2).sum() + svm.intercept_[0] ** 2)
        counts = [
            sum(Perceptron(max_iter=10_000, random_state=seed).fit(X, y).mistakes_)
            for seed in range(orders)
        ]
        row = [(R / margin) ** 2, max(counts), np.mean(counts)]
        for values, value in zip(curves.values(), row, strict=True):
            values.append(float(value))
        lines.append(f"{gap:4} {margin / R:10.4f} {row[0]:10.1f} {row[1]:6} {row[2]:8.1f}")
    return Shown(
        lines,
        lambda: figures.series(
            gaps, curves, x_title="gap between the classes", y_title="mistakes",
            log_x=True, log_y=True, title=f"Mistakes in {orders} orders, and their bound",
        ),
    )  # fmt: skip


def error_parts(n_draws: Annotated[int, Within(1, 200)] = 10) -> Shown:
    """The error on new points in parts: noise, too simple a family, too few points."""
    variances = (0.3, 1.5)
    X_many, y_many = gaussians(40_000, variances=variances, random_state=998)
    X_new, y_new = gaussians(40_000, variances=variances, random_state=999)
    truth = figures.gaussian_truth(variances=variances)
    noise = float(((truth(X_new) > 0) != y_new).mean())
    families: dict[str, Callable[[FloatArray], FloatArray]] = {
        "lines": lambda X: X,
        "cubics": lambda X: np.column_stack(
            [X[:, 0] ** a * X[:, 1] ** b for a in range(4) for b in range(4 - a) if a + b]
        ),
    }
    sizes = [20, 100, 1000]
    parts: dict[str, list[float]] = {"noise": [], "family": [], "sample": []}
    for family in families.values():
        best = LogisticRegression(C=100.0, max_iter=5000).fit(family(X_many), y_many)
        limit = 1 - best.score(family(X_new), y_new)
        for n in sizes:
            error = 0.0
            for seed in range(n_draws):
                X, y = gaussians(n, variances=variances, random_state=seed)
                model = LogisticRegression(C=100.0, max_iter=5000).fit(family(X), y)
                error += (1 - model.score(family(X_new), y_new)) / n_draws
            for part, value in zip(
                parts.values(), (noise, limit - noise, error - limit), strict=True
            ):
                part.append(100 * value)
    places = [f"{name}, {n}" for name in families for n in sizes]
    lines = [f"{'error in %':15}" + "".join(f"{name:>9}" for name in (*parts, "sum"))]
    for place, *values in zip(places, *parts.values(), strict=True):
        lines.append(f"{place:15}" + "".join(f"{x:9.2f}" for x in (*values, sum(values))))
    return Shown(
        lines,
        lambda: figures.stacked_bars(
            places, parts, x_title="family, training points", y_title="error on new points, %",
            title="Where the error comes from",
        ),
    )  # fmt: skip
