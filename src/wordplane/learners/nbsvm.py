"""NBSVM: a linear machine on features scaled by naive Bayes.

For every class against the rest (two classes: the second against the first), with documents
x binarised for the counts:

    p = alpha + sum of x in the class,  q = alpha + sum of x outside
    r = log(p / |p|_1) - log(q / |q|_1)                      (log-count ratio)
    w, b    minimise the machine's objective on x o r
    w'  = (1 - beta) mean|w| + beta w                        (between naive Bayes and machine)
    b'  = (1 - beta) mean|w| log(N+ / N-) + beta b
    z   = x.(r o w') + b'

Two variants do better on most data. Smoothing in proportion to the mass of the class, P and Q the
sums of the unsmoothed p and q,

    r = log(p / P + 2 alpha / (P + Q)) - log(q / Q + 2 alpha / (P + Q))

is 0 for a feature without evidence, however uneven the classes are. And the shifted scale
rho = c sign(r) (|r| + 1/2) in place of r, c one number per block of features such that the mean
squared norm of x o rho within the block is that of x.

No scaled copies of X are made for the SVMs of several classes: with s = r^2, training on x o r is
training on x under the penalty 1/2 sum_j w_j^2 / s_j, and w_j moves by s_j x_j where it would move
by x_j.

Reference: Wang and Manning (2012), Baselines and bigrams.
"""

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.features.scores import presence
from wordplane.learners.support.base import ClassWeight, LinearClassifier, row_weights
from wordplane.learners.support.grids import ALPHA_GRID
from wordplane.learners.support.protocols import copy_unfitted
from wordplane.learners.support.row_blocks import RowBlocks, Sums
from wordplane.learners.svm import LinearSVM

if TYPE_CHECKING:
    from sklearn.utils import Tags

MACHINE_C_GRID, BETA_GRID = (0.03, 0.1, 0.3, 1.0, 3.0), (0.25, 0.5, 1.0)


class NBSVM(LinearClassifier):
    """SVM, or another linear learner, on features scaled by log-count ratios.

    Parameters
    ----------
    alpha : float, default 1.0
        Smoothing of the counts, above 0.
    beta : float from 0 to 1, default 0.25
        1 takes the machine's weights as they are, 0 their mean size for every feature.
    learner : estimator, default None
        The machine: any of our linear learners that minimises an objective; None means
        LinearSVM(). It is copied for every class, not changed.
    binary : bool, default True
        Take every non-zero value of X as 1, in training and in prediction. The counts behind
        r are always of documents.
    smoothing : "add" or "mass", default "add"
        Add alpha to every count, or in proportion to the mass of the class.
    scaling : "ratio" or "shifted", default "ratio"
        Scale by r, or by rho.
    blocks : sequence of int, default None
        For "shifted": the first column of each block of features but the first, ascending. None
        means one block.
    n_unscaled : int, default 0
        How many of the last columns are measurements, not features that occur or not: they are
        not scaled.
    class_weight : None, "balanced" or mapping, default None
        How much a document of each class counts.
    n_jobs : int, default None
        Threads to use, except in a learner that is given; None and -1 mean all.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model, r and beta folded in; `coef_` has one row if there are two classes.
    scale_
        r or rho of every class, in the shape of `coef_`.
    objective_, n_iter_, converged_
        Of the machines: the sum, the most, and whether all.
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]]
    >>> model = NBSVM().fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    >>> model.scale_.round(3)
    array([[ 0.944,  0.251, -1.253]])
    """

    name = "nbsvm"
    shuffles_rows = True
    scale_: FloatArray

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        beta: float = 0.25,
        learner: LinearClassifier | None = None,
        binary: bool = True,
        smoothing: str = "add",
        scaling: str = "ratio",
        blocks: Sequence[int] | None = None,
        n_unscaled: int = 0,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.learner = learner
        self.binary = binary
        self.smoothing = smoothing
        self.scaling = scaling
        self.blocks = blocks
        self.n_unscaled = n_unscaled
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Scale the features, train the machines, fold the scale into their weights."""
        matrix, codes, weights, scale, scaled = self._scaled_problem(X, y, sample_weight)
        W, b = self._machines(matrix, codes, weights, scale)
        return self._interpolate(W, b, scale, scaled, codes, weights)

    def fit_within(
        self,
        X: MatrixLike,
        y: LabelsLike,
        lower: FloatArray,
        upper: FloatArray,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """The same with weights within bounds, for two classes: those of the machine, and those of
        naive Bayes, mean|w| r with the w of the machine without bounds; hence also what is between
        them."""
        matrix, codes, weights, scale, scaled = self._scaled_problem(X, y, sample_weight)
        svm = self._svm()
        if svm is None or not svm.can_fit_within() or len(self.classes_) > 2:
            return super().fit_within(X, y, lower, upper)
        machine = copy_unfitted(svm, svm.n_jobs)
        machine.classes_ = self.classes_
        machine.fit_codes(matrix, codes, weights, scale)
        nothing, W = np.zeros_like(scale), machine.coef_.T
        self._interpolate(nothing, np.zeros(1), scale, scaled, codes, weights, near=W)
        bayes, bias, beta = self.coef_[0], self.intercept_, float(self.beta)
        factor = scale[:, 0].copy()
        factor[(factor == 0) & (lower == upper)] = 1.0  # it can be set, though not learned
        machine.fit_codes_within(matrix, codes, weights, lower, upper, factor)
        self._set_certificate([machine])
        rest = np.where(scaled, 1 - beta, 0.0)
        of_bayes = np.clip(
            np.divide(bayes, rest, out=np.zeros_like(rest), where=rest > 0), lower, upper
        )
        w = np.clip(rest * of_bayes + (1 - rest) * machine.coef_[0], lower, upper)
        self._set_weights(w[:, None], bias + beta * machine.intercept_)
        return self

    def can_fit_within(self) -> bool:
        """Whether the machine can."""
        svm = self._svm()
        return svm is not None and svm.can_fit_within()

    def _scaled_problem(
        self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike
    ) -> tuple[_core.Csr, Codes, FloatArray, FloatArray, NDArray[np.bool_]]:
        """The matrix, numbers of classes, weights of rows, scale, and which features have one."""
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        self._check_parameters()
        weights = row_weights(matrix, codes, self.classes_, sample_weight, self.class_weight)
        if not np.bincount(codes, weights).all():
            raise InputError("all documents of a class have the weight 0: leave that class out")
        counts = np.zeros((len(self.classes_), matrix.shape[1]))
        threads = thread_count(self.n_jobs)
        _core.add_class_presences(matrix, codes, weights, counts, threads)
        if self.binary:
            matrix = presence(matrix)
        squares = np.zeros((1, matrix.shape[1]))
        if self.scaling == "shifted":
            one = np.zeros(matrix.shape[0], np.int32)
            _core.add_class_squares(matrix, one, weights, squares, threads)
        return matrix, codes, weights, *self._scale(counts, squares[0])

    @property
    def learns_from_blocks(self) -> bool:  # type: ignore[override]
        """Whether the machine is one SVM against the rest per class."""
        return self._svm() is not None

    @property
    def learns_from_sums(self) -> bool:  # type: ignore[override]
        """Whether the machine does."""
        svm = self._svm()
        return svm is not None and svm.learns_from_sums

    def fit_blocks(self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """The same from rows in blocks: one pass for the ratios, then those of the SVM."""
        codes = self._new_blocks(rows, y)
        self._check_parameters()
        svm = self._svm()
        if svm is None:
            return super().fit_blocks(rows, y, sample_weight)
        weights = row_weights(rows, codes, self.classes_, sample_weight, self.class_weight)
        if not np.bincount(codes, weights).all():
            raise InputError("all documents of a class have the weight 0: leave that class out")
        rows = rows.change(presence) if self.binary else rows
        n_features = rows.shape[1]
        counts, squares = rows.sum(
            add_presences,
            (np.zeros((len(self.classes_), n_features)), np.zeros((1, n_features))),
            (self.scaling == "shifted",),
            rows.split(codes),
            rows.split(weights),
            job="counting words of classes",
        )
        scale, scaled = self._scale(counts, squares[0])
        del counts, squares
        machine = copy_unfitted(svm, svm.n_jobs)
        machine.classes_ = self.classes_
        machine.fit_block_codes(rows, codes, weights, scale)
        self._set_certificate([machine])
        W, b = machine.coef_.T, machine.intercept_
        return self._interpolate(W, b, scale, scaled, codes, weights)

    def _svm(self) -> LinearSVM | None:
        """The machine, if its classes can be trained side by side."""
        learner = LinearSVM(n_jobs=self.n_jobs) if self.learner is None else self.learner
        if isinstance(learner, LinearSVM) and learner.learns_from_blocks:
            return learner
        return None

    def _interpolate(
        self,
        W: FloatArray,
        b: FloatArray,
        scale: FloatArray,
        scaled: NDArray[np.bool_],
        codes: Codes,
        weights: FloatArray,
        near: FloatArray | None = None,
    ) -> Self:
        """Set the weights between naive Bayes and the machine; the mean size of the machine's
        weights is that of `near`, if others than W are meant."""
        beta = float(self.beta)
        if beta < 1:
            n_in = np.bincount(codes, weights)[-scale.shape[1] :]
            log_odds = np.log(n_in) - np.log(weights.sum() - n_in)
            sized = W if near is None else near
            w = np.divide(sized, scale, out=np.zeros_like(W), where=scale != 0)
            mean_w = np.abs(w[scaled]).mean(axis=0) if scaled.any() else np.zeros(W.shape[1])
            W = np.where(scaled[:, None], (1 - beta) * mean_w * scale + beta * W, W)
            b = (1 - beta) * mean_w * log_odds + beta * b
        self.scale_ = np.ascontiguousarray(scale.T)
        self._set_weights(W, b)
        return self

    def _scale(
        self, counts: FloatArray, squares: FloatArray
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """r or rho (n_features x n_outputs), given the documents with each feature by class and
        the sums of squares of its values; and which features are scaled."""
        scale = self._ratios(counts)
        if self.scaling == "shifted":
            scale = self._shifted(scale, squares)
        scaled = np.arange(len(scale)) < len(scale) - self.n_unscaled
        scale[~scaled] = 1.0
        return scale, scaled

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """C of the machine and beta, or alpha if the machine is not given or has no C."""
        if isinstance(self.learner, LinearClassifier) and "C" in self.learner.tuning_grid():
            return {"learner__C": MACHINE_C_GRID, "beta": BETA_GRID}
        return {"alpha": ALPHA_GRID}

    def set_groups(self, starts: Sequence[int], n_counted: int, n_features: int) -> None:
        """Every group is a block with its own scale, unless `blocks` is given; measurements stay
        as they are."""
        if self.blocks is None:
            cuts = sorted({*starts, n_counted})
            self.blocks = [cut for cut in cuts if 0 < cut < n_features] or None
            self.n_unscaled = n_features - n_counted

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The score of every class, or with two classes that of `classes_[1]` alone."""
        self._check_fitted()
        matrix = self._known_features(X)
        return super().decision_function(presence(matrix) if self.binary else matrix)

    @property
    def reads_binary(self) -> bool:  # type: ignore[override]
        """Whether values of X are taken as 1."""
        return bool(self.binary)

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on measurements, of which it sees presence only
        return tags

    def _ratios(self, counts: FloatArray) -> FloatArray:
        """r, n_features x n_outputs."""
        n_classes = len(self.classes_)
        total = counts.sum(axis=0)[:, None]
        p = np.ascontiguousarray(counts.T if n_classes > 2 else counts[1:].T)
        q = total - p
        alpha = float(self.alpha)
        if self.smoothing == "add":
            p, q = p + alpha, q + alpha
            return np.asarray(np.log(p / p.sum(axis=0)) - np.log(q / q.sum(axis=0)))
        P, Q = p.sum(axis=0), q.sum(axis=0)
        smooth = 2 * alpha / max(total.sum(), np.finfo(float).tiny)
        p, q = p / np.where(P > 0, P, 1), q / np.where(Q > 0, Q, 1)
        return np.asarray(np.log(p + smooth) - np.log(q + smooth))

    def _shifted(self, r: FloatArray, squares: FloatArray) -> FloatArray:
        """rho = c sign(r) (|r| + 1/2); c keeps the mean of |x|^2 in every block."""
        rho = np.sign(r) * (np.abs(r) + 0.5)
        cuts = [0, *([] if self.blocks is None else self.blocks), len(r)]
        for begin, end in pairwise(cuts):
            before = squares[begin:end].sum()
            after = np.einsum("j,j...->...", squares[begin:end], rho[begin:end] ** 2)
            rho[begin:end] *= np.sqrt(before / np.where(after > 0, after, max(before, 1)))
        return np.asarray(rho)

    def _machines(
        self, X: _core.Csr, codes: Codes, weights: FloatArray, scale: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """W with the scale folded in, and b, of one machine per output."""
        learner, svm = self.learner, self._svm()
        if svm is not None:
            machine = copy_unfitted(svm, svm.n_jobs)
            machine.classes_ = self.classes_
            machine.fit_codes(X, codes, weights, scale)
            self._set_certificate([machine])
            return machine.coef_.T, machine.intercept_
        assert learner is not None, "the default is an SVM"
        indptr, indices, values = X.arrays()
        machines: list[LinearClassifier] = []
        for k in range(scale.shape[1]):
            scaled = _core.Csr(X.shape[1], indptr, indices, values * scale[indices, k])
            copy = copy_unfitted(learner, learner.n_jobs)
            positive = codes == (k if scale.shape[1] > 1 else 1)
            machines.append(copy.fit(scaled, positive, sample_weight=weights))
        self._set_certificate(machines)
        W = np.column_stack([machine.coef_[0] for machine in machines]) * scale
        return W, np.concatenate([machine.intercept_ for machine in machines])

    def _set_certificate(self, machines: Sequence[LinearClassifier]) -> None:
        try:
            self.objective_ = sum(machine.objective_ for machine in machines)
        except AttributeError:
            raise InputError(
                f"`learner` is {self.learner!r}, expected one that minimises an objective, such as "
                "LinearSVM or LogisticRegression"
            ) from None
        self.n_iter_ = max(machine.n_iter_ for machine in machines)
        self.converged_ = all(machine.converged_ for machine in machines)

    def _check_parameters(self) -> None:
        if len(self.classes_) < 2:
            raise InputError(
                f"y has one class only ({self.classes_[0]!r}): NBSVM needs at least two classes"
            )
        if not (isinstance(self.alpha, Real) and 0 < self.alpha < float("inf")):
            raise InputError(f"alpha is {self.alpha!r}, expected a finite number above 0")
        if not (isinstance(self.beta, Real) and 0 <= self.beta <= 1):
            raise InputError(f"beta is {self.beta!r}, expected a number from 0 to 1")
        for name, known in (("smoothing", ("add", "mass")), ("scaling", ("ratio", "shifted"))):
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name} is {getattr(self, name)!r}, expected {known[0]!r} or {known[1]!r}"
                )
        if self.learner is not None and not isinstance(self.learner, LinearClassifier):
            raise InputError(f"`learner` is {self.learner!r}, expected one of our linear learners")
        if self.learner is not None and self.learner.class_weight is not None:
            raise InputError(
                f"the learner inside has `class_weight` {self.learner.class_weight!r}: give it to "
                "NBSVM instead, whose ratios depend on it too"
            )
        n_unscaled = self.n_unscaled
        if not (isinstance(n_unscaled, Integral) and 0 <= n_unscaled <= self.n_features_in_):
            raise InputError(
                f"n_unscaled is {n_unscaled!r}, expected a number of columns of X, which has "
                f"{self.n_features_in_}"
            )
        if self.blocks is not None:
            cuts = np.asarray(self.blocks)
            ascend = cuts.ndim == 1 and (np.diff([0, *cuts, self.n_features_in_]) > 0).all()
            if not (ascend and (cuts.dtype.kind == "i" or not len(cuts))):
                raise InputError(
                    f"blocks is {self.blocks!r}, expected ascending columns between 1 and "
                    f"{self.n_features_in_ - 1}"
                )


def add_presences(
    sums: Sums, X: _core.Csr, threads: int, squared: bool, codes: Codes, weights: FloatArray
) -> None:
    """Add the documents with each feature by class, and perhaps the squares of its values."""
    counts, squares = sums
    _core.add_class_presences(X, codes, weights, counts, threads)
    if squared:
        one = np.zeros(X.shape[0], np.int32)
        _core.add_class_squares(X, one, weights, squares, threads)
