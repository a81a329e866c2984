"""Texts with numbers to predict, from a column of files and frames."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.notes import Note
from wordplane.common.types import FloatArray
from wordplane.data.columns import WRITTEN_KIND, as_number
from wordplane.data.corpus import Corpus
from wordplane.data.read import read
from wordplane.data.written_numbers import written_numbers
from wordplane.workflow.inputs import LabeledData, check_groups, name_of

GROUPED = re.compile(r"[1-9]\d{0,2}\.\d{3}")


def read_numbers(given: LabeledData, target: str) -> tuple[Corpus, FloatArray]:
    """Texts without labels, and their numbers from the column `target`."""
    if given.labels is not None or given.kind in ("corpus", "texts"):
        raise InputError(
            "`target` is a column of a file or frame; for texts and numbers in Python, use "
            "`TextRegressor().fit(texts, numbers)`"
        )
    if not isinstance(target, str):
        raise InputError(f"`target` is {target!r:.60}, expected the name of a column")
    check_groups(given.reading, has_groups=given.groups is not None)
    extra = given.reading.get("extra") or ()
    names = [extra] if isinstance(extra, str) else extra
    if target in names:
        raise InputError(f"the column {target!r} is both `target` and `extra`")
    kinds = names if isinstance(names, Mapping) else dict.fromkeys(names)
    options = {**given.reading, "extra": {**kinds, target: WRITTEN_KIND}}
    corpus = read(given.source, require_label=False, **options)  # type: ignore[arg-type]
    return _without_target(corpus, target)


def _without_target(corpus: Corpus, target: str) -> tuple[Corpus, FloatArray]:
    """The corpus without the column, and its numbers."""
    y, remarks = _numbers(corpus, target)
    extras = {name: column for name, column in corpus.extras.items() if name != target}
    notes = tuple(note for note in corpus.notes if getattr(note, "kind", "") != "label column")
    corpus = replace(
        corpus, extras=extras, labels=None, label_column=target, notes=(*notes, *remarks)
    )
    return corpus, y


def _numbers(corpus: Corpus, target: str) -> tuple[FloatArray, list[Note]]:
    """The numbers of a column, and a note if they are not written as programs write them."""
    values = corpus.extras[target]
    numbers = [as_number(value) for value in values]
    column = f"column {target!r} (`target`)"
    dotted = _may_be_thousands(values)
    is_written = None in numbers or 0 < len(dotted) < len(values)
    if is_written:
        try:
            numbers = written_numbers(values)
        except InputError as error:
            raise InputError(
                f"{name_of(corpus)}: in {column}, {error}; write numbers such as 1234.5"
            ) from None
    remarks = _example(values, numbers, target) if is_written or dotted else []
    for row, (value, number) in enumerate(zip(values, numbers, strict=True)):
        if number is None or not math.isfinite(number):
            raise InputError(
                f"{name_of(corpus)}, row {corpus.row_number(row)}: the value in {column} is "
                f"{value!r:.60}, expected a number such as 3.5, all in the same unit; labels are "
                f"named with `label={target!r}`"
            )
    return np.array(numbers, dtype=np.float64), remarks


def _may_be_thousands(values: Sequence[object]) -> list[str]:
    """The numbers whose point may be one between groups of digits, as in 1.234; none if others show
    that it is the decimal point."""
    texts = [value.strip().lstrip("+-") for value in values if isinstance(value, str)]
    dotted = [text for text in texts if "." in text]
    longest = max((len(text) for text in texts if "." not in text), default=0)
    return dotted if longest <= 3 and all(map(GROUPED.fullmatch, dotted)) else []


def _example(values: Sequence[object], numbers: Sequence[float | None], name: str) -> list[Note]:
    """What was made of the longest."""
    read = [(str(value), n) for value, n in zip(values, numbers, strict=True) if n is not None]
    if not read:
        return []
    value, number = max(read, key=lambda pair: len(pair[0]))
    return [Note("column", f"column {name!r}: {value!r:.60} is read as {number:.15g}")]
