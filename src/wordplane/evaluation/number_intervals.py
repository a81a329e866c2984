"""Intervals around predicted numbers, from the errors on rows that were not trained on.

With the errors r_1 <= ... <= r_n of held-out rows (true less predicted), the interval of a new
prediction z at a level is [z + r_j, z + r_k] with

    k = ceil((n + 1) (1 + level) / 2),   j = n + 1 - k         infinite where k > n

On average over held-out and new rows that are alike, the true number is above it with a probability
of at most (1 - level) / 2, and below it as well (split conformal prediction). All intervals have
the same width.

Reference: Vovk, Gammerman and Shafer (2005), Algorithmic learning in a random world; Lei et al.
(2018), Distribution-free predictive inference for regression.
"""

from dataclasses import dataclass
from math import ceil, inf
from typing import Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, JsonObject
from wordplane.evaluation.arrays import check_share

MOST_ERRORS = 1000  # that are kept
MOST_DIGITS = 8  # significant ones
KIND = "number"


@dataclass(frozen=True, eq=False)
class NumberIntervals:
    """The errors of rows held out, sorted; empty if there were none.

    >>> errors = NumberIntervals.fit(np.arange(-9.0, 10.0))
    >>> errors.margins(0.8)
    (-8.0, 8.0)
    >>> errors.margins(0.99)
    (-inf, inf)
    """

    errors: FloatArray

    @classmethod
    def fit(cls, errors: FloatArray) -> Self:
        """Keep all errors, or 1,000 quantiles of them."""
        ordered = np.sort(errors)
        if len(ordered) > MOST_ERRORS:
            places = np.linspace(0, len(ordered) - 1, MOST_ERRORS)
            ordered = ordered[np.round(places).astype(np.intp)]
        shown = [float(f"{error:.{MOST_DIGITS}g}") for error in ordered.tolist()]
        return cls(np.array(shown, dtype=np.float64))

    def margins(self, level: float) -> tuple[float, float]:
        """What to add to a prediction for the ends of its interval."""
        check_share(level, "level")
        n = len(self.errors)
        k = ceil((n + 1) * (1 + level) / 2 - 1e-9)
        if k > n:
            return -inf, inf
        return float(self.errors[n - k]), float(self.errors[k - 1])

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return {"kind": KIND, "errors": self.errors.tolist()}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """The inverse of `to_dict`; the data are checked."""
        if set(data) != {"kind", "errors"} or data["kind"] != KIND:
            raise InputError("the errors of a regression are not as expected")
        values = data["errors"]
        is_list = isinstance(values, list) and len(values) <= MOST_ERRORS
        if not is_list or not all(type(value) in (int, float) for value in values):  # type: ignore[attr-defined]
            raise InputError(f"the errors of a regression are not at most {MOST_ERRORS:,} numbers")
        try:
            errors = np.array(values, dtype=np.float64)
        except OverflowError:
            raise InputError("an error of a regression is out of range") from None
        if not np.isfinite(errors).all() or (np.diff(errors) < 0).any():
            raise InputError("the errors of a regression are not finite and in order")
        return cls(errors)
