"""Tests of wordplane.serving.rows and wordplane.serving.responses: answers have bounds, and nobody
waits for those of others.
"""

import http.client
import json
import socket
import threading
import time

import pytest

import wordplane
from tests.serving.running import Server
from tests.serving.worst_models import save_model, save_worst

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def worst(tmp_path_factory):
    with Server(*save_worst(tmp_path_factory.mktemp("worst"))) as running:
        for name in ("many", "thousand", "numbers", "tree"):
            assert running.post("/v1/predict", {"model": name, "text": "word1"})[0] == 200
        yield running


def timed_post(server, given):
    start = time.perf_counter()
    status, answer = server.post("/v1/predict", given)
    return status, answer, time.perf_counter() - start


@pytest.mark.clock
@pytest.mark.parametrize("model, n_texts", [("many", 900), ("thousand", 2700), ("numbers", 2600)])
def test_many_texts_times_many_labels_are_refused_at_once(worst, model, n_texts):
    body = {"model": model, "texts": [""] * n_texts, "top_k": 1_000_000}
    before = worst.peak_memory(reset=True)
    status, answer, seconds = timed_post(worst, body)
    assert (status, answer["type"]) == (422, "urn:wordplane:problem:answer-too-large")
    assert answer["field"] == "/top_k" and "--max-answer" in answer["advice"]
    assert f"{n_texts:,} times" in answer["detail"]
    assert seconds < 2 and worst.peak_memory() - before < 30


def test_all_labels_of_one_text(worst):
    _, answer = worst.post("/v1/predict", {"model": "many", "text": "word7", "top_k": 1_000_000})
    (row,) = answer["rows"]
    assert len(row["top_labels"]) == len(row["top_probabilities"]) == 20_000
    assert len(set(row["top_labels"])) == 20_000


@pytest.mark.parametrize("top_k", [2**63, 2**64, 10**400, 1_000_001])
def test_top_k_that_is_no_number_of_labels(server, top_k):
    body = f'{{"text": "great", "top_k": {top_k}}}'.encode()
    status, answer = server.post("/v1/predict", body)
    assert (status, answer["field"]) == (422, "/top_k")
    path, headers = f"/v1/predict?top_k={top_k}", {"Content-Type": "text/csv"}
    assert server.ask("POST", path, b"text\ngreat\n", headers)[0] == 422


def test_bytes_of_an_answer(tmp_path):
    """Labels that are large by themselves."""
    path = save_model(tmp_path / "long.wordplane", [name * 50_000 for name in "abé"])
    with Server(path, "--max-answer", 1) as running:
        assert running.post("/v1/predict", {"texts": ["word1"] * 5})[0] == 200
        for form, headers in (({"texts": ["word1"] * 40}, ()), ({"texts": ["word1"] * 3000}, ())):
            status, answer = running.post("/v1/predict", form, headers)
            assert (status, answer["type"]) == (422, "urn:wordplane:problem:answer-too-large")
        status, answer = running.post("/v1/predict", {"texts": ["x"] * 9, "top_k": 3})
        assert (status, answer["field"]) == (422, "/top_k")


@pytest.mark.clock
def test_nobody_waits_for_a_large_answer(worst):
    """Scores of 20,000 labels for 2,000 texts, by a body that is worked on in a thread."""
    body = json.dumps({"model": "many", "texts": ["word1"] * 2000})
    small = json.dumps({"model": "many", "texts": [""] * 700})
    for given in (body, small):
        assert len(small) < 8192
        threads = [
            threading.Thread(target=worst.post, args=("/v1/predict", given.encode()))
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        waits = []
        while any(thread.is_alive() for thread in threads):
            start = time.perf_counter()
            assert worst.get("/healthz")[0] == 200
            waits.append(time.perf_counter() - start)
        for thread in threads:
            thread.join()
        assert max(waits) < 1.0, max(waits)


@pytest.mark.clock
@pytest.mark.slow
def test_the_deadline_holds_within_an_answer(tmp_path):
    path = save_model(tmp_path / "many.wordplane", [f"label-{i:05}" for i in range(20_000)])
    with Server(path, "--max-seconds", "0.3s", "--max-answer", 1000) as running:
        running.post("/v1/predict", {"text": "word1"})
        for given in ({"texts": [""] * 900, "top_k": 1_000_000}, {"texts": ["word1"] * 9000}):
            status, answer, seconds = timed_post(running, given)
            assert (status, answer["type"]) == (503, "urn:wordplane:problem:too-slow")
            assert seconds < 3


@pytest.mark.clock
@pytest.mark.slow
def test_files_with_many_labels_take_little_memory(worst):
    rows = b"text\n" + b"word1\n" * 60
    before = worst.peak_memory(reset=True)
    path = "/v1/predict?model=many&top_k=1000000"
    status, _, answer = worst.ask("POST", path, rows, {"Content-Type": "text/csv"})
    assert status == 200 and answer.count(b"\n") == 61 and len(answer) > 20_000_000
    assert worst.peak_memory() - before < 60


@pytest.mark.clock
@pytest.mark.slow
def test_answers_that_nobody_reads_take_bounded_memory(worst, tmp_path):
    path = save_model(tmp_path / "thousand.wordplane", [f"label-{i}" for i in range(1000)])
    body = json.dumps({"texts": ["word1"] * 250, "top_k": 1000})
    with Server(path, "--max-body", 1, "--max-seconds", "3s") as running:
        size = len(running.ask("POST", "/v1/predict", body, JSON)[2])
        assert 4 << 20 < size < 8 << 20
        before = running.peak_memory(reset=True)
        connections = []
        for _ in range(8):
            connection = http.client.HTTPConnection(running.host, running.port, timeout=30)
            connection.connect()
            connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.request("POST", "/v1/predict", body, JSON)
            connections.append(connection)
        line = running.wait_for_log("request", 20, problem="no-room")
        assert line["status"] == 503
        assert running.post("/v1/predict", {"text": "word1"})[0] == 200
        assert running.peak_memory() - before < 80
        running.wait_for_log("request", 20, status=499)  # it is cut
        for connection in connections:
            connection.close()
        status, _, answer = running.ask("POST", "/v1/predict", body, JSON)
        assert status == 200 and len(answer) == size


def test_large_answers_come_whole(worst):
    given = {"model": "thousand", "texts": [f"word{i}" for i in range(200)], "top_k": 1000}
    status, headers, body = worst.ask("POST", "/v1/predict", json.dumps(given), JSON)
    assert status == 200 and int(headers["content-length"]) == len(body) > 1 << 20
    assert headers["content-type"] == "application/json"
    rows = json.loads(body)["rows"]
    assert len(rows) == 200 and all(len(row["top_labels"]) == 1000 for row in rows)


def test_batches_do_not_change_answers(worst, tmp_path):
    """1,000 labels make batches of 262 texts."""
    path = save_model(tmp_path / "thousand.wordplane", [f"label-{i}" for i in range(1000)])
    texts = [f"word{i % 50} word{i % 49}" for i in range(600)]
    _, answer = worst.post("/v1/predict", {"model": "thousand", "texts": texts, "top_k": 2})
    model = wordplane.load(path)
    expected = model.predict(texts).tolist()
    assert [row["label"] for row in answer["rows"]] == expected
    assert [row["top_labels"][0] for row in answer["rows"]] == expected
    assert [row["id"] for row in answer["rows"]] == [str(i + 1) for i in range(600)]
