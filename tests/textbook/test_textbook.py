"""Tests of wordplane.textbook.adagrad, wordplane.textbook.averaged_perceptron,
wordplane.textbook.bag_of_words, wordplane.textbook.bernoulli_naive_bayes,
wordplane.textbook.expectation_maximization, wordplane.textbook.f1,
wordplane.textbook.gradient_descent, wordplane.textbook.k_means,
wordplane.textbook.k_nearest_neighbors, wordplane.textbook.logistic_regression,
wordplane.textbook.mira, wordplane.textbook.naive_bayes, wordplane.textbook.online_svm,
wordplane.textbook.perceptron, wordplane.textbook.roc and wordplane.textbook.sign_test.

Each computes what the learner of its page computes, to 1e-9.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import warnings
from math import inf
from pathlib import Path

import numpy as np
import pytest

import wordplane
from wordplane import textbook
from wordplane.common.errors import ConvergenceWarning
from wordplane.common.matrix import as_csr
from wordplane.evaluation.curves import auc, roc
from wordplane.evaluation.label_scores import score
from wordplane.evaluation.paired_tests import mcnemar
from wordplane.learners import EMNaiveBayes
from wordplane.optimize.descent import gradient_descent
from wordplane.optimize.losses import logistic
from wordplane.optimize.objective import LinearObjective
from wordplane.optimize.penalties import Penalty
from wordplane.textbook.bag_of_words import OFFSET

DOCS = Path(__file__).resolve().parents[2] / "docs"
MODULES = [module.name for module in pkgutil.iter_modules(textbook.__path__)]
WORDS = [f"w{j}" for j in range(7)]
CLASSES = {2: ["a", "b"], 3: ["a", "b", "c"]}
NEAR = {"rtol": 0, "atol": 1e-9}


def book(name):
    """The function of the chapter: it has the name of its file."""
    return getattr(importlib.import_module(f"wordplane.textbook.{name}"), name)


def problem(seed, n_classes, *, whole=True, n=30):
    """Rows that no plane separates, every class and word among them."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (n, len(WORDS))).astype(float)
    if not whole:
        X *= rng.uniform(0.5, 1.5, X.shape)
    X[0] += 1
    y = [CLASSES[n_classes][i % n_classes] for i in range(n)]
    return X, y


def bags(X):
    return [{word: x for word, x in zip(WORDS, row, strict=True) if x} for row in X.tolist()]


def texts(X, y):
    return list(zip(bags(X), y, strict=True))


def contrasts(theta, labels):
    """Weights and offsets of every label, less those of the first."""
    rows = [[theta.get((y, word), 0.0) for word in [*WORDS, OFFSET]] for y in labels]
    return np.array(rows)[1:] - np.array(rows)[0]


def fitted_contrasts(learner):
    rows = np.hstack([learner.coef_, learner.intercept_[:, None]])
    return rows if len(rows) == 1 else rows[1:] - rows[0]


def check(theta, learner):
    found = contrasts(theta, learner.classes_.tolist())
    assert np.abs(found).max() > 0.1
    np.testing.assert_allclose(found, fitted_contrasts(learner), **NEAR)


both = pytest.mark.parametrize("n_classes", [2, 3])
seeds = pytest.mark.parametrize("seed", range(3))


def test_scores_of_whale_and_molybdenum():
    module = importlib.import_module("wordplane.textbook.bag_of_words")
    x = module.bag_of_words("The whale, the whale and molybdenum.")
    assert x == {"the": 2, "whale": 2, "and": 1, "molybdenum": 1}
    theta = {("fiction", "whale"): 1.5, ("fiction", "molybdenum"): -2.0, ("news", OFFSET): 0.5}
    assert module.score(theta, x, "fiction") == 1.0 and module.score(theta, x, "news") == 0.5
    assert module.predict(theta, x, ["news", "fiction"]) == "fiction"


@both
@seeds
@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_naive_bayes(seed, n_classes, alpha):
    X, y = problem(seed, n_classes)
    learner = wordplane.MultinomialNB(alpha=alpha).fit(X, y)
    check(book("naive_bayes")(texts(X, y), alpha), learner)


def test_naive_bayes_without_smoothing_vetoes():
    data = [({"ball": 1.0}, "sport"), ({"judge": 1.0}, "law")]
    theta = book("naive_bayes")(data, 0.0)
    assert theta["law", "ball"] == -inf and theta["sport", "ball"] == 0


@both
@seeds
def test_bernoulli_naive_bayes(seed, n_classes):
    X, y = problem(seed, n_classes)
    check(
        book("bernoulli_naive_bayes")(texts(X, y), 0.5), wordplane.BernoulliNB(alpha=0.5).fit(X, y)
    )


@both
@seeds
@pytest.mark.parametrize("averaged", [False, True])
def test_perceptrons(seed, n_classes, averaged):
    X, y = problem(seed, n_classes)
    learner = wordplane.Perceptron(averaged=averaged, shuffle=False, max_iter=4).fit(X, y)
    assert learner.n_iter_ == 4
    theta = book("averaged_perceptron" if averaged else "perceptron")(texts(X, y), epochs=4)
    check(theta, learner)
    if averaged:
        check(book("averaged_perceptron")(texts(X, y), epochs=4, lazy=True), learner)


def test_perceptron_stops_when_nothing_is_wrong():
    data = [({"w0": 1.0}, "a"), ({"w1": 1.0}, "b")]
    assert book("perceptron")(data, epochs=5) == book("perceptron")(data, epochs=5000)


@both
@seeds
@pytest.mark.parametrize("lambda_", [0.5, 20.0])
def test_mira(seed, n_classes, lambda_):
    X, y = problem(seed, n_classes, whole=False)
    learner = wordplane.MIRA(C=1 / lambda_, averaged=False, shuffle=False, max_iter=3).fit(X, y)
    check(book("mira")(texts(X, y), lambda_, epochs=3), learner)


@both
@seeds
def test_online_svm_with_the_steps_of_the_chapter(seed, n_classes):
    X, y = problem(seed, n_classes, whole=False)
    learner = wordplane.OnlineSVM(
        alpha=0.05, eta0=1.0, power_t=0.0, averaged=False, shuffle=False, max_iter=3
    ).fit(X, y)
    check(book("online_svm")(texts(X, y), 0.05, epochs=3), learner)


@both
@seeds
def test_online_svm_with_the_steps_of_pegasos(seed, n_classes):
    X, y = problem(seed, n_classes, whole=False)
    learner = wordplane.OnlineSVM(alpha=0.05, averaged=False, shuffle=False, max_iter=3).fit(X, y)
    theta = book("online_svm")(texts(X, y), 0.05, eta=lambda t: 1 / (0.05 * t), epochs=3)
    check(theta, learner)


@both
def test_gradient_descent_finds_the_optimum_of_logistic_regression(n_classes):
    X, y = problem(0, n_classes, n=12)
    learner = wordplane.LogisticRegression(
        C=0.5, penalize_intercept=True, multi_class="softmax", solver="newton", tol=1e-13
    ).fit(X, y)
    theta = book("gradient_descent")(texts(X, y), 2.0, eta=lambda t: 0.02, epochs=600)
    check(theta, learner)
    objective = importlib.import_module("wordplane.textbook.logistic_regression").objective
    value = objective(theta, texts(X, y), CLASSES[n_classes], 2.0)
    assert value == pytest.approx(2.0 * learner.objective_, abs=1e-9)  # ours is C times theirs


def library_descent(X, y, n_classes, **options):
    """The optimizer of the learners on the chapter's objective."""
    codes = np.array([CLASSES[n_classes].index(label) for label in y])
    rows = as_csr(X)
    F = LinearObjective(rows, codes, logistic, Penalty(l2=2.0), n_outputs=n_classes)
    result = gradient_descent(F, F.start(), step="fixed", shuffle=False, tol=0, **options)
    W = result.w.reshape(-1, n_classes).T
    return W[1:] - W[0]


@both
@pytest.mark.parametrize("size", [None, 5, 1])
def test_batches(n_classes, size):
    X, y = problem(0, n_classes)
    theta = book("gradient_descent")(texts(X, y), 2.0, eta=lambda t: 0.003, size=size, epochs=3)
    ours = library_descent(X, y, n_classes, eta0=0.003, batch_size=size, max_iter=3)
    np.testing.assert_allclose(contrasts(theta, CLASSES[n_classes]), ours, **NEAR)


@seeds
def test_adagrad(seed):
    X, y = problem(seed, 3)
    learner = wordplane.OnlineLogistic(eta0=0.2, shuffle=False, max_iter=3).fit(X, y)
    check(book("adagrad")(texts(X, y), 0.2, epochs=3), learner)


@both
@seeds
def test_expectation_maximization(seed, n_classes):
    X, y = problem(seed, n_classes)
    unlabeled = problem(seed + 10, n_classes)[0]
    learner = EMNaiveBayes(alpha=0.5, prior_alpha=1e-13, tol=0, max_iter=4)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        learner.fit(X, y, unlabeled=unlabeled)
    theta = book("expectation_maximization")(texts(X, y), bags(unlabeled), 0.5, rounds=4)
    check(theta, learner)
    alone = book("expectation_maximization")(texts(X, y), bags(unlabeled), 0.5, rounds=0)
    assert (
        np.abs(contrasts(alone, learner.classes_) - contrasts(theta, learner.classes_)).max() > 0.1
    )


@seeds
def test_k_means(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)) + 2 * np.repeat([[0, 0], [1, 2], [2, 0]], 20, axis=0)
    start = [None] * 60
    start[0], start[1], start[2] = "a", "b", "c"
    learner = wordplane.KMeans(3, tol=0).fit(X, seeds=start)
    points = [tuple(row) for row in X.tolist()]
    centers, clusters = book("k_means")(points, points[:3])
    np.testing.assert_allclose(centers, learner.cluster_centers_, **NEAR)
    assert clusters == learner.labels_.tolist()


@both
def test_k_nearest_neighbors(n_classes):
    X, y = problem(0, n_classes)
    asked = problem(1, n_classes)[0]
    learner = wordplane.KNeighbors(n_neighbors=5, metric="cosine", weights="uniform").fit(X, y)
    shares = [list(book("k_nearest_neighbors")(texts(X, y), x, 5).values()) for x in bags(asked)]
    np.testing.assert_allclose(shares, learner.predict_proba(asked), **NEAR)


@seeds
def test_f1(seed):
    rng = np.random.default_rng(seed)
    y_true, y_hat = (rng.choice(["a", "b", "c"], 40).tolist() for _ in range(2))
    ours = score(y_true, y_hat)
    module = importlib.import_module("wordplane.textbook.f1")
    assert module.macro_f1(y_true, y_hat) == pytest.approx(ours.macro_f1, abs=1e-12)
    for found in ours.classes:
        values = [found.precision, found.recall, found.f1]
        assert module.f1(y_true, y_hat, found.label) == pytest.approx(values, abs=1e-12)


@seeds
def test_roc(seed):
    rng = np.random.default_rng(seed)
    positives = rng.integers(2, 9, 15).astype(float).tolist()
    negatives = rng.integers(0, 7, 25).astype(float).tolist()
    y, z = [1] * 15 + [0] * 25, positives + negatives
    module = importlib.import_module("wordplane.textbook.roc")
    assert module.auc(positives, negatives) == pytest.approx(auc(y, z), abs=1e-12)
    curve = roc(y, z)
    points = np.column_stack([curve.false_positive_rate, curve.true_positive_rate])
    np.testing.assert_allclose(module.roc(positives, negatives), points, **NEAR)


@pytest.mark.parametrize("counts", [(0, 0), (3, 3), (1, 9), (15, 5), (40, 60)])
def test_sign_test(counts):
    assert book("sign_test")(*counts) == pytest.approx(mcnemar(*counts).p_exact, abs=1e-12)


@pytest.mark.parametrize("name", MODULES)
def test_files_are_short_and_plain(name):
    source = Path(importlib.import_module(f"wordplane.textbook.{name}").__file__).read_text()
    assert len(source.splitlines()) <= 60
    plain = ("collections.abc", "math", "wordplane.textbook.")
    for node in ast.walk(ast.parse(source)):
        assert not isinstance(node, ast.Import)
        assert not isinstance(node, ast.ImportFrom) or node.module.startswith(plain)


@pytest.mark.parametrize("name", MODULES)
def test_every_file_is_shown_on_one_page(name):
    line = f"src/wordplane/textbook/{name}.py\n:language: python\n"
    pages = [page for page in DOCS.rglob("*.md") if line in page.read_text(encoding="utf-8")]
    assert len(pages) == 1
    shown = re.findall(r"^```\{literalinclude\} (.*)$", pages[0].read_text(), re.MULTILINE)
    assert all((pages[0].parent / path).exists() for path in shown)


def test_every_file_has_its_function():
    assert len(MODULES) >= 12
    shown = [name for name in MODULES if name not in ("bag_of_words", "logistic_regression", "roc")]
    assert all(inspect.isfunction(book(name)) for name in shown)
