"""Pictures: every function takes a result and returns a chart; `save` writes it to a file.

>>> from wordplane.evaluation.curves import precision_recall
>>> from wordplane.plots import pr_curve, save
>>> chart = pr_curve(precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]))
>>> save(chart, "pr.svg")  # doctest: +SKIP

A chart is a Vega-Lite specification: `altair.Chart.from_dict(chart.to_dict())` makes it one of
Altair. Drawing and saving need vl-convert, which comes with `pip install '.[report]'`.
Pictures for teaching are in `wordplane.demos.figures`.
"""

from wordplane.plots.confusion import confusion
from wordplane.plots.curves import pr_curve, reliability, risk_coverage, roc_curve
from wordplane.plots.epochs import regularization_path, training_curves, weights_per_epoch
from wordplane.plots.learning_curve import learning_curve, learning_curves
from wordplane.plots.maps import cluster_map, word_map
from wordplane.plots.numbers import predicted_numbers
from wordplane.plots.saving import save
from wordplane.plots.slices import slices
from wordplane.plots.svg import to_svg
from wordplane.plots.top_features import top_features

__all__ = [
    "cluster_map",
    "confusion",
    "learning_curve",
    "learning_curves",
    "pr_curve",
    "predicted_numbers",
    "regularization_path",
    "reliability",
    "risk_coverage",
    "roc_curve",
    "save",
    "slices",
    "to_svg",
    "top_features",
    "training_curves",
    "weights_per_epoch",
    "word_map",
]
