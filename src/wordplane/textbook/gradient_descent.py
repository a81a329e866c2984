"""Gradient descent in batches (algorithm 5), here for logistic regression.

    for every batch:    t <- t + 1,    theta <- theta - eta_t gradient L(theta; batch)

One batch of all texts is gradient descent, batches of one text are stochastic gradient descent,
anything between is mini-batch descent. A batch of B of the N texts stands for all of them [2.72]:
its loss counts N / B times, the penalty once.
"""

from collections.abc import Callable

from wordplane.textbook.bag_of_words import Data, Weights, add, labels_of
from wordplane.textbook.logistic_regression import gradient


def batcher(n: int, size: int) -> list[range]:
    """
    >>> [list(batch) for batch in batcher(5, 2)]
    [[0, 1], [2, 3], [4]]
    """
    return [range(begin, min(begin + size, n)) for begin in range(0, n, size)]


def gradient_descent(
    data: Data,
    lambda_: float = 1.0,
    eta: Callable[[int], float] = lambda t: 0.1,
    size: int | None = None,
    epochs: int = 10,
) -> Weights:
    """The weights after all epochs; `size` texts in a batch, or all of them.

    >>> theta = gradient_descent([({"good": 1.0}, "+"), ({"bad": 1.0}, "-")], epochs=200)
    >>> round(theta["+", "good"], 3), round(theta["-", "good"], 3)
    (0.337, -0.337)
    """
    labels = labels_of(data)
    theta: Weights = {}
    t = 0
    for _ in range(epochs):
        for batch in batcher(len(data), size or len(data)):
            t += 1
            # gradient(...; batch, 0) is that of the losses alone.
            losses = gradient(theta, [data[i] for i in batch], labels, 0.0)
            step = {feature: lambda_ * value for feature, value in theta.items()}
            add(step, losses, len(data) / len(batch))
            add(theta, step, -eta(t))
    return theta
