"""What the audit found, as the page shows it."""

from typing import Any

from wordplane.diagnosis.audit import Audit, Finding
from wordplane.model.measuring import Measured

SHOWN_ROWS = 5  # of a finding
SUSPECTS, EXCERPT = 12, 500
ELSEWHERE = ("suspect labels", "confused classes")  # have sections of their own


def findings(audit: Audit, measured: Measured) -> list[dict[str, Any]]:
    """What the audit found, but for what has a section of its own."""
    shown = []
    for finding in audit.findings:
        if finding.kind in ELSEWHERE:
            continue
        lines = _lines(finding, measured)
        left_out = len(lines) - SHOWN_ROWS
        shown.append(
            {
                "kind": finding.kind,
                "message": sentence(finding.message),
                "shown": lines[:SHOWN_ROWS],
                "left_out": max(left_out, 0),
            }
        )
    return shown


def _lines(finding: Finding, measured: Measured) -> list[str]:
    if not finding.rows or (finding.details and len(finding.details) != len(finding.rows)):
        return list(finding.details)
    details = finding.details or ("",) * len(finding.rows)
    lines = []
    for number, (row, detail) in enumerate(zip(finding.rows, details, strict=True)):
        excerpt = _excerpt(measured, row, 100) if number < SHOWN_ROWS else ""
        lines.append(f"{measured.name(row)} {detail}: {excerpt}".replace(" :", ":"))
    return lines


def suspects(audit: Audit, measured: Measured) -> dict[str, Any] | None:
    """The rows whose labels look mistaken."""
    if "suspect labels" not in audit:
        return None
    finding = audit["suspect labels"]
    rows = [
        (measured.name(row), detail, _excerpt(measured, row, EXCERPT))
        for row, detail in zip(finding.rows[:SUSPECTS], finding.details, strict=False)
    ]
    return {"message": sentence(finding.message), "rows": rows}


def _excerpt(measured: Measured, row: int, length: int) -> str:
    text = " ".join(measured.corpus.texts[row].split())
    return text if len(text) <= length else text[: length - 1] + "…"


def sentence(text: str) -> str:
    """Words as a sentence.

    >>> sentence("is it meant to?"), sentence("so it is")
    ('Is it meant to?', 'So it is.')
    """
    return text[0].upper() + text[1:] + ("" if text[-1] in ".?!" else ".")
