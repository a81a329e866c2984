"""Slow, dense, obvious versions of the online learners and of the choice of alpha."""

import numpy as np


def with_bias(X, fit_intercept):
    return np.hstack([X, np.full((len(X), 1), float(fit_intercept))])


def in_shapes(W):
    """Rows of W are classes, the last column is the bias: scikit-learn's coef_ and intercept_."""
    if len(W) == 2:
        W = W[1:] - W[:1]
    return W[:, :-1], W[:, -1]


def perceptron(X, y, weights, orders, *, averaged, fit_intercept=True):
    """y are class numbers; every class occurs."""
    X = with_bias(X, fit_intercept)
    W = np.zeros((max(y) + 1, X.shape[1]))
    total, steps, mistakes = np.zeros_like(W), 0, []
    for order in orders:
        mistakes.append(0)
        for i in order:
            z = W @ X[i]
            others = [k for k in range(len(W)) if k != y[i]]
            guess = max(others, key=lambda k: z[k])
            if z[guess] >= z[y[i]] and X[i].any():
                W[y[i]] += weights[i] * X[i]
                W[guess] -= weights[i] * X[i]
                mistakes[-1] += 1
            total += W
            steps += 1
        if mistakes[-1] == 0:
            break
    return in_shapes(total / steps if averaged else W), mistakes


def mira(X, y, weights, orders, *, averaged, fit_intercept, C, squared, cost, cost_augmented):
    X = with_bias(X, fit_intercept)
    W = np.zeros((len(cost), X.shape[1]))
    total, steps = np.zeros_like(W), 0
    for order in orders:
        changed = False
        for i in order:
            z = W @ X[i]
            guess = np.argmax(z + cost[y[i]] if cost_augmented else z)
            if guess != y[i]:
                loss = z[guess] - z[y[i]] + cost[y[i], guess]
                d = 2 * X[i] @ X[i]
                if d > 0 and loss > 0:
                    tau = loss / (d + 1 / (2 * C)) if squared else min(C, loss / d)
                    W[y[i]] += weights[i] * tau * X[i]
                    W[guess] -= weights[i] * tau * X[i]
                    changed = True
            total += W
            steps += 1
        if not changed:
            break
    return in_shapes(total / steps if averaged else W)


def pegasos(X, y, weights, orders, *, averaged, fit_intercept, alpha, eta, cost, radius):
    """eta(t) is the size of step t = 1, 2, ..."""
    X = with_bias(X, fit_intercept)
    W = np.zeros((len(cost), X.shape[1]))
    total, t = np.zeros_like(W), 0
    for order in orders:
        for i in order:
            t += 1
            guess = np.argmax(W @ X[i] + cost[y[i]])
            W = (1 - alpha * eta(t)) * W
            if guess != y[i]:
                W[y[i]] += eta(t) * weights[i] * X[i]
                W[guess] -= eta(t) * weights[i] * X[i]
            norm = np.sqrt((W**2).sum())
            if norm > radius:
                W = W * radius / norm
            total += W
    return in_shapes(total / t if averaged else W)


def svm_objective(W, b, X, y, alpha, cost):
    """W and b with a row per class."""
    z = X @ W.T + b
    hinges = [max(z[i] + cost[y[i]]) - z[i, y[i]] for i in range(len(y))]
    return alpha / 2 * ((W**2).sum() + (b**2).sum()) + np.mean(hinges)


def held_out_scores(X, y, weights, fold, alpha, n_classes, class_scale, log_prior):
    """Scores of the fold's rows by a model of the other rows; absent classes have -inf."""
    rest = [i for i in range(len(y)) if i not in set(fold) and weights[i] > 0]
    counts = np.zeros((n_classes, X.shape[1]))
    n_docs = np.zeros(n_classes)
    for i in rest:
        counts[y[i]] += weights[i] * X[i]
        n_docs[y[i]] += weights[i]
    there = np.array([any(y[i] == k for i in rest) for k in range(n_classes)])
    scale = class_scale(n_docs, there)
    counts *= scale[:, None]
    kept = np.array([any(X[i][j] > 0 for i in rest) for j in range(X.shape[1])])
    if not kept.any():
        return np.tile(np.where(there, log_prior(n_docs * scale, there), -np.inf), (len(fold), 1))
    phi = counts[:, kept] + alpha
    W = np.log(phi) - np.log(phi.sum(axis=1, keepdims=True))
    prior = np.where(there, log_prior(n_docs * scale, there), -np.inf)
    return X[fold][:, kept] @ W.T + prior
