"""Formulas as MathML, which every browser draws by itself: no script, no font, no network.

docutils, on which Sphinx stands, translates LaTeX; what it cannot read is an error of the build.
"""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def _visit_inline(self, node: nodes.math) -> None:
    self.body.append(to_mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def _visit_block(self, node: nodes.math_block) -> None:
    self.body.append(f'<div class="math">{to_mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def to_mathml(tex: str, as_block: bool) -> str:
    """The formula as MathML; an error says which one cannot be read."""
    try:
        mathml = tex2mathml(tex, as_block=as_block)
    except MathError as error:
        raise ExtensionError(f"formula {tex!r}: {error}") from error
    # One letter is a variable, several are the name of a function: the first are slanted.
    return re.sub("<mi>(.)</mi>", r'<mi class="variable">\1</mi>', mathml)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
