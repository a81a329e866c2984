"""The README's commands and its Python print what it says they print."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def beside_examples(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


def test_console(beside_examples):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    commands = 0
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for command, expected in re.findall(r"^\$ (.*?)\n(.*?)(?=^\$|\Z)", block, re.S | re.M):
            done = subprocess.run(
                command, shell=True, text=True, env={**os.environ, "PATH": path},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True,
            )  # fmt: skip
            assert done.stdout == expected, command
            commands += 1
    assert commands >= 3


def test_python(beside_examples):
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest(README, {}, "README", "README.md", 0)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert len(test.examples) >= 8
