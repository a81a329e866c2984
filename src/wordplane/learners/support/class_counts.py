"""What the naive Bayes learners share: 0/1 values, and the shares of the classes."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError


def binarized(X: _core.Csr, threshold: float = 0.0) -> _core.Csr:
    """1 where a value is above the threshold, which is not negative, else 0.

    >>> from wordplane.common.matrix import as_csr
    >>> binarized(as_csr([[3, 0], [0.5, 1]])).arrays()[2]
    array([1., 1., 1.], dtype=float32)
    """
    indptr, indices, values = X.arrays()
    return _core.Csr(X.shape[1], indptr, indices, (values > threshold).astype(np.float32))


def check_alpha(alpha: Any) -> float:
    """alpha as a number above 0."""
    if not (isinstance(alpha, Real) and 0 < float(alpha) < float("inf")):
        raise InputError(f"alpha is {alpha!r}, expected a finite number above 0")
    return float(alpha)


def log_prior(
    class_count: NDArray[np.float64],
    there: NDArray[np.bool_],
    *,
    fit_prior: Any = True,
    class_prior: Any = None,
    prior_alpha: Any = 0.0,
) -> NDArray[np.float64]:
    """log mu_k, classes last: given, or equal, or (n_k + a) / sum_k (n_k + a).

    Classes that are not `there` have no share at all.

    >>> np.exp(log_prior(np.array([3.0, 1.0]), np.array([True, True]), prior_alpha=1))
    array([0.66666667, 0.33333333])
    """
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


def log_softmax(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """log P(k | x) from scores of all classes; z is written to.

    >>> np.exp(log_softmax(np.log([[1.0, 3.0]])))
    array([[0.25, 0.75]])
    """
    z -= z.max(axis=1, keepdims=True)
    z -= np.log(np.exp(z).sum(axis=1, keepdims=True))
    return z
