"""Writes answers as tables, or as lines with labels only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast, get_origin

from wordplane.common.errors import InputError
from wordplane.common.files import Finish, finish
from wordplane.common.frozen import frozen
from wordplane.data.databases import write_rows
from wordplane.data.tables import (
    TABLES,
    WITHOUT_LISTS,
    Batch,
    text_output,
    write_parquet_files,
    write_table,
)
from wordplane.workflow.answers import Answers, Types

FORMATS = (*TABLES, "lines")


@frozen
class AnswerFormat:
    """How answers are written.

    form             one of FORMATS
    separator        stands between the items of lists, where the format has none
    escape_formulas  see `write_table`
    excel            see `write_table`
    force            a table of a database may be replaced
    """

    form: str
    separator: str = "|"
    escape_formulas: bool = False
    excel: str | None = None
    force: bool = False

    def write(
        self,
        answers: Answers,
        batches: Iterable[Batch],
        output: str | None,
        finish: Finish = finish,
    ) -> int:
        """Write answers as they come, to a file or to stdout (None); returns how many rows. For
        `finish`, see `whole_file`."""
        n_rows = 0

        def counted() -> Iterator[Batch]:
            nonlocal n_rows
            for batch in batches:
                n_rows += len(next(iter(batch.values())))
                yield batch

        types, rows = answers.types(), counted()
        lists = [name for name, kind in types.items() if get_origin(kind) is list]
        if lists and self.form in (*WITHOUT_LISTS, "lines", "database"):
            self._check_separator(answers)
            rows = self._join_lists(rows, lists)
        if self.form == "database":
            write_rows(rows, str(output), flat_types(types), force=self.force)
        elif self.form == "lines":
            _write_labels(rows, output, finish)
        else:
            write_table(
                rows,
                self.form,
                output,
                types,
                escape_formulas=self.escape_formulas,
                excel=self.excel,
                finish=finish,
            )
        return n_rows

    def write_each(self, answers: Answers, files: Sequence[tuple[Batch, str, Finish]]) -> int:
        """Write small files: the answers of each, its path, and how it is finished; returns how
        many rows they have in all."""
        if self.form != "parquet":
            return sum(self.write(answers, [batch], path, end) for batch, path, end in files)
        write_parquet_files(files, answers.types())
        return sum(len(next(iter(batch.values()))) for batch, _, _ in files)

    def _check_separator(self, answers: Answers) -> None:
        for label in map(str, answers.model.model_.classes.tolist()):
            if not self.separator or self.separator in label:
                raise InputError(
                    f"the label {label!r} cannot be told from two with {self.separator!r} between "
                    "them: choose another --label-separator, or write .jsonl or .parquet"
                )

    def _join_lists(self, batches: Iterable[Batch], lists: list[str]) -> Iterator[Batch]:
        """Lists of labels, numbers and words as strings."""
        for batch in batches:
            yield {
                name: values
                if name not in lists
                else [self.separator.join(map(str, cast(Sequence[object], one))) for one in values]
                for name, values in batch.items()
            }


def flat_types(types: Types) -> Types:
    """The types when lists have become strings."""
    return {name: str if get_origin(kind) is list else kind for name, kind in types.items()}


def _write_labels(batches: Iterable[Batch], output: str | None, finish: Finish) -> None:
    """A line for each text: its label, or its labels with the separator between them."""
    with text_output(output, finish) as file:
        for batch in batches:
            (name,) = {"labels", "label", "number"} & set(batch)
            for label in batch[name]:
                file.write("" if label is None else " ".join(str(label).split()))
                file.write("\n")
