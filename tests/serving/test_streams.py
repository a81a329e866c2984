"""Tests of wordplane.serving.streams: files whose rows are out of proportion."""

import json
import time

import pytest

CSV, JSONL = {"Content-Type": "text/csv"}, {"Content-Type": "application/jsonl"}
N = 20_000_000  # characters
WIDE = b"text" + b",c" * (N // 4) + b"\na" + b",1" * (N // 4) + b"\n"
FILES = {
    "columns": (CSV, WIDE, "characters"),
    "columns of a short row": (CSV, b"text" + b",c" * 200_000 + b"\n", "200,001 columns"),
    "columns after a title": (CSV, b"a title\n" + WIDE, "characters"),
    "a cell": (CSV, b"text\n" + b"good film " * (N // 10) + b"\n", "characters"),
    "a cell of many lines": (CSV, b'text\n"' + b"good film\n" * (N // 10) + b'"\n', "characters"),
    "a quote that is not closed": (CSV, b'text\na\n"' + b"good film\n" * (N // 10), "characters"),
    "a name": (CSV, b"text," + b"x" * N + b"\na,b\n", "characters"),
    "a line of JSON": (JSONL, b'{"text": "' + b"a" * N + b'"}\n', "characters"),
    "many fields": (JSONL, json.dumps(dict.fromkeys(map(str, range(9999)), 1)).encode(), "9,999"),
}


@pytest.mark.clock
@pytest.mark.parametrize("kind", FILES)
def test_rows_out_of_proportion_are_refused_within_bounds(server, kind):
    headers, body, said = FILES[kind]
    before, start = server.peak_memory(reset=True), time.perf_counter()
    before = server.peak_memory(reset=True)
    status, _, answer = server.ask("POST", "/v1/predict?model=films", body, headers)
    problem = json.loads(answer)
    assert (status, problem["type"]) == (422, "urn:wordplane:problem:invalid-rows")
    assert said in problem["detail"] and "the body" in problem["detail"]
    assert server.peak_memory() - before < 100 and time.perf_counter() - start < 10


def test_as_many_columns_as_are_allowed(server):
    body = b"text" + b"".join(b",c%d" % i for i in range(999)) + b"\ngreat" + b",1" * 999 + b"\n"
    status, _, answer = server.ask("POST", "/v1/predict?keep=true", body, CSV)
    assert status == 200 and answer.count(b"\n") == 2
