"""How well models fit the rows they were trained on, and rows that they have not seen.

Accuracy, and the log-loss of probabilities. Scores of most learners are no log-odds, so that they
are divided by the temperature that suits rows which were not trained on: each half of the held-out
rows is measured at the temperature of the other half, and the training rows at both. A training
loss far below the other is then the work of the training rows alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane.evaluation.calibration import Temperature
from wordplane.evaluation.intervals import Interval, fold_interval
from wordplane.learners.support.base import best_class


class Measured(NamedTuple):
    """One model."""

    train_accuracy: float
    dev_accuracy: float
    train_loss: float
    dev_loss: float


@dataclass(frozen=True)
class FitMeasures:
    """Models of several folds that have one setting in common, and each measure of every one.

    at  the setting: the number of training texts, of epochs, or the value of a parameter
    """

    at: float
    train_accuracy: tuple[float, ...]
    dev_accuracy: tuple[float, ...]
    train_loss: tuple[float, ...]
    dev_loss: tuple[float, ...]

    @classmethod
    def of(cls, at: float, models: Sequence[Measured]) -> "FitMeasures":
        """One setting, from the measures of its models."""
        return cls(at, *(tuple(values) for values in zip(*models, strict=True)))

    def mean(self, measure: str) -> float:
        """The mean over the folds."""
        return fmean(getattr(self, measure))

    def interval(self, measure: str) -> Interval:
        """The 95 % interval of that mean."""
        return fold_interval(np.array(getattr(self, measure)))

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it: of every measure the folds, their mean and its interval; all None
        where a fold has too few rows for it."""
        measures = {}
        for name in Measured._fields:
            values = getattr(self, name)
            known = bool(np.isfinite(values).all())
            measures[name] = {
                "mean": self.mean(name) if known else None,
                "interval": self.interval(name) if known else None,
                "folds": values if known else None,
            }
        return {"at": self.at, **measures}


def measure(
    classes: NDArray[Any],
    z_train: NDArray[np.float64],
    y_train: NDArray[Any],
    z_held: NDArray[np.float64],
    y_held: NDArray[Any],
) -> Measured:
    """The measures of a model, from the scores that it gives to its training and held-out rows.

    Losses are nan if fewer than two held-out rows can be compared: one for each half.
    """
    train_accuracy, dev_accuracy = (
        float(np.mean(classes[best_class(z, len(classes))] == y))
        for z, y in ((z_train, y_train), (z_held, y_held))
    )
    z_train, codes_train = _comparable(classes, z_train, y_train)
    z_held, codes_held = _comparable(classes, z_held, y_held)
    train_losses, held_losses = [], []
    for half in (0, 1):
        z, codes = z_held[half::2], codes_held[half::2]
        z_other, codes_other = z_held[1 - half :: 2], codes_held[1 - half :: 2]
        if len(z) == 0 or len(z_other) == 0 or len(z_train) == 0:
            return Measured(train_accuracy, dev_accuracy, np.nan, np.nan)
        temperature = Temperature.fit(z_other, codes_other)
        held_losses += _losses(temperature.transform(z), codes).tolist()
        train_losses.append(float(_losses(temperature.transform(z_train), codes_train).mean()))
    return Measured(train_accuracy, dev_accuracy, fmean(train_losses), fmean(held_losses))


def _comparable(
    classes: NDArray[Any], z: NDArray[np.float64], y: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The rows with finite scores, and a label that the model knows."""
    known = np.isin(y, classes) & np.isfinite(z.reshape(len(z), -1)).all(axis=1)
    return z[known], np.searchsorted(classes, y[known])


def _losses(P: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    own = P[np.arange(len(P)), codes]
    return np.asarray(-np.log(np.maximum(own, np.finfo(float).tiny)))
