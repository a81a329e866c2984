"""Tests of wordplane.serving.service: what clients may ask, and what they are told.

Also of wordplane.serving.rows, wordplane.serving.streams, wordplane.serving.explanation and
wordplane.serving.problems.
"""

import csv
import gzip
import http.client
import io
import json
from unittest.mock import ANY

import pytest

import wordplane

JSONL = {"Content-Type": "application/jsonl"}
CSV = {"Content-Type": "text/csv"}


@pytest.fixture(scope="module")
def films(models):
    return wordplane.load(models / "films.wordplane")


def test_one_text(server, films):
    text = "a great film, not bad"
    status, answer = server.post("/v1/predict", {"text": text})
    assert status == 200 and answer["model"] == "films"
    (row,) = answer["rows"]
    chances = dict(zip(films.classes_.tolist(), films.predict_proba([text])[0], strict=True))
    assert row["label"] == films.predict([text])[0]
    assert row["probability"] == pytest.approx(chances[row["label"]], abs=1e-6)


def test_rows_in_are_rows_out_in_order_with_their_ids(server, films):
    texts = [f"text {i} is {'great' if i % 3 else 'dull'}" for i in range(1500)]
    status, answer = server.post("/v1/predict", {"texts": texts})
    assert status == 200
    assert [row["label"] for row in answer["rows"]] == films.predict(texts).tolist()
    rows = [{"text": text, "id": f"row {i}", "other": i} for i, text in enumerate(texts)]
    _, answer = server.post("/v1/predict", {"rows": rows})
    assert [row["id"] for row in answer["rows"]] == [row["id"] for row in rows]
    assert [row["label"] for row in answer["rows"]] == films.predict(texts).tolist()
    _, answer = server.post("/v1/predict", {"rows": [{"text": "a"}, {"text": "b", "id": 7}]})
    assert [row["id"] for row in answer["rows"]] == ["1", "7"]
    assert server.post("/v1/predict", {"texts": []}) == (200, {"model": "films", "rows": []})


def test_options(server, films):
    _, answer = server.post("/v1/predict", {"text": "great", "top_k": 9})
    (row,) = answer["rows"]
    assert row["top_labels"] == ["good", "bad"]
    assert sum(row["top_probabilities"]) == pytest.approx(1, abs=1e-5)
    asked = {"texts": ["great great", "zzz"], "min_confidence": 0.51}
    _, answer = server.post("/v1/predict", asked)
    assert [row["label"] for row in answer["rows"]] == ["good", None]
    _, answer = server.post("/v1/predict", {"text": "great", "set_confidence": 0.9})
    assert set(answer["rows"][0]["label_set"]) <= {"good", "bad"}


EMPTY = {"id": "2", "label": None, "probability": None}


def test_empty_texts_have_no_label(server, films):
    """As `wordplane predict` has it, whatever the form of the request."""
    texts = ["great", " \n\u3000", "dull", ""]
    expected = wordplane.predict(films, texts)
    rows = [{"text": text} for text in texts]
    for given in ({"texts": texts}, {"rows": rows}):
        _, answer = server.post("/v1/predict", given)
        assert answer["rows"][1] == {**EMPTY, "id": ANY}
        for name in ("label", "probability"):
            assert [row[name] for row in answer["rows"]] == list(expected[name])
    for given in ({"text": " "}, {"rows": [{"text": "", "id": "1"}]}):
        _, answer = server.post("/v1/predict", {**given, "top_k": 2})
        lists = {"top_labels": [], "top_probabilities": []}
        assert answer["rows"] == [{**EMPTY, "id": "1" if "rows" in given else ANY, **lists}]
    _, _, body = server.ask("POST", "/v1/predict", b'id,text\n1,great\n2,"  "\n', CSV)
    assert list(csv.DictReader(io.StringIO(body.decode())))[1] == dict.fromkeys(EMPTY, "") | {
        "id": "2"
    }
    body = b'{"id": "1", "text": "great"}\n{"id": "2", "text": ""}\n'
    _, _, body = server.ask("POST", "/v1/predict", body, JSONL)
    assert json.loads(body.splitlines()[1]) == EMPTY
    _, answer = server.post("/v1/predict", {"text": "", "model": "topics"})
    assert (answer["rows"][0]["labels"], answer["rows"][0]["probabilities"]) == ([], [])
    row = {"text": "", "links": 8, "from": "b"}  # the other columns say enough
    assert server.post("/v1/predict", {"rows": [row], "model": "mails"})[1]["rows"][0]["label"] == 1


def test_how_much_of_a_text_is_known(server, films):
    texts = ["great fun zzz qqq", "这部电影很好", ""]
    known, unfamiliar = films.knowledge(texts)
    expected = list(zip(known.round(6).tolist(), unfamiliar.tolist(), strict=True))
    assert expected[0] == (0.5, False) and expected[1] == (0.0, True)
    _, answer = server.post("/v1/predict", {"texts": texts, "known": True})
    assert [(row["known"], row["unfamiliar"]) for row in answer["rows"]] == expected
    _, answer = server.post("/v1/predict", {"texts": texts, "known": False})
    assert all("known" not in row for row in answer["rows"])
    _, answer = server.post("/v1/predict", {"model": "topics", "text": texts[0], "known": True})
    assert answer["rows"][0]["known"] == 0.5
    body = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    _, _, answer = server.ask("POST", "/v1/predict?known=true", body, JSONL)
    found = [json.loads(line) for line in answer.decode().splitlines()]
    assert [(row["known"], row["unfamiliar"]) for row in found] == expected
    _, _, answer = server.ask("POST", "/v1/predict?known=true&text=t", b"t\ngreat zzz\n", CSV)
    (row,) = csv.DictReader(io.StringIO(answer.decode()))
    assert (row["known"], row["unfamiliar"]) == ("0.5", "False")


def test_other_models_by_name(server, models):
    topics = wordplane.load(models / "topics.wordplane")
    _, answer = server.post("/v1/predict", {"model": "topics", "text": "good fun", "top_k": 2})
    (row,) = answer["rows"]
    assert tuple(row["labels"]) == topics.predict(["good fun"])[0]
    assert len(row["labels"]) == len(row["probabilities"])
    assert set(row["top_labels"]) == {"fun", "long"}
    mails = wordplane.load(models / "mails.wordplane")
    row = {"text": "a film", "links": 8, "from": "b"}
    _, answer = server.post("/v1/predict", {"model": "mails", "rows": [row]})
    expected = mails.predict({name: [value] for name, value in row.items()}).tolist()
    assert [row["label"] for row in answer["rows"]] == expected
    _, explained = server.post("/v1/explain", {"model": "mails", "row": row})
    assert explained["label"] == expected[0]
    assert any(c["start"] is None for c in explained["contributions"])


def test_explanation(server, films):
    text = "naïve 😀 but great"
    status, answer = server.post("/v1/explain", {"text": text})
    assert status == 200
    found = films.explain(text)
    assert answer["label"] == found.label
    assert answer["score"] == pytest.approx(found.score)
    added = sum(c["value"] for c in answer["contributions"]) + answer["bias"]
    assert added == pytest.approx(answer["score"])
    words = [text[word["start"] : word["end"]] for word in answer["words"]]
    assert words == ["naïve", "😀", "but", "great"]
    assert max(answer["words"], key=lambda word: word["weight"])["start"] == text.index("great")
    assert answer["flip"]["words"] == list(films.flip(text).words)
    _, answer = server.post(
        "/v1/explain", {"text": text, "label": "bad", "top_k": 1, "flip": False}
    )
    assert answer["label"] == "bad" and answer["score"] == pytest.approx(-found.score)
    assert len(answer["contributions"]) == 1 and answer["flip"] is None


def test_models(server, films):
    status, answer = server.get("/v1/models")
    assert status == 200
    assert [model["name"] for model in answer["models"]] == ["films", "topics", "mails"]
    card = answer["models"][0]
    assert card["labels"] == ["bad", "good"] and card["features"] == films.n_features
    strongest = {one["label"]: one["words"][0]["word"] for one in card["top_words"]}
    assert strongest == {label: top[0][0] for label, top in films.top_features(1).items()}
    assert answer["models"][2]["columns"] == {"links": "number", "from": "category"}


def test_health(server):
    assert server.get("/healthz") == (200, {"status": "ok"})
    assert server.get("/readyz")[0] == 200
    status, headers, body = server.ask("HEAD", "/healthz")
    assert status == 200 and body == b"" and headers["content-length"] == "15"


def test_csv(server, films):
    rows = [[f"r{i}", f"great, film\n{i}" if i % 2 else 'so "dull"'] for i in range(2500)]
    file = io.StringIO()
    csv.writer(file).writerows([["id", "text"], *rows])
    status, headers, body = server.ask("POST", "/v1/predict", file.getvalue().encode(), CSV)
    assert status == 200 and headers["content-type"].startswith("text/csv")
    found = list(csv.DictReader(io.StringIO(body.decode())))
    assert [row["id"] for row in found] == [id for id, _ in rows]
    assert [row["label"] for row in found] == films.predict([text for _, text in rows]).tolist()


def test_csv_with_all_columns(server):
    body = "note;review\nä=1;great fun\n-2;dull film\n\n=1+1;bad\n".encode()
    path = "/v1/predict?keep=true&text=review"
    status, _, answer = server.ask("POST", path, body, CSV)
    assert status == 200
    found = list(csv.DictReader(io.StringIO(answer.decode())))
    assert [row["note"] for row in found] == ["ä=1", "-2", "'=1+1"]
    assert [row["review"] for row in found] == ["great fun", "dull film", "bad"]
    assert [row["label"] for row in found] == ["good", "bad", "bad"]
    status, _, answer = server.ask("POST", path + "&escape_formulas=false", body, CSV)
    assert "\n=1+1," in answer.decode()


@pytest.mark.parametrize("top", [{}, {"top_labels": "x"}])
def test_own_columns_are_kept_with_those_of_the_answer(server, top):
    row = {"id": "7", "text": "great fun", "label": "mine", "input_label": "old"}
    row |= {"probability": "0.1", **top}
    kept = {"id": "7", "text": "great fun", "label": "good", "input_label": "old"}
    kept |= {"input_input_label": "mine", "input_probability": "0.1"}
    kept |= {f"input_{name}": value for name, value in top.items()}
    path = "/v1/predict?keep=true&top_k=1"
    body = json.dumps(row).encode()
    status, _, answer = server.ask("POST", path, body, JSONL)
    assert status == 200
    found = {k: v for k, v in json.loads(answer).items() if not k.startswith("top_")}
    assert kept.items() <= found.items()
    file = io.StringIO()
    csv.writer(file).writerows([row.keys(), row.values()])
    status, _, answer = server.ask("POST", path, file.getvalue().encode(), CSV)
    (found,) = csv.DictReader(io.StringIO(answer.decode()))
    assert status == 200 and kept.items() <= found.items()
    assert found["top_labels"] == "good"


def test_jsonl(server):
    lines = [{"text": "great fun", "id": 7}, {"text": "dull \u2028 film", "id": 8}]
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path = "/v1/predict?top_k=2&min_confidence=0.5"
    status, headers, answer = server.ask("POST", path, body, JSONL)
    assert status == 200 and headers["content-type"] == "application/jsonl"
    found = [json.loads(line) for line in answer.decode().split("\n") if line]
    assert [(row["id"], row["label"]) for row in found] == [("7", "good"), ("8", "bad")]
    assert all(len(row["top_labels"]) == 2 for row in found)


def test_numbers_that_json_does_not_have_become_null(server):
    body = b"""{"text": "great", "a": 1e999, "b": [NaN, {"c": -Infinity}], "d": 1.5}
{"text": "dull", "a": 2}
"""
    status, _, answer = server.ask("POST", "/v1/predict?keep=true&text=text", body, JSONL)
    assert status == 200

    def refuse(name):
        raise AssertionError(name)

    lines = answer.decode().splitlines()
    first, second = (json.loads(line, parse_constant=refuse) for line in lines)
    assert (first["a"], first["b"], first["d"]) == (None, [None, {"c": None}], 1.5)
    assert (second["a"], second["label"]) == (2, "bad")
    deep = b'{"text": "great", "a": ' + b"[" * 800 + b"NaN" + b"]" * 800 + b"}"
    assert server.ask("POST", "/v1/predict?keep=true&text=text", deep, JSONL)[0] == 422


PROBLEMS = [
    ({}, "invalid-field", "/text"),
    ({"text": 1}, "invalid-field", "/text"),
    ({"text": "a", "texts": []}, "invalid-field", "/text"),
    ({"txt": "a"}, "invalid-field", "/txt"),
    ({"texts": "a"}, "invalid-field", "/texts"),
    ({"texts": ["a", None]}, "invalid-field", "/texts/1"),
    ({"rows": [{"text": "a"}, 3]}, "invalid-field", "/rows/1"),
    ({"rows": [{"text": "a", "id": []}]}, "invalid-field", "/rows/0/id"),
    ({"rows": [{"id": "1"}]}, "invalid-field", "/rows/0/text"),
    ({"text": "a", "top_k": 0}, "invalid-field", "/top_k"),
    ({"text": "a", "top_k": True}, "invalid-field", "/top_k"),
    ({"text": "a", "min_confidence": 1.5}, "invalid-field", "/min_confidence"),
    ({"text": "a", "set_confidence": 1}, "invalid-field", "/set_confidence"),
    ({"text": "a", "threshold": 0.5}, "invalid-field", "/threshold"),
    ({"text": "a", "known": 1}, "invalid-field", "/known"),
    ({"text": "a", "model": "none"}, "unknown-model", "/model"),
    ({"text": "a", "model": ["films"]}, "invalid-field", "/model"),
    ({"text": "half of a pair: \ud800"}, "invalid-rows", None),
    ({"rows": [{"text": "a", "id": "\ud800"}]}, "invalid-field", "/rows/0/id"),
    ({"model": "mails", "text": "a"}, "invalid-field", "/text"),
    ({"model": "mails", "rows": [{"text": "a", "from": "a"}]}, "invalid-field", "/rows/0/links"),
    ({"model": "topics", "text": "a", "min_confidence": 0.5}, "invalid-field", "/min_confidence"),
    ({"model": "topics", "text": "a", "set_confidence": 0.9}, "invalid-field", "/set_confidence"),
    ({"texts": ["a"] * 2001}, "too-many-texts", "/texts"),
    ({"text": "a" * 1_000_001}, "text-too-long", "/text"),
]


@pytest.mark.parametrize("given, kind, field", PROBLEMS, ids=lambda value: str(value)[:40])
def test_problems_name_the_field(server, given, kind, field):
    status, answer = server.post("/v1/predict", given)
    assert answer["type"] == f"urn:wordplane:problem:{kind}"
    assert status == answer["status"] and 400 <= status < 500
    assert answer.get("field") == field
    assert answer["detail"] and answer["advice"] and answer["request_id"]


@pytest.mark.parametrize("path", ["/v1/explain", "/v1/feedback"])
def test_ids_of_rows_that_are_not_used_are_checked_too(server, path):
    label = {"label": "good"} if path == "/v1/feedback" else {}
    _, answer = server.post(path, {"row": {"text": "great", "id": [None]}, **label})
    assert (answer.get("status"), answer.get("field")) == (422, "/row/id")
    assert server.post(path, {"row": {"text": "great", "id": None}, **label})[0] == 200


@pytest.mark.parametrize(
    "query",
    [
        *("top_k=1_0", "top_k=%202", "top_k=2.0", "top_k=%D9%A3", "top_k="),
        *("min_confidence=0.5%20", "min_confidence=nan", "top_k=1&top_k=2", "text=a&text=a"),
        *("keep", "keep=True", "encoding=punycode", "top=2"),
    ],
)
def test_parameters_that_are_refused(server, query):
    status, _, answer = server.ask("POST", f"/v1/predict?{query}", b"text\ngreat\n", CSV)
    problem = json.loads(answer)
    assert (status, problem["type"]) == (422, "urn:wordplane:problem:invalid-field")
    assert problem["field"] == "/" + query.partition("=")[0]


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-1" + "0" * 309, "1e999"])
@pytest.mark.parametrize("column", ["links", "from"])
def test_numbers_that_are_too_large(server, column, number):
    row = f'{{"text": "a", "links": 1, "from": "a", "{column}": {number}}}'
    rows = f'{{"model": "mails", "rows": [{row}]}}'
    one = f'{{"model": "mails", "row": {row}'
    for path, body in (
        ("/v1/predict", rows),
        ("/v1/explain", one + "}"),
        ("/v1/feedback", one + ', "label": 1}'),
    ):
        status, answer = server.post(path, body.encode())
        assert (status, answer["type"]) == (422, "urn:wordplane:problem:invalid-field")
        assert answer["field"].endswith("/" + column)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"nul",
        b'{"text": NaN}',
        b"\xff",
        b"[" * 100_000,
        b'{"a": 1' + b"0" * 5000 + b"}",
    ],
)
def test_bodies_that_are_not_json(server, body):
    status, answer = server.post("/v1/predict", body)
    assert (status, answer["type"]) == (400, "urn:wordplane:problem:not-json")


@pytest.mark.parametrize(
    "body, said",
    [
        (b"id,text\n1,a,b\n", "3 fields, expected 2"),
        (b'id,text\n1,"a\n', "never closed"),
        (b"id,text\n1,\xff\n", "not UTF-8"),
        (b"", "empty"),
        (b"id,text\n", "no rows"),
    ],
)
def test_rows_that_cannot_be_read(server, body, said):
    status, _, answer = server.ask("POST", "/v1/predict", body, CSV)
    problem = json.loads(answer)
    assert (status, problem["type"]) == (422, "urn:wordplane:problem:invalid-rows")
    assert said in problem["detail"] and "/tmp" not in problem["detail"]


def test_an_answer_that_cannot_be_completed_is_cut(server):
    """The error is in the second batch, after the answer has begun."""
    body = "id,text\n" + "".join(f"{i},great\n" for i in range(1500)) + "1,2,3\n"
    with pytest.raises(http.client.IncompleteRead):
        server.ask("POST", "/v1/predict", body.encode(), CSV)
    line = server.wait_for_log("request", problem="invalid-rows", status=422, texts=1000)
    assert "row 1501" in line["detail"]


def test_paths_methods_and_types(server):
    status, answer = server.get("/v1/nothing")
    assert (status, answer["type"]) == (404, "urn:wordplane:problem:not-found")
    status, headers, _ = server.ask("GET", "/v1/predict")
    assert status == 405 and headers["allow"] == "POST"
    status, _, _ = server.ask("POST", "/v1/predict", "{}", {"Content-Type": "text/plain"})
    assert status == 415
    status, _, _ = server.ask("POST", "/v1/predict", '{"text": "a"}')
    assert status == 415


@pytest.mark.parametrize("path", ["/v1/predict", "/v1/explain", "/v1/feedback"])
@pytest.mark.parametrize("encoding", ["gzip", "GZip, identity", "br", "x" * 200])
def test_compressed_bodies(server, path, encoding):
    head = {"Content-Type": "application/json", "Content-Encoding": encoding}
    status, headers, body = server.ask("POST", path, gzip.compress(b'{"text": "great"}'), head)
    answer = json.loads(body)
    assert (status, answer["type"]) == (415, "urn:wordplane:problem:wrong-encoding")
    assert f"content encoding '{encoding[:50]}" in answer["detail"]
    assert "Content-Encoding" in answer["advice"] and headers["accept-encoding"] == "identity"


def test_compressed_files(server):
    body = gzip.compress(b"text\ngreat\n")
    status, _, answer = server.ask("POST", "/v1/predict", body, {**CSV, "Content-Encoding": "gzip"})
    assert status == 415 and b"wrong-encoding" in answer
    identity = {**CSV, "Content-Encoding": "Identity"}
    assert server.ask("POST", "/v1/predict", b"text\ngreat\n", identity)[0] == 200


def test_request_ids_and_log_without_texts(server):
    secret = "a-very-secret-word"
    headers = {"X-Request-Id": "my-id.1", "Content-Type": "application/json"}
    _, answered, _ = server.ask("POST", "/v1/predict", json.dumps({"text": secret}), headers)
    assert answered["x-request-id"] == "my-id.1"
    line = server.wait_for_log("request", id="my-id.1")
    assert (line["path"], line["status"], line["model"], line["texts"]) == (
        *("/v1/predict", 200, "films"),
        1,
    )
    assert not any(secret in line for line in server.lines)
    _, answered, _ = server.ask("GET", "/healthz", headers={"X-Request-Id": "no spaces"})
    assert answered["x-request-id"] != "no spaces"
