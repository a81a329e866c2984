"""What scores of rows that were not trained on say about deciding: probabilities, and shifts."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.label_sets import LabelSets
from wordplane.common.partial_scores import are_partial, candidates
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.evaluation.calibration import CALIBRATORS, Platt, margins
from wordplane.evaluation.decision_shift import best_shift, predict_out_of_fold, predict_shifted
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.evaluation.label_decisions import predict_out_of_fold as predict_labels_out_of_fold
from wordplane.evaluation.label_metrics import NamedMetric, check_name
from wordplane.evaluation.requirements import Guarantee, Requirement, guarantee, is_requirement
from wordplane.model.text_model import Calibration, TextModel

USUAL_KIND = "power"
OF_BOUNDARIES = (USUAL_KIND, "platt", "isotonic")  # for which a boundary need not be at 1/2
OF_ALL_CLASSES = (USUAL_KIND, "temperature")  # the same function for each
THRESHOLD = "threshold:"
HELD_OUT = 0.1  # share of the rows
HELD_OUT_TO_SHOW = 0.2  # if something is required of the model


def is_threshold(metric: str) -> bool:
    """Whether it is the probability from which on a class is given, as in threshold:spam=0.3."""
    return metric.startswith(THRESHOLD)


@frozen
class Rule:
    """How labels and probabilities are to be found.

    calibration   what probabilities are fitted on: "holdout", "cv" or None
    metric        what the labels are to be best by, what is required of them, or a threshold
    calibrator    what kind of function probabilities are of scores
    random_state  the seed of what is held out
    """

    calibration: str | None = "holdout"
    metric: str | None = None
    calibrator: str = USUAL_KIND
    random_state: int = 0

    def check(self) -> Self:
        """Raise an InputError unless labels and probabilities can be found in this way."""
        kind = self.calibrator
        if self.calibration not in ("holdout", "cv", None):
            raise InputError(f"calibration is {self.calibration!r}, expected holdout, cv or None")
        if kind not in CALIBRATORS:
            raise InputError(f"calibrator is {kind!r}, expected one of {', '.join(CALIBRATORS)}")
        if self.metric is None:
            return self
        if self.calibration is None:
            raise InputError("`metric` needs texts to decide on: `calibration` 'holdout' or 'cv'")
        if not (is_threshold(self.metric) or is_requirement(self.metric)):
            check_name(self.metric)
        if kind not in OF_BOUNDARIES or (is_threshold(self.metric) and kind == "isotonic"):
            raise InputError(
                f"a `calibrator` {kind!r} does not go with `metric` {self.metric!r}: use 'platt', "
                "which does with all"
            )
        return self

    @property
    def is_requirement(self) -> bool:
        """Whether the metric is something required of the labels."""
        return is_requirement(self.metric)

    @property
    def held_out_share(self) -> float:
        """Of the rows: more if something is required of the model, which these are to show."""
        return HELD_OUT_TO_SHOW if self.is_requirement else HELD_OUT


def _at_threshold(
    classes: LabelArray,
    z: FloatArray,
    codes: IntArray,
    weights: FloatArray | None,
    metric: str,
) -> tuple[Platt, str, tuple[float, ...]]:
    """The calibrator, the threshold and the shift by which the one of two classes is given from a
    probability on."""
    if len(classes) != 2:
        raise InputError(f"a threshold is for two classes, and there are {len(classes)}")
    names = [str(label) for label in classes.tolist()]
    label, equals, number = metric.removeprefix(THRESHOLD).rpartition("=")
    try:
        p = float(number)
    except ValueError:
        p = -1.0
    if not 0 < p < 1 or (equals and label not in names):
        raise InputError(
            f"the threshold is {metric.removeprefix(THRESHOLD)!r}, expected a probability between "
            f"0 and 1, such as 0.3 or {names[1]}=0.3; the classes are {' and '.join(names)}"
        )
    if equals and label == names[0]:
        p = 1 - p
    plain = Platt.fit(z[:, 0], codes, weights)
    a, b = float(plain.a[0]), float(plain.b[0])
    if not a > 0:
        raise InputError("no threshold can be set: the scores do not tell the classes apart")
    at = np.log(p / (1 - p))  # a z + b at the boundary
    threshold = f"{THRESHOLD}{names[1]}={p:g}"
    return Platt(2, plain.a, np.array([at])), threshold, ((b - at) / a,)


def _fit_partial(
    z: FloatArray, codes: IntArray, weights: FloatArray | None, kind: str
) -> Calibration:
    """A calibrator by the likely classes of each row, if the others have no score; None if there
    is only one."""
    if kind not in OF_ALL_CLASSES:
        raise InputError(
            f"a `calibrator` {kind!r} needs the scores of all labels, and a label tree has only "
            f"those of the likely ones: use {' or '.join(OF_ALL_CLASSES)}"
        )
    few, place = candidates(z, codes)
    if few.shape[1] < 2:
        return None
    calibrator = CALIBRATORS[kind].fit(few, place, weights)
    return replace(calibrator, n_classes=z.shape[1])


@dataclass(frozen=True, eq=False)
class Decision:
    """How scores become labels and probabilities.

    calibrator  of the scores after the shift; None if too few rows could be used
    metric      the metric that the labels are to be best by, what is required of them, or the
                probability from which on a class is given; None for the learner's own boundary
    shift       what is added to the scores for that; empty for multi-label decisions, which have
                thresholds
    guarantee   what the rows show of a requirement
    """

    calibrator: Calibration = None
    metric: str | None = None
    shift: tuple[float, ...] = ()
    guarantee: Guarantee | None = None

    @classmethod
    def of(
        cls,
        classes: LabelArray,
        z: FloatArray,
        labels: LabelArray | LabelSets,
        weights: FloatArray | None,
        metric: str | None = None,
        kind: str = USUAL_KIND,
    ) -> Self:
        """What scores z of rows with these labels ask for, with a calibrator of some kind."""
        if metric is not None and are_partial(z):
            raise InputError(
                "`metric` and `require` need the scores of all labels, and a label tree has only "
                "those of the likely ones: leave them out, or name another learner"
            )
        if metric is not None and is_requirement(metric):
            return cls._required(Requirement.parse(metric), classes, z, labels, weights)
        if isinstance(labels, LabelSets):
            if metric is not None:
                raise InputError(
                    "`metric` is for one label per text; thresholds of several labels are chosen "
                    "for F1 already"
                )
            if weights is not None and not weights.any():
                return cls(None)
            return cls(LabelDecisions.fit(z, labels.member, weights))
        known, codes, w = _usable(classes, z, labels, weights)
        if len(known) < 2 or (w is not None and not w.any()):
            return cls(None)
        scores = z[known]
        if are_partial(scores):
            return cls(_fit_partial(scores, codes, w, kind))
        if metric is None:
            return cls(CALIBRATORS[kind].fit(_columns(scores), codes, w))
        if is_threshold(metric):
            return cls(*_at_threshold(classes, scores, codes, w, metric))
        named = NamedMetric.of(metric, classes, _sizes(codes, len(classes)))
        shift = best_shift(scores, codes, named, w)
        # A function per class need not be 1/2 at the boundary, which is shifted.
        shifted = CALIBRATORS["platt" if kind == USUAL_KIND else kind]
        calibrator = shifted.fit(_columns(scores + shift), codes, w)
        return cls(calibrator, named.name, tuple(shift.tolist()))

    @classmethod
    def _required(
        cls,
        requirement: Requirement,
        classes: LabelArray,
        z: FloatArray,
        labels: LabelArray | LabelSets,
        weights: FloatArray | None,
    ) -> Self:
        """The boundary of one label that meets a requirement; for the counts, all rows are one."""
        k = requirement.class_number(classes)
        if isinstance(labels, LabelSets):
            shown = guarantee(requirement, z[:, k], labels.member[:, k])
            decisions = LabelDecisions.fit(z, labels.member, weights)
            thresholds = decisions.thresholds.copy()
            thresholds[k] = shown.threshold
            calibrator = replace(decisions, thresholds=thresholds)
            return cls(calibrator, str(requirement), guarantee=shown)
        known, codes, w = _usable(classes, z, labels, weights)
        scores = z[known]
        margin = (2 * k - 1) * scores[:, 0] if z.shape[1] == 1 else margins(scores)[:, k]
        shown = guarantee(requirement, margin, codes == k)
        shift = np.zeros(z.shape[1])
        shift[0 if z.shape[1] == 1 else k] = -shown.threshold
        if z.shape[1] == 1 and k == 0:
            shift = -shift
        platt = Platt.fit(_columns(scores + shift), codes, w)
        return cls(platt, str(requirement), tuple(shift.tolist()), shown)

    def apply(self, model: TextModel) -> TextModel:
        """The model with this calibrator, and with the shift in its bias, if there is a metric."""
        if self.metric is None:
            return model
        shown = {} if self.guarantee is None else self.guarantee.to_dict()
        training = replace(model.training, metric=self.metric, shift=self.shift, guarantee=shown)
        b = model.b + np.array(self.shift or 0.0)
        return replace(model, b=b, calibrator=self.calibrator, training=training)

    def predict_out_of_fold(
        self,
        classes: LabelArray,
        z: FloatArray,
        labels: LabelArray | LabelSets,
        weights: FloatArray | None,
    ) -> LabelArray | LabelSets:
        """The labels of the same rows, each decided by what the other rows ask for; if something is
        required, by what all rows ask for."""
        if self.guarantee is not None:
            if isinstance(self.calibrator, LabelDecisions):
                return LabelSets.of_member(classes, self.calibrator.predict(z))
            return classes[predict_shifted(z, np.array(self.shift))]
        if isinstance(labels, LabelSets):
            member = predict_labels_out_of_fold(z, labels.member, weights)
            return LabelSets.of_member(labels.classes, member)
        predicted = predict_shifted(z, np.zeros(z.shape[1]))
        if self.metric is not None and is_threshold(self.metric):
            predicted = predict_shifted(z, np.array(self.shift))
        elif self.metric is not None:
            known, codes, w = _usable(classes, z, labels, weights)
            named = NamedMetric.of(self.metric, classes, _sizes(codes, len(classes)))
            predicted[known] = predict_out_of_fold(z[known], codes, named, w)
        return classes[predicted]


def decision_lines(model: TextModel) -> list[tuple[str, str]]:
    """What the labels of a model are decided for, and what was shown of that; nothing if they are
    those of the learner's own boundary."""
    training = model.training
    if training.metric is None:
        return []
    lines = [("decided", _decision_text(model))]
    if training.guarantee and is_requirement(training.metric):
        lines.append(("shown", _guarantee_text(model)))
    return lines


def _decision_text(model: TextModel) -> str:
    """What the labels are decided for, and with two classes where."""
    metric = str(model.training.metric)
    text = f"for the best {metric}"
    if is_threshold(metric):
        text = "by a threshold"
    elif model.training.guarantee:
        text = f"for {metric}"
    if len(model.classes) == 2 and model.calibrator is not None and not model.multilabel:
        positive = model.classes.tolist()[1]
        at = float(model.probabilities(np.zeros(1))[0, 1])
        text += f": {positive!r} from a probability of {at:.1%} on"
    return text


def _guarantee_text(model: TextModel) -> str:
    """What was shown of a requirement, and on how many rows."""
    shown, requirement = model.training.guarantee, Requirement.parse(model.training.metric or "")
    n, of = shown["n_given"], "that get the label have it"
    if requirement.measure == "recall":
        n, of = shown["n_label"], "that have the label get it"
    return (
        f"{shown['n_right']:,} of {n:,} texts held out {of}: with 95 % confidence "
        f"{100 * requirement.least:g} % or more of new texts like them"
    )


def _usable(
    classes: LabelArray, z: FloatArray, labels: LabelArray, weights: FloatArray | None
) -> tuple[IntArray, IntArray, FloatArray | None]:
    """The rows whose class is known and whose scores are finite, their classes and weights."""
    known = np.flatnonzero(np.isin(labels, classes) & np.isfinite(z).all(axis=1))
    codes = np.searchsorted(classes, labels[known])
    return known, codes, None if weights is None else weights[known]


def _sizes(codes: IntArray, n_classes: int) -> IntArray:
    return np.bincount(codes, minlength=n_classes).astype(np.int64)


def _columns(z: FloatArray) -> FloatArray:
    return z[:, 0] if z.shape[1] == 1 else z
