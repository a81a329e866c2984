"""Why a text got its label: what every feature in it added to the score.

The score explained is that of the label: with two classes its margin over the other, with
more its distance above the mean of all classes (what they share decides nothing), with sets of
labels its distance above its own threshold, from which on it is given; of a regression it is the
number. A feature j
adds v_j (W_jk - mean_k' W_jk'), shared out among its occurrences; these and the bias sum to the
score, but for the rounding of sums in double precision: less than 1e-14 of their summed sizes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.groups import other_rows
from wordplane.common.parameters import check_whole
from wordplane.common.types import FloatArray, IntArray, Label
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents
from wordplane.text.fields import BETWEEN, parse_part
from wordplane.text.token_spec import Token, TokenSpec

MOST_CHARACTERS, MOST_WORDS = 100, 6  # shown in a terminal
NUMBER = "number"  # what is explained of a regression, if its column has no name
DIRECTIONS = ("higher", "lower")
BOUNDARIES = {"<s>": "(start of the text)", "</s>": "(end of the text)"}


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
    `by_word` sums them up by the words that they come from. `tokens` says what a word is.
    """

    text: str
    label: Label
    score: float
    bias: float
    features: list[str]
    starts: IntArray
    ends: IntArray
    values: FloatArray
    tokens: TokenSpec
    fields: tuple[tuple[str, int], ...] = ()  # where each begins in the text

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

    def by_word(self) -> list[tuple[str, float]]:
        """What every word of the text adds in all, strongest first; with the bias, they sum to the
        score. A run of words or characters is shared out among the words that it has characters
        of, in proportion. What comes from no word, such as a column next to the text, is listed
        under the name of its feature.

        >>> from wordplane import TextClassifier
        >>> model = TextClassifier().fit(["good film", "bad film"] * 9, ["+", "-"] * 9)
        >>> explanation = model.explain("good, GOOD film")
        >>> [word for word, _ in explanation.by_word()][:2]
        ['good', 'film']
        >>> added = sum(value for _, value in explanation.by_word())
        >>> abs(added + explanation.bias - explanation.score) < 1e-9
        True
        """
        words, added, shared = self._added_by_words()
        sums: dict[str, float] = {}
        for word, value in zip(words, added, strict=True):
            sums[word.text] = sums.get(word.text, 0.0) + value
        for place in other_rows(len(self.values), shared).tolist():
            name = BOUNDARIES.get(self.features[place], self.features[place])
            sums[name] = sums.get(name, 0.0) + float(self.values[place])
        return sorted(sums.items(), key=lambda item: (-abs(item[1]), item[0]))

    def _added_by_words(self) -> tuple[list[Token], list[float], IntArray]:
        """The words of the text, what each adds there, and the occurrences that are shared out."""
        words = self._words()
        word_of = np.full(len(self.text), -1)
        for number, word in enumerate(words):
            word_of[word.start : word.end] = number
        before = np.append(0, np.cumsum(word_of >= 0))  # characters of words before each place
        n_own = before[np.maximum(self.ends, 0)] - before[np.maximum(self.starts, 0)]
        shared = np.flatnonzero((n_own > 0) & (self.starts >= 0))
        by_character = np.zeros(len(self.text) + 1)
        each = self.values[shared] / n_own[shared]
        np.add.at(by_character, self.starts[shared], each)
        np.subtract.at(by_character, self.ends[shared], each)
        own = np.flatnonzero(word_of >= 0)
        added = np.bincount(word_of[own], np.cumsum(by_character)[own], len(words)).tolist()
        return words, added, shared

    def _words(self) -> list[Token]:
        """The words of the text; those of a field begin with its name."""
        ends = [start - len(BETWEEN) for _, start in self.fields[1:]] + [len(self.text)]
        words = []
        for (name, start), end in zip(self.fields or (("", 0),), ends, strict=True):
            prefix = f"{name}:" if name else ""
            words += [
                Token(prefix + token.text, start + token.start, start + token.end)
                for token in self.tokens.tokenize(self.text[start:end])
                if token.end > token.start
            ]
        return words

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

    def __str__(self) -> str:
        """The label, its score, and the words that add most."""
        text = " ".join(self.text.split())
        shown = text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
        words = self.by_word()
        lines = [f"label     {self.label}, score {self.score:.3f}", f"text      {shown}"]
        lines += [f"{value:>+8.3f}  {word}" for word, value in words[:MOST_WORDS]]
        rest = sum(value for _, value in words[MOST_WORDS:])
        n_rest = len(words) - MOST_WORDS
        lines += [f"{rest:>+8.3f}  ({n_rest:,} more)"] if n_rest > 0 else []
        return "\n".join([*lines, f"{self.bias:>+8.3f}  (bias)"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The text with a green or red background where it speaks for or against the label, and
        what its words add as tooltips."""
        words, added, _ = self._added_by_words()
        sums = np.append(0.0, np.cumsum(added))
        starts, shown, begin = [word.start for word in words], [], 0
        for text, weight in self.pieces():
            first, last = np.searchsorted(starts, [begin, begin + len(text)])
            begin += len(text)
            color = "0,160,0" if weight > 0 else "220,0,0"
            style = f"background:rgba({color},{abs(weight) * 0.6:.2f})"
            title = f' title="{sums[last] - sums[first]:+.3f}"' if last > first else ""
            shown.append(f'<span style="{style}"{title}>{escape(text)}</span>')
        head = f"<b>{escape(str(self.label))}</b>, score {self.score:.3f}"
        return f"<p>{head}</p><p>{''.join(shown)}</p>"


def top_features(
    model: TextModel, n: int, n_labels: int | None = None, *, readable: bool = False
) -> dict[Label, list[tuple[str, float]]]:
    """For each class, or the first of them, the n features that raise its score most, with their
    weights; if they are to be readable, without runs of characters and boundaries of texts, unless
    there are no others."""
    check_whole("`n`", n)
    if readable:
        return _readable_features(model, n, n_labels)
    weights = _weights_of_labels(model, n_labels)
    return {label: _strongest(model, w, n) for label, w in weights}


def _readable_features(
    model: TextModel, n: int, n_labels: int | None
) -> dict[Label, list[tuple[str, float]]]:
    """The same without features that only a machine can read."""
    starts = [*(start for _, start in model.features.groups), model.features.n_counted]
    is_run = np.zeros(model.features.n_features, bool)
    for number, (group, start) in enumerate(model.features.groups):
        is_run[start : starts[number + 1]] = parse_part(group).kind == "char"
    if is_run.all():
        is_run[:] = False
    readable = {}
    for label, w in _weights_of_labels(model, n_labels):
        w = np.where(is_run, -np.inf, w)
        found = _strongest(model, w, 3 * n)  # few of them are boundaries
        words = [(name, x) for name, x in found if not BOUNDARIES.keys() & set(name.split(" "))]
        readable[label] = [(name, x) for name, x in words if np.isfinite(x)][:n]
    return readable


def _weights_of_labels(
    model: TextModel, n_labels: int | None
) -> Iterator[tuple[Label, NDArray[np.float32]]]:
    """What every feature adds to the score of each class, or the first of them; of a regression, to
    the number, and how much it lowers it."""
    if model.predicts_numbers:
        yield from zip(DIRECTIONS, (model.W[:, 0], -model.W[:, 0]), strict=True)
    for k, label in enumerate(model.classes[:n_labels].tolist()):
        yield label, _weights_for(model, k)


def _weights_for(model: TextModel, k: int) -> NDArray[np.float32]:
    """What every feature adds to the score of class k."""
    if model.tree is not None:
        return model.path_to_label(k).W[:, 0]
    if model.fasttext is not None:
        return model.fasttext.word_weights(k)
    if model.W.shape[1] < len(model.classes):
        return model.W[:, 0] if k == 1 else -model.W[:, 0]
    return model.W[:, k]


def _strongest(model: TextModel, w: NDArray[np.float32], n: int) -> list[tuple[str, float]]:
    best = np.argsort(-w, kind="stable")[:n]
    return [(model.features.name(j), float(w[j])) for j in best.tolist()]


def explain(model: TextModel, documents: Documents, label: Label | None = None) -> Explanation:
    """The explanation of a label for the first document: the one that the model gives it, or of
    a set of labels the one that is most above its threshold.

    With a tree, the score explained is the sum of those on the way to the label; so it is with
    fastText's hierarchical softmax."""
    z, bias = model.scores(documents, threads=1)[0], model.b
    is_multilabel = isinstance(model.calibrator, LabelDecisions)
    if isinstance(model.calibrator, LabelDecisions):
        z, bias = z - model.calibrator.thresholds, bias - model.calibrator.thresholds
    names, tokens = model.classes.tolist(), model.features.spec.tokens
    if model.predicts_numbers:
        if label is not None:
            raise InputError(f"the label {label!r} cannot be explained: the model predicts numbers")
        k, names = 1, [None, model.training.label_column or NUMBER]
    elif label is None:
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
        of_text = *added, tokens, _field_starts(documents)
        return Explanation(documents.texts[0], names[k], score, float(way.b[0]), *of_text)
    if model.fasttext is not None:
        added = model.fasttext_contributions(documents, k)
        score = float(added.values.sum())
        return Explanation(documents.texts[0], names[k], score, 0.0, *added, tokens)
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
    of_text = *added, tokens, _field_starts(documents)
    return Explanation(documents.texts[0], names[k], score, of_bias, *of_text)


def _field_starts(documents: Documents) -> tuple[tuple[str, int], ...]:
    """Where each field of the first document begins in its text."""
    lengths = [len(texts[0]) + len(BETWEEN) for texts in documents.fields.values()]
    starts = np.cumsum([0, *lengths]).tolist()
    return tuple(zip(documents.fields, starts, strict=False))
