"""Tests of wordplane.demos.guide: places in the documents, and seeds that have an effect."""

import inspect
import re
from pathlib import Path

import pytest

from wordplane.demos import DEMOS, find_demo
from wordplane.demos.guide import GUIDE

NAMES = [name for names in DEMOS.values() for name in names]
MISSION = Path(__file__).parents[2] / "docs" / "mission.md"
DOCUMENTS = {"The chapter": "chapter", "The notes": "notes", "The lab": "lab"}
SEEDED = [name for name in NAMES if "seed" in inspect.signature(find_demo(name)).parameters]


def test_every_demo_has_a_place_and_something_to_look_at():
    assert list(GUIDE) == NAMES
    for entry in GUIDE.values():
        for part in entry.place.split("; "):
            assert part.partition(",")[0] in ("chapter", "notes", "lab", "slides", "review")
        assert 10 < len(entry.look) < 100


def test_places_are_those_of_the_mission():
    document, checked = None, 0
    for line in MISSION.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            document = next((d for head, d in DOCUMENTS.items() if line[3:].startswith(head)), None)
        if document is None or not line.startswith("| "):
            continue
        what, shown = line.split("|")[1:3]
        number = re.match(r" (?:table of )?(\w+) ([\d.]+),", what)
        for name in re.findall(r"`wordplane demo ([\w-]+)`", shown) if number else ():
            own = [part for part in GUIDE[name].place.split("; ") if part.startswith(document)]
            assert own, (name, line)
            assert number[1] in own[0] and number[2].rstrip(".") in own[0], (name, own, number[0])
            checked += 1
    assert checked > 25


LONG = {"learners": pytest.mark.soak, "union": pytest.mark.slow, "generate": pytest.mark.slow}
SEED_CASES = [
    pytest.param(name, marks=[LONG[name]] if name in LONG else [])
    for name in SEEDED
    if name not in ("perceptron-bound", "genetic-search")
]


@pytest.mark.parametrize("name", SEED_CASES)
def test_a_seed_has_an_effect(name):
    demo = find_demo(name)
    usual = inspect.signature(demo).parameters["seed"].default
    first = list(demo().lines)
    differs = any(list(demo(seed=usual + more).lines) != first for more in (1, 2))
    exact = {"hinge", "convexity", "gradients", "safe-step", "kernels"}  # true of all draws
    assert differs or name in exact
