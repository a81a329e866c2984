"""The lines of fastText: words, and labels among them, which begin with `__label__`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wordplane.common.notes import Note
from wordplane.data.encoding import Decoding, RecordError, text_lines
from wordplane.data.formats.records import RecordOrBlank, RecordTable

PREFIX = "__label__"
# As in fastText, a word ends at these characters and not at other white space.
BLANKS = " \t\v\f\0\r\n"
FIRST = re.compile(f"{PREFIX}([^{BLANKS}]*)(?:[{BLANKS}]|$)")
LABEL = re.compile(f"(?:(?<=[{BLANKS}])|^){FIRST.pattern}")


class FastTextTable(RecordTable):
    """Lines with labels; `recognized` if nobody said so but the first of them."""

    has_free_columns = False

    def __init__(self, path: str, decoding: Decoding, recognized: bool = False) -> None:
        super().__init__(path, decoding)
        if recognized:
            text = f"{self.file}: labels are words that begin with {PREFIX} (fastText)"
            self.notes.append(Note("column", text))

    def records(self) -> Iterator[RecordOrBlank]:
        for number, line in enumerate(text_lines(self.path, self.decoding, newline="\n"), 1):
            text = line.removesuffix("\n").removesuffix("\r")
            labels = []
            begin = 0
            while first := FIRST.match(text, begin):  # most lines begin with their labels
                labels.append(first[1])
                begin = first.end()
            text = text[begin:]
            if PREFIX in text:
                labels += LABEL.findall(text)
                text = LABEL.sub("", text)
            if "" in labels:
                raise RecordError(f"{PREFIX} without a name after it", number)
            yield number, {"text": text, "label": labels or None}
