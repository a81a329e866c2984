"""AdaGrad (equations 2.73 and 2.74): every weight has a step size of its own.

    g      = gradient of the loss of one text
    G_j   <- G_j + g_j^2
    theta_j <- theta_j - eta g_j / sqrt(G_j)

Weights of frequent words have been moved often and take small steps; those of rare words take large
ones. Here for logistic regression without a penalty, as `OnlineLogistic` by default.
"""

from math import sqrt

from wordplane.textbook.bag_of_words import Data, Weights, labels_of
from wordplane.textbook.logistic_regression import gradient


def adagrad(data: Data, eta: float = 0.1, epochs: int = 5) -> Weights:
    """The weights after all epochs, texts in the given order.

    >>> theta = adagrad([({"good": 1.0}, "+"), ({"bad": 1.0}, "-")], epochs=1)
    >>> round(theta["+", "good"], 9), round(theta["-", "good"], 9)  # the first step is eta
    (0.1, -0.1)
    """
    labels = labels_of(data)
    theta: Weights = {}
    squares: Weights = {}
    for _ in range(epochs):
        for text in data:
            g = {j: value for j, value in gradient(theta, [text], labels, 0.0).items() if value}
            for j, value in g.items():
                squares[j] = squares.get(j, 0.0) + value**2
                theta[j] = theta.get(j, 0.0) - eta * value / sqrt(squares[j])
    return theta
