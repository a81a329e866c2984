"""Links on the pages lead to files and headings, and `make docs` can convert every formula."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [
    *ROOT.glob("*.md"),
    *sorted(DOCS.glob("*.md")),
    *sorted(page for page in DOCS.glob("*/*.md") if page.parent.name not in ("_build", "api")),
]
GENERATED = ("api", "verbs")  # folders of pages that are written when the pages are built
CODE = re.compile(r"^( *)(`{3,}).*?^\1\2\s*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
BLOCK_FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
INLINE_FORMULA = re.compile(r"(?<![\\\w$])\$(?!\s)([^$\n]+?)(?<!\s)\$(?!\d)")


def prose(page):
    return CODE.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page):
    """The names by which links may address the headings of a page."""
    text = re.sub(
        r"^( *)(`{3,}).*?^\1\2\s*$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S
    )
    titles = [
        re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower().strip()
        for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    ]
    as_myst = {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}
    as_docutils = {re.sub(r"[^a-z0-9]+", "-", title).strip("-") for title in titles}
    return as_myst | as_docutils


def is_broken(page, link):
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return target.parent.name not in GENERATED
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors(target)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose(page))
    assert [link for link in links if is_broken(page, link)] == []


def test_broken_links_are_found():
    page = DOCS / "scale.md"
    assert not is_broken(page, "measured/scale.md#cost-model")
    assert is_broken(page, "measured/scale.md#no-such-heading")
    assert is_broken(page, "no-such-page.md")


def test_formulas_can_be_converted():
    latex2mathml = pytest.importorskip("docutils.utils.math.latex2mathml")
    formulas = []
    for page in PAGES:
        text = prose(page)
        formulas += BLOCK_FORMULA.findall(text)
        formulas += INLINE_FORMULA.findall(BLOCK_FORMULA.sub("", text))
    assert len(formulas) > 200
    for formula in formulas:
        latex2mathml.tex2mathml(formula)
