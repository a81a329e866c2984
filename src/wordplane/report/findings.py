"""The findings of the audit, as the page shows them."""

from wordplane.common.types import JsonObject
from wordplane.diagnosis.audit_findings import Audit, Finding
from wordplane.model.measurement import Measurement, SetMeasurement

MAX_ROWS = 5  # of a finding
MAX_SUSPECTS, SUSPECT_CHARACTERS = 12, 500
OF_SETS = {"missing labels": "lacks", "wrong labels": "should not have"}
SHOWN_ELSEWHERE = ("suspect labels", "confused classes", *OF_SETS)  # in sections of their own


def findings(audit: Audit, measured: Measurement | SetMeasurement) -> list[JsonObject]:
    """All findings except those with a section of their own."""
    shown: list[JsonObject] = []
    for finding in audit.findings:
        if finding.kind in SHOWN_ELSEWHERE:
            continue
        lines = _lines(finding, measured)
        left_out = len(lines) - MAX_ROWS
        shown.append(
            {
                "kind": finding.kind,
                "message": sentence(finding.message),
                "shown": lines[:MAX_ROWS],
                "left_out": max(left_out, 0),
            }
        )
    return shown


def _lines(finding: Finding, measured: Measurement | SetMeasurement) -> list[str]:
    if not finding.positions or (
        finding.details and len(finding.details) != len(finding.positions)
    ):
        return list(finding.details)
    details = finding.details or ("",) * len(finding.positions)
    lines = []
    for number, (row, detail) in enumerate(zip(finding.positions, details, strict=True)):
        excerpt = _excerpt(measured, row, 100) if number < MAX_ROWS else ""
        lines.append(f"{measured.name(row)} {detail}: {excerpt}".replace(" :", ":"))
    return lines


def suspects(audit: Audit, measured: Measurement | SetMeasurement) -> JsonObject | None:
    """The rows whose labels look wrong."""
    if "suspect labels" not in audit:
        return _suspects_of_sets(audit, measured)
    finding = audit["suspect labels"]
    rows = [
        (measured.name(row), detail, _excerpt(measured, row, SUSPECT_CHARACTERS))
        for row, detail in zip(finding.positions[:MAX_SUSPECTS], finding.details, strict=False)
    ]
    return {"message": sentence(finding.message), "rows": rows}


def _suspects_of_sets(audit: Audit, measured: Measurement | SetMeasurement) -> JsonObject | None:
    """Multi-label rows that lack a label, and rows that should not have one."""
    by_kind = {kind: audit[kind] for kind in OF_SETS if kind in audit}
    if not by_kind:
        return None
    rows = []
    for kind, finding in by_kind.items():
        worst = list(zip(finding.positions, finding.details, strict=True))[: MAX_SUSPECTS // 2]
        for row, detail in worst:
            excerpt = _excerpt(measured, row, SUSPECT_CHARACTERS)
            rows.append((measured.name(row), f"{OF_SETS[kind]} {detail}", excerpt))
    message = " ".join(sentence(finding.message) for finding in by_kind.values())
    return {"message": message, "rows": rows}


def _excerpt(measured: Measurement | SetMeasurement, row: int, length: int) -> str:
    text = " ".join(measured.corpus.texts[row].split())
    return text if len(text) <= length else text[: length - 1] + "…"


def sentence(text: str) -> str:
    """A message as a sentence.

    >>> sentence("is that intended?"), sentence("two texts are empty")
    ('Is that intended?', 'Two texts are empty.')
    """
    return text[0].upper() + text[1:] + ("" if text[-1] in ".?!" else ".")
