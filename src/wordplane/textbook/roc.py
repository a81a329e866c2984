"""The ROC curve and the area below it (AUC).

For every threshold t, texts with a score of at least t are called positive:

    true positive rate  = positives called positive / positives
    false positive rate = negatives called positive / negatives

The area is the probability that a random positive scores above a random negative, ties half.
"""


def roc(positives: list[float], negatives: list[float]) -> list[tuple[float, float]]:
    """Points (false positive rate, true positive rate), from (0, 0) to (1, 1).

    >>> roc([0.9, 0.4], [0.6, 0.1])
    [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]
    """
    thresholds = sorted({*positives, *negatives}, reverse=True)
    rates = [
        (
            sum(z >= t for z in negatives) / len(negatives),
            sum(z >= t for z in positives) / len(positives),
        )
        for t in thresholds
    ]
    return [(0.0, 0.0), *rates]


def auc(positives: list[float], negatives: list[float]) -> float:
    """
    >>> auc([0.9, 0.4], [0.6, 0.1])
    0.75
    """
    wins = sum((p > n) + (p == n) / 2 for p in positives for n in negatives)
    return wins / (len(positives) * len(negatives))
