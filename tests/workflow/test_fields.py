"""Fields and vectors on the command line and in Python."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.workflow.evaluation import evaluate

WORDS = ["great", "fine", "dull", "slow", "plot", "film", "cast", "end"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """reviews as .csv, .jsonl and .vw, and vectors.npy; the title decides."""
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(150):
        title, body = rng.choice(WORDS, 2), rng.choice(WORDS, 6)
        label = "good" if title[0] in ("great", "fine") else "bad"
        rows.append({"title": " ".join(title), "body": " ".join(body), "label": label})
    vectors = rng.normal(size=(150, 2))
    with (tmp_path / "d.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["title", "body", "label"])
        writer.writeheader()
        writer.writerows(rows)
    with (tmp_path / "d.jsonl").open("w") as file:
        for row, vector in zip(rows, vectors.tolist(), strict=True):
            file.write(json.dumps({**row, "image": vector}) + "\n")
    with (tmp_path / "d.vw").open("w") as file:
        for row in rows:
            file.write(f"{row['label']} |body {row['body']} |title {row['title']} |other zzz\n")
    np.save(tmp_path / "v.npy", vectors)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("learner", ["recipe", "svm", "nb"])
def test_command_line_and_python_give_the_same_model(folder, learner) -> None:
    options = f"--field title=2 --field body --learner {learner} -o cli.wordplane"
    assert main(f"train d.csv {options}".split()) == 0
    fields = {"title": 2, "body": 1}
    wordplane.train("d.csv", learner=learner, fields=fields, output="py.wordplane")
    assert Path("cli.wordplane").read_bytes() == Path("py.wordplane").read_bytes()


@pytest.mark.slow
def test_predict_evaluate_explain_and_report_read_the_fields(folder, capsys) -> None:
    assert main("train d.csv --field title --field body --learner svm -o m.wordplane".split()) == 0
    assert main("predict m.wordplane d.csv --explain 2 --known -o p.jsonl".split()) == 0
    answers = [json.loads(line) for line in Path("p.jsonl").read_text().splitlines()]
    model = wordplane.load("m.wordplane")
    rows = list(csv.DictReader(Path("d.csv").read_text().splitlines()))
    columns = {name: [row[name] for row in rows] for name in ("title", "body")}
    assert [row["label"] for row in answers] == model.predict(columns).tolist()
    assert all(word.startswith(("title:", "body:")) for row in answers for word in row["words"])
    assert main("evaluate m.wordplane d.csv --json".split()) == 0
    accuracy = evaluate(model, columns, [row["label"] for row in rows]).scores.accuracy
    assert accuracy == evaluate(model, "d.csv").scores.accuracy
    assert accuracy > 0.9
    assert main("explain m.wordplane d.csv -o words.csv --top 3".split()) == 0
    assert "title:" in capsys.readouterr().out
    assert main("report m.wordplane d.csv -o r.html --quick".split()) == 0
    assert "title:" in Path("r.html").read_text()
    assert main("tune d.csv --field title --field body --learner nb --folds 3".split()) == 0
    assert main("compare d.csv --field title --field body --learners nb --folds 3".split()) == 0
    assert main("inspect m.wordplane".split()) == 0
    assert "fields={'title': 1.0, 'body': 1.0}" in capsys.readouterr().out


def test_namespaces_of_vowpal_wabbit_are_fields_when_asked(folder) -> None:
    same = {"fields": ["title", "body"], "learner": "svm", "analyzer": {"tokens": "whitespace"}}
    of_vw = wordplane.train("d.vw", **same).model
    of_csv = wordplane.train("d.csv", **same).model
    assert (of_vw.model_.W == of_csv.model_.W).all()
    assert wordplane.predict(of_vw, "d.vw")["label"] == wordplane.predict(of_csv, "d.csv")["label"]
    plain = wordplane.read("d.vw")
    assert "zzz" in plain.texts[0]
    assert not plain.extras


def test_a_line_without_a_namespace_has_an_empty_field(folder) -> None:
    model = wordplane.train("d.vw", fields=["title", "body"], learner="svm").model
    Path("one.vw").write_text("|title great film\n")
    found = wordplane.predict(model, "one.vw")["label"]
    assert found == model.predict({"title": ["great film"], "body": [""]}).tolist()
    notes = wordplane.read("one.vw", fields=["title", "body"]).notes
    assert any("has the namespace 'body'" in note for note in notes)
    with pytest.raises(InputError, match="cannot be called 'label'"):
        wordplane.read("one.vw", fields=["label"])


def test_vectors_on_the_command_line(folder, capsys) -> None:
    assert main("train d.jsonl --field title --vectors image -o j.wordplane".split()) == 0
    assert main("train d.csv --field title --vectors v.npy -o n.wordplane".split()) == 0
    main("predict j.wordplane d.jsonl -o 1.csv".split())
    main("predict j.wordplane d.csv --vectors v.npy -o 2.csv".split())
    main("predict n.wordplane d.jsonl --vectors image -o 3.csv".split())
    first = Path("1.csv").read_text()
    assert first == Path("2.csv").read_text() == Path("3.csv").read_text()
    assert main("evaluate n.wordplane d.csv --vectors v.npy".split()) == 0
    capsys.readouterr()
    assert main("predict n.wordplane d.csv".split()) == 2
    assert "no column 'vectors' of vectors" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("train d.csv --field titel -o x.wordplane", "no column 'titel', which is a field"),
        ("train d.csv --field title --text body -o x.wordplane", "give one, with all columns"),
        ("train d.csv --field title --field title=2 -o x.wordplane", "names a column twice"),
        ("train d.csv --field title=0 -o x.wordplane", "expected above 0"),
        ("train d.csv --field title --hash-bits 9 -o x.wordplane", "cannot keep --field apart"),
        ("train d.csv --field title --blocks -o x.wordplane", "--field needs all texts in memory"),
        ("train d.csv --vectors v.npy --blocks -o x.wordplane", "--vectors needs all texts"),
        ("train d.csv --field title --dask local -o x.wordplane", "--field needs all texts"),
        ("train d.csv --field title --unlabeled d.csv -o x.wordplane", "neither fields nor"),
        ("train d.csv --field label --label label -o x.wordplane", "both text and label"),
        ("train d.csv --vectors title -o x.wordplane", "expected lists of numbers"),
        ("train d.csv --vectors none.npy -o x.wordplane", "there is no such file"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(folder, capsys, command, why) -> None:
    assert main(command.split()) == 2
    assert why in capsys.readouterr().err
    assert not Path("x.wordplane").exists()
