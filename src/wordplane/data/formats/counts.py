"""Documents as counts, one per line: `word:count word:count ... #label#:LABEL`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wordplane.data.encoding import RecordError, text_lines
from wordplane.data.formats.records import RecordOrBlank, RecordTable

LABEL = "#label#:"
MAX_COUNT = 2**32 - 1
# A word may contain colons. It ends at a blank or tab; other white space may be part of it.
ITEM = re.compile(r".+:0*[0-9]{1,10}", re.DOTALL)


class CountsTable(RecordTable):
    has_free_columns = False

    def records(self) -> Iterator[RecordOrBlank]:
        lines = text_lines(self.path, self.decoding, newline="\n")
        for number, line in enumerate(lines, 1):
            items = [item for item in re.split(r"[ \t]", line.rstrip("\r\n")) if item]
            labels = [item.removeprefix(LABEL) for item in items if item.startswith(LABEL)]
            words = [item for item in items if not item.startswith(LABEL)]
            if len(labels) > 1:
                why = f"{len(labels)} labels ({', '.join(labels):.60}), expected one"
                raise RecordError(why, number)
            for item in words:
                if not ITEM.fullmatch(item) or int(item.rpartition(":")[2][-10:]) > MAX_COUNT:
                    why = f"found {item!r:.60}, expected word:count with a count of 0 or more"
                    raise RecordError(why, number)
            yield number, {"text": " ".join(words), "label": labels[0] if labels else None}
