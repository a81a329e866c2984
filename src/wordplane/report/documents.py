"""The documents that a page shows, with the words that count, and those behind each cell."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane.common.progress import notify
from wordplane.model.measuring import Measured, MeasuredSets

PER_CELL = 40
MAX_CHARACTERS = 2_000
MAX_BYTES = 2_400_000  # of all documents behind cells
LEVELS = 4  # of how strongly a word is marked

# What could hide or turn around other text, or is no text.
STEERING = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    r"""Text in which control characters are shown as escapes.

    >>> visible("abc\u202etxt.exe")
    'abc\\u202etxt.exe'
    """
    return STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


@dataclass(frozen=True)
class Document:
    """A text in runs, each with how strongly it speaks for what was said: -4 to 4.

    now   what the saved model says, where a model that had not seen the text said otherwise: its
          words then say nothing of the mistake, and are not marked
    """

    name: str
    truth: str
    said: str
    sure: float
    runs: tuple[tuple[str, int], ...]
    left_out: int  # characters
    now: str = ""


def document(measured: Measured, i: int, max_characters: int = MAX_CHARACTERS) -> Document:
    """Measured row i."""
    row = int(measured.rows[i])
    said = measured.said[i]
    found = measured.by.explain(measured.corpus.take([row]))
    same = found.label == said
    pieces = found.pieces() if same else [(found.text, 0.0)]
    return Document(
        name=visible(measured.name(row)),
        truth=visible(str(measured.truth[i])),
        said=visible(str(said)),
        sure=float(measured.sure[i]),
        runs=tuple(_runs(pieces, max_characters)),
        left_out=max(len(found.text) - max_characters, 0),
        now="" if same else visible(str(found.label)),
    )


def label_document(measured: MeasuredSets, i: int, k: int, max_characters: int) -> Document:
    """Measured row i, as to label k, which was given to it wrongly or missed."""
    row, label = int(measured.rows[i]), measured.model.classes_.tolist()[k]
    found = measured.model.explain(measured.corpus.take([row]), label)
    p, given = float(measured.probabilities[i, k]), bool(measured.said_of(k)[i])
    same = given == (found.score > 0)
    sign = 1 if given else -1  # words speak for what was said: not to give it
    pieces = [(t, sign * w) for t, w in found.pieces()] if same else [(found.text, 0.0)]
    names = visible(f"not {label}"), visible(str(label))
    return Document(
        name=visible(measured.name(row)),
        truth=names[not given],
        said=names[given],
        sure=p if given else 1 - p,
        runs=tuple(_runs(pieces, max_characters)),
        left_out=max(len(found.text) - max_characters, 0),
        now="" if same else names[not given],
    )


def _runs(pieces: list[tuple[str, float]], max_characters: int) -> Iterator[tuple[str, int]]:
    """The beginning of a text, neighbours of the same level joined; spaces join, unmarked else."""
    levels = [round(weight * LEVELS) for _, weight in pieces]
    begun, level, left = "", 0, max_characters
    for i, (text, _) in enumerate(pieces):
        if left <= 0:
            break
        new = levels[i]
        if text.isspace():
            new = level if level in levels[i + 1 : i + 2] else 0
        if new != level and begun:
            yield visible(begun), level
            begun = ""
        begun, level = begun + text[:left], new
        left -= len(text)
    if begun:
        yield visible(begun), level


@dataclass(frozen=True)
class Cells:
    """Documents behind the cells of a table: documents[i] for i in shown[t, p]."""

    documents: tuple[Document, ...]
    shown: dict[tuple[int, int], list[int]]


def cells(measured: Measured, true: NDArray[Any], said: NDArray[Any]) -> Cells:
    """At most 40 documents of each cell (true code, said code), the surest first.

    If all of them together were too much for one page, every cell shows fewer.
    """
    order = np.lexsort([-measured.sure, said, true])
    groups: dict[tuple[int, int], list[int]] = {}
    for i in order.tolist():
        group = groups.setdefault((int(true[i]), int(said[i])), [])
        if len(group) < PER_CELL:
            group.append(i)
    size = np.zeros(PER_CELL)
    for group in groups.values():
        for place, i in enumerate(group):
            text = measured.corpus.texts[int(measured.rows[i])]
            size[place] += len(text[:MAX_CHARACTERS].encode("utf-8", "replace"))
    fit = max(int(np.searchsorted(np.cumsum(size), MAX_BYTES, side="right")), 1)
    documents: list[Document] = []
    shown: dict[tuple[int, int], list[int]] = {}
    n_documents = sum(len(group[:fit]) for group in groups.values())
    for cell, group in groups.items():
        shown[cell] = []
        for i in group[:fit]:
            shown[cell].append(len(documents))
            documents.append(document(measured, i))
            notify("explaining texts", len(documents), n_documents)
    return Cells(tuple(documents), shown)
