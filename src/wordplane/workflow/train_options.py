"""Keyword options of `train`, `update` and `unlearn`, by what they are for."""

import difflib
from collections.abc import Mapping
from os import PathLike
from typing import TypedDict, TypeVar, cast

from wordplane.common.frozen import frozen
from wordplane.workflow.inputs import DaskLike, Reading
from wordplane.workflow.spec import DecisionOptions, SpecOptions

Options = TypeVar("Options")


@frozen
class Resources:
    """What training may use; `train` explains each field."""

    n_jobs: int | None = None
    memory: int | None = None
    blocks: bool | None = None
    scratch: str | PathLike[str] | None = None
    resume: bool = False
    dask: DaskLike | None = None


class ResourceOptions(TypedDict, total=False):
    """The fields of `Resources`."""

    n_jobs: int | None
    memory: int | None
    blocks: bool | None
    scratch: str | PathLike[str] | None
    resume: bool
    dask: DaskLike | None


class TrainOptions(SpecOptions, ResourceOptions, Reading, total=False):
    """The options of `train`."""


class UpdateOptions(DecisionOptions, Reading, total=False):
    """The options of `update`."""

    n_jobs: int | None


class UnlearnOptions(UpdateOptions, total=False):
    """The options of `unlearn`."""

    calibrator: str


def select_options(options: Mapping[str, object], kind: type[Options]) -> Options:
    """The options of one kind, which is a TypedDict."""
    return cast(Options, {name: options[name] for name in _names(kind) if name in options})


def check_options(function: str, options: Mapping[str, object], kind: type) -> None:
    """A TypeError names an option that the function does not have, and one that may be meant."""
    for name in options:
        if name not in _names(kind):
            near = difflib.get_close_matches(name, _names(kind), n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise TypeError(f"{function}() has no option {name!r}{hint}")


def _names(kind: type) -> list[str]:
    return list(kind.__annotations__)
