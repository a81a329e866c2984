"""What the learners share that are taught one label only: the name of the rest, and the model."""

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels, encode
from wordplane.common.matrix_estimator import check_length
from wordplane.common.types import FloatArray, Label, LabelsLike, MatrixLike
from wordplane.evaluation.calibration import Isotonic
from wordplane.learners.support.base import LinearClassifier

FOLDS = 5


class OneLabelClassifier(LinearClassifier):
    """A classifier whose `fit` sees the rows of one label; its parameter `other` names the rest."""

    counts_unknown = False  # words that no training text has must count, so texts are hashed
    other: Label | None
    calibrator_: Isotonic

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """The probability of every class."""
        return self.calibrator_.transform(self.decision_function(X))

    def _new_label(self, X: _core.Csr, y: LabelsLike) -> int:
        """Set the two classes; 1 if the label of the rows is the second of them, else -1."""
        labels = as_labels(y)
        check_length(X, labels, "y")
        different = list(dict.fromkeys(labels.tolist()))
        if len(different) != 1:
            raise InputError(
                f"{type(self).__name__} learns one label, and there are {len(different)}: "
                f"{', '.join(map(repr, different[:5]))}; leave out the others, or use another "
                "learner"
            )
        label = different[0]
        self.classes_, _ = encode(as_labels([label, self._name_of_others(label)]))
        return 1 if self.classes_.tolist()[1] == label else -1

    def _name_of_others(self, label: Label) -> Label:
        other = self.other
        if other is None:
            if isinstance(label, str):
                other = "other"
            else:
                other = not label if isinstance(label, bool) else int(label == 0)
        elif isinstance(label, str):
            other = str(other)
        if type(other) is not type(label) or other == label:
            raise InputError(
                f"`other` is {other!r}, expected another label of the type of {label!r}"
            )
        return other

    def _set_model(self, sign: int, w: FloatArray, b: float, x: FloatArray, p: FloatArray) -> None:
        """The label where w.x + b > 0, with the probability p at these scores x; flat outside."""
        if sign < 0:
            x, p = -x[::-1], 1 - p[::-1]
        self.coef_, self.intercept_ = sign * w[None, :], np.array([sign * b])
        self.calibrator_ = Isotonic(2, (x,), (p,))
