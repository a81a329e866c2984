"""`wordplane predict`, from files, pipes and terminals."""

import contextlib
import csv
import gzip
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import wordplane
from tests.cli.running import wordplane_process
from wordplane.cli import main


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_predict_writes_a_row_per_row(here, model, form, capsys):
    texts = ["great", "", "dull\x00", "unheard-of", 'quo"te, comma', "😀"]
    ids = ["7", "7", "x,y", "ä", "5", "6"]
    pl.DataFrame({"id": ids, "text": texts}).write_parquet("in.parquet")
    assert main(["predict", model, "in.parquet", "-o", f"out.{form}"]) == 0
    path = here / f"out.{form}"
    if form == "csv":
        rows = list(csv.DictReader(path.read_text().splitlines()))
    elif form == "jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        rows = pl.read_parquet(path).to_dicts()
    loaded = wordplane.load(model)
    assert [row["id"] for row in rows] == ids
    expected = loaded.predict(texts).tolist()
    expected[1] = "" if form == "csv" else None  # an empty text
    assert [row["label"] for row in rows] == expected
    expected = loaded.predict_proba(texts).max(axis=1)[[0, 2, 3, 4, 5]]
    assert rows[1]["probability"] == ("" if form == "csv" else None)
    found = [float(row["probability"]) for row in rows if row["probability"] not in ("", None)]
    assert found == pytest.approx(expected, abs=1e-6)
    assert main(["predict", model, "in.parquet", "-o", f"out.{form}"]) == 2
    assert main(["predict", model, "in.parquet", "-o", f"out.{form}", "--force"]) == 0
    capsys.readouterr()


def test_labels_are_those_of_predict_where_probabilities_tie(here, capsys):
    (here / "d.csv").write_text("text,label\ngood x,a\nbad y,b\n")
    assert main(["train", "d.csv", "-o", "m.wordplane", "--learner", "nb"]) == 0
    loaded = wordplane.load("m.wordplane")
    loaded.model_.b[:] = 1e-18
    loaded.model_.__post_init__()
    assert loaded.predict_proba([""]).tolist() == [[0.5, 0.5]]
    loaded.save("tie.wordplane")
    (here / "in.txt").write_text("?\n")
    capsys.readouterr()
    assert main(["predict", "tie.wordplane", "in.txt"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"1,{loaded.predict(['?'])[0]},0.5"


def test_predict_many_batches_in_order(here, model):
    with gzip.open("many.txt.gz", "wt") as file:
        file.writelines(f"{'great' if i % 3 else 'dull'} {i}\n" for i in range(25_000))
    for name in ("out.csv", "out.parquet"):
        assert main(["predict", model, "many.txt.gz", "-o", name]) == 0
    table = pl.read_csv("out.csv", schema_overrides={"id": pl.String})
    assert table["id"].to_list() == [str(i) for i in range(1, 25_001)]
    assert table["label"].to_list() == ["pos" if i % 3 else "neg" for i in range(25_000)]
    assert table.equals(pl.read_parquet("out.parquet"))


def test_predict_from_stdin_to_stdout(model):
    done = wordplane_process("predict", model, "-", input=b"great film\nso dull\n")
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "id,label,probability"
    assert [line.split(",")[:2] for line in lines[1:]] == [["1", "pos"], ["2", "neg"]]
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_each_line_of_a_pipe_is_answered_as_it_comes(here, model, options):
    process = subprocess.Popen(
        [sys.executable, "-m", "wordplane", "predict", model, "-", *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process.stdin, process.stdout:
        for number, text in enumerate(["great film", "dull film", "great fun"], 1):
            process.stdin.write(text + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()  # would wait for ever if the line were kept
            if number == 1 and not options:
                assert answer == "id,label,probability\n"
                answer = process.stdout.readline()
            assert (json.loads(answer)["id"] if options else answer.split(",")[0]) == str(number)
        process.stdin.write("x\n" * 3000 + "the last has no end of line")
        process.stdin.close()
        assert len(process.stdout.readlines()) == 3001
    assert process.wait(timeout=60) == 0


def test_a_broken_pipe_is_no_drama(model):
    Path("many.txt").write_bytes(b"great\n" * 200_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "wordplane", "predict", model, "many.txt"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process.stdout, process.stderr:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 141


def test_predict_says_what_it_wrote(model, data, capsys):
    capsys.readouterr()
    assert main(["predict", model, data, "-o", "o.csv"]) == 0
    assert capsys.readouterr().err.endswith("wrote 8 rows to o.csv\n")
    assert main(["predict", model, data]) == 0
    assert "wrote" not in capsys.readouterr().err


def test_a_model_is_not_poured_into_a_terminal(model, capsys, monkeypatch):
    capsys.readouterr()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["convert", model]) == 2
    out, err = capsys.readouterr()
    assert "name a file with -o" in err
    assert out == ""
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert main(["convert", "m.wordplane"]) == 0
    assert capsys.readouterr().out.startswith("{")


def test_a_failed_predict_leaves_no_file(here, model, capsys):
    (here / "in.txt").write_bytes(b"fine\n" * 15_000 + b"\xff\n")
    assert main(["predict", model, "in.txt", "-o", "out.csv"]) == 2
    assert "row 15001: byte 0xff" in capsys.readouterr().err
    assert not (here / "out.csv").exists()
    assert not list(here.glob(".*tmp"))


def test_rows_go_to_the_file_even_on_a_terminal(here, model):
    """stderr is a terminal, so a progress bar is drawn; stdout is a file."""
    (here / "in.txt").write_text("great\n" * 20_000)
    try:
        leader, follower = pty.openpty()
    except OSError:
        pytest.skip("this system has no pseudo-terminals")
    with (here / "out.csv").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "wordplane", "predict", model, "in.txt"],
            stdout=out, stderr=follower,
        )  # fmt: skip
        os.close(follower)
        shown = b""
        with contextlib.suppress(OSError):  # a terminal that nobody writes to any more
            while chunk := os.read(leader, 65536):
                shown += chunk
    os.close(leader)
    assert process.wait(timeout=60) == 0
    assert (here / "out.csv").read_text().count("\n") == 20_001
    assert b"rows labeled" in shown
    assert b"pos" not in shown


def test_rows_before_the_wanted_ones(here, model):
    rows = [f"great,pos,{'train' if i < 15_000 else 'test'}" for i in range(25_000)]
    (here / "in.csv").write_text("\n".join(["text,label,split", *rows]))
    for name in ("out.parquet", "out.csv"):
        assert main(["predict", model, "in.csv", "--rows", "test", "-o", name]) == 0
    assert pl.read_parquet("out.parquet")["id"].to_list() == [str(i) for i in range(15_001, 25_001)]
    assert pl.read_csv("out.csv").height == 10_000


def test_predict_needs_nothing_but_the_texts(here, model, capsys):
    (here / "in.jsonl").write_text('{"text": "great", "rating": 4.5, "weight": null}\n')
    assert main(["predict", model, "in.jsonl", "-o", "-"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1,pos,")


def test_a_name_without_an_ending_may_have_meant_a_folder(here, model, data, capsys):
    assert main(["predict", str(model), str(data), "-o", "answers"]) == 2
    assert "or in / for a folder with one file of answers" in capsys.readouterr().err
    assert not (here / "answers").exists()
