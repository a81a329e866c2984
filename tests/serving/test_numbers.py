"""Models that predict numbers: JSON, files, the description of the interface, and the page."""

import csv
import io
import json

import numpy as np
import pytest

import wordplane
from tests.serving.running import Server

WORDS = {"great": 9.0, "good": 7.0, "long": 4.0, "dull": 2.0}


@pytest.fixture(scope="module")
def stars(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    rng = np.random.default_rng(0)
    words = rng.choice(list(WORDS), (60, 2))
    texts = [" ".join(row) for row in words]
    y = [sum(WORDS[word] for word in row) / 2 + rng.normal() / 5 for row in words]
    lines = [f"{text},{value:.3f}" for text, value in zip(texts, y, strict=True)]
    (folder / "reviews.csv").write_text("\n".join(["text,stars", *lines]) + "\n")
    path = folder / "stars.wordplane"
    wordplane.train(str(folder / "reviews.csv"), target="stars", output=path)
    few = folder / "few.wordplane"
    wordplane.TextRegressor().fit(texts[:8], y[:8]).save(few)
    return path, few


@pytest.fixture(scope="module")
def numbers(stars, models, tmp_path_factory):
    store = tmp_path_factory.mktemp("store") / "feedback.sqlite"
    with Server(*stars, models / "films.wordplane", "--feedback", store) as running:
        yield running


def post_file(server, body, media_type, query=""):
    _, _, answer = server.ask("POST", f"/v1/predict{query}", body, {"Content-Type": media_type})
    return answer.decode()


def test_json_has_the_number_and_its_interval(numbers, stars):
    model = wordplane.load(stars[0])
    texts = ["great good", "dull dull"]
    expected = model.predict(texts)
    for query, level in (({}, 0.9), ({"set_confidence": 0.5}, 0.5)):
        status, answer = numbers.post("/v1/predict", {"texts": texts, **query})
        assert status == 200
        intervals = model.predict_interval(texts, level)
        for row, number, interval in zip(answer["rows"], expected, intervals, strict=True):
            assert set(row) == {"id", "prediction", "interval"}
            assert row["prediction"] == pytest.approx(number, abs=1e-6)
            assert row["interval"] == pytest.approx(interval.tolist(), abs=1e-6)
    status, answer = numbers.post("/v1/predict", {"text": "great", "known": True})
    assert answer["rows"][0]["known"] == 1.0
    status, answer = numbers.post("/v1/predict", {"text": "great", "model": "few"})
    assert status == 200 and answer["rows"][0]["interval"] is None


def test_files_keep_their_rows(numbers, stars):
    expected = wordplane.load(stars[0]).predict(["great good", "dull long"])
    answer = post_file(numbers, b"id,text\n7,great good\n8,dull long\n", "text/csv")
    rows = list(csv.DictReader(io.StringIO(answer)))
    assert [row["id"] for row in rows] == ["7", "8"]
    assert [float(row["prediction"]) for row in rows] == pytest.approx(expected, abs=1e-6)
    low, high = map(float, rows[0]["interval"].split("|"))
    assert low < expected[0] < high
    body = b'{"text": "great good", "note": "x"}\n'
    line = json.loads(post_file(numbers, body, "application/jsonl", "?keep=true"))
    assert line["note"] == "x" and line["interval"] == pytest.approx([low, high])


def test_what_is_for_labels_is_refused(numbers):
    for body, field in (
        ({"text": "great", "top_k": 2}, "/top_k"),
        ({"text": "great", "min_confidence": 0.5}, "/min_confidence"),
        ({"text": "great", "model": "few", "set_confidence": 0.5}, "/set_confidence"),
    ):
        status, problem = numbers.post("/v1/predict", body)
        assert (status, problem["field"]) == (422, field)
    status, problem = numbers.post("/v1/explain", {"text": "great", "label": "good"})
    assert (status, problem["field"]) == (422, "/label")


def test_explanations_add_up(numbers):
    status, found = numbers.post("/v1/explain", {"text": "great dull"})
    assert status == 200
    total = found["bias"] + sum(one["value"] for one in found["contributions"])
    assert total == pytest.approx(found["prediction"], abs=1e-5)
    weight = {one["start"]: one["weight"] for one in found["words"]}
    assert weight[0] > 0 > weight[6]


def test_cards_metrics_and_other_models(numbers):
    _, answer = numbers.get("/v1/models")
    stars, _, films = answer["models"]
    assert stars["numbers"] and stars["target"] == "stars" and stars["labels"] == []
    assert stars["scores"]["mae"] < 1 and stars["accuracy"] is None
    assert [one["label"] for one in stars["top_words"]] == ["higher", "lower"]
    assert not films["numbers"] and films["target"] is None
    _, _, text = numbers.ask("GET", "/metrics")
    assert b'wordplane_texts_total{model="stars"}' in text
    status, answer = numbers.post("/v1/predict", {"text": "great fun", "model": "films"})
    assert status == 200 and answer["rows"][0]["label"] == "good"


def test_feedback_is_for_labels(numbers):
    status, problem = numbers.post("/v1/feedback", {"text": "great", "label": "good"})
    assert (status, problem["field"]) == (422, "/model")
