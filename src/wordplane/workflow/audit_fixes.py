"""What an audit found as a table with a row per finding, and data without what was wrong.

The table has a column `fix`, which says what is to be done with a row: `remove` it, or give it the
label that stands there. Texts that repeat an earlier row with the same label, and empty ones, are
removed unless the table says otherwise, and of labels that differ only in case, white space, `_` or
`-`, all get the commonest spelling; other labels are only changed where a person wrote a new one.
White space around labels, which reading takes off, is not written again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from wordplane.common.errors import InputError
from wordplane.data.columns import KEPT_KIND
from wordplane.data.corpus import Corpus, label_tuple
from wordplane.data.read import column_names, read
from wordplane.data.tables import TABLES, write_table
from wordplane.data.write import choose_format, write
from wordplane.diagnosis.audit_findings import SPELLINGS
from wordplane.workflow.inputs import DataLike, Reading

if TYPE_CHECKING:
    from polars import DataFrame

    from wordplane.diagnosis.audit_findings import Finding

REMOVE = "remove"
ROW_KINDS = (
    "train/test overlap", "near train/test overlap", "conflicting labels", "duplicates",
    "near duplicates", SPELLINGS, "empty texts", "wrongly decoded", "suspect labels",
    "missing labels", "wrong labels",
)  # fmt: skip
COLUMNS = ("row", "finding", "detail", "label", "suggested", "fix", "text")


@dataclass(frozen=True)
class Fixes:
    """What to do with rows, by their numbers.

    remove   rows to leave out
    relabel  new labels
    """

    remove: frozenset[int]
    relabel: Mapping[int, str]

    def lines(self, corpus: Corpus) -> list[str]:
        """Every change in a line, in the order of the rows."""
        shown = []
        for position in range(len(corpus)):
            row = corpus.row_number(position)
            if row in self.remove:
                shown.append(f"row {row}: removed: {_excerpt(corpus, position)}")
            elif row in self.relabel:
                old = _label_text(corpus, position)
                new = self.relabel[row]
                shown.append(f"row {row}: {old} -> {new}: {_excerpt(corpus, position)}")
        return shown


def issue_table(corpus: Corpus, findings: Iterable[Finding]) -> DataFrame:
    """A row for each row of each finding, with what would be done about it."""
    import polars as pl

    columns: dict[str, list[object]] = {name: [] for name in COLUMNS}
    repeated = _same_label_rows(corpus, findings)
    for finding in findings:
        if finding.kind not in ROW_KINDS:
            continue
        details = finding.details or ("",) * len(finding.rows)
        suggested = finding.suggested or (None,) * len(finding.rows)
        for position, row, detail, label in zip(
            finding.positions, finding.rows, details, suggested, strict=True
        ):
            gone = finding.kind == "empty texts" or (
                finding.kind == "duplicates" and row in repeated
            )
            columns["row"].append(row)
            columns["finding"].append(finding.kind)
            columns["detail"].append(detail)
            columns["label"].append(_label_text(corpus, position))
            columns["suggested"].append("" if label is None else str(label))
            new = str(label) if finding.kind == SPELLINGS else ""
            columns["fix"].append(REMOVE if gone else new)
            columns["text"].append(corpus.texts[position])
    schema = {name: pl.Int64 if name == "row" else pl.String for name in COLUMNS}
    return pl.DataFrame(columns, schema=schema)


def _same_label_rows(corpus: Corpus, findings: Iterable[Finding]) -> set[int]:
    """Rows that repeat a text and have the label of all others with this text."""
    conflicting = {
        row for finding in findings if finding.kind == "conflicting labels" for row in finding.rows
    }
    every = {row for finding in findings if finding.kind == "duplicates" for row in finding.rows}
    return every - conflicting


def read_fixes(table: DataFrame | str | PathLike[str]) -> Fixes:
    """The fixes of a table, or of the file that it was written to and a person went through."""
    if isinstance(table, str | PathLike):
        names = [name for name in column_names(str(table)) if name in ("row", "fix")]
        if len(names) < 2:
            raise InputError(f"{table}: expected the columns row and fix, as `audit` writes them")
        extra = dict.fromkeys(names, KEPT_KIND)
        found = read(str(table), text="fix", labels=False, extra=extra).extras
        rows, fixes = list(map(str, found["row"])), list(map(str, found["fix"]))
    else:
        rows, fixes = list(map(str, table["row"].to_list())), table["fix"].to_list()
    remove, relabel = set(), dict[int, str]()
    for row, fix in zip(rows, (str(fix).strip() for fix in fixes), strict=True):
        if not fix:
            continue
        if not row.isdecimal():
            raise InputError(f"{table}: the row is {row!r}, expected a number")
        if fix.casefold() == REMOVE:
            remove.add(int(row))
        elif relabel.setdefault(int(row), fix) != fix:
            raise InputError(
                f"{table}: row {row} has two new labels, {relabel[int(row)]} and {fix}"
            )
    return Fixes(frozenset(remove), {row: new for row, new in relabel.items() if row not in remove})


def write_fixed(
    data: DataLike, corpus: Corpus, fixes: Fixes, path: str | PathLike[str], reading: Reading
) -> int:
    """Write a copy of the data without what is removed and with new labels; returns the number of
    its rows. A file with columns keeps all of them."""
    numbers = [corpus.row_number(position) for position in range(len(corpus))]
    unknown = (set(fixes.remove) | set(fixes.relabel)) - set(numbers)
    if unknown:
        raise InputError(f"there is no row {min(unknown)} in {corpus.source or 'the texts'}")
    kept = [position for position, row in enumerate(numbers) if row not in fixes.remove]
    form = choose_format(str(path), None, TABLES)
    names = _columns_of(data, corpus, reading)
    if names and corpus.label_column is not None:
        options = {**reading, "extra": dict.fromkeys(names, KEPT_KIND), "require_label": True}
        whole = read(data, **options)  # type: ignore[arg-type]
        columns: dict[str, Sequence[object]] = {
            name: [whole.extras[name][position] for position in kept] for name in names
        }
        columns[corpus.label_column] = [
            fixes.relabel.get(numbers[position], _stripped(label))
            for position, label in zip(kept, columns[corpus.label_column], strict=True)
        ]
        write_table(iter([columns]), form, str(path), dict.fromkeys(names, str))
        return len(kept)
    fixed = corpus.take(kept)
    if fixes.relabel:
        labels = [
            fixes.relabel.get(numbers[position], label)
            for position, label in zip(kept, fixed.labels or [], strict=True)
        ]
        fixed = Corpus(fixed.texts, labels, fixed.ids, fixed.weights, fixed.split)
    write(fixed, str(path), form)
    return len(kept)


def _columns_of(data: DataLike, corpus: Corpus, reading: Reading) -> list[str]:
    """The columns of files, all of which can be kept."""
    if not isinstance(data, str | PathLike | list | tuple):
        return []
    return column_names(data, **reading)


def _stripped(cell: object) -> object:
    """Without white space around it; other cells, such as numbers of spreadsheets, as they are."""
    return cell.strip() if isinstance(cell, str) and cell != cell.strip() else cell


def _label_text(corpus: Corpus, position: int) -> str:
    return "|".join(
        map(str, label_tuple(None if corpus.labels is None else corpus.labels[position]))
    )


def _excerpt(corpus: Corpus, position: int, length: int = 60) -> str:
    text = " ".join(corpus.texts[position].split())
    return text if len(text) <= length else text[: length - 1] + "…"
