"""Logistic regression: probabilities, the objective and its gradient (equations 2.56 to 2.69).

    p(y | x) = exp(theta . f(x, y)) / sum_y' exp(theta . f(x, y'))                         [2.56]
    L        = lambda / 2 ||theta||^2 - sum_i log p(y_i | x_i)                             [2.66]
    gradient = lambda theta - sum_i ( f(x_i, y_i) - E[f(x_i, y)] )                         [2.67]

The offset is penalized, as in the chapter. `C` of `LogisticRegression` is 1 / lambda, and its
`penalize_intercept` says whether the offset is.
"""

from math import exp, log

from wordplane.textbook.bag_of_words import Bag, Data, Weights, add, f, score


def probabilities(theta: Weights, x: Bag, labels: list[str]) -> dict[str, float]:
    """p(y | x). The largest score is subtracted first, so that exp does not overflow."""
    scores = {y: score(theta, x, y) for y in labels}
    most = max(scores.values())
    total = sum(exp(z - most) for z in scores.values())
    return {y: exp(z - most) / total for y, z in scores.items()}


def objective(theta: Weights, data: Data, labels: list[str], lambda_: float) -> float:
    """
    >>> round(objective({}, [({"good": 1.0}, "+")], ["+", "-"], 1.0) - log(2), 9)
    0.0
    """
    norm = sum(value**2 for value in theta.values())
    loss = -sum(log(probabilities(theta, x, labels)[y]) for x, y in data)
    return lambda_ / 2 * norm + loss


def gradient(theta: Weights, data: Data, labels: list[str], lambda_: float) -> Weights:
    """
    >>> gradient({}, [({"good": 1.0}, "+")], ["+", "-"], 1.0)["+", "good"]
    -0.5
    """
    g = {feature: lambda_ * value for feature, value in theta.items()}
    for x, y in data:
        add(g, f(x, y), -1.0)
        for label, p in probabilities(theta, x, labels).items():
            add(g, f(x, label), p)
    return g
