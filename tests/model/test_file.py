"""Tests of wordplane.model.file and wordplane.model.stored_metadata."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

import wordplane
from tests.model.model_files import (
    FRAME,
    GOOD,
    GOOD_RICH,
    LABELS,
    RICH,
    TEXTS,
    rich_model,
    sealed,
    small,
    tampered,
)
from wordplane import Analyzer, TextClassifier
from wordplane.common.errors import InputError, ModelFileError, WordplaneError
from wordplane.model.file import HEADER, MAGIC, from_bytes, to_bytes
from wordplane.text.documents import as_documents


@pytest.mark.parametrize(
    "labels",
    [LABELS, [3, 3, -1, -1], [True, True, False, False], ["ü", "ü", "a", "b"],
     ["a", "a\0", "a", "b"], np.array([np.int64(7), np.int64(5)] * 2, object), [2**62, 1, 1, 1]],
)  # fmt: skip
@pytest.mark.parametrize("params", [{}, {"tf": "binary"}, {"ngrams": (2, 3), "boundaries": True}])
def test_round_trip(tmp_path, labels, params):
    model = TextClassifier(Analyzer(**params)).fit(TEXTS, labels)
    model.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    texts = [*TEXTS, "", "unheard of", "great great dull"]
    assert np.array_equal(loaded.decision_function(texts), model.decision_function(texts))
    assert loaded.predict(texts).tolist() == model.predict(texts).tolist()
    assert loaded.explain(TEXTS[0]) == model.explain(TEXTS[0])
    assert loaded.training_ == model.training_
    assert to_bytes(loaded.model_) == (tmp_path / "m.wordplane").read_bytes()


def test_rich_model_round_trip():
    loaded = from_bytes(GOOD_RICH)
    assert to_bytes(loaded) == GOOD_RICH
    documents = as_documents(FRAME, RICH.columns)
    assert np.array_equal(loaded.scores(documents, 1), rich_model().scores(documents, 2))


def test_lexica_and_columns_keep_their_order():
    analyzer = Analyzer(
        lexica={"z": {"great": 1.0}, "a": {"dull": 2.0, "film": 0.5}},
        columns={"n": "number", "b": "number", "who": "category", "by": "category"},
    )
    frame = {**FRAME, "b": [9, 7, 8, 1], "by": ["x", "y", "y", "x"]}
    model = TextClassifier(analyzer, "logistic", calibration=None).fit(frame, LABELS)
    again = from_bytes(to_bytes(model.model_))
    documents = as_documents(frame, analyzer.columns)
    assert (again.scores(documents, 1) == model.model_.scores(documents, 1)).all()


def test_counts_model_round_trip(tmp_path):
    analyzer = Analyzer(tokens="counts", ngrams=(1, 1))
    model = TextClassifier(analyzer).fit(["a:3 b:1", "b:2"], ["x", "y"])
    model.save(tmp_path / "m")
    assert wordplane.load(tmp_path / "m").predict(["a:1", "b:9"]).tolist() == ["x", "y"]


@pytest.mark.slow
def test_threads_change_no_byte():
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(300)]
    texts = [" ".join(rng.choice(words, 30)) for _ in range(1000)]
    labels = rng.integers(0, 3, 1000)
    one, *others = (TextClassifier(n_jobs=n).fit(texts, labels).model_ for n in (1, 2, 4))
    for other in others:
        other.training = one.training
        assert to_bytes(other) == to_bytes(one)


def test_order_of_rows_changes_no_byte():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["a", "b", "c", "d!"], 5)) for _ in range(50)]
    labels = rng.integers(0, 3, 50)
    shuffled = rng.permutation(50)
    model = TextClassifier(learner="nb", calibration=None).fit(texts, labels)
    other = TextClassifier(learner="nb", calibration=None).fit(
        [texts[i] for i in shuffled], labels[shuffled]
    )
    assert to_bytes(model.model_) == to_bytes(other.model_)


def test_training_summary_does_not_tell_the_threads():
    assert (
        TextClassifier(n_jobs=1).fit(TEXTS, LABELS).training_
        == TextClassifier(n_jobs=4).fit(TEXTS, LABELS).training_
    )


def test_words_left_out_never_reach_the_file():
    model = TextClassifier(Analyzer(min_df=2)).fit(
        ["shared secretone", "shared secrettwo", "shared public", "public"], [0, 1, 0, 1]
    )
    data = to_bytes(model.model_)
    assert b"shared" in data
    assert b"public" in data
    assert b"secret" not in data


def refuse_flipped(bits_of):
    for position in range(len(GOOD)):
        for bit in bits_of(position):
            damaged = bytearray(GOOD)
            damaged[position] ^= 1 << bit
            with pytest.raises(ModelFileError):
                from_bytes(bytes(damaged))


@pytest.mark.slow
def test_a_bit_of_every_byte_matters():
    refuse_flipped(lambda position: [position % 8])


@pytest.mark.soak
def test_every_bit_matters():
    refuse_flipped(lambda position: range(8))


def test_every_truncation_and_extension_is_refused():
    for length in range(len(GOOD)):
        with pytest.raises(ModelFileError):
            from_bytes(GOOD[:length])
    with pytest.raises(ModelFileError):
        from_bytes(GOOD + b"\0")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a Wordplane model"),
        (b"text,label\n", "not a Wordplane model"),
        (GOOD[:30], "cut off"),
        (MAGIC + bytes([9]) + GOOD[8:], "format version 9, this Wordplane reads version 5"),
        (GOOD[:-1], "damaged"),
        (sealed(b""), "not a usable model"),
        (sealed(b"\xff" * 100), "not a usable model"),
    ],
)
def test_refusals_say_why(tmp_path, data, message):
    path = tmp_path / "m.wordplane"
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=f"{re.escape(str(path))}: .*{message}"):
        wordplane.load(path)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(ModelFileError, match="no such file"):
        wordplane.load(tmp_path / "absent")
    with pytest.raises(ModelFileError, match="cannot be read"):
        wordplane.load(tmp_path)


def set_at(name, position, value):
    def change(arrays, metadata):
        arrays[name][position] = value

    return change


def resized(name):
    def change(arrays, metadata):
        arrays[name] = arrays[name][:-1].copy()

    return change


def described(key, value):
    def change(arrays, metadata):
        metadata[key] = value

    return change


def golden_row(entries):
    def change(arrays, metadata):
        metadata["golden"]["rows"][1].update(entries)

    return change


@pytest.mark.parametrize(
    "change",
    [
        set_at("words.word_ends", 0, -1),
        set_at("words.word_ends", 0, 10**9),
        set_at("words.word_ends", -1, 1),
        set_at("words.word_bytes", 0, 0xFF),
        set_at("words.ngram_firsts", 0, 10**6),
        set_at("words.ngram_lasts", 0, 10**6),
        set_at("words.columns", 0, 10**6),
        set_at("words.columns", 0, -1),
        set_at("words.columns", 0, 1),
        set_at("W", (0, 0), np.nan),
        set_at("W", (0, 0), 99.0),
        set_at("b", 0, np.inf),
        *(resized(name) for name in
          ["words.word_bytes", "words.word_ends", "words.ngram_firsts", "words.ngram_lasts",
           "words.columns", "tokens.word_bytes", "tokens.word_ends", "tokens.columns",
           "idf", "center", "scale", "W", "b"]),
        set_at("idf", 0, np.nan),
        set_at("idf", 0, 99.0),
        set_at("scale", 0, 0.0),
        set_at("center", 0, np.inf),
        lambda arrays, metadata: arrays.pop("tokens.columns"),
        lambda arrays, metadata: arrays.update({"chars.columns": arrays["words.columns"]}),
        described("groups", None),
        described("groups", []),
        described("groups", [["word", 0], ["char", 10**9]]),
        described("groups", [["word", 0], ["char", -1]]),
        described("groups", [["word", 1]]),
        described("groups", [["sound", 0]]),
        described("groups", [[[], 0]]),
        described("categories", None),
        described("categories", {}),
        described("categories", {"who": ["a", 1]}),
        described("categories", {"who": ["a", "a"]}),
        described("categories", {"who": ["a"]}),
        described("calibration", []),
        described("calibration", {"kind": "temperature", "n_classes": 2, "temperature": 0}),
        described("calibration", {"kind": "temperature", "n_classes": 3, "temperature": 1}),
        described("calibration", {"kind": "magic", "n_classes": 2}),
        lambda arrays, metadata: arrays.pop("W"),
        lambda arrays, metadata: arrays.update(more=np.zeros(3)),
        lambda arrays, metadata: arrays.update(W=arrays["W"].astype(np.float64)),
        lambda arrays, metadata: arrays.update(W=arrays["W"].T.copy()),
        lambda arrays, metadata: arrays.update(W=arrays["W"].ravel().copy()),
        lambda arrays, metadata: metadata.pop("golden"),
        described("kind", "kernel"),
        described("golden", []),
        described("golden", None),
        golden_row({"text": 3}),
        golden_row({"scores": [0.0, 0.0]}),
        golden_row({"scores": [-5.0]}),
        golden_row({"scores": [10**400]}),
        golden_row({"probabilities": [0.5, 0.5]}),
        golden_row({"labels": [0, 1]}),
        golden_row({"labels": 1}),
        described("classes", {"type": [], "values": ["a", "b"]}),
        described("classes", {"type": "string", "values": ["a", "b\ud800"]}),
        described("classes", None),
        described("classes", {"type": "string", "values": []}),
        described("classes", {"type": "string", "values": ["a"]}),
        described("classes", {"type": "string", "values": ["b", "a"]}),
        described("classes", {"type": "string", "values": ["a", "a"]}),
        described("classes", {"type": "string", "values": ["a", 1]}),
        described("classes", {"type": "integer", "values": [1, 10**30]}),
        described("classes", {"type": "code", "values": ["a", "b"]}),
        described("analyzer", None),
        described("analyzer", {}),
        described("training", []),
    ],
)  # fmt: skip
def test_malice_is_refused(change):
    with pytest.raises(ModelFileError):
        from_bytes(tampered(change))


@pytest.mark.parametrize(
    "entry",
    [{"ngrams": [1, float("inf")]}, {"ngrams": ["1", "2"]}, {"ngrams": [1, 2.9]},
     {"ngrams": [1, 10**9]}, {"ngrams": [0, 1]}, {"ngrams": "12"}, {"ngrams": [1, 2, 3]},
     {"tokens": "syllables"}, {"tokens": ["words"]}, {"min_df": -1}, {"min_df": 1.5},
     {"lowercase": 1}, {"tf": None}, {"tf": "relative"}, {"other": 1},
     {"chars": [1]}, {"chars": 3}, {"prefixes": [0]}, {"prefixes": "1"}, {"suffixes": [10**9]},
     {"negation": 1}, {"negation": "not"}, {"negation": [1]}, {"known_words": [""]},
     {"triggers": [1]}, {"triggers": {"a": "b"}}, {"triggers": {"a": [None]}},
     {"lexica": {"a": []}}, {"lexica": {"a": {"b": None}}}, {"lexica": {"a": {"b": 1e300}}},
     {"columns": {"n": "text"}}, {"columns": {"more": "number"}}, {"columns": {}},
     {"weights": {"n": 1}}, {"weights": {"char": "1"}}, {"idf": "bm25"}, {"norm": 2},
     {"select": "ig"}, {"select": 3}, {"conjoin": 3}, {"conjoin": True}],
)  # fmt: skip
def test_malicious_analyzers_are_refused(entry):
    with pytest.raises(ModelFileError):
        from_bytes(tampered(lambda _, metadata: metadata["analyzer"].update(entry)))


def test_a_learner_with_a_number_beyond_floats_is_refused():
    online = TextClassifier(learner="onlinesvm").fit(TEXTS, LABELS)
    change = described("learner", {"name": "onlinesvm", "params": {"alpha": 10**400}})
    with pytest.raises(ModelFileError, match="not a usable model"):
        from_bytes(tampered(change, to_bytes(online.model_, resumable=True)))


@pytest.mark.slow
def test_a_long_label_takes_no_memory_out_of_proportion():
    labels = [*(f"{i:05}" for i in range(2_000)), "x" * 200_000]
    analyzer = Analyzer(ngrams=(1, 1))
    model = TextClassifier(analyzer, "nb").fit([f"w{i}" for i in range(2_001)], labels)
    assert model.classes_.nbytes < 1_000_000
    data = to_bytes(model.model_)
    assert from_bytes(data).classes.nbytes < 1_000_000


def test_what_cannot_be_loaded_is_not_saved():
    model = small()
    model.model_.W[0, 0] = np.inf
    with pytest.raises(WordplaneError, match="not finite"):
        to_bytes(model.model_)
    with pytest.raises(InputError, match="have the weight 0"):
        TextClassifier().fit(TEXTS, LABELS, [1, 1, 0, 0])


def test_a_file_without_end_is_refused_at_once():
    with pytest.raises(ModelFileError, match="not a Wordplane model"):
        wordplane.load("/dev/zero")


def test_metadata_that_could_not_be_saved_again_is_refused():
    """Python's JSON reads halves of surrogate pairs and infinity, but a model that has them could
    not be written."""
    for changed in (
        tampered(lambda _, metadata: metadata["training"].update(label_column="cut \ud83d")),
        tampered(lambda _, metadata: metadata["golden"]["rows"][0].update(scores=[float("inf")])),
    ):
        with pytest.raises(ModelFileError, match="the metadata cannot be read"):
            from_bytes(changed)


def test_an_idf_that_makes_scores_infinite_is_refused():
    with pytest.raises(ModelFileError, match="an idf that is out of range"):
        from_bytes(tampered(set_at("idf", 0, 1e308)))


def test_groups_that_are_not_those_of_the_features_are_refused_with_the_file(tmp_path):
    changed = tampered(lambda _, metadata: metadata.update(groups=[]), GOOD)
    (tmp_path / "m.wordplane").write_bytes(changed)
    with pytest.raises(ModelFileError, match=r"m\.wordplane: not a usable model: groups of all"):
        wordplane.load(tmp_path / "m.wordplane")


def test_deep_metadata_is_refused():
    payload = GOOD_RICH[HEADER:]
    arrays = load_tensors(payload)
    with pytest.raises(ModelFileError):
        from_bytes(sealed(save_tensors(arrays, {"wordplane": "[" * 100_000})))


@given(st.data())
@settings(max_examples=400)
@pytest.mark.slow
def test_fuzzed_payloads_never_crash(data):
    payload = bytearray(data.draw(st.sampled_from([GOOD, GOOD_RICH]))[HEADER:])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(payload) - 1))
        kind = data.draw(st.sampled_from(["set", "cut", "repeat"]))
        if kind == "set":
            payload[at] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del payload[at : at + data.draw(st.integers(1, 40))]
        else:
            payload[at:at] = payload[at : at + data.draw(st.integers(1, 40))]
        if not payload:
            return
    try:
        model = from_bytes(sealed(bytes(payload)))
    except ModelFileError:
        return
    kinds = model.features.spec.columns.kinds
    model.scores(as_documents(FRAME if kinds else TEXTS, kinds), threads=1)  # refused, or usable
