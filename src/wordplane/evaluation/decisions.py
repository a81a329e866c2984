"""Decisions from probabilities: abstain, return a set of labels, or minimize costs.

    abstain     no label below a confidence; the risk-coverage curve shows the benefit: the share
                of rows that still get a label (coverage) and the share of these that is wrong
                (risk)
    conformal   all labels k with 1 - P_k <= q, where q is the ceil((n + 1) level)-th smallest of
                1 - P_true over n held-out rows: whatever the classifier, the set of a new row
                from the same source contains the true label with at least this probability
    costs       the label with the least expected cost, argmin_p sum_t P_t cost[t, p]

References: El-Yaniv and Wiener (2010), JMLR 11; Vovk, Gammerman and Shafer (2005); Lei et al.
(2018), JASA 113; Elkan (2001), IJCAI.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.common.types import FloatArray, IntArray, JsonObject, LabelsLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.evaluation.arrays import (
    as_floats,
    as_probabilities,
    check_share,
    class_codes,
)

ABSTAINED = -1


def abstain(probabilities: ArrayLike, confidence: float) -> IntArray:
    """The best class of each row, or -1 where its probability is below the confidence.

    >>> abstain([[0.9, 0.1], [0.4, 0.6]], 0.8)
    array([ 0, -1])
    """
    P = _probabilities(probabilities)
    return np.where(P.max(axis=1) >= confidence, P.argmax(axis=1), ABSTAINED)


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """One point for each distinct confidence, from the highest down."""

    confidence: FloatArray
    coverage: FloatArray
    risk: FloatArray
    area: float

    def confidence_for(self, risk: float) -> float:
        """The confidence with the largest coverage whose risk is at most this.

        >>> curve = risk_coverage([0, 0, 1], [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])
        >>> curve.confidence_for(risk=0.1)
        0.8
        """
        enough = np.flatnonzero(self.risk <= risk)
        if len(enough) == 0:
            raise InputError(
                f"no confidence has a risk of {risk:g} or less; the least is {self.risk.min():g}"
            )
        return float(self.confidence[enough[-1]])

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        arrays = {n: getattr(self, n).tolist() for n in ("confidence", "coverage", "risk")}
        return {**arrays, "area": self.area}

    def __str__(self) -> str:
        lines = [f"risk {self.risk[-1]:.1%} when every row gets a label"]
        for wanted in (0.9, 0.75, 0.5):
            at = min(int(np.searchsorted(self.coverage, wanted - 1e-12)), len(self.risk) - 1)
            lines.append(
                f"  {self.risk[at]:.1%} on the {self.coverage[at]:.0%} with confidence "
                f"{self.confidence[at]:.3f} or more"
            )
        return "\n".join(lines)


def risk_coverage(
    y_true: LabelsLike,
    probabilities: ArrayLike,
    *,
    classes: LabelsLike | None = None,
    sample_weight: WeightsLike = None,
) -> RiskCoverage:
    """The share of wrong labels by the share of rows that get one, for every confidence.

    `area` is the area under the risk, with a step per distinct confidence; lower is better.

    >>> curve = risk_coverage(["a", "b"], [[0.9, 0.1], [0.6, 0.4]], classes=["a", "b"])
    >>> curve.coverage, curve.risk, curve.area
    (array([0.5, 1. ]), array([0. , 0.5]), 0.25)
    """
    P = as_probabilities(probabilities, len(np.asarray(y_true)))
    wrong = class_codes(y_true, classes, P.shape[1]) != P.argmax(axis=1)
    w = as_weights(sample_weight, len(P))
    keep = w > 0
    levels, group = np.unique(P.max(axis=1)[keep], return_inverse=True)
    mass = np.bincount(group, weights=w[keep])[::-1]
    errors = np.bincount(group, weights=(w * wrong)[keep])[::-1]
    covered = np.cumsum(mass)
    risk = np.cumsum(errors) / covered
    return RiskCoverage(
        confidence=levels[::-1],
        coverage=covered / covered[-1],
        risk=risk,
        area=float((mass * risk).sum() / covered[-1]),
    )


@frozen
class Conformal:
    """Sets of labels that contain the true label with a guaranteed probability.

    The guarantee holds on average over new rows and over held-out rows. A set may be empty if no
    label is likely enough; with fewer than level / (1 - level) held-out rows, it contains every
    label.

    >>> P = [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]]
    >>> conformal = Conformal.fit(P, [0, 0, 1, 1], level=0.75)
    >>> conformal.sets([[0.95, 0.05], [0.5, 0.5]])
    array([[ True, False],
           [ True,  True]])
    """

    level: float
    least: float

    @classmethod
    def fit(
        cls,
        probabilities: ArrayLike,
        y: LabelsLike,
        *,
        classes: LabelsLike | None = None,
        level: float = 0.9,
    ) -> "Conformal":
        """Fit on rows that neither the classifier nor its calibration has seen."""
        check_share(level, "level")
        P = as_probabilities(probabilities, len(np.asarray(y)))
        codes = class_codes(y, classes, P.shape[1])
        return cls.of_true(np.where(codes >= 0, P[np.arange(len(P)), codes], 0.0), level)

    @classmethod
    def of_true(cls, own: FloatArray, level: float) -> "Conformal":
        """The same from the probabilities of the true labels alone."""
        check_share(level, "level")
        rank = ceil((len(own) + 1) * level - 1e-9)
        return cls(level, float(np.sort(own)[::-1][rank - 1]) if rank <= len(own) else 0.0)

    def sets(self, probabilities: ArrayLike) -> NDArray[np.bool_]:
        """For each row, which classes its set contains."""
        return np.asarray(_probabilities(probabilities) >= self.least)

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return {"level": self.level, "least": self.least}

    @classmethod
    def from_dict(cls, data: object) -> "Conformal":
        """The inverse of `to_dict`; the data are checked."""
        if not isinstance(data, dict) or set(data) != {"level", "least"}:
            raise InputError("conformal: expected the entries level and least")
        level, least = data["level"], data["least"]
        if type(level) is not float or type(least) not in (int, float) or not 0 <= least <= 1:
            raise InputError(f"conformal: the least probability is {least!r}, expected 0 to 1")
        check_share(level, "level")
        return cls(level, float(least))


def cheapest(probabilities: ArrayLike, cost: ArrayLike) -> IntArray:
    """The class with the least expected cost; cost[t, p] is that of predicting p if t is true.

    >>> cheapest([[0.8, 0.2], [0.95, 0.05]], [[0, 1], [10, 0]])  # missing class 1 costs 10
    array([1, 0])
    """
    P = _probabilities(probabilities)
    C = as_floats(cost, "the costs", n_dims=2)
    if C.shape != (P.shape[1], P.shape[1]) or (C < 0).any() or np.diag(C).any():
        raise InputError(
            f"the costs have the shape {C.shape}, expected one row per true and one column per "
            f"predicted class ({P.shape[1]} each), none below 0, and 0 on the diagonal"
        )
    # Summed in the same order for every column, so that equal costs stay equal.
    expected = np.column_stack([(P * C[:, p]).sum(axis=1) for p in range(len(C))])
    return np.asarray(expected.argmin(axis=1))


def _probabilities(values: ArrayLike) -> FloatArray:
    P = np.asarray(values)
    return as_probabilities(values, len(P) if P.ndim else 0)
