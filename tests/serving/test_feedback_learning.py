"""Tests of wordplane.serving.feedback_learning: steps forward only, and back by copying a file."""

import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing

import numpy as np
import pytest

import wordplane
from tests.serving.running import Server
from wordplane.common.errors import InputError
from wordplane.serving import feedback_learning
from wordplane.serving.catalog import Catalog
from wordplane.serving.feedback import INSERT, open_store
from wordplane.serving.feedback_learning import Learner, check_learnable, compare
from wordplane.serving.logs import Log

pytestmark = pytest.mark.slow  # nearly every test starts a server

WORDS = [f"w{i}" for i in range(40)]


def make_rows(n, seed, flipped=False):
    """Texts of words, whose label is good if most are from the first half."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        half = rng.random() < 0.5
        picked = rng.choices(WORDS[:20] if half else WORDS[20:], k=3) + rng.choices(WORDS, k=2)
        rows.append((" ".join(picked), "good" if half != flipped else "bad"))
    return rows


@pytest.fixture
def weak(tmp_path):
    """A resumable model that has seen few texts, and knows all words."""
    rows = [*make_rows(6, 0), (" ".join(WORDS), "good"), (" ".join(WORDS), "bad")]
    texts, labels = zip(*rows, strict=True)
    analyzer = wordplane.Analyzer(ngrams=(1, 1))
    model = wordplane.TextClassifier(analyzer, "nb").fit(list(texts), list(labels))
    model.save(tmp_path / "m.wordplane", resumable=True)
    return tmp_path / "m.wordplane"


def accuracy(path, rows):
    texts, labels = zip(*rows, strict=True)
    return wordplane.load(path).score(list(texts), list(labels))


def store_rows(path, rows):
    with closing(open_store(path)) as connection, connection:
        for text, label in rows:
            values = (0.0, "m", "", None, text, f'"{label}"', '"good"', 0.5, None)
            connection.execute(INSERT, values)


def learner(weak, store):
    return Learner({"m": str(weak)}, str(store), Log())


def test_comparison():
    same = compare([True, False] * 30, [True, False] * 30)
    assert same.is_not_worse and same.low == 0
    assert not compare([True] * 40, [True] * 40).is_not_worse  # too few to know
    assert compare([False] * 60, [True] * 60).is_not_worse
    worse = compare([True] * 100, [True] * 95 + [False] * 5)
    assert not worse.is_not_worse and worse.low == pytest.approx(
        -0.05 - 1.6449 * 0.0217945, abs=1e-6
    )
    assert not compare([], []).is_not_worse


def test_a_better_model_takes_the_place(weak, tmp_path, capfd):
    store, new = tmp_path / "f.sqlite", make_rows(500, 99)
    store_rows(store, make_rows(300, 1))
    before = accuracy(weak, new)
    assert learner(weak, store).step("m")
    after = accuracy(weak, new)
    assert after > before + 0.03
    assert not learner(weak, store).step("m")  # nothing is new
    with closing(sqlite3.connect(store)) as connection:
        ((n_rows, n_shadow, low, high),) = connection.execute(
            "SELECT n_rows, n_shadow, accuracy_before, accuracy_after FROM steps"
        )
    assert (n_rows, n_shadow) == (200, 100) and high > low
    assert '"step-taken"' in capfd.readouterr().err


def test_a_worse_model_does_not(weak, tmp_path):
    """What is learned from is labeled wrongly; what is measured on, rightly."""
    store = tmp_path / "f.sqlite"
    right, wrong = make_rows(300, 1), make_rows(300, 1, flipped=True)
    store_rows(store, [(right if i % 3 == 0 else wrong)[i] for i in range(1, 300)])
    content = weak.read_bytes()
    assert not learner(weak, store).step("m")
    assert weak.read_bytes() == content


def test_steps_are_undone_by_copying(weak, tmp_path):
    store, original = tmp_path / "f.sqlite", weak.read_bytes()
    learning = learner(weak, store)
    store_rows(store, make_rows(300, 1))
    assert learning.step("m")
    first = weak.read_bytes()
    store_rows(store, make_rows(1500, 2))
    assert learning.step("m")
    files = sorted((tmp_path / "f.sqlite.steps" / "m").iterdir())
    assert [file.read_bytes() for file in files] == [original, first, weak.read_bytes()]
    shutil.copy(files[0], weak)
    assert not learning.step("m")  # what was undone is not learned again
    store_rows(store, make_rows(1500, 3))
    assert learning.step("m")
    assert len(list((tmp_path / "f.sqlite.steps" / "m").iterdir())) == 5


def test_models_that_cannot_learn(models):
    catalog = Catalog.load(
        (str(models / "topics.wordplane"), str(models / "mails.wordplane")), None, 1
    )
    with pytest.raises(InputError, match="--resumable"):
        check_learnable(catalog)
    catalog = Catalog.load((str(models / "films.wordplane"),), None, 1)
    assert check_learnable(catalog) == ["films"]


def test_the_server_learns(weak, tmp_path):
    store = tmp_path / "f.sqlite"
    store_rows(store, make_rows(300, 1))
    with Server(weak, "--feedback", store, "--learn") as running:
        step = running.wait_for_log("step-taken", 30)
        loaded = running.wait_for_log("models-loaded", 30)
        assert step["after"] >= step["before"]
        until = time.monotonic() + 20
        while running.get("/v1/models")[1]["models"][0]["digest"] != loaded["models"]["m"]:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_steps_do_not_fill_the_disk(weak, tmp_path):
    taught = learner(weak, tmp_path / "f.sqlite")
    for _ in range(2 * feedback_learning.MOST_KEPT):
        taught._keep("m", wordplane.load(weak))
    folder = tmp_path / "f.sqlite.steps" / "m"
    numbers = sorted(int(path.stem) for path in folder.iterdir())
    assert len(numbers) == feedback_learning.MOST_KEPT
    assert numbers[0] == 0 and np.diff(numbers[1:]).tolist() == [1] * (len(numbers) - 2)


def test_a_learner_that_ends_with_the_server_has_not_died(weak, tmp_path):
    for _ in range(3):
        with Server(weak, "--feedback", tmp_path / "f.sqlite", "--learn") as running:
            assert running.get("/v1/models")[0] == 200
        running._reader.join(10)
        assert "learner-died" not in "".join(running.lines)


def test_a_learner_that_is_killed_has_died(weak, tmp_path):
    with Server(weak, "--feedback", tmp_path / "f.sqlite", "--learn") as running:
        *_, learner_pid = running.workers()  # it is started last
        os.kill(learner_pid, signal.SIGKILL)
        assert running.wait_for_log("learner-died", 10)["learner"] == learner_pid


def test_what_was_refused_is_not_read_again_and_again(weak, tmp_path):
    """Before there is more feedback, only a count is looked at."""
    store = tmp_path / "f.sqlite"
    right, wrong = make_rows(400, 1), make_rows(400, 1, flipped=True)
    rows = [(right if i % 3 == 0 else wrong)[i] for i in range(1, 400)]
    store_rows(store, rows[:300])
    learning, statements = learner(weak, store), []
    assert not learning.step("m")
    learning._store.set_trace_callback(statements.append)
    for _ in range(5):
        assert not learning.step("m")
    assert len(statements) == 5 and not any("text" in one for one in statements)
    store_rows(store, rows[300:306])
    assert not learning.step("m")
    assert not any("text" in one for one in statements)
    store_rows(store, rows[306:])  # enough for another try
    assert not learning.step("m")
    assert any("text" in one for one in statements)


def test_a_model_that_cannot_be_loaded_is_not_tried_again_and_again(weak, tmp_path, monkeypatch):
    store = tmp_path / "f.sqlite"
    store_rows(store, make_rows(300, 1))
    learning, tries = learner(weak, store), []

    def fail(path):
        tries.append(path)
        raise AttributeError("whatever")

    monkeypatch.setattr(feedback_learning, "load_classifier", fail)
    with pytest.raises(AttributeError):
        learning.step("m")
    for _ in range(3):
        assert not learning.step("m")
    assert len(tries) == 1
