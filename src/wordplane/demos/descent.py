"""Losses, and ways to their minimum."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Annotated

import numpy as np

from wordplane import LogisticRegression, TfidfVectorizer, plots
from wordplane.common.errors import ConvergenceWarning
from wordplane.common.matrix import as_csr
from wordplane.common.types import FloatArray
from wordplane.demos import Shown, figures
from wordplane.demos.corpora import labeled_docstrings
from wordplane.demos.parameters import Count, Positive, Within
from wordplane.evaluation.calibration import softmax as softmax_rows
from wordplane.learners.least_squares import LeastSquares
from wordplane.optimize.adaptive import adam
from wordplane.optimize.conjugate_gradient import conjugate_gradient
from wordplane.optimize.descent import gradient_descent
from wordplane.optimize.losses import hinge as hinge_loss
from wordplane.optimize.losses import logistic
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.solution import Result

Rows = Annotated[int, Within(3, 2000)]
Noise = Annotated[float, Within(0, 5)]
Step = Annotated[float, Within(1e-6, 10)]


def losses(largest: Annotated[int, Within(1, 20)] = 2) -> Shown:
    """Zero-one, perceptron, hinge and logistic loss by margin."""
    z = np.array([[0.0, margin] for margin in range(-largest, largest + 1)])
    true = np.ones(len(z), dtype=int)
    lines = ["margin  zero-one  perceptron   hinge  logistic"]
    for (_, margin), h, g in zip(z, hinge_loss(z, true)[0], logistic(z, true)[0], strict=True):
        wrong, update = int(margin <= 0), max(0.0, -margin)
        lines.append(f"{margin:6g} {wrong:9} {update:11.3f} {h:7.3f} {g:9.3f}")
    return Shown(lines, lambda: figures.loss_functions(title="Losses by margin"))


def sigmoid() -> Shown:
    """From a score to a probability."""
    lines = [f"score {t:2d}: {1 / (1 + np.exp(-t)):.3f}" for t in range(-4, 5, 2)]
    return Shown(lines, lambda: figures.sigmoid(title="From a score to a probability"))


def softmax(temperature: Positive = 1.0) -> Shown:
    """The softmax is a distribution, and a soft version of the argmax."""
    scores = np.array([[2.0, 1.0, -1.0], [800.0, 799.0, 0.0], [0.0, 0.0, 0.0]])
    p = softmax_rows(scores / temperature)
    lines = [
        f"{z} -> {row.round(3)}, sum {row.sum():.3f}" for z, row in zip(scores, p, strict=True)
    ]
    return Shown(lines, lambda: figures.softmax_surfaces(title="softmax and argmax"))


def hinge(n: Count = 10_000, seed: int = 0) -> Shown:
    """The hinge loss over two scores bounds the zero-one loss."""
    z = np.random.default_rng(seed).normal(scale=2, size=(n, 2))
    true = np.ones(len(z), dtype=int)
    below = hinge_loss(z, true)[0] < (z.argmax(axis=1) != true)
    lines = [f"hinge below the zero-one loss in {below.sum()} of {len(z):,} random pairs"]
    return Shown(lines, lambda: figures.hinge_surfaces(title="hinge and zero-one loss"))


def regression(n: Rows = 40, noise: Noise = 0.4, seed: int = 1) -> Shown:
    """The best line through points, and its residuals."""
    A, y = _points(n, noise, seed)
    x = A[:, 0]
    line = LeastSquares().fit(x[:, None], y)
    lines = [
        f"LeastSquares       {line.coef_[0]:.6f} {line.intercept_:.6f}",
        "(X'X)^-1 X'Y       {:.6f} {:.6f}".format(*np.linalg.inv(A.T @ A) @ A.T @ y),
    ]
    title = "The best line, and the residuals"
    return Shown(lines, lambda: figures.regression_line(x, y, line, title=title))


def descent(
    eta: Step = 0.5, steps: Count = 25, n: Rows = 40, noise: Noise = 0.4, seed: int = 1
) -> Shown:
    """Gradient descent on the squared error of a line: all points at every step."""
    A, y = _points(n, noise, seed)
    path = [np.array([-1.0, 2.0])]
    for _ in range(steps):
        path.append(path[-1] - eta * A.T @ (A @ path[-1] - y) / len(y))
    lines = [
        f"after {steps} steps {path[-1].round(4)}",
        f"closed form    {_best_line(A, y).round(4)}",
    ]
    title = "All points at every step"
    return Shown(lines, lambda: figures.descent_path(_squared_error(A, y), path, title=title))


def bowl(n: Rows = 40, noise: Noise = 0.4, seed: int = 1) -> Shown:
    """The squared error over the two weights of a line: a bowl with one bottom."""
    A, y = _points(n, noise, seed)
    best, error = _best_line(A, y), _squared_error(A, y)
    ticks = np.linspace(-2, 2, 40)
    grid = best + np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    heights = error(grid)
    lowest, bottom = grid[heights.argmin()], float(error(best[None])[0])
    curvature = np.linalg.eigvalsh(A.T @ A / len(y))
    lines = [
        f"closed form                   {best.round(4)}, loss {bottom:.4f}",
        f"lowest of {len(grid):,} points         {lowest.round(4)}, loss {heights.min():.4f}",
        f"curvature along both axes     {curvature[0]:.4f} and {curvature[1]:.4f}",
    ]
    title = "One bottom: weights as they differ from the best line"
    return Shown(lines, lambda: figures.bowl_surface(lambda W: error(W + best), 2.0, title=title))


def stochastic(
    eta: Step = 0.25,
    batch_size: Count = 1,
    epochs: Count = 1,
    n: Rows = 40,
    noise: Noise = 0.4,
    seed: int = 1,
) -> Shown:
    """Stochastic gradient descent: one point, or a batch of them, at every step."""
    A, y = _points(n, noise, seed)
    rng = np.random.default_rng(seed)
    path = [np.array([-1.0, 2.0])]
    for _ in range(epochs):
        order = rng.permutation(n)
        for batch in np.split(order, range(batch_size, n, batch_size)):
            path.append(path[-1] - eta * A[batch].T @ (A[batch] @ path[-1] - y[batch]) / len(batch))
    lines = [
        f"after {len(path) - 1} steps {path[-1].round(4)}",
        f"closed form    {_best_line(A, y).round(4)}",
    ]
    title = "One point at every step" if batch_size == 1 else f"{batch_size} points at every step"
    return Shown(lines, lambda: figures.descent_path(_squared_error(A, y), path, title=title))


def step_sizes(small: Step = 0.03, right: Step = 0.35, large: Step = 1.04) -> Shown:
    """Steps that are too small, right and too large."""
    steps = {"too small": small, "right": right, "too large": large}
    # On w^2 a step multiplies w by 1 - 2 eta.
    lines = [
        f"{name:10} eta {eta:4}: w goes from 2 to {2 * (1 - 2 * eta) ** 10:.4f} in 10 steps"
        for name, eta in steps.items()
    ]
    return Shown(lines, lambda: figures.step_sizes(lambda w: w**2, lambda w: 2 * w, 2.0, steps))


def newton(square: Positive = 2.0, start: Positive = 2.0, steps: Count = 5) -> Shown:
    """Newton's method: every step doubles the correct digits, here of the root of 2."""
    x, lines = start, []
    for _ in range(steps):
        x = x - (x * x - square) / (2 * x)
        lines.append(f"{x:.15f}")
    title = "Newton's tangents"
    return Shown(
        lines,
        lambda: figures.newton_tangents(
            lambda x: x * x - square, lambda x: 2 * x, 2 * start, title=title
        ),
    )


def optimizers(passes: Annotated[int, Within(5, 1000)] = 25, C: Positive = 100.0) -> Shown:
    """One objective, seven optimizers: the objective after every pass."""
    texts, y = labeled_docstrings()
    X = TfidfVectorizer().fit_transform(texts)
    histories = {}
    for solver in ("gd", "lbfgs", "sgd", "adagrad"):
        # They are stopped early on purpose.
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            model = LogisticRegression(C=C, average=True, solver=solver, tol=0, max_iter=passes)
            histories[solver] = model.fit(X, y).history_
    codes = np.unique(y, return_inverse=True)[1]
    F = LinearObjective(
        as_csr(X),
        codes,
        logistic,
        Penalty(l2=1.0, free=10),
        n_outputs=10,
        weight=np.full(len(y), C / len(y)),
    )
    descend = partial(gradient_descent, step="fixed", eta0=0.01, momentum=0.9, batch_size=32)
    adapt = partial(adam, eta=0.01, batch_size=32)
    more: dict[str, Callable[..., Result]] = {
        "momentum": descend,
        "adam": adapt,
        "cg": conjugate_gradient,
    }
    for name, minimize in more.items():
        histories[name] = minimize(F, F.start(), tol=0, max_iter=passes).history
    best = LogisticRegression(C=C, average=True, solver="newton", tol=1e-9, max_iter=200)
    optimum = best.fit(X, y).history_[-1]
    lines = [f"passes          1       5 {passes:7}"]
    for name, values in histories.items():
        lines.append(f"{name:10} {values[1]:7.4f} {values[5]:7.4f} {values[-1]:7.4f}")
    lines.append(f"minimum    {optimum:7.4f}")
    title = "How far above the minimum"
    return Shown(lines, lambda: plots.training_curves(histories, optimum=optimum, title=title))


def gradients(seed: int = 0) -> Shown:
    """The softmax Jacobian and the gradients of the losses, checked by finite differences."""
    rng = np.random.default_rng(seed)
    x, W, b, c = rng.normal(size=4), rng.normal(size=(4, 3)), rng.normal(size=3), 1
    z, true = x @ W + b, np.array([c])
    p, y = softmax_rows(z[None])[0], np.eye(3)[c]
    jacobian = np.diag(p) - np.outer(p, p)
    rival = np.eye(3)[np.where(y == 1, -np.inf, z).argmax()]
    checks: dict[str, tuple[Callable[[FloatArray], FloatArray], FloatArray, FloatArray]] = {
        "dp/dz = diag(p) - p p'": (lambda z: softmax_rows(z[None])[0], z, jacobian),
        "dL/dp = -y / p": (lambda p: -np.log(p[true]), p, -y / p),
        "dL/dz = p - y": (lambda z: logistic(z[None], true)[0], z, p - y),
        "dL/db = p - y": (lambda b: logistic((x @ W + b)[None], true)[0], b, p - y),
        "dL/dW = x (p - y)'": (
            lambda w: logistic((x @ w.reshape(4, 3) + b)[None], true)[0],
            W.ravel(),
            np.outer(x, p - y).ravel(),
        ),
        "hinge: dL/dz = e_rival - y": (lambda z: hinge_loss(z[None], true)[0], z, rival - y),
    }
    lines = ["                            largest difference"]
    for name, (function, at, formula) in checks.items():
        steps = 1e-6 * np.eye(len(at))
        slopes = [(function(at + step) - function(at - step)) / 2e-6 for step in steps]
        error = np.abs(np.array(slopes).T.reshape(formula.shape) - formula).max()
        lines.append(f"{name:27} {error:.0e}")
    return Shown(lines)


def _points(n: int, noise: float, seed: int) -> tuple[FloatArray, FloatArray]:
    """n points around the line y = 1.5 x + 0.5: rows (x, 1), and y."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1.5, n)
    y = 1.5 * x + 0.5 + rng.normal(scale=noise, size=n)
    return np.column_stack([x, np.ones(len(x))]), y


def _squared_error(A: FloatArray, y: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Half the mean squared error of every row of weights."""
    return lambda W: np.asarray(((W @ A.T - y) ** 2).mean(axis=1) / 2)


def _best_line(A: FloatArray, y: FloatArray) -> FloatArray:
    model = LeastSquares().fit(A[:, :1], y)
    return np.append(model.coef_, model.intercept_)
