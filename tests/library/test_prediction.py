"""libwordplane gives the answers of wordplane.model.text_model and wordplane.model.explanation, bit
for bit; with native/library."""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow.parquet
import pytest

from tests.library.conftest import EXAMPLES, ROOT
from tests.library.library_models import (
    LANGUAGES,
    MODELS,
    content,
    fitted,
    library_answers,
    python_answers,
    random_texts,
)
from tests.model.every_kind import every_kind
from wordplane import Analyzer, TextClassifier
from wordplane.model.explanation import explain
from wordplane.model.file import from_bytes, to_bytes
from wordplane.text.documents import as_documents

pytestmark = pytest.mark.slow
ALL = [*MODELS, "packed"]


def documents_for(model, n, seed=0):
    texts = random_texts(n * len(model.fields), seed)
    return [tuple(texts[i::n][: len(model.fields)]) for i in range(n)]


def as_counts(documents):
    return [tuple(" ".join(f"{word}:2" for word in text.split() if ":" not in word)
                  for text in one) for one in documents]  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_scores_probabilities_and_labels_are_those_of_python_bit_for_bit(name, load):
    model, expected = load(content(name)), from_bytes(content(name))
    documents = documents_for(model, 400)
    documents = as_counts(documents) if name == "counts" else documents
    assert [str(label) for label in expected.classes.tolist()] == model.classes
    assert model.multilabel == expected.multilabel
    assert library_answers(model, documents) == python_answers(expected, documents)


@pytest.mark.parametrize("name", ["bernoulli", "mira", "metric", "chain", "platt", "isotonic"])
def test_other_learners_and_calibrations(name, load):
    model, expected = load(every_kind()[name]), from_bytes(every_kind()[name])
    documents = documents_for(model, 100)
    assert library_answers(model, documents) == python_answers(expected, documents)


@pytest.mark.parametrize("name", ALL)
def test_explanations_are_those_of_python(name, load):
    model, expected = load(content(name)), from_bytes(content(name))
    documents = documents_for(model, 25, seed=1)
    documents = as_counts(documents) if name == "counts" else documents
    labels = expected.classes.tolist() or [None]
    for number, texts in enumerate(documents):
        k = number % len(labels)
        fields = expected.features.spec.columns.fields
        frame = {field: [text] for field, text in zip(fields, texts, strict=False)} or list(texts)
        given = as_documents(frame, expected.features.spec.columns.kinds)
        wanted = explain(expected, given, labels[k])
        score, bias, found = model.explain(k, *texts)
        assert np.allclose([score, bias], [wanted.score, wanted.bias], rtol=1e-12, atol=1e-12)
        starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
        places = []
        for feature, value, field, start, end in found:
            at = [-1, -1]
            if field < len(texts):
                data = texts[field].encode()
                at = [starts[field] + len(data[:byte].decode()) for byte in (start, end)]
            places.append((feature, *at, pytest.approx(value, rel=1e-9, abs=1e-12)))
        assert sorted(places, key=lambda one: one[:3]) == sorted(
            (c.feature, *((-1, -1) if c.start is None else (c.start, c.end)), c.value)
            for c in wanted.contributions
        )
        values = [abs(value) for _, value, *_ in found]
        assert values == sorted(values, reverse=True)
        assert sum(value for _, value, *_ in found) + bias == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tree", "a label tree"),
        ("two.bin", "fastText"),
        ("rich", "columns next to the text"),
        ("vectors", "columns next to the text"),
        ("embeddings", "word embeddings"),
        ("conjoined", "conjunctions"),
    ],
)
def test_what_it_does_not_read_is_named(name, kind, load, example):
    with pytest.raises(example.LibraryError, match=kind) as refused:
        load(every_kind()[name])
    assert refused.value.status == 3


def test_forbidden_words_are_named(load, example):
    classifier = TextClassifier(Analyzer(forbid=["smith"]), "nb")
    data = to_bytes(classifier.fit(["good smith", "bad film"] * 3, ["+", "-"] * 3).model_)
    with pytest.raises(example.LibraryError, match="forbidden words"):
        load(data)


def test_wrong_arguments_are_refused(load, example):
    model = load(content("recipe"))
    with pytest.raises(example.LibraryError, match="2 texts, expected 1") as refused:
        model.scores("one", "two")
    assert refused.value.status == 4
    with pytest.raises(example.LibraryError, match="no such class"):
        model.explain(2, "one")
    library = model._library
    text, error = example.Text(b"ab\xff", 3), example.Error()
    scores = (example.c_double * 1)()
    status = library.wordplane_scores(
        model._model, example.byref(text), example.c_size_t(1), scores, example.byref(error)
    )
    assert (status, error.text) == (4, b"a text is not valid UTF-8 at byte 2")
    with pytest.raises(example.LibraryError, match="word:count"):
        load(content("counts")).scores("no counts")


def test_several_threads_use_one_model(load):
    model = load(content("tokens"))
    documents = documents_for(model, 300, seed=2)
    expected = library_answers(model, documents)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: library_answers(model, documents), range(8)))
    assert all(answers == expected for answers in found)


def test_only_the_interface_is_exported(built):
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("not here: nm")
    for arguments in (["-D", "--defined-only", "libwordplane.so"], ["-g", "libwordplane.a"]):
        run = subprocess.run([nm, *arguments], cwd=built, stdout=subprocess.PIPE, check=True)
        rows = [line.split() for line in run.stdout.decode().splitlines() if " " in line]
        defined = [name for *_, kind, name in rows if kind in "TDBRWV"]
        assert len(defined) == 14
        assert all(name.startswith("wordplane_") for name in defined)


def test_the_example_in_c(built, tmp_path):
    program, path = tmp_path / "predict", tmp_path / "model.wordplane"
    path.write_bytes(content("fields"))
    source = [EXAMPLES / "predict.c", built / "libwordplane.a", "-lstdc++", "-lm", "-lpthread"]
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    compiler = ["cc", *options, "-I", ROOT / "native" / "library", *source, "-o", program]
    subprocess.run(compiler, check=True)
    documents = [("a great plot", "dull, the film")]
    run = subprocess.run([program, path, *documents[0]], capture_output=True, text=True, check=True)
    (scores,), (probabilities,), ((label,),) = python_answers(fitted("fields"), documents)
    classes = fitted("fields").classes.tolist()
    lines = run.stdout.splitlines()
    assert lines[0] == f"label {classes[label]}"
    assert [float(line.split()[1]) for line in lines[1:2]] == scores
    assert [float(line.split()[0]) for line in lines[2:]] == probabilities
    (tmp_path / "other").write_text("text,label\n")
    for name, said in (("other", "not a Wordplane model"), ("none", "cannot be opened")):
        run = subprocess.run([program, tmp_path / name, "x"], capture_output=True, text=True,
                             check=False)  # fmt: skip
        assert run.returncode == 1 and said in run.stderr


def test_the_example_by_ctypes(built, tmp_path):
    path = tmp_path / "model.wordplane"
    path.write_bytes(content("several"))
    library = built / "libwordplane.so"
    command = [sys.executable, EXAMPLES / "predict.py", library, path, "great of2"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("labels: ")


@pytest.mark.data
@pytest.mark.parametrize("name", LANGUAGES)
def test_texts_of_ten_languages(name, load, dataset):
    table = pyarrow.parquet.read_table(dataset(name), columns=["text", "label"])
    texts, labels = (table[column].to_pylist() for column in ("text", "label"))
    step = max(len(texts) // 1000, 1)
    train = range(1, len(texts), step)
    classifier = TextClassifier().fit([texts[i] for i in train], [labels[i] for i in train])
    texts = texts[: 1000 * step : step]
    model, documents = load(to_bytes(classifier.model_)), [(text,) for text in texts]
    assert library_answers(model, documents) == python_answers(classifier.model_, documents)
