"""The lines of fastText: words, and labels among them, which begin with a prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wordplane.common.notes import Note
from wordplane.data.encoding import Decoding, RecordError, text_lines
from wordplane.data.formats.records import RecordOrBlank, RecordTable
from wordplane.data.read_options import LABEL_PREFIX

# As in fastText, a word ends at these characters and not at other white space.
BLANKS = " \t\v\f\0\r\n"


def label_pattern(prefix: str = LABEL_PREFIX) -> re.Pattern[str]:
    """A label, and the blank after it."""
    return re.compile(f"{re.escape(prefix)}([^{BLANKS}]*)(?:[{BLANKS}]|$)")


def inner_label_pattern(prefix: str = LABEL_PREFIX) -> re.Pattern[str]:
    """A label anywhere in a line."""
    return re.compile(f"(?:(?<=[{BLANKS}])|^){label_pattern(prefix).pattern}")


class FastTextTable(RecordTable):
    """Lines with labels; `recognized` if nobody said so but the first of them."""

    has_free_columns = False

    def __init__(
        self,
        path: str,
        decoding: Decoding,
        prefix: str = LABEL_PREFIX,
        recognized: bool = False,
    ) -> None:
        super().__init__(path, decoding)
        self._prefix = prefix
        if recognized:
            text = f"{self.file}: labels are words that begin with {prefix} (fastText)"
            self.notes.append(Note("column", text))

    def records(self) -> Iterator[RecordOrBlank]:
        first_label, inner_label = label_pattern(self._prefix), inner_label_pattern(self._prefix)
        for number, line in enumerate(text_lines(self.path, self.decoding, newline="\n"), 1):
            text = line.removesuffix("\n").removesuffix("\r")
            labels = []
            begin = 0
            while first := first_label.match(text, begin):  # most lines begin with their labels
                labels.append(first[1])
                begin = first.end()
            text = text[begin:]
            if self._prefix in text:
                labels += inner_label.findall(text)
                text = inner_label.sub("", text)
            if "" in labels:
                raise RecordError(f"{self._prefix} without a name after it", number)
            yield number, {"text": text, "label": labels or None}
