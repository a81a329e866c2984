"""The parameters of a demo: the keyword arguments of its function.

The annotation has the type and, as in `Annotated[int, Within(1, 100)]`, the range. There is no
other list of them.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, get_args, get_type_hints

from wordplane.common.errors import InputError


@dataclass(frozen=True)
class Within:
    """The smallest and the largest value of a parameter."""

    low: float
    high: float


Count = Annotated[int, Within(1, 100_000)]
Positive = Annotated[float, Within(1e-9, 1e9)]
Share = Annotated[float, Within(0.01, 0.99)]

Value = int | float | str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a demo.

    >>> print(Parameter("eta", float, 0.5, Within(0, 1)))
    eta = 0.5, a number from 0 to 1
    """

    name: str
    kind: type
    default: Value
    within: Within | None

    def __str__(self) -> str:
        return f"{self.name} = {self.default}, {self.expected}"

    @property
    def expected(self) -> str:
        """What a value must be."""
        noun = {int: "a whole number", float: "a number", str: "any text"}[self.kind]
        if self.within is None:
            return noun
        return f"{noun} from {self.within.low:g} to {self.within.high:g}"

    def read(self, text: str) -> Value:
        """The value that a text stands for."""
        try:
            value: Value = self.kind(text)
        except ValueError:
            value = text
        wrong = not isinstance(value, self.kind)
        if not wrong and self.within is not None and not isinstance(value, str):
            wrong = not self.within.low <= value <= self.within.high
        if wrong:
            raise InputError(f"{self.name} is {text!r}, expected {self.expected}")
        return value


def parameters_of(demo: Callable[..., object]) -> dict[str, Parameter]:
    """What `--set` can change: all arguments but the seed and the data, which are options.

    >>> from wordplane.demos import find_demo
    >>> print(*parameters_of(find_demo("slack")).values(), sep="; ")
    n = 24, a whole number from 4 to 2000; variance = 0.6, a number from 0.01 to 25; C = 1.0, ...
    """
    hints = get_type_hints(demo, include_extras=True)
    found = {}
    for name, argument in inspect.signature(demo).parameters.items():
        if name in ("seed", "data"):
            continue
        kind, *extras = get_args(hints[name]) or [hints[name]]
        within = next((extra for extra in extras if isinstance(extra, Within)), None)
        found[name] = Parameter(name, kind, argument.default, within)
    return found


def read_settings(
    name: str, demo: Callable[..., object], settings: Iterable[str]
) -> dict[str, Value]:
    """The arguments that settings such as eta=0.1 stand for.

    >>> from wordplane.demos import find_demo
    >>> read_settings("slack", find_demo("slack"), ["C=10", "n=40"])
    {'C': 10.0, 'n': 40}
    """
    known = parameters_of(demo)
    given: dict[str, Value] = {}
    for setting in settings:
        parameter, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"`set` is {setting!r}, expected a parameter and a value: eta=0.1")
        if parameter not in known:
            raise InputError(_describe_unknown(name, parameter, known))
        if parameter in given:
            raise InputError(f"`set` gives {parameter!r} twice; give it once")
        given[parameter] = known[parameter].read(value)
    return given


def _describe_unknown(name: str, parameter: str, known: dict[str, Parameter]) -> str:
    if parameter in ("seed", "data"):
        return f"{parameter!r} is an option of its own: give `{parameter}`"
    if not known:
        return f"the demo {name!r} has no parameters; leave out `set`"
    near = get_close_matches(parameter, known, n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    listed = "; ".join(map(str, known.values()))
    return f"the demo {name!r} has no parameter {parameter!r}; {meant}it has {listed}"
