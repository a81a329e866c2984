"""Training further: `partial_fit` of texts, models that keep what it needs, `update`."""

import json
from pathlib import Path

import numpy as np
import pytest

import wordplane
from tests.corpora import clean_texts
from tests.fitting import fitted_features
from wordplane import (
    MIRA,
    Analyzer,
    MultinomialNB,
    OnlineLogistic,
    OnlineSVM,
    Perceptron,
    TextClassifier,
)
from wordplane.cli import main
from wordplane.common.errors import InputError, ModelFileError
from wordplane.learners.registry import learner_named
from wordplane.learners.resuming import resumable_names, resume
from wordplane.model.file import from_bytes, to_bytes
from wordplane.text.documents import as_documents

A, LABELS_A = clean_texts(60)
B, LABELS_B = (list(reversed(part)) for part in clean_texts(50))
THREE = ["x", "y", "z"]
ONCE = {"max_iter": 1, "shuffle": False}  # then fit is partial_fit
LEARNERS = [
    MultinomialNB(alpha=0.5),
    learner_named("bernoulli"),
    learner_named("complement"),
    Perceptron(**ONCE),
    Perceptron(averaged=False, **ONCE),
    MIRA(C=0.1, loss="squared_hinge", cost=[[0.0, 2.0], [1.0, 0.0]], **ONCE),
    OnlineSVM(**ONCE),
    OnlineSVM(alpha=0.01, project=True, averaged=False, **ONCE),
    OnlineLogistic(alpha=0.01, **ONCE),
]


def by_hand(analyzer, learner, labels_a, labels_b):
    """partial_fit on A, then on B, on the features of A."""
    features, X = fitted_features(analyzer, as_documents(A, {}), 1)
    model = type(learner)(**learner.get_params(deep=False))
    model.partial_fit(X, labels_a, classes=sorted(set(labels_a)))
    return model.partial_fit(features.transform(as_documents(B, {}), 1), labels_b)


# Costs are given of two classes only.
@pytest.mark.parametrize(
    ("learner", "n_classes"),
    [(one, n) for one in LEARNERS for n in (2, 3) if n == 2 or not getattr(one, "cost", None)],
    ids=repr,
)
def test_a_then_b_equals_partial_fit_on_a_then_b(learner, n_classes, tmp_path):
    labels_a, labels_b = LABELS_A, LABELS_B
    if n_classes == 3:
        labels_a = [THREE[i % 3] for i in range(60)]
        labels_b = [THREE[i % 3] for i in range(50)]
    model = TextClassifier(None, learner, calibration=None).fit(A, labels_a)
    analyzer = model.model_.features.analyzer
    expected = by_hand(analyzer, learner, labels_a, labels_b)
    model.save(tmp_path / "a", resumable=True)
    for goes_on in (model, wordplane.load(tmp_path / "a")):
        goes_on.calibration = None
        goes_on.partial_fit(B, labels_b)
        # B is learned in parts, between which lazy penalties are settled.
        assert np.allclose(goes_on.model_.W.T, expected.coef_, rtol=1e-6, atol=1e-8)
        assert np.allclose(goes_on.model_.b, expected.intercept_, rtol=1e-9)
        assert goes_on.training_.n_docs == 110
    goes_on.save(tmp_path / "b", resumable=True)  # and once more
    third = wordplane.load(tmp_path / "b")
    third.calibration = None
    third.partial_fit(A, labels_a)
    assert third.training_.n_docs == 170


def test_naive_bayes_on_parts_is_naive_bayes_on_all():
    analyzer = Analyzer(ngrams=(1, 1))
    whole = TextClassifier(analyzer, "nb", calibration=None).fit(A + A, LABELS_A + LABELS_A)
    parts = TextClassifier(analyzer, "nb", calibration=None).fit(A, LABELS_A)
    parts.partial_fit(A, LABELS_A)
    assert pytest.approx(whole.model_.W, abs=1e-6) == parts.model_.W
    assert parts.n_unseen_features_ == 0


def test_unseen_features_are_counted_and_added_unless_they_were_selected():
    texts, labels = ["good film", "bad film"], ["+", "-"]
    for analyzer, n_features in ((Analyzer(ngrams=(1, 1)), 5),
                                 (Analyzer(ngrams=(1, 1), max_features=3), 3)):  # fmt: skip
        model = TextClassifier(analyzer, "nb").fit(texts, labels)
        model.partial_fit(["good new words", "words"], ["+", "+"])
        assert model.n_unseen_features_ == 2
        assert model.n_features == n_features


def test_going_on_leaves_the_hold_out_out():
    model = TextClassifier(learner="perceptron").fit(A, LABELS_A)
    model.partial_fit(B, LABELS_B)
    assert len(model.holdout_.rows) == 5
    assert len(model.holdout_.predicted) == 5


def test_a_file_grows_only_if_asked(tmp_path):
    model = TextClassifier(learner="mira").fit(A, LABELS_A)
    model.save(tmp_path / "small")
    model.save(tmp_path / "large", resumable=True)
    assert (tmp_path / "large").stat().st_size > (tmp_path / "small").stat().st_size
    assert not wordplane.load(tmp_path / "small").is_resumable
    assert wordplane.load(tmp_path / "large").is_resumable
    with pytest.raises(InputError, match="saved as resumable"):
        wordplane.load(tmp_path / "small").partial_fit(B, LABELS_B)


def test_refusals(tmp_path):
    svm = TextClassifier(learner="svm").fit(A, LABELS_A)
    with pytest.raises(InputError, match="one of nb, bernoulli, complement, perceptron, mira"):
        svm.partial_fit(B, LABELS_B)
    with pytest.raises(InputError, match="cannot be trained further; these can: nb, bernoulli"):
        svm.save(tmp_path / "m", resumable=True)
    model = TextClassifier(learner="nb").fit(A, LABELS_A)
    with pytest.raises(InputError, match="the labels are of the type int, those of the model str"):
        model.partial_fit(B, [1] * len(B))
    with pytest.raises(InputError, match=r"`forget` is 1\.5"):
        model.partial_fit(B, LABELS_B, forget=1.5)
    with pytest.raises(InputError, match="50 texts and 1 labels"):
        model.partial_fit(B, LABELS_B[:1])
    with pytest.raises(InputError, match="expected one label per row"):
        model.partial_fit(B, [["a"]] * len(B))
    weighed = TextClassifier(learner=Perceptron(class_weight={1: 2.0, 2: 1.0}))
    weighed.fit(A, [1, 2] * 30)
    with pytest.raises(InputError, match="cannot be kept in a file"):
        weighed.save(tmp_path / "m", resumable=True)
    sets = TextClassifier(learner="nb").fit(A, [[label] for label in LABELS_A])
    with pytest.raises(InputError, match="row 0 has the labels 'pos', expected a list"):
        sets.partial_fit(B, LABELS_B)


def test_a_broken_state_is_refused():
    model = TextClassifier(learner="perceptron").fit(A, LABELS_A).model_
    n_features, good = model.features.n_features, model.learner.get_state()
    perceptron = {"name": "perceptron", "params": {}}
    back = resume(perceptron, good, model.classes, n_features)
    assert np.array_equal(back._w, model.learner._w)
    counts = {"class_count_": np.ones(2), "feature_count_": np.ones((2, n_features))}
    nb = resume(
        {"name": "nb", "params": {"alpha": "auto"}},
        {**counts, "alpha_": np.array([0.1])},
        model.classes,
        n_features,
    )
    assert nb.alpha == "auto" and nb.alpha_ == 0.1
    for described, arrays in [
        ({"name": "svm", "params": {}}, good),
        ({"name": ["nb"], "params": {}}, good),
        ({"name": "perceptron", "params": {"x": 1}}, good),
        ({"name": "mira", "params": {"C__x": 1}}, good),
        ({"name": "mira", "params": {"C": "x"}}, good),
        ({"name": "mira", "params": {"cost": "x"}}, good),
        ({"name": "perceptron"}, good),
        (None, good),
        (perceptron, {}),
        (perceptron, {**good, "_w": good["_w"][1:]}),
        (perceptron, {**good, "_w": good["_w"] * np.nan}),
        (perceptron, {**good, "coef_": good["_w"]}),
        ({"name": "nb", "params": {}}, good),
        ({"name": "nb", "params": {}}, {}),
        ({"name": "nb", "params": {}}, {**counts, "alpha_": np.array([-1.0])}),
    ]:
        with pytest.raises(InputError):
            resume(described, arrays, model.classes, n_features)
    data = to_bytes(model, resumable=True)
    model.learner._u = model.learner._u[:-1]
    with pytest.raises(ModelFileError, match="another shape"):
        from_bytes(to_bytes(model, resumable=True))
    assert from_bytes(data).learner._step == 60 * model.learner.n_iter_


@pytest.mark.parametrize("alpha", [1.0, "auto", "loo"])
def test_naive_bayes_keeps_its_alpha(alpha, tmp_path):
    model = TextClassifier(learner=MultinomialNB(alpha=alpha)).fit(A, LABELS_A)
    model.save(tmp_path / "m", resumable=True)
    back = wordplane.load(tmp_path / "m")
    assert back.model_.learner.alpha == alpha
    assert back.model_.learner.alpha_ == model.model_.learner.alpha_
    again = back.partial_fit(B, LABELS_B).model_.learner
    assert again.alpha_ == model.model_.learner.alpha_


def test_every_name_that_is_told_works():
    for name in resumable_names():
        assert TextClassifier(learner=name).fit(A, LABELS_A).is_resumable


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, texts, labels in (("a", A, LABELS_A), ("b", B, LABELS_B)):
        rows = "".join(f"{label}\t{text}\n" for text, label in zip(texts, labels, strict=True))
        (tmp_path / f"{name}.tsv").write_text("label\ttext\n" + rows)
    return tmp_path


def test_cli(files, capsys):
    once = ["--param", "max_iter=1", "--param", "shuffle=False"]
    command = ["train", "a.tsv", "--learner", "perceptron", "--resumable", "-o", "m.wordplane"]
    assert main([*command, *once]) == 0
    assert main(["update", "m.wordplane", "b.tsv", "-o", "n.wordplane"]) == 0
    out = capsys.readouterr().out
    assert "held out, by a model that was trained further on the other 45" in out
    assert "new       0 features that the model did not have" in out
    model = wordplane.load("n.wordplane")
    expected = by_hand(model.analyzer, Perceptron(**ONCE), LABELS_A, LABELS_B)
    assert np.array_equal(model.model_.W.T, expected.coef_.astype(np.float32))
    assert model.is_resumable
    more = ["update", "n.wordplane", "a.tsv", "-o", "n.wordplane", "--force", "--json"]
    assert main([*more, "--no-test"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["n_unseen_features"] == 0
    assert result["tested_on"] == "not tested"
    assert wordplane.load("n.wordplane").training_.n_docs == 170


def test_cli_refusals(files, capsys):
    assert main(["train", "a.tsv", "-o", "m.wordplane"]) == 0
    assert main(["update", "m.wordplane", "b.tsv", "-o", "n.wordplane"]) == 2
    err = capsys.readouterr().err
    assert "m.wordplane cannot be trained further: train it as resumable with one of" in err
    assert "perceptron" in err
    assert main(["train", "a.tsv", "--resumable", "-o", "n.wordplane"]) == 2
    assert "these can: nb" in capsys.readouterr().err
    assert not Path("n.wordplane").exists()
    assert main(["train", "a.tsv", "--learner", "nb", "--resumable", "-o", "nb.wordplane"]) == 0
    Path("sets.jsonl").write_text('{"text": "a", "label": ["x", "y"]}')
    assert main(["update", "nb.wordplane", "sets.jsonl"]) == 2
    assert "several labels per text" in capsys.readouterr().err
    Path("new.tsv").write_text("label\ttext\nother\tgood\n")
    assert main(["update", "nb.wordplane", "new.tsv"]) == 0
    assert "1 of the classes ('other') that the model did not have" in capsys.readouterr().out
    for unknown in (["train", "a.tsv", "--forget"], ["update", "m.wordplane", "b.tsv", "--ngrams"]):
        with pytest.raises(SystemExit):
            main([*unknown, "1"])
        assert f"there is no option {unknown[-1]}" in capsys.readouterr().err
