"""A page with the tables of a result. All text is escaped, nothing loaded, no script allowed."""

from html import escape
from importlib.resources import files
from os import PathLike

from wordplane.common.files import whole_file
from wordplane.common.html import html_page


def write_plain_page(path: str | PathLike[str], title: str, body: str) -> None:
    """Write a page; `body` is HTML in which texts are escaped already."""
    style = (files("wordplane.report") / "page" / "plain.css").read_text(encoding="utf-8")
    page = html_page(title, f"<h1>{escape(title)}</h1>\n{body}", style)
    with whole_file(path) as draft:
        draft.write_text(page, encoding="utf-8", newline="")
