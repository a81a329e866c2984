"""Tests of wordplane.workflow.explaining and wordplane.report.explanations: all texts of a
file, and their means by label."""

import csv
import html
import json
from pathlib import Path

import pytest

import wordplane
from tests.cli.running import wordplane_process
from wordplane.cli import main

TEXTS = ["a great film", "great fun", "a dull film", "dull, long", "great, but long"] * 4
LABELS = ["good", "good", "bad", "bad", "good"] * 4


@pytest.fixture(scope="module")
def model():
    return wordplane.TextClassifier(learner="nb").fit(TEXTS, LABELS)


def test_means_are_those_of_the_explanations_one_by_one(model):
    result = wordplane.explain(model, TEXTS, top=100)
    for of_label in result.labels:
        found = [e for e in map(model.explain, TEXTS) if e.label == of_label.label]
        assert of_label.n_texts == len(found)
        words = {word for e in found for word, _ in e.by_word()}
        means = {
            word: sum(abs(dict(e.by_word()).get(word, 0.0)) for e in found) / len(found)
            for word in words
        }
        assert dict(of_label.words) == pytest.approx(means)
        values = [mean for _, mean in of_label.words]
        assert values == sorted(values, reverse=True)
    assert sum(of_label.n_texts for of_label in result.labels) == len(TEXTS)
    assert result.rows["words"][0][0] in ("great", "film")
    json.dumps(result.to_dict())
    assert "great" in str(result) and "great" in result._repr_html_()


def test_a_model_may_be_the_path_of_its_file(model, tmp_path):
    model.save(tmp_path / "m.wordplane")
    path = str(tmp_path / "m.wordplane")
    assert wordplane.explain(path, TEXTS).to_dict() == wordplane.explain(model, TEXTS).to_dict()
    assert wordplane.predict(path, TEXTS) == wordplane.predict(model, TEXTS)


def test_a_text_may_come_from_standard_input(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model.save("m.wordplane")
    piped = wordplane_process("explain", "m.wordplane", "-", input=b"a great film\nor dull\n")
    typed = wordplane_process("explain", "m.wordplane", "a great film\nor dull")
    assert piped.stdout == typed.stdout
    assert b"great" in typed.stdout


def test_other_labels_of_a_text_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts, sets = (
        ["great fun", "dull plot", "great plot fun"] * 9,
        [["fun"], ["plot"], ["fun", "plot"]] * 9,
    )
    wordplane.TextClassifier(learner="nb").fit(texts, sets).save("m.wordplane")
    assert main(["explain", "m.wordplane", "great plot fun"]) == 0
    out = capsys.readouterr().out
    (explained,) = (line.split()[1] for line in out.splitlines() if line.startswith("label "))
    (other,) = {"fun", "plot"} - {explained}
    assert f"also      {other} (its words: --label {other})\n" in out


def test_a_page_marks_the_words_of_one_text_and_of_a_file(model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    model.save("m.wordplane")
    text = "great, but <script>alert(1)</script> dull"
    assert main(["explain", "m.wordplane", text, "-o", "one.html"]) == 0
    page = Path("one.html").read_text()
    assert '<mark class="for' in page and '<mark class="against' in page
    assert "<script" not in page and 'style="' not in page  # which the page's policy forbids
    for word, value in model.explain(text).by_word()[:10]:
        assert f"{html.escape(word)} {value:+.3f}" in page
    with Path("d.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in TEXTS)])
    monkeypatch.setattr("wordplane.cli.explain.MOST_ON_PAGE", 3)
    assert main(["explain", "m.wordplane", "d.csv", "-o", "all.html"]) == 0
    assert "the first 3 of 20 texts" in capsys.readouterr().err
    page = Path("all.html").read_text()
    assert page.count("<section>") == 3 and "good: 12 texts" in page
    assert main(["explain", "m.wordplane", "d.csv", "-o", "all.html"]) == 2  # it is there
    assert main(["explain", "m.wordplane", "a", "-o", "x.html", "--raw"]) == 2
    assert main(["explain", "m.wordplane", "a", "-o", "x.html", "--label", "none"]) == 2


def test_a_page_shows_each_label_of_a_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = ["great fun", "dull plot", "great plot fun", "plain"] * 10
    sets = [("fun",), ("plot",), ("fun", "plot"), ()] * 10
    model = wordplane.TextClassifier().fit(texts, sets)
    model.save("m.wordplane")
    assert list(model.predict(["great plot fun"])[0]) == ["fun", "plot"]
    assert main(["explain", "m.wordplane", "great plot fun", "-o", "one.html"]) == 0
    page = Path("one.html").read_text()
    for label in ("fun", "plot"):
        assert f"<b>{label}</b> {model.explain('great plot fun', label).score:.3f}" in page
    Path("d.txt").write_text("\n".join(texts[:4]))
    assert main(["explain", "m.wordplane", "d.txt", "-o", "all.html"]) == 0
    page = Path("all.html").read_text()
    n_given = sum(max(len(labels), 1) for labels in model.predict(texts[:4]).tolist())
    assert page.count("<section>") == n_given == 5
    assert page.count("<p>3. <b>") == 2
    means = wordplane.explain(model, texts[:4]).labels
    assert sum(one.n_texts for one in means) == 5


def test_command_writes_a_row_for_each_text(model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    model.save("m.wordplane")
    with Path("d.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in TEXTS), [""]])
    assert main(["explain", "m.wordplane", "d.csv", "-o", "w.csv", "--top", "2", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [one["texts"] for one in shown["labels"]] == [13, 8]  # the empty text is 'good' too
    with Path("w.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(TEXTS) + 1 and rows[1]["words"].split("|")[0] == "great"
    assert main(["explain", "m.wordplane", "d.csv", "-o", "w.csv"]) == 2  # it is there already
    assert main(["explain", "m.wordplane", "d.csv", "-o", "x.csv", "--label", "good"]) == 2


def test_an_empty_text_is_said_to_be_empty(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    wordplane.TextClassifier(learner="svm").fit(["good film", "bad film"] * 9, ["+", "-"] * 9).save(
        "m"
    )
    for text in ("", "  "):
        assert main(["explain", "m", text]) == 0
        assert "\n\n(the text is empty)\n\n    adds  word\n" in capsys.readouterr().out
