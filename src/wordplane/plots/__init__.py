"""Pictures: every function takes a result and returns an Altair chart; `save` writes it to a file.

>>> from wordplane.evaluation.curves import precision_recall
>>> from wordplane.plots import pr_curve, save
>>> chart = pr_curve(precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]))
>>> save(chart, "pr.svg")  # doctest: +SKIP

Altair is imported when the first chart is made; it comes with `pip install 'wordplane[report]'`.
"""

from wordplane.plots.confusion import confusion
from wordplane.plots.curves import pr_curve, risk_coverage, roc_curve
from wordplane.plots.reliability import reliability
from wordplane.plots.saving import save, to_svg
from wordplane.plots.top_features import top_features

__all__ = [
    "confusion",
    "pr_curve",
    "reliability",
    "risk_coverage",
    "roc_curve",
    "save",
    "to_svg",
    "top_features",
]
