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
from wordplane.plots.descent_path import descent_path
from wordplane.plots.learning_curve import learning_curve
from wordplane.plots.losses import loss_functions, sigmoid
from wordplane.plots.margins import margins
from wordplane.plots.reliability import reliability
from wordplane.plots.saving import save, to_svg
from wordplane.plots.top_features import top_features
from wordplane.plots.training import regularisation_path, training_curves, weights_per_epoch
from wordplane.plots.zipf import zipf

__all__ = [
    "confusion",
    "decision_lines",
    "descent_path",
    "gaussian_truth",
    "learning_curve",
    "loss_functions",
    "margins",
    "pr_curve",
    "regularisation_path",
    "reliability",
    "risk_coverage",
    "roc_curve",
    "save",
    "sigmoid",
    "to_svg",
    "top_features",
    "training_curves",
    "weights_per_epoch",
    "zipf",
]
