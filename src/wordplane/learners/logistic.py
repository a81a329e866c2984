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

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.labels import Codes
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray, LabelsLike, MatrixLike, WeightsLike
from wordplane.learners.support.base import (
    ClassWeight,
    LinearClassifier,
    probabilities,
    row_weights,
)
from wordplane.learners.support.block_objective import BlockObjective
from wordplane.learners.support.bounds import weights_within
from wordplane.learners.support.grids import C_GRID
from wordplane.learners.support.logistic_blocks import minimize_on_blocks
from wordplane.learners.support.logistic_checks import check_logistic
from wordplane.learners.support.logistic_dual import dual_descent
from wordplane.learners.support.logistic_terms import (
    LogisticTerms,
    dual_passes,
    is_to_be_helped,
    step_options,
)
from wordplane.learners.support.row_blocks import RowBlocks
from wordplane.learners.support.stochastic import stochastic_descent
from wordplane.optimize.descent import STEPS, gradient_descent
from wordplane.optimize.lbfgs import lbfgs
from wordplane.optimize.losses import binary_logistic, logistic
from wordplane.optimize.newton import newton
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.penalties import Penalty
from wordplane.optimize.result import Result
from wordplane.optimize.vectors import largest

PENALTIES = ("l2", "l1", "elasticnet", None)
MULTI_CLASS = ("auto", "softmax", "ovr")
DESCENTS: dict[str, Callable[..., Result]] = {
    "gd": gradient_descent,
    "lbfgs": lbfgs,
    "newton": newton,
}
STOCHASTIC = ("sgd", "minibatch", "adagrad")
SOLVERS = ("auto", "dual", *DESCENTS, *STOCHASTIC)


class LogisticRegression(LinearClassifier):
    """Logistic regression: linear scores whose softmax are probabilities.

    Parameters
    ----------
    C : float, default 1.0
        How much the losses count beside the penalty, above 0.
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
    n_jobs : int, default None
        Threads to use; None and -1 mean all.
    random_state : int, default 0
        Seed of the order of the rows.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model; `coef_` has one row if there are two classes.
    objective_ : float
        What was minimized, at the weights found.
    gradient_norm_ : float
        The largest component of its gradient there (with l1: of the shortest subgradient).
    solver_ : str
        The solver that was used.
    n_iter_ : int
        Passes or iterations made.
    converged_ : bool
        Whether tol was reached.
    history_ : list of float
        The objective at the start and after every iteration; empty for the solver "dual".
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.

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
    text_defaults: Mapping[str, object] = {"C": 20.0}
    starts_warm = True
    shuffles_rows = True

    objective_: float
    gradient_norm_: float
    solver_: str
    n_iter_: int
    converged_: bool
    history_: list[float]

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

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Minimize the objective."""
        problem, terms = self._problem(X, y, sample_weight)
        self.solver_ = self._choose(problem.X, terms.penalty)
        found = self._minimize(problem, terms)
        return self._set_result(found, *problem.split(found.w), terms)

    def fit_within(
        self,
        X: MatrixLike,
        y: LabelsLike,
        lower: FloatArray,
        upper: FloatArray,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Minimize the objective over weights within bounds, for two classes."""
        problem, terms = self._problem(X, y, sample_weight)
        if terms.n_outputs > 1 or not self.can_fit_within():
            return super().fit_within(X, y, lower, upper)
        self.fit(problem.X, y, sample_weight)
        start = problem.flat(self.coef_.T, self.intercept_)
        W, b, found = weights_within(problem, lower, upper, start)
        self._set_result(replace(found, reason="gradient"), W, b, terms)  # it has warned already
        self.converged_ = found.converged
        return self

    def can_fit_within(self) -> bool:
        """Whether the penalty is l2."""
        return self.penalty == "l2"

    def certificate(self) -> str:
        """How far the solver came: the gap of the dual, or else the gradient."""
        by_gap = self.solver_ == "dual" and self.converged_
        gradient = f"where no component of the gradient is above {self.gradient_norm_:.2g}"
        how = f"at most {self.tol:g} of it too high" if by_gap else gradient
        return f"objective {self.objective_:.6g}, {how}"

    def _problem(
        self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike
    ) -> tuple[LinearObjective, LogisticTerms]:
        """What to minimize."""
        self._check_parameters()
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        weight = row_weights(matrix, codes, self.classes_, sample_weight, self.class_weight)
        self._check_classes(codes, weight)
        terms = self._terms(weight)
        problem = LinearObjective(
            matrix,
            codes,
            terms.loss,
            terms.penalty,
            n_outputs=terms.n_outputs,
            weight=terms.weight,
            intercept=self.fit_intercept,
            threads=thread_count(self.n_jobs),
        )
        return problem, terms

    @property
    def learns_from_blocks(self) -> bool:  # type: ignore[override]
        """Whether the penalty is l2, for the dual and Newton's method."""
        return self.penalty == "l2" and self.solver in ("auto", "dual", "newton")

    @property
    def learns_from_sums(self) -> bool:  # type: ignore[override]
        """Whether it may be by Newton's method."""
        return self.learns_from_blocks and self.solver != "dual"

    def fit_blocks(self, rows: RowBlocks, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Minimize the objective on rows in blocks: by passes of dual coordinate descent to the
        same gap, or by Newton's method, which needs sums over the blocks alone."""
        self._check_parameters()
        if not self.learns_from_blocks:
            return super().fit_blocks(rows, y, sample_weight)
        codes = self._new_blocks(rows, y)
        weight = row_weights(rows, codes, self.classes_, sample_weight, self.class_weight)
        self._check_classes(codes, weight)
        terms = self._terms(weight)
        F = BlockObjective(
            rows,
            codes,
            terms.loss,
            terms.penalty,
            n_outputs=terms.n_outputs,
            weight=terms.weight,
            intercept=self.fit_intercept,
        )
        found, self.solver_ = minimize_on_blocks(
            F,
            codes,
            terms,
            n_classes=len(self.classes_),
            solver=self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            random_state=self.random_state,
            threads=thread_count(self.n_jobs),
        )
        return self._set_result(found, *F.split(found.w), terms)

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
        self._check_fitted()
        if self.multi_class == "ovr" and len(self.classes_) > 2:
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(self.predict_proba(X)))
        z = self.decision_function(X)
        if z.ndim == 1:
            z = np.column_stack([np.zeros_like(z), z])
        z = z - z.max(axis=1, keepdims=True)
        return np.asarray(z - np.log(np.exp(z).sum(axis=1, keepdims=True)))

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """C."""
        return {"C": C_GRID}

    def leaves_out_features(self) -> bool:
        """Whether the penalty makes weights exactly 0."""
        return self.penalty == "l1"

    def _terms(self, weight: FloatArray) -> LogisticTerms:
        """What the objective is made of."""
        n_classes = len(self.classes_)
        n_outputs = 1 if n_classes == 2 else n_classes
        softmax = n_classes > 2 and self.multi_class != "ovr"
        ratio = {"l2": 0.0, "l1": 1.0, None: 0.0}.get(self.penalty, self.l1_ratio)
        assert ratio is not None
        l2 = 0.0 if self.penalty is None else 1.0 - ratio
        if n_classes == 2 and self.multi_class == "softmax":
            l2 /= 2  # one vector stands for two
        free = n_outputs if self.fit_intercept and not self.penalize_intercept else 0
        return LogisticTerms(
            softmax,
            logistic if softmax else binary_logistic,
            Penalty(l2=l2, l1=ratio, free=free),
            n_outputs,
            self.C * (weight / weight.sum() if self.average else weight),
        )

    def _check_classes(self, codes: Codes, weight: FloatArray) -> None:
        if np.count_nonzero(np.bincount(codes[weight > 0])) < 2:
            raise InputError(
                "logistic regression needs rows of at least 2 classes, and there is only one "
                f"class with a weight above zero: {self.classes_[codes[weight > 0][0]]!r}"
            )

    def _choose(self, X: _core.Csr, penalty: Penalty) -> str:
        smooth = penalty.l2 > 0 and penalty.l1 == 0
        if self.solver == "dual" and not smooth:
            raise InputError(f"solver 'dual' needs the penalty 'l2', not {self.penalty!r}")
        if self.solver == "newton" and penalty.l1 > 0:
            raise InputError(f"solver 'newton' cannot take the penalty {self.penalty!r}")
        if self.solver != "auto":
            return self.solver
        if not smooth:
            return "lbfgs"
        n_docs, n_features = X.shape
        return "dual" if X.n_values < 0.2 * n_docs * n_features else "newton"

    def _minimize(self, problem: LinearObjective, terms: LogisticTerms) -> Result:
        softmax = terms.softmax
        start = w = problem.start()
        if self.warm_start and hasattr(self, "coef_"):
            known = problem.flat(self.coef_.T, self.intercept_)
            w = known if known.shape == w.shape else w
        found: Result | None = None
        if self.solver_ == "dual":
            found = self._dual(problem, softmax)
            if is_to_be_helped(found, self.solver, self.max_iter):
                self.solver_ = "newton"
        if self.solver_ in STOCHASTIC:
            found = stochastic_descent(
                problem,
                softmax=softmax,
                adaptive=self.solver_ == "adagrad",
                batch_size=self.batch_size if self.solver_ == "minibatch" else 1,
                eta0=self.eta0,
                power=self.power_t,
                tol=self.tol,
                max_iter=self.max_iter,
                random_state=self.random_state,
            )
        elif self.solver_ in DESCENTS:
            value, gradient = problem(start)
            if found is not None and found.loss < value:
                w = found.w  # the dual's last pass, unless worse than nothing
            tol = terms.gradient_tol(self.tol, gradient)
            options = {}
            if self.solver_ == "gd":
                options = step_options(problem, softmax, self.step, self.eta0, self.power_t)
            found = DESCENTS[self.solver_](problem, w, tol=tol, max_iter=self.max_iter, **options)
        assert found is not None
        return found

    def _set_result(
        self, found: Result, W: FloatArray, b: FloatArray, terms: LogisticTerms
    ) -> Self:
        """Set the weights and how they were found; a warning if `tol` was not reached."""
        self.objective_, self.gradient_norm_ = found.loss, found.gradient_norm
        self.n_iter_, self.converged_ = found.n_iter, found.converged
        self.history_ = found.history
        if not found.converged:
            warnings.warn(
                f"{self.solver_} stopped ({found.reason}) after {found.n_iter} iterations before "
                f"it reached tol={self.tol}: objective {found.loss:.6g}, largest component of the "
                f"gradient {found.gradient_norm:.3g}; raise max_iter or tol, or scale the features",
                ConvergenceWarning,
                stacklevel=3,
            )
        self._set_weights(W, b - b.mean() if terms.softmax and terms.penalty.free else b)
        return self

    def _dual(self, problem: LinearObjective, softmax: bool) -> Result:
        """Dual coordinate descent on the objective divided by l2, which is 1 in its formulas."""
        C = problem.weight / problem.penalty.l2
        dual = dual_descent(
            _core.LabeledRows(
                problem.X, problem.y.astype(np.int32, copy=False), C, len(self.classes_)
            ),
            softmax=softmax,
            fit_intercept=problem.intercept,
            penalize_intercept=problem.penalty.free == 0,
            tol=self.tol,
            max_iter=dual_passes(self.solver, self.max_iter),
            random_state=self.random_state,
            threads=problem.threads,
            start=getattr(self, "_dual_start", None) if self.warm_start else None,
        )
        if self.warm_start:
            self._dual_start = dual
        w = problem.flat(dual.W, dual.b)
        value, gradient = problem.at_scores(w, dual.z)
        reason = "gap" if dual.converged else "max_iter"
        return Result(w, value, largest(gradient), dual.n_iter, reason)

    def _check_parameters(self) -> None:
        choices = {"penalty": PENALTIES, "multi_class": MULTI_CLASS, "solver": SOLVERS}
        check_logistic(self.get_params(), {**choices, "step": STEPS})
