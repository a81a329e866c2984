"""Writes rows as lines, in the formats that have one line per row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus, label_tuple
from wordplane.data.formats import fasttext
from wordplane.data.read_options import LABEL_PREFIX

# What a line of each format can hold in addition to its text.
LINE_FIELDS: dict[str, tuple[str, ...]] = {
    "lines": (),
    "fasttext": ("labels",),
    "vw": ("labels", "weights", "ids"),
    "svmlight": ("labels",),
    "counts": ("labels",),
}
NOT_IN_NAMES = {
    "fasttext": re.compile(f"[{fasttext.BLANKS}]"),
    "vw": re.compile(r"^'|[ \t\r\n|:,]"),
    "counts": re.compile(r"[ \t\r\n]"),
}
INNER_LABEL = fasttext.inner_label_pattern()
LINE_BREAKS = re.compile(r"[\r\n]")
VW_MARKS = re.compile(r"[:|]")
ITEM = re.compile(r"(.+):[0-9.eE+-]+", re.DOTALL)


class LineWriter:
    """Writes rows as lines and remembers what it had to change."""

    def __init__(self, format: str) -> None:
        self.format = format
        self._n_rows = 0
        self._changed: Counter[str] = Counter()
        self._left_out: dict[str, None] = {}
        self._label_of_name: dict[str, str] = {}  # names as they are written

    def lines(self, corpus: Corpus) -> Iterator[str]:
        """The lines of a corpus."""
        fields: dict[str, object] = {
            **corpus.extras,
            "ids": corpus.ids,
            "weights": corpus.weights,
            "labels": corpus.labels,
            "split": corpus.split,
        }
        for name, values in fields.items():
            if values is not None and name not in LINE_FIELDS[self.format]:
                self._left_out[name] = None
        line_of = getattr(self, f"_{self.format}")
        for row, text in enumerate(corpus.texts):
            self._n_rows += 1
            line = line_of(corpus, row, self._replace_by_blanks(LINE_BREAKS, "line breaks", text))
            # readers drop one mark from the beginning of a file
            yield "\ufeff" + line if self._n_rows == 1 and line.startswith("\ufeff") else line

    def notes(self) -> list[str]:
        """What was changed or left out."""
        notes = [f"{n:,} {what}" for what, n in self._changed.items()]
        if self._left_out:
            names = ", ".join(self._left_out)
            notes.append(f"{self.format} cannot hold everything; left out: {names}")
        return notes

    def _lines(self, corpus: Corpus, row: int, text: str) -> str:
        return text

    def _fasttext(self, corpus: Corpus, row: int, text: str) -> str:
        if INNER_LABEL.search(text):
            raise self._error(
                f"the text has a word that begins with {LABEL_PREFIX}, which would be read as "
                "a label; change the word"
            )
        return " ".join([*(LABEL_PREFIX + one for one in self._names(corpus, row)), text])

    def _vw(self, corpus: Corpus, row: int, text: str) -> str:
        head = ",".join(self._names(corpus, row))
        if head and corpus.weights is not None:
            head += f" {float(corpus.weights[row])!r}"
        if corpus.ids is not None and corpus.ids[row]:
            head += f" '{self._name('ids', corpus.ids[row])}"
        return f"{head} | {self._replace_by_blanks(VW_MARKS, ': or |', text)}"

    def _counts(self, corpus: Corpus, row: int, text: str) -> str:
        names = self._names(corpus, row)
        if len(names) > 1:
            raise self._error(f"{len(names)} labels; the counts format holds one per row")
        items, _ = self._items(corpus, text)
        return " ".join([*items, *(f"#label#:{name}" for name in names)])

    def _svmlight(self, corpus: Corpus, row: int, text: str) -> str:
        items, features = self._items(corpus, text)
        wrong = next((one for one in features if not one.isdecimal()), None)
        if wrong is not None:
            raise self._error(
                f"the feature is {wrong!r:.60}, but svmlight numbers its features; "
                "pass a model as `features` to write its feature numbers"
            )
        labels = map(str, label_tuple(corpus.labels[row] if corpus.labels else None))
        return " ".join([",".join(labels) or "0", *_each_once(items, features)])

    def _items(self, corpus: Corpus, text: str) -> tuple[list[str], list[str]]:
        """The `word:count` items of a row, and their words."""
        items = [item for item in re.split(r"[ \t]", text) if item]
        matches = [ITEM.fullmatch(item) for item in items]
        if not corpus.has_counts or None in matches:
            raise self._error(
                f"the text is {text!r:.60}, expected word:count items as in counts and svmlight "
                "files" + ("; or pass a model as `features`" * (self.format == "svmlight"))
            )
        return items, [match[1] for match in matches if match]

    def _names(self, corpus: Corpus, row: int) -> list[str]:
        labels = label_tuple(corpus.labels[row] if corpus.labels else None)
        return [self._name("labels", str(label)) for label in labels]

    def _name(self, what: str, value: str) -> str:
        """A label or id as the format can hold it; no two labels get the same name."""
        name = NOT_IN_NAMES[self.format].sub("_", value)
        if name != value:
            self._changed[f"{what} have blanks or marks, replaced by _"] += 1
        if what == "labels" and self._label_of_name.setdefault(name, value) != value:
            raise self._error(
                f"the labels {value!r:.60} and {self._label_of_name[name]!r:.60} would both be "
                f"{name!r:.60} in {self.format}; rename one of them"
            )
        return name

    def _replace_by_blanks(self, pattern: re.Pattern[str], what: str, text: str) -> str:
        plain = pattern.sub(" ", text)
        if plain != text:
            self._changed[f"texts have {what}, replaced by blanks"] += 1
        return plain

    def _error(self, why: str) -> InputError:
        return InputError(f"row {self._n_rows}: {why}")


def _each_once(items: list[str], features: list[str]) -> list[str]:
    """The items of a line of svmlight, which has a feature once: counts of the same are added.

    >>> _each_once(["1:2", "3:1", "01:1"], ["1", "3", "01"])
    ['1:3', '3:1']
    """
    numbers = [name.lstrip("0") or "0" for name in features]
    if len(set(numbers)) == len(numbers):
        return items
    sums = dict.fromkeys(numbers, 0.0)
    for number, item in zip(numbers, items, strict=True):
        sums[number] += float(item.rpartition(":")[2])
    return [f"{number}:{total:.17g}" for number, total in sums.items()]
