"""Every picture of a lesson is drawn, in colors that a dark page can swap."""

import re
from types import SimpleNamespace

import altair
import numpy as np
import pytest

from wordplane import KernelSVM, KNeighbors, LinearSVM, datasets, plots
from wordplane.demos import figures
from wordplane.diagnosis.fit_measures import FitMeasures
from wordplane.learners.least_squares import LeastSquares
from wordplane.plots import style

X, Y = datasets.gaussians(40, variances=(0.2, 0.2))
MEASURES = [FitMeasures(n, (0.9, 1.0), (0.7, 0.8), (0.1, 0.2), (0.5, 0.6)) for n in (1, 10)]


def kernel():
    inside = np.where((X**2).sum(axis=1) < 2, "in", "out")
    model = KernelSVM(kernel="polynomial", degree=2, coef0=0).fit(X, inside)
    return figures.kernel_lift(X, inside, model)


PICTURES = {
    "decision_lines": lambda: figures.decision_lines(
        X, Y, {"SVM": LinearSVM().fit(X, Y)}, test=(X[:5], Y[:5]), truth=figures.gaussian_truth()
    ),
    "decision_regions": lambda: figures.decision_regions(
        X, Y, KNeighbors(metric="euclidean").fit(X, Y), test=(X[:5], Y[:5])
    ),
    "margins": lambda: figures.margins(X, Y, LinearSVM(C=0.1).fit(X, Y)),
    "feasible_separators": lambda: figures.feasible_separators(X, Y),
    "kernel_lift": kernel,
    "softmax_surfaces": figures.softmax_surfaces,
    "hinge_surfaces": figures.hinge_surfaces,
    "loss_functions": figures.loss_functions,
    "sigmoid": figures.sigmoid,
    "descent_path": lambda: figures.descent_path(lambda W: (W**2).sum(axis=1), [(2, 1), (0, 0)]),
    "zipf": lambda: figures.zipf([5, 3, 1]),
    "newton_tangents": lambda: figures.newton_tangents(lambda x: x**2 - 2, lambda x: 2 * x, 3.0),
    "step_sizes": lambda: figures.step_sizes(
        lambda w: w**2, lambda w: 2 * w, 1.0, {"small": 0.1, "large": 1.1}
    ),
    "regression_line": lambda: figures.regression_line(
        X[:, 0], X[:, 1], LeastSquares().fit(X[:, :1], X[:, 1])
    ),
    "kmeans_rounds": lambda: figures.kmeans_rounds(X, X[:3], most=3),
    "validation_curve": lambda: figures.validation_curve(
        SimpleNamespace(parameter="C", points=MEASURES)
    ),
    "series": lambda: figures.series(
        [1, 10], {"a": [1, 100], "b": [2, 3]}, x_title="n", y_title="loss", log_x=True, log_y=True
    ),
    "stacked_bars": lambda: figures.stacked_bars(
        ["few", "many"], {"a": [1, 2], "b": [3, 4]}, x_title="n", y_title="error"
    ),
    "feature_slots": lambda: figures.feature_slots({"<b>": 1}, ["a", "b"], "b"),
}


def first_rows(value):
    """A specification with a few rows of its data: all of them take seconds to check."""
    if isinstance(value, dict):
        return {
            name: each[:20] if name == "values" else first_rows(each)
            for name, each in value.items()
        }
    return [first_rows(each) for each in value] if isinstance(value, list) else value


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_drawn_in_colors_that_can_be_swapped(name):
    chart = PICTURES[name]()
    altair.Chart.from_dict(first_rows(chart.to_dict()))  # checks it
    svg = plots.to_svg(chart)
    assert svg.startswith("<svg") and "NaN" not in svg and "<b>" not in svg
    colors = set(re.findall(r'(?:fill|stroke)="(#[^"]+)"', svg))
    assert colors <= set(style.DARK) - {style.PAPER}
