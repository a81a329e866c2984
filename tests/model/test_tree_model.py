"""Text models with a label tree: chosen, saved, loaded, explained.

Tests of wordplane.model.stored_tree and wordplane.model.stored_parts.
"""

import hashlib
import json

import numpy as np
import pytest
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

import wordplane
from wordplane import TextClassifier
from wordplane.common.errors import InputError, ModelFileError
from wordplane.learners.label_tree import LabelTree
from wordplane.model import fitting, recipe
from wordplane.model.file import HEADER, from_bytes, to_bytes
from wordplane.workflow import answers, remarks

N_LABELS = 60
TREE = LabelTree(max_leaf=5, branching=4, beam=3)
TEXTS = [f"own{k} group{k // 5} word{i} and more" for k in range(N_LABELS) for i in range(6)]
LABELS = [f"label {k}" for k in range(N_LABELS) for _ in range(6)]
SETS = [[label, "all"] if i % 7 == 0 else [label] for i, label in enumerate(LABELS)]


@pytest.fixture(scope="module", params=["one", "several"])
def model(request):
    return TextClassifier(learner=TREE).fit(TEXTS, LABELS if request.param == "one" else SETS)


def test_a_loaded_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    texts = [*TEXTS[::9], "", "unheard of"]
    assert (loaded.decision_function(texts) == model.decision_function(texts)).all()
    assert (loaded.predict_proba(texts) == model.predict_proba(texts)).all()
    assert to_bytes(loaded.model_) == (tmp_path / "m.wordplane").read_bytes()


def test_it_is_right_and_sure(model):
    P = model.predict_proba(TEXTS)
    own = np.searchsorted(model.classes_, LABELS)
    assert (P.argmax(axis=1) == own).mean() > 0.9 or model.is_multilabel
    if not model.is_multilabel:
        assert P.sum(axis=1) == pytest.approx(1)
        assert P[np.arange(len(P)), own].mean() > 0.5
        assert (P == 0).sum(axis=1).min() > 10  # what the beam does not reach


def test_probabilities_rank_labels_as_scores_do(model):
    z, P = model.decision_function(TEXTS[::7]), model.predict_proba(TEXTS[::7])
    assert (z.argmax(axis=1) == P.argmax(axis=1)).all()
    for scores, chances in zip(z, P, strict=True):
        assert (np.diff(chances[np.argsort(scores)]) >= 0).all()
    assert P.max(axis=1).mean() > 0.4


def test_an_explanation_adds_up_along_the_way(model):
    explanation = model.explain(TEXTS[0], "label 0")
    w, b = model.model_.tree.way_to(model.classes_.tolist().index("label 0"))
    score = model.feature_matrix(TEXTS[:1]) @ w + b
    assert explanation.score == pytest.approx(score[0], abs=1e-5)
    added = explanation.values.sum() + explanation.bias
    assert added == pytest.approx(explanation.score, abs=1e-5)
    assert "own0" in explanation.by_feature()[0][0]
    assert "own0" in model.top_features(1)["label 0"][0][0]


def test_what_a_tree_has_no_equal_in(model):
    with pytest.raises(InputError, match="label tree has no equal"):
        model.to_sklearn()
    with pytest.raises(InputError, match="label tree has no equal"):
        list(model.to_json())


def test_a_metric_needs_all_scores():
    with pytest.raises(InputError, match="need the scores of all labels"):
        TextClassifier(learner=TREE, metric="macro_f1").fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="needs the scores of all labels"):
        TextClassifier(learner=TREE, calibrator="isotonic").fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="can use neither texts without labels"):
        TextClassifier(learner=TREE).fit(TEXTS, LABELS, unlabeled=["more"])


def changed(data, name=None, array=None, **metadata):
    """The file with another array or other metadata, and a right digest."""
    payload = data[HEADER:]
    arrays = load_tensors(payload)
    header = json.loads(payload[8 : 8 + int.from_bytes(payload[:8], "little")])
    document = json.loads(header["__metadata__"]["wordplane"]) | metadata
    if name is not None:
        arrays[name] = array
        if array is None:
            del arrays[name]
    new = save_tensors(arrays, {"wordplane": json.dumps(document)})
    body = len(new).to_bytes(8, "little") + new
    return data[:8] + hashlib.sha256(body).digest() + body


def test_files_of_strangers(model):
    data = to_bytes(model.model_)
    arrays = load_tensors(data[HEADER:])
    assert from_bytes(changed(data)).tree is not None
    for name, array in arrays.items():
        if not name.startswith("tree."):
            continue
        for bad in (None, array[:-1], array.astype(np.float16), array[:, None]):
            with pytest.raises(ModelFileError):
                from_bytes(changed(data, name, bad))
        odd = array.copy()
        odd[len(odd) // 2] = -7 if odd.dtype.kind == "i" else np.nan
        with pytest.raises(ModelFileError):
            from_bytes(changed(data, name, odd))
    W = np.zeros((model.n_features, len(model.classes_)), np.float32)
    for bad in (
        {"kind": "linear"},
        {"tree": None},
        {"tree": {"beam": 0}},
        {"tree": {"beam": True}},
    ):
        with pytest.raises(ModelFileError):
            from_bytes(changed(data, **bad))
    with pytest.raises(ModelFileError):
        from_bytes(changed(data, "W", W))
    with pytest.raises(ModelFileError):
        from_bytes(changed(data, "tree.more", W[0]))


@pytest.mark.slow
def test_thousands_of_labels_get_a_tree_and_it_is_told(monkeypatch):
    monkeypatch.setattr(recipe, "TREE_LABELS", 50)
    monkeypatch.setattr(remarks, "TREE_LABELS", 50)
    trained = wordplane.train(TEXTS, LABELS)
    assert trained.model.model_.tree is not None
    assert any("learned by a label tree" in note for note in trained.notes)
    other = wordplane.train(TEXTS, LABELS, learner="svm")
    assert other.model.model_.tree is None
    assert any("a label tree is faster" in note for note in other.notes)
    few = wordplane.train(TEXTS[:60], LABELS[:60])
    assert few.model.model_.tree is None


def test_many_labels_hold_out_fewer_rows(monkeypatch):
    monkeypatch.setattr(fitting, "MAX_SCORES", 10 * N_LABELS)
    groups = np.arange(len(TEXTS)) // 3
    plain = TextClassifier(learner=TREE).fit(TEXTS, LABELS)
    grouped = TextClassifier(learner=TREE).fit(TEXTS, LABELS, groups=groups)
    assert len(plain.holdout_.rows) == 10
    assert 1 <= len(grouped.holdout_.rows) <= 10
    held = set(groups[grouped.holdout_.rows].tolist())
    assert sum(g in held for g in groups.tolist()) == len(grouped.holdout_.rows)


def test_predictions_in_parts_are_the_same(model, monkeypatch):
    wanted = {"top_k": 3, "known": True}
    whole = wordplane.predict(model, TEXTS, **wanted)
    monkeypatch.setattr(answers, "MAX_SCORES", 7 * len(model.classes_))
    assert wordplane.predict(model, TEXTS, **wanted) == whole
