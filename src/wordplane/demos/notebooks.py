"""Notebooks that need nothing but the installed package.

`first-hour` is a file of this package. Those of the documents are made from the demos: for each,
what it is about, and a cell that calls it with its parameters, ready to be changed.
"""

import inspect
import json
from collections.abc import Iterator
from importlib.resources import files

from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject
from wordplane.demos import find_demo, summary
from wordplane.demos.guide import GUIDE

FIRST_HOUR = "first-hour"
DOCUMENTS = {
    "chapter": "A chapter on linear text classification",
    "notes": "Notes on more text classification",
    "lab": "A lab on classification",
    "slides": "Slides on text classification with mostly linear models",
    "review": "A review of machine learning for text classification",
}
NOTEBOOKS = {
    FIRST_HOUR: "A frame, a model, its mistakes, and a comparison with a pipeline of one's own",
    **{name: f"{about}: its figures and exercises" for name, about in DOCUMENTS.items()},
}


def make_notebook(name: str) -> str:
    """The text of a notebook file.

    >>> cells = json.loads(make_notebook("lab"))["cells"]
    >>> "".join(cells[0]["source"])
    '# A lab on classification'
    """
    if name not in NOTEBOOKS:
        raise InputError(f"there is no notebook {name!r}, expected one of {', '.join(NOTEBOOKS)}")
    if name == FIRST_HOUR:
        return (files("wordplane.demos") / f"{name}.ipynb").read_text(encoding="utf-8")
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {
        "cells": [{**cell, "id": f"cell-{i:02}"} for i, cell in enumerate(_cells(name))],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _cells(document: str) -> Iterator[JsonObject]:
    yield _markdown(f"# {DOCUMENTS[document]}")
    yield _code("from wordplane.demos import find_demo")
    for name, entry in GUIDE.items():
        places = [place for place in entry.place.split("; ") if place.startswith(document)]
        if places:
            yield _markdown(f"## {summary(name)}\n{places[0]}. Look: {entry.look}.")
            yield _code(_call(name))


def _call(name: str) -> str:
    """A call of the demo with its parameters, and its picture."""
    demo = find_demo(name)
    arguments = inspect.signature(demo).parameters.values()
    given = "".join(f"\n    {one.name}={one.default!r}," for one in arguments if one.name != "data")
    call = f'shown = find_demo("{name}")({given}{chr(10) if given else ""})'
    return f"{call}\nprint(shown)\nshown.picture and shown.picture()"


def _markdown(text: str) -> JsonObject:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> JsonObject:
    source = text.splitlines(keepends=True)
    empty: JsonObject = {"execution_count": None, "metadata": {}, "outputs": []}
    return {"cell_type": "code", "source": source, **empty}
