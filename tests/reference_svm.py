"""Slow, dense SVMs: objectives as written, and their minima by general-purpose optimizers."""

import numpy as np
from scipy.optimize import minimize


def with_bias(X, bias=1.0):
    return np.column_stack([np.asarray(X, float), np.full(len(X), bias)]) if bias else np.array(X)


def signs(y, k):
    return np.where(y == k, 1.0, -1.0)


def ovr_objective(w, X, y, C, loss):
    """1/2 |w|^2 + sum_i C_i loss(1 - y_i w.x_i) of one machine; X has the bias column."""
    m = np.maximum(0, 1 - y * (X @ w))
    return 0.5 * w @ w + (C * (m**2 if loss == "squared_hinge" else m)).sum()


def l1_objective(w, X, y, C):
    m = np.maximum(0, 1 - y * (X @ w))
    return np.abs(w).sum() + (C * m**2).sum()


def crammer_singer_objective(W, X, y, C, cost):
    """W: features x classes."""
    z = X @ W
    worst = (z + cost[y]).max(axis=1)
    return 0.5 * (W**2).sum() + (C * (worst - z[np.arange(len(y)), y])).sum()


def crammer_singer_minimum(X, y, C, cost):
    """The smallest objective, as a quadratic program with one slack per row:

    min 1/2 |W|^2 + sum_i C_i xi_i   with   (w_y - w_k) . x_i >= cost[y, k] - xi_i  for all i, k
    """
    (n, d), n_classes = X.shape, len(cost)
    A, least = np.zeros((n * n_classes, d * n_classes + n)), np.zeros(n * n_classes)
    for i in range(n):
        for k in range(n_classes):
            difference = np.zeros((d, n_classes))
            difference[:, y[i]] += X[i]
            difference[:, k] -= X[i]
            A[i * n_classes + k, : d * n_classes] = difference.ravel()
            A[i * n_classes + k, d * n_classes + i] = 1
            least[i * n_classes + k] = cost[y[i], k]
    slope = np.concatenate([np.zeros(d * n_classes), C])
    inner = np.arange(len(slope)) < d * n_classes
    found = minimize(
        lambda v: (0.5 * (v[inner] ** 2).sum() + slope @ v, np.where(inner, v, 0) + slope),
        np.concatenate([np.zeros(d * n_classes), cost[y].max(axis=1)]),
        jac=True,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: A @ v - least, "jac": lambda v: A},
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert found.success
    return found.fun


def squared_hinge_svm(X, y, C):
    """The minimum of the smooth objective, by its gradient."""

    def value_and_gradient(w):
        m = np.maximum(0, 1 - y * (X @ w))
        return 0.5 * w @ w + (C * m**2).sum(), w - 2 * X.T @ (C * y * m)

    found = minimize(
        value_and_gradient,
        np.zeros(X.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 5000, "ftol": 1e-14, "gtol": 1e-9},
    )
    return found.x


def hinge_svm(X, y, C):
    """By the dual, a box-constrained quadratic: projected gradient with many small steps."""
    Q = (y[:, None] * X) @ (y[:, None] * X).T
    step = 1 / max(np.linalg.eigvalsh(Q).max(), 1e-12)
    a = previous = np.zeros(len(y))
    t = 1.0
    for _ in range(5000):  # Nesterov's momentum
        t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
        v = a + (t - 1) / t_next * (a - previous)
        previous, t = a, t_next
        a = np.clip(v - step * (Q @ v - 1), 0, C)
    return X.T @ (a * y)


def nbsvm_ratio(X, positive, alpha, weights):
    """r of Wang and Manning, one feature at a time."""
    r = np.zeros(X.shape[1])
    P = sum(alpha + weights[positive][X[positive, j] != 0].sum() for j in range(X.shape[1]))
    Q = sum(alpha + weights[~positive][X[~positive, j] != 0].sum() for j in range(X.shape[1]))
    for j in range(X.shape[1]):
        p = alpha + weights[positive][X[positive, j] != 0].sum()
        q = alpha + weights[~positive][X[~positive, j] != 0].sum()
        r[j] = np.log(p / P) - np.log(q / Q)
    return r


def nbsvm_mass_ratio(X, positive, alpha, weights):
    """r with smoothing in proportion to the mass of the class, straight from its definition."""
    p = (weights[positive, None] * (X[positive] != 0)).sum(0)
    q = (weights[~positive, None] * (X[~positive] != 0)).sum(0)
    P, Q = p.sum(), q.sum()
    s = P / (P + Q)
    return np.log((p + 2 * alpha * s) / P) - np.log((q + 2 * alpha * (1 - s)) / Q)
