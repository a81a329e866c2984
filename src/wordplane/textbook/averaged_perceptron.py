"""The averaged perceptron (algorithm 4), and the same average at a lower cost (exercise 7).

    m <- m + theta  after every text;     return m / t

The running sum touches all weights at every step. An update g made at step s is part of the t - s
sums that follow, so the mean is also theta - u / t, where u is the sum of s g: only weights that
change are touched.
"""

from wordplane.textbook.bag_of_words import Data, Weights, add, f, labels_of
from wordplane.textbook.perceptron import rival


def averaged_perceptron(data: Data, epochs: int = 10, lazy: bool = False) -> Weights:
    """The mean of the weights after every step.

    >>> data = [({"good": 1.0}, "+"), ({"good": 1.0, "bad": 1.0}, "-"), ({"bad": 1.0}, "-")]
    >>> averaged_perceptron(data, lazy=True) == averaged_perceptron(data)
    True
    """
    labels = labels_of(data)
    theta: Weights = {}
    m: Weights = {}
    u: Weights = {}
    t = 0
    for _ in range(epochs):
        mistakes = 0
        for x, y in data:
            y_hat = rival(theta, x, y, labels)
            if y_hat != y:
                for weights, times in ((theta, 1.0), (u, float(t))):
                    add(weights, f(x, y), times)
                    add(weights, f(x, y_hat), -times)
                mistakes += 1
            t += 1
            if not lazy:
                add(m, theta)
        if mistakes == 0:
            break
    if lazy:
        return {feature: theta[feature] - u[feature] / t for feature in theta}
    return {feature: value / t for feature, value in m.items()}
