"""Trainings on blocks that are killed, or lose power, at any system call that changes a file come
to the same bytes when they are resumed.

Tests of wordplane.scale.scratch_record.
"""

import shutil
import sys

import numpy as np
import pytest

from tests.power_cut import VARIANTS, Replay, record
from tests.scale.mixed_texts import write_films
from tests.scale.scratch_folders import BLOCK_ROWS, DEALT_BLOCKS
from wordplane import train
from wordplane.common.forms import ArrayForm, StepForm
from wordplane.scale import row_encoding
from wordplane.scale.scratch import open_scratch
from wordplane.workflow import block_training

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

TRAINING = f"""
import sys
from wordplane import train
from wordplane.scale import row_encoding
from wordplane.workflow import block_training

block_training.BLOCK_ROWS, row_encoding.DEALT_BLOCKS = {BLOCK_ROWS}, {DEALT_BLOCKS}
data, folder = sys.argv[1:]
train(data, blocks=True, scratch=folder + "/scratch", output=folder + "/model", n_jobs=1)
print("saved", flush=True)
"""
STEPS = """
import sys
import numpy as np
from wordplane.scale.scratch import open_scratch

with open_scratch(sys.argv[1], "mine") as scratch:
    for number in range(4):
        scratch.write(f"a{number}", 0, np.arange(100) + number)
        scratch.append(f"b{number}", 0, np.arange(10))
        scratch.append(f"b{number}", 0, np.arange(10))
        scratch.finish("step", [("n", np.full(5, number))], {"number": number})
        print(number, flush=True)
        scratch.remove(f"b{number}", 0)
    print("end", flush=True)
"""


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(block_training, "BLOCK_ROWS", BLOCK_ROWS)
    monkeypatch.setattr(row_encoding, "DEALT_BLOCKS", DEALT_BLOCKS)


def moments(script, folder, log, *given):
    """The folder after every system call of a program that changes it."""
    replay = Replay(folder)
    for call in record([sys.executable, "-c", script, *given], log):
        if replay.play(call):
            yield replay


@pytest.mark.slow
def test_finished_steps_survive_a_power_cut_at_any_moment(tmp_path):
    """And what is not finished is not believed."""
    folder = tmp_path / "folder"
    folder.mkdir()
    form = StepForm({"n": ArrayForm("int64", "5")}, {"number": int})
    n_moments, seen = 0, set()
    for replay in moments(STEPS, folder, tmp_path / "log", folder):
        n_moments += 1
        said = replay.said.split()
        for variant in VARIANTS:
            found = tmp_path / f"{n_moments}-{variant}"
            replay.write(found, variant, n_moments)
            with open_scratch(found, "mine", resume=True) as scratch:
                known = scratch.finished("step", form)
                number = -1 if known is None else known.facts["number"]
                for each in range(number + 1):
                    assert scratch.read(f"a{each}", 0).tolist() == list(range(each, each + 100))
                if known is not None:
                    assert known.arrays["n"].tolist() == [number] * 5
            if "end" not in said:
                assert number >= len(said) - 1, (n_moments, variant)
            seen.add((variant, number))
            shutil.rmtree(found)
    assert n_moments > 60
    assert seen >= {(variant, number) for variant in VARIANTS for number in range(-1, 4)}


def resume_after_every(tmp_path, step):
    """Resume a training after every so many changes; how many changes there were."""
    data = write_films(tmp_path / "films.csv", 130)
    folder, out = tmp_path / "folder", tmp_path / "model"
    (folder / "scratch").mkdir(parents=True)
    train(data, blocks=True, scratch=tmp_path, output=out, n_jobs=1)
    expected = out.read_bytes()
    number, n_resumed = 0, 0
    for replay in moments(TRAINING, folder, tmp_path / "log", data, folder):
        number += 1
        if number % step:
            continue
        for variant in VARIANTS if step == 1 else (VARIANTS[number // step % len(VARIANTS)],):
            found = tmp_path / f"{number}-{variant}"
            replay.write(found, variant, number)
            out.unlink()
            given = {"blocks": True, "scratch": found / "scratch", "output": out, "n_jobs": 1}
            result = train(data, resume=True, **given)
            n_resumed += not any("nothing to resume" in note for note in result.notes)
            assert out.read_bytes() == expected, (number, variant)
            assert list((found / "scratch").iterdir()) == []
            model = found / "model"
            if "saved" in replay.said or (model.exists() and model.stat().st_size):
                assert model.read_bytes() == expected
            shutil.rmtree(found)
    assert (folder / "model").read_bytes() == expected
    return number, n_resumed


@pytest.mark.slow
def test_a_training_that_is_interrupted_at_some_moments_comes_to_the_same_bytes(tmp_path):
    n_moments, n_resumed = resume_after_every(tmp_path, 11)
    assert n_moments > 300
    assert n_resumed > n_moments / 11 / 2


@pytest.mark.soak
def test_a_training_that_is_interrupted_at_any_moment_comes_to_the_same_bytes(tmp_path):
    n_moments, n_resumed = resume_after_every(tmp_path, 1)
    assert n_resumed > n_moments * len(VARIANTS) / 2


@pytest.mark.slow
def test_a_slow_disk_changes_nothing(tmp_path, monkeypatch):
    """A step is finished only when the last file is on disk, however long that takes."""
    import os
    import time

    data = write_films(tmp_path / "films.csv", 130)
    models = []
    for delay in (0, 0.02):

        def sync(handle, delay=delay, fsync=os.fsync):
            time.sleep(delay)
            fsync(handle)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", sync)
            model = tmp_path / f"{delay}.wordplane"
            train(data, blocks=True, scratch=tmp_path, output=model, n_jobs=2)
        models.append(model.read_bytes())
    assert models[0] == models[1]


def test_a_file_that_is_renamed_before_it_is_synced_is_empty_after_a_power_cut(tmp_path):
    """The replay finds the fault that it is there for."""
    folder = tmp_path / "folder"
    folder.mkdir()
    program = (
        "import os, sys\n"
        "os.chdir('/')\n"
        "with open(sys.argv[1] + '/draft', 'w') as file:\n"
        "    file.write('text')\n"
        "os.rename(sys.argv[1] + '/draft', sys.argv[1] + '/file')\n"
        "handle = os.open(sys.argv[1], os.O_RDONLY)\n"
        "os.fsync(handle)\n"
    )
    *_, replay = moments(program, folder, tmp_path / "log", folder)
    contents = {}
    for variant in VARIANTS:
        replay.write(tmp_path / variant, variant)
        contents[variant] = (tmp_path / variant / "file").read_text()
    assert contents["killed"] == "text"
    assert contents["synced"] == contents["named"] == ""
    assert np.isin(contents["random"], ["", "t", "te", "tex", "text"])
