"""Texts with numbers to predict, from a column of files and frames."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.data.columns import as_number
from wordplane.data.corpus import Corpus
from wordplane.data.read import read
from wordplane.workflow.inputs import LabeledData, check_groups, name_of


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
    wanted = {**names, target: "number"} if isinstance(names, Mapping) else [*names, target]
    options = {**given.reading, "extra": wanted}
    corpus = read(given.source, require_label=False, **options)  # type: ignore[arg-type]
    return _without_target(corpus, target)


def _without_target(corpus: Corpus, target: str) -> tuple[Corpus, FloatArray]:
    """The corpus without the column, and its numbers."""
    values = corpus.extras[target]
    for row, value in enumerate(values):
        if as_number(value) is None:
            number = corpus.row_number(row)
            raise InputError(
                f"{name_of(corpus)}, row {number}: the value in column {target!r} (`target`) is "
                f"{value!r:.60}, expected a number such as 3.5; labels are named with "
                f"`label={target!r}`"
            )
    extras = {name: column for name, column in corpus.extras.items() if name != target}
    notes = tuple(note for note in corpus.notes if getattr(note, "kind", "") != "label column")
    corpus = replace(corpus, extras=extras, labels=None, label_column=target, notes=notes)
    return corpus, np.array(values, dtype=np.float64)
