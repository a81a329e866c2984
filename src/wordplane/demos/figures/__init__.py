"""The pictures of lessons: every function returns a chart, as in `wordplane.plots`.

>>> from wordplane.demos.figures import sigmoid
>>> from wordplane.plots import save
>>> save(sigmoid(), "sigmoid.svg")  # doctest: +SKIP
"""

from wordplane.demos.figures.decisions import decision_lines, decision_regions, gaussian_truth
from wordplane.demos.figures.descent import (
    descent_path,
    newton_tangents,
    regression_line,
    step_sizes,
)
from wordplane.demos.figures.kernel_lift import kernel_lift
from wordplane.demos.figures.kmeans import kmeans_rounds
from wordplane.demos.figures.losses import (
    bowl_surface,
    hinge_surfaces,
    loss_functions,
    sigmoid,
    softmax_surfaces,
)
from wordplane.demos.figures.margins import margins
from wordplane.demos.figures.separators import feasible_separators
from wordplane.demos.figures.series import series, stacked_bars, validation_curve
from wordplane.demos.figures.text import feature_slots, zipf

__all__ = [
    "bowl_surface",
    "decision_lines",
    "decision_regions",
    "descent_path",
    "feasible_separators",
    "feature_slots",
    "gaussian_truth",
    "hinge_surfaces",
    "kernel_lift",
    "kmeans_rounds",
    "loss_functions",
    "margins",
    "newton_tangents",
    "regression_line",
    "series",
    "sigmoid",
    "softmax_surfaces",
    "stacked_bars",
    "step_sizes",
    "validation_curve",
    "zipf",
]
