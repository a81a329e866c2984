"""The linear SVM on rows in blocks: dual coordinate descent, or Newton's method where only sums
over the blocks can be had (see svm.py for the objective).

A pass meets all blocks in random order, and the rows of each in random order: block minimization,
with one pass over a block that is loaded. The dual variables of all rows are in memory.

References: Yu, Hsieh, Chang and Lin (2010), Large linear classification when data cannot fit in
memory; Zhuang, Chin, Juan and Lin (2015), Distributed Newton method for regularized logistic
regression.
"""

from collections import deque
from typing import NamedTuple, TypeAlias

import numpy as np

from wordplane import _core
from wordplane.common.labels import Codes
from wordplane.common.progress import notify
from wordplane.common.types import FloatArray
from wordplane.learners.support.block_objective import BlockObjective
from wordplane.learners.support.packed_blocks import PackedBlocks, block_lag
from wordplane.learners.support.row_blocks import RowBlocks
from wordplane.optimize.losses import binary_squared_hinge
from wordplane.optimize.newton import newton
from wordplane.optimize.penalties import Penalty

# P, D, the number of passes and whether the gap was reached, of every machine.
Certificates: TypeAlias = list[tuple[float, float, int, bool]]


class SvmProblem(NamedTuple):
    """One machine per class against the rest, with an l2 penalty.

    C      of every row
    bias   the value of the constant feature whose weight is the bias; 0 if there is none
    scale  what multiplies the columns (n_features x n_outputs) in each machine
    """

    codes: Codes
    C: FloatArray
    n_classes: int
    squared: bool
    bias: float
    scale: FloatArray | None
    tol: float
    max_iter: int


def minimize_on_blocks(
    problem: SvmProblem, rows: RowBlocks, random_state: int, threads: int
) -> tuple[FloatArray, FloatArray, Certificates]:
    """W, b and how good they are; rows on other machines need the squared hinge."""
    if rows.is_remote:
        return _minimize_by_sums(problem, rows)
    return _descend_on_dual(problem, rows, random_state, threads)


def _descend_on_dual(
    problem: SvmProblem, rows: RowBlocks, random_state: int, threads: int
) -> tuple[FloatArray, FloatArray, Certificates]:
    codes, C, n_classes, squared, bias, scale, tol, max_iter = problem
    machines = _core.SvmMachines(
        codes,
        C,
        n_classes,
        rows.shape[1],
        squared=squared,
        bias=bias,
        lag=block_lag(rows),
        scale=scale,
    )
    of_one = scale[:, 0].copy() if scale is not None and n_classes == 2 else None
    packed = PackedBlocks(rows, bias, of_one, threads)
    n_rows = np.diff(rows.bounds)

    def measure() -> None:
        machines.start_measure()
        for first, block in packed.read(range(len(rows))):
            machines.measure(block, first, threads)
        machines.end_measure(tol)

    groups = range(machines.n_groups)
    n_before, state, _ = rows.last_pass(((f"group-{g}", machines.state(g)) for g in groups), {})
    for group, array in zip(groups, state.values(), strict=False):
        machines.set_state(group, array)  # type: ignore[arg-type]
    rng = np.random.default_rng(random_state)
    for n_iter in range(max_iter):
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
        rows.keep_pass(n_iter + 1, ((f"group-{g}", machines.state(g)) for g in groups))
        notify("fitting LinearSVM", n_iter + 1, 0)
    else:
        measure()
    packed.close()
    return *machines.weights(), machines.results()


def _minimize_by_sums(
    problem: SvmProblem, rows: RowBlocks
) -> tuple[FloatArray, FloatArray, Certificates]:
    """Newton's method on the squared hinge."""
    n_outputs = 1 if problem.n_classes == 2 else problem.n_classes
    factor = np.ones((rows.shape[1] + (problem.bias > 0), n_outputs))
    if problem.scale is not None:
        factor[: rows.shape[1]] = problem.scale
    if problem.bias > 0:
        factor[-1] = problem.bias
    F = BlockObjective(
        rows,
        problem.codes,
        binary_squared_hinge,
        Penalty(l2=1.0),
        n_outputs=n_outputs,
        weight=problem.C,
        intercept=problem.bias > 0,
        factor=factor.ravel(),
    )
    # An eta of 0.1 takes half as many products again to come within 0.3 % (IMDB).
    result = newton(
        F, F.start(), tol=0.0, gap=problem.tol, max_iter=problem.max_iter, exact=False, eta=0.5
    )
    below = result.loss - result.gap
    return *F.split(result.w), [(result.loss, below, result.n_iter, result.converged)]
