"""Ridge regression for many strengths of the penalty at the cost of one, in several folds at once.

    min over w, b of  sum_i s_i^2 (y_i - x_i w - b)^2 + alpha ||w||^2

The bias is free, so rows and targets are centered: with Z the rows s_i (x_i - mean) and t the
targets s_i (y_i - mean), w = Z'a where (K + alpha I) a = t and K = ZZ'. Lanczos's method, started
from t, finds orthonormal q_1, q_2, ... with Q'KQ = T tridiagonal, and T does not depend on alpha:

    a = Q c,   (T + alpha I) c = ||t|| e_1          one small system for every alpha

After m steps the residual of the first system is rho q_{m+1} with rho = beta_m c_m, and

    objective(a) - optimum = rho^2 q' K (K + alpha I)^-1 q  <=  rho^2

so that rho^2 says how far from the optimum the weights can be at most. Every problem (a fold, or
all rows) has its own s, which is 0 for the rows that it does not learn from. What a step computes
for those, x_i Z'q, is all that their predictions need, for every alpha.

Reference: Golub and Van Loan (2013), Matrix Computations, 10.1 and 11.3; Frommer and Maass (1999),
Fast CG-based methods for Tikhonov-Phillips regularization.
"""

import numpy as np

from wordplane import _core
from wordplane.optimize.vectors import Floats

SMALLEST = 1e-12  # of the norm of a direction: nothing new is left


class RidgePath:
    """The steps of Lanczos's method for k problems on the same rows.

    y       a number for each row
    weight  n_docs x k, how much each row counts in each problem; 0: it is held out
    """

    def __init__(self, X: _core.Csr, y: Floats, weight: Floats, threads: int) -> None:
        self._X, self._threads = X, threads
        self._root = np.sqrt(weight)
        total = np.maximum(weight.sum(axis=0), np.finfo(float).tiny)
        self._y_mean = np.einsum("nk,n->k", weight, y) / total
        self._x_mean = self._pull(weight / total)
        first = self._root * (y[:, None] - self._y_mean)
        self._norm = _norms(first)
        self._q = [_divide(first, self._norm)]
        self._scores: list[Floats] = []  # X Z'q of each step, less that of the mean row
        self._offsets: list[Floats] = []  # what the mean row takes from them
        self._diagonal: list[Floats] = []
        self._beside: list[Floats] = []

    @property
    def n_steps(self) -> int:
        """The number of steps so far."""
        return len(self._diagonal)

    def step(self) -> None:
        """One product with K for each problem."""
        q = self._q[-1]
        direction = self._weights_of(q)
        offset = -np.einsum("dk,dk->k", self._x_mean, direction)
        z = _core.linear_scores(self._X, direction, offset, self._threads)
        self._scores.append(z)
        self._offsets.append(offset)
        new = self._root * z
        self._diagonal.append(np.einsum("nk,nk->k", q, new))
        for known in self._q:  # again, since rounding errors grow
            new -= known * np.einsum("nk,nk->k", known, new)
        size = _norms(new)
        scale = np.maximum(self._diagonal[0], np.finfo(float).tiny)
        size[size <= SMALLEST * scale] = 0.0
        self._beside.append(size)
        self._q.append(_divide(new, size))

    def gap(self, alpha: float) -> Floats:
        """How far above its optimum the objective of each problem can be, as a share of it."""
        c = self._coefficients(alpha)
        optimum = np.maximum(alpha * self._norm * c[:, 0], np.finfo(float).tiny)
        share: Floats = (self._beside[-1] * c[:, -1]) ** 2 / optimum
        return share

    def predictions(self, alpha: float) -> Floats:
        """What the weights of each problem make of all rows: n_docs x k."""
        c = self._coefficients(alpha)
        found = np.broadcast_to(self._y_mean, self._root.shape).copy()
        for step, scores in enumerate(self._scores):
            found += scores * c[:, step]
        return found

    def biases(self, alpha: float) -> Floats:
        """b of every problem."""
        return np.asarray(self._y_mean + (self._coefficients(alpha).T * self._offsets).sum(axis=0))

    def weights(self, alpha: float) -> tuple[Floats, Floats]:
        """W (n_features x k) and b of every problem."""
        c = self._coefficients(alpha)
        W = self._weights_of(sum(q * c[:, i] for i, q in enumerate(self._q[:-1])))  # type: ignore[arg-type]
        return W, self._y_mean - np.einsum("dk,dk->k", self._x_mean, W)

    def _coefficients(self, alpha: float) -> Floats:
        """c of every problem: k x n_steps."""
        m, diagonal = self.n_steps, np.array(self._diagonal)
        T = np.zeros((len(self._norm), m, m))
        rows = np.arange(m)
        T[:, rows, rows] = diagonal.T + alpha
        if m > 1:
            beside = np.array(self._beside[:-1]).T
            T[:, rows[1:], rows[:-1]] = T[:, rows[:-1], rows[1:]] = beside
        start = np.zeros((len(self._norm), m, 1))
        start[:, 0, 0] = self._norm
        return np.asarray(np.linalg.solve(T, start)[:, :, 0])

    def _weights_of(self, q: Floats) -> Floats:
        """Z'q for each problem."""
        rooted = self._root * q
        return np.asarray(self._pull(rooted) - self._x_mean * rooted.sum(axis=0))

    def _pull(self, R: Floats) -> Floats:
        """X'R."""
        G = np.zeros((self._X.shape[1], R.shape[1]))
        _core.linear_gradient(self._X, np.ascontiguousarray(R), G, self._threads)
        return G


def _norms(columns: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("nk,nk->k", columns, columns)))


def _divide(columns: Floats, norms: Floats) -> Floats:
    """The columns with norm 1; 0 where they have none."""
    return columns / np.where(norms > 0, norms, 1.0)
