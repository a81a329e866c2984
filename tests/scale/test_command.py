"""`wordplane train --blocks`, and what is left when it is stopped.

Tests of wordplane.workflow.block_training, wordplane.workflow.placement and
wordplane.workflow.dask_evaluation.
"""

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.scale.mixed_texts import write_films

COMMAND = (sys.executable, "-m", "wordplane", "train")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_films(tmp_path_factory.mktemp("data") / "films.csv", 20_000)


@pytest.mark.slow
def test_the_command_trains_on_blocks_and_leaves_no_file(data, tmp_path):
    options = ("--blocks", "--scratch", tmp_path, "--learner", "nb", "--json", "--memory", "1GB")
    model = tmp_path.parent / "blocks.wordplane"
    done = subprocess.run(
        [*COMMAND, data, "-o", model, *options], check=True, capture_output=True, text=True
    )
    result = json.loads(done.stdout)
    assert result["n_rows"] == 20_000
    assert any(note.startswith("trained on blocks") for note in result["notes"])
    assert model.exists()
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing(data, tmp_path):
    model = tmp_path / "model.wordplane"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [*COMMAND, data, "-o", model, "--blocks", "--scratch", scratch],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not any(scratch.glob("*/*.array")) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert any(scratch.iterdir())
    process.send_signal(signal.SIGINT)
    assert process.wait(60) != 0
    assert list(scratch.iterdir()) == []
    assert not model.exists()


@pytest.mark.parametrize("size", ["0", "much", "-1GB"])
def test_a_size_that_is_none_is_refused(size, data):
    done = subprocess.run(
        [*COMMAND, data, f"--memory={size}"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "is not a size such as 500MB" in done.stderr


@pytest.mark.slow
def test_resume_is_said_to_the_training(data, tmp_path):
    """The command goes on with what a killed one has left."""
    options = ("--blocks", "--scratch", tmp_path, "--learner", "nb", "--json", "--resume")
    done = subprocess.run(
        [*COMMAND, data, "-o", tmp_path.parent / "resumed.wordplane", *options],
        check=True,
        capture_output=True,
        text=True,
    )
    assert any("nothing to resume" in note for note in json.loads(done.stdout)["notes"])


@pytest.mark.slow
def test_evaluate_and_tune_on_dask(tmp_path):
    pytest.importorskip("distributed")
    films = write_films(tmp_path / "films.csv", 600)
    verb = (sys.executable, "-m", "wordplane")
    model = tmp_path / "m.wordplane"

    def run(*arguments):
        done = subprocess.run([*verb, *arguments, "--json"], check=True, capture_output=True)
        return json.loads(done.stdout)

    run("train", films, "-o", model, "--learner", "nb")
    on_dask = ("--dask", "local", "--threads", "1")
    expected = run("evaluate", model, films)
    found = run("evaluate", model, films, *on_dask)
    assert found == expected
    search = ("tune", films, "--learner", "nb", "--folds", "2")
    expected, found = run(*search), run(*search, *on_dask)
    for trial in (*expected["trials"], *found["trials"]):
        del trial["seconds"]
    assert found == expected
