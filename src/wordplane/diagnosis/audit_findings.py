"""What an audit finds."""

from dataclasses import asdict, dataclass, replace

from wordplane.common.frozen import frozen
from wordplane.common.types import JsonObject, Label
from wordplane.data.corpus import Corpus

SPELLINGS = "spellings"  # the kind of labels that are spelled in another way than most


@frozen
class Finding:
    """One kind of problem, in words, and the rows that have it, the worst first.

    positions   where the rows stand among the texts, counted from 0: `frame.iloc[positions]`
    details     one per row, or one per class or word
    rows        the numbers of the rows as they are printed: of a file from 1, in memory from 0
    suggested   of rows whose label looks wrong, the label that models would give
    expected    how many of the rows are expected to be wrong, where that can be said
    """

    kind: str
    message: str
    positions: tuple[int, ...]
    details: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    suggested: tuple[Label, ...] = ()
    expected: float | None = None

    def with_rows(self, corpus: Corpus) -> "Finding":
        """The same, with the numbers of the rows."""
        return replace(self, rows=tuple(corpus.row_number(each) for each in self.positions))


@dataclass(frozen=True, repr=False)
class Audit:
    """All findings, the most serious kinds first."""

    n_rows: int
    findings: tuple[Finding, ...]

    def __getitem__(self, kind: str) -> Finding:
        return next(finding for finding in self.findings if finding.kind == kind)

    def __contains__(self, kind: object) -> bool:
        return any(finding.kind == kind for finding in self.findings)

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        listed = [asdict(finding) for finding in self.findings]
        for one in listed:
            del one["positions"]  # rows say the same
        return {"n_rows": self.n_rows, "findings": listed}


def count_text(n: int, singular: str, plural: str) -> str:
    """How many there are.

    >>> count_text(1, "row is", "rows are"), count_text(2000, "row is", "rows are")
    ('1 row is', '2,000 rows are')
    """
    return f"{n:,} {singular if n == 1 else plural}"
