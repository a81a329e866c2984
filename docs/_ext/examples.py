"""The empty line that ends an example for doctest is not shown."""

from docutils import nodes
from sphinx.application import Sphinx


def _strip(app: Sphinx, tree: nodes.document) -> None:
    for block in tree.findall(nodes.literal_block):
        if len(block) == 1 and isinstance(block[0], nodes.Text):
            text = block[0].astext().rstrip("\n")
            block[0], block.rawsource = nodes.Text(text), text


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", _strip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
