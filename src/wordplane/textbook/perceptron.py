"""The perceptron (algorithm 3).

    y^ = argmax_y theta . f(x, y)
    if y^ != y:    theta <- theta + f(x, y) - f(x, y^)

A tie is a mistake: among labels with the highest score, y^ is one that is wrong. The chapter allows
any of them (section 2.4); from theta = 0 the right one would never move the weights.
"""

from wordplane.textbook.bag_of_words import Bag, Data, Weights, add, f, labels_of, score


def rival(theta: Weights, x: Bag, y: str, labels: list[str]) -> str:
    """y^, which is y only where y alone has the highest score."""
    return max(labels, key=lambda label: (score(theta, x, label), label != y))


def perceptron(data: Data, epochs: int = 10) -> Weights:
    """The last weights; it stops after an epoch without a mistake.

    >>> theta = perceptron([({"good": 1.0}, "+"), ({"bad": 1.0}, "-")])
    >>> theta["+", "good"], theta["-", "good"]
    (1.0, -1.0)
    """
    labels = labels_of(data)
    theta: Weights = {}
    for _ in range(epochs):
        mistakes = 0
        for x, y in data:
            y_hat = rival(theta, x, y, labels)
            if y_hat != y:
                add(theta, f(x, y))
                add(theta, f(x, y_hat), -1.0)
                mistakes += 1
        if mistakes == 0:
            break
    return theta
