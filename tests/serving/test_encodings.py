"""Tests of wordplane.serving.encodings: bodies that are not UTF-8."""

import csv
import io
import json
import re

import pytest

from wordplane.serving.encodings import ENCODINGS, known_encoding
from wordplane.serving.page import FILES, page_files

ROWS = "id;text\n1;a great film für mich\n2;so dull, né\n"


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "utf-16-le", "cp850", "utf-8"])
@pytest.mark.parametrize("way", ["charset", "parameter"])
def test_csv(server, encoding, way):
    headers = {"Content-Type": "text/csv"}
    path = "/v1/predict?keep=true"
    if way == "charset":
        headers["Content-Type"] = f'text/csv; header=present; Charset="{encoding}"'
    else:
        path += f"&encoding={encoding}"
    status, answered, body = server.ask("POST", path, ROWS.encode(encoding), headers)
    assert status == 200 and answered["content-type"] == "text/csv; charset=utf-8"
    found = list(csv.DictReader(io.StringIO(body.decode())))
    assert [row["text"] for row in found] == ["a great film für mich", "so dull, né"]
    assert [row["label"] for row in found] == ["good", "bad"]


def test_the_parameter_counts_more_than_the_charset(server):
    headers = {"Content-Type": "text/csv; charset=utf-8"}
    path = "/v1/predict?keep=true&encoding=cp1252"
    status, _, body = server.ask("POST", path, ROWS.encode("cp1252"), headers)
    assert status == 200 and "für mich" in body.decode()


def test_jsonl(server):
    line = json.dumps({"text": "a great film für mich"}, ensure_ascii=False)
    headers = {"Content-Type": "application/jsonl; charset=latin-1"}
    status, _, body = server.ask("POST", "/v1/predict?keep=true", line.encode("latin-1"), headers)
    assert status == 200 and json.loads(body)["text"] == "a great film für mich"


def test_json(server):
    body = '{"rows": [{"text": "gr\u00f6\u00dfer", "id": "\u00e4"}]}'
    headers = {"Content-Type": "application/json; charset=cp1252"}
    status, _, answer = server.ask("POST", "/v1/predict", body.encode("cp1252"), headers)
    assert status == 200 and json.loads(answer)["rows"][0]["id"] == "ä"
    headers = {"Content-Type": "application/json"}
    status, _, answer = server.ask("POST", "/v1/predict", body.encode("cp1252"), headers)
    assert status == 400 and "charset" in json.loads(answer)["advice"]


@pytest.mark.parametrize("name", ["punycode", "idna", "unicode_escape", "base64", "none", "a" * 99])
def test_encodings_that_are_refused(server, name):
    """Some of Python's codecs take quadratic time."""
    assert known_encoding(name) is None
    for media_type in ("text/csv", "application/json"):
        headers = {"Content-Type": f"{media_type}; charset={name}"}
        status, _, answer = server.ask("POST", "/v1/predict", b"{}", headers)
        assert (status, json.loads(answer)["status"]) == (415, 415)
    path, headers = f"/v1/predict?encoding={name}", {"Content-Type": "text/csv"}
    status, _, answer = server.ask("POST", path, b"text\na\n", headers)
    problem = json.loads(answer)
    assert (status, problem["field"]) == (422, "/encoding") and "cp1252" in problem["detail"]


def test_a_file_that_is_not_utf_8_names_the_way_out(server):
    headers = {"Content-Type": "text/csv"}
    status, _, answer = server.ask("POST", "/v1/predict", ROWS.encode("cp1252"), headers)
    problem = json.loads(answer)
    assert status == 422 and 'encoding="' in problem["detail"] and "cp1252" in problem["advice"]


def test_names_are_those_of_python():
    assert all(known_encoding(name) == name for name in ENCODINGS)


def test_all_encodings_of_the_page_are_known():
    page = page_files(FILES)["/"][0].decode()
    offered = re.findall(r'<option value="([^"]+)">', page)
    assert len(offered) > 8 and all(known_encoding(name) for name in offered)
