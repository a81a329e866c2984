"""The strongest features of each class."""

from collections.abc import Hashable, Mapping, Sequence

from wordplane.common.errors import InputError
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import encode, row_values
from wordplane.plots.style import BLUE, finish
from wordplane.plots.vega_lite import Chart

COLUMNS = 3


def top_features(
    top: Mapping[Hashable, Sequence[tuple[str, float]]], title: str | None = None
) -> Chart:
    """Bars of the strongest features of each class, as `TextClassifier.top_features` gives them.

    >>> chart = top_features({"praise": [("good", 2.0), ("fine", 1.0)], "blame": [("bad", 1.5)]})
    >>> chart.concat[0].data.values[0]
    {'feature': 'good', 'weight': 2.0}
    """
    if not any(top.values()):
        raise InputError("there are no features to show")
    x = vl.X("weight:Q", title="weight", axis={"tickCount": 4})
    y = vl.Y("feature:N", sort=None, title=None, axis={"labelLimit": 160})
    panels = [
        encode(row_values(("feature", "weight"), features), x, y)
        .mark_bar(color=BLUE, cornerRadiusEnd=2)
        .properties(title=str(label), width=180, height={"step": 18})
        for label, features in top.items()
        if features
    ]
    return finish(vl.concat(*panels, columns=COLUMNS), title)
