"""Tests of wordplane.serving.bodies: rows with fields and vectors in place of a text."""

import io
import json

import pytest

import wordplane
from tests.serving.conftest import LABELS, TEXTS
from tests.serving.running import Server

ROW = {"title": "a great film", "body": "so dull", "image": [1.0, 2.0]}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "fields.wordplane"
    rows = {"title": TEXTS, "body": TEXTS[::-1], "image": [[float(i), 1.0] for i in range(8)]}
    fields, columns = ["title", "body"], {"image": "vector"}
    analyzer = wordplane.Analyzer(ngrams=(1, 1), fields=fields, columns=columns)
    wordplane.TextClassifier(analyzer, "logistic").fit(rows, LABELS).save(path)
    return path


@pytest.fixture(scope="module")
def fields_server(saved):
    with Server(saved) as running:
        yield running


def test_rows_have_the_fields(fields_server, saved) -> None:
    model = wordplane.load(saved)
    columns = {name: [value] for name, value in ROW.items()}
    status, answer = fields_server.post("/v1/predict", {"rows": [ROW]})
    assert status == 200
    assert [row["label"] for row in answer["rows"]] == model.predict(columns).tolist()
    status, answer = fields_server.post("/v1/explain", {"row": ROW})
    assert status == 200
    found = model.explain(columns)
    assert [c["feature"] for c in answer["contributions"]] == found.features
    assert "title:great" in found.features
    lines = json.dumps(ROW) + "\n"
    headers = {"Content-Type": "application/jsonl"}
    status, _, body = fields_server.ask("POST", "/v1/predict", lines.encode(), headers)
    assert status == 200
    (row,) = [json.loads(line) for line in io.StringIO(body.decode())]
    assert row["label"] == model.predict(columns)[0]


def test_a_row_that_cannot_be_read_is_named_without_an_option_of_files(fields_server) -> None:
    lines = json.dumps(ROW) + "\n7\n"
    headers = {"Content-Type": "application/jsonl"}
    status, _, body = fields_server.ask("POST", "/v1/predict", lines.encode(), headers)
    said = json.loads(body)["detail"]
    assert status == 422 and "the body, row 2" in said and "skip_bad" not in said


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"text": "a film"}, "the model needs the columns title, body, image"),
        ({"rows": [{**ROW, "title": None}]}, "/rows/0/title"),
        ({"rows": [{"title": "a", "image": [1, 2]}]}, "/rows/0/body"),
        ({"rows": [{**ROW, "image": "x"}]}, "/rows/0/image"),
        ({"rows": [{**ROW, "image": [1, "x"]}]}, "/rows/0/image"),
        ({"rows": [{**ROW, "image": []}]}, "/rows/0/image"),
        ({"rows": [{**ROW, "image": [1, 1e300]}]}, "/rows/0/image"),
        ({"rows": [{**ROW, "image": [1.0]}]}, "have 1 numbers, but the model was trained on"),
        ({"rows": [ROW, {**ROW, "image": [1.0]}]}, "has 1 numbers, but the first has 2"),
    ],
)
def test_what_is_missing_is_named(fields_server, body, why) -> None:
    status, answer = fields_server.post("/v1/predict", body)
    assert 400 <= status < 500
    assert why in json.dumps(answer)
