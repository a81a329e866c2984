"""MIRA, also called passive-aggressive: the smallest step that gives the right label its margin.

    y^  = argmax_y theta . f(x, y)
    if y^ != y:
        loss  = theta . f(x, y^) - theta . f(x, y) + 1
        eta   = min(1 / lambda, loss / ||f(x, y) - f(x, y^)||^2)
        theta <- theta + eta (f(x, y) - f(x, y^))

Algorithm 3 of the lab; the chapter names it in its last section. C of `MIRA` is 1 / lambda.
"""

from wordplane.textbook.bag_of_words import Data, Weights, add, f, labels_of, predict, score


def mira(data: Data, lambda_: float = 1.0, epochs: int = 10) -> Weights:
    """The last weights; it stops after an epoch without a mistake.

    >>> theta = mira([({"bad": 1.0, "film": 2.0}, "-"), ({}, "+")], epochs=1)
    >>> round(12 * theta["-", "film"], 9)  # the step is 1 / (2 (1 + 4 + 1))
    2.0
    """
    labels = labels_of(data)
    theta: Weights = {}
    for _ in range(epochs):
        mistakes = 0
        for x, y in data:
            y_hat = predict(theta, x, labels)
            if y_hat != y:
                direction = f(x, y)
                add(direction, f(x, y_hat), -1.0)
                loss = score(theta, x, y_hat) - score(theta, x, y) + 1
                eta = min(1 / lambda_, loss / sum(value**2 for value in direction.values()))
                add(theta, direction, eta)
                mistakes += 1
        if mistakes == 0:
            break
    return theta
