"""Tokens, normalization, hashing, thresholds and calibrators on the command line."""

import pytest

import wordplane
from wordplane.cli import main

ROWS = [
    ("See http://a.org now, it is great", "good"),
    ("The acting was great, 9 of 10", "good"),
    ("a dull film, 90 minutes of it", "bad"),
    ("Dull films, @bob said", "bad"),
] * 6


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stop.txt").write_text("dull\n")
    lines = "".join(f'"{text}",{label}\n' for text, label in ROWS)
    (tmp_path / "t.csv").write_text("text,label\n" + lines)
    return "t.csv"


def trained(data, *options):
    assert main(["train", data, "-o", "m.wordplane", "--force", "--no-test", *options]) == 0
    return wordplane.load("m.wordplane")


def names(model):
    features = model.model_.features
    return {features.name(column) for column in range(model.n_features)}


def test_options_reach_the_model(data):
    model = trained(data, "--learner", "nb", "--tokens", "regex:[a-z]+", "--ngrams", "1,1")
    assert {"http", "org", "acting"} <= names(model)
    normalized = trained(
        *(data, "--learner", "nb", "--normalize", "urls,mentions,numbers", "--ngrams", "1,1"),
        *("--stop-words", "english", "--strip-accents"),
    )
    assert {"<url>", "<mention>", "<number>", "great"} <= names(normalized)
    assert not {"the", "it", "9", "@"} & names(normalized)
    assert "dull" not in names(trained(data, "--learner", "nb", "--stop-words", "stop.txt"))
    assert trained(data, "--hash-bits", "9").model_.features.analyzer.hash_bits == 9
    assert trained(data, "--select", "chi2:5", "--learner", "svm").n_features == 5
    whitespace = trained(data, "--tokens", "whitespace")
    assert {"http://a.org", "great,"} <= names(whitespace)


def test_stems(data):
    pytest.importorskip("Stemmer")
    assert {"film", "act"} <= names(trained(data, "--stem", "english", "--ngrams", "1,1"))


def test_thresholds_and_calibrators(data, capsys):
    command = ["train", data, "-o", "m.wordplane", "--force", "--calibration", "cv"]
    assert main([*command, "--threshold", "good=0.8"]) == 0
    model = wordplane.load("m.wordplane")
    assert model.training_.metric == "threshold:good=0.8"
    assert main([*command, "--calibrator", "isotonic"]) == 0
    assert type(wordplane.load("m.wordplane").model_.calibrator).__name__ == "Isotonic"
    capsys.readouterr()
    assert main([*command, "--threshold", "0.8", "--metric", "f1"]) == 2
    assert "leave out either" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tokens", "regex:(a)"], "captures"),
        (["--tokens", "letters"], "regex:PATTERN"),
        (["--normalize", "links"], "urls, mentions, numbers"),
        (["--hash-bits", "99"], "from 1 to 28"),
        (["--hash-bits", "9", "--suffixes", "3"], "--suffixes"),
        (["--stop-words", "absent.txt"], "absent.txt"),
    ],
)
def test_what_is_refused(data, options, said, capsys):
    try:
        code = main(["train", data, "-o", "m.wordplane", *options])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert said in capsys.readouterr().err


def test_messages_name_the_option_that_was_given(data, capsys):
    options = ["--tokens", r"regex:\w+", "--lengths"]
    assert main(["train", data, "-o", "x.wordplane", "--no-test", *options]) == 2
    assert "but --lengths needs 'words'" in capsys.readouterr().err


def test_a_pattern_that_is_not_text_is_refused(data, capsys):
    options = ["--tokens", "regex:\udcff+"]  # as Python takes a byte that is not UTF-8
    assert main(["train", data, "-o", "x.wordplane", "--no-test", *options]) == 2
    assert "half of a surrogate pair" in capsys.readouterr().err


def test_a_pattern_longer_than_a_file_name(data):
    pattern = "regex:" + "|".join(f"great{i}" for i in range(60)) + "|[a-z]+"
    assert 300 < len(pattern) < 1000
    assert "film" in names(trained(data, "--tokens", pattern))
    assert "film" in names(trained(data, f"--tokens={pattern}"))
