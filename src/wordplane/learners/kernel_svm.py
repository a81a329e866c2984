"""The SVM with a kernel: a linear one in a space that is never built.

    min over alpha of  1/2 sum_ij alpha_i alpha_j s_i s_j K(x_i, x_j) - sum_i alpha_i
    with 0 <= alpha_i <= C w_i and sum_i alpha_i s_i = 0             s_i = 1 or -1, the class

    z(x) = b + sum_i alpha_i s_i K(x_i, x)      over the support vectors, the rows with alpha_i > 0

    linear       K(x, x') = x . x'
    polynomial   K(x, x') = (coef0 + x . x')^degree
    rbf          K(x, x') = exp(-gamma |x - x'|^2)

or any function of two matrices that gives the table of their kernels. K(x, x') = phi(x) . phi(x')
for some phi only if such tables have no negative eigenvalue; where one has, a warning says so.

The solver is scikit-learn's SVC (LIBSVM), one class against another; its time grows with the square
of the number of rows and more, so that it is meant for thousands of texts, not for millions.

Reference: Boser, Guyon and Vapnik (1992), A training algorithm for optimal margin classifiers.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.matrix import as_rows
from wordplane.common.types import (
    CsrMatrix,
    FloatArray,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.learners.support.base import MODEL_OF_ROWS, Classifier, ClassWeight, best_class
from wordplane.learners.support.parameter_checks import check, check_positive, check_whole, is_real

KERNELS = {"linear": "linear", "polynomial": "poly", "rbf": "rbf"}
KERNEL_OF_SVC = "precomputed"  # for functions

Kernel: TypeAlias = Callable[[CsrMatrix, CsrMatrix], FloatArray | CsrMatrix]


class NotAKernelWarning(UserWarning):
    """A table of kernels has negative eigenvalues: what was found need not be the best."""


class SupportVector(NamedTuple):
    """A row that the decision rests on, and how much."""

    row: int
    label: str | int
    weight: float
    document: object


class KernelSVM(Classifier):
    """A support vector machine with a kernel.

    Parameters
    ----------
    C : float, default 1.0
        How much errors count relative to the margin, above 0.
    kernel : "polynomial", "rbf", "linear" or function, default "polynomial"
        A function takes two SciPy sparse matrices and returns the table of their kernels.
    degree : int, default 2
        Of "polynomial".
    coef0 : float, default 1.0
        Of "polynomial": what is added to the product, from 0 up.
    gamma : float or "scale", default "scale"
        Of "rbf"; "scale" is 1 / (n_features * variance of all values).
    tol : float, default 0.001
        By how much the optimality conditions may be violated.
    class_weight : None, "balanced" or mapping, default None
        How much errors on each class count.

    Attributes
    ----------
    classes_
        The labels, sorted.
    support_, support_vectors_, dual_coef_, intercept_, n_support_
        Numbers and rows of the support vectors, their alpha_i s_i, b, and their number by class,
        as in scikit-learn's SVC.
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.

    Examples
    --------
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"]
    >>> KernelSVM(C=100).fit(X, y).predict(X).tolist()  # which no line can separate
    ['same', 'same', 'other', 'other']
    """

    kind = "kernel"
    support_: NDArray[np.int32]
    support_vectors_: CsrMatrix
    dual_coef_: FloatArray | CsrMatrix
    intercept_: FloatArray
    n_support_: NDArray[np.int32]

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Kernel = "polynomial",
        degree: int = 2,
        coef0: float = 1.0,
        gamma: float | str = "scale",
        tol: float = 1e-3,
        class_weight: ClassWeight = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma
        self.tol = tol
        self.class_weight = class_weight

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Find the support vectors."""
        from sklearn.svm import SVC

        self._check_parameters()
        matrix, codes, weights = self._weighted_rows(X, y, sample_weight)
        if len(np.unique(codes[weights > 0])) < 2:
            raise InputError(f"y has one class, {self.classes_[0]!r}; at least two are needed")
        rows = as_rows(matrix).astype(np.float64)
        known = isinstance(self.kernel, str)
        self._svc = SVC(
            C=self.C,
            kernel=KERNELS[str(self.kernel)] if known else KERNEL_OF_SVC,
            degree=self.degree,
            coef0=self.coef0,
            gamma=self.gamma if self.kernel == "rbf" else 1.0,
            tol=self.tol,
        )
        if known:
            self._svc.fit(rows, codes, sample_weight=weights)
        else:
            table = self._table(rows, rows)
            _warn_unless_kernel(table)
            self._rows = rows
            self._svc.fit(table, codes, sample_weight=weights)
        self.support_ = self._svc.support_
        self.support_vectors_ = rows[self.support_]
        self.dual_coef_, self.intercept_ = self._svc.dual_coef_, self._svc.intercept_
        self.n_support_ = self._svc.n_support_
        self._support_labels = self.classes_[codes[self.support_]]
        return self

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        rows = as_rows(self._known_features(X)).astype(np.float64)
        seen = rows if isinstance(self.kernel, str) else self._table(rows, self._rows)
        return np.asarray(self._svc.decision_function(seen))

    def predict(self, X: MatrixLike) -> LabelArray:
        """The class with the largest score, the first of them if several have it."""
        z = self.decision_function(X)
        return self.classes_[best_class(z, len(self.classes_))]

    def why_no_text_model(self) -> str:
        """It keeps training rows."""
        return MODEL_OF_ROWS.format(type(self).__name__)

    def support_documents(self, documents: Sequence[object] | None = None) -> list[SupportVector]:
        """The support vectors with their documents, those with the largest weights first.

        `documents` are those of the fit, in its order. A weight is the sum of |alpha_i s_i| over
        the pairs of classes that the row takes part in.

        >>> X, texts = [[2, 0], [1, 0], [0, 1]], ["good, good film", "good", "bad"]
        >>> model = KernelSVM(kernel="linear").fit(X, ["+", "+", "-"])
        >>> [(vector.document, vector.label) for vector in model.support_documents(texts)]
        [('good', '+'), ('bad', '-')]
        """
        self._check_fitted()
        dual = self.dual_coef_
        dense = dual if isinstance(dual, np.ndarray) else dual.toarray()
        weights = np.abs(dense).sum(axis=0)
        vectors = [
            SupportVector(row, label, weight, None if documents is None else documents[row])
            for row, label, weight in zip(
                self.support_.tolist(), self._support_labels.tolist(), weights.tolist(), strict=True
            )
        ]
        return sorted(vectors, key=lambda vector: (-vector.weight, vector.row))

    def _table(self, X: CsrMatrix, Y: CsrMatrix) -> FloatArray:
        assert not isinstance(self.kernel, str)
        table = self.kernel(X, Y)
        table = np.asarray(table.toarray() if hasattr(table, "toarray") else table, np.float64)
        if table.shape != (X.shape[0], Y.shape[0]) or not np.isfinite(table).all():
            raise InputError(
                f"the kernel gave a table of the shape {table.shape}, expected finite numbers of "
                f"the shape {(X.shape[0], Y.shape[0])}"
            )
        return table

    def _check_parameters(self) -> None:
        known = callable(self.kernel) or self.kernel in KERNELS
        check(self, "kernel", known, f"a function or one of {', '.join(KERNELS)}")
        check_positive(self, "C", "tol")
        check_whole(self, "degree")
        check(self, "coef0", is_real(self.coef0, 0), "a number from 0 up")
        scale = self.gamma == "scale" or (is_real(self.gamma) and float(self.gamma) > 0)
        check(self, "gamma", scale, "a number above 0, or 'scale'")


def _warn_unless_kernel(table: FloatArray) -> None:
    """A warning if the table is not symmetric or has a negative eigenvalue."""
    values = np.linalg.eigvalsh((table + table.T) / 2)
    size = max(float(np.abs(values).max()), np.finfo(float).tiny)
    symmetric = np.allclose(table, table.T, rtol=1e-8, atol=1e-8 * size)
    if not symmetric or values[0] < -1e-8 * size:
        warnings.warn(
            "the table of kernels is "
            + (f"not positive semi-definite (an eigenvalue of {values[0]:.3g})" if symmetric
               else "not symmetric")
            + ": the function is not a kernel, and the solution need not be the best",
            NotAKernelWarning,
            stacklevel=3,
        )  # fmt: skip
