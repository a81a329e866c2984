"""The documents that a page shows, with their words highlighted."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from wordplane.common.progress import notify
from wordplane.common.types import IntArray
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.number_measurement import NumberMeasurement

MAX_PER_CELL = 40
MAX_CHARACTERS = 2_000
MISTAKE_CHARACTERS = 700
MAX_BYTES = 2_400_000  # of the documents of all cells
LEVELS = 4  # of highlighting

# Characters that could hide or reverse other text, or that are not text.
CONTROL = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    r"""The text with control characters as escapes.

    >>> visible("abc\u202etxt.exe")
    'abc\\u202etxt.exe'
    """
    return CONTROL.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


@dataclass(frozen=True)
class Document:
    """A text in runs, each with how strongly it speaks for the predicted label: -4 to 4.

    saved_label  the label of the saved model if a model that had not seen the text predicted
                 another one. The weights of the saved model then do not explain the prediction,
                 so no words are highlighted.
    """

    name: str
    truth: str
    predicted: str
    confidence: float
    runs: tuple[tuple[str, int], ...]
    left_out: int  # characters
    saved_label: str = ""


def document(measured: Measurement, i: int, max_characters: int = MAX_CHARACTERS) -> Document:
    """Row i of a measurement."""
    row = int(measured.rows[i])
    predicted = measured.predicted[i]
    explanation = measured.predicted_by.explain(measured.corpus.take([row]))
    same = explanation.label == predicted
    pieces = explanation.pieces() if same else [(explanation.text, 0.0)]
    return Document(
        name=visible(measured.name(row)),
        truth=visible(str(measured.truth[i])),
        predicted=visible(str(predicted)),
        confidence=float(measured.confidence[i]),
        runs=tuple(_runs(pieces, max_characters)),
        left_out=max(len(explanation.text) - max_characters, 0),
        saved_label="" if same else visible(str(explanation.label)),
    )


def label_document(measured: SetMeasurement, i: int, k: int) -> Document:
    """Row i of a measurement, for label k, which was predicted wrongly or missed."""
    row, label = int(measured.rows[i]), measured.model.classes_.tolist()[k]
    explanation = measured.model.explain(measured.corpus.take([row]), label)
    text, pieces = explanation.text, explanation.pieces()
    p, has_label = float(measured.probabilities[i, k]), bool(measured.is_predicted(k)[i])
    same = has_label == (explanation.score > 0)
    sign = 1 if has_label else -1  # words speak for the prediction, which may be "not the label"
    pieces = [(t, sign * w) for t, w in pieces] if same else [(text, 0.0)]
    names = visible(f"not {label}"), visible(str(label))
    return Document(
        name=visible(measured.name(row)),
        truth=names[not has_label],
        predicted=names[has_label],
        confidence=p if has_label else 1 - p,
        runs=tuple(_runs(pieces, MISTAKE_CHARACTERS)),
        left_out=max(len(text) - MISTAKE_CHARACTERS, 0),
        saved_label="" if same else names[not has_label],
    )


def number_document(measured: NumberMeasurement, i: int, show: Callable[[float], str]) -> Document:
    """Row i of a measurement of numbers; words speak for a higher number, or a lower one."""
    row = int(measured.rows[i])
    explanation = measured.model.explain(measured.corpus.take([row]))
    return Document(
        name=visible(measured.name(row)),
        truth=show(float(measured.truth[i])),
        predicted=show(float(measured.predicted[i])),
        confidence=0.0,
        runs=tuple(_runs(explanation.pieces(), MISTAKE_CHARACTERS)),
        left_out=max(len(explanation.text) - MISTAKE_CHARACTERS, 0),
    )


def _runs(pieces: list[tuple[str, float]], max_characters: int) -> Iterator[tuple[str, int]]:
    """The beginning of a text, with neighbors of the same level joined.

    A space has the level of its neighbors if they agree, otherwise 0.
    """
    levels = [round(weight * LEVELS) for _, weight in pieces]
    run, level, left = "", 0, max_characters
    for i, (text, _) in enumerate(pieces):
        if left <= 0:
            break
        new = levels[i]
        if text.isspace():
            new = level if level in levels[i + 1 : i + 2] else 0
        if new != level and run:
            yield visible(run), level
            run = ""
        run, level = run + text[:left], new
        left -= len(text)
    if run:
        yield visible(run), level


@dataclass(frozen=True)
class Cells:
    """The documents of each cell of the confusion matrix: documents[i] for i in shown[t, p]."""

    documents: tuple[Document, ...]
    shown: dict[tuple[int, int], list[int]]


def cell_documents(measured: Measurement, true: IntArray, predicted: IntArray) -> Cells:
    """At most 40 documents of each cell (true code, predicted code), the most confident first.

    If these are too much for one page, every cell shows fewer.
    """
    order = np.lexsort([-measured.confidence, predicted, true])
    groups: dict[tuple[int, int], list[int]] = {}
    for i in order.tolist():
        group = groups.setdefault((int(true[i]), int(predicted[i])), [])
        if len(group) < MAX_PER_CELL:
            group.append(i)
    size = np.zeros(MAX_PER_CELL)
    for group in groups.values():
        for rank, i in enumerate(group):
            text = measured.corpus.texts[int(measured.rows[i])]
            size[rank] += len(text[:MAX_CHARACTERS].encode("utf-8", "replace"))
    n_shown = max(int(np.searchsorted(np.cumsum(size), MAX_BYTES, side="right")), 1)
    documents: list[Document] = []
    shown: dict[tuple[int, int], list[int]] = {}
    n_documents = sum(len(group[:n_shown]) for group in groups.values())
    for cell, group in groups.items():
        shown[cell] = []
        for i in group[:n_shown]:
            shown[cell].append(len(documents))
            documents.append(document(measured, i))
            notify("explaining texts", len(documents), n_documents)
    return Cells(tuple(documents), shown)
