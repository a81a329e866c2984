"""What the pages that are run have in common: charts become SVG in the colors of the page.

Each such page begins with a hidden `import page`.
"""

import re

import vl_convert
from IPython import get_ipython

from wordplane.plots import style
from wordplane.plots.vega_lite import Chart

COLORS = (
    "INK",
    "QUIET",
    "GRID",
    "BLUE",
    "ORANGE",
    "GREEN",
    "PINK",
    "TEAL",
    "VIOLET",
    "OLIVE",
    "RED",
)
WHITE = "#ffffff"


def _render(chart: Chart) -> str:
    spec = chart.to_dict()
    # A chart that paints in shades of white has to stay on white.
    on_white = WHITE in str({key: spec[key] for key in spec if key != "config"})
    background = WHITE if on_white else "transparent"
    svg = vl_convert.vegalite_to_svg({**spec, "background": background})
    if not on_white:
        for name in COLORS:
            svg = svg.replace(getattr(style, name), f"var(--chart-{name.lower()})")
    svg = svg.replace(f' font-family="{style.FONT}"', "")
    # Its size gives way on a phone.
    svg = re.sub(
        r'<svg ([^>]*?)width="([\d.]+)" height="[\d.]+"', r'<svg \1style="width:\2px"', svg
    )
    return f'<figure class="chart">{svg}</figure>'


_formatter = get_ipython().display_formatter
_formatter.mimebundle_formatter.for_type(Chart, lambda chart, **_: None)
_formatter.formatters["text/html"].for_type(Chart, _render)
