"""Charts as files: PNG, SVG, or a page that loads nothing and runs nothing."""

import json
from os import PathLike
from pathlib import Path

from wordplane.common.errors import InputError
from wordplane.common.files import whole_file
from wordplane.common.html import html_page
from wordplane.plots.style import DARK, PAPER
from wordplane.plots.svg import drawable_spec, vl_convert
from wordplane.plots.vega_lite import Chart

PNG_SCALE = 2.0  # for screens with small pixels
FORMATS = (".png", ".svg", ".html")
STYLE = "body {{ margin: 1rem; background: {paper} }} svg {{ max-width: 100%; height: auto }}"


def save(chart: Chart, path: str | PathLike[str], *, dark: bool = False) -> None:
    """Write a chart in the format of the file name: .png, .svg or .html; `dark` for dark pages.

    The page holds the SVG, no script: a chart of words and labels from strangers cannot run them.
    """
    kind = Path(path).suffix.lower()
    if kind not in FORMATS:
        raise InputError(f"{path}: the name of a chart must end in {', '.join(FORMATS)}")
    convert, spec = vl_convert(), drawable_spec(chart.to_dict())
    if dark:
        spec = _darken(spec)
    if kind == ".png":
        content = convert.vegalite_to_png(spec, scale=PNG_SCALE)
    elif kind == ".svg":
        content = convert.vegalite_to_svg(spec).encode()
    else:
        style = STYLE.format(paper=DARK[PAPER] if dark else PAPER)
        title = Path(path).stem
        content = html_page(title, convert.vegalite_to_svg(spec), style).encode()
    with whole_file(path) as draft:
        draft.write_bytes(content)


def _darken(spec: object) -> object:
    """The chart with every color of the house replaced by its dark counterpart."""
    text = json.dumps(spec)
    for light, dark in DARK.items():
        text = text.replace(f'"{light}"', f'"{dark}"')
    darkened: object = json.loads(text)
    return darkened
