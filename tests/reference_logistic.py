"""Slow, dense, obvious versions of logistic regression's objectives and stochastic passes."""

import numpy as np


def logistic_objective(X, y, W, b, *, C, l1=0.0, l2=1.0, ovr=False, penalize_intercept=False):
    """One row and one class at a time; W (n_features x n_outputs)."""
    value = 0.0
    for x, label, weight in zip(X, y, np.broadcast_to(C, len(X)), strict=True):
        z = x @ W + b
        if len(z) == 1:
            value += weight * np.log(1 + np.exp(-z[0] if label == 1 else z[0]))
        elif ovr:
            for k in range(len(z)):
                value += weight * np.log(1 + np.exp(-z[k] if label == k else z[k]))
        else:
            value += weight * (np.log(np.exp(z).sum()) - z[label])
    weights = np.vstack([W, b]) if penalize_intercept else W
    return value + l2 / 2 * (weights**2).sum() + l1 * np.abs(weights).sum()


def stochastic(X, y, weight, order, batch_size, eta, l1, l2, *, softmax, bias, penalized, adagrad):
    """The dense loop: every step touches every weight. `eta` is one number per step."""
    n_outputs = max(y) + 1 if softmax or max(y) > 1 else 1
    W, b = np.zeros((X.shape[1], n_outputs)), np.zeros(n_outputs)
    G, H = np.zeros_like(W), np.zeros_like(b)

    def prox(w, h):
        return np.sign(w) * np.maximum(np.abs(w) - h * l1, 0) / (1 + h * l2)

    for t, begin in enumerate(range(0, len(order), batch_size)):
        rows = order[begin : begin + batch_size]
        g, g_bias = np.zeros_like(W), np.zeros_like(b)
        for i in rows:
            z = X[i] @ W + b
            if softmax:
                r = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
                r[y[i]] -= 1
            else:
                own = np.arange(n_outputs) == y[i] if n_outputs > 1 else np.array([y[i] == 1])
                r = 1 / (1 + np.exp(-z)) - own
            r = r * (weight[i] / len(rows))
            g += np.outer(X[i], r)
            g_bias += r
        G, H = G + g**2, H + g_bias**2
        h, h_bias = (eta[t] / (1e-10 + np.sqrt(G)), eta[t] / (1e-10 + np.sqrt(H))) if adagrad else (
            eta[t], eta[t])  # fmt: skip
        W = prox(W - h * g, h)
        if bias:
            b = b - h_bias * g_bias
            b = prox(b, h_bias) if penalized else b
    return W, b
