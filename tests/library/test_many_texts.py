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
from tests.portable.pages import READY, answers_in
from wordplane import Analyzer, TextClassifier
from wordplane.model.file import to_bytes
from wordplane.portable.export import write_module, write_page

pytestmark = [pytest.mark.soak, pytest.mark.data]
N, LONGEST = 1000, 2000  # texts of a language, characters of a text
AT_ONCE = 2000  # documents that a page gets
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

    shaped = asked
    if kind == "fields":
        shaped = [dict(zip(FIELDS, one, strict=True)) for one in documents]
    write_module(tmp_path / "m.mjs", model)
    said = run_node(tmp_path / "m.mjs", shaped, is_explained=False)
    assert "error" not in said, said
    write_page(tmp_path / "page.html", model, "x")
    with Visit(browser, (tmp_path / "page.html").as_uri(), ready=READY) as visit:
        in_browser = [
            answer
            for first in range(0, len(shaped), AT_ONCE)
            for answer in answers_in(visit, shaped[first : first + AT_ONCE])
        ]
        assert visit.complaints == []
    labels = model.classes.tolist()
    for found in (said["answers"], in_browser):
        assert [one["scores"] for one in found] == z
        assert [one["labels"] for one in found] == [[labels[k] for k in row] for row in codes]
        # exp of musl's libm, in WebAssembly, and of glibc's differ in their last bit.
        P_found = np.array([one["probabilities"] for one in found])
        np.testing.assert_allclose(P_found, P, rtol=1e-13, atol=0)
        assert np.abs(P_found - P).max() <= 2**-52
