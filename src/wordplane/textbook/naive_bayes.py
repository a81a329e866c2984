"""Multinomial naive Bayes (equations 2.14 to 2.30).

    mu_y     = share of the texts that have label y
    phi_y,j  = (alpha + count(y, j)) / (V alpha + sum_j' count(y, j'))                     [2.30]
    theta    = log phi for the words, log mu for the offset                                [2.20]

The estimate without smoothing (alpha = 0) is the maximum likelihood estimate [2.21]; a word that a
label never had then has theta = -infinity, and vetoes the label.
"""

from math import inf, log

from wordplane.textbook.bag_of_words import OFFSET, Data, Weights, labels_of


def naive_bayes(data: Data, alpha: float = 1.0) -> Weights:
    """
    >>> theta = naive_bayes([({"ball": 3, "rule": 2}, "sport"), ({"rule": 1, "judge": 3}, "law")])
    >>> theta["sport", "ball"] == log((1 + 3) / (3 * 1 + 5))
    True
    """
    vocabulary = sorted({word for x, _ in data for word in x})
    theta: Weights = {}
    for y in labels_of(data):
        texts = [x for x, label in data if label == y]
        count = {word: sum(x.get(word, 0.0) for x in texts) for word in vocabulary}
        total = sum(count.values())
        for word in vocabulary:
            phi = (alpha + count[word]) / (len(vocabulary) * alpha + total)
            theta[y, word] = log(phi) if phi > 0 else -inf
        theta[y, OFFSET] = log(len(texts) / len(data))
    return theta
