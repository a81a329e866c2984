"""What the naive Bayes learners share: 0/1 values, and the shares of the classes."""

from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray


def binarize(X: _core.Csr, threshold: float = 0.0) -> _core.Csr:
    """1 where a value is above the threshold, which is not negative, else 0.

    >>> from wordplane.common.matrix import as_csr
    >>> binarize(as_csr([[3, 0], [0.5, 1]])).arrays()[2]
    array([1., 1., 1.], dtype=float32)
    """
    indptr, indices, values = X.arrays()
    return _core.Csr(X.shape[1], indptr, indices, (values > threshold).astype(np.float32))


def check_alpha(alpha: object) -> float:
    """alpha as a number above 0."""
    if not (isinstance(alpha, Real) and 0 < float(alpha) < float("inf")):
        raise InputError(f"alpha is {alpha!r}, expected a finite number above 0")
    return float(alpha)


class Prior(NamedTuple):
    """How the shares of the classes are found."""

    fit_prior: bool = True
    class_prior: ArrayLike | None = None
    prior_alpha: float = 0.0


def log_prior(class_count: FloatArray, there: NDArray[np.bool_], prior: Prior) -> FloatArray:
    """log mu_k, classes last: given, or equal, or (n_k + a) / sum_k (n_k + a).

    Classes that are not `there` have no share at all.

    >>> np.exp(log_prior(np.array([3.0, 1.0]), np.array([True, True]), Prior(prior_alpha=1)))
    array([0.66666667, 0.33333333])
    """
    fit_prior, class_prior, prior_alpha = prior
    if not isinstance(fit_prior, (bool, np.bool_)):
        raise InputError(f"fit_prior is {fit_prior!r}, expected True or False")
    if not (isinstance(prior_alpha, Real) and 0 <= float(prior_alpha) < float("inf")):
        raise InputError(f"prior_alpha is {prior_alpha!r}, expected a finite number from 0 up")
    if class_prior is not None:
        n_classes = class_count.shape[-1]
        try:
            shares = np.asarray(class_prior, dtype=np.float64)
        except (TypeError, ValueError):
            shares = np.zeros(0)
        if shares.shape != (n_classes,) or not (shares > 0).all():
            raise InputError(f"class_prior is {class_prior!r}, expected {n_classes} shares above 0")
        shares = np.where(there, shares, 0.0)
    else:
        counts = class_count + float(prior_alpha) if fit_prior else np.ones_like(class_count)
        counts = np.where(there, counts, 0.0)
        shares = counts / counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):  # a class without documents has log mu = -inf
        return np.asarray(np.log(shares))


def log_softmax(z: FloatArray) -> FloatArray:
    """log P(k | x) from scores of all classes; z is written to.

    >>> np.exp(log_softmax(np.log([[1.0, 3.0]])))
    array([[0.25, 0.75]])
    """
    z -= z.max(axis=1, keepdims=True)
    z -= np.log(np.exp(z).sum(axis=1, keepdims=True))
    return z
