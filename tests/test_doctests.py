"""The examples in the docstrings of the installed package."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import wordplane

LIBRARIES = (".integrations.mlflow", ".integrations.spacy")  # which the tests do not install
MODULES = ["wordplane"] + [
    module.name
    for module in pkgutil.walk_packages(wordplane.__path__, "wordplane.")
    if not module.name.endswith(("._core", ".__main__", *LIBRARIES))
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(import_module(name), optionflags=flags).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    examples = [t for name in MODULES for t in finder.find(import_module(name)) if t.examples]
    assert len(examples) >= 20
