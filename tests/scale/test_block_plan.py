"""Training on blocks gives the model that training in memory gives.

Tests of wordplane.scale.block_plan, wordplane.scale.row_encoding and wordplane.scale.ordered,
and of wordplane.workflow.block_training.
"""

import os
import random

import numpy as np
import pytest

from tests.scale.mixed_texts import mixed_texts, write_films
from wordplane import (
    MIRA,
    NBSVM,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    OnlineSVM,
    Perceptron,
    TextClassifier,
    train,
)
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr
from wordplane.data.corpus import Corpus
from wordplane.learners.support.row_blocks import RowBlocks
from wordplane.scale import text_blocks
from wordplane.text.analyzer import Analyzer
from wordplane.text.texts import as_texts
from wordplane.workflow import block_training


@pytest.fixture(scope="module", autouse=True)
def small_blocks():
    """Several blocks although there are few texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_training, "BLOCK_ROWS", 150)
        patch.setattr(os, "fsync", lambda _: None)  # no power is cut here
        yield


@pytest.fixture(scope="module")
def corpus():
    texts, labels = mixed_texts(1200, random.Random(0))
    return Corpus(as_texts(texts), labels)


@pytest.fixture(scope="module")
def recipe(corpus, tmp_path_factory):
    """The folder of the recipe on blocks by one thread, and what came of it."""
    folder = tmp_path_factory.mktemp("recipe")
    (folder / "scratch").mkdir()
    output = {"scratch": folder / "scratch", "output": folder / "m.wordplane"}
    return folder, train(corpus, blocks=True, n_jobs=1, **output)


@pytest.mark.parametrize("params", [{}, {"alpha": 0.5}, {"class_weight": "balanced"}], ids=str)
def test_naive_bayes_has_the_bytes_of_the_model_in_memory(corpus, tmp_path, params):
    paths = [tmp_path / f"{on_blocks}.wordplane" for on_blocks in (False, True)]
    for path, on_blocks in zip(paths, (False, True), strict=True):
        train(corpus, learner="nb", params=params, blocks=on_blocks, output=path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_later_texts_are_compared_with_texts_trained_on_as_in_memory(corpus):
    memory, blocks = (
        train(corpus, learner="svm", blocks=on_blocks).model.model_.reference
        for on_blocks in (False, True)
    )
    assert blocks.sizes.sum() == len(corpus) // 2  # not of those held out alone
    assert blocks.traits == memory.traits
    assert (blocks.counts == memory.counts).all() and (blocks.sizes == memory.sizes).all()


def test_weights_and_marked_rows_count_as_in_memory(corpus, tmp_path):
    rng = np.random.default_rng(0)
    split = rng.choice(["train", "train", "train", "dev", "test"], len(corpus)).tolist()
    marked = Corpus(
        corpus.texts, corpus.labels, weights=rng.integers(0, 3, len(corpus)) * 0.5, split=split
    )
    results = [
        train(marked, learner="nb", blocks=on_blocks, output=tmp_path / f"{on_blocks}.wordplane")
        for on_blocks in (False, True)
    ]
    assert str(results[0]).split("model")[0] == str(results[1]).split("model")[0]
    model_bytes = [path.read_bytes() for path in tmp_path.glob("*.wordplane")]
    assert model_bytes[0] == model_bytes[1]


SVM = LinearSVM(tol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [None, SVM, NBSVM(learner=SVM)], ids=str)
def test_machines_are_those_in_memory_up_to_their_tolerance(corpus, recipe, learner):
    memory = train(corpus, learner=learner)
    blocks = train(corpus, learner=learner, blocks=True) if learner else recipe[1]
    assert memory.n_features == blocks.n_features
    texts, _ = mixed_texts(1000, random.Random(1))
    same = memory.model.predict(texts) == blocks.model.predict(texts)
    # The recipe stops at a gap of 0.3 %, which moves more predictions where texts are few.
    assert same.mean() >= (0.98 if learner is None else 0.998)
    p, q = (result.model.predict_proba(texts) for result in (memory, blocks))
    assert np.abs(p - q).mean() < 0.02


ONLINE = [
    Perceptron(shuffle=False),
    MIRA(shuffle=False),
    OnlineSVM(shuffle=False, alpha="auto", project=True),
]


@pytest.mark.parametrize("learner", ONLINE, ids=str)
def test_online_learners_take_the_same_steps_in_block_order(learner):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, (300, 40)).astype(np.float32)
    y = rng.integers(0, 3, 300)
    memory = learner.fit(X, y)
    expected = memory.coef_.copy(), memory.mistakes_, getattr(memory, "objective_", 0.0)
    rows = RowBlocks(
        np.array([0, 100, 101, 300]),
        40,
        lambda b: as_csr(X[[0, 100, 101, 300][b] :][: [100, 1, 199][b]]),
    )
    blocks = learner.fit_blocks(rows, y)
    assert np.allclose(blocks.coef_, expected[0], rtol=1e-6, atol=1e-8)
    assert blocks.mistakes_ == expected[1]
    assert getattr(blocks, "objective_", 0.0) == pytest.approx(expected[2], rel=1e-6)


@pytest.mark.slow
def test_the_perceptron_trains_on_blocks(corpus):
    result = train(corpus, learner="perceptron", blocks=True)
    assert result.scores is not None
    assert result.scores.accuracy > 0.85


@pytest.mark.slow
def test_threads_change_no_byte(corpus, recipe, tmp_path):
    train(corpus, blocks=True, n_jobs=3, output=tmp_path / "m.wordplane")
    first, second = ((folder / "m.wordplane").read_bytes() for folder in (recipe[0], tmp_path))
    assert first == second


@pytest.mark.slow
def test_sorted_labels_converge(corpus):
    order = np.argsort(np.array(corpus.labels), kind="stable")
    result = train(corpus.take(order), blocks=True)
    assert result.scores is not None
    assert result.scores.accuracy > 0.9


@pytest.mark.slow
def test_the_gap_on_blocks_is_within_tol():
    rng = np.random.default_rng(0)
    X = (rng.random((2000, 30)) < 0.2).astype(np.float32)
    y = (X @ rng.normal(size=30) + 0.3 * rng.normal(size=2000) > 0.5).astype(int)
    bounds = np.arange(0, 2001, 8)
    rows = RowBlocks(bounds, 30, lambda b: as_csr(X[bounds[b] : bounds[b + 1]]), threads=2)
    blocks = LinearSVM(tol=1e-3).fit_blocks(rows, y)
    memory = LinearSVM(tol=1e-3).fit(X, y)
    assert blocks.gap_ <= 1e-3 * blocks.objective_
    assert blocks.objective_ == pytest.approx(memory.objective_, rel=2e-3)
    assert np.abs(blocks.coef_ - memory.coef_).max() < 0.1


LOGISTIC = [
    {},
    {"penalize_intercept": True, "C": 5.0},
    {"multi_class": "ovr"},
    {"fit_intercept": False},
    {"solver": "newton"},
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("params", LOGISTIC, ids=str)
@pytest.mark.slow
def test_logistic_regression_on_blocks_is_at_the_optimum_in_memory(params, n_classes):
    rng = np.random.default_rng(0)
    X = (rng.random((500, 12)) < 0.3).astype(np.float32)
    W = rng.normal(size=(12, n_classes))
    y = np.argmax(X @ W + rng.gumbel(size=(500, n_classes)) + np.arange(n_classes), axis=1)
    bounds = np.arange(0, 501, 4)
    rows = RowBlocks(bounds, 12, lambda b: as_csr(X[bounds[b] : bounds[b + 1]]))
    weight = rng.integers(0, 3, 500).astype(float)
    blocks = LogisticRegression(tol=1e-8, **params).fit_blocks(rows, y, weight)
    memory = LogisticRegression(tol=1e-10, **{**params, "solver": "newton"}).fit(X, y, weight)
    assert blocks.converged_
    assert blocks.objective_ == pytest.approx(memory.objective_, rel=1e-7)
    assert np.abs(blocks.coef_ - memory.coef_).max() < 1e-3
    assert np.abs(blocks.intercept_ - memory.intercept_).max() < 1e-3


def test_logistic_regression_that_its_dual_does_not_solve_is_solved_by_newton(monkeypatch):
    from wordplane.learners.support import logistic_solvers

    monkeypatch.setattr(logistic_solvers, "AUTO_PASSES", 2)
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 5)).astype(np.float32), rng.integers(0, 2, 60)
    rows = RowBlocks(np.array([0, 30, 60]), 5, lambda b: as_csr(X[30 * b : 30 * b + 30]))
    blocks = LogisticRegression(tol=1e-8).fit_blocks(rows, y)
    assert (blocks.solver_, blocks.converged_) == ("newton", True)
    memory = LogisticRegression(tol=1e-8, solver="newton").fit(X, y)
    assert np.abs(blocks.coef_ - memory.coef_).max() < 1e-6


@pytest.mark.slow
def test_no_file_is_left(corpus, recipe, tmp_path):
    assert list((recipe[0] / "scratch").iterdir()) == []
    with pytest.raises(InputError, match=r"one class|at least two"):
        train(Corpus(corpus.texts, ["a"] * len(corpus)), blocks=True, scratch=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"learner": "ridge"}, "needs all rows in memory"),
        ({"learner": LogisticRegression(penalty="l1")}, "needs all rows in memory"),
        ({"tune": True}, "`tune` needs all texts in memory"),
        ({"analyzer": Analyzer(tf="relative")}, "cannot be used on blocks"),
        ({"calibration": "cv"}, "`calibration` 'cv' needs all texts in memory"),
        ({"learner": MultinomialNB(alpha="loo")}, "alpha='loo' needs all rows"),
    ],
    ids=str,
)
def test_what_cannot_be_done_on_blocks_says_so(corpus, given, why):
    with pytest.raises(InputError, match=why):
        train(corpus, blocks=True, **given)


@pytest.mark.slow
def test_memory_decides(tmp_path, monkeypatch):
    from wordplane.workflow import placement

    monkeypatch.setattr(placement, "SMALL", 0)
    path = write_films(tmp_path / "films.csv", 200)
    small = train(path, memory=path.stat().st_size)
    large = train(path, memory=10**9)
    assert any("trained on blocks" in note for note in small.notes)
    assert any("trained in memory" in note for note in large.notes)
    assert isinstance(small.model, TextClassifier)


def test_a_block_ends_with_its_bytes(monkeypatch):
    monkeypatch.setattr(text_blocks, "BLOCK_BYTES", 10)
    texts = as_texts(["12345678"] * 5)
    cuts = list(text_blocks.cut_evenly(texts))
    assert cuts[0][0] == 0
    assert cuts[-1][1] == 5
    assert len(cuts) >= 2
