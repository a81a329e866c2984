"""How training went: what is drawn is what was learned."""

import warnings

import numpy as np
import pytest

from wordplane import (
    MIRA,
    LogisticRegression,
    datasets,
)
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.plots import (
    regularization_path,
    training_curves,
    weights_per_epoch,
)


def test_history_of_a_fit():
    X, y = datasets.gaussians(50)
    histories = {}
    for solver in ("lbfgs", "sgd", "gd"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LogisticRegression(solver=solver, max_iter=5, tol=0).fit(X, y)
        histories[solver] = model.history_
        assert len(model.history_) == model.n_iter_ + 1
        assert model.history_[0] == pytest.approx(50 * np.log(2))
        assert model.history_[-1] == pytest.approx(model.objective_)
    chart = training_curves(histories)
    assert len(chart.data.values) == 18
    chart = training_curves(histories, optimum=min(map(min, histories.values())))
    assert min(row["objective"] for row in chart.data.values) > 0  # it has a logarithm


def test_weights_along_epochs_and_penalties():
    X, y = datasets.gaussians(50)
    mira = MIRA(keep_path=True, max_iter=4).fit(X, y)
    rows = weights_per_epoch(mira.path_, ["one", "two"]).data.values
    ends = {row["name"]: row["weight"] for row in rows if row["at"] == len(mira.path_)}
    assert ends == pytest.approx(dict(zip(["one", "two"], mira.coef_[0], strict=True)))
    models = [LogisticRegression(C=C).fit(X, y) for C in (0.1, 1)]
    rows = regularization_path(models, top=1).data.values
    assert [row["at"] for row in rows] == [0.1, 1]
    assert rows[-1]["weight"] == np.abs(models[-1].coef_).max()


def test_three_classes_have_no_single_weight():
    model = LogisticRegression().fit(np.eye(3), ["a", "b", "c"])
    with pytest.raises(InputError, match="two classes"):
        regularization_path([model])


@pytest.mark.parametrize("draw", [training_curves, weights_per_epoch, regularization_path])
def test_nothing_to_draw(draw):
    with pytest.raises(InputError):
        draw({} if draw is training_curves else [])
