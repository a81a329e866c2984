"""Look for faults in labeled texts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from wordplane.common.errors import InputError, NoLabelsError
from wordplane.common.html import html_paragraph, html_table
from wordplane.common.threads import thread_count
from wordplane.common.types import JsonObject, LabelsLike
from wordplane.data.corpus import Corpus
from wordplane.data.encoding import STDIN
from wordplane.data.read import read
from wordplane.diagnosis.audit import audit_corpus
from wordplane.diagnosis.audit_findings import Audit, Finding
from wordplane.workflow.audit_fixes import issue_table
from wordplane.workflow.inputs import (
    DataLike,
    GroupsLike,
    LabeledData,
    Reading,
    load_corpus,
    refuse_time,
)
from wordplane.workflow.result import Result

if TYPE_CHECKING:
    from polars import DataFrame

ROWS_SHOWN = 5
MAX_CHARACTERS = 80
MAX_COLUMNS = 20  # in which groups are looked for


@dataclass(frozen=True, repr=False)
class AuditResult(Audit, Result):
    """All findings, the gravest kinds first.

    Rows of files are counted from 1, rows in memory from 0 (`frame.iloc`), in print and in data.
    """

    source: str = ""
    notes: tuple[str, ...] = ()
    corpus: Corpus | None = field(repr=False, default=None)

    def to_dict(self) -> JsonObject:
        """The findings as JSON can hold them."""
        return {"source": self.source, **super().to_dict()}

    def __str__(self) -> str:
        return self.text()

    def text(self, n_rows: int = ROWS_SHOWN) -> str:
        """What the command prints, with so many rows of each finding."""
        lines = [f"audited   {self.source or 'texts'}: {self.n_rows:,} texts"]
        if not self.findings:
            lines.append("nothing found")
        for finding in self.findings:
            lines.append(f"\n{finding.kind}: {finding.message}")
            lines += [f"  {line}" for line in self._finding_lines(finding, n_rows)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: every finding with its first rows."""
        parts = [html_paragraph(f"{self.source or 'texts'}: {self.n_rows:,} texts")]
        if not self.findings:
            parts.append(html_paragraph("nothing found"))
        for finding in self.findings:
            caption = f"{finding.kind}: {finding.message}"
            rows = self._cells(finding, ROWS_SHOWN)
            parts.append(html_table(["row", "finding", "text"], rows, caption, of_texts=True))
        return "".join(parts)

    @cached_property
    def issues(self) -> "DataFrame":
        """The rows of all findings, a frame of polars; `fix` says what `audit --fix` would do with
        a row, to be changed by whoever knows better."""
        return issue_table(self._texts, self.findings)

    @property
    def _texts(self) -> Corpus:
        if self.corpus is None:
            raise InputError("the texts are not at hand")
        return self.corpus

    def _finding_lines(self, finding: Finding, n: int) -> list[str]:
        """The first rows of a finding, or its details where these are not of rows."""
        lines = []
        for row, detail, text in self._cells(finding, n):
            colon = ":" if row and detail and text else ""
            lines.append(" ".join(filter(None, [row and f"row {row}", f"{detail}{colon}", text])))
        return lines

    def _cells(self, finding: Finding, n: int) -> list[tuple[str, str, str]]:
        """The number, the detail and the text of the first rows, or details that are not of rows;
        at the end how many there are more."""
        if finding.details and len(finding.details) != len(finding.rows):
            return [("", detail, "") for detail in finding.details[:n]]
        details = finding.details or ("",) * len(finding.rows)
        shown = zip(finding.rows[:n], finding.positions[:n], details[:n], strict=True)
        cells = [(f"{row}{self._id(at)}", detail, self._excerpt(at)) for row, at, detail in shown]
        if len(finding.rows) > n:
            cells.append(("", f"and {len(finding.rows) - n:,} more", ""))
        return cells

    def _id(self, position: int) -> str:
        ids = None if self.corpus is None else self.corpus.ids
        return "" if ids is None else f" (id {ids[position]})"

    def _excerpt(self, row: int) -> str:
        if self.corpus is None:
            return ""
        text = " ".join(self.corpus.texts[row].split())
        return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def audit(
    data: DataLike,
    labels: LabelsLike | None = None,
    *,
    groups: GroupsLike = None,
    folds: int = 5,
    n_jobs: int | None = None,
    random_state: int = 0,
    **reading: Unpack[Reading],
) -> AuditResult:
    """Look for duplicates, leaks, shortcuts and labels that look mistaken. Texts without labels are
    looked through for duplicates and damage.

    Labels are judged by models that have not seen them, by cross-validation with the recipe. If
    the data has other columns, such as the author, the audit says whether `group` should name one.

    Parameters
    ----------
    data, labels
        Labeled texts, as for `train`.
    folds : int, default 5
        The number of folds for suspect labels.
    random_state : int, default 0
        The seed of the folds.
    groups, n_jobs, **reading
        As for `train`.

    Examples
    --------
    >>> result = audit(["good", "bad", "Good!", "good", ""], ["+", "-", "+", "-", "+"], folds=2)
    >>> [(finding.kind, finding.rows) for finding in result.findings[:3]]
    [('conflicting labels', (0, 3)), ('duplicates', (3,)), ('empty texts', (4,))]
    >>> result.issues["fix"].to_list()[:4]
    ['', '', '', 'remove']
    """
    refuse_time(reading)
    try:
        corpus = load_corpus(data, labels, groups, **reading)
    except NoLabelsError:
        corpus = LabeledData(data, reading=reading).texts()
    audited = audit_corpus(
        corpus,
        columns=None if corpus.groups is not None else _other_columns(data, corpus, reading),
        folds=folds,
        random_state=random_state,
        threads=thread_count(n_jobs),
    )
    return AuditResult(
        audited.n_rows, audited.findings, source=corpus.source, notes=corpus.notes, corpus=corpus
    )


def _other_columns(
    data: DataLike, corpus: Corpus, reading: Reading
) -> dict[str, Sequence[float] | Sequence[str]]:
    """The columns that were read with the texts, and those that were not."""
    unread = dict.fromkeys(corpus.unread_columns[:MAX_COLUMNS], "category")
    if not unread or not _can_be_read_again(data):
        return dict(corpus.extras)
    try:
        again = read(data, require_label=True, **{**reading, "extra": unread})  # type: ignore[arg-type]
    except InputError:  # such as a column of lists
        return dict(corpus.extras)
    return {**corpus.extras, **again.extras}


def _can_be_read_again(data: DataLike) -> bool:
    sources = [data] if isinstance(data, str | PathLike) else data
    return not isinstance(sources, Corpus) and (
        not isinstance(sources, list | tuple) or STDIN not in sources
    )
