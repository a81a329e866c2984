"""The columns that are read in addition to the texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wordplane.common.errors import InputError
from wordplane.data.columns import FIELD_KIND, Columns
from wordplane.data.corpus import Corpus
from wordplane.data.read_options import ReadOptions, as_names


class ExtraColumns:
    """The columns to read in addition to the texts: fields, vectors and others.

    names   of all
    kinds   where known
    fields  those of the kind "text"
    """

    def __init__(self, asked: ReadOptions) -> None:
        self.kinds = dict(asked.extra) if isinstance(asked.extra, Mapping) else {}
        names = list(as_names(asked.extra))
        self._weights = (
            dict(asked.fields)
            if isinstance(asked.fields, Mapping)
            else dict.fromkeys(as_names(asked.fields), 1.0)
        )
        self.kinds |= dict.fromkeys(self._weights, FIELD_KIND)
        self._vectors = None
        if asked.vectors is not None:
            from wordplane.data.vectors import VECTOR_KIND, GivenVectors

            self._vectors = GivenVectors(asked.vectors, self.kinds)
            names = [name for name in names if name != self._vectors.name]
            self.kinds.pop(self._vectors.name, None)
            if self._vectors.column is not None:
                self.kinds[self._vectors.column] = VECTOR_KIND
            elif asked.skip_bad or asked.skip_unlabeled:
                raise InputError(
                    "with `vectors` from a file no row can be left out: remove it from both"
                )
        self.names = tuple(dict.fromkeys([*names, *self.kinds]))
        self.fields = tuple(name for name, kind in self.kinds.items() if kind == FIELD_KIND)
        if self.fields and asked.text:
            named = ", ".join(as_names(asked.text))
            raise InputError(
                f"`text` ({named}) joins columns to one text, `fields` "
                f"({', '.join(self.fields)}) keeps each apart: give one, with all columns of text"
            )

    def columns(self, asked: ReadOptions) -> Columns:
        """All columns that are named."""
        return Columns(
            self.fields or as_names(asked.text),
            asked.label,
            asked.id,
            asked.weight,
            asked.group,
            asked.time,
            self.names,
            self.kinds,
            label_separator=asked.label_separator,
        )

    def add(self, corpus: Corpus) -> Corpus:
        """The corpus with what is not in its files."""
        if self._weights:
            corpus = replace(corpus, fields=self._weights)
        return corpus if self._vectors is None else self._vectors.add(corpus)

    def check_end(self) -> None:
        """Nothing is left over."""
        if self._vectors is not None:
            self._vectors.check_end()
