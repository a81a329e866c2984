"""fastText's lines: words, and among them labels, which begin with `__label__`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .encoding import RecordError, text_lines
from .records import RecordOrBlank, RecordTable

PREFIX = "__label__"
# A word ends where fastText's does: at these characters, not at other white space.
BLANKS = " \t\v\f\0\r\n"
LABEL = re.compile(f"(?:(?<=[{BLANKS}])|^){PREFIX}([^{BLANKS}]*)(?:[{BLANKS}]|$)")


class FastTextTable(RecordTable):
    guessed = False

    def records(self) -> Iterator[RecordOrBlank]:
        for number, line in enumerate(text_lines(self.path, self.encoding, newline="\n"), 1):
            line = line.removesuffix("\n").removesuffix("\r")
            labels = LABEL.findall(line)
            if "" in labels:
                raise RecordError(f"{PREFIX} without a name behind it", number)
            yield number, {"text": LABEL.sub("", line), "label": labels}
