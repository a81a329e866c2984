"""The losses of a margin in one picture."""

import numpy as np

from wordplane.optimize.losses import hinge, logistic, perceptron, squared_hinge, zero_one
from wordplane.plots.style import BLUE, INK, QUIET, SERIES, Picture, altair, finish, values

LOSSES = {
    "zero-one": zero_one,
    "perceptron": perceptron,
    "hinge": hinge,
    "squared hinge": squared_hinge,
    "logistic": logistic,
}


def loss_functions(low: float = -2.0, high: float = 3.0, *, title: str | None = None) -> Picture:
    """The loss of an example by its margin: the score of its true class less the best other score.

    >>> chart = loss_functions()
    >>> chart.mark.type
    'line'
    """
    alt = altair()
    margins = np.linspace(low, high, 201)
    z = np.column_stack([np.zeros_like(margins), margins])
    y = np.ones(len(margins), dtype=np.int64)
    losses = {name: loss(z, y)[0] for name, loss in LOSSES.items()}
    data = values(
        margin=np.tile(margins, len(losses)),
        loss=np.concatenate(list(losses.values())),
        name=np.repeat(list(losses), len(margins)),
    )
    colors = alt.Scale(domain=list(losses), range=[INK, *SERIES])
    chart = (
        alt.Chart(data)
        .mark_line(clip=True)
        .encode(
            x=alt.X("margin:Q", title="margin: score of the true class less the best other"),
            y=alt.Y("loss:Q", title="loss", scale=alt.Scale(domain=[0, 4])),
            color=alt.Color("name:N", scale=colors, legend=alt.Legend(title=None, columns=3)),
        )
    )
    return finish(chart, title)


def sigmoid(low: float = -6.0, high: float = 6.0, *, title: str | None = None) -> Picture:
    """How a score becomes a probability: 1 / (1 + exp(-z)).

    >>> len(sigmoid().layer[1].data.values)
    121
    """
    alt = altair()
    z = np.linspace(low, high, 121)
    half = alt.Chart(values(p=[0.5])).mark_rule(color=QUIET, strokeDash=[4, 4]).encode(y="p:Q")
    curve = (
        alt.Chart(values(z=z, p=1 / (1 + np.exp(-z))))
        .mark_line(color=BLUE)
        .encode(
            x=alt.X("z:Q", title="score z"),
            y=alt.Y("p:Q", title="probability", scale=alt.Scale(domain=[0, 1])),
        )
    )
    return finish(alt.layer(half, curve), title)
