"""What the pages that are run have in common: charts become SVG in the colours of the page.

Each such page begins with a hidden `import page`.
"""

import re

import altair
import vl_convert

from wordplane.plots import style

COLOURS = ("INK", "QUIET", "GRID", "BLUE", "ORANGE", "GREEN", "PINK")


def _render(spec: dict, **_: object) -> dict[str, str]:
    svg = vl_convert.vegalite_to_svg(spec)
    for name in COLOURS:
        svg = svg.replace(getattr(style, name), f"var(--chart-{name.lower()})")
    # The text of a chart has the font of the page, and its size gives way on a phone.
    svg = re.sub(
        r'<svg ([^>]*?)width="([\d.]+)" height="[\d.]+"', r'<svg \1style="width:\2px"', svg
    )
    return {"text/html": f'<figure class="chart">{svg}</figure>'}


altair.renderers.register("page", _render)
altair.renderers.enable("page")
