"""Results as tables for notebooks; every text in them is escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def html_table(head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table with a line of headings; the first cell of a row is its heading.

    >>> html_table(["", "F1"], [["<b>", "90 %"]])[51:]
    '<tbody><tr><th>&lt;b&gt;</th><td>90 %</td></tr></tbody></table>'
    """
    above = "".join(f"<th>{_text(name)}</th>" for name in head)
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{_text(value)}</td>" for value in others)
        lines.append(f"<tr><th>{_text(first)}</th>{cells}</tr>")
    said = f"<caption>{_text(caption)}</caption>" if caption else ""
    return f"<table>{said}<thead><tr>{above}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def html_paragraph(text: str) -> str:
    """Text as a paragraph.

    >>> html_paragraph("a < b")
    '<p>a &lt; b</p>'
    """
    return f"<p>{_text(text)}</p>"


def _text(value: Any) -> str:
    return escape(str(value))
