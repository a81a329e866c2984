"""Tests of wordplane.cli.embed, wordplane.cli.neighbors and wordplane.cli.cluster.

Also of wordplane.report.clusters.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import wordplane
from wordplane import Analyzer, TextClassifier, WordEmbeddings
from wordplane.cli import main

ROWS = """\
text,label
"good <script>alert(1)</script> film & cast",pos
good film,pos
"good cast, fine film",pos
bad plot,neg
"bad, dull plot",neg
dull plot and film,neg
market stock prices,
stock market falls,
"""


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(ROWS)
    return "t.csv"


def test_embed_then_neighbors(data, capsys):
    assert main(["embed", data, "-o", "e.embeddings", "--min-count", "2", "--window", "2"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("e.embeddings: 12 words of 8 texts, vectors of 12 numbers\n")
    assert "note: text column: 'text'" in err
    expected = WordEmbeddings.load("e.embeddings").neighbors("plot", 2)
    assert main(["neighbors", "e.embeddings", "plot", "--top", "2"]) == 0
    shown = ", ".join(f"{word} {cosine:.2f}" for word, cosine in expected)
    assert capsys.readouterr().out == f"plot: {shown}\n"
    assert main(["neighbors", "e.embeddings", "Plot", "film", "--top", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["neighbors"]
    assert [near["word"] for near in found["Plot"]] == [word for word, _ in expected]
    assert len(found["film"]) == 2


def test_vectors_of_texts(data, capsys):
    options = ["--min-count", "1", "--n-components", "3"]
    assert main(["embed", data, "-o", "e.embeddings", *options]) == 0
    texts = list(wordplane.read(data, skip_unlabeled=False).texts)
    expected = WordEmbeddings.load("e.embeddings").transform(texts)
    assert main(["embed", data, "--words", "e.embeddings", "-o", "new.npy"]) == 0
    assert np.array_equal(np.load("new.npy"), expected)
    assert main(["embed", data, "-o", "own.npy", *options]) == 0
    assert "own.npy: 8 texts, vectors of 3 numbers" in capsys.readouterr().out
    assert np.allclose(np.load("own.npy"), expected)
    Path("v.txt").write_text("good 1 0\nbad 0 1\n")  # of others
    assert main(["embed", data, "--words", "v.txt", "-o", "v.npy"]) == 0
    assert np.load("v.npy")[[1, 3, 6]].tolist() == [[1, 0], [0, 1], [0, 0]]
    train = ["train", data, "--vectors", "new.npy", "--skip-unlabeled", "--no-test"]
    assert main([*train, "-o", "m.wordplane"]) == 2  # no row can be left out
    assert main(["embed", data, "--words", "v.txt", "-o", "x.embeddings"]) == 2
    assert main(["embed", data, "--words", "v.txt", "-o", "x.npy", "--window", "2"]) == 2


def test_a_map_of_words(data, capsys):
    pytest.importorskip("vl_convert")
    Path("v.txt").write_text("".join(f"w{i} {i} {i * i}\n" for i in range(8)))
    assert main(["neighbors", "v.txt", "w3", "--top", "3", "--map", "words.svg"]) == 0
    assert "w3" in Path("words.svg").read_text()
    assert main(["neighbors", "v.txt", "w3", "--map", "words.svg"]) == 2
    assert "words.svg exists" in capsys.readouterr().err


@pytest.mark.slow
def test_embeddings_train_a_model(data, capsys):
    main(["embed", data, "-o", "e.embeddings", "--min-count", "1"])
    Path("l.csv").write_text("".join(ROWS.splitlines(keepends=True)[:7]))
    options = ["--pretrained", "e.embeddings", "--no-test", "-o", "m.wordplane"]
    assert main(["train", "l.csv", *options]) == 0
    capsys.readouterr()
    Path("new.txt").write_text("good film\ndull plot\n")
    assert main(["predict", "m.wordplane", "new.txt"]) == 0
    labels = [line.split(",")[1] for line in capsys.readouterr().out.splitlines()[1:]]
    assert labels == ["pos", "neg"]


def test_prediction_with_embeddings_loads_nothing_heavy(data):
    import subprocess

    main(["embed", data, "-o", "e.embeddings", "--min-count", "1"])
    Path("l.csv").write_text("".join(ROWS.splitlines(keepends=True)[:7]))
    analyzer = Analyzer(embeddings={"e": WordEmbeddings.load("e.embeddings")})
    corpus = wordplane.read("l.csv")
    TextClassifier(analyzer, "svm", calibration=None).fit(corpus.texts, corpus.labels).save(
        "m.wordplane"
    )
    code = (
        "import sys; from wordplane.cli import main; main(['predict', 'm.wordplane', 'l.csv']);"
        "assert not {'sklearn', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("embed t.csv -o e", "no word occurs 5 times or more in the 8 texts; lower --min-count"),
        ("embed t.csv -o e --power 3", "power is 3.0, expected a number from 0 to 1"),
        ("embed t.csv -o no/e", "there is no folder no"),
        ("neighbors t.csv film", "t.csv, line 1: expected a word and numbers"),
        ("neighbors no film", "no: there is no such file"),
        ("cluster t.csv -k 9", "n_samples=8 rows for n_clusters=9"),
        ("cluster t.csv -k 1 --seeded", "the seeds have 2 different labels"),
        ("cluster no.csv", "no.csv: there is no such file"),
        ("cluster t.csv --min-df 9", "lower --min-df or raise --max-df"),
        ("train t.csv --skip-unlabeled --pretrained t.csv", "t.csv, line 1: expected a word"),
    ],
)
def test_errors(data, capsys, command, message):
    try:
        code = main(command.split())
    except SystemExit as stop:  # an option that argparse refuses
        code = stop.code
    assert code == 2
    assert message in capsys.readouterr().err


def test_cluster(data, capsys):
    assert main(["cluster", data, "-k", "3", "--seeded", "--assign", "a.csv"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "cluster   texts  words",
        "0 neg         3  plot, bad, dull",
        "                 labels: neg 100%",
        "1 pos         3  good, film, cast",
        "                 labels: pos 100%",
        "2             2  market, stock",
        "rows  a.csv",
    ]
    assert Path("a.csv").read_text().splitlines() == [
        "id,cluster",
        *(f"{row},{k}" for row, k in zip(range(1, 9), [1, 1, 1, 0, 0, 0, 2, 2], strict=True)),
    ]


def test_cluster_page_is_escaped_and_whole(data, capsys):
    pytest.importorskip("vl_convert")
    options = ["-k", "3", "-o", "c.html", "--map", "pca", "--json"]
    assert main(["cluster", data, *options]) == 0
    clusters = json.loads(capsys.readouterr().out)["clusters"]
    assert sorted(c["n"] for c in clusters) == [2, 3, 3]
    page = Path("c.html").read_text()
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page
    assert "default-src &#39;none&#39;" in page and "<svg" in page
    assert main(["cluster", data, *options]) == 2
