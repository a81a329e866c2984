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
passes (see native/learners/lagging_bias.h). X is rounded to float32, weights are float64.

References: Hsieh, Chang, Lin, Keerthi and Sundararajan (2008), A dual coordinate descent method for
large-scale linear SVM; Keerthi et al. (2008), A sequential dual method for large scale multi-class
linear SVMs; Yuan, Chang, Hsieh and Lin (2010), A comparison of optimization methods and software
for large-scale l1-regularized linear classification.
"""

import warnings
from collections import deque
from numbers import Integral, Real
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.labels import Codes
from wordplane.common.progress import notify
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import ClassWeight, LinearClassifier, row_weights
from wordplane.learners.support.block_objective import BlockObjective
from wordplane.learners.support.bounds import weights_within
from wordplane.learners.support.costs import cost_matrix
from wordplane.learners.support.grids import C_GRID
from wordplane.learners.support.packed_blocks import PackedBlocks, block_lag
from wordplane.learners.support.row_blocks import RowBlocks
from wordplane.optimize.losses import binary_squared_hinge
from wordplane.optimize.newton import newton
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.penalties import Penalty

_Solver: TypeAlias = _core.DualSvm | _core.CrammerSinger | _core.L1Svm


class LinearSVM(LinearClassifier):
    """Linear support vector machine, solved to a stated duality gap.

    Parameters
    ----------
    C : float, default 1.0
        What a unit of loss costs beside the penalty of the weights, above 0.
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
    random_state : int, default 0
        Seed of the order of the documents.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model; `coef_` has one row if there are two classes.
    objective_, dual_objective_, gap_
        P, D and P - D, each summed over the machines: P is at most `gap_` above the optimum.
    n_iter_, converged_
        Most passes of any machine, and whether all came within `tol`.
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.

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
    shuffles_rows = True

    objective_: float
    dual_objective_: float
    gap_: float
    n_iter_: int
    converged_: bool

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
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        weights = row_weights(matrix, codes, self.classes_, sample_weight, self.class_weight)
        return self.fit_codes(matrix, codes, weights)

    def fit_within(
        self,
        X: MatrixLike,
        y: LabelsLike,
        lower: FloatArray,
        upper: FloatArray,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Minimize the objective over weights within bounds, for two classes."""
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        weights = row_weights(matrix, codes, self.classes_, sample_weight, self.class_weight)
        if not self.can_fit_within() or len(self.classes_) != 2:
            return super().fit_within(X, y, lower, upper)
        self.fit_codes(matrix, codes, weights)
        return self.fit_codes_within(matrix, codes, weights, lower, upper)

    def can_fit_within(self) -> bool:
        """Whether the loss is smooth."""
        return self.learns_from_sums

    def certificate(self) -> str:
        """The duality gap, which no solution can be farther from the optimum than."""
        gap = max(self.gap_, 0.0)  # below 0 by rounding
        share = gap / self.objective_ if self.objective_ > 0 else 0.0
        return f"objective {self.objective_:.6g}, at most {gap:.2g} ({share:.2g} of it) too high"

    def fit_codes_within(
        self,
        X: _core.Csr,
        codes: Codes,
        weights: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        scale: FloatArray | None = None,
    ) -> Self:
        """Move the weights that `fit_codes` found, and into which the scale is folded, to the best
        within bounds."""
        F = LinearObjective(
            X,
            codes,
            binary_squared_hinge,
            Penalty(l2=1.0),
            n_outputs=1,
            weight=float(self.C) * weights,
            intercept=bool(self.fit_intercept),
            threads=thread_count(self.n_jobs),
        )
        factor = np.ones_like(lower) if scale is None else scale
        bias = [float(self.intercept_scaling)] if self.fit_intercept else []
        start = F.flat(self.coef_.T, self.intercept_)
        W, b, found = weights_within(F, lower, upper, start, np.append(factor, bias))
        self._set_weights(W, b)
        self.objective_, self.n_iter_, self.converged_ = found.loss, found.n_iter, found.converged
        return self

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """C."""
        return {"C": C_GRID}

    def leaves_out_features(self) -> bool:
        """Whether the penalty makes weights exactly 0."""
        return self.penalty == "l1"

    def fit_codes(
        self,
        X: _core.Csr,
        codes: Codes,
        weights: FloatArray,
        scale: FloatArray | None = None,
    ) -> Self:
        """Fit to numbers of classes. With a scale (n_features x n_outputs), each machine k is
        trained on X * scale[:, k], and that is folded into its weights."""
        self._check_parameters()
        threads = thread_count(self.n_jobs)
        solver = self._solver(X, codes, float(self.C) * weights, scale, threads)
        n_outputs = len(self.classes_) if len(self.classes_) > 2 else 1
        size = solver.n_features if isinstance(solver, _core.L1Svm) else X.shape[0]
        rng = np.random.default_rng(self.random_state)
        # Short passes go several to a call, so that calling costs nothing beside them.
        at_once = int(np.clip(10**7 // ((X.n_values + X.shape[0]) * n_outputs), 1, 16))
        n_iter = 0
        while n_iter < self.max_iter and not solver.done:
            n_passes = min(at_once, self.max_iter - n_iter)
            orders = np.broadcast_to(np.arange(size, dtype=np.int32), (n_passes, size))
            # contiguous here: without memory for a copy, the core would only see a wrong type
            permuted = np.ascontiguousarray(rng.permuted(orders, axis=1))
            solver.run(permuted, float(self.tol), threads)
            n_iter += n_passes
            notify("fitting LinearSVM", n_iter, self.max_iter)
        self._set_weights(*solver.weights())
        return self._set_results(solver.results(threads))

    @property
    def learns_from_blocks(self) -> bool:  # type: ignore[override]
        """Whether it is one against the rest with an l2 penalty."""
        return (self.multi_class, self.penalty) == ("ovr", "l2")

    @property
    def learns_from_sums(self) -> bool:  # type: ignore[override]
        """The same with the squared hinge."""
        return self.learns_from_blocks and self.loss == "squared_hinge"

    def fit_blocks(self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Minimize the objective on rows in blocks, to the same duality gap."""
        codes = self._new_blocks(rows, y)
        weights = row_weights(rows, codes, self.classes_, sample_weight, self.class_weight)
        return self.fit_block_codes(rows, codes, weights)

    def fit_block_codes(
        self,
        rows: RowBlocks,
        codes: Codes,
        weights: FloatArray,
        scale: FloatArray | None = None,
    ) -> Self:
        """`fit_codes` on rows in blocks. A pass meets all blocks in random order, and the rows of
        each in random order."""
        self._check_parameters()
        if not self.learns_from_blocks:
            raise InputError(f"{self!r} needs all rows in memory: it cannot be trained on blocks")
        if rows.is_remote:
            return self._fit_remote(rows, codes, weights, scale)
        threads, tol = thread_count(self.n_jobs), float(self.tol)
        bias = float(self.intercept_scaling) if self.fit_intercept else 0.0
        machines = _core.SvmMachines(
            codes,
            float(self.C) * weights,
            len(self.classes_),
            rows.shape[1],
            squared=self.loss == "squared_hinge",
            bias=bias,
            lag=block_lag(rows),
            scale=scale,
        )
        of_one = scale[:, 0].copy() if scale is not None and len(self.classes_) == 2 else None

        packed = PackedBlocks(rows, bias, of_one, threads)
        n_rows = np.diff(rows.bounds)

        def measure() -> None:
            machines.start_measure()
            for first, block in packed.read(range(len(rows))):
                machines.measure(block, first, threads)
            machines.end_measure(tol)

        n_before, state, _ = rows.last_pass()
        for group, array in enumerate(state.values()):
            machines.set_state(group, array)  # type: ignore[arg-type]
        rng = np.random.default_rng(self.random_state)
        for n_iter in range(self.max_iter):
            blocks = rng.permutation(len(rows))
            orders = (rng.permutation(n_rows[block]).astype(np.int32) for block in blocks)
            if n_iter < n_before:
                deque(orders, maxlen=0)  # drawn before
                continue
            if machines.done:
                break
            machines.start_pass()
            for (first, block), order in zip(packed.read(blocks), orders, strict=True):
                machines.visit(block, first, order, threads)
            if machines.end_pass(tol):
                measure()
            groups = range(machines.n_groups)
            rows.keep_pass(n_iter + 1, ((f"group-{g}", machines.state(g)) for g in groups))
            notify("fitting LinearSVM", n_iter + 1, self.max_iter)
        else:
            measure()
        packed.close()
        self._set_weights(*machines.weights())
        return self._set_results(machines.results())

    def _fit_remote(
        self, rows: RowBlocks, codes: Codes, weights: FloatArray, scale: FloatArray | None
    ) -> Self:
        """Minimize by Newton's method, for which sums over the blocks are enough."""
        if not self.learns_from_sums:
            raise InputError(
                f"{self!r} needs all rows on one machine: loss='squared_hinge' doesn't"
            )
        n_outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
        factor = np.ones((rows.shape[1] + bool(self.fit_intercept), n_outputs))
        if scale is not None:
            factor[: rows.shape[1]] = scale
        if self.fit_intercept:
            factor[-1] = self.intercept_scaling
        F = BlockObjective(
            rows,
            codes,
            binary_squared_hinge,
            Penalty(l2=1.0),
            n_outputs=n_outputs,
            weight=float(self.C) * weights,
            intercept=bool(self.fit_intercept),
            factor=factor.ravel(),
        )
        # An eta of 0.1 takes half as many products again to come within 0.3 % (IMDB).
        found = newton(
            F, F.start(), tol=0.0, gap=self.tol, max_iter=self.max_iter, exact=False, eta=0.5
        )
        self._set_weights(*F.split(found.w))
        below = found.loss - found.gap
        return self._set_results([(found.loss, below, found.n_iter, found.converged)])

    def _set_results(self, results: list[tuple[float, float, int, bool]]) -> Self:
        """P and D, passes and whether done of every machine; a warning if one is not."""
        primal, dual, passes, done = zip(*results, strict=True)
        share = 0.5 if self._is_one_machine_for_two() else 1.0
        self.objective_, self.dual_objective_ = share * sum(primal), share * sum(dual)
        self.gap_ = self.objective_ - self.dual_objective_
        self.n_iter_, self.converged_ = max(passes), all(done)
        if not self.converged_:
            warnings.warn(
                f"LinearSVM stopped after max_iter={self.max_iter} passes with a duality gap of "
                f"{self.gap_:.3g} at objective {self.objective_:.6g}, expected at most tol="
                f"{self.tol:g} of it; raise max_iter or tol, or lower C",
                ConvergenceWarning,
                stacklevel=4,
            )
        return self

    def _solver(
        self,
        X: _core.Csr,
        codes: Codes,
        C: FloatArray,
        scale: FloatArray | None,
        threads: int,
    ) -> _Solver:
        n_classes = len(self.classes_)
        bias = float(self.intercept_scaling) if self.fit_intercept else 0.0
        margin, squared = np.ones(len(codes)), self.loss == "squared_hinge"
        if self._is_one_machine_for_two():
            cost = cost_matrix(self.cost, n_classes)
            C, margin, squared = 2 * C, cost[codes, 1 - codes], False
        rows = _core.LabeledRows(X, codes, C, n_classes)
        if self.penalty == "l1":
            return _core.L1Svm(rows, bias=bias)
        if self.multi_class == "crammer_singer" and n_classes > 2:
            cost = cost_matrix(self.cost, n_classes)
            return _core.CrammerSinger(rows, cost=cost, bias=bias, threads=threads)
        return _core.DualSvm(rows, margin, squared=squared, bias=bias, scale=scale, threads=threads)

    def _is_one_machine_for_two(self) -> bool:
        return self.multi_class == "crammer_singer" and len(self.classes_) == 2

    def _check_parameters(self) -> None:
        if len(self.classes_) < 2:
            raise InputError(
                f"y has one class only ({self.classes_[0]!r}): an SVM needs two classes at least"
            )
        for name, known in (
            ("loss", ("squared_hinge", "hinge")),
            ("multi_class", ("ovr", "crammer_singer")),
            ("penalty", ("l2", "l1")),
        ):
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name} is {getattr(self, name)!r}, expected {known[0]!r} or {known[1]!r}"
                )
        if self.penalty == "l1" and (self.loss, self.multi_class) != ("squared_hinge", "ovr"):
            raise InputError(
                f"penalty is 'l1' with loss {self.loss!r} and multi_class {self.multi_class!r}, "
                "expected 'squared_hinge' and 'ovr' beside it"
            )
        if self.cost is not None and self.multi_class != "crammer_singer":
            raise InputError(
                f"cost is given with multi_class {self.multi_class!r}, expected "
                "'crammer_singer' beside it"
            )
        for name in ("C", "intercept_scaling", "tol"):
            value = getattr(self, name)
            if not (isinstance(value, Real) and 0 < float(value) < float("inf")):
                raise InputError(f"{name} is {value!r}, expected a finite number above 0")
        if not (isinstance(self.max_iter, Integral) and int(self.max_iter) >= 1):
            raise InputError(f"max_iter is {self.max_iter!r}, expected a whole number from 1 up")
