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
from wordplane.common.errors import InputError
from wordplane.common.threads import thread_count
from wordplane.learners.support.base import ClassWeight
from wordplane.learners.support.costs import cost_matrix
from wordplane.learners.support.grids import C_GRID
from wordplane.learners.support.online import (
    OnlineClassifier,
    Order,
    check_flag,
    check_positive,
)


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
    averaged : bool, default True
        Take the mean of the weights over all steps.
    fit_intercept : bool, default True
        Whether there is a bias, learned like the weight of a word that all documents have.
    max_iter : int, default 10
        The most epochs.
    tol : float, default None
        Stop when an epoch changes the weights by no more than this share of their norm.
    shuffle : bool, default True
        A new random order for every epoch; False takes the rows as they are.
    early_stopping : bool, default False
        Hold out rows, stop when their accuracy no longer rises, and keep the best model.
    validation_fraction : float, default 0.1
        The share of rows that `early_stopping` holds out.
    n_iter_no_change : int, default 5
        How many epochs without a rise `early_stopping` waits.
    keep_path : bool, default False
        Keep W and b after every epoch, in `path_`.
    class_weight : None, "balanced" or mapping, default None
        What multiplies the steps by documents of each class.
    n_jobs : int, default None
        Threads to use; None and -1 mean all. Steps are taken one after the other; two threads can
        share each, every one owning half of the features.
    random_state : int, default 0
        The seed of the orders.

    Attributes
    ----------
    classes_, coef_, intercept_
        The linear model; `coef_` has one row if there are two classes.
    n_iter_, mistakes_
        The number of epochs, and the updates made in each.
    converged_
        Whether training ended before `max_iter` epochs were over.
    path_
        With `keep_path`, W and b after each epoch.
    n_features_in_, feature_names_in_
        Number of features; their names if X was a frame with string columns.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]]
    >>> model = MIRA().fit(X, ["sport", "sport", "law", "law"])
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    """

    name = "mira"

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

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """C."""
        return {"C": C_GRID}

    def _start(self) -> None:
        C = check_positive("C", self.C)
        if self.loss not in ("hinge", "squared_hinge"):
            raise InputError(f"loss is {self.loss!r}, expected 'hinge' or 'squared_hinge'")
        check_flag("cost_augmented", self.cost_augmented)
        self._cost = cost_matrix(self.cost, len(self.classes_))
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
