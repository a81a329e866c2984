"""What users pass as X: texts, and the columns beside them that are features too."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.text.texts import as_texts


class ArrowColumn(Protocol):
    """A column of polars, pyarrow or whatever speaks Arrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


TextsLike: TypeAlias = Corpus | _core.Texts | Iterable[str] | ArrowColumn | Mapping[str, object]


@dataclass(slots=True)  # not frozen: that would double the time to make one
class Documents:
    """Texts with columns of numbers and of categories (None: unknown), aligned by row."""

    texts: _core.Texts
    numbers: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    categories: dict[str, list[str | None]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Some of the documents."""
        numbers = {name: values[rows] for name, values in self.numbers.items()}
        categories = {
            name: [values[row] for row in rows.tolist()] for name, values in self.categories.items()
        }
        return type(self)(self.texts.take(rows), numbers, categories)

    def __add__(self, more: "Documents") -> "Documents":
        """These documents and then more, of texts alone."""
        if self.numbers or self.categories or more.numbers or more.categories:
            raise InputError("documents with columns beside the text cannot be joined")
        return Documents(_core.Texts([*self.texts, *more.texts]))


def as_documents(X: Any, kinds: Mapping[str, str]) -> Documents:
    """X with the columns that `kinds` names; without any, X is just the texts.

    With columns, X is a frame, a mapping of columns, or a Corpus. Its texts are in the column
    `text`, or in the only one that `kinds` does not name.

    >>> mails = {"text": ["hi", "buy now"], "links": [0, 7]}
    >>> as_documents(mails, {"links": "number"}).numbers
    {'links': array([0., 7.])}
    """
    if isinstance(X, Documents):
        return X
    if isinstance(X, Corpus):
        columns: Mapping[str, Any] = X.extras
        texts = X.texts
    elif not kinds:
        return Documents(as_texts(X))
    else:
        columns, names = X, _column_names(X, kinds)
        rest = [name for name in names if name not in kinds]
        if "text" not in names and len(rest) != 1:
            raise InputError(
                f"X has the columns {', '.join(names)}; which of them holds the texts? "
                "Call it `text`"
            )
        texts = as_texts(X["text" if "text" in names else rest[0]])
    numbers, categories = {}, {}
    for name, kind in kinds.items():
        if name not in columns:
            raise InputError(f"X has no column {name!r}, which the analyzer names")
        values = columns[name]
        held: Sequence[Any] = values.tolist() if hasattr(values, "tolist") else list(values)
        if len(held) != len(texts):
            raise InputError(f"the column {name!r} has {len(held)} values for {len(texts)} texts")
        if kind == "number":
            numbers[name] = _numbers(name, held)
        else:
            categories[name] = [_category(name, row, value) for row, value in enumerate(held)]
    return Documents(texts, numbers, categories)


def _column_names(X: Any, kinds: Mapping[str, str]) -> list[str]:
    names = X.keys() if isinstance(X, Mapping) else getattr(X, "columns", None)
    if names is None:
        raise InputError(
            f"the analyzer names the columns {', '.join(kinds)}: X must be a frame or a mapping "
            f"that has them and the texts, not {type(X).__name__}"
        )
    return [str(name) for name in names]


def _numbers(name: str, values: Sequence[Any]) -> NDArray[np.float64]:
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            numbers[row] = float(value)
        except (TypeError, ValueError):
            numbers[row] = math.nan
        if not math.isfinite(numbers[row]):
            raise InputError(f"row {row} of {name!r} is {value!r}, expected a finite number")
    return numbers


def _category(name: str, row: int, value: Any) -> str | None:
    if value is None or value != value or value == "":
        return None
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"row {row} of {name!r} is {text!r}: a lone surrogate") from None
    return text
