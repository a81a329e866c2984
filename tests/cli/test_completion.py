"""`wordplane completion`"""

import subprocess
import sys

import pytest

from wordplane.cli import VERBS, main


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for verb in VERBS:
        assert verb in script
    assert "min-df" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_completion_in_bash(capsys, tmp_path):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out + (
        "\nCOMP_WORDS=(wordplane convert --out)\nCOMP_CWORD=2\n"
        "_shtab_wordplane wordplane --out convert\nprintf '%s ' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["--output", "--output-format"]


def test_completion_without_its_library(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert "pip install '.[completion]'" in capsys.readouterr().err
