"""How training went: the objective by iteration, the weights by epoch, the weights by penalty."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.plots import vega_lite as vl
from wordplane.plots.charts import line_styles, values
from wordplane.plots.style import finish
from wordplane.plots.vega_lite import Chart


class LinearModel(Protocol):
    """A fitted linear learner, and the parameters it was fitted with."""

    coef_: FloatArray

    def get_params(self) -> dict[str, object]: ...


def training_curves(
    histories: Mapping[str, Sequence[float]],
    *,
    optimum: float | None = None,
    iterations: str = "passes over the data",
    title: str | None = None,
) -> Chart:
    """The objective after each iteration, one line for every optimizer.

    histories   by name: the objective at the start and after every iteration (`history_`)
    optimum     draw how far above this it is, on a logarithmic scale
    iterations  what an iteration is

    >>> chart = training_curves({"L-BFGS": [8.0, 3.0, 2.5], "SGD": [8.0, 2.9, 2.7]})
    >>> len(chart.data.values)
    6
    """
    rows = [(name, i, value) for name, line in histories.items() for i, value in enumerate(line)]
    if not rows:
        raise InputError("there is no history to draw: give at least one, with a value in it")
    names, steps, objective = (list(column) for column in zip(*rows, strict=True))
    above = np.asarray(objective, dtype=np.float64)
    axis = vl.Y("objective:Q", title="objective", scale={"zero": False})
    if optimum is not None:
        above = np.maximum(above - optimum, 1e-12 * abs(optimum))
        axis = vl.Y("objective:Q", title="objective above its minimum", scale=_log_scale())
    chart = vl.Chart(values(name=names, step=steps, objective=above)).encode(
        x=vl.X("step:Q", title=iterations), y=axis, **line_styles("name", list(histories))
    )
    return finish(chart.mark_line(), title)


def weights_per_epoch(
    path: Sequence[tuple[ArrayLike, ArrayLike]],
    names: Sequence[str] | None = None,
    *,
    top: int = 8,
    title: str | None = None,
) -> Chart:
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
    weights = np.array([_flatten(W) for W, _ in path])
    x = vl.X("at:Q", title="epoch", scale={"nice": False})
    return finish(_weight_lines(x, np.arange(1, len(path) + 1), weights, names, top), title)


def regularization_path(
    models: Sequence[LinearModel],
    names: Sequence[str] | None = None,
    *,
    parameter: str = "C",
    top: int = 8,
    title: str | None = None,
) -> Chart:
    """The weights of one learner fitted with several strengths of its penalty.

    models     fitted learners of two classes, each with its value of `parameter`
    names      of the features; their numbers if not given
    parameter  the parameter that differs
    top        how many weights are drawn, those that are largest at the last model

    >>> from wordplane import LogisticRegression
    >>> X, y = [[2, 0], [1, 1], [0, 2], [0, 1]], [1, 1, 0, 0]
    >>> models = [LogisticRegression(C=C, penalty="l1").fit(X, y) for C in (0.1, 1, 10)]
    >>> len(regularization_path(models).data.values)
    6
    """
    if not models:
        raise InputError("there are no models to draw; fit one for every value of the parameter")
    weights = np.array([_flatten(model.coef_) for model in models])
    strengths = np.asarray([model.get_params()[parameter] for model in models], dtype=np.float64)
    x = vl.X("at:Q", title=parameter, scale=_log_scale())
    return finish(_weight_lines(x, strengths, weights, names, top), title)


def _flatten(W: ArrayLike) -> FloatArray:
    weights = np.asarray(W, dtype=np.float64)
    if 1 not in weights.shape:
        raise InputError(f"weights of shape {weights.shape}, expected those of two classes")
    return weights.ravel()


def _weight_lines(
    x: vl.Channel, at: ArrayLike, weights: FloatArray, names: Sequence[str] | None, top: int
) -> Chart:
    """The weights (settings x features) that are largest in the end, a line for each."""
    best = np.argsort(-np.abs(weights[-1]), kind="stable")[:top]
    labels = [str(j) if names is None else str(names[j]) for j in best]
    data = values(
        at=np.tile(at, len(best)),
        weight=weights[:, best].T.ravel(),
        name=np.repeat(labels, len(weights)),
    )
    y = vl.Y("weight:Q", title="weight")
    return vl.Chart(data).mark_line().encode(x, y, **line_styles("name", labels))


def _log_scale() -> dict[str, object]:
    return {"type": "log", "nice": False}
