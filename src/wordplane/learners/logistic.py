"""Logistic regression, also called maximum entropy classification.

    P(k | x) = softmax(x W + b)_k

    min over W, b of  C sum_i log(1 / P(y_i | x_i)) + R(W)

    R(W) = 1/2 ||W||^2                                              penalty="l2"
           ||W||_1                                                  penalty="l1"
           l1_ratio ||W||_1 + (1 - l1_ratio) / 2 ||W||^2            penalty="elasticnet"

At the l2 optimum  C sum_i x_ij (1(y_i = k) - P(k | x_i)) = W_jk : what the model expects of
a feature differs from what was seen by its weight / C alone.

Two classes have one weight vector, that of the second class, as in scikit-learn. A vector
for each of them (multi_class="softmax") has the same optimum as one vector with half the l2
penalty: W_1 = -W_0 = w / 2, so that ||W||^2 = ||w||^2 / 2.

"ovr" fits one class against the rest for every class. A softmax bias that is not penalized is
pinned by sum_k b_k = 0; without any penalty so is W.

References: Berger, Della Pietra and Della Pietra (1996), Computational Linguistics 22(1);
the solvers name theirs in `wordplane.optimize`, `logistic_dual.py` and `stochastic.py`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import (
    C_GRID,
    ClassWeight,
    LinearClassifier,
    Tables,
    log_softmax,
    probabilities,
)
from wordplane.learners.support.bounds import Bounds, check_bounds_fit, weights_within
from wordplane.learners.support.logistic_blocks import minimize_on_blocks
from wordplane.learners.support.logistic_dual import DualResult
from wordplane.learners.support.logistic_solvers import LogisticTerms, SolverOptions, minimize
from wordplane.learners.support.parameter_checks import (
    check,
    check_choice,
    check_flags,
    check_positive,
    check_share,
)
from wordplane.learners.support.row_blocks import RowBlocks, needs_memory
from wordplane.optimize.losses import binary_logistic, logistic
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.solution import Result


class LogisticRegression(LinearClassifier):
    """Logistic regression: linear scores whose softmax are probabilities.

    Parameters
    ----------
    C : float, default 1.0
        How much the losses count relative to the penalty, above 0.
    penalty : "l2", "l1", "elasticnet" or None, default "l2"
        What is asked of the weights; "l1" makes most of them zero.
    l1_ratio : float, default None
        The share of l1 in "elasticnet", from 0 to 1.
    average : bool, default False
        C multiplies the mean of the losses instead of their sum.
    fit_intercept : bool, default True
        Learn a bias for every class.
    penalize_intercept : bool, default False
        Penalize the bias like a weight.
    multi_class : "auto", "softmax" or "ovr", default "auto"
        All classes at once, or each against the rest. "auto" is "softmax", but two classes
        share one weight vector, as in scikit-learn.
    solver : str, default "auto"
        "dual" (dual coordinate descent), "lbfgs", "newton" and "gd" (gradient descent) come
        as near to the optimum as asked; "sgd", "minibatch" and "adagrad" are stochastic.
        "auto" takes "dual" for sparse input with an l2 penalty, and "newton" should that
        converge slowly; "newton" for dense input; "lbfgs" for the other penalties.
    tol : float, default 1e-4
        "dual" stops when the duality gap is at most tol times the objective; "lbfgs",
        "newton" and "gd" when no component of the gradient is above tol times its largest at
        zero weights; the stochastic ones when the objective changes by at most tol (relative)
        in an epoch.
    max_iter : int, default 1000
        Passes over the data or iterations at most.
    step : "armijo", "fixed" or "decay", default "armijo"
        The steps of "gd": halved until they descend enough, all eta0, or falling from eta0.
    eta0 : float, default None
        First step of the stochastic solvers and of "gd"; None takes one that suits the rows.
    power_t : float, default 1.0
        How fast the steps of "sgd", "minibatch" and "gd" fall, above 1/2 and at most 1.
    batch_size : int, default 8
        Rows per step of "minibatch".
    warm_start : bool, default False
        Start from the weights of the last `fit`, or "dual" from its dual variables, if their
        shape fits; of no use to the stochastic solvers.
    class_weight : None, "balanced" or mapping, default None
        How much the losses of each class count.
    random_state : int, default 0
        Seed of the order of the rows.

    Attributes
    ----------
    objective_, gradient_norm_
        What was minimized, at the weights found, and the largest component of its gradient there
        (with l1: of the shortest subgradient).
    solver_, n_iter_, converged_
        The solver that was used, its passes or iterations, and whether tol was reached.
    history_
        The objective at the start and after every iteration; empty for the solver "dual".

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 1, 1]]
    >>> model = LogisticRegression().fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 2]])
    array(['sport', 'law'], dtype='<U5')
    >>> model.predict_proba([[1, 0, 0]]).round(2)
    array([[0.3, 0.7]])
    """

    name = "logistic"
    grid = C_GRID
    text_defaults: Mapping[str, object] = {"C": 20.0}
    shuffles_rows = True
    _dual_start: DualResult | None = None

    def __init__(
        self,
        *,
        C: float = 1.0,
        penalty: str | None = "l2",
        l1_ratio: float | None = None,
        average: bool = False,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        multi_class: str = "auto",
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
        step: str = "armijo",
        eta0: float | None = None,
        power_t: float = 1.0,
        batch_size: int = 8,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.C = C
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.average = average
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.multi_class = multi_class
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.step = step
        self.eta0 = eta0
        self.power_t = power_t
        self.batch_size = batch_size
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def tables(self) -> Tables:
        """Scores, probabilities or dual variables of each row."""
        return Tables(weights=4, rows=3)

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Minimize the objective."""
        options = self._check_parameters()
        matrix, codes, weights = self._weighted_rows(X, y, sample_weight)
        terms = self._terms(codes, weights)
        problem = terms.on_rows(matrix, codes, thread_count(self.n_jobs))
        start = dual_start = None
        if self.warm_start and hasattr(self, "coef_"):
            start, dual_start = problem.flat(self.coef_.T, self.intercept_), self._dual_start
        result, self.solver_, dual = minimize(problem, terms, options, start, dual_start)
        if self.warm_start and dual is not None:
            self._dual_start = dual
        return self._set_model(result, *problem.split(result.w), terms)

    def certificate(self) -> str:
        """How far the solver came: the gap of the dual, or else the gradient."""
        by_gap = self.solver_ == "dual" and self.converged_
        gradient = f"where no component of the gradient is above {self.gradient_norm_:.2g}"
        how = f"at most {self.tol:g} of it too high" if by_gap else gradient
        return f"objective {self.objective_:.6g}, {how}"

    @property
    def learns_from_blocks(self) -> bool:
        """Whether the penalty is l2, for the dual and Newton's method."""
        return self.penalty == "l2" and self.solver in ("auto", "dual", "newton")

    @property
    def learns_from_sums(self) -> bool:
        """Whether it may be by Newton's method."""
        return self.learns_from_blocks and self.solver != "dual"

    def fit_blocks(self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Minimize the objective on rows in blocks: by passes of dual coordinate descent to the
        same gap, or by Newton's method, which needs sums over the blocks alone."""
        options = self._check_parameters()
        if not self.learns_from_blocks:
            raise needs_memory(self)
        codes, weights = self._weighted_blocks(rows, y, sample_weight)
        terms = self._terms(codes, weights)
        F, threads = terms.on_blocks(rows, codes), thread_count(self.n_jobs)
        result, self.solver_ = minimize_on_blocks(F, codes, terms, options, threads)
        return self._set_model(result, *F.split(result.w), terms)

    def can_fit_within(self) -> bool:
        """Whether the penalty is l2."""
        return self.penalty == "l2"

    def fit_within(
        self, X: MatrixLike, y: LabelsLike, bounds: Bounds, sample_weight: WeightsLike = None
    ) -> Self:
        """Minimize the objective over weights within bounds, for two classes."""
        matrix, codes, weights = self._weighted_rows(X, y, sample_weight)
        check_bounds_fit(self, self.can_fit_within())
        self.fit(X, y, sample_weight)
        terms = self._terms(codes, weights)
        problem = terms.on_rows(matrix, codes, thread_count(self.n_jobs))
        start = problem.flat(self.coef_.T, self.intercept_)
        W, b, result = weights_within(problem, bounds, start)
        self._set_model(replace(result, reason="gradient"), W, b, terms)  # it has warned already
        self.converged_ = result.converged
        return self

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """P(k | x) for every class; with "ovr" the binary ones, scaled to sum to 1."""
        z = self.decision_function(X)
        if z.ndim == 1 or self.multi_class != "ovr":
            return probabilities(z)
        # A floor keeps rows that every class rejects from 0 / 0.
        p = np.maximum(probabilities(z.ravel())[:, 1], np.finfo(float).tiny).reshape(z.shape)
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def predict_log_proba(self, X: MatrixLike) -> FloatArray:
        """log P(k | x) for every class."""
        z = self.decision_function(X)
        if z.ndim == 2 and self.multi_class == "ovr":
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(self.predict_proba(X)))
        return log_softmax(np.column_stack([np.zeros_like(z), z]) if z.ndim == 1 else z)

    def leaves_out_features(self) -> bool:
        """Whether the penalty makes weights exactly 0."""
        return self.penalty == "l1"

    def _terms(self, codes: Codes, weights: FloatArray) -> LogisticTerms:
        """What the objective is made of."""
        there = codes[weights > 0]
        if np.count_nonzero(np.bincount(there)) < 2:
            raise InputError(
                "logistic regression needs rows of at least 2 classes, and there is only one "
                f"class with a weight above zero: {self.classes_[there[0]]!r}"
            )
        n_classes = len(self.classes_)
        n_outputs = 1 if n_classes == 2 else n_classes
        softmax = n_classes > 2 and self.multi_class != "ovr"
        l1 = {"l1": 1.0, "elasticnet": self.l1_ratio or 0.0}.get(self.penalty or "", 0.0)
        l2 = 0.0 if self.penalty is None else 1.0 - l1
        if n_classes == 2 and self.multi_class == "softmax":
            l2 /= 2  # one vector stands for two
        free = n_outputs if self.fit_intercept and not self.penalize_intercept else 0
        penalty, loss = Penalty(l2=l2, l1=l1, free=free), logistic if softmax else binary_logistic
        C = self.C * (weights / weights.sum() if self.average else weights)
        return LogisticTerms(softmax, loss, penalty, n_outputs, self.fit_intercept, C)

    def _set_model(
        self, result: Result, W: FloatArray, b: FloatArray, terms: LogisticTerms
    ) -> Self:
        """Set the weights and how they were found; a warning if `tol` was not reached."""
        self.objective_, self.history_ = result.loss, result.history
        self.gradient_norm_, self.n_iter_ = result.gradient_norm, result.n_iter
        self.converged_ = result.converged
        result.warn_unless_converged(self.solver_, self.tol, 4)
        self._set_weights(W, b - b.mean() if terms.softmax and terms.penalty.free else b)
        return self

    def _check_parameters(self) -> SolverOptions:
        check_positive(self, "C")
        check_choice(self, "penalty", ("l2", "l1", "elasticnet", None))
        check_choice(self, "multi_class", ("auto", "softmax", "ovr"))
        check_flags(self, "average", "fit_intercept", "penalize_intercept", "warm_start")
        if self.penalty == "elasticnet":
            check_share(self, "l1_ratio")
        else:
            check(self, "l1_ratio", self.l1_ratio is None, "None unless penalty='elasticnet'")
        return SolverOptions.of(self)
