"""The online support vector machine (equations 2.46 to 2.48, objective 2.54).

    y^    = argmax_y' theta . f(x, y') + c(y, y')             c(y, y') = 1 if y' != y, else 0
    theta <- (1 - lambda eta_t) theta + eta_t (f(x, y) - f(x, y^))

The chapter has eta_t = 1. Pegasos has eta_t = 1 / (lambda t), with which the weights approach the
minimum of lambda / 2 ||theta||^2 + the mean margin loss. lambda is `alpha` of `OnlineSVM`.
"""

from collections.abc import Callable

from wordplane.textbook.bag_of_words import Data, Weights, add, f, labels_of, score


def online_svm(
    data: Data,
    lambda_: float = 0.01,
    eta: Callable[[int], float] = lambda t: 1.0,
    epochs: int = 10,
) -> Weights:
    """The last weights.

    >>> data = [({"good": 1.0}, "+"), ({"bad": 1.0}, "-")]
    >>> theta = online_svm(data, lambda_=0.5, eta=lambda t: 1 / (0.5 * t), epochs=1)
    >>> theta["+", "good"], theta["+", "bad"], theta["+", "<OFFSET>"]
    (1.0, -1.0, 0.0)
    """
    labels = labels_of(data)
    theta: Weights = {}
    t = 0
    for _ in range(epochs):
        for x, y in data:
            t += 1
            augmented = {label: score(theta, x, label) + (label != y) for label in labels}
            y_hat = max(labels, key=lambda label: augmented[label])
            theta = {feature: (1 - lambda_ * eta(t)) * value for feature, value in theta.items()}
            add(theta, f(x, y), eta(t))
            add(theta, f(x, y_hat), -eta(t))
    return theta
