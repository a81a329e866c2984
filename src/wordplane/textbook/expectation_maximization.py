"""Naive Bayes with unlabeled texts, by expectation maximization.

    start with naive Bayes on the labeled texts
    E:   q(y | x) = p(y | x; theta) for every unlabeled text; 1 for the label of a labeled one
    M:   naive Bayes, where a text counts q(y | x) for label y

Without any labeled text the same two steps are soft clustering. `EMNaiveBayes` does this.
"""

from math import log

from wordplane.textbook.bag_of_words import OFFSET, Bag, Data, Weights, labels_of
from wordplane.textbook.logistic_regression import probabilities

Shared = list[tuple[Bag, dict[str, float]]]


def m_step(data: Shared, labels: list[str], alpha: float) -> Weights:
    """Naive Bayes of texts that are shared among labels."""
    vocabulary = sorted({word for x, _ in data for word in x})
    n_texts = sum(sum(q.values()) for _, q in data)
    theta: Weights = {}
    for y in labels:
        count = dict.fromkeys(vocabulary, 0.0)
        for x, q in data:
            for word in x:
                count[word] += q.get(y, 0.0) * x[word]
        total = len(vocabulary) * alpha + sum(count.values())
        theta |= {(y, word): log((alpha + count[word]) / total) for word in vocabulary}
        theta[y, OFFSET] = log(sum(q.get(y, 0.0) for _, q in data) / n_texts)
    return theta


def expectation_maximization(
    data: Data, unlabeled: list[Bag], alpha: float = 1.0, rounds: int = 10
) -> Weights:
    """The weights after so many rounds.

    >>> data = [({"goal": 2.0}, "sport"), ({"court": 2.0}, "law")]
    >>> unlabeled = [{"goal": 1.0, "ball": 2.0}, {"court": 1.0, "judge": 2.0}]
    >>> theta = expectation_maximization(data, unlabeled)
    >>> theta["sport", "ball"] > theta["law", "ball"]  # a word that no labeled text has
    True
    """
    labels = labels_of(data)
    known: Shared = [(x, {y: 1.0}) for x, y in data]
    # At first, unlabeled texts have no label at all: only their words are in the vocabulary.
    theta = m_step([*known, *((dict.fromkeys(x, 0.0), {}) for x in unlabeled)], labels, alpha)
    for _ in range(rounds):
        guessed: Shared = [(x, probabilities(theta, x, labels)) for x in unlabeled]
        theta = m_step(known + guessed, labels, alpha)
    return theta
