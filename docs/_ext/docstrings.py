"""Docstrings are plain text with `code` in it; this makes reStructuredText of them.

What stands between backticks is code, and a link where it names something documented. Columns of
names and what they mean become a list of parameters or attributes, and any other indented paragraph
is shown as it is written. Stars, bars and trailing underscores are themselves. The sections of
numpydoc are left to napoleon, which runs after this.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the tests read this without Sphinx
    from sphinx.application import Sphinx

UNDERLINE = re.compile(r"-{3,}$")
CODE = re.compile(r"(`+[^`]+`+)")
DOTTED = re.compile(r"[A-Za-z_][\w.]*$")
MARKUP = re.compile(r"([*|\\]|(?<=\w)_(?!\w))")
COLUMNS = re.compile(r" *(\w+(?:, \w+)*):? {2,}(\S.*)$")
FIELD_SECTIONS = ("Parameters", "Attributes", "Returns", "Raises", "Yields")


def rewrite(lines: list[str], field: str) -> list[str]:
    """The docstring as reStructuredText; `field` is how to write the name of a column."""
    result: list[str] = []
    section = ""
    for block, underlined in _blocks(lines):
        if underlined:
            section = block[0].strip()
            result += block
        elif block[0].lstrip().startswith(">>>"):
            result += block
        elif section in FIELD_SECTIONS:
            # What is not indented there are names and types, which napoleon reads.
            result += [_escape(line) if line.startswith(" ") else line for line in block]
        elif columns := _columns(block):
            for name, meaning in columns:
                result.append(f"{field.format(name)}{_escape(meaning)}")
        elif any(line.startswith(" ") for line in block):
            result += [".. code-block:: text", "", *(f"    {line}" for line in block)]
        else:
            result += map(_escape, _joined(block))
        if not underlined:
            result.append("")
    return result


def _blocks(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """Paragraphs, and the two lines of a heading, which are (block, True)."""
    block: list[str] = []
    i = 0
    while i < len(lines):
        following = lines[i + 1].strip() if i + 1 < len(lines) else ""
        if lines[i].strip() and UNDERLINE.match(following):
            if block:
                yield block, False
            block = []
            yield lines[i : i + 2], True
            i += 2
            continue
        if lines[i].strip():
            block.append(lines[i])
        elif block:
            yield block, False
            block = []
        i += 1
    if block:
        yield block, False


def _columns(block: list[str]) -> list[tuple[str, str]]:
    """Names and their meanings, if that is what the paragraph is."""
    found: list[tuple[str, str]] = []
    margin = len(block[0]) - len(block[0].lstrip())
    for line in block:
        indent = len(line) - len(line.lstrip())
        match = COLUMNS.match(line)
        if indent == margin and match:
            found.append((match[1], match[2]))
        elif indent > margin and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            return []
    return found if len(found) > 1 else []


def _joined(block: list[str]) -> list[str]:
    """The lines of a paragraph; code that a line break cuts in two is put together."""
    lines: list[str] = []
    for line in block:
        if lines and lines[-1].count("`") % 2:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return lines


def _escape(text: str) -> str:
    """The text with what only reStructuredText would take for markup escaped."""
    parts = CODE.split(text)
    return "".join(
        _code(part) if i % 2 else MARKUP.sub(r"\\\1", part) for i, part in enumerate(parts)
    )


def _code(part: str) -> str:
    code = part.strip("`")
    # The escaped blank lets a letter follow, as in `Corpus`es.
    return f":py:obj:`{code}`\\ " if DOTTED.match(code) else f"``{code}``\\ "


def _process(
    app: "Sphinx", what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    text = rewrite(lines, ":param {}: " if inspect.isroutine(thing) else "* **{}** -- ")
    if is_dataclass(thing) and inspect.isclass(thing):
        text = _with_fields(text, thing)
    lines[:] = text


def _with_fields(text: list[str], thing: type) -> list[str]:
    """The docstring of a data class, every field with its type before the examples."""
    items = [line for line in text if line.startswith("* **")]
    said = {}
    for item in items:
        names, _, meaning = item.removeprefix("* **").partition("** -- ")
        said.update(dict.fromkeys(names.split(", "), f" -- {meaning}"))
    listed = [
        f"    * **{f.name}** (*{_type_name(f.type)}*){said.get(f.name, '')}"
        for f in fields(thing)
        if not f.name.startswith("_")
    ]
    rest = [line for line in text if line not in items]
    at = next((i for i, line in enumerate(rest) if line.startswith((">>>", "Examples"))), len(rest))
    return [*rest[:at], ":Attributes:", *listed, "", *rest[at:]]


def _type_name(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b[a-z_]\w*\.(?=[\w.])", "", text)  # the modules that names are from
    return re.sub(r"ndarray\[.*?dtype\[(\w+)\]\]", r"array of \1", text).replace("*", "")


def setup(app: "Sphinx") -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _process, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
