"""A page with the tables of a result. All text is escaped, nothing loaded, no script allowed."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from os import PathLike

from wordplane.common.files import whole_file

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def write_plain_page(path: str | PathLike[str], title: str, body: str) -> None:
    """Write a page; `body` is HTML in which texts are escaped already."""
    style = (files("wordplane.report") / "page" / "plain.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'"
    page = PAGE.format(policy=policy, title=escape(title), style=style, body=body)
    with whole_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="")
