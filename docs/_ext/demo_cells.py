"""A demo on a page: its code in a cell that is run, and every such page as a notebook.

A line with `{demo}` and the name, as a fenced block, becomes a code cell with the body of the
demo's function, what it needs of its module, and the imports; it prints the lines and shows the
picture. So the page, the notebook and `wordplane demo NAME` run the same code.

A demo that has a page to touch is followed by that page in a frame, folded; `{touch}` and the name
is the frame alone. The frames are files of this site, in `touch/`.

The notebooks are what ran when the pages were built, with the charts in the colors of a light page.
"""

import ast
import inspect
import json
import os
import re
import textwrap
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import wordplane
from wordplane.demos import find_demo
from wordplane.demos.page import PAGES, write_touch_page
from wordplane.plots import style

if TYPE_CHECKING:  # the tests read this without Sphinx
    from sphinx.application import Sphinx

DEMO = re.compile(r"^```\{demo\} ([\w-]+)\n```$", re.MULTILINE)
TOUCH = re.compile(r"^```\{touch\} ([\w-]+)\n```$", re.MULTILINE)
IS_RUN = "file_format: mystnb"
FOLDER = "notebooks"
TOUCH_FOLDER = "touch"
WIDTH = 100


def demo_cell(name: str) -> str:
    """The demo as code at the top level."""
    function = find_demo(name)
    source = inspect.getsource(inspect.getmodule(function))
    tree = ast.parse(source)
    top = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    top |= {node.targets[0].id: node for node in tree.body if isinstance(node, ast.Assign)}
    own = top[function.__name__]
    needed, used = {own.name: own}, _names(own)
    while more := {name: node for name, node in top.items() if name in used - needed.keys()}:
        needed |= more
        used = used.union(*(_names(node) for node in more.values()))
    del needed[own.name]
    parts = [_imports(tree, used - {"Shown"})]
    ordered = sorted(needed.values(), key=lambda node: node.lineno)
    parts += [ast.get_source_segment(source, node) for node in ordered]
    return "\n\n".join([*filter(None, parts), _body(source, own)])


def _names(node: ast.AST) -> set[str]:
    """The names that the code of a function uses; those of its own signature are not in a cell."""
    statements = node.body[1:] if isinstance(node, ast.FunctionDef) else [node]
    found = {n.id for part in statements for n in ast.walk(part) if isinstance(n, ast.Name)}
    if isinstance(node, ast.FunctionDef) and not _is_demo(node):
        found |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return found


def _is_demo(node: ast.FunctionDef) -> bool:
    return isinstance(node.returns, ast.Name) and node.returns.id == "Shown"


def _imports(tree: ast.Module, used: set[str]) -> str:
    lines: dict[str, list[str]] = {}
    plain = []
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for alias in (alias for alias in node.names if (alias.asname or alias.name) in used):
            if isinstance(node, ast.Import):
                plain.append(f"import {ast.unparse(alias)}")
                continue
            module = _public_module(node.module, alias.name)
            lines.setdefault(module, []).append(ast.unparse(alias))
    return "\n".join([*plain, *(_import_line(*item) for item in sorted(lines.items()))])


def _public_module(module: str, name: str) -> str:
    """Where a user imports a name from: the top level, its package, or the module itself."""
    if not module.startswith("wordplane."):
        return module
    package = ".".join(module.split(".")[:2])
    offers = getattr(import_module(package), "__all__", ())
    return "wordplane" if name in wordplane.__all__ else package if name in offers else module


def _import_line(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(sorted(names))}"
    if len(line) <= WIDTH:
        return line
    wrapped = textwrap.wrap(", ".join(sorted(names)) + ",", WIDTH - 4)
    return "\n".join([f"from {module} import (", *(f"    {part}" for part in wrapped), ")"])


def _body(source: str, own: ast.FunctionDef) -> str:
    """The statements after the docstring; the end prints and shows instead of returning."""
    lines = source.splitlines()
    *_, last = own.body
    arguments = own.args.args
    start = [f"{given.arg} = {ast.unparse(value)}"
             for given, value in zip(arguments, own.args.defaults, strict=True)]  # fmt: skip
    inside = "\n".join(lines[own.body[0].end_lineno : last.lineno - 1])
    shown, *picture = last.value.args
    end = [f'print(*{_segment(source, shown)}, sep="\\n")']
    end += [_segment(source, lambda_.body) for lambda_ in picture]
    return "\n".join([*start, textwrap.dedent(inside).strip("\n"), *end]).strip("\n")


def _segment(source: str, node: ast.AST) -> str:
    """The source of an expression; lines after its first keep their distances from the left."""
    first, *rest = ast.get_source_segment(source, node).splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return "\n".join([first, *(line[margin:] for line in rest)])


def touch_frame(name: str, page: str) -> str:
    """The page of a demo in a frame, for a page of the documentation."""
    address = os.path.relpath(f"{TOUCH_FOLDER}/{name}.html", Path(page).parent)
    return (
        f'<iframe class="touch" src="{address}" title="{name}: a page to touch" loading="lazy">'
        f'</iframe>\n<p class="touch"><a href="{address}">{name} on a page of its own</a></p>'
    )


def _demo(name: str, page: str) -> str:
    cell = f"```{{code-cell}}\n{demo_cell(name)}\n```"
    if name not in PAGES:
        return cell
    frame = touch_frame(name, page)
    return f'{cell}\n\n<details class="touch"><summary>Touch it</summary>\n{frame}\n</details>\n'


def _on_read(app: "Sphinx", page: str, texts: list[str]) -> None:
    texts[0] = TOUCH.sub(lambda match: touch_frame(match[1], page), texts[0])
    if IS_RUN not in texts[0]:
        return
    texts[0] = DEMO.sub(lambda match: _demo(match[1], page), texts[0])
    here = os.path.relpath(f"{FOLDER}/{page}.ipynb", Path(page).parent)
    texts[0] += f'\n\n<p><a href="{here}" download>This page as a notebook</a></p>\n'


def _write_notebooks(app: "Sphinx", error: Exception | None) -> None:
    ran = Path(app.outdir).parent / "jupyter_execute"
    for path in sorted(ran.rglob("*.ipynb")) if error is None else ():
        target = Path(app.outdir) / FOLDER / path.relative_to(ran)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(as_notebook(path.read_text(encoding="utf-8")), encoding="utf-8")


def as_notebook(text: str) -> str:
    """What ran, without what only the pages need."""
    book = json.loads(text)
    book["cells"] = [c for c in book["cells"] if "remove-cell" not in c["metadata"].get("tags", ())]
    color = re.compile(r"var\(--chart-(\w+)\)")
    whole = color.sub(lambda match: getattr(style, match[1].upper()), json.dumps(book, indent=1))
    for part in (
        r"<details class=.{1,2}touch.*?</details>",
        r"<p><a [^>]*download[^>]*>.*?</a></p>",
    ):
        whole = re.sub(part, "", whole, flags=re.DOTALL)
    return whole


def _write_touch_pages(app: "Sphinx", error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / TOUCH_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        write_touch_page(folder / f"{name}.html", name)


def setup(app: "Sphinx") -> dict[str, bool]:
    app.connect("source-read", _on_read)
    app.connect("build-finished", _write_notebooks)
    app.connect("build-finished", _write_touch_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
