"""How training went: the objective by iteration, the weights by epoch, the weights by penalty."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wordplane.common.errors import InputError
from wordplane.plots.many_lines import many_lines
from wordplane.plots.style import altair, styled, values


def training_curves(
    histories: Mapping[str, Sequence[float]],
    *,
    optimum: float | None = None,
    iterations: str = "passes over the data",
    title: str | None = None,
) -> Any:
    """The objective after each iteration, one line for every optimiser.

    histories   by name: the objective at the start and after every iteration (`history_`)
    optimum     draw how far above this it is, on a logarithmic scale
    iterations  what an iteration is

    >>> chart = training_curves({"L-BFGS": [8.0, 3.0, 2.5], "SGD": [8.0, 2.9, 2.7]})
    >>> len(chart.data.values)
    6
    """
    alt = altair()
    rows = [(name, i, value) for name, line in histories.items() for i, value in enumerate(line)]
    if not rows:
        raise InputError("there is no history to draw: give at least one, with a value in it")
    names, steps, objective = (list(column) for column in zip(*rows, strict=True))
    above = np.asarray(objective, dtype=np.float64)
    axis = alt.Y("objective:Q", title="objective", scale=alt.Scale(zero=False))
    if optimum is not None:
        above = np.maximum(above - optimum, 1e-12 * abs(optimum))
        axis = alt.Y("objective:Q", title="objective above its minimum", scale=_powers(alt))
    chart = (
        alt.Chart(values(name=names, step=steps, objective=above))
        .mark_line()
        .encode(
            x=alt.X("step:Q", title=iterations),
            y=axis,
            **many_lines("name", list(histories)),
        )
    )
    return styled(chart, title)


def weights_per_epoch(
    path: Sequence[tuple[Any, Any]],
    names: Sequence[str] | None = None,
    *,
    top: int = 8,
    title: str | None = None,
) -> Any:
    """How weights moved: those that ended largest, after every epoch.

    path   W and b after every epoch, as an online learner with `keep_path=True` has in `path_`
    names  of the features; their numbers if not given
    top    how many are drawn

    >>> from wordplane import Perceptron
    >>> model = Perceptron(keep_path=True, max_iter=3).fit([[1, 0], [0, 1]], ["a", "b"])
    >>> len(weights_per_epoch(model.path_).data.values) == 2 * len(model.path_)
    True
    """
    if not path:
        raise InputError("the path is empty; train with keep_path=True")
    weights = np.array([_flat(W) for W, _ in path])
    return styled(
        _weight_lines(np.arange(1, len(path) + 1), weights, names, top, "epoch", log=False), title
    )


def regularisation_path(
    models: Sequence[Any],
    names: Sequence[str] | None = None,
    *,
    parameter: str = "C",
    top: int = 8,
    title: str | None = None,
) -> Any:
    """The weights of one learner fitted with several strengths of its penalty.

    models     fitted learners of two classes, each with its value of `parameter`
    names      of the features; their numbers if not given
    parameter  the parameter that differs
    top        how many weights are drawn, those that are largest at the last model

    >>> from wordplane import LogisticRegression
    >>> X, y = [[2, 0], [1, 1], [0, 2], [0, 1]], [1, 1, 0, 0]
    >>> models = [LogisticRegression(C=C, penalty="l1").fit(X, y) for C in (0.1, 1, 10)]
    >>> len(regularisation_path(models).data.values)
    6
    """
    if not models:
        raise InputError("there are no models to draw; fit one for every value of the parameter")
    weights = np.array([_flat(model.coef_) for model in models])
    strengths = np.array([float(getattr(model, parameter)) for model in models])
    return styled(_weight_lines(strengths, weights, names, top, parameter, log=True), title)


def _flat(W: Any) -> Any:
    weights = np.asarray(W)
    if 1 not in weights.shape:
        raise InputError(f"weights of shape {weights.shape}, expected those of two classes")
    return weights.ravel()


def _weight_lines(
    at: Any, weights: Any, names: Sequence[str] | None, top: int, along: str, *, log: bool
) -> Any:
    alt = altair()
    best = np.argsort(-np.abs(weights[-1]), kind="stable")[:top]
    labels = [str(j) if names is None else str(names[j]) for j in best]
    data = values(
        at=np.tile(at, len(best)),
        weight=weights[:, best].T.ravel(),
        name=np.repeat(labels, len(at)),
    )
    return (
        alt.Chart(data)
        .mark_line()
        .encode(
            x=alt.X("at:Q", title=along, scale=_powers(alt) if log else alt.Scale(nice=False)),
            y=alt.Y("weight:Q", title="weight"),
            **many_lines("name", labels),
        )
    )


def _powers(alt: Any) -> Any:
    return alt.Scale(type="log", nice=False)
