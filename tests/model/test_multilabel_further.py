"""Multi-label models that are trained further."""

import numpy as np
import polars as pl
import pytest
from sklearn.naive_bayes import BernoulliNB as TheirBernoulliNB

import wordplane
from tests.model.tagged_texts import tagged
from wordplane import (
    Analyzer,
    BernoulliNB,
    MultinomialNB,
    OnlineLogistic,
    Perceptron,
    TextClassifier,
)
from wordplane.cli import main
from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.label_sets import as_label_sets
from wordplane.common.matrix import as_csr
from wordplane.learners.support.one_vs_rest import OneVsRest
from wordplane.model.file import from_bytes, to_bytes

WORDS_ONLY = Analyzer(ngrams=(1, 1))


def rows(n, seed, n_labels=3):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, size=(n, 6)).astype(float)
    return X, [[f"l{k}" for k in range(n_labels) if rng.random() < 0.4] for _ in range(n)]


def sets_of(labels, classes):
    return as_label_sets(labels).with_classes(np.array(classes))


def test_naive_bayes_of_two_parts_is_that_of_all_rows():
    X, y = rows(60, 0)
    whole = OneVsRest(MultinomialNB()).fit(as_csr(X), as_label_sets(y))
    classes = ["l0", "l1", "l2"]
    parts = OneVsRest(MultinomialNB()).fit(as_csr(X[:25]), sets_of(y[:25], classes))
    parts.partial_fit(as_csr(X[25:]), sets_of(y[25:], classes))
    assert parts.coef_ == pytest.approx(whole.coef_)
    assert parts.intercept_ == pytest.approx(whole.intercept_)
    assert np.array_equal(parts.seen_, whole.seen_)


def test_a_new_label_is_one_that_no_row_had():
    """For naive Bayes the model of all rows; scikit-learn's for the new label agrees."""
    X, y = rows(60, 1)
    X = (X > 0).astype(float)
    y = [[*labels, "new"] if i >= 30 and i % 3 == 0 else labels for i, labels in enumerate(y)]
    classes = np.array(["l0", "l1", "l2", "new"])
    parts = OneVsRest(BernoulliNB()).fit(as_csr(X[:30]), as_label_sets(y[:30]))
    parts.resize(np.arange(6), 6, classes)
    assert parts.intercept_[3] == -1
    assert not parts.coef_[3].any()
    parts.partial_fit(as_csr(X[30:]), sets_of(y[30:], classes))
    whole = OneVsRest(BernoulliNB()).fit(as_csr(X), as_label_sets(y))
    assert parts.coef_ == pytest.approx(whole.coef_)
    has_it = np.array(["new" in labels for labels in y])
    theirs = TheirBernoulliNB().fit(X, has_it).predict_joint_log_proba(X)
    ours = parts.decision_function(as_csr(X))[:, 3]
    assert ours == pytest.approx(theirs[:, 1] - theirs[:, 0])


@pytest.mark.parametrize("learner", [Perceptron(), OnlineLogistic(), MultinomialNB()])
def test_each_label_resumes_as_its_own_learner_does(learner):
    """One label at a time, `partial_fit` of the learner itself."""
    X, y = rows(40, 2)
    classes = ["l0", "l1", "l2"]
    first, second = sets_of(y[:20], classes), sets_of(y[20:], classes)
    ours = OneVsRest(learner).fit(as_csr(X[:20]), first)
    ours.partial_fit(as_csr(X[20:]), second)
    for k in range(3):
        alone = type(learner)(**learner.get_params()).fit(X[:20], first.member[:, k])
        alone.partial_fit(X[20:], second.member[:, k])
        assert ours.coef_[k] == pytest.approx(alone.coef_[0])
        assert ours.intercept_[k] == pytest.approx(alone.intercept_[0])


def test_naive_bayes_text_model_equals_that_of_all_texts():
    texts, sets = tagged(120)
    params = {"analyzer": WORDS_ONLY, "learner": "nb", "calibration": None}
    whole = TextClassifier(**params).fit(texts, sets)
    parts = TextClassifier(**params).fit(texts[:70], sets[:70])
    parts.partial_fit(texts[70:], sets[70:])
    assert parts.decision_function(texts) == pytest.approx(whole.decision_function(texts), abs=1e-5)
    assert parts.predict(texts).tolist() == whole.predict(texts).tolist()
    parts.remove(texts[70:], sets[70:])
    before = TextClassifier(**params).fit(texts[:70], sets[:70])
    assert parts.decision_function(texts) == pytest.approx(
        before.decision_function(texts), abs=1e-5
    )


def test_new_words_and_labels_are_learned(tmp_path):
    texts, sets = tagged(120, say=1.0)
    model = TextClassifier(learner="nb").fit(texts, sets)
    model.save(tmp_path / "m.wordplane", resumable=True)
    model = wordplane.load(tmp_path / "m.wordplane")
    more = [f"{text} noodles" for text in texts[:60]] + texts[60:]
    tags = [[*labels, "food"] if i < 60 else labels for i, labels in enumerate(sets)]
    model.partial_fit(more, tags)
    assert model.classes_.tolist() == ["art", "food", "law", "sport"]
    assert model.is_multilabel
    assert "food" in model.predict(["noodles and a goal"])[0]
    assert "food" not in model.predict(["paint"])[0]
    model.save(tmp_path / "n.wordplane", resumable=True)
    again = wordplane.load(tmp_path / "n.wordplane")
    assert again.predict(more).tolist() == model.predict(more).tolist()


def test_rows_held_out_choose_new_thresholds():
    """The hold-out of the new texts decides; without one, the thresholds stay."""
    texts, sets = tagged(200)
    model = TextClassifier(learner="nb").fit(texts[:100], sets[:100])
    before = model.model_.calibrator
    model.set_params(calibration=None).partial_fit(texts[100:], sets[100:])
    assert np.array_equal(model.model_.calibrator.thresholds, before.thresholds)
    model.set_params(calibration="holdout").partial_fit(texts[100:], sets[100:])
    assert not np.array_equal(model.model_.calibrator.thresholds, before.thresholds)
    assert len(model.holdout_.rows) == 10


def test_a_broken_state_is_refused():
    texts, sets = tagged(60)
    model = TextClassifier(learner="nb").fit(texts, sets).model_
    good = model.learner.get_state()
    n_features, classes = model.features.n_features, model.classes
    again = OneVsRest(MultinomialNB(alpha=1.0))
    again.set_state(good, classes, n_features)
    assert all(np.array_equal(again.get_state()[name], good[name]) for name in good)
    for wrong in (
        {name: array for name, array in good.items() if name != "seen"},
        {**good, "seen": good["seen"][:2]},
        {**good, "seen": -good["seen"]},
        {**good, "9.class_count_": good["0.class_count_"]},
        {**good, "0.class_count_": np.zeros(3)},
        {**good, "1.more": np.zeros(3)},
        {name: array for name, array in good.items() if name != "2.feature_count_"},
    ):
        with pytest.raises(InputError):
            OneVsRest(MultinomialNB(alpha=1.0)).set_state(wrong, classes, n_features)
    model.learner.seen_ = model.learner.seen_ * np.nan
    with pytest.raises(ModelFileError, match="how many rows"):
        from_bytes(to_bytes(model, resumable=True))


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts, sets = tagged(200)
    for name, part in (("a.csv", slice(0, 100)), ("b.csv", slice(100, 200))):
        cells = ["|".join(labels) for labels in sets[part]]
        pl.DataFrame({"text": texts[part], "tags": cells}).write_csv(name)
    options = ["--label", "tags", "--label-separator", "|"]
    for learner in ("nb", "perceptron"):
        train = ["train", "a.csv", *options, "--learner", learner, "--resumable", "--force"]
        assert main([*train, "-o", "a.wordplane"]) == 0
        further = ["update", "a.wordplane", "b.csv", *options, "-o", "b.wordplane"]
        assert main([*further, "--force"]) == 0
        printed = capsys.readouterr().out
        assert "trained further" in printed
        assert "micro F1" in printed
        assert wordplane.load("b.wordplane").training_.n_docs == 200
    (tmp_path / "one.csv").write_text("text,label\njudge,law\nball,sport\n" * 10)
    assert main(["update", "b.wordplane", "one.csv", "-o", "c.wordplane"]) == 0
    assert "no label in column 'label' contains '|'" in capsys.readouterr().err
