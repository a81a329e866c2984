"""The lines of svmlight: `label number:value number:value ... # comment`.

They have no text. If the values are counts, a row is read like one of `word:count` items, with
the feature numbers as words. Other values cannot be read as texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wordplane.data.encoding import RecordError, text_lines
from wordplane.data.formats.records import RecordOrBlank, RecordTable

ITEM = re.compile(r"([0-9]+):\+?0*([0-9]{1,9})(?:\.0*)?(?:[eE]\+?0+)?")
IN_PYTHON = "in Python, sklearn.datasets.load_svmlight_file reads it for any learner"


class SvmlightTable(RecordTable):
    has_free_columns = False

    def records(self) -> Iterator[RecordOrBlank]:
        for number, line in enumerate(text_lines(self.path, self.decoding, newline="\n"), 1):
            items = line.partition("#")[0].split()
            if not items:
                yield number, None
                continue
            label, *features = items
            if ":" in label:
                raise RecordError(f"the line begins with {label!r:.60}, expected a label", number)
            words = []
            for item in features:
                match = ITEM.fullmatch(item)
                if match is None:
                    why = f"found {item!r:.60}, expected feature:count with a whole number"
                    raise RecordError(f"{why}; {IN_PYTHON}", number)
                words.append(f"{match[1]}:{int(match[2])}")
            labels = [one for one in label.split(",") if one]
            yield number, {"text": " ".join(words), "label": labels or None}
