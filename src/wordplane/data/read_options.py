"""How files and frames are read: one declaration for `read`, the workflow and the command line.

`ReadOptions` has the names, defaults and texts; `Reading` and `ReadKeywords` are the same names as
types of keyword arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Self, TypedDict

from wordplane.common.errors import InputError
from wordplane.common.parameters import nearest
from wordplane.data.encoding import check_encoding
from wordplane.data.format_names import FORMATS

if TYPE_CHECKING:  # few texts have them
    from wordplane.data.vectors import VectorsLike

LABEL_PREFIX = "__label__"


class Reading(TypedDict, total=False):
    """What users say about files and frames; `ReadOptions` explains each."""

    query: str | None
    format: str | None
    text: str | Sequence[str] | None
    label: str | None
    id: str | None
    weight: str | None
    group: str | None
    time: str | None
    extra: str | Sequence[str] | Mapping[str, str]
    fields: str | Sequence[str] | Mapping[str, float]
    vectors: VectorsLike
    encoding: str | None
    header: bool
    delimiter: str | None
    sheet: str | None
    label_separator: str | None
    label_prefix: str | None
    skip_unlabeled: bool
    skip_bad: bool
    follow_links: bool


class ReadKeywords(Reading, total=False):
    """The same, and what callers need to know of the rows."""

    labels: bool
    require_label: bool
    text_hint: Sequence[str] | None
    label_hint: str | None
    file_style: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadOptions:
    """How to read files and frames.

    query            the SQL whose rows to read, of a database: postgresql://host/db,
                     sqlite:///file or duckdb:///file
    format           such as csv or jsonl; by default, the extension decides
    text             the column of the texts; several columns are joined with a line break
    label            the column of the labels
    id               the column that names the rows
    weight           the column of the row weights
    group            the column that says which rows belong together (author, thread, customer),
                     which splits and intervals never separate
    time             the column of dates or numbers that says when texts were written: the latest
                     are held out, and folds follow one another in time, so that no model is
                     measured on texts older than those it learned
    extra            further columns to keep; a mapping may name each a "number" or a "category",
                     otherwise the values decide
    fields           columns of text, in place of `text`, that are feature spaces of their own: a
                     word is another feature in each; a mapping gives each a weight. In Vowpal
                     Wabbit's format, they are namespaces
    vectors          vectors that belong to the texts: a column of lists of numbers, an .npy file
                     with a row per text, or a matrix
    encoding         any codec that Python knows; by default, what the bytes say: UTF-8, or else
                     what reads well, with a note
    header           whether a CSV or TSV file begins with column names; without them, columns are
                     named 1, 2, ...
    delimiter        the character between the fields of a CSV or TSV file; by default, the first
                     lines decide
    sheet            the sheet of a spreadsheet; by default, the first
    label_separator  the character between the labels of a row (multi-label); a column of lists
                     needs none
    label_prefix     what labels begin with in files of fastText, by default __label__; a file
                     that begins so is recognized as one
    skip_unlabeled   leave out rows without a label, and note how many; rows without an id keep
                     their number in the file
    skip_bad         leave out rows of CSV, TSV and JSONL files that cannot be read, and note it
    follow_links     in a folder, read linked folders, and linked files that are outside
    labels           whether to read labels and weights at all; without labels, the files of a
                     folder need no class folders
    require_label    whether a row without a label is an error
    text_hint        columns to take as `text` if none is named and the file has all of them
    label_hint       the same for `label`
    file_style       the `encoding`, `delimiter`, `sheet`, missing `header` and `label_separator` of
                     other such files, to be tried first where none is named (see `Corpus`)
    """

    query: str | None = None
    format: str | None = None
    text: str | Sequence[str] | None = None
    label: str | None = None
    id: str | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    extra: str | Sequence[str] | Mapping[str, str] = ()
    fields: str | Sequence[str] | Mapping[str, float] = ()
    vectors: VectorsLike = None
    encoding: str | None = None
    header: bool = True
    delimiter: str | None = None
    sheet: str | None = None
    label_separator: str | None = None
    label_prefix: str | None = None
    skip_unlabeled: bool = False
    skip_bad: bool = False
    follow_links: bool = False
    labels: bool = True
    require_label: bool = False
    text_hint: Sequence[str] | None = None
    label_hint: str | None = None
    file_style: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Self:
        """With these options; of one that there is not, the error says which may be meant."""
        known = [one.name for one in fields(cls)]
        for name in options:
            if name not in known:
                raise TypeError(
                    f"there is no option {name!r} of reading data{nearest(name, known)}"
                )
        return cls(**options)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        for name in ("label", "id", "weight", "group", "time"):
            if isinstance(getattr(self, name), int):  # as frames without names have them
                object.__setattr__(self, name, str(getattr(self, name)))
        if self.format not in (None, *FORMATS):
            raise InputError(f"format is {self.format!r}, expected one of {', '.join(FORMATS)}")
        if self.label_prefix is not None and self.label_prefix.split() != [self.label_prefix]:
            raise InputError(
                f"label_prefix is {self.label_prefix!r}, expected characters without white space, "
                f"such as {LABEL_PREFIX}"
            )
        if self.encoding is not None:
            check_encoding(self.encoding)

    @property
    def prefix(self) -> str:
        """What labels begin with in files of fastText."""
        return LABEL_PREFIX if self.label_prefix is None else self.label_prefix

    @property
    def needs_labels(self) -> bool:
        """Whether a row without a label is an error, or is left out."""
        return self.require_label or self.skip_unlabeled


def as_names(given: str | Iterable[str] | None) -> tuple[str, ...]:
    """One name or several. Those of frames may be numbers, which are written here.

    >>> as_names("text"), as_names([0, 1])
    (('text',), ('0', '1'))
    """
    if given is None:
        return ()
    return (str(given),) if isinstance(given, str | int) else tuple(map(str, given))
