"""Tests of wordplane.workflow.mistakes: what a model gets wrong, as a table and as a file."""

import csv
import json

import polars as pl
import pytest

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.read import read

TEXTS = ["a great film", "great fun", "a dull film", "dull and long"] * 5
LABELS = ["good", "good", "bad", "bad"] * 5
TEST = ["great", "so dull", "dull dull film", "great great fun"]
TRUTH = ["good", "good", "good", "bad"]  # three are called wrong


@pytest.fixture(scope="module")
def model():
    return wordplane.TextClassifier().fit(TEXTS, LABELS)


@pytest.fixture
def files(tmp_path, monkeypatch, model):
    monkeypatch.chdir(tmp_path)
    model.save("m.wordplane")
    rows = [f"{text};{label}" for text, label in zip(TEST, TRUTH, strict=True)]
    (tmp_path / "test.csv").write_text("\n".join(["text;label", *rows]))
    return tmp_path


def test_mistakes_are_a_frame_the_surest_first(model):
    mistakes = wordplane.evaluate(model, TEST, TRUTH).mistakes
    assert mistakes.columns == ["row", "text", "label", "predicted", "probability", "words"]
    assert sorted(mistakes["row"].to_list()) == [1, 2, 3]
    probabilities = mistakes["probability"].to_list()
    assert probabilities == sorted(probabilities, reverse=True) and min(probabilities) > 0.5
    for row in mistakes.to_dicts():
        position = row["row"]
        assert (row["text"], row["label"]) == (TEST[position], TRUTH[position])
        assert row["predicted"] != row["label"]
        expected = model.predict_proba([row["text"]]).max()
        assert row["probability"] == pytest.approx(expected, abs=1e-6)
        assert row["words"].split(", ")[0] in ("dull", "great")


def test_no_mistakes_are_a_table_without_rows(model, files):
    assert len(wordplane.evaluate(model, ["great"], ["good"]).mistakes) == 0
    (files / "right.csv").write_text("text,label\ngreat,good\ndull,bad\n")
    for name in ("m.csv", "m.xlsx", "m.parquet", "m.jsonl"):
        assert main(["evaluate", "m.wordplane", "right.csv", "-o", name]) == 0
    assert (files / "m.csv").read_text() == "row,text,label,predicted,probability,words\n"


def test_rows_are_those_of_the_file_whatever_is_measured(model, files):
    lines = ["text,label,split", "x,good,train", *(f"{t},{y},test" for t, y in
             zip(TEST, TRUTH, strict=True))]  # fmt: skip
    (files / "s.csv").write_text("\n".join(lines))
    assert sorted(wordplane.evaluate(model, "s.csv").mistakes["row"]) == [3, 4, 5]
    (files / "u.csv").write_text("text,label\nx,\nso dull,good\n")
    assert wordplane.evaluate(model, "u.csv", skip_unlabeled=True).mistakes["row"].item() == 2


def test_mistakes_of_a_multilabel_model():
    model = wordplane.TextClassifier().fit(TEXTS, [[y, "film"] for y in LABELS[:-1]] + [["bad"]])
    mistakes = wordplane.evaluate(model, ["great", "dull"], [["bad"], ["bad", "film"]]).mistakes
    first = mistakes.row(0, named=True)
    assert first["row"] == 0 and first["label"] == "bad" and "good" in first["predicted"]


def test_a_file_for_a_spreadsheet(files, capsys):
    assert main(["evaluate", "m.wordplane", "test.csv", "-o", "out.csv"]) == 0
    assert "wrote 3 mistakes to out.csv" in capsys.readouterr().err
    with (files / "out.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["row"] for row in rows] == ["3", "4", "2"] or len(rows) == 3
    assert main(["evaluate", "m.wordplane", "test.csv", "-o", "out.xlsx"]) == 0
    again = read("out.xlsx", text="text", label="label", labels=True)
    assert list(again.texts) == [row["text"] for row in rows]
    assert main(["evaluate", "m.wordplane", "test.csv", "-o", "out.jsonl", "--json"]) == 0
    lines = [json.loads(line) for line in (files / "out.jsonl").read_text().splitlines()]
    assert [type(line["row"]) for line in lines] == [int] * 3
    assert main(["evaluate", "m.wordplane", "test.csv", "-o", "out.parquet"]) == 0
    assert pl.read_parquet("out.parquet")["probability"].dtype == pl.Float64
    assert main(["evaluate", "m.wordplane", "test.csv", "-o", "out.csv"]) == 2
    assert "out.csv exists" in capsys.readouterr().err
    assert main(["evaluate", "m.wordplane", "test.csv", "-o", "out.pdf"]) == 2


def test_mistakes_need_the_texts(model):
    result = wordplane.evaluate(model, TEST, TRUTH)
    object.__setattr__(result, "on_dask", True)
    with pytest.raises(InputError, match="without `dask`"):
        _ = result.mistakes
