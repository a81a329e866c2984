"""Tests of wordplane.learners.ordinal."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.utils.estimator_checks import check_estimator

import wordplane
from wordplane import OrdinalLogistic
from wordplane.cli import main
from wordplane.common.errors import ConvergenceWarning, InputError


def stars(n=300, n_labels=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    f = X @ [1.5, -1.0, 0.5, 0.0] + rng.logistic(size=n)
    return X, np.digitize(f, np.linspace(-2, 2, n_labels - 1)) + 1


def objective(v, X, ranks, weight, C, n_steps):
    """From the page, one number at a time."""
    w, t = v[:-n_steps], v[-n_steps:]
    total = 0.5 * w @ w
    for x, rank, c in zip(X, ranks, weight, strict=True):
        for j in range(n_steps):
            sign = 1 if rank > j else -1
            total += C * c * np.logaddexp(0, -sign * (x @ w - t[j]))
    return total


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from([0.1, 1.0, 5.0]))
def test_reaches_the_optimum_that_scipy_finds(seed, n_labels, C):
    rng = np.random.default_rng(seed)
    X, ranks = rng.normal(size=(12, 2)), rng.integers(0, n_labels, 12)
    ranks[:n_labels] = np.arange(n_labels)
    weight = rng.choice([0.5, 1.0, 2.0], 12)
    model = OrdinalLogistic(C=C, tol=1e-8).fit(X, 10 * ranks, sample_weight=weight)
    start = np.concatenate([np.zeros(2), np.linspace(-1, 1, n_labels - 1)])
    given = (X, ranks, weight, C, n_labels - 1)
    best = minimize(objective, start, args=given, method="BFGS", options={"gtol": 1e-7})
    assert np.isclose(model.objective_, best.fun, rtol=1e-7)
    found = np.concatenate([model.direction_, model.thresholds_])
    assert np.allclose(found, best.x, atol=2e-3)
    assert (np.diff(model.thresholds_) >= 0).all()


def test_equals_mord():
    """mord 0.7: LogisticAT(alpha=1.0), whose alpha / 2 ||w||^2 is the same penalty."""
    X = np.array([[0, 1], [1, 1], [1, 0], [2, 1], [2, 0], [3, 1], [3, 0], [4, 1]], float)
    model = OrdinalLogistic(tol=1e-9).fit(X, [0, 0, 1, 1, 2, 1, 2, 2])
    assert np.allclose(model.direction_, [1.27365777, -1.01662792], atol=1e-4)
    assert np.allclose(model.thresholds_, [0.27807445, 2.75893809], atol=1e-4)


@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_scores_say_what_the_thresholds_say(n_labels):
    X, y = stars(n_labels=n_labels)
    model = OrdinalLogistic().fit(X, y)
    above = (X @ model.direction_)[:, None] > model.thresholds_
    assert np.array_equal(model.predict(X), 1 + above.sum(axis=1))
    P = model.predict_proba(X)
    assert np.allclose(P.sum(axis=1), 1)
    assert (P >= 0).all()
    beyond = 1 / (1 + np.exp(model.thresholds_[0] - X @ model.direction_))
    assert np.allclose(P[:, 1:].sum(axis=1), beyond)


def test_strings_are_ordered_as_numbers_or_as_given():
    X, y = stars(n_labels=11)
    as_numbers = OrdinalLogistic().fit(X, y)
    as_strings = OrdinalLogistic().fit(X, [str(label) for label in y])  # '10' is above '9'
    assert as_strings.predict(X).tolist() == [str(label) for label in as_numbers.predict(X)]
    words = ["bad", "fair", "good"]
    _, three = stars(n_labels=3)
    named = [words[label - 1] for label in three]
    model = OrdinalLogistic(order=words).fit(X, named)
    assert model.score(X, named) == OrdinalLogistic().fit(X, three).score(X, three)
    with pytest.raises(InputError, match="are not numbers: name them from the lowest"):
        OrdinalLogistic().fit(X, named)
    with pytest.raises(InputError, match="does not name the label 'fair'"):
        OrdinalLogistic(order=["bad", "good"]).fit(X, named)


def test_weights_are_repeated_rows():
    X, y = stars(60)
    weight = np.arange(60) % 3
    weighted = OrdinalLogistic(tol=1e-9).fit(X, y, sample_weight=weight)
    repeated = OrdinalLogistic(tol=1e-9).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert np.allclose(weighted.direction_, repeated.direction_, atol=1e-6)


def test_says_when_it_stops_early():
    with pytest.warns(ConvergenceWarning, match="after 1 iterations"):
        OrdinalLogistic(max_iter=1).fit(*stars())


@pytest.mark.filterwarnings("ignore")
def test_is_an_estimator_of_scikit_learn():
    words = "its labels must be numbers, or in a given order"
    expected = dict.fromkeys(("check_classifiers_classes", "check_classifiers_one_label"), words)
    expected["check_classifiers_train"] = "three clusters in a triangle are in no order"
    check_estimator(OrdinalLogistic(), expected_failed_checks=expected, on_skip=None)


def reviews(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(1, 6, n)
    words = [f"w{i}" for i in range(30)]
    noise = (" ".join(rng.choice(words, 5)) for _ in range(n))
    texts = [f"{'good ' * int(label)}{'bad ' * (6 - int(label))}{more}"
             for label, more in zip(y, noise, strict=True)]  # fmt: skip
    return pl.DataFrame({"text": texts, "stars": y})


def test_the_command_line_suggests_and_measures_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    reviews().write_csv("reviews.csv")
    assert main(["train", "reviews.csv", "-o", "nominal.wordplane"]) == 0
    assert "if they are in order, such as stars, try --learner ordinal" in capsys.readouterr().err
    assert main(["train", "reviews.csv", "--learner", "ordinal", "-o", "m.wordplane"]) == 0
    shown = capsys.readouterr()
    assert "in order" not in shown.err
    assert "MAE       " in shown.out
    assert "quadratic kappa" in shown.out
    assert main(["evaluate", "m.wordplane", "reviews.csv", "--json"]) == 0
    ordered = json.loads(capsys.readouterr().out)["ordered"]
    model = wordplane.load("m.wordplane")
    frame = reviews()
    predicted = model.predict(frame["text"].to_list()).astype(int)
    assert np.isclose(ordered["mae"], np.abs(predicted - frame["stars"].to_numpy()).mean())
    assert "ordered" not in wordplane.evaluate("nominal.wordplane", "reviews.csv").to_dict()
