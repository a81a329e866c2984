"""Tests of wordplane.model.boundary: few texts of a rare class do not hide it."""

import numpy as np
import pytest
from scipy.optimize import minimize

from wordplane import TextClassifier
from wordplane.model.boundary import FEW_TEXTS, best_shift, shift_out_of_fold

RNG = np.random.default_rng(0)


def slow_shift(z, codes):
    """The definition, minimized without gradients."""
    Z = np.column_stack([np.zeros(len(z)), z]) if z.ndim == 1 else z
    Z = Z - Z.mean(axis=1, keepdims=True)
    scale = Z.std()

    def loss(w):
        scores = np.exp(w[0]) * Z / scale + w[1:]
        log_sum = np.log(np.exp(scores).sum(axis=1))
        return (log_sum - scores[np.arange(len(z)), codes]).sum() + w @ w / 2

    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 20_000, "maxfev": 20_000}
    w = minimize(loss, np.zeros(1 + Z.shape[1]), method="Nelder-Mead", options=options).x
    shift = w[1:] * scale / np.exp(w[0])
    return shift[1:] - shift[:1] if len(shift) == 2 else shift


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_shift_is_the_optimum(n_classes):
    codes = RNG.integers(0, n_classes, 40)
    z = RNG.normal(size=(40, n_classes)) + 2 * np.eye(n_classes)[codes] - np.arange(n_classes)
    z = z[:, 1] - z[:, 0] if n_classes == 2 else z
    assert best_shift(z, codes) == pytest.approx(slow_shift(z, codes), abs=1e-5)


def test_scores_that_lie_right_are_left_alone():
    z = np.concatenate([RNG.normal(-2, 1, 200), RNG.normal(2, 1, 200)])
    assert abs(best_shift(z, np.repeat([0, 1], 200))[0]) < 0.3


def test_a_class_that_a_fold_did_not_have_is_the_least_likely():
    z, codes = np.array([[1.0, 0, -np.inf], [0, 1, 0], [0, 0, 1.0]]), np.array([0, 1, 2])
    lowest = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    assert best_shift(z, codes).tolist() == best_shift(lowest, codes).tolist()


def test_each_fold_is_shifted_by_the_others():
    z, codes = RNG.normal(size=30) - 1, RNG.integers(0, 2, 30)
    folds = np.split(np.arange(30), 3)
    shifted = shift_out_of_fold(z, codes, folds)
    rest = np.concatenate(folds[1:])
    assert shifted[:10] == pytest.approx(z[:10] + best_shift(z[rest], codes[rest]))


@pytest.fixture(scope="module")
def uneven():
    """One text in eight is of the rare class, and shares many words with the others."""
    rng = np.random.default_rng(1)
    common, own = [f"w{i}" for i in range(60)], [f"w{i}" for i in range(60, 75)]

    def text(is_rare):
        words = rng.choice(common, 12).tolist()
        return " ".join(words[:10] + (rng.choice(own, 2).tolist() if is_rare else words[10:]))

    y = rng.random(1200) < 1 / 8
    return [text(is_rare) for is_rare in y], np.where(y, "rare", "usual")


def recall(model, texts, y):
    return float((model.predict(texts)[y == "rare"] == "rare").mean())


def test_a_rare_class_is_found_with_few_texts(uneven):
    texts, y = uneven
    model = TextClassifier(n_jobs=1).fit(texts[:100], y[:100])
    (shift,) = model.training_.boundary
    assert shift < 0  # towards the rarer class, which is the first
    before = model.decision_function(texts[200:]) - shift
    assert recall(model, texts[200:], y[200:]) > np.mean(before[y[200:] == "rare"] <= 0) + 0.1
    assert model.score(texts[200:], y[200:]) > 0.9


def test_named_learners_and_many_texts_keep_their_boundary(uneven):
    texts, y = uneven
    assert (
        TextClassifier(learner="svm", n_jobs=1).fit(texts[:100], y[:100]).training_.boundary == ()
    )
    many = TextClassifier(n_jobs=1).fit(texts[:FEW_TEXTS], y[:FEW_TEXTS])
    assert many.training_.boundary == ()
