"""`wordplane train`.

Tests of wordplane.cli.train, and of wordplane.workflow.remarks.
"""

import csv
import json
from pathlib import Path

import polars as pl
import pytest

import wordplane
from tests.cli.conftest import ROWS
from wordplane import Analyzer
from wordplane.cli import main
from wordplane.selection.grid import grid_search

WORDS = [("great", "pos"), ("dull", "neg")]


def test_train_tells_what_it_did(data, here, capsys):
    assert main(["train", data]) == 0
    out, err = capsys.readouterr()
    assert "text column: 'text'" in err
    assert "reviews.csv: 8 texts, 2 classes (neg 4, pos 4)" in out
    assert "tested    on 8 texts in 8 folds, each by a model trained on the other 7" in out
    assert "always 'neg' would be" in out or "always 'pos' would be" in out
    assert "reviews.wordplane" in out
    assert "trained on 8 texts" in out
    assert wordplane.load("reviews.wordplane").predict(["great"]) == ["pos"]


def test_train_never_overwrites_unasked(data, model, capsys):
    path = Path(model)
    before = path.read_bytes()
    assert main(["train", data, "-o", model]) == 2
    assert "m.wordplane exists" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert main(["train", data, "-o", model, "--force", "--ngrams", "1,1"]) == 0
    assert path.read_bytes() != before


@pytest.mark.parametrize(
    "args",
    [
        ["train", "reviews.csv", "-o", "reviews.csv"],
        ["train", "rev*.csv", "-o", "./reviews.csv"],
        ["train", "reviews.csv", "-o", "link.csv"],
        ["train", "reviews.csv", "--unlabeled", "more.txt", "-o", "more.txt"],
        ["train", "reviews.csv", "-o", "new", "--report", "./new"],
        ["train", "reviews.csv", "-o", "new", "--report", "reviews.csv"],
        ["predict", "m.wordplane", "reviews.csv", "-o", "reviews.csv"],
        ["predict", "m.wordplane", "reviews.csv", "-o", "m.wordplane", "--output-format", "csv"],
        ["report", "m.wordplane", "reviews.csv", "-o", "reviews.csv"],
        ["convert", "reviews.csv", "-o", "reviews.csv"],
        ["convert", "m.wordplane", "-o", "m.wordplane"],
        ["tune", "reviews.csv", "-o", "reviews.csv"],
        ["embed", "reviews.csv", "-o", "reviews.csv"],
        ["lexicon", "reviews.csv", "-o", "reviews.csv"],
        ["cluster", "reviews.csv", "-o", "new", "--assign", "new"],
    ],
)
def test_force_does_not_destroy_what_is_read_or_written_too(model, here, args, capsys):
    (here / "more.txt").write_text("a film\n")
    (here / "link.csv").symlink_to("reviews.csv")
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    capsys.readouterr()
    assert main([*args, "--force"]) == 2
    assert (
        "also read or written by this command; name another file with -" in capsys.readouterr().err
    )
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before


def test_a_model_that_is_trained_further_may_keep_its_name(data, capsys):
    first = ["train", data, "--learner", "perceptron", "--resumable", "-o", "m.wordplane"]
    assert main(first) == 0
    assert main(["update", "m.wordplane", data, "-o", "m.wordplane", "--force"]) == 0


def test_what_stands_in_the_way_of_the_output(data, here, capsys):
    (here / "folder").mkdir()
    assert main(["train", data, "-o", "folder"]) == 2
    assert capsys.readouterr().err == "wordplane: folder is a folder; name a file in it with -o\n"
    (here / "page.html").touch()
    assert main(["train", data, "--report", "page.html"]) == 2
    assert "name another file with --report, or overwrite" in capsys.readouterr().err


def test_train_json(data, capsys):
    assert main(["train", data, "-o", "m.wordplane", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["n_rows"] == 8
    assert result["scores"]["n"] == result["n_test"] == 8
    assert result["model"] == "m.wordplane"
    training = wordplane.load("m.wordplane").training_
    assert json.loads(json.dumps(training.scores.to_dict())) == result["scores"]
    assert training.n_docs == 8


def test_given_split_is_honored(here, capsys):
    rows = ["text,label,split", *(f"{t.replace(',', '')},{y},train" for t, y in ROWS)]
    rows += ["secret great,pos,test", "secret dull,neg,test", "secret dull,pos,test"]
    (here / "d.csv").write_text("\n".join(rows))
    assert main(["train", "d.csv", "-o", "m.wordplane", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["n_train"], result["n_test"]) == (8, 3)
    assert result["scores"]["accuracy"] == pytest.approx(2 / 3)
    assert b"secret" not in (here / "m.wordplane").read_bytes()
    assert main(["evaluate", "m.wordplane", "d.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["n"], found["accuracy"]) == ("test", 3, pytest.approx(2 / 3))
    assert main(["predict", "m.wordplane", "d.csv", "--rows", "test"]) == 0
    assert capsys.readouterr().out.splitlines()[1][:6] == "9,pos,"
    assert main(["evaluate", "m.wordplane", "d.csv", "--rows", "dev"]) == 2
    assert "no row is marked dev" in capsys.readouterr().err


def test_no_test(data, capsys):
    assert main(["train", data, "-o", "m.wordplane", "--no-test", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["scores"], result["n_train"]) == (None, 8)


def test_too_few_rows_to_hold_any_out(here, capsys):
    (here / "d.csv").write_text("text,label\ngood film,a\nbad film,b\n")
    assert main(["train", "d.csv", "-o", "m.wordplane"]) == 0
    assert "not tested: no class has a row to spare" in capsys.readouterr().out


def test_too_few_rows_for_a_report(here, capsys):
    (here / "two.csv").write_text("text,label\ngood,a\nbad,b\n")
    assert main(["train", "two.csv", "--report", "two.html"]) == 2
    out, err = capsys.readouterr()
    assert "model     two.wordplane" in out
    assert "report " not in out
    assert "the model is saved, but no report: nothing was measured; give more texts" in err


def test_features_and_learner_options(data, capsys):
    options = ["--ngrams", "2", "--min-df", "1", "--tf", "binary", "--boundaries", "--no-lowercase"]
    learner = ["--learner", "nb", "--param", "alpha=0.5", "--threads", "2", "--seed", "3"]
    assert main(["train", data, "-o", "m.wordplane", *options, *learner]) == 0
    loaded = wordplane.load("m.wordplane")
    expected = Analyzer(ngrams=(1, 2), lowercase=False, boundaries=True, tf="binary")
    assert loaded.analyzer.get_params() == expected.get_params()
    assert loaded.training_.learner_text == "MultinomialNB(alpha=0.5)"


@pytest.mark.filterwarnings("default")
def test_warnings_are_notes(data, capsys):
    options = ["--learner", "svm", "--param", "max_iter=1", "--no-test", "-o", "m.wordplane"]
    assert main(["train", data, *options]) == 0
    err = capsys.readouterr().err
    assert "note: LinearSVM stopped after max_iter=1 passes" in err
    assert "for_text.py" not in err


@pytest.mark.filterwarnings("default")
def test_learners_that_stop_early_are_noted_once(data, capsys):
    options = ["--learner", "svm", "--grid", "max_iter=1", "--folds", "4"]
    assert main(["tune", data, *options]) == 0
    assert capsys.readouterr().err.count("note: LinearSVM stopped after") == 1


def test_groups_of_features(data, capsys):
    def analyzer(*options):
        assert main(["train", data, "-o", "m.wordplane", "--force", "--no-test", *options]) == 0
        return wordplane.load("m.wordplane").analyzer

    recipe = analyzer()
    assert (recipe.ngrams, recipe.chars) == ((1, 2), (2, 6))
    words = analyzer("--features", "word")  # all else as the recipe has it
    assert words.get_params() == {**recipe.get_params(), "chars": None}
    found = analyzer("--features", "char, suffix,shape", "--suffixes", "3")
    assert (found.ngrams, found.chars, list(found.suffixes)) == (None, (2, 6), [3])
    assert (found.shapes, found.lengths, list(found.prefixes)) == (True, False, [])
    assert analyzer("--features", "word", "--ngrams", "1,3").ngrams == (1, 3)

    args = ["train", data, "-o", "x.wordplane", "--features"]
    assert main([*args, "word", "--chars", "2,3"]) == 2
    assert "--chars is of the group char, which --features word does not" in capsys.readouterr().err
    for wrong, told in (("words", "'words' is none of word, char"), ("lexicon", "--lexica")):
        with pytest.raises(SystemExit):
            main([*args, wrong])
        assert told in capsys.readouterr().err


def test_every_kind_of_feature_from_the_command_line(here, capsys):
    (here / "mails.csv").write_text(
        "text,label,links,sender\n" + "hello bob,ham,0,bob\nBUY now,spam,7,007\n" * 5
    )
    (here / "mood.tsv").write_text("buy\t-1\nhello\t1\n")
    (here / "deals.txt").write_text("now\nfor free\n")
    options = ["--chars", "2,3", "--suffixes", "2,3", "--shapes", "--negation", "--idf", "smooth"]
    options += ["--triggers", "deals.txt", "--known-words", "deals.txt", "--weights", "char=0.5"]
    assert main(["train", "mails.csv", "-o", "m.wordplane", *options]) == 0
    features = wordplane.load("m.wordplane").model_.features
    names = [features.name(j) for j in range(features.n_features)]
    assert {"trigger:any:deals", "shape:MISSPELT", "suffix:ow", "char:bu"} <= set(names)
    files = ["--lexica", "mood.tsv", "--extra", "links", "--extra", "sender"]
    assert main(["train", "mails.csv", "-o", "n.wordplane", *files]) == 0
    loaded = wordplane.load("n.wordplane")
    assert {"lexicon:mood:min", "links", "sender=007"} <= set(loaded.model_.features.dense.names)
    capsys.readouterr()
    assert main(["evaluate", "n.wordplane", "mails.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1.0
    assert main(["predict", "n.wordplane", "mails.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[2].startswith("2,spam,")
    assert main(["train", "mails.csv", "-o", "x.wordplane", "--learner", "nb", *files]) == 2
    assert "the column 'links' (--extra) has numbers below 0" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["train", "mails.csv", "-o", "x.wordplane", "--lexica", "absent.tsv"])
    assert "absent.tsv: there is no such file" in capsys.readouterr().err


def test_counts_files_are_read_as_counts(here, capsys):
    (here / "books.counts").write_text("good:2 book:1 #label#:pos\nbad:1 book:1 #label#:neg\n")
    assert main(["train", "books.counts", "-o", "m.wordplane"]) == 0
    assert wordplane.load("m.wordplane").analyzer.tokens == "counts"
    (here / "new.txt").write_text("good:9\nbad\n")
    assert main(["predict", "m.wordplane", "new.txt"]) == 2
    assert "document 1: 'bad' is not word:count" in capsys.readouterr().err


def test_the_model_remembers_its_text_columns(here, capsys):
    rows = [f"{text.replace(',', '')},none,{label}" for text, label in ROWS]
    (here / "d.csv").write_text("\n".join(["title,body,label", *rows]))
    assert main(["train", "d.csv", "--text", "title", "-o", "m.wordplane"]) == 0
    (here / "new.csv").write_text("body,title\ndull,great\n")
    capsys.readouterr()
    assert main(["predict", "m.wordplane", "new.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1,pos,")


def test_dev_rows_are_measured_not_trained_on(here, capsys):
    rows = [f"{t.replace(',', '')},{y},train" for t, y in ROWS]
    (here / "d.csv").write_text("\n".join(["text,label,split", *rows, "secret,pos,dev"]))
    assert main(["train", "d.csv", "-o", "m.wordplane", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["n_train"], result["n_test"]) == (8, 1)
    assert result["tested_on"] == "marked dev, never trained on"
    assert b"secret" not in (here / "m.wordplane").read_bytes()


@pytest.mark.slow
@pytest.mark.data
def test_real_reviews(dataset, here, capsys):
    path = str(here / "fifth.parquet")
    pl.read_parquet(dataset("imdb")).gather_every(5).write_parquet(path)
    assert main(["train", path, "-o", "m.wordplane", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["n_train"], result["n_test"]) == (5_000, 5_000)
    assert result["scores"]["accuracy"] > 0.86
    assert main(["predict", "m.wordplane", path, "--rows", "test", "-o", "out.csv"]) == 0
    table = pl.read_csv("out.csv")
    truth = pl.read_parquet(path).with_row_index("row", offset=1).filter(pl.col("split") == "test")
    assert table["id"].to_list() == truth["row"].to_list()
    share = (table["label"] == truth["label"].cast(pl.String)).mean()
    assert share == pytest.approx(result["scores"]["accuracy"])


def test_train_wonders_about_labels_that_no_two_texts_share(here, capsys):
    rows = "".join(f"text {i % 7},name{i}\n" for i in range(30))
    Path("r.csv").write_text("text,label\n" + rows)
    assert main(["train", "r.csv", "--no-test"]) == 0
    assert (
        "column 'label' has 30 different values in 30 rows: are these the labels? If another "
        "column has the labels, name it with --label"
    ) in capsys.readouterr().err


@pytest.mark.parametrize("time", ["", "T10:00:00"])
def test_train_wonders_about_labels_that_are_dates(here, capsys, time):
    rows = "".join(f"text {i % 7},2024-05-{i % 4 + 10}{time}\n" for i in range(40))
    Path("r.csv").write_text("text,date\n" + rows)
    assert main(["train", "r.csv", "--label", "date", "--no-test"]) == 0
    assert (
        f"column 'date' looks like dates, such as '2024-05-10{time}'. If another column has the "
        "labels, name it with --label; --time date tests on the latest texts"
    ) in capsys.readouterr().err


def test_other_columns_of_text_are_told(here, capsys):
    Path("r.csv").write_text("subject,body,y\n" + "we all do like,good day to you all,a\n" * 3)
    corpus = wordplane.read("r.csv")
    told = "other columns look like text, too: join them with "
    assert corpus.notes[-1] == told + "`text=['body', 'subject']`"
    assert main(["audit", "r.csv"]) == 2  # one label
    Path("s.csv").write_text("subject,body,y\n" + "we all do like,good day to you all,a\n" * 3 +
                             "we all do hate,bad day to you all,b\n" * 3)  # fmt: skip
    assert main(["train", "s.csv"]) == 0
    assert told + "--text body --text subject" in capsys.readouterr().err
    assert len(wordplane.read("r.csv", text=["subject", "body"]).notes) == 1


def test_train_tunes_on_the_rows_that_it_does_not_measure_on(here, capsys, monkeypatch):
    rows = [(f"{word} film number {i}", label) for i in range(30) for word, label in WORDS]
    with (here / "more.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    seen = []

    def search(*args, **kwargs):
        seen.append(list(args[3].texts))
        return grid_search(*args, **kwargs)

    monkeypatch.setattr("wordplane.workflow.tuning.grid_search", search)
    assert main(["train", "more.csv", "--learner", "nb", "--tune", "-o", "m.wordplane"]) == 0
    (texts,) = seen
    model = wordplane.load("m.wordplane")
    assert len(texts) == 54 and len(rows) == 60
    assert main(["train", "more.csv", "--learner", "nb", "-o", "n.wordplane"]) == 0
    held_out = {text for text, _ in rows} - set(texts)
    classifier = wordplane.TextClassifier(learner="nb").fit(*map(list, zip(*rows, strict=True)))
    assert held_out == {rows[row][0] for row in classifier.holdout_.rows}
    assert "alpha=" in model.training_.learner_text
    assert main(["train", "more.csv", "--tune", "--budget", "5s", "-o", "r.wordplane"]) == 0
    capsys.readouterr()
    assert main(["tune", "more.csv", "--learner", "nb", "--ngrams", "1,2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["complete"]
    assert main(["train", "more.csv", "--budget", "5s"]) == 2
    assert "--budget is the time for --tune" in capsys.readouterr().err
    assert main(["train", "more.csv", "--tune", "--unlabeled", "more.csv"]) == 2
    assert "--tune does not go with --unlabeled" in capsys.readouterr().err


WORDS = [("great", "pos"), ("dull", "neg")]
