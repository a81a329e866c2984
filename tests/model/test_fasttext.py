"""Models of fastText: labels and probabilities are those of fastText itself, as
tests/models/fasttext/make.py stored them; and files that are damaged are refused.

Tests of wordplane.model.fasttext, wordplane.model.stored_fasttext,
wordplane.learners.support.fasttext_weights and wordplane.features.pretrained.fasttext_file.
"""

import gzip
import json
import pickle
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import wordplane
from tests.model.every_kind import opened
from wordplane.cli import main
from wordplane.common.errors import InputError, ModelFileError
from wordplane.model.classifier import TextClassifier
from wordplane.model.fasttext import read_fasttext_model
from wordplane.model.file import from_bytes, from_parts, to_bytes

STORED = Path(__file__).parents[1] / "models" / "fasttext"
EXPECTED = json.loads((STORED / "expected.json").read_text(encoding="utf-8"))
TEXTS = EXPECTED["texts"]
NAMES = list(EXPECTED["models"])
ADDED = 1e-5  # by fastText to a probability before it takes the logarithm


def classifier(name):
    """As it is after its file was written and read."""
    return TextClassifier.from_model(from_bytes(to_bytes(read_fasttext_model(STORED / name))))


def fasttext_hash(word):
    h = 2166136261
    for byte in word.encode():
        h = ((h ^ (byte if byte < 128 else byte + 0xFFFFFF00)) * 16777619) % 2**32
    return h


def reference_rows(text, words, n_buckets, lengths, word_ngrams):
    """The rows of a text, from the definition."""
    tokens = []
    for word in filter(None, re.split("[ \n\r\t\v\f\0]+", text)):
        if word == "</s>":
            break
        if word in words or not word.startswith("__label__"):
            tokens.append(word)
    rows = []
    for word in [*tokens, "</s>"]:
        rows += [words[word]] if word in words else []
        marked = f"<{word}>"
        for i in range(len(marked)):
            for n in range(1, lengths[1] + 1):
                run = marked[i : i + n]
                edge = n == 1 and i in (0, len(marked) - 1)
                if word != "</s>" and n >= lengths[0] and i + n <= len(marked) and not edge:
                    rows.append(len(words) + fasttext_hash(run) % n_buckets)
    signed = [h - 2**32 if h >= 2**31 else h for h in map(fasttext_hash, [*tokens, "</s>"])]
    for i in range(len(signed)):
        h = signed[i] % 2**64
        for j in range(i + 1, min(i + word_ngrams, len(signed))):
            h = (h * 116049371 + signed[j]) % 2**64
            rows.append(len(words) + h % n_buckets)
    return rows


@pytest.mark.parametrize("name", NAMES)
def test_labels_and_probabilities_are_those_of_fasttext(name):
    model, expected = classifier(name), EXPECTED["models"][name]
    z = model.decision_function(TEXTS)
    P = model.probabilities_of(z)
    classes = model.classes_.tolist()
    best = np.where(z > 0, 1, 0) if z.ndim == 1 else z.argmax(axis=1)
    assert [f"__label__{classes[k]}" for k in best] == expected["labels"]
    added = 0.0 if name.startswith(("hs", "pruned_words", "output")) else ADDED
    for row, probabilities in zip(P, expected["probabilities"], strict=True):
        for label, p in probabilities.items():
            own = row[classes.index(label.removeprefix("__label__"))]
            assert own == pytest.approx(min(p - added, 1.0), abs=1e-6)


@pytest.mark.parametrize("name", ["softmax.bin", "two.bin", "subwords.bin", "ova.bin", "hs.bin"])
def test_texts_have_the_rows_of_the_definition(name):
    weights = read_fasttext_model(STORED / name).fasttext
    words = {weights.words.name(i): i for i in range(weights.words.n_features)}
    settings = weights.settings
    lengths = (settings.min_n, settings.max_n)
    for text in TEXTS:
        _, rows, _, _ = weights._native.places(wordplane._core.Texts([text]), 0)
        expected = reference_rows(text, words, settings.n_buckets, lengths, settings.word_ngrams)
        assert rows.tolist() == expected


def test_one_vs_all_gives_sets_if_texts_had_several_labels():
    assert classifier("ova_sets.bin").is_multilabel
    assert not classifier("ova.bin").is_multilabel
    model, expected = classifier("ova_sets.bin"), EXPECTED["models"]["ova_sets.bin"]
    given = [sorted(label for label, p in row.items() if p >= 0.5 + ADDED)
             for row in expected["probabilities"]]  # fmt: skip
    sets = [[f"__label__{label}" for label in labels] for labels in model.predict(TEXTS)]
    assert sets == given
    assert {len(labels) for labels in sets} >= {1, 2}


@pytest.mark.parametrize("name", NAMES)
def test_contributions_sum_to_the_score(name):
    model = classifier(name)
    for text in TEXTS[2:12]:
        explanation = model.explain(text)
        assert sum(value for _, value in explanation.by_word()) == pytest.approx(explanation.score)
        for one in explanation.contributions:
            if one.start != one.end and one.feature == text[one.start : one.end]:
                break
    weights = model.model_.fasttext
    if weights.settings.loss == "softmax":
        z = model.decision_function(TEXTS)
        full = np.column_stack([-z, z]) if z.ndim == 1 else z - z.mean(axis=1, keepdims=True)
        label = model.classes_.tolist()[1]
        found = [model.explain(text, label).score for text in TEXTS]
        assert found == pytest.approx(full[:, 1], abs=1e-5)


def test_words_subwords_and_ngrams_are_named():
    model = classifier("pruned.ftz")
    text = next(text for text in TEXTS if len(text.split()) > 3)
    found = model.explain(text)
    names = set(found.features)
    assert any(name.startswith("char:") for name in names)
    for one in found.contributions:
        part = text[one.start : one.end]
        if one.feature.startswith("char:"):
            assert one.feature[5:].strip("<>") == part
        elif one.feature != "</s>":
            assert one.feature.removesuffix(" </s>").split() == part.replace("\0", " ").split()


def test_the_strongest_words_of_a_class_get_it():
    for name in NAMES:
        model = classifier(name)
        for label, words in list(model.top_features(1).items())[:3]:
            (word, _), *_ = words
            if word != "</s>" and not model.is_multilabel:
                k = model.classes_.tolist().index(label)
                p = model.predict_proba([word, ""])[:, k]
                assert p[0] > p[1]


def test_pickled_models_are_the_same():
    for name in ("hs.bin", "pruned.ftz"):
        model = classifier(name)
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict_proba(TEXTS), model.predict_proba(TEXTS))


def test_threads_and_batches_change_nothing():
    model = classifier("pruned.ftz")
    many = TEXTS * 200
    model.n_jobs = 1
    alone = model.decision_function(many)
    model.n_jobs = 2
    assert np.array_equal(model.decision_function(many), alone)
    single = [model.decision_function([text])[0] for text in TEXTS]
    assert np.array_equal(alone[: len(TEXTS)], single)


def test_line_breaks_are_white_space():
    model = classifier("softmax.bin")
    one, two = model.predict_proba(["ba ko\nti", "ba ko ti"])
    assert np.array_equal(one, two)


def test_verbs_work_with_a_converted_model(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.train").write_text("__label__l0 ba ko\n__label__l1 ti\n", encoding="utf-8")
    assert main(["convert", str(STORED / "hs.bin"), "-o", "m.wordplane"]) == 0
    assert "9 labels" in capsys.readouterr().out
    for command in (
        ["predict", "m.wordplane", "data.train"],
        ["evaluate", "m.wordplane", "data.train"],
        ["explain", "m.wordplane", "ba ko"],
        ["inspect", "m.wordplane"],
        ["inspect", "m.wordplane", "--json"],
    ):
        assert main(command) == 0, command
    assert "fastText (hs, 5 dimensions)" in capsys.readouterr().out
    for output, why in (("m.json", "no equal in the JSON"), ("m.joblib", "no equal among")):
        assert main(["convert", "m.wordplane", "-o", output]) == 2
        assert why in capsys.readouterr().err
    edit = ["edit", "m.wordplane", "data.train", "--forbid", "ba", "-o", "e.wordplane"]
    assert main(edit) == 2
    assert "cannot be edited" in capsys.readouterr().err


def test_mistakes_say_what_to_do(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("m.bin").write_bytes((STORED / "two.bin").read_bytes())
    assert main(["predict", "m.bin", "-"]) == 2
    assert "wordplane convert m.bin -o m.wordplane" in capsys.readouterr().err
    assert main(["convert", "m.bin"]) == 2
    assert "-o m.wordplane" in capsys.readouterr().err
    assert main(["convert", "none.bin", "-o", "m.wordplane"]) == 2
    assert "no such file" in capsys.readouterr().err.lower()
    assert not Path("m.wordplane").exists()


def test_labels_lose_their_own_prefix():
    path = STORED / "two.bin"
    plain = read_fasttext_model(path)
    assert plain.classes.tolist() == ["l0", "l1"]
    assert read_fasttext_model(path, "__label__l").classes.tolist() == ["0", "1"]
    assert read_fasttext_model(path, "no").classes.tolist() == ["__label__l0", "__label__l1"]


def test_a_compressed_file_is_read(tmp_path):
    path = tmp_path / "m.bin.gz"
    path.write_bytes(gzip.compress((STORED / "hs.bin").read_bytes()))
    assert len(read_fasttext_model(path).classes) == 9


def head_of(data):
    return list(struct.unpack_from("<14id3i2q", data))


def with_head(data, **numbers):
    places = {"version": 1, "dim": 2, "ngrams": 7, "loss": 8, "model": 9, "bucket": 10, "minn": 11,
              "maxn": 12, "words": 16, "labels": 17, "kept": 19}  # fmt: skip
    head = head_of(data)
    for name, value in numbers.items():
        head[places[name]] = value
    form = "<14id3i2q"
    return struct.pack(form, *head) + data[struct.calcsize(form) :]


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ({"version": 13}, "version 13"),
        ({"dim": 0}, "numbers"),
        ({"dim": 6}, "damaged"),
        ({"ngrams": 1000}, "cannot be"),
        ({"loss": 9}, "the loss"),
        ({"model": 1}, "no labels"),
        ({"bucket": 61}, "bucket"),
        ({"bucket": -1}, "damaged"),
        ({"maxn": 51}, "damaged"),
        ({"words": 2**31 - 1}, "damaged"),
        ({"kept": 5}, "."),
        ({"kept": -2}, "damaged"),
    ],
)
def test_numbers_that_cannot_be_are_refused(tmp_path, numbers, why):
    path = tmp_path / "m.bin"
    path.write_bytes(with_head((STORED / "subwords.bin").read_bytes(), **numbers))
    with pytest.raises(InputError, match=why):
        read_fasttext_model(path)


def test_version_11_had_no_subwords(tmp_path):
    path = tmp_path / "m.bin"
    path.write_bytes(with_head((STORED / "two.bin").read_bytes(), version=11, maxn=3))
    model = read_fasttext_model(path)
    assert model.fasttext.settings.max_n == 0


def test_a_file_that_ends_early_or_late_is_refused(tmp_path):
    path = tmp_path / "m.bin"
    for name in ("hs.bin", "pruned.ftz"):
        data = (STORED / name).read_bytes()
        for end in [*range(0, len(data), 97), len(data) - 1]:
            path.write_bytes(data[:end])
            with pytest.raises(InputError):
                read_fasttext_model(path)
        path.write_bytes(data + b"\0")
        with pytest.raises(InputError, match="more than a model"):
            read_fasttext_model(path)


def mutated(data, rng):
    """The bytes with a few others, or without some."""
    changed = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        # The sizes are at the beginning, and right after the dictionary.
        at = int(rng.choice([rng.integers(0, 96), rng.integers(0, len(data))]))
        kind = rng.integers(0, 4)
        if kind == 0:
            changed[at % len(changed)] ^= 1 << int(rng.integers(0, 8))
        elif kind == 1:
            changed[at % len(changed)] = int(rng.choice([0, 1, 127, 128, 255]))
        elif kind == 2:
            changed[at : at + 4] = struct.pack("<i", int(rng.choice([0, -1, 2**31 - 1, 1 << 20])))
        else:
            del changed[at : at + int(rng.integers(1, 9))]
    return bytes(changed)


def check_mutated(path, data):
    """A file is refused, or is a model that works."""
    path.write_bytes(data)
    try:
        model = read_fasttext_model(path)
        stored = to_bytes(model)
    except InputError:
        return False
    again = TextClassifier.from_model(from_bytes(stored))
    assert np.isfinite(again.predict_proba(TEXTS[:6])).all()
    again.explain(TEXTS[3])
    return True


@pytest.mark.parametrize("name", NAMES)
def test_mutated_files_are_refused_or_work(tmp_path, name):
    rng = np.random.default_rng(0)
    data = (STORED / name).read_bytes()
    works = [check_mutated(tmp_path / "m.bin", mutated(data, rng)) for _ in range(25)]
    assert not all(works)


SETS = {"kind": "labels", "n_classes": 2, "thresholds": [0, 0], "a": [1, 1], "b": [0, 0]}


@pytest.mark.parametrize("name", ["two.bin", "pruned.ftz", "hs.bin"])
def test_changed_model_files_are_refused(name):
    arrays, metadata = opened(to_bytes(read_fasttext_model(STORED / name)))
    for wrong in (
        {**metadata, "kind": "linear"},
        {**metadata, "fasttext": {**metadata["fasttext"], "loss": "none"}},
        {**metadata, "fasttext": {**metadata["fasttext"], "n_buckets": 1}},
        {**metadata, "fasttext": {**metadata["fasttext"], "n_columns": 4}},
        {**metadata, "fasttext": {**metadata["fasttext"], "word_ngrams": True}},
        {name: value for name, value in metadata.items() if name != "fasttext"},
        {**metadata, "calibration": SETS} if name == "two.bin" else {},
    ):
        with pytest.raises(ModelFileError):
            from_parts(arrays, wrong)
    for key in [key for key in arrays if key.startswith("fasttext.")]:
        with pytest.raises(ModelFileError):
            from_parts({k: v for k, v in arrays.items() if k != key}, metadata)
        if key != "fasttext.kept":  # a bucket that no golden text has may go
            with pytest.raises(ModelFileError):
                from_parts({**arrays, key: arrays[key][:-1]}, metadata)


@pytest.mark.parametrize("name", ["ova_two.bin", "ns.bin", "hs.bin", "hs_two.bin", "ova.bin"])
def test_evaluate_takes_shares_where_probabilities_do_not_sum_to_1(name):
    model = classifier(name)
    labels = [model.classes_.tolist()[row % 2] for row in range(len(TEXTS))]
    P = model.predict_proba(TEXTS)
    shares = P / P.sum(axis=1, keepdims=True)
    known = np.array([model.classes_.tolist().index(label) for label in labels])
    loss = -np.log(np.maximum(shares[np.arange(len(P)), known], 1e-15)).mean()
    result = wordplane.evaluate(model, {"text": TEXTS, "label": labels})
    assert result.scores.accuracy == np.mean(model.predict(TEXTS) == labels)
    assert result.scores.log_loss == pytest.approx(loss, rel=0.05)
