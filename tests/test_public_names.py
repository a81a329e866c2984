"""The public names: loaded lazily by `__init__.py`, typed by `__init__.pyi`."""

import ast
from pathlib import Path

import wordplane

STUB = Path(wordplane.__file__).with_suffix(".pyi")


def test_the_stub_types_every_name_from_where_it_is_loaded():
    typed = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            typed |= {alias.name: node.module for alias in node.names}
    loaded = {
        name: getattr(wordplane, name).__module__
        for name in wordplane.__all__
        if name != "datasets"
    }
    assert typed == loaded


def test_the_top_level_stays_small():
    """Rare classes are imported from their packages, such as `wordplane.learners`."""
    assert len(wordplane.__all__) <= 54
