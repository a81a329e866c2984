"""What strangers put into names and labels never steers the terminal, and files stay whole."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wordplane.cli import main
from wordplane.cli.console import print_json
from wordplane.common.errors import WordplaneError
from wordplane.common.files import whole_file
from wordplane.data.tables import write_table

ESCAPE = "\x1b[31m\x9b"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"good w{i},a{ESCAPE}\nbad v{i},b\n" for i in range(12)]
    Path(f"d{ESCAPE}.csv").write_text("text,label\n" + "".join(rows))
    assert main(["train", f"d{ESCAPE}.csv", "--learner", "nb", "-o", f"m{ESCAPE}.wordplane"]) == 0
    return tmp_path


DATA, MODEL = f"d{ESCAPE}.csv", f"m{ESCAPE}.wordplane"
COMMANDS = [
    ["train", f"none{ESCAPE}.csv"],
    ["train", DATA, "--learner", f"x{ESCAPE}"],
    ["train", DATA, f"--option{ESCAPE}"],
    ["train", DATA, "--text", f"x{ESCAPE}"],
    ["train", DATA, "--param", f"a{ESCAPE}=1"],
    ["train", DATA, "--config", f"x{ESCAPE}.toml"],
    ["train", DATA, "--learner", "nb", "-o", f"n{ESCAPE}.wordplane"],
    ["train", DATA, "--learner", "nb", "--json", "--no-test", "-o", f"o{ESCAPE}.wordplane"],
    [f"verb{ESCAPE}"],
    ["inspect", MODEL],
    ["inspect", MODEL, "--json"],
    ["evaluate", MODEL, DATA],
    ["evaluate", MODEL, DATA, "--json"],
    ["explain", MODEL, f"good {ESCAPE}"],
    ["explain", MODEL, "good", "--label", f"x{ESCAPE}"],
    ["audit", DATA],
    ["lexicon", DATA],
    ["lexicon", DATA, "--json"],
    ["predict", MODEL, DATA, "-o", f"out{ESCAPE}.csv"],
    ["predict", MODEL, f"none{ESCAPE}.csv"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words).replace(ESCAPE, ""))
def test_nothing_steers_the_terminal(here, command, capfd):
    capfd.readouterr()
    try:
        main(command)
    except SystemExit as end:
        assert end.code == 2
    out, err = capfd.readouterr()
    assert out or err
    for character in ESCAPE[0] + ESCAPE[-1]:
        assert character not in out + err


def test_json_is_the_same_with_escapes(capsys):
    import json

    value = {"label": f"a{ESCAPE}\u202e", "word": "schön \U0001f600"}
    print_json(value)
    printed = capsys.readouterr().out
    assert printed.rstrip("\n").isprintable() and "schön" in printed
    assert json.loads(printed) == value


def test_files_of_an_input_folder_are_not_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("in/a/1.txt", "in/a/2.txt", "in/b/3.txt", "in/b/4.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(f"text of {name}")
    for output in ("in/a/1.txt", "in/b/../a/2.txt"):
        assert main(["train", "in", "--no-test", "-o", output, "--force"]) == 2
        assert "also read or written by this command" in capsys.readouterr().err
    assert Path("in/a/1.txt").read_text() == "text of in/a/1.txt"
    assert main(["train", "in", "--learner", "nb", "--no-test", "-o", "m.wordplane"]) == 0


def test_drafts_are_as_private_as_their_target(tmp_path):
    target = tmp_path / "secret.txt"
    target.touch(mode=0o600)
    with whole_file(target) as draft:
        assert draft.stat().st_mode & 0o777 == 0o600
        draft.write_text("a")
        assert draft.stat().st_mode & 0o777 == 0o600
    assert target.stat().st_mode & 0o777 == 0o600 and target.read_text() == "a"
    before = os.umask(0o027)
    try:
        with whole_file(tmp_path / "new.txt") as draft:
            draft.write_text("b")
    finally:
        os.umask(before)
    assert (tmp_path / "new.txt").stat().st_mode & 0o777 == 0o640


def wait_for(condition):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it never came")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("options", [[], ["--json"], ["--output-format", "tsv"]])
def test_predictions_do_not_steer_the_terminal(here, options, monkeypatch):
    Path("t.csv").write_text(f"id,text\n1\x1b]0;x\x07\x9b\u202e,good w1\n2,good {ESCAPE}\n")
    command = ["predict", MODEL, "t.csv", *options]
    shown = {}
    for kind in (Terminal, io.StringIO):
        monkeypatch.setattr(sys, "stdout", kind())
        assert main(command) == 0
        shown[kind] = sys.stdout.getvalue()
    assert shown[Terminal].replace("\n", "").replace("\t", "").isprintable()
    assert "\x9b" in shown[io.StringIO]  # a file or pipe gets the data as it is
    if "--json" in options:
        plain, raw = (list(map(json.loads, text.splitlines())) for text in shown.values())
        assert plain == raw


BUSY = """
import hashlib, sys
import wordplane.cli
from wordplane.cli import inspect
from wordplane.data.tables import write_table

def batches():
    yield {"text": ["a"] * 1000}
    print("busy", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"a", b"b", 2_000_000_000)  # native, many minutes

def run(args):
    write_table(batches(), args.model.rpartition(".")[2], args.model, {"text": str})

inspect.run = run
wordplane.cli.command()
"""


@pytest.mark.clock
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("output", ["x.csv", "x.excel"])  # the second uses a temporary folder, too
def test_a_long_native_call_is_ended(tmp_path, number, output):
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY, "inspect", output], cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=take_interrupts,
    )  # fmt: skip
    with process.stdout, process.stderr:
        assert process.stdout.readline() == b"busy\n"
        assert len(list(tmp_path.iterdir())) == (1 if output == "x.csv" else 2)
        time.sleep(0.5)  # until it is in the native call
        process.send_signal(number)
        start = time.monotonic()
        try:
            assert process.wait(timeout=60) == 128 + number
        finally:
            process.kill()
        assert time.monotonic() - start < 10  # about one on a quiet machine
    assert not list(tmp_path.iterdir())


def take_interrupts():
    """A process started in the background by a script ignores Ctrl-C; not this one."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("output", ["x.parquet", "x.csv", "x.xlsx"])
def test_a_waiting_command_ends_at_once_and_leaves_nothing(here, number, output):
    command = [sys.executable, "-m", "wordplane", "predict", MODEL, "-", "-o", output]
    temporary = here / "temporary"
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=take_interrupts, env={**os.environ, "TMPDIR": str(temporary)},
    )  # fmt: skip
    try:
        process.stdin.write(b"good film\n" * 5)
        process.stdin.flush()
        wait_for(lambda: list(here.glob(".wordplane-*.tmp")))
        wait_for(lambda: output != "x.xlsx" or list(temporary.iterdir()))
        time.sleep(0.3)
        process.send_signal(number)
        code = process.wait(timeout=10)
    finally:
        process.kill()
        process.stdin.close()
        process.stderr.close()
    assert code == (143 if number == signal.SIGTERM else 130)
    assert not list(here.glob(".wordplane-*")) and not (here / output).exists()
    assert not list(temporary.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk_is_an_error(tmp_path, monkeypatch):
    from contextlib import contextmanager

    @contextmanager
    def full(path, finish=None):
        yield Path("/dev/full")

    monkeypatch.setattr("wordplane.data.tables.whole_file", full)
    rows = {"id": [str(i) for i in range(100_000)]}
    for form in ("parquet", "arrow"):
        with pytest.raises((WordplaneError, OSError)):
            write_table([rows, rows], form, str(tmp_path / "x"), {"id": str})
