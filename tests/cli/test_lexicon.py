import json
from pathlib import Path

import pytest

from wordplane import Lexicon
from wordplane.cli import main

ROWS = """\
text,label
a great film,pos
great fun,pos
"great, great cast",pos
fun and film,pos
a dull film,neg
"dull, long",neg
long and dull,neg
not fun,neg
"""


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reviews.csv").write_text(ROWS)
    return "reviews.csv"


def test_table(data, capsys):
    assert main(["lexicon", data, "--min-df", "2", "--ngrams", "1,1"]) == 0
    out, err = capsys.readouterr()
    assert "note: text column: 'text'" in err
    assert out.splitlines() == [
        "word   class         n  precision  recall     F1",
        "dull   neg           3     100.0%   75.0%  85.7%",
        "great  pos           3     100.0%   75.0%  85.7%",
        "long   neg           2     100.0%   50.0%  66.7%",
        "film   pos           3      66.7%   50.0%  57.1%",
        "fun    pos           3      66.7%   50.0%  57.1%",
    ]


def test_one_class_and_its_file(data, capsys):
    options = ["--class", "neg", "--min-df", "2", "--top", "2", "-o", "neg.txt"]
    assert main(["lexicon", data, *options]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["dull", "long"]
    assert "lexicon  neg.txt: 4 words for and against 'neg'" in out
    assert Path("neg.txt").read_text().startswith("# P(neg | word) - P(neg), from reviews.csv\n")
    lexicon = Lexicon.read("neg.txt")
    assert list(lexicon) == ["dull", "long", "great", "film"]
    assert lexicon == pytest.approx({"dull": 0.5, "long": 0.5, "great": -0.5, "film": -1 / 6})


def test_nothing_is_overwritten_unasked(data, capsys):
    Path("mine.txt").write_text("mine 1\n")
    assert main(["lexicon", data, "-o", "mine.txt", "--min-df", "2"]) == 2
    assert "mine.txt exists" in capsys.readouterr().err
    assert Path("mine.txt").read_text() == "mine 1\n"
    assert main(["lexicon", data, "-o", "mine.txt", "--min-df", "2", "--force"]) == 0
    assert "great" in Lexicon.read("mine.txt")


def test_json(data, capsys):
    options = ["--json", "--min-df", "2", "--top", "1", "-o", "l.txt", "--threads", "2"]
    assert main(["lexicon", data, *options]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["source"], result["n_texts"]) == ("reviews.csv", 8)
    assert result["classes"] == {"neg": 4, "pos": 4}
    (word,) = result["words"]
    assert word == {
        "word": "dull", "class": "neg", "n": 3, "precision": 1.0, "recall": 0.75,
        "f1": pytest.approx(6 / 7),
    }  # fmt: skip
    assert result["lexicon"] == {"file": "l.txt", "class": "pos", "n": 2}


def test_rows_marked_test_are_not_learned_from(data, capsys):
    lines = [line + ",train" for line in ROWS.splitlines()[1:]]
    lines += ["secret great,pos,test", "secret dull,neg,test"] * 9
    Path("split.csv").write_text("\n".join(["text,label,split", *lines]))
    assert main(["lexicon", "split.csv", "--min-df", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["n_texts"] == 8
    assert not any("secret" in word["word"] for word in result["words"])
    assert main(["lexicon", "split.csv", "--rows", "test", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_texts"] == 18


def test_counts_and_whole_number_labels_and_weights(data, capsys):
    Path("books.counts").write_text("good:2 book:1 #label#:pos\nbad:1 book:1 #label#:neg\n" * 5)
    assert main(["lexicon", "books.counts", "--json"]) == 0
    words = json.loads(capsys.readouterr().out)["words"]
    assert {word["word"] for word in words} == {"good", "bad"}
    rows = [{"text": t, "label": y, "weight": 2} for t, y in [("good", 1), ("bad", 0)] * 5]
    Path("d.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert main(["lexicon", "d.jsonl", "--class", "1", "--json", "-o", "l.txt"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [(word["word"], word["class"]) for word in result["words"]] == [("good", 1)]
    assert any("weights of the rows are not used" in note for note in result["notes"])


def test_no_word_tells(data, capsys):
    Path("same.csv").write_text("text,label\n" + "the same,a\nthe same,b\n" * 5)
    assert main(["lexicon", "same.csv"]) == 0
    assert "no word speaks for any class" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["absent.csv"], "absent.csv: there is no such file"),
        (
            ["reviews.csv", "--class", "good"],
            "--class is 'good', expected one of the labels neg, pos",
        ),
        (["reviews.csv", "--min-df", "99"], "lower --min-df"),
        (["reviews.csv", "--min-df", "0"], "min_df is 0"),
        (["reviews.csv", "--min-odds", "nan"], "--min-odds is nan"),
        (["reviews.csv", "--top", "0"], "--top is 0"),
        (["reviews.csv", "--ngrams", "3,2"], "ngrams is (3, 2)"),
        (["reviews.csv", "--threads", "0"], "(n_jobs) is 0"),
        (["reviews.csv", "--min-df", "1", "-o", "absent/l.txt"], "there is no folder absent"),
        (["reviews.csv", "--rows", "dev"], "need a column `split`"),
        (["three.csv", "--min-df", "1", "-o", "l.txt"], "name it with --class"),
        (["one.csv"], "all texts have the same label"),
        (["test.csv"], "there is no row to learn from"),
    ],
)
def test_errors_are_one_line(data, args, message, capsys):
    Path("three.csv").write_text("text,label\ngood,a\nbad,b\nmixed,c\n")
    Path("one.csv").write_text("text,label\ngood,a\nbad,a\n")
    Path("test.csv").write_text("text,label,split\ngood,a,test\nbad,b,test\n")
    code = main(["lexicon", *args])
    out, err = capsys.readouterr()
    assert message in err
    assert code == 2
    assert err.startswith("wordplane: ")
    assert err.count("\n") == 1
    assert out == ""
    assert not Path("l.txt").exists()
