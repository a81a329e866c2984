"""How good the model of a fold is, by a metric of choice."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, Label, LabelArray
from wordplane.evaluation.cross_calibration import cross_calibrate
from wordplane.evaluation.measures import Metric, value_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.learners.support.base import LinearClassifier, accuracy, probabilities


@dataclass(frozen=True)
class FoldMetric:
    """A metric, and the classes of all rows.

    Labels are those of the learner's own boundary. For the log-loss, probabilities of the rows of a
    fold come from a calibrator that is fitted on the other half of them; for rankings, the softmax
    of the scores is enough.

    >>> FoldMetric.of("f1", np.array(["ham", "ham", "spam"])).name
    'f1:spam'
    """

    metric: Metric
    classes: tuple[Label, ...]

    @classmethod
    def of(cls, name: str, y: LabelArray) -> Self:
        """The metric with this name for rows with these labels."""
        whole = Outcome.of_labels(y, y)
        metric = Metric.of(name, whole)
        if not metric.of_probabilities:
            metric.bind(whole)  # says what is wrong before anything is fitted
        return cls(metric, whole.labels)

    @property
    def name(self) -> str:
        """The full name of the metric."""
        return self.metric.name

    def score(self, model: LinearClassifier, X: _core.Csr, y: LabelArray) -> float:
        """The metric on held-out rows."""
        predicted = model.predict(X)
        if self.name == "accuracy":
            return accuracy(predicted, y, None)
        P = self._probabilities(model, X, y) if self.metric.of_probabilities else None
        value = value_by(self.name, Outcome.of_labels(y, predicted, P, self.classes))
        if not np.isfinite(value):
            raise InputError(
                f"`metric` {self.name}: a fold has no row with the label, or none without it; give "
                "more texts, or fewer `folds`"
            )
        return value

    def _probabilities(self, model: LinearClassifier, X: _core.Csr, y: LabelArray) -> FloatArray:
        """Of all classes; 0 for one that the model does not know."""
        z, classes = model.decision_function(X), model.classes_
        P = np.zeros((len(y), len(self.classes)))
        columns = np.array([self.classes.index(label) for label in classes.tolist()])
        if self.name != "log_loss":
            P[:, columns] = probabilities(z)
            return P
        known = np.flatnonzero(np.isin(y, classes))
        codes = np.searchsorted(classes, y[known])
        by_class = np.argsort(codes, kind="stable")  # so that both halves have rows of each
        halves = [by_class[start::2] for start in range(2)]
        P[np.ix_(known, columns)] = cross_calibrate(z[known], codes, [h for h in halves if len(h)])
        return P
