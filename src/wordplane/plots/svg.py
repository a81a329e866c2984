"""Charts as SVG, drawn here: nothing is loaded, nothing is run."""

import re
from types import ModuleType
from typing import Protocol

from wordplane.common.errors import MissingExtraError

# What XML cannot hold, and the renderer ends the process for.
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Drawable(Protocol):
    """A chart with a Vega-Lite specification: ours, or one of Altair."""

    def to_dict(self) -> dict[str, object]: ...


def to_svg(chart: Drawable) -> str:
    """The chart as an SVG element without background, to be put into a page."""
    spec = drawable_spec({**chart.to_dict(), "background": "transparent"})
    return str(vl_convert().vegalite_to_svg(spec))


def drawable_spec(value: object) -> object:
    """The chart with control characters as escapes, in labels and wherever else there are any."""
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        return NO_XML.sub(lambda found: ascii(found.group())[1:-1], value)
    if isinstance(value, dict):
        return {drawable_spec(key): drawable_spec(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [drawable_spec(item) for item in value]
    return value


def vl_convert() -> ModuleType:
    """The library; where it is missing, the error says how to get it."""
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtraError("drawing pictures needs vl-convert-python", "report") from error
    module: ModuleType = vl_convert
    return module
