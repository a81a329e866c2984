"""A linear classifier over features of a thing and a class together.

    z_y(x) = w . f(x, y)            f(x, y) a {name: value} that the user computes

One vector w serves all classes. With f = x (x) e_y, the features of x named separately for every
class, it is the ordinary classifier, of which w holds the vectors of all classes one after another.

    perceptron   y' = the best class other than y if it scores >= z_y, else y;
                 w += f(x, y) - f(x, y');                       the mean of w over all steps
    mira         y' = argmax z;  w += min(C, loss / |d|^2) d,   d = f(x, y) - f(x, y'),
                 loss = 1 - w . d where y' != y;                the mean of w over all steps
    svm          1/2 |w|^2 + C sum_i max_y' (1(y' != y_i) + z_y'(x_i)) - z_{y_i}(x_i)
    maxent       1/2 |w|^2 + C sum_i -log softmax(z(x_i))_{y_i}

Weights of rows and classes multiply the steps of the first two and the losses (so C) of the others.
The first two take the rows in random orders, as `Perceptron` and `MIRA` do. The SVM is solved in
its dual, w = sum_iy alpha_iy (f(x_i, y_i) - f(x_i, y)), one row after another; the duality gap
says how near it is. Maximum entropy is minimized by L-BFGS.

References: Collins (2002), EMNLP. Tsochantaridis et al. (2005), JMLR 6. Berger et al. (1996).
"""

import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import ConvergenceWarning, InputError
from wordplane.common.estimator import Estimator
from wordplane.common.labels import Codes, as_labels, encode
from wordplane.common.matrix import take_rows
from wordplane.common.progress import notify
from wordplane.common.types import (
    FloatArray,
    LabelArray,
    LabelsLike,
    WeightsLike,
)
from wordplane.learners.support.base import ClassWeight, accuracy, probabilities, row_weights
from wordplane.learners.support.parameter_checks import (
    check,
    check_choice,
    check_not_negative,
    check_positive,
    check_whole,
)
from wordplane.optimize.joint_loss import JointFeatures, joint_loss, joint_rows
from wordplane.optimize.lbfgs import lbfgs
from wordplane.optimize.objective import Objective
from wordplane.optimize.penalties import Penalty

LEARNERS = ("perceptron", "mira", "svm", "maxent")
STILL = 1e-12  # below which a move of the dual is none


class JointLinearClassifier(Estimator):
    """A linear classifier of anything that has features together with a class.

    Parameters
    ----------
    feature_function : function
        f(x, y) -> {name: value} for a thing x and a class y.
    learner : "maxent", "svm", "perceptron" or "mira", default "maxent"
        How the weights are found.
    C : float, default 1.0
        How much losses count relative to the penalty; of "mira", the largest step.
    max_iter : int, default 1000
        The most epochs or iterations.
    tol : float, default 0.0001
        "svm": the duality gap as a share of the objective; "maxent": the largest component of
        the gradient.
    class_weight : "balanced" or mapping, default None
        The weight of each class; "balanced" makes all classes count alike.
    random_state : int, default 0
        The seed of the orders of the rows.

    Attributes
    ----------
    classes_
        The labels, sorted.
    feature_names_, coef_
        The features that the training rows have with any class, and their weights.
    n_iter_, converged_
        Epochs or iterations, and whether they ended before `max_iter`. "perceptron" and "mira"
        end with an epoch that changed nothing.
    objective_, gap_
        Of "svm" and "maxent" what was minimized; of "svm" how far it is from the least at most.

    Examples
    --------
    >>> def f(x, y):
    ...     return {f"{word} is {y}": 1.0 for word in x.split()} | {f"length is {y}": len(x) / 10}
    >>> texts, labels = ["good film", "a good one", "bad film", "a bad one"], ["+", "+", "-", "-"]
    >>> model = JointLinearClassifier(f).fit(texts, labels)
    >>> model.predict(["good", "bad bad"])
    array(['+', '-'], dtype='<U1')
    """

    classes_: LabelArray
    feature_names_: list[str]
    coef_: FloatArray
    n_iter_: int
    converged_: bool
    objective_: float
    gap_: float

    def __init__(
        self,
        feature_function: JointFeatures,
        *,
        learner: str = "maxent",
        C: float = 1.0,
        max_iter: int = 1000,
        tol: float = 1e-4,
        class_weight: ClassWeight = None,
        random_state: int = 0,
    ) -> None:
        self.feature_function = feature_function
        self.learner = learner
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X: Sequence[object], y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Learn from things and their classes."""
        self._check_parameters()
        labels = as_labels(y)
        if len(X) != len(labels):
            raise InputError(f"{len(X)} rows and {len(labels)} labels: one each is needed")
        self.classes_, codes = encode(labels)
        if len(self.classes_) < 2:
            raise InputError(f"the labels have {len(self.classes_)} class, at least two are needed")
        matrix, self.feature_names_ = joint_rows(self.feature_function, X, self.classes_.tolist())
        things = take_rows(matrix, np.arange(0, matrix.shape[0], len(self.classes_)))
        weights = row_weights(things, codes, self.classes_, sample_weight, self.class_weight)
        for name in ("objective_", "gap_"):
            self.__dict__.pop(name, None)
        if self.learner == "maxent":
            self._minimize(matrix, codes, weights)
        else:
            rows = _Rows.of(matrix, len(self.classes_), weights.tolist())
            self._epochs(rows, codes, {"svm": self._svm}.get(self.learner, self._online))
        if not self.converged_ and self.learner in ("svm", "maxent"):
            warnings.warn(
                f"{self.learner} stopped after max_iter={self.max_iter} iterations before it "
                f"reached tol={self.tol}: objective {self.objective_:.6g}; raise `max_iter` or "
                "`tol`",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Sequence[object]) -> FloatArray:
        """The score of every class, a column each."""
        self._check_fitted()
        classes = self.classes_.tolist()
        matrix, _ = joint_rows(self.feature_function, X, classes, self.feature_names_)
        z = _core.linear_scores(matrix, self.coef_[:, None], np.zeros(1), 1)
        return z.reshape(len(X), len(classes))

    def predict(self, X: Sequence[object]) -> LabelArray:
        """The class with the largest score, the first of them if several have it."""
        z = self.decision_function(X)
        return np.asarray(self.classes_[z.argmax(axis=1)])

    def predict_proba(self, X: Sequence[object]) -> FloatArray:
        """The softmax of the scores: of "maxent", the probability of every class."""
        return probabilities(self.decision_function(X))

    def score(self, X: Sequence[object], y: LabelsLike, sample_weight: WeightsLike = None) -> float:
        """The share of rows (by weight) that are predicted right."""
        return accuracy(self.predict(X), y, sample_weight)

    def _minimize(self, matrix: _core.Csr, codes: Codes, weights: FloatArray) -> None:
        loss = joint_loss(matrix, codes, len(self.classes_), weights)
        result = lbfgs(
            Objective(loss, Penalty(l2=1 / self.C)),
            np.zeros(matrix.shape[1]),
            tol=self.tol / self.C,
            max_iter=self.max_iter,
        )
        self.coef_, self.objective_ = result.w, self.C * result.loss
        self.n_iter_, self.converged_ = result.n_iter, result.converged

    def _epochs(self, rows: "_Rows", codes: Codes, learn: "_Epoch") -> None:
        """Epochs in random order, until one says that it is done."""
        rng = np.random.default_rng(self.random_state)
        state = _State(np.zeros(rows.n_features), np.zeros(rows.n_features), 0, {})
        self.converged_ = False
        for epoch in range(1, int(self.max_iter) + 1):
            order = rng.permutation(np.flatnonzero(rows.weights).astype(np.int32))
            state, self.converged_ = learn(rows, codes, order, state)
            self.n_iter_ = epoch
            notify("training", epoch, int(self.max_iter))
            if self.converged_:
                break
        self.coef_ = state.w - state.u / state.step if state.step else state.w

    def _online(
        self, rows: "_Rows", codes: Codes, order: NDArray[np.int32], state: "_State"
    ) -> tuple["_State", bool]:
        """An epoch of the perceptron or of MIRA; u = sum of step * update, for the mean."""
        w, u, step, alpha = state
        still = True
        for i in order.tolist():
            z, y = rows.scores(i, w), int(codes[i])
            if self.learner == "perceptron":
                z[y], own = -np.inf, z[y]
                guess = int(z.argmax()) if z.max() >= own else y
                z[y] = own
            else:
                guess = int(z.argmax())
            d = rows.difference(i, y, guess)
            square = sum(value * value for value in d.values())
            if guess != y and square > 0:
                loss = 1 + z[guess] - z[y]
                tau = 1.0 if self.learner == "perceptron" else min(self.C, loss / square)
                tau *= rows.weights[i]
                still = False
                for j, value in d.items():
                    w[j] += tau * value
                    u[j] += step * (tau * value)
            step += 1
        return _State(w, u, step, alpha), still

    def _svm(
        self, rows: "_Rows", codes: Codes, order: NDArray[np.int32], state: "_State"
    ) -> tuple["_State", bool]:
        """An epoch of the dual: each row moves alpha from the worst class that has some to the
        best. What is left of C is the share of y itself, whose difference is 0."""
        w, u, step, alpha = state
        for i in order.tolist():
            y = int(codes[i])
            most = self.C * rows.weights[i]
            own = alpha.setdefault(i, most * (np.arange(len(self.classes_)) == y))
            gain = rows.scores(i, w) + (np.arange(len(own)) != y)
            to = int(gain.argmax())
            out = int(np.where(own > 0, gain, np.inf).argmin())
            d = rows.difference(i, out, to)  # = d_to - d_out, d_y' = f(x, y) - f(x, y')
            square = sum(value * value for value in d.values())
            if gain[to] - gain[out] <= STILL or square == 0:
                continue
            tau = min(float(own[out]), (gain[to] - gain[out]) / square)
            own[to] += tau
            own[out] -= tau
            for j, value in d.items():
                w[j] += tau * value
        n_classes = np.arange(len(self.classes_))
        hinges, shares = 0.0, 0.0
        for i, own in alpha.items():
            z, y = rows.scores(i, w), int(codes[i])
            hinges += rows.weights[i] * float((z + (n_classes != y)).max() - z[y])
            shares += float(own.sum() - own[y])
        self.objective_ = float(w @ w) / 2 + self.C * hinges
        self.gap_ = self.objective_ - (shares - float(w @ w) / 2)
        return _State(w, u, step, alpha), self.gap_ <= self.tol * self.objective_

    def _check_parameters(self) -> None:
        check(self, "feature_function", callable(self.feature_function), "a function f(x, y)")
        check_choice(self, "learner", LEARNERS)
        check_positive(self, "C")
        check_not_negative(self, "tol")
        check_whole(self, "max_iter")


class _State(NamedTuple):
    """Weights, the sum that makes their mean, the steps of it, and the dual of every row."""

    w: FloatArray
    u: FloatArray
    step: int
    alpha: dict[int, FloatArray]


# What one epoch over the rows, in this order, makes of a state, and whether it was the last.
_Epoch: TypeAlias = "Callable[[_Rows, Codes, NDArray[np.int32], _State], tuple[_State, bool]]"


class _Rows(NamedTuple):
    """f(x_i, y) for every row i and class y, and the weights of the rows."""

    features: list[list[dict[int, float]]]
    n_features: int
    weights: list[float]

    @classmethod
    def of(cls, matrix: _core.Csr, n_classes: int, weights: list[float]) -> "_Rows":
        indptr, indices, values = (part.tolist() for part in matrix.arrays())
        rows = [
            dict(zip(indices[begin:end], values[begin:end], strict=True))
            for begin, end in pairwise(indptr)
        ]
        grouped = [rows[i : i + n_classes] for i in range(0, len(rows), n_classes)]
        return cls(grouped, matrix.shape[1], weights)

    def scores(self, i: int, w: FloatArray) -> FloatArray:
        return np.array([sum(w[j] * x for j, x in f.items()) for f in self.features[i]])

    def difference(self, i: int, first: int, second: int) -> dict[int, float]:
        """f(x_i, first) - f(x_i, second)."""
        d = dict(self.features[i][first])
        for j, x in self.features[i][second].items():
            d[j] = d.get(j, 0.0) - x
        return d
