"""NBSVM: a linear machine on features scaled by naive Bayes.

For every class against the rest (two classes: the second against the first), with documents
x binarized for the counts:

    p = alpha + sum of x in the class,  q = alpha + sum of x outside
    r = log(p / |p|_1) - log(q / |q|_1)                      (log-count ratio)
    w, b    minimize the machine's objective on x o r
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
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.features.scores import one_class, presence
from wordplane.learners.support.base import (
    ALPHA_GRID,
    ClassWeight,
    LinearClassifier,
    bytes_to_fit,
)
from wordplane.learners.support.bounds import Bounds, check_bounds_fit
from wordplane.learners.support.log_count_ratios import (
    Ratios,
    add_label_presences,
    add_presences,
    are_cuts,
    fit_each_output,
    log_count_ratios,
    zero_sums,
)
from wordplane.learners.support.parameter_checks import (
    check,
    check_choice,
    check_positive,
    check_share,
    is_whole,
)
from wordplane.learners.support.protocols import HasObjective, copy_unfitted
from wordplane.learners.support.row_blocks import RowBlocks, Sums, needs_memory
from wordplane.learners.svm import LinearSVM

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
        The machine: any of our linear learners that minimizes an objective; None means
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
    n_jobs : int, default None
        Threads to use, also in the learner; None and -1 mean all.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model, r and beta folded in; `coef_` has one row if there are two classes.
    scale_
        r or rho of every class, in the shape of `coef_`.
    objective_, n_iter_, converged_
        Of the machines: the sum, the most, and whether all.

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
    scores_poorly = True  # it sees the presence of features only
    shuffles_rows = True

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

    def fit_bytes(self, n_docs: int, n_features: int, n_classes: int) -> int:
        """Also log-count ratios of the features, and norms of the rows."""
        inner = bytes_to_fit(self.learner or LinearSVM(), n_docs, n_features, n_classes)
        return inner + 8 * n_classes * (3 * n_features + n_docs)

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Scale the features, train the machines, fold the scale into their weights."""
        rows, ratios = self._scaled_rows(X, y, sample_weight)
        machine = self._machine()
        if machine is None:
            assert self.learner is not None, "the default is an SVM"
            learner = copy_unfitted(self.learner, self.n_jobs)
            return self._set_model(*fit_each_output(learner, *rows, ratios.scale), ratios)
        machine.fit_codes(*rows, ratios.scale)
        return self._set_model([machine], machine.coef_.T, ratios)

    @property
    def learns_from_blocks(self) -> bool:
        """Whether the machine is one SVM against the rest per class."""
        return self._machine() is not None

    @property
    def learns_from_sums(self) -> bool:
        """Whether the machine does."""
        machine = self._machine()
        return machine is not None and machine.learns_from_sums

    def fit_blocks(self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """The same from rows in blocks: one pass for the ratios, then those of the SVM."""
        codes, weights = self._weighted_blocks(rows, y, sample_weight)
        self._check_parameters(codes, weights)
        machine = self._machine()
        if machine is None:
            raise needs_memory(self)
        rows = rows.change(presence) if self.binary else rows
        parts, job = (rows.split(codes), rows.split(weights)), "counting words of classes"
        sums, is_shifted = zero_sums(len(self.classes_), rows.shape[1]), self.scaling == "shifted"
        sums = rows.sum(add_presences, sums, (is_shifted,), *parts, job=job)
        ratios = self._ratios(sums, codes, weights)
        del sums
        machine.fit_block_codes(rows, codes, weights, ratios.scale)
        return self._set_model([machine], machine.coef_.T, ratios)

    @property
    def learns_sides(self) -> bool:
        """Whether the machine does, and classes do not weigh."""
        machine = self._machine()
        return machine is not None and machine.learns_sides and self.class_weight is None

    def fit_sides(
        self, X: _core.Csr, member: NDArray[np.bool_], weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """W and b for each column of `member`: which rows have its label."""
        self._check_settings(X.shape[1])
        X = presence(X) if self.binary else X
        counts, threads = np.zeros((member.shape[1], X.shape[1])), thread_count(self.n_jobs)
        add_label_presences(counts, X, threads, member, weights)
        total, squares = zero_sums(1, X.shape[1])
        is_shifted = self.scaling == "shifted"
        add_presences((total, squares), X, threads, is_shifted, one_class(X), weights)
        n_in = weights @ member
        ratios = self._ratios_of(counts, total[0], squares, n_in, weights.sum() - n_in)
        del counts
        machine = self._machine()
        assert machine is not None
        W, b = machine.fit_sides(X, member, weights, ratios.scale)
        return ratios.interpolate(W, b, float(self.beta), threads)

    def can_fit_within(self) -> bool:
        """Whether the machine can."""
        machine = self._machine()
        return machine is not None and machine.can_fit_within()

    def fit_within(
        self, X: MatrixLike, y: LabelsLike, bounds: Bounds, sample_weight: WeightsLike = None
    ) -> Self:
        """The same with weights within bounds, for two classes: those of the machine, and those of
        naive Bayes, mean|w| r with the w of the machine without bounds; hence also what is between
        them."""
        rows, ratios = self._scaled_rows(X, y, sample_weight)
        check_bounds_fit(self, self.can_fit_within())
        machine, beta = self._machine(), float(self.beta)
        assert machine is not None
        W = machine.fit_codes(*rows, ratios.scale).coef_.T.copy()
        bayes, bias = ratios.interpolate(W, np.zeros(1), 0.0, thread_count(self.n_jobs))
        factor = ratios.scale.copy()
        factor[(factor[:, 0] == 0) & (bounds.lower == bounds.upper)] = (
            1.0  # it can be set, though not learned
        )
        machine.move_within(*rows, bounds, factor)
        w = machine.coef_[0].copy()
        self._set_model([machine], machine.coef_.T, ratios)
        b = (1 - beta) * bias + beta * machine.intercept_
        n, (lower, upper) = ratios.n_scaled, bounds
        of_bayes = np.clip(bayes[:n, 0], lower[:n], upper[:n])
        w[:n] = (1 - beta) * of_bayes + beta * w[:n]
        self._set_weights(np.clip(w, lower, upper)[:, None], b)
        return self

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """C of the machine and beta, or alpha if the machine is not given or has no C."""
        if isinstance(self.learner, LinearClassifier) and "C" in self.learner.tuning_grid():
            return {"learner__C": MACHINE_C_GRID, "beta": BETA_GRID}
        return dict(ALPHA_GRID)

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
        return self._scores(presence(matrix) if self.binary else matrix)

    @property
    def reads_binary(self) -> bool:
        """Whether values of X are taken as 1."""
        return bool(self.binary)

    def _scaled_rows(
        self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike
    ) -> tuple[tuple[_core.Csr, Codes, FloatArray], Ratios]:
        """Rows, the numbers of their classes and their weights; and the scale."""
        matrix, codes, weights = self._weighted_rows(X, y, sample_weight)
        self._check_parameters(codes, weights)
        matrix = presence(matrix) if self.binary else matrix
        sums, threads = zero_sums(len(self.classes_), matrix.shape[1]), thread_count(self.n_jobs)
        add_presences(sums, matrix, threads, self.scaling == "shifted", codes, weights)
        return (matrix, codes, weights), self._ratios(sums, codes, weights)

    def _ratios(self, sums: Sums, codes: Codes, weights: FloatArray) -> Ratios:
        """The scale, given the documents with each feature by class and its squared values."""
        counts, squares = sums
        of_outputs = counts if len(counts) > 2 else counts[1:]
        n_in = np.bincount(codes, weights)[-len(of_outputs) :].astype(np.float64)
        n_outside = weights.sum() - n_in
        return self._ratios_of(of_outputs, counts.sum(axis=0), squares, n_in, n_outside)

    def _ratios_of(
        self,
        counts: FloatArray,
        total: FloatArray,
        squares: FloatArray,
        n_in: FloatArray,
        n_outside: FloatArray,
    ) -> Ratios:
        """The scale, given the documents with each feature, those of each output and all."""
        threads = thread_count(self.n_jobs)
        scale = log_count_ratios(counts, total, float(self.alpha), self.smoothing, threads)
        if self.scaling == "shifted":
            # rho = c sign(r) (|r| + 1/2), of which c keeps the mean of |x|^2 in every block
            begins = [0, *(() if self.blocks is None else self.blocks)]
            _core.shift_ratios(scale, squares[0], begins, threads)
        n_scaled = len(scale) - self.n_unscaled
        scale[n_scaled:] = 1.0
        return Ratios(scale, n_scaled, np.log(n_in) - np.log(n_outside))

    def _machine(self) -> LinearSVM | None:
        """A new machine, if the classes can be trained side by side."""
        svm = LinearSVM() if self.learner is None else self.learner
        if not (isinstance(svm, LinearSVM) and svm.learns_from_blocks):
            return None
        machine = copy_unfitted(svm, self.n_jobs)
        if hasattr(self, "classes_"):
            machine.classes_ = self.classes_
        return machine

    def _set_model(self, machines: list[LinearClassifier], W: FloatArray, ratios: Ratios) -> Self:
        """Set the weights between naive Bayes and W, that of the machines with the scale folded
        in, and their certificate."""
        fitted = [machine for machine in machines if isinstance(machine, HasObjective)]
        if len(fitted) < len(machines):
            raise InputError(
                f"`learner` is {self.learner!r}, expected one that minimizes an objective, such as "
                "LinearSVM or LogisticRegression"
            )
        self.objective_ = sum(machine.objective_ for machine in fitted)
        self.n_iter_ = max(machine.n_iter_ for machine in fitted)
        self.converged_ = all(machine.converged_ for machine in fitted)
        b = np.concatenate([machine.intercept_ for machine in machines])
        self.scale_ = ratios.scale.T
        threads = thread_count(self.n_jobs)
        self._set_weights(*ratios.interpolate(W, b, float(self.beta), threads))
        return self

    def _check_parameters(self, codes: Codes, weights: FloatArray) -> None:
        self._check_two_classes()
        self._check_settings(self.n_features_in_)
        if not np.bincount(codes, weights).all():
            raise InputError("all documents of a class have the weight 0: leave that class out")

    def _check_settings(self, n_features: int) -> None:
        check_positive(self, "alpha")
        check_share(self, "beta")
        check_choice(self, "smoothing", ("add", "mass"))
        check_choice(self, "scaling", ("ratio", "shifted"))
        learner = self.learner
        if learner is not None:
            is_ours = isinstance(learner, LinearClassifier)
            check(self, "learner", is_ours, "one of our linear learners")
            if learner.class_weight is not None:
                raise InputError(
                    f"the learner inside has `class_weight` {learner.class_weight!r}: give it to "
                    "NBSVM instead, whose ratios depend on it too"
                )
        fits = is_whole(self.n_unscaled, 0) and self.n_unscaled <= n_features
        check(self, "n_unscaled", fits, f"a number of columns of X, which has {n_features}")
        fits = self.blocks is None or are_cuts(self.blocks, n_features)
        check(self, "blocks", fits, f"ascending columns between 1 and {n_features - 1}")
