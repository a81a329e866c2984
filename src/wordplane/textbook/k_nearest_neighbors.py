"""k nearest neighbors: the k most similar texts vote.

Similarity is the cosine of the angle between word counts, x . x' / (||x|| ||x'||).
"""

from math import sqrt

from wordplane.textbook.bag_of_words import Bag, Data, labels_of


def cosine(a: Bag, b: Bag) -> float:
    """
    >>> cosine({"good": 1.0}, {"good": 1.0, "film": 1.0}) == 1 / sqrt(2)
    True
    """
    product = sum(count * b.get(word, 0.0) for word, count in a.items())
    lengths = sum(n**2 for n in a.values()) * sum(n**2 for n in b.values())
    return product / sqrt(lengths) if lengths > 0 else 0.0


def k_nearest_neighbors(data: Data, x: Bag, k: int = 3) -> dict[str, float]:
    """The share of the votes for every label; earlier texts come first among equals.

    >>> data = [({"good": 1.0}, "+"), ({"good": 2.0, "bad": 1.0}, "+"), ({"bad": 1.0}, "-")]
    >>> k_nearest_neighbors(data, {"good": 3.0}, k=2)
    {'+': 1.0, '-': 0.0}
    """
    nearest = sorted(data, key=lambda text: -cosine(text[0], x))[:k]
    return {y: sum(label == y for _, label in nearest) / k for y in labels_of(data)}
