"""The lines of svmlight: `label number:value number:value ... # comment`.

They have no text. A feature occurs once in a line, as LIBLINEAR wants it. If the values are counts,
a row is read like one of `word:count` items, with the feature numbers as words. Features with other
values are columns of numbers, if they are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wordplane.data.columns import Sample, as_number
from wordplane.data.encoding import Decoding, RecordError, text_lines
from wordplane.data.formats.records import RecordOrBlank, RecordTable

ITEM = re.compile(r"([0-9]+):\+?0*([0-9]{1,9})(?:\.0*)?(?:[eE]\+?0+)?")
ABSENT = "0"  # the value of a feature that a line does not have
IN_PYTHON = "or, in Python, sklearn.datasets.load_svmlight_file reads it for any learner"


class SvmlightTable(RecordTable):
    has_free_columns = False

    def __init__(self, path: str, decoding: Decoding, numbers: Sequence[str] = ()) -> None:
        super().__init__(path, decoding)
        self._numbers = numbers  # features that become columns

    def sample(self) -> Sample:
        sample = super().sample()
        for name in self._numbers:
            self.note_absent("feature", name, sample[name], ABSENT)
        return sample

    def records(self) -> Iterator[RecordOrBlank]:
        for number, line in enumerate(text_lines(self.path, self.decoding, newline="\n"), 1):
            items = line.partition("#")[0].split()
            if not items:
                yield number, None
                continue
            label, *features = items
            if ":" in label:
                raise RecordError(f"the line begins with {label!r:.60}, expected a label", number)
            words, seen = [], set[str]()
            columns: dict[str, object] = dict.fromkeys(self._numbers, ABSENT)
            for item in features:
                name, _, value = item.partition(":")
                feature = name.lstrip("0") if name.isdecimal() else name
                if feature in seen:
                    why = f"the feature {name!r:.60} is there twice, expected once in a line"
                    raise RecordError(why, number)
                seen.add(feature)
                if name in columns:
                    if as_number(value) is None:
                        raise RecordError(f"found {item!r:.60}, expected a number", number)
                    columns[name] = value
                    continue
                match = ITEM.fullmatch(item)
                if match is None:
                    why = f"found {item!r:.60}, expected feature:count with a whole number"
                    raise RecordError(f"{why}; {name_as_column(item)}, {IN_PYTHON}", number)
                words.append(f"{match[1]}:{int(match[2])}")
            labels = [one for one in label.split(",") if one]
            yield number, {"text": " ".join(words), "label": labels or None, **columns}


def name_as_column(item: str) -> str:
    """What to do about a feature with another value than a count.

    >>> name_as_column("price:-0.5")
    "name it as a column of numbers with `extra='price'`"
    """
    return f"name it as a column of numbers with `extra={item.rpartition(':')[0]!r:.60}`"
