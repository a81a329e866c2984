"""Linear support vector machines.

One against the rest: for every class, y_i = +1 for its documents and -1 for the others,

    minimize  1/2 |w|^2 + C sum_i loss(1 - y_i w.x_i),   loss(m) = max(0, m)^2 or max(0, m)

by coordinate descent on the dual, in which w = sum_i a_i y_i x_i with 0 <= a_i:

    until P - D <= tol P, over the documents in random order:
        G   = y_i w.x_i - 1 + D_i a_i           (D_i = 1/(2C) squared, 0 plain)
        new = a_i - G / (|x_i|^2 + D_i), kept >= 0, and <= C if plain
        w  += (new - a_i) y_i x_i

Crammer and Singer: all classes at once, with a cost for each kind of mistake,

    minimize  1/2 sum_k |w_k|^2 + C sum_i (max_k (w_k.x_i + cost[y_i, k]) - w_{y_i}.x_i)

by the same descent with one block of K dual variables per document. Of two classes the weights
are each other's negative, and with w = w_1 - w_0 the objective is half of that of one machine with
the plain hinge, 2 C, and the cost of the mistake as margin. With an l1 penalty |w|_1 the squared
hinge is minimized by Newton steps on one weight at a time.

P is the primal and D the dual objective: no weights have a P below D, so the gap P - D says how
far from the optimum the weights can be at most. The bias is the weight of a constant feature and
penalized as the others are; it follows the dual variables slowly, which halves the number of
passes (see native/learners/lagging_bias.h). X is rounded to float32. Weights are float64, or
float32, which is faster, if there are more than two classes (one against the rest, l2) or several
labels, tol is 1e-3 or more, and all rows are in memory, but not where values, their scale or C are
too large or small for float32.

References: Hsieh, Chang, Lin, Keerthi and Sundararajan (2008), A dual coordinate descent method for
large-scale linear SVM; Keerthi et al. (2008), A sequential dual method for large scale multi-class
linear SVMs; Yuan, Chang, Hsieh and Lin (2010), A comparison of optimization methods and software
for large-scale l1-regularized linear classification.
"""

import warnings
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.labels import Codes
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import C_GRID, ClassWeight, LinearClassifier, Tables
from wordplane.learners.support.bounds import Bounds, check_bounds_fit, svm_within
from wordplane.learners.support.costs import cost_matrix
from wordplane.learners.support.parameter_checks import check_choice, check_positive, check_whole
from wordplane.learners.support.row_blocks import RowBlocks, needs_memory
from wordplane.learners.support.svm_blocks import Certificates, SvmProblem, minimize_on_blocks

_Solver: TypeAlias = _core.DualSvm | _core.CrammerSinger | _core.L1Svm


ENOUGH_FOR_SINGLE = 1e-3  # a gap that weights in single precision can reach


class LinearSVM(LinearClassifier):
    """Linear support vector machine, solved to a stated duality gap.

    Parameters
    ----------
    C : float, default 1.0
        What a unit of loss costs relative to the penalty of the weights, above 0.
    loss : "squared_hinge" or "hinge", default "squared_hinge"
        The loss of one against the rest.
    multi_class : "ovr" or "crammer_singer", default "ovr"
        One machine per class against the rest, or all classes at once, which has the plain hinge
        whatever `loss` says. With two classes and "ovr" there is one machine.
    penalty : "l2" or "l1", default "l2"
        The penalty of the weights; "l1" makes most of them exactly 0 and goes with the squared
        hinge, one against the rest.
    cost : array of shape (n_classes, n_classes), default None
        cost[true, predicted] of a mistake, classes in sorted order, 0 on the diagonal; None means
        1 for each. Only for "crammer_singer".
    fit_intercept : bool, default True
        Learn a bias.
    intercept_scaling : float, default 1.0
        The value of the constant feature whose weight is the bias: the larger, the less the bias
        is penalized.
    tol : float, default 1e-3
        Stop when the duality gap is at most this share of the objective.
    max_iter : int, default 1000
        Most passes over the data.
    class_weight : None, "balanced" or mapping, default None
        How much a document of each class counts, in the machines of all classes.
    n_jobs : int, default None
        Threads to use; None and -1 mean all. They share out the classes of "ovr".

    Attributes
    ----------
    objective_, dual_objective_, gap_
        P, D and P - D, each summed over the machines: P is at most `gap_` above the optimum.
    n_iter_, converged_
        Most passes of any machine, and whether all came within `tol`.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]]
    >>> model = LinearSVM(tol=1e-9).fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    >>> model.coef_.round(3)
    array([[ 0.452,  0.452, -0.581]])
    >>> f"{model.objective_:.4f}", model.gap_ <= 1e-9 * model.objective_
    ('0.5161', True)
    """

    name = "svm"
    grid = C_GRID
    shuffles_rows = True

    def __init__(
        self,
        *,
        C: float = 1.0,
        loss: str = "squared_hinge",
        multi_class: str = "ovr",
        penalty: str = "l2",
        cost: ArrayLike | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.C = C
        self.loss = loss
        self.multi_class = multi_class
        self.penalty = penalty
        self.cost = cost
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Minimize the objective; row i counts sample_weight[i] times."""
        return self.fit_codes(*self._weighted_rows(X, y, sample_weight))

    def fit_codes(
        self, X: _core.Csr, codes: Codes, weights: FloatArray, scale: FloatArray | None = None
    ) -> Self:
        """Fit to numbers of classes. With a scale (n_features x n_outputs), each machine k is
        trained on X * scale[:, k], and that is folded into its weights."""
        self._check_two_classes()
        self._check_parameters()
        solver = self._solver(X, self._problem(codes, weights, scale))
        n_outputs = len(self.classes_) if len(self.classes_) > 2 else 1
        return self._set_model(*self._run(solver, X, n_outputs))

    @property
    def learns_sides(self) -> bool:
        """Whether it is one against the rest with an l2 penalty, and classes do not weigh."""
        return self.learns_from_blocks and self.class_weight is None

    def fit_sides(
        self,
        X: _core.Csr,
        member: NDArray[np.bool_],
        weights: FloatArray,
        scale: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """W and b of a machine for each column of `member`: which rows have its label. With a
        scale, as in `fit_codes`."""
        self._check_parameters()
        squared = self.loss == "squared_hinge"
        solver = _core.DualSvm(
            X,
            member,
            float(self.C) * weights,
            squared=squared,
            bias=self._bias,
            scale=scale,
            single=self._single,
            threads=thread_count(self.n_jobs),
        )
        W, b, certificates = self._run(solver, X, member.shape[1])
        self._certify(certificates)
        return W, b

    def _run(
        self, solver: _Solver, X: _core.Csr, n_outputs: int
    ) -> tuple[FloatArray, FloatArray, Certificates]:
        """Take passes until all machines are within the tolerance."""
        threads = thread_count(self.n_jobs)
        size = solver.n_features if isinstance(solver, _core.L1Svm) else X.shape[0]
        rng = np.random.default_rng(self.random_state)
        # Short passes go several to a call, so that the calls cost nothing in comparison.
        at_once = int(np.clip(10**7 // ((X.n_values + X.shape[0]) * n_outputs), 1, 16))
        n_iter = 0
        while n_iter < self.max_iter and not solver.done:
            n_passes = min(at_once, self.max_iter - n_iter)
            orders = np.broadcast_to(np.arange(size, dtype=np.int32), (n_passes, size))
            # contiguous here: without memory for a copy, the core would only see a wrong type
            permuted = np.ascontiguousarray(rng.permuted(orders, axis=1))
            solver.run(permuted, float(self.tol), threads)
            n_iter += n_passes
            notify("fitting LinearSVM", n_iter, 0)
        return *solver.weights(), solver.results(threads)

    def tables(self) -> Tables:
        """A dual variable for each row and class, and costs of one class for another."""
        return Tables(weights=3, rows=1, pairs=3 if self.multi_class == "crammer_singer" else 0)

    def certificate(self) -> str:
        """The duality gap, which no solution can be farther from the optimum than."""
        gap = max(self.gap_, 0.0)  # below 0 by rounding
        share = gap / self.objective_ if self.objective_ > 0 else 0.0
        return f"objective {self.objective_:.6g}, at most {gap:.2g} ({share:.2g} of it) too high"

    @property
    def learns_from_blocks(self) -> bool:
        """Whether it is one against the rest with an l2 penalty."""
        return (self.multi_class, self.penalty) == ("ovr", "l2")

    @property
    def learns_from_sums(self) -> bool:
        """The same with the squared hinge."""
        return self.learns_from_blocks and self.loss == "squared_hinge"

    def fit_blocks(self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Minimize the objective on rows in blocks, to the same duality gap."""
        return self.fit_block_codes(rows, *self._weighted_blocks(rows, y, sample_weight))

    def fit_block_codes(
        self, rows: RowBlocks, codes: Codes, weights: FloatArray, scale: FloatArray | None = None
    ) -> Self:
        """`fit_codes` on rows in blocks."""
        self._check_two_classes()
        self._check_parameters()
        if not self.learns_from_blocks:
            raise needs_memory(self)
        if rows.is_remote and not self.learns_from_sums:
            raise InputError(
                f"{self!r} needs all rows on one machine: loss='squared_hinge' doesn't"
            )
        problem, threads = self._problem(codes, weights, scale), thread_count(self.n_jobs)
        return self._set_model(*minimize_on_blocks(problem, rows, self.random_state, threads))

    def can_fit_within(self) -> bool:
        """Whether the loss is smooth."""
        return self.learns_from_sums

    def fit_within(
        self, X: MatrixLike, y: LabelsLike, bounds: Bounds, sample_weight: WeightsLike = None
    ) -> Self:
        """Minimize the objective over weights within bounds, for two classes."""
        rows = self._weighted_rows(X, y, sample_weight)
        check_bounds_fit(self, self.can_fit_within())
        return self.fit_codes(*rows).move_within(*rows, bounds)

    def move_within(
        self,
        X: _core.Csr,
        codes: Codes,
        weights: FloatArray,
        bounds: Bounds,
        scale: FloatArray | None = None,
    ) -> Self:
        """Move the weights that `fit_codes` found, and into which the scale is folded, to the best
        within bounds."""
        problem, start = self._problem(codes, weights, scale), (self.coef_.T, self.intercept_)
        W, b, result = svm_within(problem, X, bounds, start, thread_count(self.n_jobs))
        self._set_weights(W, b)
        self.objective_, self.n_iter_ = result.loss, result.n_iter
        self.converged_ = result.converged
        return self

    def leaves_out_features(self) -> bool:
        """Whether the penalty makes weights exactly 0."""
        return self.penalty == "l1"

    def _problem(self, codes: Codes, weights: FloatArray, scale: FloatArray | None) -> SvmProblem:
        C, squared = float(self.C) * weights, self.loss == "squared_hinge"
        n_classes, max_iter = len(self.classes_), int(self.max_iter)
        return SvmProblem(codes, C, n_classes, squared, self._bias, scale, self.tol, max_iter)

    @property
    def _bias(self) -> float:
        """The value of the constant feature."""
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    @property
    def _single(self) -> bool:
        """Whether single precision is enough."""
        return bool(self.tol >= ENOUGH_FOR_SINGLE)

    def _solver(self, X: _core.Csr, problem: SvmProblem) -> _Solver:
        """What takes the passes."""
        threads = thread_count(self.n_jobs)
        codes, C, n_classes, squared, bias, scale, *_ = problem
        margin = np.ones(len(codes))
        if self.penalty == "l1":
            return _core.L1Svm(_core.LabeledRows(X, codes, C, n_classes), bias=bias)
        if self.multi_class == "crammer_singer":
            cost = cost_matrix(self.cost, n_classes)
            if n_classes > 2:
                rows = _core.LabeledRows(X, codes, C, n_classes)
                return _core.CrammerSinger(rows, cost=cost, bias=bias, threads=threads)
            C, margin, squared = 2 * C, cost[codes, 1 - codes], False
        rows = _core.LabeledRows(X, codes, C, n_classes)
        return _core.DualSvm(
            rows,
            margin,
            squared=squared,
            bias=bias,
            scale=scale,
            single=self._single,
            threads=threads,
        )

    def _set_model(self, W: FloatArray, b: FloatArray, certificates: Certificates) -> Self:
        """Set the weights, and how near the optimum they are."""
        self._set_weights(W, b)
        one_for_two = self.multi_class == "crammer_singer" and len(self.classes_) == 2
        self._certify(certificates, 0.5 if one_for_two else 1.0)
        return self

    def _certify(self, certificates: Certificates, share: float = 1.0) -> None:
        """Set how near the optimum all machines are, whose objectives count by this share; a
        warning if one is not near enough."""
        primal, dual, passes, done = zip(*certificates, strict=True)
        self.objective_, self.dual_objective_ = share * sum(primal), share * sum(dual)
        self.gap_ = self.objective_ - self.dual_objective_
        self.n_iter_, self.converged_ = max(passes), all(done)
        if not self.converged_:
            warnings.warn(
                f"LinearSVM stopped after max_iter={self.max_iter} passes with a duality gap of "
                f"{self.gap_:.3g} at objective {self.objective_:.6g}, expected at most tol="
                f"{self.tol:g} of it; raise max_iter or tol, or lower C",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _check_parameters(self) -> None:
        check_choice(self, "loss", ("squared_hinge", "hinge"))
        check_choice(self, "multi_class", ("ovr", "crammer_singer"))
        check_choice(self, "penalty", ("l2", "l1"))
        if self.penalty == "l1" and (self.loss, self.multi_class) != ("squared_hinge", "ovr"):
            raise InputError(
                f"penalty is 'l1' with loss {self.loss!r} and multi_class {self.multi_class!r}, "
                "expected 'squared_hinge' and 'ovr' with it"
            )
        if self.cost is not None and self.multi_class != "crammer_singer":
            raise InputError(
                f"cost is given with multi_class {self.multi_class!r}, expected "
                "'crammer_singer' with it"
            )
        check_positive(self, "C", "intercept_scaling", "tol")
        check_whole(self, "max_iter")
