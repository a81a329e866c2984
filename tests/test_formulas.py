"""Every formula of the pages can be read by docs/_ext/mathml.py, which converts them."""

from pathlib import Path

import pytest

pytest.importorskip("sphinx")
markdown_it = pytest.importorskip("markdown_it")
dollarmath = pytest.importorskip("mdit_py_plugins.dollarmath")

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("*/*.md")])


def formulas(text):
    parser = markdown_it.MarkdownIt("commonmark").enable("table").use(dollarmath.dollarmath_plugin)
    blocks = parser.parse(text)
    tokens = [part for block in blocks for part in (block, *(block.children or ()))]
    return [(token.content, token.type) for token in tokens if token.type.startswith("math")]


@pytest.fixture
def mathml(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    import mathml

    return mathml


def test_every_formula_is_converted(mathml):
    n_formulas, wrong = 0, []
    for page in PAGES:
        for tex, kind in formulas(page.read_text(encoding="utf-8")):
            n_formulas += 1
            try:
                mathml.to_mathml(tex, as_block="block" in kind)
            except mathml.ExtensionError as error:
                wrong.append(f"{page.relative_to(DOCS)}: {error}")
    assert wrong == []
    assert n_formulas > 200


def test_an_unknown_command_is_an_error(mathml):
    assert formulas(r"a $\nosuchcommand x$ b, and `$y$`") == [(r"\nosuchcommand x", "math_inline")]
    with pytest.raises(mathml.ExtensionError, match="nosuchcommand"):
        mathml.to_mathml(r"\nosuchcommand x", as_block=False)
