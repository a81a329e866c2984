"""Tests of wordplane.common.lazy_names, and of the packages that load their names by it."""

import ast
from pathlib import Path

import pytest

import wordplane.features
import wordplane.text
from wordplane.common.lazy_names import lazy_names


@pytest.mark.parametrize("package", [wordplane.features, wordplane.text])
def test_the_stub_types_every_name_from_where_it_is_loaded(package):
    stub = Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    typed = {
        alias.name: node.module
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == {name: getattr(package, name).__module__ for name in package.__all__}


def test_an_unknown_name_is_an_attribute_error():
    _, load, _ = lazy_names("wordplane.common", {"errors": "InputError"})
    with pytest.raises(AttributeError, match=r"module 'wordplane.common' has no attribute 'Input'"):
        load("Input")
