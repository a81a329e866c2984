"""Tests of wordplane.cli.questions: which column is meant, asked at a terminal or named in a
command."""

import os
import pty
import select
import subprocess
import sys
import time

import pytest

from wordplane.cli import main

ROWS = [f"{i};meine Karte geht nicht {i % 7};K{i % 4};Frau {'ABC'[i % 3]}" for i in range(60)]


@pytest.fixture
def export(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("\n".join(["Nr;Nachricht;Gruppe;Bearbeiter", *ROWS]))
    return tmp_path


def test_commands_that_would_help_are_shown(export, capsys):
    assert main(["train", "t.csv", "-o", "a model.wordplane"]) == 2
    err = capsys.readouterr().err
    assert "which column has the labels? 'Gruppe' and 'Bearbeiter' would do:" in err
    assert "Name it with --label\n" in err
    assert "  wordplane train t.csv -o 'a model.wordplane' --label Gruppe\n" in err
    assert "  wordplane train t.csv -o 'a model.wordplane' --label Bearbeiter\n" in err
    assert main(["train", "t.csv", "--label", "Gruppe", "-o", "m.wordplane"]) == 0


def test_all_problems_have_one_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("text,label\na b,x\nc d,x,y\ne f,\n")
    assert main(["train", "a.csv"]) == 2
    assert capsys.readouterr().err.endswith(
        "\n  wordplane train a.csv --skip-bad --skip-unlabeled\n"
    )


def at_a_terminal(command, answers, cwd):
    """The output of a command that reads its answers from a terminal, and its exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "wordplane", *command],
        stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, cwd=cwd,
    )  # fmt: skip
    os.close(theirs)
    shown, answers, deadline = "", list(answers), time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                shown += os.read(ours, 4096).decode()
            except OSError:  # the other end is closed
                break
            if answers and shown.rstrip(" ").endswith(":"):
                os.write(ours, answers.pop(0).encode() + b"\n")
        elif process.poll() is not None:
            break
    code = process.wait(timeout=30)
    process.stdout.close()
    os.close(ours)
    return shown.replace("\r\n", "\n"), code


@pytest.mark.parametrize("answers", [["1"], ["Gruppe"], ["7", "Gruppe"]])
@pytest.mark.slow
def test_a_person_chooses(export, answers):
    shown, code = at_a_terminal(["train", "t.csv", "--threads", "1"], answers, export)
    assert "t.csv: which column has the labels?\n   1  Gruppe      4 values, such as" in shown
    assert code == 0 and "next time: --label Gruppe" in shown
    assert ("there is no '7'" in shown) is (len(answers) == 2)
    assert (export / "t.wordplane").exists()


def test_nobody_answers(export):
    shown, code = at_a_terminal(["train", "t.csv"], [""], export)
    assert code == 2 and "wordplane train t.csv --label Gruppe" in shown
    assert not (export / "t.wordplane").exists()


def test_several_columns_of_text_are_joined(export):
    lines = [f"erste Zeilen von {i},andere Zeilen von {i},K{i % 2}" for i in range(40)]
    (export / "u.csv").write_text("\n".join(["eins,zwei,label", *lines]))
    shown, code = at_a_terminal(["train", "u.csv"], ["1,2"], export)
    assert code == 0 and "next time: --text eins --text zwei" in shown


@pytest.mark.parametrize(("answer", "said"), [("1", "--target rating"), ("2", "--label rating")])
@pytest.mark.slow
def test_numbers_are_asked_about(tmp_path, answer, said):
    rows = [f"ein Text mit {i} Worten,{i / 7:.2f}" for i in range(60)]
    (tmp_path / "n.csv").write_text("\n".join(["text,rating", *rows]))
    shown, code = at_a_terminal(["train", "n.csv", "--learner", "recipe"], [answer], tmp_path)
    assert "the column 'rating' has 60 numbers, such as 0.00, 0.14, 0.29" in shown
    assert code == 0 and f"next time: {said}" in shown


def test_numbers_have_commands_where_nobody_is_asked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"ein Text mit {i} Worten,{i / 7:.2f}" for i in range(60)]
    (tmp_path / "n.csv").write_text("\n".join(["text,rating", *rows]))
    assert main(["train", "n.csv"]) == 2
    commands = capsys.readouterr().err.splitlines()[-2:]
    assert commands == [
        "  wordplane train n.csv --target rating", "  wordplane train n.csv --label rating"
    ]  # fmt: skip
    assert main(["diagnose", "n.csv"]) == 2  # whose --target is an accuracy
    assert capsys.readouterr().err.splitlines()[-1:] == [
        "  wordplane diagnose n.csv --label rating"
    ]


def test_an_option_with_one_value_is_not_given_twice(capsys):
    for words in (["train", "a.csv", "--label", "a", "--label", "b"],
                  ["train", "a.csv", "--seed=1", "--seed", "2"],
                  ["evaluate", "m", "a.csv", "--by", "a", "--by", "b"]):  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
        assert "is given twice, " in capsys.readouterr().err
    assert main(["train", "no.csv", "--label", "a", "--label", "a"]) == 2
    assert "there is no such file" in capsys.readouterr().err
