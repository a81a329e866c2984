"""Charts as files: PNG, SVG, or a page that needs no network."""

from os import PathLike
from pathlib import Path
from typing import Any

from wordplane.common.errors import InputError, MissingExtraError
from wordplane.common.files import whole_file

PNG_SCALE = 2.0  # for screens with small pixels
FORMATS = (".png", ".svg", ".html")


def save(chart: Any, path: str | PathLike[str]) -> None:
    """Write a chart as what the name ends in: .png, .svg or .html."""
    kind = Path(path).suffix.lower()
    if kind not in FORMATS:
        raise InputError(f"{path}: a chart is saved as {', '.join(FORMATS)}; end the name so")
    convert, spec = _vl_convert(), chart.to_dict()
    if kind == ".png":
        content = convert.vegalite_to_png(spec, scale=PNG_SCALE)
    elif kind == ".svg":
        content = convert.vegalite_to_svg(spec).encode()
    else:
        content = convert.vegalite_to_html(spec, bundle=True).encode()
    with whole_file(path) as draft:
        draft.write_bytes(content)


def to_svg(chart: Any) -> str:
    """The chart as an SVG element without background, to be put into a page."""
    # Altair's check of the chart against its schema takes ten times as long as drawing it.
    spec = {**chart.to_dict(validate=False), "background": "transparent"}
    return str(_vl_convert().vegalite_to_svg(spec))


def _vl_convert() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtraError("saving pictures needs vl-convert-python", "report") from error
    return vl_convert
