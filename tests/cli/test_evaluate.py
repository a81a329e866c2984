"""`wordplane evaluate`, and the columns that verbs read."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import ROWS
from wordplane.cli import main


@pytest.mark.slow
def test_verbs_read_the_columns_of_the_model(two_texts, capsys):
    assert main(["evaluate", two_texts, "d.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["accuracy"] == 1
    assert main(["report", two_texts, "d.csv", "--quick", "--json"]) == 0
    assert "none of it" not in Path("m.html").read_text()
    assert main(["explain", two_texts, "great", "--data", "d.csv", "--json"]) == 0
    similar = json.loads(capsys.readouterr().out.splitlines()[-1])["similar"]
    assert {(one["label"], "none" in one["text"]) for one in similar} == {("good", False)}
    assert main(["convert", "d.csv", "--features", two_texts, "-o", "d.svmlight"]) == 0
    assert Path("d.svmlight").read_text().count("\n") == len(ROWS)


def test_columns_can_be_others_than_those_of_the_model(two_texts, here, capsys):
    assert main(["evaluate", two_texts, "d.csv", "--text", "body", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["accuracy"] == 0.5
    assert main(["evaluate", two_texts, "d.csv", "--label", "label"]) == 2
    assert "the model knows none of the labels" in capsys.readouterr().err
    (here / "other.csv").write_text("text,label\ngreat,good\ndull,bad\n")
    assert main(["evaluate", two_texts, "other.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1


def test_evaluate(model, data, capsys):
    assert main(["evaluate", model, data]) == 0
    out = capsys.readouterr().out
    assert "measured  8 texts, which the model was trained on\n" in out
    assert "accuracy  100.0%" in out
    assert "always 'neg' would be 50.0%" in out
    (row,) = (line for line in out.splitlines() if line.startswith("pos"))
    assert row.split() == ["pos", "4", "100.0%", "100.0%", "100.0%"]
    assert "macro F1  100.0% (95 % interval 67.6% to 100.0%); always 'neg' would be 33.3%" in out
    assert "log-loss  0." in out
    assert "commonest mistakes" not in out


def test_empty_texts_are_counted_and_can_be_removed(model, here, capsys):
    (here / "holes.csv").write_text("text,label\n,pos\n,pos\ngreat fun,pos\ndull,neg\n")
    capsys.readouterr()
    assert main(["evaluate", model, "holes.csv"]) == 0
    assert "2 of the 4 texts measured are empty: they count here" in capsys.readouterr().err
    assert main(["train", "holes.csv", "--learner", "nb", "-o", "h.wordplane"]) == 0
    assert "`wordplane audit DATA --fix clean.csv` writes a copy" in capsys.readouterr().err
    assert main(["audit", "holes.csv", "--fix", "clean.csv", "--yes"]) == 0
    assert ",pos\n,pos" not in (here / "clean.csv").read_text()


def test_evaluate_knows_the_texts_of_training_by_another_name(model, data, here, capsys):
    note = "these are the texts the model was trained on; it will do worse on new ones"
    (here / "copy.csv").write_text(Path(data).read_text())
    (here / "other.csv").write_text(Path(data).read_text().replace("a great film", "a grim film"))
    (here / "part.csv").write_text(Path(data).read_text().rpartition("long and")[0])
    (here / "split.csv").write_text(
        "text,label,split\nnew,pos,test\n" + "".join(f'"{t}",{y},train\n' for t, y in ROWS)
    )
    capsys.readouterr()
    for file, rows, told in (
        ("copy.csv", "all", True),
        ("other.csv", "all", False),
        ("part.csv", "all", False),
        ("split.csv", "all", True),
        ("split.csv", "test", False),
        ("split.csv", "train", True),
    ):
        more = ["--rows", rows] if file == "split.csv" else []
        assert main(["evaluate", model, file, *more]) == 0
        assert (f"note: {note}\n" in capsys.readouterr().err) is told
    assert main(["evaluate", model, "copy.csv", "--json"]) == 0
    assert note in json.loads(capsys.readouterr().out)["notes"]


def test_evaluate_knows_integers_written_as_text(here, capsys):
    lines = [json.dumps({"text": t, "label": int(y == "pos")}) for t, y in ROWS]
    (here / "d.jsonl").write_text("\n".join(lines))
    (here / "d.csv").write_text("text,label\ngreat,1\ndull,0\nwhat,2\n")
    assert main(["train", "d.jsonl", "-o", "m.wordplane"]) == 0
    capsys.readouterr()
    assert main(["evaluate", "m.wordplane", "d.csv"]) == 0
    out, err = capsys.readouterr()
    assert "accuracy  66.7%" in out
    assert "does not know the labels '2'" in err
    assert "commonest mistakes\n  1 of 2 called " in out


def test_evaluate_refuses_labels_of_another_kind(model, capsys):
    Path("other.csv").write_text("text,label\na,yes\nb,no\n")
    assert main(["evaluate", model, "other.csv"]) == 2
    assert "the model knows none of the labels ('no', 'yes')" in capsys.readouterr().err
