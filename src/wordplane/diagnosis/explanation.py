"""Why a text got its label: what every feature in it added to the score.

The score explained is that of the label: with two classes its margin over the other, with
more its distance above the mean of all classes (what they share decides nothing). Every
occurrence of a feature j adds x_j (W_jk - mean_k' W_jk') / occurrences of j; these and the
bias sum to the score.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wordplane import _core
from wordplane.learners.base import best_class
from wordplane.text_model import TextModel


@dataclass(frozen=True)
class Contribution:
    """What one occurrence of a feature, text[start:end], adds to the score."""

    feature: str
    start: int
    end: int
    value: float


@dataclass(frozen=True)
class Explanation:
    """A label, its score, and the contributions that sum to it, strongest first."""

    text: str
    label: Any
    score: float
    bias: float
    contributions: tuple[Contribution, ...]


def top_features(model: TextModel, n: int) -> dict[Any, list[tuple[str, float]]]:
    """For each class, the n features that raise its score most, with their weights."""
    W = model.W if model.W.shape[1] > 1 else np.column_stack([-model.W[:, 0], model.W[:, 0]])
    top = {}
    for k, label in enumerate(model.classes.tolist()):
        best = np.argsort(-W[:, k], kind="stable")[:n]
        top[label] = [(model.vocabulary.name(j), float(W[j, k])) for j in best.tolist()]
    return top


def explain(model: TextModel, text: str) -> Explanation:
    """The explanation of the label that the model gives to the text."""
    z = model.scores(_core.Texts([text]), threads=1)
    one_output = z.shape[1] == 1
    k = int(best_class(z[:, 0] if one_output else z, len(model.classes))[0])
    columns, counts, starts, ends = _core.trace(model.analyzer.native(), model.vocabulary, text)
    W = model.W[columns].astype(np.float64)
    if one_output:
        sign = 1.0 if k == 1 else -1.0
        weights, bias, score = sign * W[:, 0], sign * model.b[0], sign * z[0, 0]
    else:
        weights = W[:, k] - W.mean(axis=1)
        bias = model.b[k] - model.b.mean()
        score = z[0, k] - z[0].mean()
    if model.analyzer.binary:
        _, feature, occurrences = np.unique(columns, return_inverse=True, return_counts=True)
        counts = 1.0 / occurrences[feature]
    values = weights * counts
    contributions = [
        Contribution(model.vocabulary.name(column), int(start), int(end), float(value))
        for column, start, end, value in zip(columns.tolist(), starts, ends, values, strict=True)
    ]
    contributions.sort(key=lambda c: (-abs(c.value), c.start, c.end))
    label = model.classes.tolist()[k]
    return Explanation(text, label, float(score), float(bias), tuple(contributions))
