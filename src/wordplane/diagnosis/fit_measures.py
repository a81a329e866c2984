"""Accuracy and log-loss of models on their training rows and on held-out rows.

The scores of most learners are not log-odds, so they are divided by a temperature that is fitted on
held-out rows: each half of these is measured at the temperature of the other half, and the training
rows at both. A training loss far below the held-out loss then shows overfitting, not a wrong scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane.common.types import FloatArray, JsonObject, LabelArray
from wordplane.evaluation.calibration import Temperature
from wordplane.evaluation.intervals import Interval, fold_interval
from wordplane.learners.support.base import LinearClassifier, best_class
from wordplane.selection.cross_validation import Fold


class FoldMeasures(NamedTuple):
    """The measures of the model of one fold."""

    train_accuracy: float
    dev_accuracy: float
    train_loss: float
    dev_loss: float


@dataclass(frozen=True)
class FitMeasures:
    """The measures of all folds at one setting.

    at  the setting: the number of training texts or of epochs, or the value of a parameter
    held_to_train  the number of rows held out to that of rows trained on (see `fold_interval`)
    """

    at: float
    train_accuracy: tuple[float, ...]
    dev_accuracy: tuple[float, ...]
    train_loss: tuple[float, ...]
    dev_loss: tuple[float, ...]
    held_to_train: float | None = None

    @classmethod
    def of(
        cls, at: float, folds: Sequence[FoldMeasures], held_to_train: float | None = None
    ) -> "FitMeasures":
        """One setting, from the measures of its folds."""
        train_accuracy, dev_accuracy, train_loss, dev_loss = map(tuple, zip(*folds, strict=True))
        return cls(at, train_accuracy, dev_accuracy, train_loss, dev_loss, held_to_train)

    def mean(self, measure: str) -> float:
        """The mean over the folds."""
        return fmean(getattr(self, measure))

    def interval(self, measure: str) -> Interval:
        """The 95 % interval of that mean."""
        return fold_interval(np.array(getattr(self, measure)), self.held_to_train)

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary: each measure of all folds, its mean and its interval.

        All three are None if a fold has too few rows for the measure.
        """
        measures = {}
        for name in FoldMeasures._fields:
            values = getattr(self, name)
            known = bool(np.isfinite(values).all())
            measures[name] = {
                "mean": self.mean(name) if known else None,
                "interval": self.interval(name) if known else None,
                "folds": values if known else None,
            }
        return {"at": self.at, **measures}


def measure_fold(
    classes: LabelArray,
    z_train: FloatArray,
    y_train: LabelArray,
    z_held: FloatArray,
    y_held: LabelArray,
) -> FoldMeasures:
    """The measures of a model, from its scores for training and held-out rows.

    Losses are NaN unless both halves of the held-out rows have a row that can be compared.
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
            return FoldMeasures(train_accuracy, dev_accuracy, np.nan, np.nan)
        temperature = Temperature.fit(z_other, codes_other)
        held_losses += _losses(temperature.transform(z), codes).tolist()
        train_losses.append(float(_losses(temperature.transform(z_train), codes_train).mean()))
    return FoldMeasures(train_accuracy, dev_accuracy, fmean(train_losses), fmean(held_losses))


def measure_model(model: LinearClassifier, fold: Fold, y: LabelArray) -> FoldMeasures:
    """The measures of the model of a fold, on its training and held-out rows."""
    z_train, z_held = (model.decision_function(X) for X in (fold.X_train, fold.X_held))
    return measure_fold(model.classes_, z_train, y[fold.train], z_held, y[fold.held])


def _comparable(
    classes: LabelArray, z: FloatArray, y: LabelArray
) -> tuple[FloatArray, NDArray[np.intp]]:
    """The rows with finite scores and a label that the model knows, and their codes."""
    known = np.isin(y, classes) & np.isfinite(z.reshape(len(z), -1)).all(axis=1)
    return z[known], np.searchsorted(classes, y[known])


def _losses(P: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
    own = P[np.arange(len(P)), codes]
    return np.asarray(-np.log(np.maximum(own, np.finfo(float).tiny)))
