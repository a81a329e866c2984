"""Why a text got its label: what every feature in it added to the score.

The score explained is that of the label: with two classes its margin over the other, with
more its distance above the mean of all classes (what they share decides nothing), with sets of
labels its distance above its own threshold, from which on it is given. A feature j
adds v_j (W_jk - mean_k' W_jk'), shared out among its occurrences; these and the bias sum to the
score.
"""

import re
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.learners.support.base import best_output
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents


@dataclass(frozen=True)
class Contribution:
    """What one occurrence of a feature, text[start:end], adds to the score.

    What stands nowhere in the text, such as a column beside it, has no start and no end.
    """

    feature: str
    start: int | None
    end: int | None
    value: float


@dataclass(frozen=True)
class Explanation:
    """A label, its score, and the contributions that sum to it, strongest first."""

    text: str
    label: Any
    score: float
    bias: float
    contributions: tuple[Contribution, ...]

    def by_feature(self) -> list[tuple[str, float]]:
        """What every feature adds in all, strongest first."""
        sums: dict[str, float] = {}
        for c in self.contributions:
            sums[c.feature] = sums.get(c.feature, 0.0) + c.value
        return sorted(sums.items(), key=lambda item: (-abs(item[1]), item[0]))

    def characters(self) -> NDArray[np.float64]:
        """What every character of the text adds: an occurrence is shared out among its own."""
        edges = np.zeros(len(self.text) + 1)
        for c in self.contributions:
            if c.start is not None and c.end is not None and c.end > c.start:
                each = c.value / (c.end - c.start)
                edges[c.start] += each
                edges[c.end] -= each
        return np.cumsum(edges)[:-1]

    def pieces(self) -> list[tuple[str, float]]:
        """The text in words and what is between them, each with what it adds, the largest 1."""
        per_character = self.characters()
        pieces = [
            (m.group(), float(per_character[m.start() : m.end()].sum()))
            for m in re.finditer(r"\S+|\s+", self.text)
        ]
        most = max((abs(weight) for _, weight in pieces), default=0.0) or 1.0
        return [(text, weight / most) for text, weight in pieces]

    def _repr_html_(self) -> str:
        """The text with a green or red background where it speaks for or against the label."""
        shown = []
        for text, weight in self.pieces():
            colour = "0,160,0" if weight > 0 else "220,0,0"
            style = f"background:rgba({colour},{abs(weight) * 0.6:.2f})"
            shown.append(f'<span style="{style}" title="{weight:+.2f}">{escape(text)}</span>')
        return f"<p><b>{escape(str(self.label))}</b> ({self.score:.3f})</p><p>{''.join(shown)}</p>"


def top_features(model: TextModel, n: int) -> dict[Any, list[tuple[str, float]]]:
    """For each class, the n features that raise its score most, with their weights."""
    one_for_two = model.W.shape[1] < len(model.classes)
    W = model.W if not one_for_two else np.column_stack([-model.W[:, 0], model.W[:, 0]])
    top = {}
    for k, label in enumerate(model.classes.tolist()):
        best = np.argsort(-W[:, k], kind="stable")[:n]
        top[label] = [(model.features.name(j), float(W[j, k])) for j in best.tolist()]
    return top


def explain(model: TextModel, documents: Documents, label: Any = None) -> Explanation:
    """The explanation of a label for the first document: the one that the model gives it, or of
    a set of labels the one that is most above its threshold."""
    z = model.scores(documents, threads=1)
    decisions = model.calibrator if isinstance(model.calibrator, LabelDecisions) else None
    if decisions is not None:
        z = z - decisions.thresholds
    names = model.classes.tolist()
    if label is None:
        k = int(z[0].argmax() if decisions is not None else best_output(z, len(names))[0])
    elif label in names:
        k = names.index(label)
    else:
        raise InputError(
            f"the model has no label {label!r}; it knows {', '.join(map(repr, names))}"
        )
    _, columns, values = model.features.transform(documents, threads=1).arrays()
    W = model.W[columns].astype(np.float64)
    if decisions is not None:
        weights, bias, score = W[:, k], model.b[k] - decisions.thresholds[k], z[0, k]
    elif z.shape[1] == 1:
        sign = 1.0 if k == 1 else -1.0
        weights, bias, score = sign * W[:, 0], sign * model.b[0], sign * z[0, 0]
    else:
        weights = W[:, k] - W.mean(axis=1)
        bias = model.b[k] - model.b.mean()
        score = z[0, k] - z[0].mean()
    added = dict(zip(columns.tolist(), (values * weights).tolist(), strict=True))
    contributions = [
        Contribution(model.features.name(column), start, end, added[column] * share)
        for column, share, start, end in model.features.occurrences(documents)
        if column in added
    ]
    contributions.sort(key=lambda c: (-abs(c.value), c.start or 0, c.end or 0))
    text = documents.texts[0]
    return Explanation(text, names[k], float(score), float(bias), tuple(contributions))
