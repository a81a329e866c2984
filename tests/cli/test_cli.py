import contextlib
import csv
import gzip
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import wordplane
from wordplane import Analyzer
from wordplane.cli import VERBS, main
from wordplane.model.training import Training
from wordplane.selection.grid import grid_search

ROWS = [
    ("a great film", "pos"), ("great fun", "pos"), ("really great, great cast", "pos"),
    ("fun and great", "pos"), ("a dull film", "neg"), ("dull, long", "neg"),
    ("really dull, poor cast", "neg"), ("long and dull", "neg"),
]  # fmt: skip


def wordplane_process(*args, **kwargs):
    return subprocess.run(
        [sys.executable, "-m", "wordplane", *args], capture_output=True, timeout=60, **kwargs
    )


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def data(here):
    with (here / "reviews.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *ROWS])
    return "reviews.csv"


@pytest.fixture
def model(data):
    assert main(["train", data, "-o", "m.wordplane", "--json"]) == 0
    return "m.wordplane"


def test_train_tells_what_it_did(data, here, capsys):
    assert main(["train", data]) == 0
    out, err = capsys.readouterr()
    assert "text column: 'text'" in err
    assert "reviews.csv: 8 texts, 2 classes (neg 4, pos 4)" in out
    assert "tested    on 1 texts held out, by a model trained on the other 7" in out
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
    assert result["scores"]["n"] == 1
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


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_predict_writes_a_row_per_row(here, model, form, capsys):
    texts = ["great", "", "dull\x00", "unheard-of", 'quo"te, comma', "😀"]
    ids = ["7", "7", "x,y", "ä", "5", "6"]
    pl.DataFrame({"id": ids, "text": texts}).write_parquet("in.parquet")
    assert main(["predict", model, "in.parquet", "-o", f"out.{form}"]) == 0
    path = here / f"out.{form}"
    if form == "csv":
        rows = list(csv.DictReader(path.read_text().splitlines()))
    elif form == "jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        rows = pl.read_parquet(path).to_dicts()
    loaded = wordplane.load(model)
    assert [row["id"] for row in rows] == ids
    assert [row["label"] for row in rows] == loaded.predict(texts).tolist()
    expected = loaded.predict_proba(texts).max(axis=1)
    assert [float(row["probability"]) for row in rows] == pytest.approx(expected, abs=1e-6)
    assert main(["predict", model, "in.parquet", "-o", f"out.{form}"]) == 2
    assert main(["predict", model, "in.parquet", "-o", f"out.{form}", "--force"]) == 0
    capsys.readouterr()


def test_labels_are_those_of_predict_where_probabilities_tie(here, capsys):
    (here / "d.csv").write_text("text,label\ngood x,a\nbad y,b\n")
    assert main(["train", "d.csv", "-o", "m.wordplane", "--learner", "nb"]) == 0
    loaded = wordplane.load("m.wordplane")
    loaded.model_.b[:] = 1e-18
    loaded.model_.__post_init__()
    assert loaded.predict_proba([""]).tolist() == [[0.5, 0.5]]
    loaded.save("tie.wordplane")
    (here / "in.txt").write_text("?\n")
    capsys.readouterr()
    assert main(["predict", "tie.wordplane", "in.txt"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"1,{loaded.predict(['?'])[0]},0.5"


def test_predict_many_batches_in_order(here, model):
    with gzip.open("many.txt.gz", "wt") as file:
        file.writelines(f"{'great' if i % 3 else 'dull'} {i}\n" for i in range(25_000))
    for name in ("out.csv", "out.parquet"):
        assert main(["predict", model, "many.txt.gz", "-o", name]) == 0
    table = pl.read_csv("out.csv", schema_overrides={"id": pl.String})
    assert table["id"].to_list() == [str(i) for i in range(1, 25_001)]
    assert table["label"].to_list() == ["pos" if i % 3 else "neg" for i in range(25_000)]
    assert table.equals(pl.read_parquet("out.parquet"))


def test_predict_from_stdin_to_stdout(model):
    done = wordplane_process("predict", model, "-", input=b"great film\nso dull\n")
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "id,label,probability"
    assert [line.split(",")[:2] for line in lines[1:]] == [["1", "pos"], ["2", "neg"]]
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_each_line_of_a_pipe_is_answered_as_it_comes(here, model, options):
    process = subprocess.Popen(
        [sys.executable, "-m", "wordplane", "predict", model, "-", *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process.stdin, process.stdout:
        for number, text in enumerate(["great film", "dull film", "great fun"], 1):
            process.stdin.write(text + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()  # would wait for ever if the line were kept
            if number == 1 and not options:
                assert answer == "id,label,probability\n"
                answer = process.stdout.readline()
            assert (json.loads(answer)["id"] if options else answer.split(",")[0]) == str(number)
        process.stdin.write("x\n" * 3000 + "the last has no end of line")
        process.stdin.close()
        assert len(process.stdout.readlines()) == 3001
    assert process.wait(timeout=60) == 0


def test_a_broken_pipe_is_no_drama(model):
    Path("many.txt").write_bytes(b"great\n" * 200_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "wordplane", "predict", model, "many.txt"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process.stdout, process.stderr:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 141


def test_models_and_data_are_told_apart(model, data, capsys):
    capsys.readouterr()
    assert main(["train", model]) == 2
    assert capsys.readouterr().err == f"wordplane: {model} is a model, not data\n"
    for verb in ("predict", "evaluate", "report"):
        assert main([verb, data, model]) == 2
        hint = f"the model comes first: wordplane {verb} {model} {data}\n"
        assert capsys.readouterr().err.endswith(hint)


def test_predict_says_what_it_wrote(model, data, capsys):
    capsys.readouterr()
    assert main(["predict", model, data, "-o", "o.csv"]) == 0
    assert capsys.readouterr().err.endswith("wrote 8 rows to o.csv\n")
    assert main(["predict", model, data]) == 0
    assert "wrote" not in capsys.readouterr().err


def test_a_model_is_not_poured_into_a_terminal(model, capsys, monkeypatch):
    capsys.readouterr()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["convert", model]) == 2
    out, err = capsys.readouterr()
    assert "name a file with -o" in err
    assert out == ""
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert main(["convert", "m.wordplane"]) == 0
    assert capsys.readouterr().out.startswith("{")


def test_a_failed_predict_leaves_no_file(here, model, capsys):
    (here / "in.txt").write_bytes(b"fine\n" * 15_000 + b"\xff\n")
    assert main(["predict", model, "in.txt", "-o", "out.csv"]) == 2
    assert "row 15001: byte 0xff" in capsys.readouterr().err
    assert not (here / "out.csv").exists()
    assert not list(here.glob(".*tmp"))


def test_rows_go_to_the_file_even_on_a_terminal(here, model):
    """stderr is a terminal, so a progress bar is drawn; stdout is a file."""
    (here / "in.txt").write_text("great\n" * 20_000)
    try:
        leader, follower = pty.openpty()
    except OSError:
        pytest.skip("this system has no pseudo-terminals")
    with (here / "out.csv").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "wordplane", "predict", model, "in.txt"],
            stdout=out, stderr=follower,
        )  # fmt: skip
        os.close(follower)
        shown = b""
        with contextlib.suppress(OSError):  # a terminal that nobody writes to any more
            while chunk := os.read(leader, 65536):
                shown += chunk
    os.close(leader)
    assert process.wait(timeout=60) == 0
    assert (here / "out.csv").read_text().count("\n") == 20_001
    assert b"rows labeled" in shown
    assert b"pos" not in shown


def test_rows_before_the_wanted_ones(here, model):
    rows = [f"great,pos,{'train' if i < 15_000 else 'test'}" for i in range(25_000)]
    (here / "in.csv").write_text("\n".join(["text,label,split", *rows]))
    for name in ("out.parquet", "out.csv"):
        assert main(["predict", model, "in.csv", "--rows", "test", "-o", name]) == 0
    assert pl.read_parquet("out.parquet")["id"].to_list() == [str(i) for i in range(15_001, 25_001)]
    assert pl.read_csv("out.csv").height == 10_000


def test_predict_needs_nothing_but_the_texts(here, model, capsys):
    (here / "in.jsonl").write_text('{"text": "great", "rating": 4.5, "weight": null}\n')
    assert main(["predict", model, "in.jsonl", "-o", "-"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1,pos,")


def test_the_model_remembers_its_text_columns(here, capsys):
    rows = [f"{text.replace(',', '')},none,{label}" for text, label in ROWS]
    (here / "d.csv").write_text("\n".join(["title,body,label", *rows]))
    assert main(["train", "d.csv", "--text", "title", "-o", "m.wordplane"]) == 0
    (here / "new.csv").write_text("body,title\ndull,great\n")
    capsys.readouterr()
    assert main(["predict", "m.wordplane", "new.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1,pos,")


@pytest.fixture
def two_texts(here):
    """A model of `title` and `verdict`, where `body` and `label` would be guessed."""
    label = {"pos": "good", "neg": "bad"}
    rows = [f"{i % 2},{t.replace(',', '')},none of it,{label[y]}" for i, (t, y) in enumerate(ROWS)]
    (here / "d.csv").write_text("\n".join(["label,title,body,verdict", *rows]))
    columns = ["--text", "title", "--label", "verdict"]
    assert main(["train", "d.csv", *columns, "-o", "m.wordplane", "--json"]) == 0
    return "m.wordplane"


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


def test_what_tune_saves_remembers_its_columns(data, capsys):
    tune = ["tune", data, "--grid", "C=1", "--folds", "2", "--text", "text", "--label", "label"]
    assert main([*tune, "-o", "t.wordplane"]) == 0
    training = wordplane.load("t.wordplane").training_
    assert (training.text_columns, training.label_column) == (("text",), "label")


def test_dev_rows_are_measured_not_trained_on(here, capsys):
    rows = [f"{t.replace(',', '')},{y},train" for t, y in ROWS]
    (here / "d.csv").write_text("\n".join(["text,label,split", *rows, "secret,pos,dev"]))
    assert main(["train", "d.csv", "-o", "m.wordplane", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["n_train"], result["n_test"]) == (8, 1)
    assert result["tested_on"] == "marked dev, never trained on"
    assert b"secret" not in (here / "m.wordplane").read_bytes()


def test_text_of_strangers_does_not_steer_the_terminal(here, capsys):
    (here / "d.csv").write_text("text,label\ngood,a\x1b[2J\nbad,b\n")
    assert main(["train", "d.csv", "-o", "m.wordplane"]) == 0
    assert main(["inspect", "m.wordplane"]) == 0
    assert main(["evaluate", "m.wordplane", "d.csv"]) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "a\\x1b[2J" in out


def test_inspect_bears_an_empty_training_record(model, capsys):
    loaded = wordplane.load(model)
    loaded.model_.training = Training()
    loaded.save("odd.wordplane")
    assert main(["inspect", "odd.wordplane"]) == 0
    assert "trained   by unknown on unknown texts" in capsys.readouterr().out


def test_more_threads_than_can_be_had(model, data):
    done = wordplane_process("predict", model, data, "--threads", "100000")
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == len(ROWS) + 1


@pytest.mark.parametrize("redirect", [">&-", "<&-", "2>&-"])
def test_closed_streams(model, redirect):
    command = f"{sys.executable} -m wordplane predict {model} reviews.csv {redirect}"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=60)
    assert b"Traceback" not in done.stderr


def test_a_terminal_without_unicode(here):
    (here / "d.csv").write_text("text,label\ngood,😀\nbad,b\n", encoding="utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    assert wordplane_process("train", "d.csv", "-o", "m.wordplane", env=env).returncode == 0
    done = wordplane_process("predict", "m.wordplane", "d.csv", env=env)
    assert "1,😀," in done.stdout.decode("utf-8")


def test_interrupted(here, model):
    process = subprocess.Popen(
        [sys.executable, "-m", "wordplane", "predict", model, "-", "-o", "out.csv"],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        # a process started in the background by a script would ignore Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    with process.stdin, process.stderr:
        process.stdin.write(b"great\n" * 30_000)
        process.stdin.flush()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b"wordplane: interrupted\n"
    assert process.wait(timeout=60) == 130
    assert sorted(path.name for path in here.iterdir()) == ["m.wordplane", "reviews.csv"]


def test_evaluate(model, data, capsys):
    assert main(["evaluate", model, data]) == 0
    out = capsys.readouterr().out
    assert "measured  8 texts\n" in out
    assert "accuracy  100.0%" in out
    assert "always 'neg' would be 50.0%" in out
    (row,) = (line for line in out.splitlines() if line.startswith("pos"))
    assert row.split() == ["pos", "4", "100.0%", "100.0%", "100.0%"]
    assert "macro F1  100.0% (95 % interval 67.6% to 100.0%); always 'neg' would be 33.3%" in out
    assert "log-loss  0." in out
    assert "commonest mistakes" not in out


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


def test_inspect(model, capsys):
    assert main(["inspect", model, "--top", "1"]) == 0
    out = capsys.readouterr().out
    assert "classes   neg, pos" in out
    assert "  pos: great\n" in out
    assert main(["inspect", model, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["classes"] == ["neg", "pos"]
    assert result["top_features"]["neg"][0][0] == "dull"
    assert result["analyzer"]["ngrams"] == [1, 2]


def test_inspect_tells_the_alpha_that_was_chosen(data, capsys):
    for given, told in ([], ", which chose alpha=1,"), (["--param", "alpha=0.5"], ""):
        assert (
            main(["train", data, "--learner", "nb", *given, "-o", "nb.wordplane", "--force"]) == 0
        )
        capsys.readouterr()
        assert main(["inspect", "nb.wordplane"]) == 0
        alpha = "0.5" if given else "'auto'"
        assert f"by MultinomialNB(alpha={alpha}){told} on 8 texts" in capsys.readouterr().out


def test_demo(here, capsys):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "always 'asyncio' would be" in out
    assert " predict demo.wordplane -" in out
    assert len(wordplane.load("demo.wordplane").classes_) == 10
    assert main(["demo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]["accuracy"] > 0.6
    (here / "demo.wordplane").write_text("mine")
    assert main(["demo"]) == 2
    assert "not from an earlier demo" in capsys.readouterr().err
    assert (here / "demo.wordplane").read_text() == "mine"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["train", "absent.csv"], "absent.csv: there is no such file"),
        (["train", "absent.wordplane", "-o", "m"], "absent.wordplane: there is no such file"),
        (["train", "one.csv"], "every text has the label 'a'"),
        (["train", "test.csv"], "no row is marked train"),
        (["train", "empty.csv"], "empty.csv has no rows"),
        (["train", "wordless.csv"], "texts has a word"),
        (["train", "d.csv", "--label", "lable"], "lable"),
        (["train", "d.csv", "--min-df", "99"], "lower --min-df"),
        (["train", "d.csv", "--min-df", "0"], "min_df is 0"),
        (["train", "d.csv", "--threads", "0"], "(n_jobs) is 0"),
        (["train", "d.csv", "--param", "alpha"], "expected NAME=VALUE"),
        (["train", "d.csv", "--learner", "nb", "--param", "alpha=x"], "alpha is 'x'"),
        (["train", "d.csv", "--learner", "nb", "--param", "beta=1"], "parameter 'beta'"),
        (["train", "d.csv", "--param", "gamma=1"], "name it with --learner"),
        (["train", "d.csv", "-o", "absent/m.wordplane"], "there is no folder absent"),
        (["predict", "d.csv", "d.csv"], "d.csv: this is not a Wordplane model"),
        (["predict", "absent.wordplane", "d.csv"], "absent.wordplane: there is no such file"),
        (["evaluate", "absent.wordplane", "d.csv"], "no such file"),
        (["inspect", "."], "cannot be read"),
        (["compare", "d.csv"], "5 folds need at least 5 texts, there are 2: give more"),
        (["tune", "d.csv", "--folds", "3"], "3 folds need at least 3 texts, there are 2: give"),
        (["diagnose", "d.csv", "--folds", "1"], "--folds is 1, expected at least 2"),
    ],
)
def test_errors_are_one_line(here, args, message, capsys):
    (here / "d.csv").write_text("text,label\ngood,a\nbad,b\n")
    (here / "one.csv").write_text("text,label\ngood,a\nbad,a\n")
    (here / "test.csv").write_text("text,label,split\ngood,a,test\nbad,b,test\n")
    (here / "empty.csv").write_text("text,label\n")
    (here / "wordless.csv").write_text("text,label\n ,a\n ,b\n")
    code = main(args)
    out, err = capsys.readouterr()
    assert message in err
    assert code == 2
    assert err.startswith("wordplane: ")
    assert err.count("\n") == 1
    assert out == ""
    assert not list(here.glob("*.wordplane"))


@pytest.mark.parametrize("args", [[], ["fly"], ["train"], ["train", "d.csv", "--ngrams", "x"]])
def test_usage_errors(args, capsys):
    with pytest.raises(SystemExit) as stop:
        main(args)
    assert stop.value.code == 2
    assert ("see wordplane" if args else "usage: wordplane") in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_help_teaches(verb, capsys):
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "examples:" in out
    assert f"wordplane {verb}" in out


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"wordplane {wordplane.__version__}\n"


def test_no_color_codes_off_a_terminal(model, data):
    done = wordplane_process("evaluate", model, data, env={**os.environ, "TERM": "xterm"})
    assert b"\x1b" not in done.stdout + done.stderr


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("trian r.csv", "wordplane: there is no verb 'trian' (did you mean train?); see wordplane"),
        ("train r.csv --lerner nb", "train: there is no option --lerner (did you mean --learner?)"),
        ("train r.csv --model m", "train: there is no option --model; see wordplane train --help"),
        ("train r.csv --lerner=nb", "train: there is no option --lerner=nb (did you mean --learn"),
        ("train r.csv --ngrams 2-3", "argument --ngrams: '2-3' is not a range of numbers such as"),
        ("predict", "wordplane predict: the following arguments are required: model, data; see w"),
    ],
)
def test_mistyped_commands_get_one_line(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_evaluate_refuses_labels_of_another_kind(model, capsys):
    Path("other.csv").write_text("text,label\na,yes\nb,no\n")
    assert main(["evaluate", model, "other.csv"]) == 2
    assert "the model knows none of the labels ('no', 'yes')" in capsys.readouterr().err


def test_train_wonders_about_labels_that_no_two_texts_share(here, capsys):
    rows = "".join(f"text {i % 7},name{i}\n" for i in range(30))
    Path("r.csv").write_text("text,label\n" + rows)
    assert main(["train", "r.csv", "--no-test"]) == 0
    assert "30 classes for 30 texts: are these the labels?" in capsys.readouterr().err


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


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("Q=1,10", "--grid: there is no parameter Q; LinearSVM has C, "),
        ("c=1", "; the features have tokens, ngrams, "),
        ("C", "--grid is 'C', expected NAME=VALUE,VALUE such as C=0.1,1"),
    ],
)
def test_mistakes_in_a_grid(data, capsys, grid, message):
    assert main(["tune", data, "--grid", grid]) == 2
    assert message in capsys.readouterr().err


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
