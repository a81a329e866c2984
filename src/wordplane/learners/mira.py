"""MIRA, the passive-aggressive learner.

    w_k = 0 for every class k
    max_iter times, over the documents in random order:
        z_k   = w_k . x
        guess = argmax_k z_k                       (z_k + cost[y, k] if cost_augmented)
        if guess != y:
            loss = z_guess - z_y + cost[y, guess]
            tau  = min(C, loss / (2 ||x||^2))                       (hinge: PA-I)
                 = loss / (2 ||x||^2 + 1 / (2 C))                   (squared hinge: PA-II)
            w_y     += tau x
            w_guess -= tau x
    return the mean of w over all steps            (or the last w)

tau is the smallest step that gives y the margin cost[y, guess], as far as C allows; C = inf always
goes all the way. ||x||^2 includes the 1 of the bias. C is 1 / lambda of other books. The mean is
lazy as in perceptron.py. A document's weight multiplies tau.

References: Crammer and Singer (2003), Ultraconservative online algorithms for multiclass problems,
JMLR 3; Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006), JMLR 7.
"""

import numpy as np
from numpy.typing import ArrayLike

from wordplane import _core
from wordplane.common.threads import thread_count
from wordplane.learners.support.base import C_GRID, ClassWeight, Tables
from wordplane.learners.support.costs import cost_matrix
from wordplane.learners.support.online import OnlineClassifier, Order
from wordplane.learners.support.parameter_checks import check_choice, check_flags, check_positive


class MIRA(OnlineClassifier):
    """The passive-aggressive learner: each mistake is put right by the smallest step.

    Parameters
    ----------
    C : float, default 1.0
        The longest step (hinge), or how little slack counts (squared hinge); may be infinite.
    loss : "hinge" or "squared_hinge", default "hinge"
        PA-I or PA-II.
    cost : array of shape (n_classes, n_classes), default None
        cost[true, predicted], classes sorted: the margin asked for. None means 1 everywhere.
    cost_augmented : bool, default False
        Guess the class that violates its margin most, not the one with the best score: then
        right guesses with too little margin are learned from, too.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]]
    >>> model = MIRA().fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    """

    name = "mira"
    grid = C_GRID

    def __init__(
        self,
        *,
        C: float = 1.0,
        loss: str = "hinge",
        cost: ArrayLike | None = None,
        cost_augmented: bool = False,
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
        self.C = C
        self.loss = loss
        self.cost = cost
        self.cost_augmented = cost_augmented
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
        check_positive(self, "C", may_be_infinite=True)
        check_choice(self, "loss", ("hinge", "squared_hinge"))
        check_flags(self, "cost_augmented")
        self._cost = cost_matrix(self.cost, len(self.classes_))
        C = float(self.C)
        # tau = min(most, loss / (2 ||x||^2 + slack))
        self._most, self._slack = (C, 0.0) if self.loss == "hinge" else (np.inf, 1 / (2 * C))
        super()._start()

    def _pass(self, rows: _core.OnlineRows, order: Order) -> int:
        """Each mistake is put right by the smallest step, tau x; returns the updates made."""
        rule = _core.MiraRule(
            self._cost,
            cost_augmented=bool(self.cost_augmented),
            most=self._most,
            slack=self._slack,
        )
        threads = thread_count(self.n_jobs)
        return _core.mira_pass(rows, order, rule, self._w, self._u, self._step, threads)
