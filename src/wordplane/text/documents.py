"""What users pass as X: texts, and further columns that are features too."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.data.vectors import as_vectors
from wordplane.text.fields import BETWEEN, FIELD_KIND, parse_part
from wordplane.text.texts import as_texts

FURTHER = ("numbers", "categories", "fields", "vectors")


class ArrowColumn(Protocol):
    """A column of polars, pyarrow or whatever speaks Arrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


TextsLike: TypeAlias = Corpus | _core.Texts | Iterable[str] | ArrowColumn | Mapping[str, object]


@dataclass(slots=True)  # not frozen: that would double the time to make one
class Documents:
    """Texts with columns of numbers, of categories (None: unknown), and of vectors (a matrix each),
    aligned by row. With fields, `texts` are the texts of the fields with line breaks between."""

    texts: _core.Texts
    numbers: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    categories: dict[str, list[str | None]] = field(default_factory=dict)
    fields: dict[str, _core.Texts] = field(default_factory=dict)
    vectors: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Some of the documents."""
        numbers = {name: values[rows] for name, values in self.numbers.items()}
        categories = {
            name: [values[row] for row in rows.tolist()] for name, values in self.categories.items()
        }
        fields = {name: texts.take(rows) for name, texts in self.fields.items()}
        vectors = {name: values[rows] for name, values in self.vectors.items()}
        return type(self)(self.texts.take(rows), numbers, categories, fields, vectors)

    def texts_of(self, part: str) -> _core.Texts:
        """What a part of the features reads: the texts, or those of a field."""
        number = parse_part(part).field
        if number is None:
            return self.texts
        fields = list(self.fields.values())
        if number >= len(fields):
            raise InputError("the texts have no fields, and the analyzer names some")
        return fields[number]

    def __add__(self, more: "Documents") -> "Documents":
        """These documents and then more, of texts alone."""
        if any(getattr(each, name) for each in (self, more) for name in FURTHER):
            raise InputError("documents with further columns cannot be joined")
        return Documents(_core.Texts([*self.texts, *more.texts]))


def as_documents(X: object, kinds: Mapping[str, str]) -> Documents:
    """X with the columns that `kinds` names; without any, X is just the texts.

    With columns, X is a frame, a mapping of columns, or a Corpus. Its texts are in the columns of
    the kind "text", the fields; or else in the column `text`, or in the only one that `kinds` does
    not name.

    >>> mails = {"text": ["hi", "buy now"], "links": [0, 7]}
    >>> as_documents(mails, {"links": "number"}).numbers
    {'links': array([0., 7.])}
    """
    if isinstance(X, Documents):
        return X
    fields: dict[str, _core.Texts] = {}
    if isinstance(X, Corpus):
        columns: Mapping[str, object] = {**X.extras, **X.vectors}
        texts: _core.Texts | None = X.texts
    elif not kinds:
        return Documents(as_texts(X))
    else:
        names, columns = _column_names(X, kinds), cast(Mapping[str, object], X)
        has_fields = FIELD_KIND in kinds.values()
        texts = None if has_fields else as_texts(columns[_text_column(names, kinds)])
    for name in kinds:
        if name not in columns:
            raise InputError(f"X has no column {name!r}, which the analyzer names")
    if FIELD_KIND in kinds.values():
        fields = {name: as_texts(columns[name]) for name in kinds if kinds[name] == FIELD_KIND}
        texts = join_fields(fields)
    assert texts is not None
    documents = Documents(texts, fields=fields)
    for name, kind in kinds.items():
        if kind != FIELD_KIND:
            _add_column(documents, name, kind, columns[name])
    return documents


def _text_column(names: list[str], kinds: Mapping[str, str]) -> str:
    rest = [name for name in names if name not in kinds]
    if "text" not in names and len(rest) != 1:
        raise InputError(
            f"X has the columns {', '.join(names)}; which of them holds the texts? Call it `text`"
        )
    return "text" if "text" in names else rest[0]


def join_fields(fields: Mapping[str, _core.Texts]) -> _core.Texts:
    """The texts of the fields of each document, with line breaks between them."""
    lengths = {name: len(texts) for name, texts in fields.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{name!r} {n}" for name, n in lengths.items())
        raise InputError(f"the fields have different numbers of texts: {sizes}")
    if len(fields) == 1:
        return next(iter(fields.values()))
    return _core.Texts([BETWEEN.join(row) for row in zip(*fields.values(), strict=True)])


def _add_column(documents: Documents, name: str, kind: str, values: object) -> None:
    if kind == "vector":
        documents.vectors[name] = as_vectors(name, cast(Sequence[object], values), len(documents))
        return
    column: Sequence[object]
    column = values.tolist() if hasattr(values, "tolist") else list(cast(Iterable[object], values))
    if len(column) != len(documents):
        raise InputError(f"the column {name!r} has {len(column)} values for {len(documents)} texts")
    if kind == "number":
        documents.numbers[name] = _numbers(name, column)
    else:
        categories = [_category(name, row, value) for row, value in enumerate(column)]
        documents.categories[name] = categories


def _column_names(X: object, kinds: Mapping[str, str]) -> list[str]:
    names = X.keys() if isinstance(X, Mapping) else getattr(X, "columns", None)
    if names is None:
        raise InputError(
            f"the analyzer names the columns {', '.join(kinds)}: X must be a frame or a mapping "
            f"that has them{_and_texts(kinds)}, not {type(X).__name__}"
        )
    return [str(name) for name in names]


def _and_texts(kinds: Mapping[str, str]) -> str:
    return "" if FIELD_KIND in kinds.values() else " and the texts"


def _numbers(name: str, values: Sequence[object]) -> NDArray[np.float64]:
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            numbers[row] = float(cast(float, value))
        except (TypeError, ValueError):
            numbers[row] = math.nan
        if not math.isfinite(numbers[row]):
            raise InputError(f"row {row} of {name!r} is {value!r}, expected a finite number")
    return numbers


def _category(name: str, row: int, value: object) -> str | None:
    if value is None or value != value or value == "":
        return None
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"row {row} of {name!r} is {text!r}: a lone surrogate") from None
    return text
