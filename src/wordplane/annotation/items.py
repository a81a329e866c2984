"""What goes into a project, and what comes out: data, and texts to label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordplane._core import Texts
from wordplane.data.corpus import Corpus
from wordplane.data.read import Frame, Source, read
from wordplane.data.read_options import Reading
from wordplane.text.texts import as_texts

Data = Source | Sequence[str] | Texts | Frame | Corpus


@dataclass(frozen=True)
class Item:
    """A text to label.

    text         its number, from 1
    name         its id in the data, or else the number
    content      the text itself
    reason       why it is shown (`wordplane.annotation.choice`)
    guess        the labels that the model would give; None without a model
    probability  of the guess
    labels       those that it has already
    """

    text: int
    name: str
    content: str
    reason: str
    guess: tuple[str, ...] | None
    probability: float | None
    labels: tuple[str, ...] | None


def as_corpus(data: Data, reading: Reading) -> Corpus:
    """Texts, with labels where the data have any."""
    if isinstance(data, Corpus):
        return data
    if isinstance(data, list | tuple | Texts):
        return Corpus(as_texts(data))
    return read(data, **reading)
