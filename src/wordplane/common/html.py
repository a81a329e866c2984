"""Tables, paragraphs and pages; all text in them is escaped, and a page runs nothing from data."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}{script}
</body>
</html>
"""


def content_policy(style: str, script: str = "", *, wasm: bool = False) -> str:
    """The content security policy of every page: our own style and script, and nothing else, but
    for WebAssembly that the script brings along.

    Both are named by their hashes, so that a browser refuses whatever data put into the page,
    even if it was not escaped.

    >>> content_policy("")[:60]
    "default-src 'none'; style-src 'sha256-47DEQpj8HBSa+/TImW+5JC"
    """
    sources = f"default-src 'none'; style-src {_source(style)}; "
    if script:
        of_wasm = " 'wasm-unsafe-eval'" if wasm else ""  # despite its name, it evaluates no script
        sources += f"script-src {_source(script)}{of_wasm}; "
    return sources + "base-uri 'none'; form-action 'none'"


def html_page(title: str, body: str, style: str, script: str = "") -> str:
    """A page; `body` is HTML whose texts are escaped, `style` and `script` are our own."""
    policy = content_policy(style, script)
    run = f"\n<script>{script}</script>" if script else ""
    return PAGE.format(policy=policy, title=_escape(title), style=style, body=body, script=run)


def html_table(
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    caption: str = "",
    *,
    of_texts: bool = False,
) -> str:
    """A table with a row of headings; the first cell of each row is a heading too. Tables of texts
    begin at the left; notebooks move all others to the right.

    >>> html_table(["", "F1"], [["<b>", "90 %"]])[51:]
    '<tbody><tr><th>&lt;b&gt;</th><td>90 %</td></tr></tbody></table>'
    """
    headings = "".join(f"<th>{_escape(name)}</th>" for name in head)
    before, after = ('<div align="left">', "</div>") if of_texts else ("", "")
    body = []
    for first, *others in rows:
        cells = "".join(f"<td>{before}{_escape(value)}{after}</td>" for value in others)
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


def _source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
