"""The solvers of logistic regression: which one suits the rows, and how each is called."""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.types import FloatArray
from wordplane.learners.support.block_objective import BlockObjective
from wordplane.learners.support.logistic_dual import DualResult, dual_descent
from wordplane.learners.support.parameter_checks import check, check_choice, check_whole, is_real
from wordplane.learners.support.row_blocks import RowBlocks
from wordplane.learners.support.stochastic import stochastic_descent
from wordplane.optimize.conjugate_gradient import largest_eigenvalue
from wordplane.optimize.descent import STEPS, gradient_descent
from wordplane.optimize.lbfgs import lbfgs
from wordplane.optimize.losses import Loss
from wordplane.optimize.newton import newton
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.solution import Result
from wordplane.optimize.vectors import largest

DESCENTS: dict[str, Callable[..., Result]] = {
    "gd": gradient_descent,
    "lbfgs": lbfgs,
    "newton": newton,
}
STOCHASTIC = ("sgd", "minibatch", "adagrad")
SOLVERS = ("auto", "dual", *DESCENTS, *STOCHASTIC)
AUTO_PASSES = 50  # of the dual, before Newton's method takes over
SPARSE = 0.2  # the largest share of values at which the dual is faster


class LogisticTerms(NamedTuple):
    """What the objective is made of: the loss, whether it is that of all classes at once, the
    penalty, the number of weight vectors, whether they have biases, and C times the weights of
    rows."""

    softmax: bool
    loss: Loss
    penalty: Penalty
    n_outputs: int
    intercept: bool
    weight: FloatArray

    def on_rows(self, X: _core.Csr, codes: Codes, threads: int) -> LinearObjective:
        """The objective of rows in memory."""
        _, loss, penalty, n_outputs, intercept, weight = self
        return LinearObjective(
            X,
            codes,
            loss,
            penalty,
            n_outputs=n_outputs,
            weight=weight,
            intercept=intercept,
            threads=threads,
        )

    def on_blocks(self, rows: RowBlocks, codes: Codes) -> BlockObjective:
        """The objective of rows in blocks."""
        _, loss, penalty, n_outputs, intercept, weight = self
        return BlockObjective(
            rows, codes, loss, penalty, n_outputs=n_outputs, weight=weight, intercept=intercept
        )

    def gradient_tol(self, tol: float, start: FloatArray) -> float:
        """The largest component of the gradient to come to, given the first gradient. Where nothing
        is to be learned from the start, no more than rounding is asked for."""
        rounding = np.finfo(float).eps * float(self.weight.sum())
        return max(tol * largest(start), rounding)


class SolverOptions(NamedTuple):
    """The parameters of `LogisticRegression` that are about solvers."""

    solver: str
    penalty: str | None
    tol: float
    max_iter: int
    step: str
    eta0: float | None
    power_t: float
    batch_size: int
    random_state: int

    @classmethod
    def of(cls, learner: object) -> Self:
        """Those of a learner, checked."""
        options = cls(*(getattr(learner, name) for name in cls._fields))
        eta0, power = options.eta0, options.power_t
        check(learner, "tol", is_real(options.tol, 0), "a number from 0 up")
        check_whole(learner, "max_iter", "batch_size")
        is_step = eta0 is None or (is_real(eta0) and eta0 > 0)
        check(learner, "eta0", is_step, "a number above 0, or None")
        holds = is_real(power) and 0.5 < power <= 1
        check(learner, "power_t", holds, "more than 1/2 and at most 1")
        check_choice(learner, "solver", SOLVERS)
        check_choice(learner, "step", STEPS)
        return options

    @property
    def dual_passes(self) -> int:
        """The most passes of the dual."""
        return self.max_iter if self.solver == "dual" else min(self.max_iter, AUTO_PASSES)

    def needs_newton(self, result: Result) -> bool:
        """Whether Newton's method is to continue where the dual has stopped."""
        return not result.converged and self.solver == "auto" and self.max_iter > AUTO_PASSES


class Solution(NamedTuple):
    """What was found, by which solver, and the dual variables if that was the dual."""

    result: Result
    solver: str
    dual: DualResult | None


def choose_solver(options: SolverOptions, X: _core.Csr, penalty: Penalty) -> str:
    """The solver asked for, or the fastest for such rows."""
    smooth = penalty.l2 > 0 and penalty.l1 == 0
    if options.solver == "dual" and not smooth:
        raise InputError(f"solver 'dual' needs the penalty 'l2', not {options.penalty!r}")
    if options.solver == "newton" and penalty.l1 > 0:
        raise InputError(f"solver 'newton' cannot take the penalty {options.penalty!r}")
    if options.solver != "auto":
        return options.solver
    if not smooth:
        return "lbfgs"
    return "dual" if X.n_values < SPARSE * X.shape[0] * X.shape[1] else "newton"


def minimize(
    problem: LinearObjective,
    terms: LogisticTerms,
    options: SolverOptions,
    start: FloatArray | None = None,
    dual_start: DualResult | None = None,
) -> Solution:
    """Minimize, perhaps from the weights or the dual variables of another fit."""
    zero = problem.start()
    w = zero if start is None or start.shape != zero.shape else start
    solver = choose_solver(options, problem.X, terms.penalty)
    dual: DualResult | None = None
    if solver in STOCHASTIC:
        return Solution(_descend_stochastically(problem, terms, options), solver, None)
    if solver == "dual":
        dual = _descend_dual(problem, terms, options, dual_start)
        result = _at_dual(problem, dual)
        if not options.needs_newton(result):
            return Solution(result, solver, dual)
        solver = "newton"
    value, gradient = problem(zero)
    if dual is not None and result.loss < value:
        w = result.w  # the dual's last pass, unless worse than nothing
    steps = _step_options(problem, terms, options) if solver == "gd" else {}
    tol = terms.gradient_tol(options.tol, gradient)
    result = DESCENTS[solver](problem, w, tol=tol, max_iter=options.max_iter, **steps)
    return Solution(result, solver, dual)


def _descend_dual(
    problem: LinearObjective,
    terms: LogisticTerms,
    options: SolverOptions,
    start: DualResult | None,
) -> DualResult:
    """Dual coordinate descent on the objective divided by l2, which is 1 in its formulas."""
    C, y = problem.weight / problem.penalty.l2, problem.y.astype(np.int32, copy=False)
    return dual_descent(
        _core.LabeledRows(problem.X, y, C, max(terms.n_outputs, 2)),
        softmax=terms.softmax,
        fit_intercept=problem.intercept,
        penalize_intercept=problem.penalty.free == 0,
        tol=options.tol,
        max_iter=options.dual_passes,
        random_state=options.random_state,
        threads=problem.threads,
        start=start,
    )


def _at_dual(problem: LinearObjective, dual: DualResult) -> Result:
    """The objective at the weights of the dual."""
    w = problem.flat(dual.W, dual.b)
    value, gradient = problem.at_scores(w, dual.z)
    reason = "gap" if dual.converged else "max_iter"
    return Result(w, value, largest(gradient), dual.n_iter, reason)


def _descend_stochastically(
    problem: LinearObjective, terms: LogisticTerms, options: SolverOptions
) -> Result:
    return stochastic_descent(
        problem,
        softmax=terms.softmax,
        adaptive=options.solver == "adagrad",
        batch_size=options.batch_size if options.solver == "minibatch" else 1,
        eta0=options.eta0,
        power=options.power_t,
        tol=options.tol,
        max_iter=options.max_iter,
        random_state=options.random_state,
    )


def _step_options(
    problem: LinearObjective, terms: LogisticTerms, options: SolverOptions
) -> dict[str, str | float]:
    """How gradient descent steps; without a line search by 1 over the largest curvature."""
    first = 1.0 if options.eta0 is None else float(options.eta0)
    if options.eta0 is None and options.step != "armijo":
        # At zero weights a probability is 1/2 of two classes, where p (1 - p) is largest, but
        # 1/K of K: then any direction may be K / 2 times as curved elsewhere.
        w = problem.start()
        most = 1.1 * largest_eigenvalue(problem.hessian(w), len(w)) or 1.0
        first = 1 / (most * max(1.0, problem.n_outputs / 2 if terms.softmax else 1.0))
    return {"step": options.step, "eta0": first, "power": options.power_t}
