"""What a demo returns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wordplane.plots.style import Picture


@dataclass(frozen=True)
class Shown:
    """Lines to read, and a function that draws the picture, if there is one.

    >>> print(Shown(["one line", "another"]))
    one line
    another
    """

    lines: Sequence[str]
    picture: Callable[[], Picture] | None = None

    def __str__(self) -> str:
        return "\n".join(self.lines)
