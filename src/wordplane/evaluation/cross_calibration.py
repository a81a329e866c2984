"""Probabilities of rows that no model and no calibrator has seen.

The scores of some rows become probabilities by a power and a temperature that are fitted on the
scores of the other rows, as `train` fits them on rows held out.
"""

from collections.abc import Sequence

import numpy as np

from wordplane.common.groups import other_rows
from wordplane.common.types import FloatArray, IntArray
from wordplane.evaluation.calibration import PowerTemperature


def cross_calibrate(
    z: FloatArray, codes: IntArray, parts: Sequence[IntArray], *, in_order: bool = False
) -> FloatArray:
    """One column per class; each part of the rows by a calibrator that is fitted on the others, or
    (`in_order`) on the parts before it: the first and rows of no part then have NaN.

    z are scores in one column for two classes; a class that a model did not know has the score
    -inf, which becomes the lowest of the row.

    >>> z = np.array([2.0, -1.0, 1.0, -2.0])
    >>> P = cross_calibrate(z, np.array([1, 0, 1, 0]), [np.array([0, 1]), np.array([2, 3])])
    >>> P.argmax(axis=1)
    array([1, 0, 1, 0])
    """
    if z.ndim == 2:
        known = np.isfinite(z)
        z = np.where(known, z, np.where(known, z, np.inf).min(axis=1, keepdims=True))
    P = np.full((len(z), 2 if z.ndim == 1 else z.shape[1]), np.nan)
    for number, rows in enumerate(parts):
        if in_order and number == 0:
            continue
        others = np.concatenate(parts[:number]) if in_order else other_rows(len(z), rows)
        if len(others) == 0:
            others = rows
        P[rows] = PowerTemperature.fit(z[others], codes[others]).transform(z[rows])
    return P
