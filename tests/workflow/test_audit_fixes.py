"""Tests of wordplane.workflow.audit_fixes and wordplane.workflow.auditing: findings as a table,
and data without what was wrong."""

import csv
import json
import os
import pty

import polars as pl
import pytest

import wordplane
from tests.corpora import clean_texts
from wordplane.cli import main
from wordplane.data.read import read


def planted():
    """Texts and labels with a repeated row, an empty one, a conflict and a wrong label."""
    texts, labels = clean_texts(60)
    texts += [texts[0], "", texts[1], texts[2]]
    labels += [labels[0], "pos", "neg" if labels[1] == "pos" else "pos", labels[2]]
    labels[30] = "neg" if labels[30] == "pos" else "pos"
    return texts, labels


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "d.csv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["Nr", "Text", "Kategorie", "Agent"])
        for number, (text, label) in enumerate(zip(*planted(), strict=True), 1):
            writer.writerow([number * 10, text, label, "Öz"])
    return tmp_path


def test_findings_are_a_table():
    texts, labels = planted()
    result = wordplane.audit(texts, labels)
    issues = result.issues
    by_kind = {kind: rows["row"].to_list() for (kind,), rows in issues.group_by("finding")}
    assert by_kind["duplicates"] == [60, 62, 63] and by_kind["empty texts"] == [61]
    assert sorted(by_kind["conflicting labels"]) == [1, 62]
    assert 30 in by_kind["suspect labels"]
    fixes = dict(issues.filter(pl.col("fix") != "").select("row", "fix").rows())
    assert fixes == {60: "remove", 61: "remove", 63: "remove"}  # not what is in conflict
    suspect = issues.filter((pl.col("row") == 30) & (pl.col("finding") == "suspect labels"))
    assert suspect["label"].item() == labels[30] != suspect["suggested"].item()
    assert suspect["text"].item() == texts[30]


def test_rows_mean_the_same_in_print_and_in_data():
    texts, labels = planted()
    result = wordplane.audit(texts, labels)
    finding = result["duplicates"]
    assert finding.rows == finding.positions == (60, 62, 63)
    assert "row 60 same as row 0:" in str(result)
    (stored,) = (f for f in result.to_dict()["findings"] if f["kind"] == "duplicates")
    assert stored["rows"] == (60, 62, 63) and "positions" not in stored


def test_rows_are_those_of_the_file(tmp_path):
    texts, labels = clean_texts(20)
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    path = tmp_path / "d.csv"
    path.write_text("\n".join(["text,label", "no label,", *rows, rows[0]]))
    result = wordplane.audit(path, skip_unlabeled=True)
    assert result["duplicates"].rows == (22,)
    assert "row 22 (id 22) same as row 2:" in str(result)


@pytest.mark.slow
def test_a_cleaned_copy_keeps_all_columns(data, capsys):
    assert main(["audit", "d.csv", "--fix", "clean.csv"]) == 0
    err = capsys.readouterr().err
    assert "3 rows to remove, 0 labels to change:" in err and "row 62: removed: " in err
    assert "clean.csv was not written: add --yes to write it" in err
    assert not (data / "clean.csv").exists()
    assert main(["audit", "d.csv", "--fix", "clean.csv", "--yes"]) == 0
    rows = list(csv.DictReader((data / "clean.csv").read_text().splitlines()))
    assert len(rows) == 61 and list(rows[0]) == ["Nr", "Text", "Kategorie", "Agent"]
    assert [row["Nr"] for row in rows][-2:] == ["600", "630"] and rows[0]["Agent"] == "Öz"


@pytest.mark.slow
def test_a_table_that_somebody_went_through(data, capsys):
    assert main(["audit", "d.csv", "-o", "found.xlsx"]) == 0
    assert "wrote " in capsys.readouterr().err
    found = read("found.xlsx", text="text", labels=False, extra=dict.fromkeys(
        ["row", "finding", "suggested", "fix"], "kept"))  # fmt: skip
    table = pl.DataFrame(found.extras).with_columns(
        fix=pl.when(pl.col("finding") == "suspect labels").then("suggested").otherwise("fix")
    )
    table.write_csv("found.csv")
    assert main(["audit", "d.csv", "--fix", "c.xlsx", "--fixes", "found.csv", "--yes"]) == 0
    assert "row 31: " in capsys.readouterr().err
    before, after = read("d.csv"), read("c.xlsx")
    assert len(after) == len(before) - 3 and after.label_column == "Kategorie"
    assert (
        after.labels[30] != before.labels[30] and list(after.texts)[:60] == list(before.texts)[:60]
    )


@pytest.mark.slow
def test_fixes_that_cannot_be(data, capsys):
    (data / "f.csv").write_text("row,fix\n99,remove\n")
    assert main(["audit", "d.csv", "--fix", "c.csv", "--fixes", "f.csv", "--yes"]) == 2
    assert "there is no row 99 in d.csv" in capsys.readouterr().err
    (data / "f.csv").write_text("row,other\n9,remove\n")
    assert main(["audit", "d.csv", "--fix", "c.csv", "--fixes", "f.csv", "--yes"]) == 2
    assert "expected the columns row and fix" in capsys.readouterr().err
    assert main(["audit", "d.csv", "--fixes", "f.csv"]) == 2
    assert main(["audit", "d.csv", "--fix", "d.csv", "--yes", "--force"]) == 2
    assert not (data / "c.csv").exists()


@pytest.mark.slow
def test_texts_in_memory_and_other_formats_are_cleaned_too(data):
    texts, labels = planted()
    lines = [json.dumps({"text": t, "label": y}) for t, y in zip(texts, labels, strict=True)]
    (data / "d.jsonl").write_text("\n".join(lines))
    assert main(["audit", "d.jsonl", "--fix", "c.jsonl", "--yes"]) == 0
    assert len((data / "c.jsonl").read_text().splitlines()) == 61
    ft = [f"__label__{y} {t}" for t, y in zip(texts, labels, strict=True)]
    (data / "d.txt").write_text("\n".join(ft))
    assert main(["audit", "d.txt", "--fix", "c2.csv", "--yes"]) == 0
    assert len(read("c2.csv")) == 61


@pytest.mark.parametrize(("answer", "written"), [(b"y\n", True), (b"n\n", False), (b"\n", False)])
def test_a_person_is_asked(data, monkeypatch, answer, written):
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    with open(theirs, buffering=1) as tty:  # noqa: PTH123
        monkeypatch.setattr("sys.stdin", tty)
        monkeypatch.setattr("wordplane.cli.audit.is_terminal", lambda: True)
        assert main(["audit", "d.csv", "--fix", "clean.csv"]) == 0
    os.close(ours)
    assert (data / "clean.csv").exists() is written


def test_a_notebook_shows_rows_as_numbers_and_texts_as_texts():
    """A heading cell is bold and to the right, so that it is for the number of the row."""
    texts, labels = planted()
    html = wordplane.audit(texts, labels)._repr_html_()
    same, text = (f'<td><div align="left">{cell}' for cell in ("same as row 0", texts[60][:20]))
    assert f"<tr><th>60</th>{same}</div></td>{text}" in html
    assert "<th>row 60" not in html and "<caption>duplicates: 3 rows repeat" in html


def test_spellings_are_changed_unless_the_table_says_otherwise(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    labels = ["A", "b"] * 30
    given = ["a", "b", "a", *labels[3:]]
    frame = pl.DataFrame({"text": [f"{y} number{n}" for n, y in enumerate(labels)], "label": given})
    frame.write_csv("d.csv")
    assert main(["audit", "d.csv", "--fix", "c.csv", "--yes"]) == 0
    assert "row 1: a -> A: A number0" in capsys.readouterr().err
    assert read("c.csv").labels == labels
    assert main(["audit", "d.csv", "-o", "found.csv"]) == 0
    found = pl.read_csv("found.csv").filter(pl.col("row") != 1)
    found.write_csv("mine.csv")
    assert main(["audit", "d.csv", "--fixes", "mine.csv", "--fix", "e.csv", "--yes"]) == 0
    assert read("e.csv").labels == ["a", *labels[1:]]


def test_white_space_around_labels_is_not_copied(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = ["text,label,note"]
    for row, (text, label) in enumerate(zip(*clean_texts(20), strict=True)):
        lines.append(f"{text},{f' {label} ' if row % 3 == 0 else label}, x ")
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    assert main(["audit", "d.csv", "--fix", "clean.csv", "--yes"]) == 0
    with (tmp_path / "clean.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["label"] for row in rows] == clean_texts(20)[1]
    assert {row["note"] for row in rows} == {" x "}  # other columns are
