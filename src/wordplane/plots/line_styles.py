"""More lines in a chart than there are colors: each has its own color and dash."""

from collections.abc import Sequence

from wordplane.plots.style import QUIET, SERIES, altair

DASHES = ([1, 0], [6, 3], [2, 2])


def line_styles(
    field: str, names: Sequence[str], *, reference: str | None = None, columns: int = 3
) -> dict[str, object]:
    """The encoding of a field with these values, in this order, and a legend in columns.

    `reference` is one more value, in gray.

    >>> dash = line_styles("learner", ["a", "b", "c", "d", "e"])["strokeDash"]
    >>> dash.to_dict()["scale"]["range"]
    [[1, 0], [1, 0], [1, 0], [1, 0], [6, 3]]
    """
    alt = altair()
    places = range(len(names))
    colors = [SERIES[i % len(SERIES)] for i in places]
    dashes = [list(DASHES[i // len(SERIES) % len(DASHES)]) for i in places]
    domain = list(names)
    if reference is not None:
        domain, colors, dashes = [*domain, reference], [*colors, QUIET], [*dashes, [1, 0]]
    legend = alt.Legend(title=None, columns=columns, symbolType="stroke", symbolSize=300)
    return {
        "color": alt.Color(
            f"{field}:N", scale=alt.Scale(domain=domain, range=colors), legend=legend
        ),
        "strokeDash": alt.StrokeDash(
            f"{field}:N", scale=alt.Scale(domain=domain, range=dashes), legend=legend
        ),
    }
