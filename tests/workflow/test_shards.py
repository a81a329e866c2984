"""Shards: one output for each, whatever ends a run, and however many processes there are.

Tests of wordplane.workflow.shards, wordplane.data.shards, wordplane.workflow.answer_files and
wordplane.workflow.row_filter.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from wordplane import TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.shards import list_shards, local_copy, open_folder
from wordplane.workflow import shards as shards_module
from wordplane.workflow.answers import Answers

N_SHARDS, N_MANY = 12, 200


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def model(here):
    texts = ["a great film", "great fun", "a dull film", "dull and long"] * 5
    TextClassifier().fit(texts, ["good", "good", "bad", "bad"] * 5).save("m.wordplane")
    return "m.wordplane"


@pytest.fixture
def shards(here):
    rng = random.Random(0)
    (here / "in").mkdir()
    for number in range(N_SHARDS):
        texts = [" ".join(rng.choices(["great", "dull", "film", "fun"], k=5)) for _ in range(30)]
        frame = pl.DataFrame({"text": texts, "n": range(30)})
        frame.write_parquet(here / "in" / f"part-{number:03}.parquet")
    return "in/*.parquet"


def outputs(folder):
    """The bytes of all files that another program would see."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if path.name != ".wordplane-shards"
    }


def test_an_output_for_each_shard_has_the_rows_of_one_run(model, shards, here, capsys):
    assert main(["predict", model, shards, "-o", "out/", "--keep", "n"]) == 0
    assert main(["predict", model, shards, "-o", "all.parquet", "--keep", "n"]) == 0
    names = [f"part-{number:03}.parquet" for number in range(N_SHARDS)]
    assert sorted(outputs(here / "out")) == names
    parts = pl.concat([pl.read_parquet(here / "out" / name) for name in names])
    whole = pl.read_parquet("all.parquet")
    assert parts.drop("id").equals(whole.drop("id"))
    assert parts["id"].to_list() == [str(row) for row in range(1, 31)] * N_SHARDS
    assert "wrote 360 rows of 12 shards to out/" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.zst", "csv", "csv.gz", "arrow", "txt"])
def test_shards_are_written_in_another_format(model, shards, here, ending):
    assert main(["predict", model, shards, "-o", f"out/*.{ending}"]) == 0
    assert sorted(outputs(here / "out"))[0] == f"part-000.{ending}"
    if ending != "txt":
        again = ["predict", model, f"out/*.{ending}", "-o", "again/", "--text", "label"]
        assert main(again) == 0
        assert len(outputs(here / "again")) == N_SHARDS


def test_finished_shards_are_not_read_again(model, shards, here, capsys):
    command = ["predict", model, shards, "-o", "out/"]
    assert main(command) == 0
    expected = outputs(here / "out")
    (here / "out" / "part-003.parquet").unlink()
    (here / "out" / ".wordplane-dead.tmp").write_text("half")
    inode = (here / "out" / "part-004.parquet").stat().st_ino
    capsys.readouterr()
    assert main(command) == 0
    said = capsys.readouterr().err
    assert "wrote 30 rows of 1 shards" in said
    assert "11 more shards were done before" in said
    assert outputs(here / "out") == expected
    assert (here / "out" / "part-004.parquet").stat().st_ino == inode


def test_a_folder_never_has_answers_of_two_models_or_options(model, shards, here, capsys):
    assert main(["predict", model, shards, "-o", "out/"]) == 0
    for other in (["--top-k", "2"], ["--rows", "all", "--keep", "n"], ["--min-confidence", "0.9"]):
        assert main(["predict", model, shards, "-o", "out/", *other]) == 2
    TextClassifier().fit(["a", "b"] * 5, ["x", "y"] * 5).save("other.wordplane")
    assert main(["predict", "other.wordplane", shards, "-o", "out/"]) == 2
    assert capsys.readouterr().err.count("out has files of another model") == 4


def test_a_damaged_shard_does_not_stop_the_others(model, shards, here, capsys):
    (here / "in" / "part-005.parquet").write_bytes(b"PAR1 no more")
    pl.DataFrame({"other": ["a"]}).write_parquet(here / "in" / "part-007.parquet")
    pl.DataFrame({"text": [], "n": []}, schema={"text": pl.String, "n": pl.Int64}).write_parquet(
        here / "in" / "part-008.parquet"
    )
    assert main(["predict", model, shards, "-o", "out/"]) == 2
    said = capsys.readouterr().err
    assert "2 of 12 shards could not be read" in said
    assert "part-005.parquet" in said
    assert "part-007.parquet has no column 'text'" in said
    assert len(outputs(here / "out")) == N_SHARDS - 2
    assert len(pl.read_parquet(here / "out" / "part-008.parquet")) == 0


@pytest.fixture
def alone(monkeypatch):
    """Shards are done one by one while the function is called."""

    def call(arguments):
        with monkeypatch.context() as patch:
            patch.setattr(shards_module, "GROUP_SHARDS", 1)
            return main(arguments)

    return call


@pytest.mark.parametrize("n_together", [2, 5, 64])
@pytest.mark.parametrize(
    "options",
    [
        ["-o", "{}/", "--keep", "all", "--probabilities"],
        ["-o", "{}/", "--keep-if", "good=0.6", "--id", "n"],
        ["-o", "{}/*.jsonl.gz", "--explain", "2"],
        ["-o", "{}/*.csv", "--keep", "n", "--top-k", "2"],
    ],
)
def test_small_shards_in_groups_have_the_same_bytes(
    model, shards, here, alone, monkeypatch, options, n_together, capsys
):
    """Some of them damaged, empty, with other columns, in another order."""
    texts = ["great", "", "dull film"]
    pl.DataFrame({"n": [1, 2, 3], "text": texts}).write_parquet("in/part-001.parquet")
    more = pl.DataFrame({"text": texts, "n": [1, 2, 3], "more": [0, 0, 0]})
    more.write_parquet("in/part-002.parquet")
    more.head(0).write_parquet("in/part-006.parquet")
    more.with_columns(pl.col("n").cast(pl.String)).write_parquet("in/part-007.parquet")
    Path("in/part-009.parquet").write_bytes(b"PAR1 no more")
    monkeypatch.setattr(shards_module, "GROUP_SHARDS", n_together)
    assert alone(["predict", model, shards, *[word.format("one") for word in options]]) == 2
    alone_said = capsys.readouterr().err
    assert main(["predict", model, shards, *[word.format("out") for word in options]]) == 2
    said = capsys.readouterr().err
    assert len(outputs(here / "one")) == N_SHARDS - 1
    assert outputs(here / "out") == outputs(here / "one")
    assert said.partition("rows of")[2].split()[0] == str(N_SHARDS - 1)
    assert said.split("12 shards")[1] == alone_said.split("12 shards")[1]


def test_texts_of_a_group_are_labeled_at_once(model, shards, here, monkeypatch):
    """That groups are used at all: 12 shards, one call for those read at once."""
    sizes = []
    decide = Answers.decide
    monkeypatch.setattr(
        Answers, "decide", lambda self, texts: sizes.append(len(texts)) or decide(self, texts)
    )
    assert main(["predict", model, shards, "-o", "out/"]) == 0
    assert sizes == [30 * N_SHARDS]


def test_shards_with_many_rows_are_not_read_at_once(model, shards, here, alone, monkeypatch):
    """Memory is bounded however small a file is that has many rows."""
    sizes = []
    decide = Answers.decide
    monkeypatch.setattr(
        Answers, "decide", lambda self, texts: sizes.append(len(texts)) or decide(self, texts)
    )
    monkeypatch.setattr(shards_module, "GROUP_ROWS", 100)
    for output in ("out/", "out2/*.jsonl"):
        assert main(["predict", model, shards, "-o", output]) == 0
        assert sizes == [30] * N_SHARDS
        sizes.clear()
    assert main(["predict", model, "out2/*.jsonl", "--text", "label", "-o", "out3/"]) == 0
    assert sizes == [30] * N_SHARDS


def test_folders_below_the_pattern_are_kept_and_names_never_clash(model, shards, here, capsys):
    for folder in ("a", "b"):
        (here / "deep" / folder).mkdir(parents=True)
        data = (here / "in" / "part-000.parquet").read_bytes()
        (here / "deep" / folder / "x.parquet").write_bytes(data)
    assert main(["predict", model, "deep/**/*.parquet", "-o", "out/"]) == 0
    assert sorted(outputs(here / "out")) == ["a/x.parquet", "b/x.parquet"]
    files = ["deep/a/x.parquet", "deep/b/x.parquet"]
    assert main(["predict", model, *files, "-o", "other/"]) == 2
    assert "would both be written to x.parquet" in capsys.readouterr().err
    assert main(["predict", model, shards, "-o", "in/"]) == 2
    assert "is in the folder in/ of the outputs" in capsys.readouterr().err


@pytest.mark.parametrize("conditions", [["good"], ["good=0.4"], ["*=0.75"], ["bad=0.99", "good"]])
def test_a_condition_writes_only_what_passes(model, shards, here, conditions):
    given = [word for one in conditions for word in ("--keep-if", one)]
    assert main(["predict", model, shards, "-o", "all/", "--keep", "all", "--probabilities"]) == 0
    command = ["predict", model, shards, "-o", "out/", "--keep", "all", "--probabilities"]
    assert main([*command, *given]) == 0

    def passes(row):
        for one in conditions:
            label, _, share = one.partition("=")
            shares = {"*": row["probability"]} | {
                k: row[f"probability:{k}"] for k in ("good", "bad")
            }
            if shares[label] >= float(share) if share else row["label"] == label:
                return True
        return False

    n_kept = 0
    for name in outputs(here / "all"):
        rows = pl.read_parquet(here / "all" / name).to_dicts()
        expected = [row for row in rows if passes(row)]
        assert pl.read_parquet(here / "out" / name).to_dicts() == expected
        n_kept += len(expected)
    assert 0 < n_kept < 30 * N_SHARDS


def test_conditions_are_refused_before_anything_is_written(model, shards, here, capsys):
    for wrong in ("egg", "good=2", "good=x", "=0.5"):
        assert main(["predict", model, shards, "-o", "out/", "--keep-if", wrong]) == 2
        assert "expected a label ('bad', 'good'), or * for any" in capsys.readouterr().err
    assert not (here / "out").exists()


def test_a_folder_refuses_what_it_cannot_be(model, shards, here, capsys):
    for options in (["--force"], ["--dask", "local"]):
        assert main(["predict", model, shards, "-o", "out/", *options]) == 2
    assert main(["predict", model, "-", "-o", "out/"]) == 2
    assert main(["predict", model, shards, "-o", "out/a*b.csv"]) == 2
    assert main(["predict", model, "in/", "-o", "out/"]) == 2
    said = capsys.readouterr().err
    for part in ("--force is for a file", "leave out --dask", "standard input has no shards"):
        assert part in said
    assert not (here / "out").exists()


def test_only_one_process_claims_a_shard(here):
    """The lock of a process that is killed is free at once."""
    code = """
import sys, time
from wordplane.data.shards import open_folder
with open_folder("out", "f") as folder, folder.claim(["x"], wait=False) as (claim,):
    print(claim is not None, flush=True)
    time.sleep(60)
"""
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "True\n"
        with open_folder("out", "f") as folder:
            with folder.claim(["x"], wait=False) as (claim,):
                assert claim is None
            with folder.claim(["y"], wait=False) as (claim,):
                assert claim.path == "out/y"
            holder.kill()
            with folder.claim(["x"], wait=True) as (claim,):
                assert claim.path == "out/x"
        with pytest.raises(InputError), open_folder("out", "g"):
            pass
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


def start(*command):
    return subprocess.Popen(
        [sys.executable, "-m", "wordplane", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def many_shards(here):
    """More than are done at once."""
    (here / "many").mkdir()
    for number in range(N_MANY):
        texts = ["great film", "dull"] * (1 + number % 3)
        pl.DataFrame({"text": texts}).write_parquet(here / "many" / f"part-{number:03}.parquet")
    return "many/*.parquet"


@pytest.mark.slow
def test_two_processes_do_every_shard_once(model, many_shards, here):
    shards = many_shards
    assert main(["predict", model, shards, "-o", "alone/"]) == 0
    both = [start("predict", model, shards, "-o", "out/") for _ in range(2)]
    said = [process.communicate(timeout=300)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert outputs(here / "out") == outputs(here / "alone")
    done = [int(text.partition("rows of ")[2].split()[0]) for text in said]
    assert sum(done) == N_MANY


def finished(folder):
    return sorted(path.name for path in folder.glob("part-*"))


@pytest.mark.soak
def test_a_hundred_kills_change_nothing(model, many_shards, here):
    """Two processes at once, of which one is killed at any moment, then a third."""
    shards = many_shards
    assert main(["predict", model, shards, "-o", "alone/"]) == 0
    expected, rng = outputs(here / "alone"), random.Random(1)
    n_partly = 0
    for number in range(100):
        folder = here / f"out{number}"
        command = ["predict", model, shards, "-o", f"{folder}/"]
        victim, other = start(*command), start(*command)
        n_wanted, pause = rng.randrange(N_MANY), rng.uniform(0, 0.01)
        while victim.poll() is None and len(finished(folder)) < n_wanted:
            time.sleep(0.001)
        time.sleep(pause)
        victim.send_signal(signal.SIGKILL)
        if number % 2:
            other.send_signal(signal.SIGKILL)
        for process in (victim, other):
            process.communicate(timeout=300)
        seen = finished(folder)
        n_partly += 0 < len(seen) < N_MANY
        assert all((folder / name).read_bytes() == expected[name] for name in seen)
        last = start(*command)
        last.communicate(timeout=300)
        assert last.returncode == 0
        assert outputs(folder) == expected
    assert n_partly >= 10  # else the moments were badly chosen


@pytest.mark.parametrize("where", ["local", "memory"])
def test_shards_at_addresses(model, shards, here, where, capsys):
    fsspec = pytest.importorskip("fsspec")
    base = f"file://{here}/web" if where == "local" else f"memory://{here.name}"
    fs, path = fsspec.core.url_to_fs(base)
    for file in sorted((here / "in").iterdir()):
        fs.makedirs(f"{path}/in", exist_ok=True)
        fs.put_file(str(file), f"{path}/in/{file.name}")
    command = [
        "predict",
        model,
        f"{base}/in/*.parquet",
        "-o",
        f"{base}/out/*.jsonl",
        "--keep",
        "all",
    ]
    assert main(command) == 0
    assert main(["predict", model, shards, "-o", "local/*.jsonl", "--keep", "all"]) == 0
    expected = outputs(here / "local")
    assert len(expected) == N_SHARDS
    found = {name.rpartition("/")[2]: fs.cat_file(name) for name in fs.glob(f"{path}/out/part*")}
    assert found == expected
    fs.rm_file(f"{path}/out/part-003.jsonl")
    capsys.readouterr()
    assert main(command) == 0
    assert "wrote 30 rows of 1 shards" in capsys.readouterr().err
    assert fs.cat_file(f"{path}/out/part-003.jsonl") == expected["part-003.jsonl"]
    assert main([*command, "--top-k", "1"]) == 2
    assert main(["predict", model, f"{base}/in/*.none", "-o", "x/"]) == 2
    assert main(["predict", model, f"{base}/in/*.parquet", "-o", "x.csv"]) == 2


def test_a_copy_of_a_remote_shard_is_removed(here):
    fsspec = pytest.importorskip("fsspec")
    fs = fsspec.filesystem("memory")
    fs.pipe_file(f"/{here.name}/a.csv", b"text\nhello\n")
    (shard,) = list_shards([f"memory://{here.name}/*.csv"], ".jsonl")
    assert (shard.name, shard.size) == ("a.jsonl", 11)
    with local_copy(shard.source) as path:
        assert Path(path).read_text() == "text\nhello\n"
    assert not Path(path).exists()


def test_multilabel_answers_are_filtered(here):
    texts = [["great fun", "dull plot", "great plot fun", "plain"][k % 4] for k in range(40)]
    sets = [[("fun",), ("plot",), ("fun", "plot"), ()][k % 4] for k in range(40)]
    TextClassifier().fit(texts, sets).save("m.wordplane")
    (here / "t.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in texts[:4]))
    for condition in ("fun", "*"):
        command = ["predict", "m.wordplane", "t.jsonl", "--force", "--keep-if", condition]
        assert main([*command, "-o", "out.jsonl"]) == 0
        rows = [json.loads(line) for line in (here / "out.jsonl").read_text().splitlines()]
        assert rows
        assert all("fun" in row["labels"] if condition == "fun" else row["labels"] for row in rows)


def test_odd_names_and_folders_in_the_way(model, tmp_path, capsys):
    (tmp_path / "in").mkdir()
    odd = os.fsdecode(os.fsencode(tmp_path / "in") + b"/\xff\xfe.csv")
    for path in (odd, tmp_path / "in" / "a.csv"):
        Path(path).write_text("text\ngreat film\n")
    (tmp_path / "out" / "a.csv").mkdir(parents=True)
    command = ["predict", model, str(tmp_path / "in" / "*.csv"), "-o", str(tmp_path / "out")]
    assert main(command) == 2
    assert "a.csv is a folder" in capsys.readouterr().err
    (tmp_path / "out" / "a.csv").rmdir()
    assert main(command) == 0
    assert len(list((tmp_path / "out").iterdir())) == 3
    (tmp_path / "out" / ".wordplane-shards").write_bytes(b"\xff\xfe")
    assert main(command) != 0
    assert "Traceback" not in capsys.readouterr().err
