"""A class that is frozen is a dataclass like those of the standard library."""

import pickle
from copy import copy
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property

import pytest

from wordplane.common.frozen import frozen


@frozen
class Ours:
    x: int
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", repr=False, compare=False)

    @cached_property
    def double(self) -> int:
        return 2 * self.x


@dataclass(frozen=True)
class Theirs:
    x: int
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", repr=False, compare=False)


@frozen
class Own:
    x: int

    def __repr__(self) -> str:
        return "own"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    def __hash__(self) -> int:
        return 7


@frozen
class Whole:
    x: int
    y: tuple[int, ...] = ()


def test_is_what_the_standard_library_makes():
    ours, theirs = Ours(3, ["a"], note="n"), Theirs(3, ["a"], note="n")
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert asdict(ours) == asdict(theirs)
    assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    assert replace(ours, x=4) == Ours(4, ["a"])
    assert ours == Ours(3, ["a"], note="another")
    assert ours != Ours(3)
    assert ours != theirs
    assert Ours.__match_args__ == Theirs.__match_args__


def test_equal_ones_have_one_hash():
    assert len({Whole(1, (2,)), Whole(1, (2,)), Whole(2)}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Ours(1))  # as with the standard library: a list is in it


def test_attributes_are_set_once():
    one = Ours(1)
    for name in ("x", "tags", "other"):
        with pytest.raises(FrozenInstanceError, match=name):
            setattr(one, name, 2)
    with pytest.raises(FrozenInstanceError, match="x"):
        del one.x
    assert (one.x, one.double) == (1, 2)


def test_methods_of_the_class_are_kept():
    assert repr(Own(1)) == "own"
    assert Own(1) == Own(2)
    assert hash(Own(1)) == 7


def test_is_copied_and_pickled():
    one = Ours(1, ["a"])
    assert copy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one
