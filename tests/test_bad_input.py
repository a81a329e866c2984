"""Input that once ended in a traceback: an error that says what is wrong, or a note."""

import json
import os

import numpy as np
import pytest

import wordplane
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.common.files import whole_file
from wordplane.data.read import read
from wordplane.data.tables import write_table
from wordplane.evaluation.calibration import PowerTemperature, Temperature
from wordplane.features.embeddings import WordEmbeddings
from wordplane.model.training_record import Training

DIGITS = "9" * 5000
TEXTS, LABELS = ["good film", "bad film"] * 5, ["a", "b"] * 5


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_numbers_with_thousands_of_digits(here):
    (here / "a.counts").write_text(f"a:{DIGITS}\nb:1\n")
    with pytest.raises(InputError, match=r"a\.counts, row 1: found 'a:999"):
        read("a.counts")
    (here / "b.counts").write_text("a:000000000000012\nb:4294967295\n")
    assert list(read("b.counts").texts) == ["a:000000000000012", "b:4294967295"]
    (here / "c.counts").write_text("b:4294967296\n")
    with pytest.raises(InputError, match="expected word:count"):
        read("c.counts")
    (here / "a.vec").write_text(f"2 {DIGITS}\na 1 2\n")
    with pytest.raises(InputError, match=r"a\.vec, line 1"):
        WordEmbeddings.read("a.vec")


def test_deep_json_with_half_a_surrogate(here):
    deep = "[" * 950 + "]" * 950
    (here / "a.jsonl").write_text(f'{{"text": "cut \\ud83d", "label": "a", "x": {deep}}}\n')
    with pytest.raises(InputError, match=r"a\.jsonl, row 1: cannot be read"):
        read("a.jsonl")


def test_names_that_are_twice_in_a_row_are_noted(here):
    row = '{"text": "a", "label": "x", "label": "y"}\n'
    (here / "a.jsonl").write_text('{"text": "b", "label": "x"}\n' + 2 * row)
    corpus = read("a.jsonl")
    assert corpus.labels == ["x", "y", "y"]
    note = "a.jsonl: 2 rows have a name twice, the first in line 2; the last value counts"
    assert note in corpus.notes


def test_lines_that_end_in_cr_alone_are_noted(here):
    (here / "a.txt").write_bytes(b"one\rtwo\r")
    assert read("a.txt").notes == ("a.txt: read as one line, since \\r alone does not end one",)
    (here / "b.txt").write_bytes(b"one\r\ntwo\r\n")
    assert read("b.txt").notes == ()


def test_words_with_capitals_are_found(here, capsys):
    (here / "a.vec").write_text("Good 1 2\nbad 2 1\nUgly 0 1\n")
    embeddings = WordEmbeddings.read("a.vec")
    assert "Good" in embeddings and "BAD" in embeddings and "good" not in embeddings
    assert main(["neighbors", "a.vec", "Good", "--map", "a.svg"]) == 0
    assert "Ugly" in (here / "a.svg").read_text()


@pytest.mark.parametrize("step", [1e300, -1.0, 0.5])
def test_a_step_that_is_no_count_is_refused(step):
    learner = wordplane.Perceptron().fit(np.eye(2), [0, 1])
    state = {
        name: np.atleast_1d(value).astype(float) for name, value in learner.get_state().items()
    }
    state["_step"] = np.array([step])
    with pytest.raises(InputError, match="_step in the state of Perceptron"):
        wordplane.Perceptron().set_state(state, learner.classes_, 2)


@pytest.mark.parametrize(
    "record",
    [{"text_columns": [[1]]}, {"scores": True}, {"n_docs": True}, {"chosen": {"a": [1]}}],
)
def test_odd_training_records_are_refused(record):
    with pytest.raises(InputError, match="the training record has"):
        Training.from_dict(record)


def test_a_file_whose_name_is_not_utf_8(here):
    name = os.fsdecode(b"caf\xe9.csv")
    try:
        (here / name).write_text("text,label\n" + "good,a\nbad,b\n" * 5)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert main(["train", name, "--learner", "nb", "-o", "m.wordplane"]) == 0
    assert wordplane.load("m.wordplane").training_.source == "caf?.csv"


def test_a_name_that_no_file_can_have():
    for name in ("a\ud800", "a\0b"):
        with pytest.raises(InputError, match="not a name that a file"), whole_file(name):
            pass


def test_the_smallest_temperature_gives_numbers():
    z = [[1.0, 0.0], [0.0, 0.0], [1e-320, 0.0]]
    for calibrator in (Temperature(2, 5e-324), PowerTemperature(2, 5e-324, 0.5)):
        P = calibrator.transform(z)
        assert np.isfinite(P).all()
        np.testing.assert_allclose(P.sum(axis=1), 1)


def test_formulas_can_be_escaped(here, capsys):
    rows = {"id": ["=cmd|' /C calc'!A0", "@x", "+1", "-1", "\tx", "a=b"], "n": [-1.0] * 6}
    write_table([rows], "csv", "a.csv", {"id": str, "n": float}, escape_formulas=True)
    lines = (here / "a.csv").read_text().splitlines()
    assert lines[1:] == ["'=cmd|' /C calc'!A0,-1.0", "'@x,-1.0", "'+1,-1.0", "'-1,-1.0",
                         "'\tx,-1.0", "a=b,-1.0"]  # fmt: skip
    model = wordplane.TextClassifier(learner="nb").fit(TEXTS, ["=1+1", "b"] * 5)
    model.save("m.wordplane")
    (here / "in.txt").write_text("good film\n")
    assert main(["predict", "m.wordplane", "in.txt", "--escape-formulas"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1,'=1+1,")
    assert main(["predict", "m.wordplane", "in.txt"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1,=1+1,")


def test_formulas_can_be_escaped_where_texts_are_written(here, capsys):
    texts, labels = ["=2+3 is good", "dull film"] * 5, ["a", "b"] * 5
    analyzer = wordplane.Analyzer(tokens="whitespace", ngrams=(1, 1))
    wordplane.TextClassifier(analyzer, "nb").fit(texts, labels).save("m.wordplane")
    wordplane.TextClassifier(analyzer, "nb").fit(texts, labels[::-1]).save("n.wordplane")
    (here / "in.csv").write_text("id,text,label\n1,=2+3,a\n2,dull,b\n")
    explain = ["explain", "m.wordplane", "in.csv", "-o", "words.csv", "--force"]
    evaluate = ["evaluate", "m.wordplane", "n.wordplane", "in.csv", "-o", "words.csv", "--force"]
    for verb in (explain, evaluate):
        assert main([*verb]) == 0
        assert ",=2+3" in (here / "words.csv").read_text()
        assert main([*verb, "--escape-formulas"]) == 0
        assert ",'=2+3" in (here / "words.csv").read_text()


@pytest.mark.parametrize("number", [1e31, -1e160, 1.7e308])
def test_a_number_that_is_too_large_to_standardize(number):
    frame = {"text": TEXTS, "label": LABELS, "n": [*[1.0, 2.0] * 4, 3.0, number]}
    with pytest.raises(InputError, match=r"row 10: the column 'n' is .*expected at most 1e"):
        wordplane.train(frame, extra=["n"])
    model = wordplane.train({**frame, "n": [1.0, 2.0] * 5}, extra=["n"]).model
    with pytest.raises(InputError, match="row 2: the column 'n'"):
        model.predict({"text": ["a", "b"], "n": [1.0, number]})
    tiny = wordplane.train({**frame, "n": [1e-30, 2e-30] * 5}, extra=["n"]).model
    assert np.isfinite(tiny.decision_function({"text": ["a"], "n": [1e30]})).all()


@pytest.mark.parametrize(
    "record",
    [
        {"chosen": {"alpha": 10**400}},
        {"shift": [10**400]},
        {"true_probabilities": [True]},
        {"rounds": [{"accuracy": 10**400}]},
    ],
)
def test_training_records_with_numbers_that_nobody_can_print(record):
    with pytest.raises(InputError, match="the training record has"):
        Training.from_dict(record)


@pytest.mark.parametrize(
    ("field", "value"), [("accuracy", 10**400), ("n", [1, 2])], ids=["huge", "list"]
)
def test_scores_in_a_training_record_are_numbers(field, value):
    training = wordplane.train(TEXTS * 4, LABELS * 4, learner="nb").model.training_
    record = json.loads(json.dumps(training.to_dict()))
    record["scores"][field] = value
    with pytest.raises(InputError, match=f"a score {field}"):
        Training.from_dict(record)


def test_a_choice_that_is_a_word_is_shown(here, capsys):
    result = wordplane.train(TEXTS * 4, LABELS * 4, learner="nb")
    training = result.model.training_
    result.model.model_.training = Training(**{**vars(training), "chosen": {"alpha": "x\x1b[31m"}})
    result.save("m.wordplane")
    assert main(["inspect", "m.wordplane"]) == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--lexica", "--known-words", "--config"])
def test_no_model_takes_the_place_of_a_file_that_the_command_reads(here, option, capsys):
    (here / "r.csv").write_text("text,label\n" + "good film,a\nbad film,b\n" * 10)
    given = {"--lexica": "good\t1\n", "--known-words": "good\n", "--config": "[train]\nseed = 1\n"}
    (here / "given").write_text(given[option])
    assert main(["train", "r.csv", option, "given", "-o", "given", "--force"]) == 2
    assert "given is also read or written by this command" in capsys.readouterr().err
    assert (here / "given").read_text() == given[option]
