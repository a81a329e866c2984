"""Vectors beside texts."""

import json

import numpy as np
import pytest

from tests.model.model_files import tampered
from wordplane import Analyzer, TextClassifier, load, predict, read, train
from wordplane.common.errors import InputError, ModelFileError
from wordplane.learners.logistic import LogisticRegression
from wordplane.model.file import from_bytes, to_bytes

N = 80
RNG = np.random.default_rng(1)
Y = ["+", "-"] * (N // 2)
V = RNG.normal(size=(N, 3)) * [1, 10, 0.1] + np.where(np.array(Y) == "+", 2.0, 0.0)[:, None]
TEXTS = [" ".join(RNG.choice(["a b", "c", "d e", "f"], 3)) for _ in range(N)]
ROWS = {"text": TEXTS, "image": V}
ANALYZER = Analyzer(ngrams=(1, 1), columns={"image": "vector"})


def test_equals_scaled_columns_in_the_same_learner() -> None:
    from scipy.sparse import csr_array, hstack
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression as Theirs

    learner = LogisticRegression(C=1.0, tol=1e-10)
    ours = TextClassifier(ANALYZER, learner, calibration=None).fit(ROWS, Y)
    centered = V - V.mean(axis=0)
    scaled = centered / np.sqrt((centered**2).sum(axis=1).mean())
    assert (scaled**2).sum(axis=1).mean() == pytest.approx(1)
    words = CountVectorizer(token_pattern=r"\S+").fit_transform(TEXTS)
    X = hstack([words, csr_array(scaled)]).tocsr()
    theirs = Theirs(C=1.0, tol=1e-10, max_iter=10_000).fit(X, Y)
    expected = theirs.decision_function(X)
    np.testing.assert_allclose(ours.decision_function(ROWS), expected, atol=1e-4)
    assert np.abs(theirs.coef_[0, -3:]).max() > 0.1


def test_the_weight_of_the_group_multiplies_them() -> None:
    half = Analyzer(ngrams=(1, 1), columns={"image": "vector"}, weights={"vector": 0.5})
    one = TextClassifier(ANALYZER, "svm").fit(ROWS, Y).feature_matrix(ROWS).toarray()
    two = TextClassifier(half, "svm").fit(ROWS, Y).feature_matrix(ROWS).toarray()
    np.testing.assert_allclose(two[:, -3:], one[:, -3:] / 2, rtol=1e-6)
    np.testing.assert_allclose(two[:, :-3], one[:, :-3])


def test_an_explanation_has_one_line_for_a_vector() -> None:
    model = TextClassifier(ANALYZER, "svm").fit(ROWS, Y)
    one = {"text": TEXTS[:1], "image": V[:1]}
    found = model.explain(one)
    own = [c for c in found.contributions if c.feature.startswith("vector")]
    assert [(c.feature, c.start, c.end) for c in own] == [("vector:image", None, None)]
    assert found.values.sum() + found.bias == pytest.approx(found.score, abs=1e-9)


@pytest.mark.parametrize("learner", [None, "svm", "logistic"])
def test_a_model_file_gives_the_same(learner, tmp_path) -> None:
    model = train(ROWS, Y, learner=learner, vectors="image", text="text").model
    model.save(tmp_path / "m.wordplane")
    again = load(tmp_path / "m.wordplane")
    assert again.predict_proba(ROWS).tolist() == model.predict_proba(ROWS).tolist()
    assert again.model_.features.dense.dimensions == {"image": 3}


@pytest.mark.slow
def test_lists_matrix_file_and_frame_give_the_same_model(tmp_path) -> None:
    import polars as pl

    frame = pl.DataFrame({"text": TEXTS, "image": V.tolist(), "label": Y})
    frame.write_parquet(tmp_path / "d.parquet")
    frame.select("text", "label").write_csv(tmp_path / "d.csv")
    with (tmp_path / "d.jsonl").open("w") as file:
        for row in frame.to_dicts():
            file.write(json.dumps(row) + "\n")
    np.save(tmp_path / "v.npy", V)
    models = [
        train(tmp_path / "d.parquet", vectors="image").model,
        train(tmp_path / "d.jsonl", vectors="image").model,
        train(frame, vectors="image").model,
        train(tmp_path / "d.csv", vectors=str(tmp_path / "v.npy")).model,
        train(tmp_path / "d.csv", vectors=V).model,
        train(TEXTS, Y, vectors=V).model,
    ]
    expected = models[0].decision_function(read(tmp_path / "d.parquet", vectors="image"))
    for model in models:
        assert (model.model_.W == models[0].model_.W).all()
        answer = predict(model, tmp_path / "d.csv", vectors=V)
        assert answer["label"] == models[0].labels_of(expected).tolist()
        answer = predict(model, frame, vectors="image")
        assert predict(model, TEXTS, vectors=V) == answer.to_dict(as_series=False)


def test_missing_or_other_vectors_are_named(tmp_path) -> None:
    import polars as pl

    path = tmp_path / "d.csv"
    pl.DataFrame({"text": TEXTS, "label": Y}).write_csv(path)
    model = train(path, vectors=V).model
    with pytest.raises(InputError, match=r"no column 'vectors' of vectors .*with `vectors`"):
        predict(model, path)
    with pytest.raises(InputError, match="have 2 numbers, but the model was trained on vectors of"):
        predict(model, path, vectors=V[:, :2])
    with pytest.raises(InputError, match="has 79 rows, and there are more texts"):
        predict(model, path, vectors=V[1:])
    with pytest.raises(InputError, match="has 81 rows for 80 texts"):
        predict(model, path, vectors=np.vstack([V, V[:1]]))
    plain = train(path).model
    with pytest.raises(InputError, match="trained without any"):
        predict(plain, path, vectors=V)
    with pytest.raises(InputError, match="no row can be left out"):
        train(path, vectors=V, skip_unlabeled=True)


@pytest.mark.parametrize(
    "vectors",
    [
        {},
        {"image": 2},
        {"image": 4},
        {"image": 0},
        {"image": True},
        {"other": 3},
        [3],
        None,
        {"image": 10**30},
    ],
)
def test_damaged_dimensions_are_refused(vectors) -> None:
    model = TextClassifier(ANALYZER, "svm").fit(ROWS, Y)
    data = tampered(lambda _, metadata: metadata.update(vectors=vectors), to_bytes(model.model_))
    with pytest.raises(ModelFileError):
        from_bytes(data)


def test_two_columns_of_vectors_stay_apart() -> None:
    columns = {"image": "vector", "sound": "vector", "n": "number"}
    rows = {**ROWS, "sound": V[:, :2] * 7, "n": list(range(N))}
    model = TextClassifier(Analyzer(columns=columns), "svm").fit(rows, Y)
    again = from_bytes(to_bytes(model.model_))
    assert again.features.dense.dimensions == {"image": 3, "sound": 2}
    own = [name for name in again.features.dense.names if name.startswith("vector:sound")]
    assert own == ["vector:sound:0", "vector:sound:1"]
    X = model.feature_matrix(rows).toarray()
    for part in (X[:, -5:-2], X[:, -2:]):
        assert (part**2).sum(axis=1).mean() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("learner", ["nb", "complement"])
def test_naive_bayes_names_the_column_that_is_no_count(learner) -> None:
    with pytest.raises(InputError, match=r"learns from counts, and the column 'image' \(`vectors`"):
        train(ROWS, Y, learner=learner, vectors="image", text="text")
    rows = {"text": TEXTS, "n": V[:, 0].tolist(), "c": Y}
    with pytest.raises(InputError, match=r"the column 'n' \(`extra`\).*such as 'svm'"):
        train(rows, Y, learner=learner, extra={"n": "number"}, text="text")
    result = train(rows, Y, learner=learner, extra={"c": "category"}, text="text")
    assert result.scores is not None and result.scores.accuracy == 1
