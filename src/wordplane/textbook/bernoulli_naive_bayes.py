"""Naive Bayes on which words occur, not how often.

    p_y,j = (alpha + texts of y with word j) / (2 alpha + texts of y)
    log p(x, y) = log mu_y + sum_j [ x_j log p_y,j + (1 - x_j) log(1 - p_y,j) ],     x_j = 0 or 1

Absent words count, too. Moving their part into the offset leaves a linear score, theta . f(x, y).
"""

from math import log

from wordplane.textbook.bag_of_words import OFFSET, Data, Weights, labels_of


def bernoulli_naive_bayes(data: Data, alpha: float = 1.0) -> Weights:
    """The weights of a text whose counts are 0 or 1.

    >>> data = [({"ball": 1}, "sport"), ({"ball": 1, "rule": 1}, "sport"), ({"judge": 1}, "law")]
    >>> theta = bernoulli_naive_bayes(data)
    >>> round(theta["sport", "ball"], 9) == round(log(3 / 4) - log(1 / 4), 9)
    True
    """
    vocabulary = sorted({word for x, _ in data for word in x})
    theta: Weights = {}
    for y in labels_of(data):
        texts = [x for x, label in data if label == y]
        theta[y, OFFSET] = log(len(texts) / len(data))
        for word in vocabulary:
            n_with = sum(x.get(word, 0.0) > 0 for x in texts)
            p = (alpha + n_with) / (2 * alpha + len(texts))
            theta[y, word] = log(p) - log(1 - p)
            theta[y, OFFSET] += log(1 - p)
    return theta
