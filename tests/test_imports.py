"""The arrows between files: every import is an import statement, and none leads back."""

import ast
import re
from functools import cache
from pathlib import Path

import wordplane

SOURCES = Path(wordplane.__file__).parent
MODULES = {
    ".".join(("wordplane", *path.relative_to(SOURCES).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in sorted(SOURCES.rglob("*.py"))
}
LOADERS = ("import_module", "__import__", "find_spec", "resolve_name")


def package_of(module):
    """wordplane.model of wordplane.model.plan; every module that is in none is its own."""
    return ".".join(module.split(".")[:2])


@cache
def tree_of(module):
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def text_of(node):
    """The text of a string or f-string, with * where a value is put in; None for other nodes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "*" for part in node.values)
    return None


def loaded_by_name(tree):
    """The names of modules of the package that are loaded by a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = getattr(node.func, "attr", getattr(node.func, "id", ""))
            texts = [text_of(each) for each in node.args]
            if function in LOADERS:
                yield from (text for text in texts if text and re.match(r"\.|wordplane\b", text))


def test_the_finder_sees_strings_of_all_kinds():
    code = (
        'import_module(f"wordplane.{x}"); importlib.import_module("wordplane.model.plan"); f("a")'
    )
    assert list(loaded_by_name(ast.parse(code))) == ["wordplane.*", "wordplane.model.plan"]


def test_no_package_loads_another_by_a_string():
    loading = [
        module
        for module, path in MODULES.items()
        if any(name in path.read_text(encoding="utf-8") for name in LOADERS)
    ]
    assert loading
    for module in loading:
        for name in loaded_by_name(tree_of(module)):
            own = package_of(module)
            assert module == "wordplane" or f"{name}.".startswith(f"{own}."), f"{module}: {name}"


def imports_of(module):
    """The modules that a module imports, also inside functions, but not for type checkers."""
    for_types = {
        id(node)
        for each in ast.walk(tree_of(module))
        if isinstance(each, ast.If) and "TYPE_CHECKING" in ast.unparse(each.test)
        for part in each.body
        for node in ast.walk(part)
    }
    for node in ast.walk(tree_of(module)):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield from [each for each in (name, node.module) if each in MODULES][:1]


def circles(graph):
    """The sets of modules that all reach each other (Tarjan 1972)."""
    number, low, path, found = {}, {}, [], []

    def visit(module):
        number[module] = low[module] = len(number)
        path.append(module)
        for other in graph[module]:
            if other not in number:
                visit(other)
            if other in path:
                low[module] = min(low[module], low[other])
        if low[module] == number[module]:
            circle = path[path.index(module) :]
            del path[path.index(module) :]
            if len(circle) > 1 or module in graph[module]:
                found.append(sorted(circle))

    for module in graph:
        if module not in number:
            visit(module)
    return found


def test_circles_are_found():
    assert circles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["d"]}) == [["b", "c"], ["d"]]


def test_there_is_no_circle_of_files():
    graph = {module: set(imports_of(module)) - {"wordplane"} for module in MODULES}
    assert circles(graph) == []
