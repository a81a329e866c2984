"""Tests of wordplane.cli.convert, and of a model as a scikit-learn pipeline and as JSON."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordplane
from wordplane import Analyzer, TextClassifier, read
from wordplane.cli import main
from wordplane.common.errors import InputError

TEXTS = [
    "a GREAT film, great fun :-)", "fun and great\tand  good", "I didn't like it, not at all!",
    "a dull film", "dull, long \N{THUMBS DOWN SIGN} and dull", "", "great", "so-so İstanbul",
]  # fmt: skip
LABELS = ["pos", "pos", "neg", "neg", "neg", "neg", "pos", "so"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(TEXTS, LABELS, strict=True)
    lines = [json.dumps({"text": t, "label": y, "n": 1}) for t, y in rows]
    Path("r.jsonl").write_text("\n".join(lines))
    TextClassifier(calibration="cv").fit(TEXTS, LABELS).save("m.wordplane")
    return tmp_path


# -- data ----------------------------------------------------------------------------------------


def test_data_keep_all_rows_in_every_format(here, capsys):
    for ending in ("csv", "tsv.gz", "parquet", "arrow", "ndjson.zst", "ft", "vw", "txt"):
        assert main(["convert", "r.jsonl", "-o", f"r.{ending}"]) == 0
        out, err = capsys.readouterr()
        assert out == f"wrote     r.{ending}: 8 rows\n"
        assert "columns not kept: 'n'; name them with --extra" in err
        corpus = read(f"r.{ending}")
        assert corpus.labels == (None if ending == "txt" else LABELS)
        if ending not in ("vw", "ft", "txt"):
            assert list(corpus.texts) == TEXTS


def test_extra_columns_and_json(here, capsys):
    assert main("convert r.jsonl --extra n -o r.parquet --json".split()) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert (told["n"], told["format"], err) == (8, "parquet", "")
    assert told["notes"][0] == "label column: 'label' (by its name)"
    assert pl.read_parquet("r.parquet")["n"].to_list() == [1.0] * 8


def test_to_stdout(here, capsys):
    assert main("convert r.jsonl --output-format fasttext".split()) == 0
    assert capsys.readouterr().out.startswith("__label__pos a GREAT film, great fun :-)\n")
    assert main("convert r.jsonl".split()) == 2
    assert "stdout: in which format? Name one with --output-format" in capsys.readouterr().err
    assert main("convert r.jsonl --output-format parquet".split()) == 2
    assert "parquet cannot be written to stdout" in capsys.readouterr().err


def test_nothing_is_overwritten_and_nothing_half_written(here, capsys):
    Path("r.csv").write_text("mine")
    assert main("convert r.jsonl -o r.csv".split()) == 2
    assert Path("r.csv").read_text() == "mine"
    assert main("convert r.jsonl -o r.csv --force".split()) == 0
    Path("bad.jsonl").write_text('{"text": "a"}\n{"text": 1}\n')
    assert main("convert bad.jsonl -o new.csv".split()) == 2
    assert "bad.jsonl, row 2: the text in column 'text' is 1" in capsys.readouterr().err
    assert not Path("new.csv").exists()
    assert main("convert r.jsonl -o r.parquet.gz".split()) == 2
    assert "parquet is compressed inside" in capsys.readouterr().err


def test_features_of_a_model_as_svmlight(here):
    from sklearn.datasets import load_svmlight_file

    assert main("convert r.jsonl --features m.wordplane -o r.svmlight".split()) == 0
    model = wordplane.load("m.wordplane")
    X, y = load_svmlight_file("r.svmlight", n_features=model.n_features, zero_based=False)
    assert y.tolist() == [["neg", "pos", "so"].index(label) for label in LABELS]
    expected = model.feature_matrix(TEXTS)
    assert (X.astype(np.float32) != expected).nnz == 0
    assert main("convert r.jsonl --features m.wordplane -o r.csv".split()) == 2


def test_counts_train_and_become_svmlight(here, capsys):
    Path("c.svmlight").write_text("1 1:2 3:1\n2 2:1\n1 1:1\n2 2:3 3:1\n")
    assert main("train c.svmlight -o c.wordplane --no-test".split()) == 0
    model = wordplane.load("c.wordplane")
    assert model.analyzer.tokens == "counts"
    assert model.predict(["1:1", "2:1"]).tolist() == ["1", "2"]
    assert main("convert c.svmlight -o c.counts".split()) == 0
    assert Path("c.counts").read_text().splitlines()[0] == "1:2 3:1 #label#:1"
    with pytest.raises(InputError, match="no reader of word:count texts"):
        model.to_sklearn()


# -- a model for scikit-learn --------------------------------------------------------------------


ANALYZERS = st.builds(
    Analyzer,
    ngrams=st.sampled_from([(1, 1), (1, 3), (2, 2)]),
    lowercase=st.booleans(),
    boundaries=st.booleans(),
    negation=st.booleans(),
    chars=st.sampled_from([None, (2, 4), (1, 1)]),
    chars_across=st.booleans(),
    tf=st.sampled_from(["count", "binary", "log1p", "log"]),
    idf=st.sampled_from([None, "smooth", "exact"]),
    norm=st.sampled_from([None, "l1", "l2"]),
    weights=st.sampled_from([None, {"char": 0.5}, {"word": 2.0}]),
)


@pytest.mark.slow
@settings(max_examples=40)
@given(ANALYZERS, st.booleans(), st.lists(st.text(max_size=30), max_size=3))
def test_pipeline_is_equal(analyzer, two_classes, more):
    labels = ["neg" if label == "so" else label for label in LABELS] if two_classes else LABELS
    model = TextClassifier(analyzer, "logistic", calibration="cv").fit(TEXTS, labels)
    pipeline = pickle.loads(pickle.dumps(model.to_sklearn()))
    more = [text for text in more if text.isprintable()]
    for texts in (TEXTS, more) if more else (TEXTS,):
        expected = model.predict_proba(texts)
        np.testing.assert_allclose(pipeline.predict_proba(texts), expected, rtol=1e-4, atol=1e-6)
        sure = np.sort(expected)[:, -1] - np.sort(expected)[:, -2] > 1e-5
        assert (pipeline.predict(texts) == model.predict(texts))[sure].all()


@pytest.mark.parametrize(
    "parameters",
    [
        {"tokens": r"regex:\w+|[!?]"},
        {"tokens": "whitespace", "stop_words": ["a", "the"]},
        {"strip_accents": True, "normalize": ["numbers"], "stem": {"great": "grand"}},
    ],
)
def test_pipeline_reads_chosen_tokens(parameters):
    model = TextClassifier(Analyzer(**parameters), "logistic", calibration=None)
    model.fit(TEXTS, LABELS)
    expected = model.predict_proba(TEXTS)
    found = model.to_sklearn().predict_proba(TEXTS)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ({"suffixes": [2]}, "no equal of the features suffix:..."),
        ({"shapes": True}, "no equal of the features shape:..."),
        ({"lexica": {"mood": {"great": 1.0}}}, "no equal of 'lexicon:mood:max'"),
        ({"hash_bits": 8}, "hashed"),
        ({"chars": (2, 3), "strip_accents": True}, "`strip_accents`"),
    ],
)
def test_what_scikit_learn_has_no_equal_of(parameter, message):
    model = TextClassifier(Analyzer(**parameter), "svm").fit(TEXTS, LABELS)
    with pytest.raises(InputError, match=message):
        model.to_sklearn()


def test_pipeline_in_a_file(here, capsys):
    import joblib

    assert main("convert m.wordplane -o m.joblib".split()) == 0
    pipeline = joblib.load("m.joblib")
    assert pipeline.predict(TEXTS).tolist() == wordplane.load("m.wordplane").predict(TEXTS).tolist()
    assert main("convert m.wordplane -o m.csv".split()) == 2
    assert "a model becomes a page (.html)" in capsys.readouterr().err
    assert main("predict m.joblib r.jsonl".split()) == 2
    assert "not a Wordplane model" in capsys.readouterr().err


# -- a model as JSON -----------------------------------------------------------------------------


def test_json_holds_every_bit(here):
    assert main("convert m.wordplane -o m.json".split()) == 0
    model = wordplane.load("m.wordplane").model_
    data = json.loads(Path("m.json").read_text())
    features = data["features"]
    W = np.array([feature["weights"] for feature in features], np.float32)
    assert W.tobytes() == model.W.tobytes()
    assert np.array(data["intercept"]).tobytes() == model.b.tobytes()
    assert (
        np.array([feature["idf"] for feature in features]).tobytes() == model.features.idf.tobytes()
    )
    assert [f["name"] for f in features] == [model.features.name(j) for j in range(len(features))]
    assert data["classes"] == ["neg", "pos", "so"]
    assert data["calibration"] == model.calibrator.to_dict()
    assert Analyzer.from_dict(data["analyzer"]).to_dict() == model.features.analyzer.to_dict()


def test_json_scores_a_text_by_its_own_words(here, capsys):
    texts = ["good good fun", "bad", "bad fun"]
    TextClassifier(Analyzer(ngrams=(1, 1)), "nb").fit(texts, [1, 0, 0]).save("nb.wordplane")
    assert main("convert nb.wordplane".split()) == 0
    data = json.loads(capsys.readouterr().out)
    weight = {feature["name"]: feature["weights"][0] for feature in data["features"]}
    score = data["intercept"][0] + 2 * weight["fun"] + weight["bad"]
    model = wordplane.load("nb.wordplane")
    assert score == pytest.approx(model.decision_function(["fun fun bad"])[0], abs=1e-6)


def test_json_of_columns_beside_the_text(tmp_path):
    analyzer = Analyzer(columns={"n": "number", "who": "category"})
    X = {"text": TEXTS, "n": list(range(8)), "who": list("aabbaabb")}
    model = TextClassifier(analyzer, "logistic", calibration=None).fit(X, LABELS)
    features = json.loads("\n".join(model.to_json()))["features"]
    assert [f["name"] for f in features[-3:]] == ["n", "who=a", "who=b"]
    assert (features[-3]["center"], features[-3]["scale"]) == (3.5, np.arange(8).std())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_full_disk_is_reported_in_one_line(tmp_path):
    (tmp_path / "d.txt").write_text("a text\n")
    command = [sys.executable, "-m", "wordplane", "convert", "d.txt", "--output-format", "csv"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "wordplane: No space left on device\n")


@pytest.mark.slow
def test_bad_rows_are_left_out_on_request(tmp_path):
    (tmp_path / "d.csv").write_text("text,label\na,x\nb,y,z\n")
    command = [sys.executable, "-m", "wordplane", "convert", "d.csv", "--output-format", "jsonl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "; --skip-bad leaves out such rows\n" in done.stderr
    assert done.stderr.endswith("wordplane convert d.csv --output-format jsonl --skip-bad\n")
    done = subprocess.run([*command, "--skip-bad"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, '{"text": "a", "label": "x"}\n')
    assert "left out 1 row in line 3: 3 fields, expected 2" in done.stderr
