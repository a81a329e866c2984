"""Dual coordinate descent for logistic regression on rows in blocks (see logistic_dual.py).

A pass meets the blocks in random order, and the rows of each in random order: block minimization,
with one pass over a block that is loaded. The dual variables of all rows are in memory.

Reference: Yu, Hsieh, Chang and Lin (2010), Large linear classification when data cannot fit in
memory.
"""

from collections import deque
from collections.abc import Iterable
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.labels import Codes
from wordplane.common.progress import notify
from wordplane.common.types import IntArray
from wordplane.learners.support.block_objective import BlockObjective
from wordplane.learners.support.logistic_dual import CertifiedRows, DualState, largest_square
from wordplane.learners.support.logistic_solvers import LogisticTerms, SolverOptions
from wordplane.optimize.newton import newton
from wordplane.optimize.solution import Result
from wordplane.optimize.vectors import Floats, largest

Order: TypeAlias = NDArray[np.int32]


def minimize_on_blocks(
    F: BlockObjective, y: Codes, terms: LogisticTerms, options: SolverOptions, threads: int
) -> tuple[Result, str]:
    """By the dual, and where that does not come to an end, or only sums can be had, by Newton's
    method; says which was last."""
    w = start = F.start()
    if not F.rows.is_remote and options.solver != "newton":
        result = block_dual_descent(F, y, terms, options, threads)
        if not options.needs_newton(result):
            return result, "dual"
        w = result.w
    tol = terms.gradient_tol(options.tol, F(start)[1])
    return newton(F, w, tol=tol, max_iter=options.max_iter, exact=False), "newton"


def block_dual_descent(
    objective: BlockObjective,
    y: Codes,
    terms: LogisticTerms,
    options: SolverOptions,
    threads: int,
) -> Result:
    """`dual_descent` over the rows of the objective: that divided by l2, which is 1 there."""
    rows, softmax, bias = objective.rows, terms.softmax, float(objective.intercept)
    C, n_classes = terms.weight / terms.penalty.l2, max(terms.n_outputs, 2)
    penalized = terms.penalty.free == 0
    state = DualState.at_zero(y, rows.shape[1], terms.n_outputs, softmax, penalized)
    n_before, kept, facts = rows.last_pass(state.arrays().items(), {"gap": float, "done": bool})
    for name, array in kept.items():
        getattr(state, name)[:] = array
    state.gap, done = facts.get("gap", 0.0), facts.get("done", False)

    def visit(blocks: IntArray, orders: Iterable[Order], sums: Floats) -> None:
        for (block, X), order in zip(rows.read(blocks), orders, strict=True):
            part, A, W, b = rows.part(block), state.A, state.W, state.b
            labeled = _core.LabeledRows(X, y[part], C[part], n_classes)
            dual = _core.LogisticDual(labeled, A[part], W, b, bias=bias, threads=threads)
            (dual.softmax_pass if softmax else dual.binary_pass)(order, sums, threads)

    def add_gradient(U: Floats, out: Floats) -> None:
        for block, X in rows.read(range(len(rows))):
            _core.linear_gradient(X, U[rows.part(block)], out, threads)

    rng = np.random.default_rng(options.random_state)
    sizes = np.diff(rows.bounds)
    for n_iter in range(1, options.dual_passes + 1):
        blocks = rng.permutation(len(rows))
        orders = (rng.permutation(sizes[block]).astype(np.int32) for block in blocks)
        if n_iter <= n_before:
            deque(orders, maxlen=0)  # drawn before
        else:
            value, expected = state.run_pass(partial(visit, blocks, orders))
            if expected <= options.tol * value or n_iter == options.dual_passes:
                z, largest_norm = np.empty_like(state.A), 0.0
                for block, X in rows.read(range(len(rows))):
                    z[rows.part(block)] = _core.linear_scores(X, state.W, state.b, threads)
                    largest_norm = max(largest_norm, largest_square(X, threads))
                certified = CertifiedRows(y, C, softmax, largest_norm, add_gradient)
                value, gap = state.certify(z, certified, options.tol)
                done = bool(gap <= options.tol * value)
            rows.keep_pass(n_iter, state.arrays().items(), {"gap": state.gap, "done": done})
            notify("dual coordinate descent", n_iter, 0)
        if done and n_iter >= n_before:
            break
    W, b = state.W, state.b
    w = np.concatenate([W.ravel(), b]) if objective.intercept else W.ravel()
    value, gradient = objective(w)
    return Result(w, value, largest(gradient), n_iter, "gap" if done else "max_iter")
