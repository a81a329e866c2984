"""A fitted linear text model: what is saved, scored and explained."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.evaluation.calibration import Calibrator
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.features.text_features import TextFeatures
from wordplane.features.uncounted import UncountedValues
from wordplane.learners.support.base import LinearClassifier
from wordplane.model.training import Training
from wordplane.text.documents import Documents
from wordplane.text.texts import batches

Calibration: TypeAlias = Calibrator | LabelDecisions | None


@dataclass
class TextModel:
    """z = v W + b, v the features of a text. Two classes have one output, for classes[1].

    If the calibrator is `LabelDecisions`, texts have sets of labels: every class has an output of
    its own, and is given or not whatever the others are.
    """

    features: TextFeatures
    classes: NDArray[Any]
    W: NDArray[np.float32]  # n_features x n_outputs
    b: NDArray[np.float64]
    calibrator: Calibration = None  # from scores to probabilities; None: softmax
    training: Training = field(default_factory=Training)
    learner: LinearClassifier | None = None  # the fitted learner, if it can be trained further

    def __post_init__(self) -> None:
        n_counted = self.features.n_counted
        self._scorer = _core.Scorer(
            self.features.parts, self.features.weighting, W=self.W[:n_counted], b=self.b
        )
        self._W_uncounted = self.W[n_counted:].astype(np.float64)

    def __reduce__(self) -> Any:
        of_scores = (self.features, self.classes, self.W, self.b, self.calibrator)
        return TextModel, (*of_scores, self.training, self.learner)

    @property
    def multilabel(self) -> bool:
        """Whether texts have sets of labels."""
        return isinstance(self.calibrator, LabelDecisions)

    def scores(self, documents: Documents, threads: int) -> NDArray[np.float64]:
        """One row of scores per document."""
        parts = [
            self._scorer.scores(documents.texts, begin, end, threads)
            for begin, end in batches(documents.texts, "classifying texts")
        ]
        if not parts:
            return np.zeros((0, len(self.b)))
        z = np.concatenate(parts)
        if len(self._W_uncounted) > 0:
            values = UncountedValues.of(self.features.analyzer, documents, threads)
            rest = self.features.uncounted.matrix(values)
            z += _core.linear_scores(rest, self._W_uncounted, np.zeros(len(self.b)), threads)
        return z
