"""Tables and paragraphs for notebooks; all text in them is escaped."""

from collections.abc import Iterable, Sequence
from html import escape


def html_table(head: Sequence[object], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table with a row of headings; the first cell of each row is a heading too.

    >>> html_table(["", "F1"], [["<b>", "90 %"]])[51:]
    '<tbody><tr><th>&lt;b&gt;</th><td>90 %</td></tr></tbody></table>'
    """
    headings = "".join(f"<th>{_escape(name)}</th>" for name in head)
    body = []
    for first, *others in rows:
        cells = "".join(f"<td>{_escape(value)}</td>" for value in others)
        body.append(f"<tr><th>{_escape(first)}</th>{cells}</tr>")
    top = f"<caption>{_escape(caption)}</caption>" if caption else ""
    return f"<table>{top}<thead><tr>{headings}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def html_paragraph(text: str) -> str:
    """Text as a paragraph.

    >>> html_paragraph("a < b")
    '<p>a &lt; b</p>'
    """
    return f"<p>{_escape(text)}</p>"


def _escape(value: object) -> str:
    return escape(str(value))
