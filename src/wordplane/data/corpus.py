"""A corpus: documents and what is known about each of them, aligned by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.groups import take_groups
from wordplane.common.notes import Note
from wordplane.common.types import FloatArray, IntArray, Label

RowLabels = Label | tuple[Label, ...] | None
Value = TypeVar("Value")


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents with labels, ids, weights, a split and extra columns; row i of each is document i.

    texts    the documents
    labels   strings, integers or booleans, all of one type. In multi-label data, a tuple of labels
             per row. None means that the label is missing, which happens only if the reader was
             not asked to require labels
    ids      as given; without ids, callers use row numbers (`row_name`)
    weights  finite and >= 0
    split    "train", "dev", "test" or "cv" for each document; those of "cv" are trained on and
             measured in folds
    extras   further columns by name: lists of floats or of strings
    vectors  further columns of vectors by name, a matrix each
    fields   the weights of those of the further columns that are fields: feature spaces of their
             own, whose texts `texts` has with line breaks between them
    notes    what was guessed or is unusual, one sentence each, for the caller to show
    source   where the documents come from
    format   the format of the file, or of the first of several files
    text_columns    the names of the columns that the texts come from
    label_column    the name of the column that the labels come from
    groups          a number per document; those with the same number belong together, and no
                    split separates them
    times           the place of each document in time, from 0, if known (see `common.times`)
    unread_columns  the names of the columns that were not read
    file_style      how the file is written, where that is unusual: its `encoding`, the `delimiter`
                    of CSV, the `sheet` if there are several, and the `header` "none"
    row_numbers     of the documents in their source, counted from 1; None if these are all rows

    >>> corpus = Corpus(Texts(["good", "bad", "fine"]), labels=["pos", "neg", "pos"])
    >>> corpus
    Corpus(3 texts, 2 classes)
    >>> len(corpus), corpus.take([2, 0]).labels
    (3, ['pos', 'pos'])
    """

    texts: Texts
    labels: Sequence[RowLabels] | None = None
    ids: list[str] | None = None
    weights: FloatArray | None = None
    split: list[str] | None = None
    extras: dict[str, Sequence[float] | Sequence[str]] = field(default_factory=dict)
    vectors: dict[str, FloatArray] = field(default_factory=dict)
    fields: dict[str, float] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    source: str = ""
    format: str = ""
    text_columns: tuple[str, ...] = ()
    label_column: str | None = None
    groups: IntArray | None = None
    times: IntArray | None = None
    unread_columns: tuple[str, ...] = ()
    file_style: dict[str, str] = field(default_factory=dict)
    row_numbers: IntArray | None = None

    def __post_init__(self) -> None:
        columns: dict[str, Sequence[object] | FloatArray | IntArray | None] = {
            "labels": self.labels,
            "ids": self.ids,
            "weights": self.weights,
            "groups": self.groups,
            "times": self.times,
            "split": self.split,
            "row_numbers": self.row_numbers,
            **{f"extras[{name!r}]": values for name, values in self.extras.items()},
            **{f"vectors[{name!r}]": values for name, values in self.vectors.items()},
        }
        for name, values in columns.items():
            if values is not None and len(values) != len(self):
                raise InputError(
                    f"{name} has {len(values):,} values for {len(self):,} documents; "
                    "each column needs one value per document"
                )
        for row, part in enumerate(self.split or ()):
            if part not in ("train", "dev", "test", "cv"):
                raise InputError(
                    f"split[{row}] is {part!r}, expected 'train', 'dev', 'test' or 'cv'"
                )

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        parts = [f"{len(self):,} texts"]
        if self.labels is not None:
            classes = {label for labels in self.labels for label in label_tuple(labels)}
            parts.append(f"{len(classes):,} classes")
        if self.source:
            parts.append(f"from {self.source}")
        return f"Corpus({', '.join(parts)})"

    @property
    def first_row(self) -> int:
        """The number of the first row: in files rows are counted from 1, as their readers do; what
        is in memory is counted from 0, as Python does, so that `frame.iloc` finds it."""
        return 1 if self.source else 0

    def row_name(self, row: int) -> str:
        """The id of a row, or else its number.

        >>> Corpus(Texts(["good", "bad"])).row_name(1)
        '1'
        >>> Corpus(Texts(["good", "bad"]), source="films.csv").row_name(1)
        '2'
        """
        return str(self.row_number(row)) if self.ids is None else str(self.ids[row])

    @property
    def has_counts(self) -> bool:
        """Whether the texts are `word:count` items instead of words."""
        return self.format in ("counts", "svmlight")

    @property
    def has_tokens(self) -> bool:
        """Whether the texts come from a format whose words are separated by white space."""
        return self.format in ("fasttext", "vw")

    def take(self, rows: ArrayLike) -> Corpus:
        """The documents at these row numbers, in that order. Notes and source stay as they are."""
        wanted = np.ascontiguousarray(rows, dtype=np.int64)
        numbers = wanted.tolist()
        wrong = wanted[(wanted < 0) | (wanted >= len(self))]
        if len(wrong):
            raise InputError(f"there is no row {wrong[0]}: the rows are 0 to {len(self) - 1}")

        numbers_in_source = wanted + 1 if self.row_numbers is None else self.row_numbers[wanted]

        def pick(values: Sequence[Value] | None) -> list[Value] | None:
            return None if values is None else [values[row] for row in numbers]

        return replace(
            self,
            texts=self.texts.take(wanted),
            labels=pick(self.labels),
            ids=pick(self.ids),
            weights=None if self.weights is None else self.weights[wanted],
            groups=take_groups(self.groups, wanted),
            times=None if self.times is None else self.times[wanted],
            split=pick(self.split),
            row_numbers=numbers_in_source if numbers else None,  # no rows may become others
            extras={name: [values[row] for row in numbers] for name, values in self.extras.items()},
            vectors={name: values[wanted] for name, values in self.vectors.items()},
        )

    @staticmethod
    def join(corpora: Sequence[Corpus]) -> Corpus:
        """The documents of all, with those columns that a model may read: extras and vectors.

        >>> list(Corpus.join([Corpus(Texts(["a", "b"])), Corpus(Texts(["c"]))]).texts)
        ['a', 'b', 'c']
        """
        first = corpora[0]
        extras = {
            name: cast(list[str], [value for corpus in corpora for value in corpus.extras[name]])
            for name in first.extras
        }
        return Corpus(
            Texts.join([corpus.texts for corpus in corpora]),
            extras={**extras},
            vectors={
                name: np.concatenate([corpus.vectors[name] for corpus in corpora])
                for name in first.vectors
            },
            fields=first.fields,
            format=first.format,
        )

    def row_number(self, row: int) -> int:
        """The number of document `row` in its source, as it is printed (`first_row`)."""
        place = row if self.row_numbers is None else int(self.row_numbers[row]) - 1
        return place + self.first_row

    def split_rows(self, part: Literal["train", "dev", "test", "cv"]) -> IntArray:
        """The row numbers of one part of the split; those of "cv" are part of "train". Without a
        split, every row is "train".

        >>> corpus = Corpus(Texts(["a", "b", "c"]), split=["cv", "test", "train"])
        >>> corpus.split_rows("train").tolist(), corpus.split_rows("cv").tolist()
        ([0, 2], [0])
        """
        if part not in ("train", "dev", "test", "cv"):
            raise InputError(f"part is {part!r}, expected 'train', 'dev', 'test' or 'cv'")
        if self.split is None:
            return np.arange(len(self) if part == "train" else 0, dtype=np.int64)
        parts = ("train", "cv") if part == "train" else (part,)
        return np.flatnonzero(np.isin(self.split, parts)).astype(np.int64)


def label_tuple(labels: RowLabels) -> tuple[Label, ...]:
    """The labels of a row as a tuple: none, one or several.

    >>> label_tuple(None), label_tuple("a"), label_tuple(("a", "b"))
    ((), ('a',), ('a', 'b'))
    """
    if labels is None:
        return ()
    return labels if isinstance(labels, tuple) else (labels,)
