"""Notes: what was guessed, or is unusual, about data, a model or the work, for the caller to show.

A note is a sentence that has a kind. It is shown and stored as text; code that has to decide
anything looks at its kind, never at its words.

    column          which column was taken for what
    label column    the same of labels and weights, which do not matter where no labels are read
    missing labels  rows that have no label
    left out        rows, columns or files that were not read
    unusual         what looks like a mistake in the data
    model           what the model was trained on, or how often it was measured
    method          how the work was done
"""

from typing import Literal, TypeAlias

NoteKind: TypeAlias = Literal[
    "column", "label column", "missing labels", "left out", "unusual", "model", "method"
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

    def __reduce__(self) -> tuple[type["Note"], tuple[NoteKind, str]]:
        return Note, (self.kind, str(self))
