"""Dual coordinate descent for logistic regression on rows in blocks (see logistic_dual.py).

A pass meets the blocks in random order, and the rows of each in random order: block minimization,
with one pass over a block that is loaded. The dual variables of all rows are in memory.

Reference: Yu, Hsieh, Chang and Lin (2010), Large linear classification when data cannot fit in
memory.
"""

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np

from wordplane import _core
from wordplane.common.labels import Codes
from wordplane.common.progress import notify
from wordplane.common.types import IntArray
from wordplane.learners.support.block_objective import BlockObjective
from wordplane.learners.support.logistic_dual import row_gaps
from wordplane.learners.support.logistic_solvers import LogisticTerms, SolverOptions
from wordplane.optimize.newton import newton
from wordplane.optimize.result import Result
from wordplane.optimize.vectors import dot, largest


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
    tol, max_iter, n_classes = options.tol, options.dual_passes, max(terms.n_outputs, 2)
    rows, softmax, bias = objective.rows, terms.softmax, float(objective.intercept)
    C, is_free = terms.weight / terms.penalty.l2, terms.penalty.free > 0
    n_docs, n_features = rows.shape
    W, b = np.zeros((n_features, terms.n_outputs)), np.zeros(terms.n_outputs)
    A = np.zeros((n_docs, terms.n_outputs))
    if softmax:
        A[np.arange(n_docs), y] = 1.0
    pull = np.zeros(terms.n_outputs)  # sum of the dual variables, 0 at the optimum of a free bias

    def read(blocks: Sequence[int] | IntArray) -> Iterator[tuple[slice, _core.Csr]]:
        for block, X in rows.read(blocks):
            yield rows.part(block), X

    n_before, kept, facts = rows.last_pass()
    for name, array in (("A", A), ("W", W), ("b", b), ("pull", pull)):
        if n_before:
            array[:] = kept[name]
    before, done = facts.get("gap", 0.0), facts.get("done", False)
    rng = np.random.default_rng(options.random_state)
    sizes = np.diff(rows.bounds)
    for n_iter in range(1, max_iter + 1):
        blocks = rng.permutation(len(rows))
        orders = (rng.permutation(sizes[block]).astype(np.int32) for block in blocks)
        if n_iter <= n_before:
            deque(orders, maxlen=0)  # drawn before
        else:
            center = b.copy()
            b += pull
            sums = np.zeros((2, terms.n_outputs))
            for (part, X), order in zip(read(blocks), orders, strict=True):
                labeled = _core.LabeledRows(X, y[part], C[part], n_classes)
                dual = _core.LogisticDual(labeled, A[part], W, b, bias=bias, threads=threads)
                (dual.softmax_pass if softmax else dual.binary_pass)(order, sums, threads)
            loss, gap = sums.sum(axis=1).tolist()
            value = loss + 0.5 * dot(W.ravel(), W.ravel())
            if is_free:
                pull = b - center
            else:
                value += 0.5 * dot(b, b)
            expected = gap * min(2 * gap / before, 1.0) if before else gap
            before = gap
            if expected <= tol * value or n_iter == max_iter:
                exact = dot(np.abs(b), np.abs(pull))
                for part, X in read(range(len(rows))):
                    z = _core.linear_scores(X, W, b, threads)
                    exact += dot(C[part], row_gaps(z, A[part], y[part], softmax))
                done = bool(exact <= tol * value)
            state = {"A": A, "W": W, "b": b, "pull": pull}
            rows.keep_pass(n_iter, state.items(), {"gap": gap, "done": done})
            notify("dual coordinate descent", n_iter, max_iter)
        if done and n_iter >= n_before:
            break
    w = np.concatenate([W.ravel(), b]) if objective.intercept else W.ravel()
    value, gradient = objective(w)
    return Result(w, value, largest(gradient), n_iter, "gap" if done else "max_iter")
