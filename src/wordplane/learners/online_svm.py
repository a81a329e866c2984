"""Pegasos: the multiclass support vector machine by stochastic subgradient steps.

    objective:   alpha / 2 ||W||^2 + mean_i [ max_k (w_k . x_i + cost[y_i, k]) - w_{y_i} . x_i ]

    w_k = 0 for every class k
    for t = 1, 2, ... over the documents in random order, max_iter times:
        guess = argmax_k w_k . x + cost[y, k]
        w     = (1 - alpha eta_t) w                     (always, all classes)
        if guess != y:
            w_y     += eta_t x
            w_guess -= eta_t x
        w     = w min(1, R / ||w||)                     (if `project`)
    return the mean of w over all steps                 (or the last w)

eta_t = 1 / (alpha t), or eta0 t^-power_t. The bias is the weight of a word that all documents have,
and decays like the others. The minimum lies within R = sqrt(mean_i max_k cost[y_i, k] / alpha).
It is the one of an SVM with C = 1 / (n alpha). Decay and mean are lazy: a step costs no more than
the words of its document. A document's weight multiplies its eta_t x and its loss.

References: Shalev-Shwartz, Singer, Srebro and Cotter (2011), Pegasos, Mathematical Programming
127(1); Crammer and Singer (2001), JMLR 2.
"""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.threads import thread_count
from wordplane.common.types import FloatArray
from wordplane.learners.support.base import ALPHA_GRID, ClassWeight, Tables
from wordplane.learners.support.costs import cost_matrix
from wordplane.learners.support.online import OnlineClassifier, Order
from wordplane.learners.support.parameter_checks import (
    check_flags,
    check_not_negative,
    check_positive,
)


class OnlineSVM(OnlineClassifier):
    """The linear SVM, learned one document at a time.

    Parameters
    ----------
    alpha : float or "auto", default 1e-4
        How much the square of the weights counts relative to the mean loss, above 0. "auto" means
        1 / the number of the first rows, which with two classes is an SVM with C = 2.
    eta0 : float, default None
        The first step; None means steps of 1 / (alpha t). alpha * eta0 may not exceed 1.
    power_t : float, default 0.5
        With `eta0`, how fast steps shrink: eta0 * t ** -power_t.
    project : bool, default False
        Scale the weights back whenever they leave the ball that holds the optimum.
    cost : array of shape (n_classes, n_classes), default None
        cost[true, predicted], classes sorted: the margin asked for. None means 1 everywhere.
    fit_intercept : bool, default True
        Whether there is a bias.
    n_jobs : int, default None
        Threads for prediction; None and -1 mean all. Training takes one step at a time.

    Attributes
    ----------
    objective_
        After `fit`, the objective of the model on the rows given.
    n_iter_, mistakes_
        The number of epochs, and the steps with a loss in each.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]]
    >>> model = OnlineSVM(alpha=0.1, max_iter=200).fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    >>> round(model.objective_, 2)
    0.06
    """

    name = "onlinesvm"
    grid = ALPHA_GRID
    text_defaults: Mapping[str, object] = {"alpha": "auto", "max_iter": 30}
    state = ("_w", "_sum", "_step", "_radius", "_auto_alpha")
    faded = ("_w", "_sum")
    ends_without_updates = False  # the weights decay all the same

    objective_: float

    _sum: FloatArray | None
    _auto_alpha: float | None  # 1 / n, once it is known

    def __init__(
        self,
        *,
        alpha: float | str = 1e-4,
        eta0: float | None = None,
        power_t: float = 0.5,
        project: bool = False,
        cost: ArrayLike | None = None,
        averaged: bool = True,
        fit_intercept: bool = True,
        max_iter: int = 10,
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
        self.alpha = alpha
        self.eta0 = eta0
        self.power_t = power_t
        self.project = project
        self.cost = cost
        self.averaged = averaged
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

    def tables(self) -> Tables:
        """Also the costs of one class for another."""
        return Tables(pairs=2)

    def _start(self) -> None:
        auto = isinstance(self.alpha, str) and self.alpha == "auto"
        self._auto_alpha = float("inf") if auto else None
        if not auto:
            check_positive(self, "alpha", may_be_infinite=True)
        check_not_negative(self, "power_t")
        if self.eta0 is not None:
            check_positive(self, "eta0", may_be_infinite=True)
        check_flags(self, "project")
        self._cost = cost_matrix(self.cost, len(self.classes_))
        self._w, self._step, self._radius = self._zeros(), 0, float("inf")
        self._sum = self._zeros() if self.averaged else None

    def _penalty(self) -> float:
        return float(self.alpha) if self._auto_alpha is None else self._auto_alpha

    def _prepare_rule(self, y: Codes, weights: FloatArray) -> None:
        """alpha, if it depends on the rows; and R, the radius of the ball that holds the optimum,
        if weights are kept within it."""
        n_docs = int(np.count_nonzero(weights))
        if self.alpha == "auto":
            self._auto_alpha = 1 / max(n_docs, 1)
        alpha = self._penalty()
        if self.eta0 is not None and alpha * self.eta0 > 1:
            raise InputError(f"alpha * eta0 is {alpha * self.eta0:g}, expected no more than 1")
        if self.project:
            most = weights * self._cost.max(axis=1)[y]
            self._radius = float(np.sqrt(most.sum() / n_docs / alpha))

    def _pass(self, rows: _core.OnlineRows, order: Order) -> int:
        """Decay, and a step of eta_t x at each loss; returns the number of losses."""
        t = np.arange(self._step + 1.0, self._step + len(order) + 1.0)
        alpha = self._penalty()
        eta = 1 / (alpha * t) if self.eta0 is None else self.eta0 * t**-self.power_t
        return _core.online_svm_pass(
            rows, order, eta, self._w, self._sum, alpha=alpha, cost=self._cost, radius=self._radius
        )

    def _weights(self) -> FloatArray:
        return self._w if self._sum is None else self._sum / max(self._step, 1)

    def _finish(self, blocks: Iterable[_core.OnlineRows]) -> None:
        """The objective of the model."""
        W, b = np.ascontiguousarray(self.coef_.T), self.intercept_
        square = float((W**2).sum() + b @ b)
        if len(self.classes_) == 2:  # w_1 = coef / 2, and w_0 = -w_1
            square /= 2
        loss, n_docs = 0.0, 0
        for rows in blocks:
            z = _core.linear_scores(rows.X, W, b, thread_count(self.n_jobs))
            if len(self.classes_) == 2:
                z = np.hstack([-z / 2, z / 2])
            right = z[np.arange(len(z)), rows.y]
            losses = (z + self._cost[rows.y]).max(axis=1) - right
            loss += float(rows.weight @ losses)
            n_docs += int(np.count_nonzero(rows.weight))
        self.objective_ = self._penalty() * square / 2 + loss / n_docs
