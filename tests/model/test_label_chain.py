"""Classifier chains: earlier labels are features of later ones."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, hstack
from sklearn.multioutput import ClassifierChain as TheirChain

import wordplane
from tests.model.tagged_texts import tagged
from wordplane import LinearSVM, LogisticRegression, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.label_chain import LabelChain
from wordplane.common.label_sets import LabelSets
from wordplane.common.matrix import as_csr
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.learners.support.chain import ClassifierChain, append_columns
from wordplane.model.file import from_bytes, to_bytes
from wordplane.text.documents import as_documents


def dependent(n, seed=0):
    """Texts whose words tell the first label; the second is there if and only if the first is."""
    rng = np.random.default_rng(seed)
    texts, sets = [], []
    for _ in range(n):
        labels = ["x", "y"] if rng.random() < 0.5 else []
        labels += ["z"] if rng.random() < 0.3 else []
        words = ["ex"] * ("x" in labels) + ["zed"] * ("z" in labels)
        texts.append(" ".join([*words, *map(str, rng.choice(list("abcdefgh"), 4))]))
        sets.append(labels)
    return texts, sets


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 4), st.integers(0, 99))
def test_columns_are_appended(n, m, k, seed):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.6, size=(n, m)).astype(float)
    member = rng.random((n, k)) < 0.5
    indptr, indices, values = append_columns(as_csr(csr_matrix(X)), member).arrays()
    ours = csr_matrix((values, indices, indptr), shape=(n, m + k))
    assert (ours.toarray() == hstack([csr_matrix(X), csr_matrix(member)]).toarray()).all()


@pytest.mark.parametrize("order", [None, [2, 0, 3, 1]])
@pytest.mark.parametrize("learner", [LinearSVM(tol=1e-8), LogisticRegression(tol=1e-8)])
def test_same_as_scikit_learns_chain(learner, order):
    rng = np.random.default_rng(0)
    X = rng.random((80, 6))
    Z = X @ rng.normal(size=(6, 4)) + 0.3 * rng.normal(size=(80, 4))
    Z[:, 3] += 2 * (Z[:, 1] > 0)
    above = np.median(Z, axis=0) + np.array([0.1, 0.0, 0.2, 0.3])
    member = above < Z
    ours = ClassifierChain(learner, order=order)
    ours.fit(as_csr(X), LabelSets.of_member(np.arange(4), member))
    frequent_first = np.argsort(-member.sum(axis=0), kind="stable").tolist()
    assert ours.chain_.order.tolist() == (order or frequent_first)
    theirs = TheirChain(learner, order=ours.chain_.order.tolist()).fit(X, member.astype(int))
    new = rng.random((50, 6))
    assert ours.decision_function(as_csr(new)) == pytest.approx(
        theirs.decision_function(new), abs=1e-6
    )
    assert ours.chain_.links.any()


def test_follow_is_one_label_after_the_other():
    rng = np.random.default_rng(1)
    order = rng.permutation(5)
    place = np.argsort(order)
    links = np.where(place[:, None] < place, rng.normal(size=(5, 5)), 0.0)
    z = rng.normal(size=(20, 5))
    found = LabelChain(order, links).follow(z)
    for row, own in zip(found, z, strict=True):
        decided = {}
        for k in order.tolist():
            score = own[k] + sum(links[j, k] for j, given in decided.items() if given)
            assert row[k] == pytest.approx(score)
            decided[k] = score > 0


def test_a_chain_learns_what_labels_have_to_do_with_each_other():
    texts, sets = dependent(200)
    model = TextClassifier(learner="svm", chain=["x", "y", "z"]).fit(texts, sets)
    links = model.model_.chain.links
    assert links[0, 1] > 0.5
    assert abs(links[0, 2]) < links[0, 1]
    others, true = dependent(100, seed=1)
    assert [set(labels) for labels in model.predict(others)] == [set(labels) for labels in true]


def test_the_file_keeps_the_chain(tmp_path):
    texts, sets = dependent(120)
    model = TextClassifier(learner="svm", chain=True).fit(texts, sets)
    model.save(tmp_path / "m.wordplane")
    again = wordplane.load(tmp_path / "m.wordplane")
    assert np.array_equal(again.decision_function(texts), model.decision_function(texts))
    assert again.predict(texts).tolist() == model.predict(texts).tolist()
    document = json.loads("\n".join(again.to_json()))
    assert document["chain"]["order"] == model.model_.chain.order.tolist()
    pipeline = model.to_sklearn()
    found = [tuple(pipeline.classes_[row > 0]) for row in pipeline.predict(texts)]
    assert found == model.predict(texts).tolist()
    assert again.training_.make_learner().get_params()["learner"].C == LinearSVM().C


def test_explanations_add_up_and_name_the_labels():
    texts, sets = dependent(120)
    model = TextClassifier(learner="svm", chain=["x", "y", "z"]).fit(texts, sets)
    explanation = model.explain("ex a b", "y")
    told = {c.feature: c for c in explanation.contributions}
    assert told["label:x"].value == pytest.approx(model.model_.chain.links[0, 1])
    assert (told["label:x"].start, told["label:x"].end) == (None, None)
    z = model.decision_function(["ex a b"])[0, 1] - model.model_.calibrator.thresholds[1]
    assert explanation.score == pytest.approx(z)
    total = explanation.bias + sum(c.value for c in explanation.contributions)
    assert total == pytest.approx(z, abs=1e-5)
    assert "label:x" not in {c.feature for c in model.explain("a b", "y").contributions}


def test_a_broken_chain_in_a_file_is_refused():
    texts, sets = dependent(60)
    model = TextClassifier(learner="svm", chain=["x", "y", "z"]).fit(texts, sets).model_
    order, links = model.chain.order, model.chain.links
    for wrong in (
        LabelChain(np.array([0, 1, 1]), links),
        LabelChain(np.array([0, 1]), links),
        LabelChain(order[::-1].copy(), links),
        LabelChain(order, links[:2]),
        LabelChain(order, links * np.nan),
    ):
        with pytest.raises((InputError, ModelFileError)):
            LabelChain.checked(wrong.order.tolist(), wrong.links, 3)
    for bad in (None, "x", [0, 1, 2.0], [0, 1, True]):
        with pytest.raises(InputError, match="order of 3 labels"):
            LabelChain.checked(bad, links, 3)
    good = to_bytes(model)
    assert from_bytes(good).chain.order.tolist() == [0, 1, 2]
    one_label = TextClassifier(learner="svm").fit(["a", "b", "c"] * 5, ["x", "y", "z"] * 5).model_
    one_label.chain = model.chain
    with pytest.raises(ModelFileError, match="of which a text has one"):
        from_bytes(to_bytes(one_label))


def test_thresholds_are_of_scores_along_the_chain():
    """The hold-out decides on what the chain of the first fit says of its rows."""
    texts, sets = tagged(150)
    model = TextClassifier(learner="svm", chain=True).fit(texts, sets)
    holdout = model.holdout_
    again = holdout.model.scores(as_documents(texts, {}), 1)
    assert np.array_equal(again[holdout.rows], holdout.scores)
    member = np.array([[label in sets[i] for label in model.classes_] for i in holdout.rows])
    expected = LabelDecisions.fit(holdout.scores, member)
    assert np.array_equal(model.model_.calibrator.thresholds, expected.thresholds)


def test_compare_takes_chains_and_refusals():
    texts, sets = dependent(150)
    both = {"one vs. rest": TextClassifier(learner="svm"),
            "chain": TextClassifier(learner="svm", chain=True)}  # fmt: skip
    result = wordplane.compare(texts, sets, both, metric="accuracy")
    assert {r.name for r in result.results} == set(both)
    with pytest.raises(InputError, match="`chain` is for multi-label texts"):
        TextClassifier(chain=True).fit(["a", "b"], ["x", "y"])
    with pytest.raises(InputError, match="expected each of 'x', 'y', 'z' once"):
        TextClassifier(chain=["x", "y"]).fit(texts, sets)
    with pytest.raises(InputError, match="neither with `tune`"):
        wordplane.train(texts, sets, chain=True, tune=True)


@pytest.mark.slow
def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts, sets = dependent(150)
    cells = ["|".join(labels) for labels in sets]
    pl.DataFrame({"text": texts, "tags": cells}).write_csv("t.csv")
    data = ["train", "t.csv", "--label", "tags", "--label-separator", "|", "--learner", "svm"]
    assert main([*data, "--chain", "-o", "a.wordplane"]) == 0
    assert main([*data, "--chain-order", "z,y,x", "-o", "b.wordplane"]) == 0
    assert wordplane.load("b.wordplane").model_.chain.order.tolist() == [2, 1, 0]
    assert main(["explain", "a.wordplane", "ex a", "--label", "y"]) == 0
    assert "label:x" in capsys.readouterr().out
    assert main(["report", "a.wordplane", "t.csv", "--label", "tags", "--label-separator", "|",
                 "--quick", "-o", "a.html"]) == 0  # fmt: skip
