"""A model as one file: the same answers in Node as in Python, for every kind of model."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from tests.model.every_kind import TEXTS, WORDS, every_kind
from tests.portable.documents import odd_texts
from tests.portable.node import run_node
from wordplane import Analyzer, TextClassifier, TextRegressor, _core
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.model.compression import compress_model
from wordplane.model.explanation import explain
from wordplane.model.file import from_bytes
from wordplane.portable import export
from wordplane.portable.export import write_module, write_page
from wordplane.text.documents import as_documents

ROOT = Path(__file__).resolve().parents[2]
BUILT = json.loads((ROOT / "src/wordplane/portable/files/wordplane.json").read_text())
REFUSED = {
    "tree", "tree of several", "rich", "vectors", "embeddings", "conjoined",
    "forbidden", "two.bin", "ova_two.bin", "pruned_words.ftz",
}  # fmt: skip
same_unicode = pytest.mark.skipif(
    BUILT["unicode"] != _core.unicode_version, reason=f"built for Unicode {BUILT['unicode']}"
)


def more_kinds():
    rows = [f"{text} {'A+' if 'great' in text else 'c'}" for text in TEXTS]
    y = ["great" in text for text in TEXTS]
    analyzers = {
        "characters": Analyzer(chars=(2, 4), chars_across=True),
        "lexica": Analyzer(ngrams=(1, 1), lexica={"mood": {"great": 1.0, "dull": -2.0}}),
        "tokens": Analyzer(prefixes=[2], suffixes=[1, 3], shapes=True),
        "forbidden": Analyzer(forbid=["film"]),
    }
    made = {name: TextClassifier(one, "svm").fit(rows, y).model_ for name, one in analyzers.items()}
    made["packed"] = compress_model(made["characters"], 40)
    made["numbers"] = TextRegressor().fit(rows, np.array(y) * 2.5 + 1).model_
    return made


@pytest.fixture(scope="module")
def models():
    return {**{name: from_bytes(data) for name, data in every_kind().items()}, **more_kinds()}


def in_python(model, documents):
    """Scores, probabilities, and the given labels of each document."""
    fields = list(model.features.spec.columns.fields)
    given = {name: [one[name] for one in documents] for name in fields} if fields else documents
    batch = as_documents(given, model.features.spec.columns.kinds)
    z = model.scores(batch, 1)
    P = model.probabilities(z[:, 0] if z.shape[1] == 1 and not model.multilabel else z)
    names = [str(name) for name in model.classes.tolist()]
    if model.predicts_numbers:
        labels = None
    elif model.multilabel:
        given = np.asarray(model.calibrator.predict(z))
        labels = [[names[k] for k in np.flatnonzero(row)] for row in given]
    else:
        codes = (z[:, 0] > 0).astype(int) if z.shape[1] == 1 else z.argmax(axis=1)
        labels = [[names[k]] for k in codes.tolist()]
    rows = [batch.take(np.array([i])) for i in range(len(documents))]
    return z, P, labels, [explain(model, row) for row in rows]


def utf16(text, place):
    """The place in a string of JavaScript."""
    return len(text[:place].encode("utf-16-le")) // 2


def check_explanation(found, expected, text):
    """The same occurrences of features in a text, each with the same value."""
    assert found["score"] == pytest.approx(expected.score, rel=1e-12, abs=1e-12)
    assert found["bias"] == pytest.approx(expected.bias, rel=1e-12, abs=1e-12)
    total = found["bias"] + sum(one["value"] for one in found["contributions"])
    assert total == pytest.approx(found["score"], abs=1e-9)
    ours = sorted((one["feature"], one["start"], one["end"]) for one in found["contributions"]
                  if one["start"] is not None)  # fmt: skip
    theirs = sorted((one.feature, utf16(text, one.start), utf16(text, one.end))
                    for one in expected.contributions if one.start is not None)  # fmt: skip
    assert ours == theirs


READ = [
    "nb", "bernoulli", "complement", "perceptron", "mira", "onlinesvm", "onlinelogistic",
    "temperature", "platt", "isotonic", "metric", "recipe", "several", "chain", "fields", "hashed",
    "chosen", "characters", "lexica", "tokens", "packed", "numbers",
]  # fmt: skip


@same_unicode
@pytest.mark.parametrize("name", READ)
@pytest.mark.slow
def test_node_answers_as_python_does(name, models, tmp_path):
    model = models[name]
    texts = odd_texts(WORDS, 200, seed=len(name))
    fields = list(model.features.spec.columns.fields)
    documents = texts
    if fields:
        documents = [
            dict(zip(fields, pair, strict=True)) for pair in zip(texts, texts[::-1], strict=True)
        ]
    write_module(tmp_path / "m.mjs", model)
    found = run_node(tmp_path / "m.mjs", documents)
    assert "error" not in found, found
    z, P, labels, explanations = in_python(model, documents)
    assert found["labels"] == [str(label) for label in model.classes.tolist()]
    assert found["fields"] == (fields or [""]) and found["isMultilabel"] == model.multilabel
    answers = found["answers"]
    scores = np.array([one["scores"] for one in answers])
    assert np.array_equal(scores, z)
    if model.predicts_numbers:
        assert [one["number"] for one in answers] == scores[:, 0].tolist()
    else:
        np.testing.assert_allclose([one["probabilities"] for one in answers], P, rtol=1e-13)
        assert [one["labels"] for one in answers] == labels
    for one, expected, text in zip(found["explanations"], explanations, texts, strict=True):
        if not fields:
            check_explanation(one, expected, text)
        if not model.predicts_numbers:
            assert one["label"] == str(expected.label)


def test_every_kind_is_read_or_refused(models):
    assert set(models) == {*READ, *REFUSED}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_the_library_cannot_read_is_refused(name, models, tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"cannot become a page or a module: it"):
        write_page(tmp_path / "m.html", models[name], "m")
    assert not list(tmp_path.iterdir())
    # The library itself says no, too: the refusal is not too strict.
    monkeypatch.setattr(export, "check_portable", lambda _: None)
    write_module(tmp_path / "m.mjs", models[name])
    assert "error" in run_node(tmp_path / "m.mjs", [])


def test_errors_leave_the_model_as_it_was(models, tmp_path):
    write_module(tmp_path / "m.mjs", models["fields"])
    documents = [
        {"title": "great", "text": "fun"},
        {"title": "x"},
        {"title": "great", "text": "fun"},
    ]
    first, wrong, again = run_node(tmp_path / "m.mjs", documents)["answers"]
    assert wrong == {"error": 'the model needs a text "text"'}
    assert first == again


def test_words_sum_to_the_score(models, tmp_path):
    write_module(tmp_path / "m.mjs", models["characters"])
    text = "great, dull film: 👩🏽‍🚀 东西 GREAT"
    (found,) = run_node(tmp_path / "m.mjs", [text])["explanations"]
    nowhere = sum(one["value"] for one in found["contributions"] if one["start"] == one["end"])
    total = found["bias"] + nowhere + sum(word["value"] for word in found["words"])
    assert total == pytest.approx(found["score"], abs=1e-9)
    units = text.encode("utf-16-le")
    pieces = [units[2 * w["start"] : 2 * w["end"]].decode("utf-16-le") for w in found["words"]]
    assert "".join(pieces) == text and {"great", "dull", "GREAT"} <= set(pieces)


@pytest.mark.slow
def test_a_long_text_is_taken_apart_and_put_together(models, tmp_path):
    write_module(tmp_path / "m.mjs", models["characters"])
    text = "great, dull film: 👩🏽‍🚀 东西、没有 GREAT é " * 3000 + "长" * 12_000  # ended Node once
    (found,) = run_node(tmp_path / "m.mjs", [text])["explanations"]
    ends = [word["end"] for word in found["words"]]
    assert [word["start"] for word in found["words"]] == [0, *ends[:-1]]
    assert ends[-1] == len(text.encode("utf-16-le")) // 2
    nowhere = sum(one["value"] for one in found["contributions"] if one["start"] == one["end"])
    total = found["bias"] + nowhere + sum(word["value"] for word in found["words"])
    assert total == pytest.approx(found["score"], abs=1e-6)


def test_a_damaged_model_is_refused(models, tmp_path, monkeypatch):
    data = bytearray(export.to_bytes(models["nb"]))
    data[-1] ^= 1
    monkeypatch.setattr(export, "to_bytes", lambda _: bytes(data))
    write_module(tmp_path / "m.mjs", models["nb"])
    assert "damaged" in run_node(tmp_path / "m.mjs", [])["error"]


def test_notes_of_size_and_unicode(models, tmp_path, monkeypatch):
    expected = [] if BUILT["unicode"] == _core.unicode_version else [BUILT["unicode"]]
    assert len(write_page(tmp_path / "a.html", models["nb"], "a")) == len(expected)
    monkeypatch.setattr(export, "LARGE", 1000)
    assert "wordplane compress" in write_page(tmp_path / "b.html", models["nb"], "b")[0]


def test_the_same_model_makes_the_same_file(models, tmp_path):
    for name in ("a", "b"):
        write_page(tmp_path / name, models["recipe"], "films")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_on_the_command_line(models, tmp_path, capsys):
    model = TextClassifier.from_model(models["nb"])
    model.save(tmp_path / "films.wordplane")
    for name in ("page.html", "films.mjs"):
        path = tmp_path / name
        assert main(["convert", str(tmp_path / "films.wordplane"), "-o", str(path)]) == 0
        assert f"wrote     {path}" in capsys.readouterr().out
    assert "<h1><bdi>films</bdi></h1>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    TextClassifier.from_model(models["tree"]).save(tmp_path / "tree.wordplane")
    assert main(["convert", str(tmp_path / "tree.wordplane"), "-o", str(tmp_path / "t.html")]) != 0
    assert "its labels are in a tree" in capsys.readouterr().err


def test_the_library_was_built_from_these_sources():
    tool = runpy.run_path(str(ROOT / "tools" / "wasm.py"))
    assert tool["check"]() == ""


def test_the_check_of_the_sources_can_fail(tmp_path):
    """A changed source, another library, and one that is too large are found."""
    tool = runpy.run_path(str(ROOT / "tools" / "wasm.py"))
    names = tool["check"].__globals__
    for name, value, message in (
        ("digest_of_sources", lambda: "other", "make wasm"),
        ("MAX_PACKED", 10, "too many"),
    ):
        kept = names[name]
        names[name] = value
        assert message in tool["check"]()
        names[name] = kept
    other = tmp_path / "wordplane.wasm"
    other.write_bytes(b"other")
    names["LIBRARY"] = other
    assert "not the file" in tool["check"]()
