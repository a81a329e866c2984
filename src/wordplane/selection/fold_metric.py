"""How good the model of a fold is, by a metric of choice."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, LabelsOrSets
from wordplane.common.types import FloatArray, Label, LabelArray
from wordplane.evaluation.cross_calibration import cross_calibrate
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.evaluation.measures import Metric, value_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.learners.support.base import LinearClassifier, accuracy, probabilities
from wordplane.selection.deciding import label_scores


@dataclass(frozen=True)
class FoldMetric:
    """A metric, and the classes of all rows.

    Labels are those of the learner's own boundary. For the log-loss, probabilities of the rows of a
    fold come from a calibrator that is fitted on the other half of them; for rankings, the softmax
    of the scores is enough. Multi-label rows are decided as `selection.deciding` has it.

    >>> FoldMetric.of("f1", np.array(["ham", "ham", "spam"])).name
    'f1:spam'
    """

    metric: Metric
    classes: tuple[Label, ...]

    @classmethod
    def of(cls, name: str | None, y: LabelsOrSets) -> Self:
        """The metric with this name for rows with these labels; None means accuracy, or micro-F1
        if they are multi-label."""
        name = default_metric(y) if name is None else name
        whole = Outcome.of_sets(y, y) if isinstance(y, LabelSets) else Outcome.of_labels(y, y)
        metric = Metric.of(name, whole)
        if not metric.of_probabilities:
            metric.bind(whole)  # says what is wrong before anything is fitted
        return cls(metric, whole.labels)

    @property
    def name(self) -> str:
        """The full name of the metric."""
        return self.metric.name

    def score(
        self,
        model: LinearClassifier,
        X: _core.Csr,
        y: LabelsOrSets,
        decisions: LabelDecisions | None = None,
    ) -> float:
        """The metric on held-out rows; multi-label rows need `decisions`."""
        if isinstance(y, LabelSets):
            assert decisions is not None
            z = label_scores(model, X)
            decided = LabelSets.of_member(y.classes, decisions.predict(z))
            return self._value(Outcome.of_sets(y, decided, decisions.transform(z)))
        predicted = model.predict(X)
        if self.name == "accuracy":
            return accuracy(predicted, y, None)
        P = self._probabilities(model, X, y) if self.metric.of_probabilities else None
        return self._value(Outcome.of_labels(y, predicted, P, self.classes))

    def _value(self, outcome: Outcome) -> float:
        value = value_by(self.name, outcome)
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


def default_metric(y: LabelsOrSets) -> str:
    """What models of such rows are compared by, if nothing else is asked for."""
    return "micro_f1" if isinstance(y, LabelSets) else "accuracy"
