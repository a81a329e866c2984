"""`wordplane annotate` without its page, which tests/serving has."""

import json

import pytest

import wordplane
from tests.annotation.conftest import TEXTS, truth
from wordplane.annotation import Project
from wordplane.cli import main


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f'"{text}",{truth(text) if i < 30 else ""}\n' for i, text in enumerate(TEXTS)]
    (tmp_path / "t.csv").write_text("text,label\n" + "".join(rows))
    return tmp_path


@pytest.mark.slow
def test_partly_labeled_texts_become_a_project_a_model_and_tables(texts, capsys):
    assert main(["annotate", "t.csv", "--labels", "spam,ham,other", "--status", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["project"] == "t.db" and status["progress"]["n_labeled"] == 30
    assert set(status["progress"]["per_label"]) == {"spam", "ham", "other"}
    assert main(["annotate", "t.db", "--model", "m.wordplane", "--export", "l.jsonl"]) == 0
    said = capsys.readouterr().out
    assert "m.wordplane" in said and "30 of 80 texts" in said
    assert wordplane.load("m.wordplane").predict(["cheap prize"]).tolist() == ["spam"]
    assert len(wordplane.read("l.jsonl")) == 30
    assert main(["annotate", "t.db", "--export", "l.jsonl"]) == 2  # not overwritten unasked
    assert main(["train", "t.db", "-o", "n.wordplane"]) == 0
    assert main(["evaluate", "n.wordplane", "t.db"]) == 0
    assert main(["audit", "t.db"]) == 0


def test_labels_of_another_file(texts, capsys):
    (texts / "u.txt").write_text("\n".join(TEXTS))
    main(["annotate", "u.txt", "--status"])
    capsys.readouterr()
    (texts / "more.csv").write_text(f'text,label\n"{TEXTS[0]}",spam\nother,spam\n')
    assert main(["annotate", "u.db", "--import", "more.csv", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [result[name] for name in ("imported", "kept", "unknown")] == [1, 0, 1]
    assert result["added"] == ["spam"]
    (texts / "more.csv").write_text(f'text,label\n"{TEXTS[0]}",Spam\n"{TEXTS[1]}",Spam\n')
    assert main(["annotate", "u.db", "--import", "more.csv"]) == 0
    shown = capsys.readouterr().out
    assert "imported   1\nkept       1\nunknown    0\nadded      labels Spam\n" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["t.db", "--multi", "--status"], "has one label per text"),
        (["none.csv"], "none.csv"),
        (["-"], "need a name for the project"),
        (["t.db", "--model", "m.wordplane"], "no two different labels"),
        (["t.csv", "--project", "t.csv"], "not the file of a project"),
        (["t.db", "--host", "0.0.0.0"], "which other machines can reach"),
    ],
)
def test_what_is_refused(texts, capsys, arguments, said):
    Project.create("t.db", ["a b"], labels=["x"]).close()
    assert main(["annotate", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_screening_can_begin_later_but_only_for_one_label(texts, capsys):
    assert main(["annotate", "t.csv", "--status"]) == 0
    assert main(["annotate", "t.db", "--find", "spam", "--status"]) == 0
    with Project.open("t.db") as project:
        assert project.screening.found == 16
    assert main(["annotate", "t.db", "--find", "ham", "--status"]) == 2
    assert "looks for 'spam'" in capsys.readouterr().err
