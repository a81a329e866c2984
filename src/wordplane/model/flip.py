"""The fewest words of a text without which it would get another label.

Every word is taken away by itself and the text is scored again; then the words are taken away
together, those first that lowered the score of the label most, until the label changes; then each
is put back that was not needed for it. Nothing is concluded from weights: what is shown has been
tried on the text that is left.

With two classes, words that are features by themselves, and no norm, the score is a sum with a
term per word, and the largest terms are the fewest. Otherwise (runs of words, characters, norms,
more classes) it is certain only where all smaller sets were tried: one word always, pairs of up
to 60 words. `is_smallest` says whether it is.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.types import Label
from wordplane.learners.support.base import best_output
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents
from wordplane.text.fields import BETWEEN

MOST_WORDS = 1000  # the first of a text that are looked at
MOST_CHARACTERS = 3_000_000  # scored at once: of a text above 3,000 characters, fewer words
MOST_SCORES = 2_000_000  # at once: with more than 2,000 labels, fewer words
PAIRS_OF = 60

Span: TypeAlias = tuple[int, int, int]  # the number of the field (0 without), start, end


@dataclass(frozen=True)
class Flip:
    """Words without which the label is another, and the text that is left."""

    words: tuple[str, ...]
    label: Label
    text: str
    is_smallest: bool


def smallest_flip(model: TextModel, documents: Documents) -> Flip | None:
    """The flip of the first document; None if it keeps its label whatever is taken away."""
    attempt = _Attempt(model, documents)
    n_words = min(
        MOST_WORDS,
        MOST_CHARACTERS // max(len(documents.texts[0]), 1),
        MOST_SCORES // len(model.classes),
    )
    words = list(attempt.spans)[: max(n_words, 1)]
    if not words:
        return None
    alone, flipped = attempt.without([{word} for word in words])
    order = [words[i] for i in np.argsort(alone, kind="stable").tolist()]
    found = {words[_best(alone, flipped)]} if flipped.any() else _fewest(attempt, order)
    if found is None:
        return None
    tried = 1 if len(words) == len(attempt.spans) else 0
    if len(found) > 2 and tried and len(words) <= PAIRS_OF:
        pairs = [set(pair) for pair in combinations(words, 2)]
        margins, flipped = attempt.without(pairs)
        found = pairs[_best(margins, flipped)] if flipped.any() else found
        tried = 2
    certain = len(found) <= tried + 1 or (attempt.is_sum and tried > 0)
    left = attempt.left(found)
    label = model.classes.tolist()[int(best_output(attempt.scores([left]), len(model.classes))[0])]
    shown = tuple(word for word in attempt.spans if word in found)
    return Flip(shown, label, BETWEEN.join(left), certain)


def _best(margins: NDArray[np.float64], flipped: NDArray[np.bool_]) -> int:
    """Which of those that flip the label does so most clearly: one that does not may tie."""
    return int(np.argmin(np.where(flipped, margins, np.inf)))


def _fewest(attempt: "_Attempt", order: list[str]) -> set[str] | None:
    """The first words that flip the label together, less those that it flips without."""
    _, flipped = attempt.without([set(order[:n]) for n in range(1, len(order) + 1)])
    if not flipped.any():
        return None
    found = set(order[: int(np.argmax(flipped)) + 1])
    for word in reversed(order[: len(found)]):
        if len(found) > 1 and attempt.without([found - {word}])[1][0]:
            found = found - {word}
    return found


class _Attempt:
    """A document, its words and where they stand, and its scores without some of them."""

    def __init__(self, model: TextModel, documents: Documents) -> None:
        self._model, self._documents = model, documents
        columns = list(documents.fields.values()) or [documents.texts]
        self._texts = [texts[0] for texts in columns]
        spec = model.features.spec
        ngrams, negation = spec.tokens.ngrams, spec.tokens.negation
        self.spans: dict[str, list[Span]] = {}
        for column, text in enumerate(self._texts):
            for token in spec.tokens.tokenize(text):
                word = token.text.removeprefix("NOT_") if negation else token.text
                word = word.lower() if spec.tokens.lowercase else word
                self.spans.setdefault(word, []).append((column, token.start, token.end))
        self._label = int(best_output(self.scores([self._texts]), len(model.classes))[0])
        self.is_sum = (
            len(model.classes) == 2
            and list(model.features.vocabularies) == ["words"]
            and ngrams is not None
            and ngrams[1] == 1
            and spec.weighting.norm is None
            and not negation
            and model.features.n_features == model.features.n_counted
        )

    def left(self, words: set[str]) -> list[str]:
        """The text, or those of the fields, without the words."""
        edges = sorted(span for word in words for span in self.spans[word])
        left = []
        for column, text in enumerate(self._texts):
            kept, end = [], 0
            for of, start, stop in edges:
                if of == column:
                    kept.append(text[end:start])
                    end = stop
            left.append("".join([*kept, text[end:]]))
        return left

    def without(self, sets: list[set[str]]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """For each set of words: by how much the label leads without them, and whether not."""
        z = self.scores([self.left(words) for words in sets])
        flipped = best_output(z, len(self._model.classes)) != self._label
        if z.shape[1] == 1:
            return (z[:, 0] if self._label == 1 else -z[:, 0]), flipped
        own = z[:, self._label].copy()
        z[:, self._label] = -np.inf  # what is left are its rivals
        return own - z.max(axis=1), flipped

    def scores(self, rows: list[list[str]]) -> NDArray[np.float64]:
        """Of texts that stand where this one does, beside the same columns."""
        copies = self._documents.take(np.zeros(len(rows), np.int64))
        copies.texts = _core.Texts([BETWEEN.join(row) for row in rows])
        for column, name in enumerate(copies.fields):
            copies.fields[name] = _core.Texts([row[column] for row in rows])
        return self._model.scores(copies, threads=1)
