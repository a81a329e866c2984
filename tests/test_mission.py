"""docs/mission.md: every cell is filled, commands work, and pages and tests are there."""

import ast
import re
import shlex
import shutil
import signal
from functools import cache
from pathlib import Path

import pytest

from wordplane.cli import main
from wordplane.demos import DEMOS

ROOT = Path(__file__).resolve().parents[1]
MISSION = ROOT / "docs" / "mission.md"
# Figures, tables, exercises and questions that the documents number, by heading.
NUMBERED = {
    "The chapter": [f"figure 2.{i}," for i in (1, 2, 3)]
    + [f"algorithm {i}," for i in range(1, 6)]
    + [f"exercise {i}," for i in range(1, 11)],
    "The notes": ["table of section 2.3.4,", *(f"question {i}," for i in (5, 6, 7))],
    "The lab": ["figure 1.1,", "figure 1.2,", "table 1.1,"]
    + [f"exercise 1.{i}," for i in range(1, 9)],
    "The slides": [],
    "The review": ["table, short texts", "table, longer reviews"],
}
DEMO_NAMES = {name for names in DEMOS.values() for name in names}


def sections():
    parts = re.split(r"^## (.*)\n", MISSION.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        rows = [line.strip("| ") for line in text.splitlines() if line.startswith("|")]
        found[title] = [[cell.strip() for cell in row.split(" | ")] for row in rows[2:]]
    return found


ROWS = [(title, *row) for title, rows in sections().items() for row in rows]
CODE = [code for _, _, shown, *_ in ROWS for code in re.findall(r"`([^`]+)`", shown)]
COMMANDS = sorted({code for code in CODE if code.startswith("wordplane ")})
PLAIN = [code for code in COMMANDS if not re.fullmatch(r"wordplane demo [\w-]+", code)]


def test_all_is_there():
    counts = {title: len(rows) for title, rows in sections().items()}
    assert sum(n for title, n in counts.items() if title.startswith("Methods")) == 56
    for start, names in NUMBERED.items():
        (rows,) = [rows for title, rows in sections().items() if title.startswith(start)]
        wanted = [name for name in names if not any(row[0].startswith(name) for row in rows)]
        assert wanted == []
    assert counts[next(t for t in counts if t.startswith("The slides"))] == 38
    assert counts[next(t for t in counts if t.startswith("The review"))] == 18


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_row(row):
    assert len(row) == 4 and all(row)
    _, _, shown, held = row
    pages = re.findall(r"\]\(([^)]+)\)", shown)
    codes = re.findall(r"`([^`]+)`", shown)
    assert pages or codes
    assert [page for page in pages if not (MISSION.parent / page).is_file()] == []
    assert [code for code in codes if code.split()[0] not in ("wordplane", "make")] == []
    for code in codes:
        if code.startswith("make "):
            assert f"\n{code.split()[1]}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
    tests = re.findall(r"`([^`]+)`", held)
    assert tests
    for test in tests:
        path, _, name = test.partition("::")
        name, _, parameter = name.partition("[")
        assert name in functions(ROOT / "tests" / path), test
        assert not parameter or parameter.rstrip("]") in DEMO_NAMES, test


@cache
def functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_demos_are_known():
    """tests/demos/test_demos.py runs each of them."""
    asked = {shlex.split(code)[2] for code in COMMANDS if code.startswith("wordplane demo ")}
    assert asked - DEMO_NAMES == {"--list"}
    assert DEMO_NAMES - asked == set()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """What the page says has been run before."""
    folder = tmp_path_factory.mktemp("mission")
    shutil.copytree(ROOT / "examples", folder / "examples")
    block = re.search(r"```text\n(.*?)```", MISSION.read_text(encoding="utf-8"), re.DOTALL)[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in block.splitlines():
            assert main(shlex.split(command)[1:]) == 0
    return folder


@pytest.fixture
def bounded():
    """A command that hangs fails."""

    def stop(*_):
        raise TimeoutError("the command took longer than two minutes")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("command", PLAIN)
@pytest.mark.usefixtures("bounded")
def test_command(command, prepared, tmp_path, monkeypatch, capsys):
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    assert capsys.readouterr().out.strip()


def test_no_row_shows_only_an_accuracy():
    """`train` prints one, whatever the method."""
    assert [code for code in COMMANDS if code.startswith("wordplane train ")] == []
