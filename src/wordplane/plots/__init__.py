"""Pictures: every function takes a result and returns an Altair chart.

>>> from wordplane.evaluation.curves import precision_recall
>>> from wordplane.plots import pr_curve, save
>>> chart = pr_curve(precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]))
>>> save(chart, "pr.svg")  # doctest: +SKIP

Altair is imported when the first chart is made; it comes with `pip install 'wordplane[report]'`.
"""

from wordplane.plots.saving import save, to_svg
from wordplane.plots.style import altair, styled, values

__all__ = ["altair", "save", "styled", "to_svg", "values"]
