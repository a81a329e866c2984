"""Why a text got its label: what every feature in it added to the score.

The score explained is that of the label: with two classes its margin over the other, with
more its distance above the mean of all classes (what they share decides nothing), with sets of
labels its distance above its own threshold, from which on it is given. A feature j
adds v_j (W_jk - mean_k' W_jk'), shared out among its occurrences; these and the bias sum to the
score, but for the rounding of sums in double precision: less than 1e-14 of their summed sizes.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray, Label
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents


class Contribution(NamedTuple):
    """What one occurrence of a feature, text[start:end], adds to the score.

    What stands nowhere in the text, such as a column beside it, has no start and no end.
    """

    feature: str
    start: int | None
    end: int | None
    value: float


@dataclass(frozen=True, eq=False)
class Explanation:
    """A label, its score, and what adds up to that with the bias.

    `features`, `starts`, `ends` and `values` have an entry for every occurrence of a feature,
    strongest first; -1 where it stands nowhere in the text. `contributions` are the same, as rows.
    """

    text: str
    label: Label
    score: float
    bias: float
    features: list[str]
    starts: IntArray
    ends: IntArray
    values: FloatArray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Explanation):
            return NotImplemented
        one, two = ((e.text, e.label, e.score, e.bias) for e in (self, other))
        return one == two and self.contributions == other.contributions

    def __hash__(self) -> int:
        return hash((self.text, self.label, self.score))

    @cached_property
    def contributions(self) -> tuple[Contribution, ...]:
        """What every occurrence of a feature adds, strongest first."""
        starts, ends = (
            [None if at < 0 else at for at in column.tolist()]
            for column in (self.starts, self.ends)
        )
        rows = zip(self.features, starts, ends, self.values.tolist(), strict=True)
        return tuple(map(Contribution._make, rows))

    def by_feature(self) -> list[tuple[str, float]]:
        """What every feature adds in all, strongest first."""
        sums: dict[str, float] = {}
        for feature, value in zip(self.features, self.values.tolist(), strict=True):
            sums[feature] = sums.get(feature, 0.0) + value
        return sorted(sums.items(), key=lambda item: (-abs(item[1]), item[0]))

    def characters(self) -> FloatArray:
        """What every character of the text adds: an occurrence is shared out among its own."""
        edges = np.zeros(len(self.text) + 1)
        here = self.ends > self.starts
        starts, ends = self.starts[here], self.ends[here]
        each = self.values[here] / (ends - starts)
        np.add.at(edges, starts, each)
        np.subtract.at(edges, ends, each)
        return np.cumsum(edges)[:-1]

    def pieces(self) -> list[tuple[str, float]]:
        """The text in words and what is between them, each with what it adds, the largest 1."""
        found = list(re.finditer(r"\S+|\s+", self.text))
        if not found:
            return []
        weights = np.add.reduceat(self.characters(), [m.start() for m in found]).tolist()
        pieces = [(m.group(), weight) for m, weight in zip(found, weights, strict=True)]
        most = max((abs(weight) for _, weight in pieces), default=0.0) or 1.0
        return [(text, weight / most) for text, weight in pieces]

    def _repr_html_(self) -> str:
        """The text with a green or red background where it speaks for or against the label."""
        shown = []
        for text, weight in self.pieces():
            color = "0,160,0" if weight > 0 else "220,0,0"
            style = f"background:rgba({color},{abs(weight) * 0.6:.2f})"
            shown.append(f'<span style="{style}" title="{weight:+.2f}">{escape(text)}</span>')
        return f"<p><b>{escape(str(self.label))}</b> ({self.score:.3f})</p><p>{''.join(shown)}</p>"


def top_features(model: TextModel, n: int) -> dict[Label, list[tuple[str, float]]]:
    """For each class, the n features that raise its score most, with their weights."""
    if model.tree is not None:
        return {
            label: _strongest(model, model.path_to_label(k).W[:, 0], n)
            for k, label in enumerate(model.classes.tolist())
        }
    one_for_two = model.W.shape[1] < len(model.classes)
    W = model.W if not one_for_two else np.column_stack([-model.W[:, 0], model.W[:, 0]])
    top = {}
    for k, label in enumerate(model.classes.tolist()):
        top[label] = _strongest(model, W[:, k], n)
    return top


def _strongest(model: TextModel, w: NDArray[np.float32], n: int) -> list[tuple[str, float]]:
    best = np.argsort(-w, kind="stable")[:n]
    return [(model.features.name(j), float(w[j])) for j in best.tolist()]


def explain(model: TextModel, documents: Documents, label: Label | None = None) -> Explanation:
    """The explanation of a label for the first document: the one that the model gives it, or of
    a set of labels the one that is most above its threshold.

    With a tree, the score explained is the sum of those on the way to the label."""
    z, bias = model.scores(documents, threads=1)[0], model.b
    is_multilabel = isinstance(model.calibrator, LabelDecisions)
    if isinstance(model.calibrator, LabelDecisions):
        z, bias = z - model.calibrator.thresholds, bias - model.calibrator.thresholds
    names = model.classes.tolist()
    if label is None:
        k = int(z.argmax()) if len(z) > 1 or is_multilabel else int(z[0] > 0)
    elif label in names:
        k = names.index(label)
    else:
        raise InputError(
            f"the model has no label {label!r}; it knows {', '.join(map(repr, names))}"
        )
    if model.tree is not None:
        way = model.path_to_label(k)
        score, added = (
            float(way.scores(documents, 1)[0, 0]),
            way.contributions(documents, np.ones(1)),
        )
        return Explanation(documents.texts[0], names[k], score, float(way.b[0]), *added)
    # The score explained is z @ direction.
    if is_multilabel:
        direction = np.zeros(len(names))
        direction[k] = 1.0
    elif len(z) == 1:
        direction = np.array([1.0 if k == 1 else -1.0])
    else:
        direction = np.full(len(names), -1 / len(names))
        direction[k] += 1.0
    score, of_bias = float(z @ direction), float(bias @ direction)
    added = model.contributions(documents, direction)
    return Explanation(documents.texts[0], names[k], score, of_bias, *added)
