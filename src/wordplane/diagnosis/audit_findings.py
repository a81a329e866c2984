"""What an audit finds."""

from dataclasses import asdict, dataclass

from wordplane.common.types import JsonObject


@dataclass(frozen=True)
class Finding:
    """One kind of problem, in words, and the rows that have it, the worst first."""

    kind: str
    message: str
    rows: tuple[int, ...]
    details: tuple[str, ...] = ()  # one per row, or one per class or word


@dataclass(frozen=True)
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
        return {"n_rows": self.n_rows, "findings": [asdict(finding) for finding in self.findings]}


def count_text(n: int, singular: str, plural: str) -> str:
    """How many there are.

    >>> count_text(1, "row is", "rows are"), count_text(2000, "row is", "rows are")
    ('1 row is', '2,000 rows are')
    """
    return f"{n:,} {singular if n == 1 else plural}"
