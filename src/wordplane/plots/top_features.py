"""What speaks most for each class."""

from collections.abc import Mapping, Sequence
from typing import Any

from wordplane.common.errors import InputError
from wordplane.plots.style import BLUE, altair, styled, values

COLUMNS = 3


def top_features(top: Mapping[Any, Sequence[tuple[str, float]]], title: str | None = None) -> Any:
    """Bars of the strongest features of each class, as `TextClassifier.top_features` gives them."""
    if not any(top.values()):
        raise InputError("there are no features to show")
    alt = altair()
    panels = [
        alt.Chart(
            values(feature=[name for name, _ in features], weight=[value for _, value in features]),
            title=str(label),
        )
        .mark_bar(color=BLUE, cornerRadiusEnd=2)
        .encode(
            x=alt.X("weight:Q", title="weight", axis={"tickCount": 4}),
            y=alt.Y("feature:N", sort=None, title=None, axis={"labelLimit": 160}),
        )
        .properties(width=180, height={"step": 18})
        for label, features in top.items()
        if features
    ]
    return styled(alt.concat(*panels, columns=COLUMNS), title)
