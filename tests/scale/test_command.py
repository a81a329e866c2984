"""`wordplane train --blocks`, and what is left when it is stopped."""

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
    while not any(scratch.glob("*/*.npy")) and time.monotonic() < deadline:
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
