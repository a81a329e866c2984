"""Tests of wordplane.learners.registry: what does not fit into memory is refused before any work.

A table of weights has features x classes numbers, and many learners have tables of rows x classes:
both grow faster than the file.
"""

import inspect
from pathlib import Path

import numpy as np
import pytest

import wordplane
from tests.costs import peak_bytes
from wordplane.cli import main
from wordplane.common import memory
from wordplane.common.errors import InputError
from wordplane.learners import registry
from wordplane.learners.names import FURTHER_LEARNERS, LEARNERS, ONE_LABEL_LEARNERS
from wordplane.learners.registry import learner_class, require_room
from wordplane.learners.support.base import LinearClassifier
from wordplane.workflow.comparison import compare

ROOM = 60_000_000  # bytes; the tables of the data below take more


def many(n_rows=4_000, n_labels=2_000):
    return "text,label\n" + "".join(
        f"w{i % 997} v{i % 991},label {i % n_labels}\n" for i in range(n_rows)
    )


@pytest.fixture
def small_machine(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(memory, "available_memory", lambda: ROOM)
    monkeypatch.setattr(registry, "available_memory", lambda: ROOM)
    Path("many.csv").write_text(many())
    return tmp_path


def refuse_to_fit(monkeypatch):
    """Whatever is refused is refused before a learner is fitted."""

    def fit(*_args, **_kwargs):
        raise AssertionError("fitted")

    for name in LEARNERS:
        monkeypatch.setattr(learner_class(name), "fit", fit)


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name not in ("tree", "ordinal")])
def test_every_learner_is_refused_by_train(small_machine, monkeypatch, capsys, learner):
    refuse_to_fit(monkeypatch)
    assert main(["train", "many.csv", "--learner", learner, "-o", "m.wordplane"]) == 2
    error = capsys.readouterr().err
    assert "2,000 labels needs about" in error and "0.1 GB are free" in error
    assert "label tree (--learner tree)" in error
    assert not Path("m.wordplane").exists()


@pytest.mark.parametrize(
    "verb",
    [
        "tune many.csv --learner svm --folds 2",
        "tune many.csv --learner svm --folds 2 --nested",
        "diagnose many.csv --learner svm",
        "train many.csv --learner svm --calibration cv -o m.wordplane",
        "train many.csv --learner svm --blocks -o m.wordplane",
    ],
)
def test_every_verb_refuses(small_machine, monkeypatch, capsys, verb):
    refuse_to_fit(monkeypatch)
    assert main(verb.split()) == 2
    assert "labels needs about" in capsys.readouterr().err


def test_compare_refuses_if_no_learner_fits(small_machine, capsys):
    assert main("compare many.csv --learners svm,nb --folds 2".split()) == 2
    error = capsys.readouterr().err
    assert "no learner could be measured" in error and "labels needs about" in error


def test_scores_of_many_labels_are_refused_by_evaluate(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("many.csv").write_text(many(4_000, 200))
    assert main("train many.csv --learner nb --no-test -o m.wordplane".split()) == 0
    monkeypatch.setattr(memory, "available_memory", lambda: 10_000_000)
    assert main("evaluate m.wordplane many.csv".split()) == 2
    error = capsys.readouterr().err
    assert "200 labels" in error and "GB are free" in error


def test_update_refuses_a_model_that_would_grow_too_large(small_machine, capsys):
    Path("few.csv").write_text(many(400, 2))
    command = "train few.csv --learner nb --resumable -o m.wordplane"
    assert main(command.split()) == 0
    assert main("update m.wordplane many.csv -o n.wordplane".split()) == 2
    assert "2,000 labels needs about" in capsys.readouterr().err


def test_compare_leaves_out_what_does_not_fit_and_measures_the_rest(monkeypatch):
    rows = [row.split(",") for row in many(400, 20).splitlines()[1:]]
    texts, labels = zip(*rows, strict=True)
    bytes_of_svm = wordplane.LinearSVM().fit_bytes(320, 300, 20)

    def large(self, *_):
        return 10 * bytes_of_svm

    monkeypatch.setattr(wordplane.LinearSVM, "fit_bytes", large)
    room = 5 * bytes_of_svm
    monkeypatch.setattr(registry, "SMALL_BYTES", 0)  # as if nothing were
    for module in (memory, registry):
        monkeypatch.setattr(module, "available_memory", lambda: room)
    result = compare(list(texts), list(labels), ["nb", "svm"], folds=2, n_jobs=1)
    assert [r.name for r in result.results] == ["nb"]
    (left_out,) = result.skipped
    assert left_out.name == "svm" and "needs about" in left_out.reason
    assert "skipped: LinearSVM() with" in str(result)


def test_where_one_fit_has_room_and_two_have_not_they_come_one_after_the_other(monkeypatch):
    learner, shape, y = wordplane.LinearSVM(), (1_000, 5_000), np.arange(1_000) % 50
    needed = learner.fit_bytes(*shape, 50)
    for room, expected in ((needed, 1), (2 * needed, 2), (9 * needed, 4)):
        for module in (memory, registry):
            monkeypatch.setattr(module, "available_memory", lambda room=room: room)
        assert require_room(learner, shape, y, threads=4) == expected
    with pytest.raises(InputError, match=r"LinearSVM\(\) with 1,000 texts, 5,000 features and 50"):
        require_room(learner, shape, y, n_scored=10_000_000)


def test_every_learner_says_what_it_takes():
    for name in [*LEARNERS, *ONE_LABEL_LEARNERS, *FURTHER_LEARNERS]:
        cls = learner_class(name)
        needed = inspect.signature(cls).parameters.values()
        inner = wordplane.MultinomialNB()
        given = {"learner": inner, "learners": [inner]}
        made = cls(**{p.name: given[p.name] for p in needed if p.default is p.empty})
        assert isinstance(made, LinearClassifier)
        small, large = made.fit_bytes(100, 1_000, 5), made.fit_bytes(100, 4_000, 5)
        assert 0 < small < large < 1e9


@pytest.mark.slow
@pytest.mark.parametrize("learner", [name for name in LEARNERS if name not in ("tree", "ordinal")])
def test_what_a_learner_says_is_about_what_it_takes(tmp_path, learner):
    n_rows, n_labels = 4_000, 1_000
    (tmp_path / "few.csv").write_text(many(n_rows, 2))
    (tmp_path / "many.csv").write_text(many(n_rows, n_labels))
    options = f"--learner {learner} --no-test --calibration none --threads 1 --force -o m.wordplane"
    if learner == "logistic":
        options += " --param max_iter=3"  # as much memory as to the end, in half the time
    least, most = (
        peak_bytes(["train", name, *options.split()], tmp_path) for name in ("few.csv", "many.csv")
    )
    model = wordplane.load(tmp_path / "m.wordplane")
    said = learner_class(learner)().fit_bytes(n_rows, model.n_features, n_labels)
    assert 0.7 * (most - least) < said < 2 * (most - least) + 20e6
