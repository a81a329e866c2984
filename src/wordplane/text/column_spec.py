"""What is read besides the counts of one text: the part of an analyzer's specification about
lexica, word embeddings, further columns and fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias, cast

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.text.checks import check_mapping, check_number, check_text
from wordplane.text.fields import FIELD_KIND, check_fields

if TYPE_CHECKING:  # the options of the command line are made without NumPy
    import numpy as np
    from numpy.typing import NDArray

    from wordplane import _core
    from wordplane.common.types import FloatArray, IntArray

KINDS = ("number", "category", "vector")

# Words of a text, their first characters and ends, and what each adds.
WordShares: TypeAlias = "tuple[list[str], IntArray, IntArray, FloatArray]"


class Embeddings(Protocol):
    """Fitted word embeddings: what an analyzer needs of `WordEmbeddings`."""

    @property
    def vectors_(self) -> NDArray[np.float32]: ...

    @property
    def counts(self) -> bool:
        """Whether a text is the sum of its vectors instead of their mean, and stays that."""

    def means(self, texts: _core.Texts, threads: int) -> FloatArray:
        """The mean vector of the words of each text."""

    def contributions(self, texts: _core.Texts, values: FloatArray) -> WordShares:
        """What the words of the first text add to the mean of `values`, one per word."""


@frozen
class ColumnSpec:
    """The parameters of an `Analyzer` for lexica, embeddings, columns and fields, checked.

    lexica      words with scores by name
    embeddings  each is fitted
    columns     the kind of each column
    fields      the weight of each field
    """

    lexica: dict[str, dict[str, float]]
    embeddings: dict[str, Embeddings]
    columns: dict[str, str]
    fields: dict[str, float]

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Self:
        """Those of an analyzer with these parameters; an InputError if one is wrong."""
        return cls(
            lexica=_check_lexica(given["lexica"]),
            embeddings=_check_embeddings(given["embeddings"]),
            columns=_check_columns(given["columns"]),
            fields=check_fields(given["fields"]),
        )

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of all columns by name; those of fields are "text"."""
        return {**dict.fromkeys(self.fields, FIELD_KIND), **self.columns}


def _check_lexica(value: object) -> dict[str, dict[str, float]]:
    lexica = check_mapping("lexica", value, "names of lexica to words with scores")
    return {name: _check_lexicon(f"lexica[{name!r}]", entries) for name, entries in lexica.items()}


def _check_lexicon(what: str, value: object) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise InputError(f"{what} is {value!r}, expected a mapping of words to scores")
    return {
        check_text(f"a word of {what}", word): check_number(f"the score of {word!r}", score)
        for word, score in value.items()
    }


def _check_embeddings(value: object) -> dict[str, Embeddings]:
    embeddings = check_mapping("embeddings", value, "names to fitted WordEmbeddings")
    for name, one in embeddings.items():
        if not hasattr(one, "vectors_"):
            raise InputError(
                f"embeddings[{name!r}] is {one!r}, expected fitted WordEmbeddings; fit "
                "them on texts first (they need no labels)"
            )
    return cast("dict[str, Embeddings]", embeddings)


def _check_columns(value: object) -> dict[str, str]:
    kinds = check_mapping("columns", value, "names of columns to kinds")
    for name, kind in kinds.items():
        if kind not in KINDS:
            raise InputError(f"columns[{name!r}] is {kind!r}, expected {', '.join(KINDS)}")
    return cast("dict[str, str]", kinds)
