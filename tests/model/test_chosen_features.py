"""Features chosen and combined by the labels of training texts: select, conjoin, idf="delta"."""

import json

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.feature_selection import chi2 as their_chi2

import wordplane
from tests.fitting import fitted_features
from tests.model.model_files import tampered
from wordplane import Analyzer, SelectFeatures, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.label_sets import as_label_sets
from wordplane.features.fold_counts import FoldCounts
from wordplane.features.scores import information_gain
from wordplane.features.text_features import fit_texts
from wordplane.features.weighting import Weighting
from wordplane.model.file import from_bytes, to_bytes
from wordplane.selection.cross_validation import out_of_fold
from wordplane.text.documents import as_documents


def drawn_texts(n=120, seed=0, n_classes=2):
    """Texts of words of their class, of all classes, and of rare words; no two scores alike."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    texts = []
    for k in y:
        own = [f"c{k}w{j}" for j in rng.geometric(0.2, 3)]
        common = [f"w{j}" for j in rng.geometric(0.1, 6)]
        texts.append(" ".join([*own, *common]))
    return texts, y


def names_of(features):
    return [features.name(j) for j in range(features.n_features)]


def all_features(texts, **params):
    features, X = fitted_features(Analyzer(ngrams=(1, 1), **params), as_documents(texts, {}), 1)
    indptr, indices, values = X.arrays()
    dense = np.zeros(X.shape)
    for i in range(len(texts)):
        dense[i, indices[indptr[i] : indptr[i + 1]]] = values[indptr[i] : indptr[i + 1]]
    return np.array(names_of(features), dtype=object), dense


def kept(texts, y, select, **params):
    analyzer = Analyzer(ngrams=(1, 1), select=select, **params)
    return names_of(fit_texts(analyzer, as_documents(texts, {}), 2, y).features())


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("short", "score"),
    [("ig", "information_gain"), ("chi2", "chi2"), ("df", "df"), ("tfidf", "corpus_tfidf")],
)
def test_selects_what_select_features_does(short, score, n_classes):
    texts, y = drawn_texts(n_classes=n_classes)
    names, X = all_features(texts)
    for m in (1, 7, 25):
        support = SelectFeatures(score, m=m).fit(X, y).get_support()
        assert kept(texts, y, f"{short}:{m}") == names[support].tolist()
    assert kept(texts, y, f"{short}:100000") == names.tolist()


def test_chi2_keeps_what_scikit_learn_keeps():
    texts, y = drawn_texts()
    names, X = all_features(texts)
    scores = their_chi2(X, y)[0]
    assert len(set(np.sort(scores)[-11:].round(12))) == 11  # no ties
    support = SelectKBest(their_chi2, k=10).fit(X, y).get_support()
    assert kept(texts, y, "chi2:10") == names[support].tolist()


def test_of_label_sets_the_best_label_counts():
    texts, y = drawn_texts(n_classes=3)
    sets = as_label_sets([[f"l{k}", "also"] if k else ["also"] for k in y.tolist()])
    names, X = all_features(texts)
    gain = np.max([information_gain(X, member) for member in sets.member.T], axis=0)
    best = set(names[np.argsort(-gain, kind="stable")[:5]])
    assert set(kept(texts, sets, "ig:5")) == best
    model = TextClassifier(Analyzer(select="ig:50"), "svm").fit(texts, sets)
    assert model.n_features == 50


def test_groups_compete():
    texts, y = drawn_texts()
    names = kept(texts, y, "ig:6", prefixes=[2], shapes=True)
    assert {"prefix:c0", "prefix:c1", "c0w1", "c1w1"} <= set(names)
    assert len(names) == 6


@pytest.mark.parametrize(
    "params",
    [
        {"select": "ig:9"},
        {"select": "chi2:9", "suffixes": [2], "norm": "l2", "idf": "smooth"},
        {"idf": "delta"},
        {"conjoin": 12, "norm": "l2", "weights": {"and": 0.5}},
        {"select": "ig:20", "conjoin": 8, "idf": "delta", "norm": "l1"},
    ],
)
def test_folds_equal_a_fit_on_their_rows_alone(params):
    texts, y = drawn_texts(90, seed=3)
    analyzer = Analyzer(ngrams=(1, 1), **params)
    train, held = np.arange(0, 90, 2), np.arange(1, 90, 2)
    counted = FoldCounts.of(analyzer, as_documents(texts, {}), 1, y)
    fold = counted.fit(analyzer, train, 1)
    alone = fit_texts(analyzer, as_documents([texts[i] for i in train], {}), 1, y[train])
    features = alone.features()

    def sums(X, name):
        indptr, indices, values = X.arrays()
        rows = np.repeat(np.arange(X.shape[0]), np.diff(indptr))
        found = {}
        for row, j, value in zip(rows.tolist(), indices.tolist(), values.tolist(), strict=True):
            parts = sorted(name(j).removeprefix("and:").split("&"))  # either may come first
            found[row, "&".join(parts)] = value
        return found

    assert fold.n_features == features.n_features
    if "select" not in params:  # of equally good features, the first: the order may differ
        other = features.transform(as_documents([texts[i] for i in held], {}), 1)
        assert sums(fold.matrix(held, 1), fold.name) == pytest.approx(sums(other, features.name))
        assert sums(fold.matrix(train, 1), fold.name) == pytest.approx(sums(alone.X, features.name))


def test_a_word_of_held_out_rows_is_not_selected():
    """`planted` would be the best word of all, but only of rows that are held out."""
    texts, y = drawn_texts(80)
    held = np.flatnonzero(y == 1)[:10]
    for row in held:
        texts[row] += " planted"
    analyzer = Analyzer(ngrams=(1, 1), select="ig:3", conjoin=3)
    counted = FoldCounts.of(analyzer, as_documents(texts, {}), 1, y)
    fold = counted.fit(analyzer, np.setdiff1d(np.arange(80), held), 1)
    assert not any("planted" in fold.name(j) for j in range(fold.n_features))


def test_delta_idf_equals_weighting_and_the_formula():
    texts, y = drawn_texts()
    names, X = all_features(texts)
    features = fit_texts(
        Analyzer(ngrams=(1, 1), idf="delta"), as_documents(texts, {}), 1, y
    ).features()
    assert names_of(features) == names.tolist()
    assert features.idf == pytest.approx(Weighting(idf="delta").fit(X, y).idf_)
    df = [(X[y == k] > 0).sum(axis=0) for k in (0, 1)]
    n = [(y == k).sum() for k in (0, 1)]
    formula = np.log((1 + n[1]) / (1 + df[1])) - np.log((1 + n[0]) / (1 + df[0]))
    assert features.idf == pytest.approx(formula)
    three = drawn_texts(n_classes=3)
    with pytest.raises(InputError, match="needs two classes, there are 3"):
        TextClassifier(Analyzer(idf="delta"), "svm").fit(*three)
    with pytest.raises(InputError, match="needs one label per text"):
        fit_texts(Analyzer(idf="delta"), as_documents(texts, {}), 1)


def test_pairs_worked_by_hand():
    texts = ["not good", "good not", "good", "not", "not bad good", "bad", "good"]
    y = np.array([0, 0, 1, 1, 0, 1, 1])
    analyzer = Analyzer(ngrams=(1, 1), conjoin=3, weights={"and": 0.5})
    features = fit_texts(analyzer, as_documents(texts, {}), 1, y).features()
    # not and good are together in three texts; bad is with either in one only.
    assert names_of(features) == ["good", "not", "bad", "and:good&not"]
    X = features.transform(as_documents(["good good not", "bad not"], {}), 1)
    assert [part.tolist() for part in X.arrays()] == [[0, 3, 5], [0, 1, 3, 1, 2], [2, 1, 0.5, 1, 1]]


def test_exclusive_or_needs_conjunctions():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 200))
    texts = [f"a{i} filler b{j}" for i, j in zip(a, b, strict=True)]
    y = (a ^ b).tolist()
    for learner in ("svm", "logistic", "perceptron", None):
        plain = TextClassifier(Analyzer(ngrams=(1, 1)), learner, calibration=None)
        paired = TextClassifier(Analyzer(ngrams=(1, 1), conjoin=4), learner, calibration=None)
        assert plain.fit(texts, y).score(texts, y) < 0.7
        assert paired.fit(texts, y).score(texts, y) == 1.0


ALL = {"select": "ig:30", "conjoin": 10, "suffixes": [2], "norm": "l2", "tf": "binary"}


@pytest.fixture(scope="module")
def model():
    texts, y = drawn_texts(200)
    return TextClassifier(Analyzer(ngrams=(1, 1), **ALL), "svm").fit(texts, y)


def test_a_saved_model_gives_the_same(model, tmp_path):
    texts, _ = drawn_texts(40, seed=9)
    z = model.decision_function(texts)
    model.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    assert np.array_equal(loaded.decision_function(texts), z)
    assert [loaded.decision_function([text])[0] for text in texts] == z.tolist()
    assert loaded.model_.features.analyzer.to_dict() == model.analyzer.to_dict()
    assert loaded.model_.features.n_counted == 30
    matrix = loaded.feature_matrix(texts)
    assert matrix.shape == (40, loaded.n_features)
    dense = matrix @ model.model_.W[:, 0].astype(np.float64) + model.model_.b[0]
    assert dense == pytest.approx(z, abs=1e-5)


def test_conjunctions_are_explained_and_exported(model):
    texts, _ = drawn_texts(40, seed=9)
    paired = next(text for text in texts if model.feature_matrix([text])[:, [-1]].nnz)
    explained = model.explain(paired)
    assert explained.bias + explained.values.sum() == pytest.approx(explained.score)
    places = {c.feature: c.start for c in explained.contributions}
    assert any(name.startswith("and:") for name in places)
    assert all(start is None for name, start in places.items() if name.startswith("and:"))
    document = json.loads("\n".join(model.to_json()))
    last = document["features"][-1]
    a, b = (document["features"][j]["name"] for j in last["pair"])
    assert last["name"] == f"and:{a}&{b}"
    assert document["analyzer"]["conjoin"] == 10
    with pytest.raises(InputError, match="no equal of 'and:"):
        model.to_sklearn()
    model.flip(paired)
    assert model.nearest(paired, texts, n=1)[0].row == texts.index(paired)


def test_selected_features_can_be_exported_to_scikit_learn():
    texts, y = drawn_texts()
    model = TextClassifier(Analyzer(ngrams=(1, 1), select="chi2:15"), "logistic").fit(texts, y)
    assert model.to_sklearn().predict_proba(texts) == pytest.approx(model.predict_proba(texts))


def test_training_goes_on_with_the_same_features(tmp_path):
    texts, y = drawn_texts()
    analyzer = Analyzer(ngrams=(1, 1), select="ig:20", conjoin=6)
    model = TextClassifier(analyzer, "nb", calibration=None).fit(texts[:80], y[:80])
    model.save(tmp_path / "m.wordplane", resumable=True)
    resumed = wordplane.load(tmp_path / "m.wordplane")
    resumed.calibration = None
    names = names_of(resumed.model_.features)
    resumed.partial_fit(texts[80:], y[80:])
    assert names_of(resumed.model_.features) == names
    counts = resumed.feature_matrix(texts)
    by_hand = wordplane.MultinomialNB().fit(counts, y)
    assert resumed.decision_function(texts) == pytest.approx(
        by_hand.decision_function(counts), abs=1e-5
    )


def test_cross_validation_selects_in_each_fold():
    """With random labels, words selected on all rows would look predictive."""
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{j}" for j in rng.integers(0, 3000, 30)) for _ in range(200)]
    y = rng.integers(0, 2, 200)
    analyzer = Analyzer(ngrams=(1, 1), select="ig:50")
    done = out_of_fold(analyzer, wordplane.MultinomialNB(), as_documents(texts, {}), y, threads=2)
    assert 0.35 < (done.predicted == y).mean() < 0.62
    names, X = all_features(texts)
    leaked = SelectFeatures(m=50).fit(X, y).get_support()
    seen = out_of_fold(
        Analyzer(ngrams=(1, 1)),
        wordplane.MultinomialNB(),
        as_documents([" ".join(names[leaked & (row > 0)]) or "none" for row in X], {}),
        y,
        threads=2,
    )
    assert (seen.predicted == y).mean() > 0.75


@pytest.mark.parametrize(
    "pairs",
    [[[0, 0]], [[1, 0]], [[0, 1], [0, 1]], [[0, 10**6]], [[-1, 1]], [[0, 2], [0, 1]], [[0, 1, 2]]],
)
def test_wrong_pairs_in_a_file_are_refused(pairs):
    texts, y = drawn_texts()
    analyzer = Analyzer(ngrams=(1, 1), conjoin=5)
    data = to_bytes(TextClassifier(analyzer, "nb").fit(texts, y).model_)
    assert from_bytes(data)
    with pytest.raises(ModelFileError):
        from_bytes(tampered(lambda arrays, _: arrays.update(pairs=np.array(pairs)), data))


@pytest.mark.parametrize(
    ("params", "message"),
    [({"select": "ig"}, "`select` is 'ig', expected a score and a number such as 'ig:1000'"),
     ({"select": "gini:10"}, "the scores are ig, chi2, tfidf, df"), ({"select": "ig:0"}, "ig:0"),
     ({"conjoin": 1}, "`conjoin` is 1"), ({"conjoin": 2.5}, "`conjoin` is 2.5")],
)  # fmt: skip
def test_wrong_parameters(params, message):
    with pytest.raises(InputError, match=message):
        Analyzer(**params).resolve()


def test_from_the_command_line(tmp_path, capsys):
    texts, y = drawn_texts(150)
    data, path = tmp_path / "d.csv", tmp_path / "m.wordplane"
    rows = "\n".join(f"{text},{'ab'[k]}" for text, k in zip(texts, y, strict=True))
    data.write_text(f"text,label\n{rows}\n")
    options = ["--select", "ig:40", "--conjoin", "5", "--ngrams", "1,1", "--learner", "logistic"]
    assert main(["train", str(data), "-o", str(path), *options]) == 0
    assert "--select" not in capsys.readouterr().err
    found = wordplane.load(path)
    assert found.model_.features.n_counted == 40
    assert found.n_features > 40
    assert main(["inspect", str(path)]) == 0
    assert main(["explain", str(path), texts[0]]) == 0
    assert main(["evaluate", str(path), str(data), "--rows", "all"]) == 0
    assert main(["tune", str(data), "--select", "ig:40", "--ngrams", "1,1", "--learner", "nb",
                 "-o", str(tmp_path / "t.wordplane")]) == 0  # fmt: skip
    assert main(["train", str(data), "-o", str(path), "--force", "--select", "ig"]) == 2
    assert "--select is 'ig'" in capsys.readouterr().err
