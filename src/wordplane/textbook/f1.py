"""Precision, recall and F1 of a label, and the mean of F1 over labels (macro F1).

precision = tp / (tp + fp)      recall = tp / (tp + fn)      F1 = 2 tp / (2 tp + fp + fn)
"""


def f1(y_true: list[str], y_hat: list[str], label: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of a label; 0 where there is nothing to divide by.

    >>> f1(["+", "+", "-", "-"], ["+", "-", "+", "+"], "+")
    (0.3333333333333333, 0.5, 0.4)
    """
    pairs = list(zip(y_true, y_hat, strict=True))
    tp = sum(y == label == guess for y, guess in pairs)
    fp = sum(y != label == guess for y, guess in pairs)
    fn = sum(y == label != guess for y, guess in pairs)
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    return precision, recall, 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0


def macro_f1(y_true: list[str], y_hat: list[str]) -> float:
    """
    >>> macro_f1(["+", "+", "-"], ["+", "-", "-"]) == (2 / 3 + 2 / 3) / 2
    True
    """
    labels = sorted({*y_true, *y_hat})
    return sum(f1(y_true, y_hat, label)[2] for label in labels) / len(labels)
