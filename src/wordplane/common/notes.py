"""Notes: what was guessed, or is unusual, about data, a model or the work, for the caller to show.

A note is a sentence that has a kind. It is shown and stored as text; code that has to decide
anything looks at its kind, never at its words.

    column          which column was taken for what
    label column    the same of labels and weights, which do not matter where no labels are read
    encoding        how the bytes of a file were read
    missing labels  rows that have no label
    left out        rows, columns or files that were not read
    unusual         what looks like a mistake in the data
    model           what the model was trained on, or how often it was measured
    method          how the work was done
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

NoteKind: TypeAlias = Literal[
    "column",
    "label column",
    "encoding",
    "missing labels",
    "left out",
    "unusual",
    "model",
    "method",
]


class Note(str):
    """A sentence with a kind.

    >>> note = Note("missing labels", "2 of 4 labels are missing")
    >>> note.kind, f"note: {note}"
    ('missing labels', 'note: 2 of 4 labels are missing')
    """

    __slots__ = ("kind",)
    kind: NoteKind

    def __new__(cls, kind: NoteKind, text: str) -> "Note":
        note = super().__new__(cls, text)
        note.kind = kind
        return note

    def __reduce__(self) -> tuple[type["Note"], tuple[object, ...]]:
        return Note, (self.kind, str(self))


class CountedNote(Note):
    """How many rows something is said of, and where the first is; for `merge_notes`."""

    __slots__ = ("n", "of", "place", "what")
    n: int
    of: int | None
    place: str
    what: str

    def __new__(
        cls, kind: NoteKind, n: int, of: int | None, what: str, place: str
    ) -> "CountedNote":
        among = f"{n:,}" if of is None else f"{n:,} of {of:,}"
        note = super().__new__(cls, kind, f"{among} {what}, the first in {place}")
        assert isinstance(note, cls)
        note.n, note.of, note.what, note.place = n, of, what, place
        return note

    def __reduce__(self) -> tuple[type[Note], tuple[object, ...]]:
        return CountedNote, (self.kind, self.n, self.of, self.what, self.place)


def merge_notes(notes: Iterable[str]) -> list[str]:
    """The notes of several batches, each once; what was counted in several is counted together.

    >>> first = CountedNote("unusual", 2, 10, "texts are empty", "line 3")
    >>> merge_notes([first, "other", CountedNote("unusual", 5, 10, "texts are empty", "line 14")])
    ['7 texts are empty, the first in line 3', 'other']
    """
    merged: dict[object, str] = {}
    for note in notes:
        key: object = note
        if isinstance(note, CountedNote):
            key = note.kind, note.what
            before = merged.get(key)
            if isinstance(before, CountedNote):
                n = before.n + note.n
                note = CountedNote(note.kind, n, None, note.what, before.place)
        merged[key] = note
    return list(merged.values())
