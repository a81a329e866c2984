"""The commands and the Python on the pages print what the pages say they print."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", "docs/diagnosis.md", "docs/evaluation.md", "docs/features.md"]
MORE_PYTHON = [
    f"docs/{page}.md"
    for page in (
        "analyzer",
        "learners",
        "compare",
        "multilabel",
        "neighbors",
        "kernels",
        "em",
        "joint",
    )
]


@pytest.fixture
def beside_examples(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_console(beside_examples, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    commands = 0
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for command, expected in re.findall(r"^\$ (.*?)\n(.*?)(?=^\$|\Z)", block, re.S | re.M):
            done = subprocess.run(
                command, shell=True, text=True, env={**os.environ, "PATH": path},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True,
            )  # fmt: skip
            assert done.stdout == expected, command
            commands += 1
    assert commands >= (3 if page == "README.md" else 1)


@pytest.mark.parametrize("page", PAGES + MORE_PYTHON)
def test_python(beside_examples, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert len(test.examples) >= 6
