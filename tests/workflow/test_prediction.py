"""Tests of wordplane.workflow.prediction: what `predict` gives in addition to the label, in the
library and on the command line.
"""

import csv
import io
import json

import numpy as np
import polars as pl
import pytest

from tests.workflow.topics import topic_texts
from wordplane import TextClassifier, explain, load, predict
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.read import read


@pytest.fixture(scope="module")
def model():
    return TextClassifier(learner="svm").fit(*topic_texts(600, 0))


@pytest.fixture(scope="module")
def sets_model():
    texts, labels = topic_texts(200, 0)
    return TextClassifier(learner="svm").fit(texts, [[label, "all"] for label in labels])


@pytest.fixture(scope="module")
def new():
    return topic_texts(300, 1)


def test_the_likeliest_labels_and_all_probabilities(model, new):
    answer = predict(model, new[0], top_k=2, probabilities=True)
    P = model.predict_proba(new[0])
    assert answer["label"] == model.predict(new[0]).tolist()
    for i, (labels, chances) in enumerate(
        zip(answer["top_labels"], answer["top_probabilities"], strict=True)
    ):
        order = sorted(range(3), key=lambda k, i=i: -P[i, k])[:2]
        assert labels == [model.classes_.tolist()[k] for k in order]
        assert chances == pytest.approx([P[i, k] for k in order], abs=1e-6)
    for k, label in enumerate(model.classes_):
        assert answer[f"probability:{label}"] == pytest.approx(P[:, k], abs=1e-6)


def test_no_label_where_the_model_is_not_sure(model, new):
    answer = predict(model, new[0], min_confidence=0.7)
    for label, plain, p in zip(
        answer["label"], model.predict(new[0]), answer["probability"], strict=True
    ):
        assert label == (plain if p >= 0.7 else None)
    assert None in answer["label"]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_sets_contain_the_label_as_often_as_is_asked(model, level):
    texts, labels = topic_texts(2000, 2)
    answer = predict(model, texts, set_confidence=level)
    hits = [label in held for label, held in zip(labels, answer["label_set"], strict=True)]
    # 60 rows were held out: the share varies by Beta(61 level, 61 (1 - level)) around its mean.
    assert np.mean(hits) > level - 3 * (level * (1 - level) / 60) ** 0.5
    assert np.mean([len(held) for held in answer["label_set"]]) < 3


def test_words_are_those_of_the_explanation(model, new):
    text = new[0][0]
    explanation = model.explain(text)
    sums = dict(explanation.by_word())
    strongest = sorted(sums, key=lambda name: -abs(sums[name]))[:3]
    answer = predict(model, [text], explain=3)
    assert answer["words"] == [strongest]
    assert answer["contributions"][0] == pytest.approx([sums[n] for n in strongest], abs=1e-6)


def test_columns_are_kept_as_they_are(model, new):
    frame = {"text": new[0][:3], "number": ["1", "2", "03"], "label": ["a", "b", ""]}
    answer = predict(model, frame, keep=["number", "label"])
    assert answer["number"] == ["1", "2", "03"]
    assert answer["input_label"] == ["a", "b", ""]
    frame["input_label"] = ["x", "y", "z"]
    answer = predict(model, frame, keep=["label", "input_label"])
    assert answer["input_input_label"] == ["a", "b", ""]
    assert answer["input_label"] == ["x", "y", "z"]


def test_rows_without_ids_are_numbered_as_in_messages(model, new, tmp_path):
    """Those of frames and lists from 0, as Python counts, those of files from 1."""
    frame = pl.DataFrame({"text": new[0][:3]})
    for data in (frame, frame.to_pandas(), frame["text"], {"text": new[0][:3]}, new[0][:3]):
        assert list(predict(model, data)["id"]) == ["0", "1", "2"]
        assert list(explain(model, data).rows["id"]) == ["0", "1", "2"]
    frame.write_csv(tmp_path / "a.csv")
    assert predict(model, tmp_path / "a.csv")["id"] == ["1", "2", "3"]
    corpus = read(frame).take([2, 0])
    assert predict(model, corpus)["id"] == [corpus.row_name(0), corpus.row_name(1)] == ["2", "0"]


def test_batches_of_frames_go_on_counting(model, new, monkeypatch):
    monkeypatch.setattr("wordplane.workflow.prediction.BATCH_ROWS", 2)
    frame = pl.DataFrame({"text": new[0][:5]})
    for data in (frame, frame["text"]):
        assert predict(model, data)["id"].to_list() == list("01234")


def test_a_saved_model_gives_the_same_sets(model, new, tmp_path):
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    for one, two in zip(
        *(predict(m, new[0], set_confidence=0.9)["label_set"] for m in (model, loaded)),
        strict=True,
    ):
        assert one == two


def test_multi_label_models_tell_all_probabilities_but_no_sets(sets_model, new):
    answer = predict(sets_model, new[0], top_k=1, probabilities=True)
    P = sets_model.predict_proba(new[0])
    best = sets_model.classes_[P.argmax(axis=1)].tolist()
    assert [top[0] for top in answer["top_labels"]] == best
    assert len(answer["probability:law"]) == len(new[0])
    with pytest.raises(InputError, match="the model is multi-label"):
        predict(sets_model, new[0], min_confidence=0.5)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"top_k": 0}, "`top_k` is 0, expected 1 or more"),
        ({"explain": -1}, "`explain` is -1"),
        ({"min_confidence": 1.5}, "`min_confidence` is 1.5, expected between 0 and 1"),
        ({"set_confidence": float("nan")}, "`set_confidence` is nan"),
    ],
)
def test_what_makes_no_sense_is_refused(model, wanted, says):
    with pytest.raises(InputError, match=says):
        predict(model, ["a"], **wanted)


def test_sets_need_rows_held_out():
    model = TextClassifier(learner="svm", calibration=None).fit(*topic_texts(60, 0))
    with pytest.raises(InputError, match="needs probabilities of rows held out"):
        predict(model, ["ball"], set_confidence=0.9)


def test_all_formats_have_the_same_answers(model, new, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    model.save("m.wordplane")
    pl.DataFrame({"text": new[0], "source": new[1]}).write_csv("new.csv")
    options = ["--top-k", "2", "--min-confidence", "0.7", "--set-confidence", "0.9",
               "--explain", "2", "--keep", "source", "--probabilities"]  # fmt: skip
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert main(["predict", "m.wordplane", "new.csv", *options, "-o", name]) == 0
    capsys.readouterr()
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert pl.read_parquet("a.parquet").to_dicts() == lines
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    for row, line in zip(rows, lines, strict=True):
        assert row["label"] == (line["label"] or "")
        assert row["top_labels"].split("|") == line["top_labels"]
        assert row["words"].split("|") == line["words"]
        assert row["source"] == line["source"]
        assert float(row["probability:law"]) == line["probability:law"]
    assert main(["predict", "m.wordplane", "new.csv", "--keep", "color"]) == 2
    assert "has no column 'color'" in capsys.readouterr().err
