"""Pictures: every function takes a result and returns an Altair chart; `save` writes it to a file.

>>> from wordplane.evaluation.curves import precision_recall
>>> from wordplane.plots import pr_curve, save
>>> chart = pr_curve(precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]))
>>> save(chart, "pr.svg")  # doctest: +SKIP

Altair is imported when the first chart is made; it comes with `pip install 'wordplane[report]'`.
"""

from wordplane.plots.confusion import confusion
from wordplane.plots.curves import pr_curve, risk_coverage, roc_curve
from wordplane.plots.decision_lines import decision_lines, gaussian_truth
from wordplane.plots.decision_regions import decision_regions
from wordplane.plots.descent_path import descent_path
from wordplane.plots.feature_slots import feature_slots
from wordplane.plots.kernel_lift import kernel_lift
from wordplane.plots.kmeans_rounds import kmeans_rounds
from wordplane.plots.learning_curve import learning_curve, learning_curves
from wordplane.plots.losses import loss_functions, sigmoid
from wordplane.plots.margins import margins
from wordplane.plots.newton import newton_tangents
from wordplane.plots.regression_line import regression_line
from wordplane.plots.reliability import reliability
from wordplane.plots.saving import save, to_svg
from wordplane.plots.separators import feasible_separators
from wordplane.plots.series import series, stacked_bars
from wordplane.plots.slices import slices
from wordplane.plots.step_sizes import step_sizes
from wordplane.plots.surfaces import hinge_surfaces, softmax_surfaces
from wordplane.plots.top_features import top_features
from wordplane.plots.training import regularization_path, training_curves, weights_per_epoch
from wordplane.plots.validation_curve import validation_curve
from wordplane.plots.zipf import zipf

__all__ = [
    "confusion",
    "decision_lines",
    "decision_regions",
    "descent_path",
    "feasible_separators",
    "feature_slots",
    "gaussian_truth",
    "hinge_surfaces",
    "kernel_lift",
    "kmeans_rounds",
    "learning_curve",
    "learning_curves",
    "loss_functions",
    "margins",
    "newton_tangents",
    "pr_curve",
    "regression_line",
    "regularization_path",
    "reliability",
    "risk_coverage",
    "roc_curve",
    "save",
    "series",
    "sigmoid",
    "slices",
    "softmax_surfaces",
    "stacked_bars",
    "step_sizes",
    "to_svg",
    "top_features",
    "training_curves",
    "validation_curve",
    "weights_per_epoch",
    "zipf",
]
