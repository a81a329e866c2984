"""Trainings on blocks that are killed go on where they were, and come to the same model."""

import subprocess
import sys

import pytest

from tests.scale.mixed_texts import write_films
from tests.scale.scratch_folders import train_until
from wordplane import MIRA, LinearSVM, LogisticRegression, OnlineSVM, train
from wordplane.common.errors import InputError
from wordplane.common.progress import listen
from wordplane.scale import row_encoding
from wordplane.workflow import block_training

# Kills a training at random moments, then resumes it, killing that now and then too. A fork spares
# the start of an interpreter.
KILLER = """
import os, random, signal, sys, time
from pathlib import Path
from wordplane import train
from wordplane.scale import row_encoding
from wordplane.workflow import block_training

block_training.BLOCK_ROWS, row_encoding.DEALT_BLOCKS = 100, 8
data, folder = map(Path, sys.argv[1:3])
n_times, seed = map(int, sys.argv[3:])
scratch, model = folder / "scratch", folder / "model.wordplane"
rng = random.Random(seed)

def start(resume):
    pid = os.fork()
    if pid == 0:
        try:
            train(data, blocks=True, scratch=scratch, output=model, resume=resume,
                  n_jobs=rng.randint(1, 2))
        except BaseException as error:
            print("failed", repr(error), flush=True)
        os._exit(0)
    return pid

def undisturbed():
    model.unlink(missing_ok=True)
    begin = time.perf_counter()
    os.waitpid(start(False), 0)
    return time.perf_counter() - begin, model.read_bytes()

seconds, expected = undisturbed()
for _ in range(n_times):
    model.unlink(missing_ok=True)
    killed, resume = 0, False
    while killed == 0 or (killed < 3 and rng.random() < 0.5):
        pid = start(resume)
        time.sleep(rng.uniform(0.05, 0.95) * seconds)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        killed, resume = killed + 1, rng.random() < 0.9
    left = len(list(scratch.iterdir()))
    os.waitpid(start(True), 0)
    same = model.exists() and model.read_bytes() == expected
    print("same" if same else "other", left, "left", len(list(scratch.iterdir())), flush=True)
"""


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks although there are few texts."""
    monkeypatch.setattr(block_training, "BLOCK_ROWS", 100)
    monkeypatch.setattr(row_encoding, "DEALT_BLOCKS", 8)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_films(tmp_path_factory.mktemp("data") / "films.csv", 400)


def kill_and_resume(data, tmp_path, n_times, seed):
    (tmp_path / "scratch").mkdir()
    command = [sys.executable, "-c", KILLER, data, tmp_path, str(n_times), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.split("\n")[:-1]
    assert len(lines) == n_times, done.stdout + done.stderr
    assert {line.split()[0] for line in lines} == {"same"}, done.stdout
    assert all(line.endswith("left 0") for line in lines), done.stdout
    return lines


@pytest.mark.slow
def test_a_training_killed_at_random_moments_comes_to_the_same_bytes(data, tmp_path):
    """A few: test_power_cut.py has every moment."""
    kill_and_resume(data, tmp_path, 3, 0)


@pytest.mark.soak
def test_a_training_killed_at_many_random_moments_comes_to_the_same_bytes(data, tmp_path):
    lines = kill_and_resume(data, tmp_path, 100, 1)
    assert sum(line.startswith("same 1") for line in lines) > 50  # most were killed at work


@pytest.mark.parametrize(
    ("job", "done", "read_again"),
    [
        ("reading texts", 200, True),
        ("counting words", 3, False),
        ("counting n-grams of 2", 2, False),
        ("encoding texts", 4, False),
        ("fitting LinearSVM", 2, False),
    ],
)
def test_finished_steps_are_not_taken_again(data, tmp_path, job, done, read_again):
    train_until(job, done, data, tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    jobs = []
    with listen(lambda name, n_done, _: jobs.append((name, n_done))):
        resumed = train(data, blocks=True, scratch=tmp_path, resume=True)
    assert (("reading texts", 100) in jobs) == read_again
    if job == "fitting LinearSVM":
        assert next(n for name, n in jobs if name == job) == done + 1  # the pass was finished
    assert not any("nothing to resume" in note for note in resumed.notes)
    assert list(tmp_path.iterdir()) == []


JOBS = {LinearSVM: "fitting LinearSVM", LogisticRegression: "dual coordinate descent"}
LEARNERS = [LinearSVM(), LogisticRegression(), OnlineSVM(), MIRA(averaged=False, max_iter=5)]


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_learners_go_on_with_all_they_knew(data, tmp_path, learner):
    job = JOBS.get(type(learner), "training")
    options = {"learner": learner, "calibration": None, "test": False}
    train_until(job, 2, data, tmp_path, **options)
    options["output"] = tmp_path / "model.wordplane"
    passes = []
    with listen(lambda name, n_done, _: passes.append(n_done) if name == job else None):
        train(data, blocks=True, scratch=tmp_path, resume=True, **options)
    resumed = options["output"].read_bytes()
    assert passes[0] == 3
    train(data, blocks=True, scratch=tmp_path, **options)
    assert resumed == options["output"].read_bytes()


def test_other_options_or_files_have_nothing_to_resume(data, tmp_path):
    train_until("counting words", 2, data, tmp_path)
    other = train(data, blocks=True, scratch=tmp_path, resume=True, random_state=1)
    assert any("nothing to resume" in note for note in other.notes)
    assert list(tmp_path.iterdir()) == []  # nobody will come for the first any more


def test_without_resume_what_was_left_is_removed(data, tmp_path):
    train_until("encoding texts", 1, data, tmp_path)
    jobs = []
    with listen(lambda name, n_done, _: jobs.append((name, n_done))):
        train(data, blocks=True, scratch=tmp_path)
    assert ("reading texts", 100) in jobs
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_resumed_says_so(data):
    with pytest.raises(InputError, match="this one would be in memory"):
        train(data, resume=True)
    with pytest.raises(InputError, match="needs the data in files"):
        train(["a", "b"], ["x", "y"], blocks=True, resume=True)
