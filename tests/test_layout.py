"""A contributor finds the tests of a module by its name, and no test lives on another's helpers.

The tests of `src/wordplane/P/M.py` are in `tests/P/test_M.py`, or in a file whose docstring names
the module with its package, from `wordplane` on, with dots: a search for the name finds it.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCES = TESTS.parent / "src" / "wordplane"
MOST_LINES = 500
MOST_ANY = 59

MODULES = sorted(
    path.relative_to(SOURCES) for path in SOURCES.rglob("*.py") if path.stem != "__init__"
)
TEST_FILES = sorted(TESTS.rglob("test_*.py"))


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def dotted(path):
    return ".".join(["wordplane", *path.with_suffix("").parts])


def names_in_docstring(path):
    docstring = ast.get_docstring(tree_of(path)) or ""
    return re.findall(r"\bwordplane(?:\.\w+)+", docstring)


def imported_names(path):
    """The last parts of the names of modules, and the names that are imported from them."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "").rpartition(".")[2]
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.name.rpartition(".")[2] for alias in node.names)


def refuse(offenders, rule):
    if offenders:
        pytest.fail("\n  ".join([f"{len(offenders)} times: {rule}", *offenders]), pytrace=False)


def test_the_name_of_a_module_leads_to_its_tests():
    def has_tests(module):
        if (TESTS / module.parent / f"test_{module.name}").exists():
            return True
        return any(dotted(module) in names_in_docstring(path) for path in TEST_FILES)

    refuse(
        [str(module) for module in MODULES if not has_tests(module)],
        "neither has the module a test file of its name nor does a docstring of tests name it",
    )


def test_docstrings_of_tests_name_what_exists():
    known = {"wordplane", "wordplane._core", *(dotted(module) for module in MODULES)}
    known |= {dotted(module.parent) for module in MODULES if module.parts[1:]}
    refuse(
        [
            f"{path.relative_to(TESTS)}: {name}"
            for path in TEST_FILES
            for name in names_in_docstring(path)
            if name not in known and name.rpartition(".")[0] not in known  # a class of a module
        ],
        "the docstring of a test file names a module that does not exist",
    )


def test_no_file_imports_a_test_file():
    stems = {path.stem for path in TEST_FILES}
    refuse(
        [
            f"{path.relative_to(TESTS)}: {name}"
            for path in sorted(TESTS.rglob("*.py"))
            for name in sorted(stems.intersection(imported_names(path)))
        ],
        "a file of tests imports a test file; move what they share to conftest.py or a helper",
    )


def test_no_test_file_is_long():
    sizes = {
        path: len(path.read_text(encoding="utf-8").splitlines()) for path in TESTS.rglob("*.py")
    }
    refuse(
        [f"{path.relative_to(TESTS)}: {n}" for path, n in sizes.items() if n > MOST_LINES],
        f"a file of tests has more than {MOST_LINES} lines; cut it where it changes subject",
    )


def test_few_types_are_any():
    """A ceiling: lower it when uses go."""
    sources = [path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py")]
    n_any = sum(len(re.findall(r"\bAny\b", source)) for source in sources)
    assert n_any <= MOST_ANY, f"{n_any} uses of Any in src: name the type, or write a protocol"
