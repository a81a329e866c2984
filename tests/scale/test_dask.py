"""Training on workers of Dask gives the model that training on blocks gives.

Tests of wordplane.scale.dask_training, wordplane.scale.dask_tasks, wordplane.scale.dask_folds,
wordplane.scale.worker_tasks and wordplane.scale.disk_arrays.
"""

import os
import random
import shutil
import signal
import sys
import threading
import time

import numpy as np
import pytest

from tests.scale.mixed_texts import mixed_texts
from wordplane import LinearSVM, LogisticRegression, evaluate, train, tune
from wordplane.common.errors import InputError, MissingExtraError, WordplaneError
from wordplane.data.corpus import Corpus
from wordplane.model.fingerprint import TRAINED_ON
from wordplane.scale import dask_client, dask_tasks, dask_training
from wordplane.text.texts import as_texts
from wordplane.workflow import block_training
from wordplane.workflow.answers import Answers
from wordplane.workflow.prediction import predict_batches, predict_on_dask
from wordplane.workflow.wanted import Wanted

distributed = pytest.importorskip("distributed")

LOOPBACK = "127.0.0.1:0"
QUIET = {
    "dashboard_address": LOOPBACK,
    "worker_dashboard_address": LOOPBACK,
    "silence_logs": 50,
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks and shards although there are few texts."""
    monkeypatch.setattr(block_training, "BLOCK_ROWS", 200)
    monkeypatch.setattr(dask_training, "SHARD_BYTES", 1 << 17)
    monkeypatch.setattr(dask_training, "SHARD_BLOCKS", 3)


WORDS = {"ngrams": (1, 2), "chars": None}
SVM = LinearSVM(tol=1e-6)


def open_client(n_workers):
    cluster = distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=False, **QUIET
    )
    return cluster, distributed.Client(cluster, set_as_default=False)


@pytest.fixture(scope="module")
def one():
    cluster, client = open_client(1)
    with cluster, client:
        yield client


@pytest.fixture(scope="module")
def two():
    cluster, client = open_client(2)
    with cluster, client:
        yield client


@pytest.fixture(scope="module")
def corpus():
    texts, labels = mixed_texts(1200, random.Random(0))
    return Corpus(as_texts(texts), labels)


def write_csv(path, corpus, rows):
    lines = [f"{corpus.labels[row]},{corpus.texts[row]}\n" for row in rows]
    path.write_text("sentiment,review\n" + "".join(lines))


@pytest.fixture(scope="module")
def files(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("films")
    for number, rows in enumerate(np.split(np.arange(1200), [300, 310, 1000])):
        write_csv(folder / f"{number}.csv", corpus, rows)
    return str(folder / "*.csv")


def model_bytes(*args, tmp_path, **options):
    path = tmp_path / f"{random.random()}.wordplane"
    train(*args, output=path, **options)
    return path.read_bytes()


@pytest.mark.slow
def test_naive_bayes_has_the_bytes_of_training_in_memory(one, two, files, tmp_path):
    expected = model_bytes(files, learner="nb", tmp_path=tmp_path)
    assert model_bytes(files, learner="nb", blocks=True, tmp_path=tmp_path) == expected
    for client in (one, two):
        assert model_bytes(files, learner="nb", dask=client, tmp_path=tmp_path) == expected


@pytest.mark.slow
def test_the_number_of_workers_and_a_shared_folder_change_no_byte(one, two, corpus, tmp_path):
    expected = model_bytes(corpus, analyzer=WORDS, dask=one, tmp_path=tmp_path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    shared = model_bytes(corpus, analyzer=WORDS, dask=two, scratch=scratch, tmp_path=tmp_path)
    assert shared == expected
    assert list(scratch.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner", [None, SVM, LogisticRegression(tol=1e-6, solver="newton")], ids=str
)
def test_machines_predict_as_those_in_memory(two, corpus, learner):
    memory = train(corpus, learner=learner, analyzer=WORDS)
    result = train(corpus, learner=learner, analyzer=WORDS, dask=two)
    assert result.n_features == memory.n_features
    assert result.scores is not None
    texts, _ = mixed_texts(1000, random.Random(1))
    same = memory.model.predict(texts) == result.model.predict(texts)
    # The recipe in memory stops at a gap of 0.3 %, which moves predictions where texts are few.
    assert same.mean() >= (0.98 if learner is None else 0.999)


@pytest.mark.slow
def test_three_classes_weights_and_marked_rows(two, tmp_path):
    texts, labels = mixed_texts(900, random.Random(2))
    labels = [label if row % 3 else "other" for row, label in enumerate(labels)]
    rng = np.random.default_rng(0)
    split = rng.choice(["train", "train", "train", "dev", "test"], 900).tolist()
    corpus = Corpus(as_texts(texts), labels, weights=rng.integers(0, 3, 900), split=split)
    given = {"learner": "nb", "params": {"alpha": "cv"}, "tmp_path": tmp_path}
    assert model_bytes(corpus, dask=two, **given) == model_bytes(corpus, **given)
    memory = train(corpus, learner=SVM)
    result = train(corpus, learner=SVM, dask=two)
    tested_on = "marked test, never trained on; texts count by their weights"
    assert result.tested_on == memory.tested_on == tested_on
    assert result.scores.accuracy == pytest.approx(memory.scores.accuracy, abs=0.01)


@pytest.mark.slow
def test_frames_and_bags_of_dask(two, corpus, tmp_path):
    bag = pytest.importorskip("dask.bag")
    expected = model_bytes(corpus, learner="nb", tmp_path=tmp_path)
    pairs = list(zip(corpus.texts, corpus.labels, strict=True))
    given = {"learner": "nb", "dask": two, "tmp_path": tmp_path}
    found = model_bytes(bag.from_sequence(pairs, npartitions=3), **given)
    assert len(found) >= len(expected)  # it knows the names of the columns
    records = [{"review": text, "sentiment": label} for text, label in pairs]
    result = train(bag.from_sequence(records, npartitions=2), learner="nb", dask=two)
    assert result.n_rows == 1200
    assert result.model.training_.text_columns == ("review",)
    with pytest.raises(InputError, match=r"give the client too \(`dask`\)"):
        train(bag.from_sequence(pairs, npartitions=3))


def test_prediction_gives_the_rows_of_one_machine(two, corpus, files):
    model = train(corpus, learner="nb").model
    answers = Answers(model, Wanted(top_k=2, keep=("sentiment",)))
    given = {"source": files, "batch_size": 100, "labels": False}
    expected = [batch for batch, _ in predict_batches(answers, **given)]
    found = [batch for batch, _ in predict_on_dask(answers, dask=two, **given)]
    assert found == expected
    assert found[-1]["id"][-1] == "1200"


@pytest.mark.slow
def test_tasks_have_names(two, corpus):
    train(corpus, learner="svm", analyzer=WORDS, dask=two)
    names = set(two.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes)))
    assert {"count-words", "merge-words", "count-ngrams", "merge-ngrams", "gradient"} <= names
    deadline = time.monotonic() + 10
    while two.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
        assert time.monotonic() < deadline, "tasks are left with the scheduler"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"learner": "perceptron"}, "cannot be trained on Dask"),
        ({"learner": LinearSVM(loss="hinge")}, "cannot be trained on Dask"),
        ({"tune": True}, "`tune` needs all texts in memory"),
        ({"calibration": "cv"}, "`calibration` 'cv' needs all texts in memory"),
    ],
    ids=str,
)
def test_what_cannot_be_done_on_dask_says_so(two, corpus, given, why):
    with pytest.raises(InputError, match=why):
        train(corpus, dask=two, **given)


def test_a_scheduler_that_does_not_answer(corpus, monkeypatch):
    monkeypatch.setattr(dask_client, "CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match=r"no scheduler of Dask answers at tcp://127\.0\.0\.1:9"):
        train(corpus, dask="tcp://127.0.0.1:9")
    with pytest.raises(InputError, match="`dask` is 3, expected a Client"):
        train(corpus, dask=3)


def test_a_missing_extra_says_how_to_get_it(corpus, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[dask\]'"):
        train(corpus, dask="local")


def test_a_folder_that_workers_do_not_see(two, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_tasks, "sees", lambda folder: False)
    with pytest.raises(InputError, match="does not see"):
        train(corpus, dask=two, scratch=tmp_path)


@pytest.mark.slow
def test_a_block_that_is_removed_is_one_clear_error(two, corpus, tmp_path, monkeypatch):
    encode = dask_training.DaskPlan.encode

    def lose(self, *given):
        rows = encode(self, *given)
        next(tmp_path.glob("*/encoded/*")).unlink()
        return rows

    monkeypatch.setattr(dask_training.DaskPlan, "encode", lose)
    with pytest.raises(WordplaneError, match="is gone or damaged"):
        train(corpus, learner="nb", dask=two, scratch=tmp_path)
    assert list(tmp_path.iterdir()) == []


def kill_a_worker(client, after):
    """Kill a worker with -9 when the scheduler has done so many tasks."""

    def n_done(dask_scheduler):
        return sum(len(w.has_what) for w in dask_scheduler.workers.values())

    while client.run_on_scheduler(n_done) < after:
        time.sleep(0.005)
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), signal.SIGKILL)


@pytest.mark.soak  # `test_dask_kills` has a few moments that are slow
def test_a_killed_worker_changes_no_byte(one, corpus, tmp_path):
    expected = model_bytes(corpus, learner="svm", analyzer=WORDS, dask=one, tmp_path=tmp_path)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", **QUIET
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        killer = threading.Thread(target=kill_a_worker, args=(client, 20))
        killer.start()
        found = model_bytes(corpus, learner="svm", analyzer=WORDS, dask=client, tmp_path=tmp_path)
        killer.join()
    assert found == expected


def test_no_worker_is_an_error(corpus, monkeypatch):
    monkeypatch.setattr(dask_tasks, "PATIENCE", 1)
    cluster, client = open_client(0)
    with (
        cluster,
        client,
        pytest.raises(WordplaneError, match="no worker of Dask has been running for 1 s"),
    ):
        train(corpus, dask=client)


def without_repeats(result):
    """What is known of a result where workers keep the texts: they are not compared."""
    found = result.to_dict()
    return {**found, "notes": [note for note in found["notes"] if "repeat" not in note]}


def test_evaluation_gives_the_numbers_of_one_machine(two, corpus, files, tmp_path):
    path = tmp_path / "model.wordplane"
    train(corpus.take(np.arange(700)), learner="nb", output=path)
    given = {"metrics": ["log_loss", "mcc"], "bootstrap": True, "top_k": 1}
    expected = evaluate(path, files, **given)
    other = tmp_path / "other.wordplane"
    train(corpus.take(np.arange(600)), learner="nb", output=other)
    evaluate(other, files, dask=two)
    shutil.copy(path, other)
    found = evaluate(other, files, dask=two, **given)
    *notes, again = found.notes
    assert "measured with 2 models" in again
    assert {**found.to_dict(), "notes": notes} == without_repeats(expected)
    assert found.source == expected.source
    with pytest.raises(InputError, match="a report needs the texts here"):
        found.report(tmp_path / "page.html")


def test_evaluation_takes_the_rows_that_are_asked_for(two, corpus, tmp_path):
    model = train(corpus.take(np.arange(0, 1200, 2)), learner="nb", test=False).model
    for number in range(2):
        rows = range(600 * number, 600 * number + 600)
        lines = [
            f"{corpus.labels[r]},{corpus.texts[r]},{'test' if r % 3 else 'dev'},{r % 5}"
            for r in rows
        ]
        (tmp_path / f"{number}.csv").write_text(
            "label,text,split,stars\n" + "\n".join(lines) + "\n"
        )
    files = str(tmp_path / "*.csv")
    for rows in (None, "dev", "all"):
        expected = evaluate(model, files, rows=rows, by="stars")
        found = evaluate(model, files, rows=rows, by="stars", dask=two)
        assert found.to_dict() == without_repeats(expected)
    with pytest.raises(InputError, match="no row is marked train"):
        evaluate(model, files, rows="train", dask=two)


def test_evaluation_notices_what_was_trained_on(two, corpus, files):
    model = train(files, learner="nb").model
    assert TRAINED_ON in evaluate(model, files, dask=two).notes


def test_evaluation_on_dask_needs_files(two, corpus, files):
    model = train(corpus, learner="nb").model
    with pytest.raises(InputError, match="`dask` reads files that all workers see"):
        evaluate(model, corpus, dask=two)
    with pytest.raises(InputError, match="standard input"):
        evaluate(model, "-", dask=two)
    with pytest.raises(InputError, match="no column 'stars'"):
        evaluate(model, files, by="stars", dask=two)


def tuned(result):
    """The numbers of a search, without times."""
    trials = [trial for each in result.rounds for trial in each.trials] + [*result.search.trials]
    points = [(t.learner, t.parameters, t.scores, t.n_features) for t in trials]
    return points, result.winner.parameters, result.winner.learner


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"learner": ["nb", "svm"], "metric": "log_loss"},
        {"learner": "svm", "grid": {"C": [0.1, 1.0], "min_df": [1, 2]}},
        {"learner": "nb", "grid": {"alpha": [0.1, 1.0]}, "nested": True},
    ],
    ids=str,
)
def test_tuning_gives_the_numbers_of_one_machine(two, corpus, given, tmp_path):
    some = corpus.take(np.arange(600))
    expected = tune(some, folds=3, output=tmp_path / "memory", **given)
    found = tune(some, folds=3, output=tmp_path / "dask", dask=two, **given)
    assert tuned(found) == tuned(expected)
    assert found.nested == expected.nested
    assert (tmp_path / "dask").read_bytes() == (tmp_path / "memory").read_bytes()


def test_tuning_of_several_labels_per_text(two, corpus):
    texts = list(corpus.texts)[:300]
    labels = [
        ["long"] * (len(text) > 80) + [label]
        for text, label in zip(texts, corpus.labels, strict=False)
    ]
    given = {"learner": "svm", "grid": {"C": [0.1, 1.0]}, "folds": 3}
    assert tuned(tune(texts, labels, dask=two, **given)) == tuned(tune(texts, labels, **given))


def test_tuning_on_dask_refuses_the_search_of_groups(two, corpus):
    with pytest.raises(InputError, match="`search` tries groups of features here"):
        tune(corpus, learner="nb", search="hill_climbing", dask=two)


def test_models_with_fields_predict_and_are_measured(two, corpus, tmp_path):
    for number in range(2):
        rows = range(100 * number, 100 * number + 100)
        lines = [f"{corpus.labels[r]},{corpus.texts[r][:20]},{corpus.texts[r]}" for r in rows]
        (tmp_path / f"{number}.csv").write_text("\n".join(["label,title,body", *lines, ""]))
    files = str(tmp_path / "*.csv")
    model = train(files, learner="nb", fields=["title", "body"]).model
    assert evaluate(model, files, dask=two).to_dict() == evaluate(model, files).to_dict()
    answers, given = Answers(model, Wanted()), {"source": files, "labels": False}
    expected = [batch for batch, _ in predict_batches(answers, **given)]
    assert [batch for batch, _ in predict_on_dask(answers, dask=two, **given)] == expected
