"""Tests of wordplane.cli.notebook and wordplane.demos.notebooks."""

import ast
import json

import pytest

from wordplane.cli import main
from wordplane.demos import DEMOS, find_demo
from wordplane.demos.notebooks import DOCUMENTS, NOTEBOOKS, make_notebook

NAMES = [name for names in DEMOS.values() for name in names]


def sources(name, kind):
    cells = json.loads(make_notebook(name))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_are_valid(name):
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(nbformat.reads(make_notebook(name), as_version=4))
    for source in sources(name, "code"):
        ast.parse(source)
        assert "read_csv(" not in source.partition("#")[0]  # nothing of a clone is needed


def test_every_demo_is_in_a_notebook_of_its_document():
    shown = "".join(source for name in DOCUMENTS for source in sources(name, "code"))
    assert [name for name in NAMES if f'find_demo("{name}")' not in shown] == []


@pytest.mark.parametrize("name", ["descent", "die", "one-feature", "negation", "sigmoid", "slack"])
def test_a_cell_prints_what_the_demo_prints(name, capsys):
    (cell,) = {
        source
        for document in DOCUMENTS
        for source in sources(document, "code")
        if f'find_demo("{name}")' in source
    }
    exec(cell, {"find_demo": find_demo})
    assert capsys.readouterr().out == f"{find_demo(name)()}\n"


def test_the_verb_writes_a_file_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["notebook", "lab"]) == 0
    assert (tmp_path / "lab.ipynb").read_text(encoding="utf-8") == make_notebook("lab")
    assert main(["notebook", "lab"]) == 2
    assert "exists" in capsys.readouterr().err
    assert main(["notebook", "lab", "--force", "-o", "lab.ipynb", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"notebook": "lab", "output": "lab.ipynb"}


@pytest.mark.parametrize("arguments", [["labb"], []])
def test_wrong_use(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["notebook", *arguments]) == 2
    assert "first-hour, chapter, notes, lab, slides, review" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_list(capsys):
    assert main(["notebook", "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(NOTEBOOKS)
