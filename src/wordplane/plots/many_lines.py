"""More lines in a chart than there are colours: each has a colour and a dash of its own."""

from collections.abc import Sequence
from typing import Any

from wordplane.plots.style import SERIES, altair

DASHES = ([1, 0], [6, 3], [2, 2])


def many_lines(field: str, names: Sequence[str]) -> dict[str, Any]:
    """The encoding of a field with these values, in this order.

    >>> dash = many_lines("learner", ["a", "b", "c", "d", "e"])["strokeDash"]
    >>> dash.to_dict()["scale"]["range"]
    [[1, 0], [1, 0], [1, 0], [1, 0], [6, 3]]
    """
    alt = altair()
    places = range(len(names))
    colours = [SERIES[i % len(SERIES)] for i in places]
    dashes = [list(DASHES[i // len(SERIES) % len(DASHES)]) for i in places]
    domain = list(names)
    legend = alt.Legend(title=None, columns=3, symbolType="stroke", symbolSize=300)
    return {
        "color": alt.Color(
            f"{field}:N", scale=alt.Scale(domain=domain, range=colours), legend=legend
        ),
        "strokeDash": alt.StrokeDash(
            f"{field}:N", scale=alt.Scale(domain=domain, range=dashes), legend=legend
        ),
    }
