"""Thousands of texts in C, Node and Chromium: the answers of Python, for five kinds of models (of
wordplane.portable.export and native/library)."""

import numpy as np
import pyarrow.parquet
import pytest

from tests.browser import Visit
from tests.library.library_models import (
    LANGUAGES,
    library_answers,
    python_answers,
    random_texts,
)
from tests.portable.node import run_node
from tests.portable.pages import READY, labels_in
from wordplane import Analyzer, TextClassifier
from wordplane.model.file import to_bytes
from wordplane.portable.export import write_module, write_page

pytestmark = [pytest.mark.soak, pytest.mark.data]
N, LONGEST = 1000, 2000  # texts of a language, characters of a text
AT_ONCE = 200  # documents that Node gets
TYPED = 5  # one of so many is typed: a page also explains each text
FIELDS = ("title", "text")
KINDS = {
    "recipe": TextClassifier(learner="recipe"),
    "nb": TextClassifier(learner="nb"),
    "several": TextClassifier(learner="recipe"),
    "characters": TextClassifier(Analyzer(ngrams=None, chars=(1, 4), chars_across=True), "svm"),
    "fields": TextClassifier(fields={"title": 2.0, "text": 1.0}),
}


@pytest.fixture(scope="module")
def real(dataset):
    """Texts and the names of their languages."""
    rows = []
    for name in LANGUAGES:
        table = pyarrow.parquet.read_table(dataset(name), columns=["text"])
        found = [text[:LONGEST] for text in table["text"].to_pylist() if text]
        rows += [(text, name) for text in found[:N]]
    return rows


def model_of(kind, rows):
    texts, labels = map(list, zip(*rows, strict=True))
    if kind == "several":
        labels = [[label, "long"] if len(text) > 60 else [label] for text, label in rows]
    given = {"title": texts[::-1], "text": texts} if kind == "fields" else texts
    return KINDS[kind].fit(given, labels).model_


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_answers_everywhere(kind, real, load, browser, tmp_path):
    order = np.random.default_rng(0).permutation(len(real))[:3000].tolist()
    model = model_of(kind, [real[row] for row in order])
    asked = [text for text, _ in real] + random_texts(10_000, seed=5)
    columns = (asked[::-1], asked) if kind == "fields" else (asked,)
    documents = list(zip(*columns, strict=True))
    z, P, codes = python_answers(model, documents)
    assert library_answers(load(to_bytes(model)), documents) == (z, P, codes)

    write_module(tmp_path / "m.mjs", model)
    shaped = asked
    if kind == "fields":
        shaped = [dict(zip(FIELDS, one, strict=True)) for one in documents]
    parts = [shaped[first : first + AT_ONCE] for first in range(0, len(shaped), AT_ONCE)]
    found = []
    for part in parts:
        said = run_node(tmp_path / "m.mjs", part)
        assert "error" not in said, said
        found += said["answers"]
    assert [one["scores"] for one in found] == z
    labels = model.classes.tolist()
    assert [one["labels"] for one in found] == [[labels[k] for k in row] for row in codes]
    np.testing.assert_allclose([one["probabilities"] for one in found], P, rtol=1e-13)
    if kind == "fields":  # a page has two boxes then
        return
    write_page(tmp_path / "page.html", model, "x")
    typed = [text.replace("\r", " ").replace("\0", " ") for text in asked[::TYPED]]
    _, _, codes = python_answers(model, [(text,) for text in typed])
    with Visit(browser, (tmp_path / "page.html").as_uri(), ready=READY) as visit:
        shown = labels_in(visit, typed)
        assert visit.complaints == []
    for (is_hidden, answer, _), row in zip(shown, codes, strict=True):
        assert is_hidden or all(labels[k] in answer for k in row)
    assert sum(is_hidden for is_hidden, _, _ in shown) < len(shown) / 5
