"""Online logistic regression: stochastic steps whose size is each weight's own (AdaGrad).

    w = 0, G = 0
    max_iter times, over the documents in random order:
        p = softmax(W x + b)                     (two classes: p = sigmoid(w . x + b) of class 1)
        g = (p_k - [k = y]) x_j                  for every weight of a word of x, and class k
        G += g^2
        h = eta0 / (eps + sqrt(G))
        v = w - h g
        w = sign(v) max(|v| - h l1, 0) / (1 + h l2)

    l1 = alpha l1_ratio,   l2 = alpha (1 - l1_ratio)

A weight that has moved often takes small steps, one of a rare word large ones. The penalty, which
all weights have at all steps, is made up for when a word is met again. `partial_fit` takes one pass
over new rows and resumes where it was: the model of a stream. The loss of a row before it is
learned from is an honest measure on the first pass (progressive validation): `losses_`.

References: Duchi, Hazan and Singer (2011), JMLR 12; Duchi and Singer (2009), JMLR 10; Blum, Kalai
and Langford (1999), COLT, on progressive validation.
"""

from collections.abc import Mapping

import numpy as np

from wordplane import _core
from wordplane.common.types import FloatArray, MatrixLike
from wordplane.learners.support.base import ClassWeight, probabilities
from wordplane.learners.support.online import OnlineClassifier, Order
from wordplane.learners.support.parameter_checks import (
    check_not_negative,
    check_positive,
    check_share,
)

EPS = 1e-10


class OnlineLogistic(OnlineClassifier):
    """Logistic regression by one step per document.

    Parameters
    ----------
    eta0 : float, default 0.3
        The size of the first step of every weight.
    alpha : float, default 0
        The penalty on the weights.
    l1_ratio : float, default 0
        The share of the penalty that is on |w| (and makes weights 0), not on w^2 / 2.
    fit_intercept : bool, default True
        Whether there is a bias, which is not penalized.
    class_weight : None, "balanced" or mapping, default None
        What multiplies the loss of documents of each class.
    n_jobs : int, default None
        Threads for prediction; None and -1 mean all. Steps are taken one after the other.

    Attributes
    ----------
    n_iter_
        The number of epochs.
    losses_
        Of each epoch, the mean loss of the documents when they were met. In the first, no document
        had been learned from before.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]]
    >>> model = OnlineLogistic(shuffle=False).fit(X, ["sport", "sport", "law", "law"])
    >>> [round(loss, 2) for loss in model.losses_]
    [0.73, 0.41, 0.31, 0.25, 0.22]
    >>> model.predict_proba([[1, 0, 0]]).round(2).tolist()
    [[0.29, 0.71]]
    """

    name = "onlinelogistic"
    grid: Mapping[str, tuple[float, ...]] = {"eta0": (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)}
    learns_from_blocks = False
    state = ("_w", "_G", "_step")
    faded = ("_w", "_G")
    ends_without_updates = False
    averaged = False

    losses_: list[float]

    _G: FloatArray
    _loss: float

    def __init__(
        self,
        *,
        eta0: float = 0.3,
        alpha: float = 0.0,
        l1_ratio: float = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 5,
        tol: float | None = None,
        shuffle: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        keep_path: bool = False,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.eta0 = eta0
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.keep_path = keep_path
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """P(k | x) for every class."""
        return probabilities(self.decision_function(X))

    def rounds(self) -> list[dict[str, float]]:
        """The loss of documents when they were met, in the first epoch for the first time."""
        names = ["progressive_log_loss", *["log_loss"] * (len(self.losses_) - 1)]
        return [{name: loss} for name, loss in zip(names, self.losses_, strict=True)]

    def _start(self) -> None:
        check_positive(self, "eta0", may_be_infinite=True)
        check_not_negative(self, "alpha")
        check_share(self, "l1_ratio")
        self._w, self._u, self._G, self._step = self._zeros(), None, self._zeros(), 0
        self.losses_ = []

    def _run_steps(self, rows: _core.OnlineRows, order: Order) -> int:
        self._loss = 0.0
        steps = super()._run_steps(rows, order)
        self.losses_.append(self._loss / max(float(rows.weight[order].sum()), EPS))
        return steps

    def _pass(self, rows: _core.OnlineRows, order: Order) -> int:
        """A step down the loss of each row; returns the number of steps."""
        state = _core.StochasticState(
            rows,
            self._w[:-1],
            self._w[-1],
            softmax=len(self.classes_) > 2,
            bias=bool(self.fit_intercept),
            penalized_bias=False,
        )
        rule = _core.AdaGrad(
            state,
            self._G,
            eta=float(self.eta0),
            eps=EPS,
            l1=float(self.alpha * self.l1_ratio),
            l2=float(self.alpha * (1 - self.l1_ratio)),
        )
        self._loss += _core.adagrad_pass(state, rule, order, 1)
        return len(order)

    def _model(self) -> tuple[FloatArray, FloatArray]:
        return self._w[:-1].copy(), self._w[-1].copy()

    def _outputs_of_two(self, name: str, value: FloatArray) -> FloatArray:
        # sigmoid(w . x) is the softmax of -w . x / 2 and w . x / 2; their gradients are g and -g.
        return np.hstack([value, value]) if name == "_G" else np.hstack([-value, value]) / 2
