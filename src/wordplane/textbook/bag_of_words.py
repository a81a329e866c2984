"""Bag of words, joint features and the linear score (equations 2.1 to 2.7).

A text x is a dictionary of word counts. f(x, y) has the same counts under keys (y, word): the
chapter's vector that is 0 except in the slot of label y. theta has a weight for every such key, and
the score of a label is the inner product theta . f(x, y).
"""

from collections.abc import Iterable, Mapping

Bag = Mapping[str, float]
Feature = tuple[str, str]
Weights = dict[Feature, float]
Data = list[tuple[Bag, str]]

OFFSET = "<OFFSET>"


def bag_of_words(text: str) -> dict[str, float]:
    """
    >>> bag_of_words("It was the best of times, it was the worst of times")["times"]
    2.0
    """
    x: dict[str, float] = {}
    for token in text.lower().replace(",", " ").replace(".", " ").split():
        x[token] = x.get(token, 0.0) + 1.0
    return x


def f(x: Bag, y: str) -> Weights:
    """
    >>> f({"whale": 2.0}, "fiction")
    {('fiction', 'whale'): 2.0, ('fiction', '<OFFSET>'): 1.0}
    """
    return {(y, word): count for word, count in x.items()} | {(y, OFFSET): 1.0}


def score(theta: Weights, x: Bag, y: str) -> float:
    """theta . f(x, y)."""
    return sum(theta.get(feature, 0.0) * value for feature, value in f(x, y).items())


def add(theta: Weights, features: Weights, times: float = 1.0) -> None:
    """theta <- theta + times * features."""
    for feature, value in features.items():
        theta[feature] = theta.get(feature, 0.0) + times * value


def predict(theta: Weights, x: Bag, labels: Iterable[str]) -> str:
    """The label with the highest score; the first of equals."""
    return max(labels, key=lambda y: score(theta, x, y))


def labels_of(data: Data) -> list[str]:
    """The labels that occur, sorted."""
    return sorted({y for _, y in data})
