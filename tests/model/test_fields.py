"""Fields: columns of text that are feature spaces of their own.

Tests of wordplane.model.stored_groups and wordplane.model.json_document.
"""

import json
from itertools import pairwise

import numpy as np
import pytest

from tests.model.model_files import tampered
from wordplane import Analyzer, TextClassifier, load
from wordplane.common.errors import InputError, ModelFileError
from wordplane.learners.logistic import LogisticRegression
from wordplane.model.file import from_bytes, to_bytes
from wordplane.text.documents import as_documents
from wordplane.text.fields import MAX_FIELDS

FIELDS = {"title": 2.0, "body": 1.0}


@pytest.fixture(scope="module")
def rows() -> dict[str, list[str]]:
    """Titles and bodies of the same words."""
    rng = np.random.default_rng(0)
    words = np.array("good bad film plot slow great dull fun a the".split())

    def texts(longest: int) -> list[str]:
        return [" ".join(rng.choice(words, rng.integers(0, longest))) for _ in range(120)]

    return {"title": texts(4), "body": texts(12)}


@pytest.fixture(scope="module")
def y(rows: dict[str, list[str]]) -> list[str]:
    """What the title says; the body says the opposite as often as not."""
    return ["+" if "good" in t or "fun" in t else "-" for t in rows["title"]]


def first(rows: dict[str, list[str]], n: int) -> dict[str, list[str]]:
    return {name: texts[:n] for name, texts in rows.items()}


def test_equals_a_column_transformer_of_scikit_learn(rows, y) -> None:
    import polars as pl
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression as Theirs
    from sklearn.pipeline import Pipeline

    tfidf = {"token_pattern": r"\S+", "ngram_range": (1, 2)}
    theirs = Pipeline(
        [
            (
                "features",
                ColumnTransformer(
                    [(name, TfidfVectorizer(**tfidf), name) for name in FIELDS],
                    transformer_weights=FIELDS,
                ),
            ),
            ("learner", Theirs(C=1.0, tol=1e-10, max_iter=10_000)),
        ]
    ).fit(pl.DataFrame(rows), y)
    analyzer = Analyzer(tokens="whitespace", idf="smooth", norm="l2", fields=FIELDS)
    learner = LogisticRegression(C=1.0, tol=1e-10)
    ours = TextClassifier(analyzer, learner, calibration=None).fit(rows, y)
    expected = theirs.decision_function(pl.DataFrame(rows))
    np.testing.assert_allclose(ours.decision_function(rows), expected, atol=2e-5)
    assert np.abs(expected).max() > 1
    names = {ours.model_.features.name(j) for j in range(ours.n_features)}
    own = theirs["features"].get_feature_names_out()
    assert names == {name.replace("__", ":", 1) for name in own}


def test_a_word_is_another_feature_in_each_field(rows, y) -> None:
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "svm", fields=["title", "body"]).fit(rows, y)
    in_title = model.decision_function({"title": ["good"], "body": [""]})
    in_body = model.decision_function({"title": [""], "body": ["good"]})
    assert abs(in_title[0] - in_body[0]) > 0.1


def test_ngrams_never_cross_from_one_field_into_another() -> None:
    rows = {"a": ["x y", "z"] * 4, "b": ["v w", "u"] * 4}
    analyzer = Analyzer(ngrams=(1, 3), chars=(2, 4), chars_across=True, fields=["a", "b"])
    model = TextClassifier(analyzer, "svm", calibration=None).fit(rows, [0, 1] * 4)
    names = [model.model_.features.name(j) for j in range(model.n_features)]
    assert {"a:x y", "b:v w", "a:char:x y"} <= set(names)
    assert not any("y" in name and "v" in name.partition(":")[2] for name in names)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"chars": (2, 3), "suffixes": [2], "shapes": True, "norm": "l2", "idf": "smooth"},
        {"conjoin": 5, "weights": {"word": 0.5}},
        {"select": "ig:20", "tf": "log1p"},
        {"ngrams": None, "chars": (1, 2), "chars_across": True},
        {"lexica": {"mood": {"good": 1.0, "bad": -1.0}}},
    ],
)
def test_scorer_matrix_and_explanation_agree(rows, y, parameters) -> None:
    model = TextClassifier(Analyzer(**parameters), "svm", fields=FIELDS, calibration=None)
    model.fit(rows, y)
    X = model.feature_matrix(rows)
    z = model.decision_function(rows)
    np.testing.assert_allclose(X @ model.model_.W[:, 0] + model.model_.b[0], z, atol=1e-5)
    for row in range(5):
        one = {name: texts[row : row + 1] for name, texts in rows.items()}
        found = model.explain(one, "+")
        assert found.values.sum() + found.bias == pytest.approx(z[row] * -1, abs=1e-9)
        assert found.text == f"{one['title'][0]}\n{one['body'][0]}"


def test_explanations_name_the_field_and_the_place(rows, y) -> None:
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb", fields=["title", "body"]).fit(rows, y)
    found = model.explain({"title": ["good"], "body": ["a good film"]})
    places = {(c.feature, found.text[c.start : c.end]) for c in found.contributions}
    assert places == {
        ("title:good", "good"),
        ("body:a", "a"),
        ("body:good", "good"),
        ("body:film", "film"),
    }
    starts = {c.feature: c.start for c in found.contributions}
    assert starts["title:good"] == 0
    assert starts["body:good"] == 7


def test_weights_multiply_the_values_of_a_field(rows, y) -> None:
    plain = TextClassifier(Analyzer(), "svm", fields=["title", "body"]).fit(rows, y)
    heavy = TextClassifier(Analyzer(), "svm", fields={"title": 3, "body": 1}).fit(rows, y)
    once, thrice = plain.feature_matrix(rows), heavy.feature_matrix(rows)
    n_title = next(start for name, start in plain.model_.features.groups if name == "field1.word")
    np.testing.assert_allclose(thrice[:, :n_title].toarray(), 3 * once[:, :n_title].toarray())
    np.testing.assert_allclose(thrice[:, n_title:].toarray(), once[:, n_title:].toarray())


@pytest.mark.parametrize("learner", [None, "nb", "svm", "logistic", "bernoulli", "perceptron"])
def test_a_model_file_gives_the_same(rows, y, learner, tmp_path) -> None:
    model = TextClassifier(learner=learner, fields=FIELDS).fit(rows, y)
    model.save(tmp_path / "m.wordplane")
    again = load(tmp_path / "m.wordplane")
    assert again.predict_proba(rows).tolist() == model.predict_proba(rows).tolist()
    one = first(rows, 1)
    assert again.explain(one) == model.explain(one)
    assert again.knowledge(rows).known.tolist() == model.knowledge(rows).known.tolist()
    assert again.flip(one) == model.flip(one)
    assert list(again.model_.features.spec.columns.fields) == ["title", "body"]


def test_flip_takes_words_out_of_their_fields(rows, y) -> None:
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb", fields=["title", "body"]).fit(rows, y)
    flip = model.flip({"title": ["good fun"], "body": ["a film"]})
    title, body = flip.text.split("\n")
    assert flip.label == "-"
    assert model.predict({"title": [title], "body": [body]}).tolist() == ["-"]


def test_trained_further_is_naive_bayes_of_all_texts(rows, y) -> None:
    half = first(rows, 60)
    rest = {name: texts[60:] for name, texts in rows.items()}
    analyzer = Analyzer(fields=["title", "body"])
    whole = TextClassifier(analyzer, "nb", calibration=None).fit(rows, y)
    grown = TextClassifier(analyzer, "nb", calibration=None).fit(half, y[:60])
    grown.partial_fit(rest, y[60:])
    np.testing.assert_allclose(
        grown.decision_function(rows), whole.decision_function(rows), atol=1e-4
    )


def test_folds_see_the_same_features(rows, y) -> None:
    from wordplane.features.fold_counts import FoldCounts
    from wordplane.features.text_features import fit_texts

    analyzer = Analyzer(fields=FIELDS, chars=(2, 3), idf="smooth", norm="l2", min_df=2)
    documents = as_documents(rows, analyzer.resolve().columns.kinds)
    part = np.arange(0, 120, 2)
    fold = FoldCounts.of(analyzer, documents, 1).fit(analyzer, part, 1)
    alone = fit_texts(analyzer, documents.take(part), 1)
    assert fold.n_features == alone.X.shape[1]
    names = [fold.name(j) for j in range(fold.n_features)]
    features = alone.features()
    order = [names.index(features.name(j)) for j in range(fold.n_features)]
    one, two = fold.matrix(part, 1).arrays(), alone.X.arrays()

    def dense(arrays):
        X = np.zeros((len(part), fold.n_features))
        for row, (begin, end) in enumerate(pairwise(arrays[0].tolist())):
            X[row, arrays[1][begin:end]] = arrays[2][begin:end]
        return X

    np.testing.assert_allclose(dense(one)[:, order], dense(two))


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        ({"fields": {"title": 2.0}}, "the arrays"),
        ({"fields": {"title": 2.0, "body": 1.0, "more": 1.0}}, "the arrays"),
        ({"fields": {"title": -2.0, "body": 1.0}}, "expected above 0"),
        ({"fields": {"title": "2", "body": 1.0}}, "expected a finite number"),
        ({"fields": 7}, "expected names of columns"),
        ({"fields": ["title", "title"]}, "twice"),
        ({"fields": {"title": 5.0, "body": 1.0}}, "golden"),
        ({"tf": "relative"}, "is for one text"),
        ({"columns": {"title": "number"}}, "expected once"),
        ({"fields": {str(i): 1.0 for i in range(MAX_FIELDS + 1)}}, "expected at most"),
    ],
)
def test_damaged_fields_are_refused(rows, y, damage, why) -> None:
    model = TextClassifier(Analyzer(idf="smooth", norm="l2"), "svm", fields=FIELDS).fit(rows, y)
    data = tampered(lambda _, metadata: metadata["analyzer"].update(damage), to_bytes(model.model_))
    with pytest.raises(ModelFileError, match=why):
        from_bytes(data)


@pytest.mark.parametrize(
    "groups",
    [
        [["word", 0], ["field1.word", 5]],
        [["field0.word", 0], ["field7.word", 5]],
        [["field0.nothing", 0], ["field1.word", 5]],
        [["field1.word", 0], ["field0.word", 5]],
        [["field0.word", 0]],
        [["field0.word", 0], ["field1.word", 0]],
        [["field0.word", 0], ["field1.word", 10**6]],
        [["field0.word", 0], ["field0.char", 5], ["field1.word", 3]],
        [[0, 0], [1, 5]],
        [],
    ],
)
def test_damaged_groups_are_refused(rows, y, groups) -> None:
    model = TextClassifier(Analyzer(idf="smooth", norm="l2"), "svm", fields=FIELDS).fit(rows, y)
    data = tampered(lambda _, metadata: metadata.update(groups=groups), to_bytes(model.model_))
    with pytest.raises(ModelFileError):
        from_bytes(data)


def test_what_does_not_go_together_is_refused(rows, y) -> None:
    with pytest.raises(InputError, match="`hash_bits` cannot keep `fields` apart"):
        TextClassifier(Analyzer(hash_bits=8), "svm", fields=FIELDS).fit(rows, y)
    with pytest.raises(InputError, match="leave out either"):
        TextClassifier(Analyzer(fields=["title"]), "svm", fields=FIELDS).fit(rows, y)
    with pytest.raises(InputError, match="must be a frame or a mapping that has them, not list"):
        TextClassifier(fields=FIELDS).fit(rows["title"], y)
    with pytest.raises(InputError, match="no column 'body'"):
        TextClassifier(fields=FIELDS).fit({"title": rows["title"]}, y)
    with pytest.raises(InputError, match="different numbers of texts: 'title' 120, 'body' 119"):
        TextClassifier(fields=FIELDS).fit({**rows, "body": rows["body"][1:]}, y)
    model = TextClassifier(learner="svm", fields=FIELDS).fit(rows, y)
    with pytest.raises(InputError, match="fields"):
        model.to_sklearn()


def test_an_analyzer_with_fields_is_described(rows) -> None:
    analyzer = Analyzer(fields=FIELDS)
    assert Analyzer.from_dict(json.loads(json.dumps(analyzer.to_dict()))).fields == FIELDS
    assert "fields" not in Analyzer().to_dict()
