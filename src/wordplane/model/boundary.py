"""Where the boundary between classes lies, if there are few texts: by scores of texts not seen.

A learner that has seen a few texts of a rare class orders new texts well but hardly ever predicts
that class: its scores are those of texts that it knows. So the biases are shifted by s = c / a,
where a and c maximize the likelihood of the labels under

    softmax(a z + c)        with the penalty |c|^2 / 2 + (log a)^2 / 2

z being scores that models of five folds give to the fifth that they have not seen, in units of
their standard deviation; that is done three times with other folds, and the mean is taken. The
penalty keeps the learner's own boundary unless the labels speak against it.
"""

from collections.abc import Sequence

import numpy as np

from wordplane.common.groups import other_rows
from wordplane.common.labels import Codes
from wordplane.common.types import FloatArray, IntArray
from wordplane.optimize.lbfgs import lbfgs
from wordplane.optimize.losses import logistic

FEW_TEXTS = 500  # a tenth of them would say little of a model: these are measured in folds
FOLDS, REPEATS = 5, 3


def best_shift(z: FloatArray, codes: Codes) -> FloatArray:
    """What to add to scores, given those of texts that were not seen, and the numbers of their
    classes; with two classes there is one column, the score of the second.

    >>> z = np.array([-3.0, -2.5, -2.0, -0.5, -0.4, -0.3])  # the second class is never predicted
    >>> best_shift(z, np.array([0, 0, 0, 1, 1, 1])).round(1)
    array([0.9])
    """
    Z = np.column_stack([np.zeros(len(z)), z]) if z.ndim == 1 or z.shape[1] == 1 else z
    known = np.isfinite(Z)  # a fold may not have had a class
    Z = np.where(known, Z, np.where(known, Z, np.inf).min(axis=1, keepdims=True))
    Z = Z - Z.mean(axis=1, keepdims=True)
    scale = float(Z.std()) or 1.0
    Z /= scale

    def objective(w: FloatArray) -> tuple[float, FloatArray]:
        a, c = np.exp(w[0]), w[1:]
        loss, slope = logistic(a * Z + c, codes)
        gradient = np.append(a * (slope * Z).sum(), slope.sum(axis=0))
        return float(loss.sum() + w @ w / 2), gradient + w

    w = lbfgs(objective, np.zeros(1 + Z.shape[1])).w
    shift = np.asarray(w[1:] * scale / np.exp(w[0]))
    return shift[1:] - shift[:1] if len(shift) == 2 else shift


def shift_out_of_fold(
    z: FloatArray, codes: Codes, folds: Sequence[IntArray], *, in_order: bool = False
) -> FloatArray:
    """Scores of rows by the models of their folds, each shifted as the rows of the others ask, or
    (`in_order`) those of the folds before; two classes may have one column or two."""
    shifted = z.copy()
    for number, held_out in enumerate(folds):
        if in_order and number == 0:
            continue
        rest = np.concatenate(folds[:number]) if in_order else other_rows(len(z), held_out)
        shift = best_shift(z[rest], codes[rest])
        if z.ndim == 2 and z.shape[1] > len(shift):
            shift = np.append(0.0, shift)
        shifted[held_out] += shift[0] if z.ndim == 1 else shift
    return shifted
