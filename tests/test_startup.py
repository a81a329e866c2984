"""What is imported when: the quick paths stay quick."""

import os
import subprocess
import sys

import pytest

import wordplane
from wordplane.__main__ import WAITING
from wordplane.__main__ import command as run_command

HEAVY = ["sklearn", "scipy", "altair", "polars", "pandas", "rich", "starlette"]
# For functions on sets that have a quick equivalent; for texts that do not fit into memory; for
# vectors of others.
NEEDLESS = ["numpy.ma", "wordplane.scale", "safetensors"]

FIT = """
import wordplane
model = wordplane.TextClassifier().fit(["a b", "c d"], ["x", "y"])
model.predict(["a"]); model.predict_proba(["a"]); model.explain("a")
model.save("m.wordplane")
wordplane.load("m.wordplane")
"""


def loaded_after(code, cwd):
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=cwd, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("code", ["import wordplane", FIT])
def test_library_loads_nothing_heavy(tmp_path, code):
    assert loaded_after(code, tmp_path).isdisjoint(HEAVY)


def test_bare_import_loads_not_even_numpy(tmp_path):
    assert "numpy" not in loaded_after("import wordplane", tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        "train t.csv -o new.wordplane",
        "predict m.wordplane t.txt",
        "inspect m.wordplane",
        "lexicon t.csv --min-df 1",
    ],
)
def test_light_verbs_load_nothing_heavy(tmp_path, command):
    (tmp_path / "t.csv").write_text("text,label\n" + 5 * "a b,x\nc d,y\ne f,x\ng h,y\n")
    (tmp_path / "t.txt").write_text("a\n")
    loaded_after(FIT, tmp_path)
    code = f"from wordplane.cli import main\nassert main({command.split()!r}) == 0"
    assert loaded_after(code, tmp_path).isdisjoint([*HEAVY, *NEEDLESS])


def test_version_needs_no_parser():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "wordplane", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"wordplane {wordplane.__version__}\n"
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "wordplane" in loaded
    assert loaded.isdisjoint(["argparse", "json", "numpy", "wordplane.cli", "wordplane.common"])


def test_help_imports_no_verb(tmp_path):
    code = """
from wordplane.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
"""
    loaded = loaded_after(code, tmp_path)
    assert "numpy" not in loaded
    assert "wordplane.cli.train" not in loaded


def test_help_of_train_loads_no_numpy(tmp_path):
    code = """
from wordplane.cli import main
try:
    main(["train", "--help"])
except SystemExit:
    pass
"""
    assert "numpy" not in loaded_after(code, tmp_path)


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'Wordplane'"):
        _ = wordplane.Wordplane
    assert set(wordplane.__all__) <= set(dir(wordplane))
    for name in wordplane.__all__:
        assert getattr(wordplane, name) is not None


def test_threads_of_linear_algebra_do_not_wait_busily(monkeypatch):
    seen = []
    monkeypatch.setattr("wordplane.cli.command", lambda: seen.append(os.environ[WAITING[0]]))
    monkeypatch.setattr(sys, "argv", ["wordplane", "predict"])
    monkeypatch.setenv(WAITING[0], "26")  # what users say holds
    run_command()
    monkeypatch.delenv(WAITING[0])
    run_command()
    assert seen == ["26", WAITING[1]]
    assert "numpy" not in loaded_after("import wordplane.__main__", None)  # it would be too late
