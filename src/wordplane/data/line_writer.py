"""Rows as lines of the formats that have one per row, as far as these can hold them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus, Labels
from wordplane.data.formats import fasttext

# What a line of each format can hold beside its text.
HELD = {
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
LINE_BREAKS = re.compile(r"[\r\n]")
VW_MARKS = re.compile(r"[:|]")
ITEM = re.compile(r"(.+):[0-9.eE+-]+", re.DOTALL)


def labels_of(held: Labels | None) -> tuple[Any, ...]:
    """The labels of a row: none, one or several."""
    if held is None:
        return ()
    return held if isinstance(held, tuple) else (held,)


class LineWriter:
    """Writes rows as lines, and remembers what had to be changed for it."""

    def __init__(self, form: str) -> None:
        self.form = form
        self._n_rows = 0
        self._changed: Counter[str] = Counter()
        self._left_out: dict[str, None] = {}
        self._owner: dict[str, str] = {}  # of names as they are written

    def of(self, corpus: Corpus) -> Iterator[str]:
        """The lines of a corpus."""
        given = {**corpus.extras, **{name: getattr(corpus, name) for name in ("ids", "weights")}}
        given |= {"labels": corpus.labels, "split": corpus.split}
        held = HELD[self.form]
        self._left_out |= {n: None for n, v in given.items() if v is not None and n not in held}
        line_of = getattr(self, f"_{self.form}")
        for row, text in enumerate(corpus.texts):
            self._n_rows += 1
            line = line_of(corpus, row, self._blanked(LINE_BREAKS, "line breaks", text))
            # readers drop one mark from the beginning of a file
            yield "\ufeff" + line if self._n_rows == 1 and line.startswith("\ufeff") else line

    def notes(self) -> list[str]:
        """What was changed or left out."""
        notes = [f"{n:,} {what}" for what, n in self._changed.items()]
        if self._left_out:
            notes.append(f"{self.form} cannot hold the {', '.join(self._left_out)}: left out")
        return notes

    def _lines(self, corpus: Corpus, row: int, text: str) -> str:
        return text

    def _fasttext(self, corpus: Corpus, row: int, text: str) -> str:
        if fasttext.LABEL.search(text):
            raise self._refusal(
                f"the text has a word that begins with {fasttext.PREFIX}: it would be a label"
            )
        return " ".join([*(fasttext.PREFIX + one for one in self._names(corpus, row)), text])

    def _vw(self, corpus: Corpus, row: int, text: str) -> str:
        head = ",".join(self._names(corpus, row))
        if head and corpus.weights is not None:
            head += f" {float(corpus.weights[row])!r}"
        if corpus.ids is not None and corpus.ids[row]:
            head += f" '{self._name('ids', corpus.ids[row])}"
        return f"{head} | {self._blanked(VW_MARKS, ': or |', text)}"

    def _counts(self, corpus: Corpus, row: int, text: str) -> str:
        names = self._names(corpus, row)
        if len(names) > 1:
            raise self._refusal(f"{len(names)} labels, which counts cannot hold")
        items, _ = self._items(corpus, text)
        return " ".join([*items, *(f"#label#:{name}" for name in names)])

    def _svmlight(self, corpus: Corpus, row: int, text: str) -> str:
        items, features = self._items(corpus, text)
        wrong = next((one for one in features if not one.isdecimal()), None)
        if wrong is not None:
            why = "features are numbers in svmlight: write those of a model with --features MODEL"
            raise self._refusal(f"the feature {wrong!r:.60}; {why}")
        labels = map(str, labels_of(corpus.labels[row] if corpus.labels else None))
        return " ".join([",".join(labels) or "0", *items])

    def _items(self, corpus: Corpus, text: str) -> tuple[list[str], list[str]]:
        """The `word:count` items of a row, and their words."""
        items = [item for item in re.split(r"[ \t]", text) if item]
        found = [ITEM.fullmatch(item) for item in items]
        if not corpus.has_counts or None in found:
            raise self._refusal(
                f"the text {text!r:.60}, expected word:count items as in counts and svmlight files"
                + ("; or name a model with --features" if self.form == "svmlight" else "")
            )
        return items, [match[1] for match in found if match]

    def _names(self, corpus: Corpus, row: int) -> list[str]:
        held = labels_of(corpus.labels[row] if corpus.labels else None)
        return [self._name("labels", str(one)) for one in held]

    def _name(self, what: str, value: str) -> str:
        """A label or id as the format can hold it; never two of them with one name."""
        name = NOT_IN_NAMES[self.form].sub("_", value)
        if name != value:
            self._changed[f"{what} have blanks or marks: these became _"] += 1
        if what == "labels" and self._owner.setdefault(name, value) != value:
            raise self._refusal(
                f"the labels {value!r:.60} and {self._owner[name]!r:.60} would both be "
                f"{name!r:.60} in {self.form}; rename one of them"
            )
        return name

    def _blanked(self, pattern: re.Pattern[str], what: str, text: str) -> str:
        plain = pattern.sub(" ", text)
        if plain != text:
            self._changed[f"texts have {what}: these became blanks"] += 1
        return plain

    def _refusal(self, why: str) -> InputError:
        return InputError(f"row {self._n_rows}: {why}")
