"""Multiclass perceptron, averaged or not.

    w_k = 0 for every class k
    max_iter times, over the documents in random order:
        guess = the best class other than y if it scores >= w_y . x, else y
        if guess != y:                         (so a tie is a mistake)
            w_y     += x
            w_guess -= x
    return the mean of w over all steps        (or the last w)

The mean is computed lazily: an update made at step s (from 0) is part of the
T - s weight vectors that follow, so mean = w - u / T with u = sum of s * update.
An epoch without a mistake ends the training. A document's weight multiplies its x in updates.

References: Freund and Schapire (1999), Machine Learning 37(3); Collins (2002), EMNLP.
"""

from wordplane import _core
from wordplane.common.threads import thread_count
from wordplane.learners.support.base import ClassWeight
from wordplane.learners.support.online import OnlineClassifier, Order


class Perceptron(OnlineClassifier):
    """The perceptron: learns from mistakes only.

    Attributes
    ----------
    n_iter_, mistakes_
        The number of epochs, and the mistakes made in each.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 1, 0], [0, 1, 3], [0, 0, 1]]
    >>> model = Perceptron().fit(X, ["sport", "sport", "law", "law"])
    >>> model.mistakes_
    [2, 0]
    >>> model.predict([[1, 0, 0], [0, 0, 1]])
    array(['sport', 'law'], dtype='<U5')
    """

    name = "perceptron"

    def __init__(
        self,
        *,
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

    def _pass(self, rows: _core.OnlineRows, order: Order) -> int:
        """Each mistake moves x from the guess to y; returns the number of mistakes."""
        threads = thread_count(self.n_jobs)
        return _core.perceptron_pass(rows, order, self._w, self._u, self._step, threads)
