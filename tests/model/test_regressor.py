"""Tests of wordplane.model.regressor, wordplane.model.predictor and wordplane.model.stored_labels:
numbers predicted from texts."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score

import wordplane
from wordplane import Analyzer, TextClassifier, TextRegressor
from wordplane.common.errors import InputError, ModelFileError
from wordplane.model.file import from_bytes, from_parts, to_bytes
from wordplane.model.saved_models import load_classifier

WORTH = {"great": 2.0, "superb": 3.0, "dull": -2.0, "boring": -3.0, "film": 0.0, "long": -0.5}


def reviews(n, seed=0, noise=0.3):
    """Texts of six words, and the sum of what the words are worth."""
    rng = np.random.default_rng(seed)
    words = rng.choice(list(WORTH), size=(n, 6))
    y = np.array([sum(WORTH[word] for word in row) for row in words]) + noise * rng.normal(size=n)
    return [" ".join(row) for row in words], y


@pytest.fixture(scope="module")
def fitted():
    texts, y = reviews(600)
    return TextRegressor(Analyzer(ngrams=(1, 1))).fit(texts, y)


def test_learns_what_words_are_worth(fitted):
    texts, y = reviews(500, seed=1)
    assert np.abs(fitted.predict(texts) - y).mean() < 0.4
    assert fitted.score(texts, y) > 0.97
    assert fitted.top_features(1) == {
        "higher": [("superb", pytest.approx(2.9, abs=0.3))],
        "lower": [("boring", pytest.approx(2.9, abs=0.3))],
    }


def test_equals_scikit_learn_s_ridge_on_the_same_matrix():
    texts, y = reviews(300)
    model = TextRegressor(alpha=0.7, calibration=None).fit(texts, y)
    X = model.feature_matrix(texts)
    his = Ridge(alpha=0.7, tol=1e-10).fit(X.astype(np.float64), y)

    def objective(z, w):
        return ((y - z) ** 2).sum() + 0.7 * w @ w

    w = model.model_.W[:, 0].astype(np.float64)
    least = objective(his.predict(X), his.coef_)
    assert objective(model.predict(texts), w) <= least * (1 + 1e-6)
    ours, mae = np.abs(model.predict(texts) - y).mean(), np.abs(his.predict(X) - y).mean()
    assert np.isclose(ours, mae, rtol=1e-4)


def test_intervals_cover_as_many_new_texts_as_they_should(fitted):
    texts, y = reviews(2000, seed=2)
    for level in (0.5, 0.9):
        low, high = fitted.predict_interval(texts, level).T
        assert abs(np.mean((low <= y) & (y <= high)) - level) < 0.12  # 60 rows were held out
        assert np.ptp(high - low) < 1e-9


def test_the_number_is_the_sum_of_what_words_add(fitted):
    explanation = fitted.explain("a superb but long film")
    added = sum(value for _, value in explanation.by_word())
    assert explanation.score == pytest.approx(fitted.predict(["a superb but long film"])[0])
    assert added + explanation.bias == pytest.approx(explanation.score)
    assert dict(explanation.by_word())["long"] < 0 < dict(explanation.by_word())["superb"]
    with pytest.raises(InputError, match="predicts numbers"):
        fitted.explain("superb", "good")


def test_few_texts_are_held_out_in_folds_and_many_once(fitted):
    assert (len(fitted.holdout_.rows), fitted.holdout_.folds) == (60, 0)
    texts, y = reviews(40)
    few = TextRegressor().fit(texts, y)
    assert (few.holdout_.rows.tolist(), few.holdout_.folds) == (list(range(40)), 10)
    none = TextRegressor(calibration=None).fit(texts, y)
    assert none.holdout_ is None
    assert none.predict_interval(["great"]).tolist() == [[-np.inf, np.inf]]


def test_groups_are_held_out_whole():
    texts, y = reviews(600)
    groups = np.arange(600) // 10
    model = TextRegressor(alpha=1.0).fit(texts, y, groups=groups)
    held_out = set(groups[model.holdout_.rows].tolist())
    assert len(model.holdout_.rows) == 10 * len(held_out)


def test_weights_are_repeated_rows():
    texts, y = reviews(30)
    weights = np.arange(30) % 3 + 1
    options = {"alpha": 1.0, "calibration": None, "analyzer": Analyzer(ngrams=(1, 1), idf=None)}
    weighted = TextRegressor(**options).fit(texts, y, weights)
    repeated = TextRegressor(**options).fit(np.repeat(texts, weights), np.repeat(y, weights))
    assert np.allclose(weighted.predict(texts), repeated.predict(texts), atol=1e-3)


def test_scikit_learn_s_manners(fitted):
    texts, y = reviews(60)
    assert is_regressor(fitted)
    assert clone(TextRegressor(alpha=2.0)).alpha == 2.0
    with pytest.raises(NotFittedError):
        TextRegressor().predict(texts)
    assert cross_val_score(TextRegressor(alpha=0.1, calibration=None), texts, y, cv=3).min() > 0.5
    search = GridSearchCV(TextRegressor(calibration=None), {"alpha": [0.1, 100.0]}, cv=2)
    assert search.fit(texts, y).best_params_ == {"alpha": 0.1}
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(texts).tobytes() == fitted.predict(texts).tobytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((["a", "b"], [1.0]), "2 texts and 1 numbers"), (([], []), "no texts to learn from"),
     ((["a", "b"], ["x", "y"]), "not numbers"), ((["a", "b"], [1.0, np.nan]), "NaN"),
     ((["a", "b"], [[1, 2], [3, 4]]), "2 columns")],
)  # fmt: skip
def test_refuses(arguments, said):
    with pytest.raises(InputError, match=said):
        TextRegressor().fit(*arguments)


def test_refuses_parameters():
    with pytest.raises(InputError, match="calibration is 'cv'"):
        TextRegressor(calibration="cv").fit(["a", "b"], [1.0, 2.0])
    with pytest.raises(InputError, match="loss is 'hinge'"):
        TextRegressor(loss="hinge").fit(["a", "b"], [1.0, 2.0])
    with pytest.raises(InputError, match="TextRegressor"):
        TextClassifier().fit(*reviews(60))


def test_a_file_has_the_same_regressor(fitted, tmp_path):
    path = tmp_path / "m.wordplane"
    fitted.save(path)
    again = wordplane.load(path)
    assert isinstance(again, TextRegressor) and again.alpha_ == fitted.alpha_
    texts, _ = reviews(20, seed=3)
    assert again.predict(texts).tobytes() == fitted.predict(texts).tobytes()
    assert again.predict_interval(texts).tobytes() == fitted.predict_interval(texts).tobytes()
    assert to_bytes(again.model_) == to_bytes(fitted.model_)
    with pytest.raises(InputError, match="predicts numbers"):
        load_classifier(path)


def parts(model):
    from wordplane.model.file import read_parts

    return read_parts(to_bytes(model))


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, meta: meta["calibration"].update(errors=[1.0, 0.0]),
        lambda arrays, meta: meta["calibration"].update(errors=[float("inf")]),
        lambda arrays, meta: meta["calibration"].update(errors=["0"]),
        lambda arrays, meta: meta["calibration"].update(errors=[0.0] * 1001),
        lambda arrays, meta: meta["calibration"].update(errors=[0.0, 10**400]),
        lambda arrays, meta: meta["calibration"].update(more=1),
        lambda arrays, meta: meta["calibration"]["errors"].pop(),
        lambda arrays, meta: meta.update(classes={"type": "integer", "values": [0, 1]}),
        lambda arrays, meta: meta.update(classes={"type": "number", "values": [1]}),
        lambda arrays, meta: meta.update(calibration=None),
        lambda arrays, meta: meta.update(kind="tree"),
        lambda arrays, meta: arrays.update(b=np.zeros(2)),
        lambda arrays, meta: arrays.update(b=arrays["b"] + 1),
    ],
)
def test_a_file_that_was_changed_is_refused(fitted, change):
    arrays, metadata = parts(fitted.model_)
    from_parts(dict(arrays), metadata)  # as it was written
    change(arrays, metadata)
    with pytest.raises(ModelFileError):
        from_parts(arrays, metadata)


def test_a_classifier_is_not_read_as_a_regressor(fitted):
    other = TextClassifier(learner="nb").fit(["good", "bad"], ["+", "-"])
    arrays, metadata = parts(other.model_)
    metadata["calibration"] = {"kind": "number", "errors": []}
    with pytest.raises(ModelFileError):
        from_parts(arrays, metadata)
    assert from_bytes(to_bytes(fitted.model_)).predicts_numbers


def test_shown_in_a_notebook(fitted):
    assert "a number" in fitted._repr_html_()
    assert "higher" in fitted._repr_html_()
