"""Limits, slow and broken clients, signals, swaps and deaths.

Tests of wordplane.serving.supervisor, wordplane.serving.worker, wordplane.serving.protocol,
wordplane.serving.request and wordplane.serving.logs.
"""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import threading
import time
from pathlib import Path

import pytest

import wordplane
from tests.serving.conftest import LABELS, TEXTS
from tests.serving.running import Server

pytestmark = pytest.mark.slow  # nearly every test starts a server

HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BODY = b'{"text": "great"}'
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


@pytest.fixture(scope="module")
def strict(models):
    """A server with low limits."""
    limits = ["--max-body", 1, "--max-stream", 1, "--max-length", 1000, "--slow-seconds", "1s"]
    with Server(models / "films.wordplane", *limits) as running:
        yield running


def talk(server, data, end=False, seconds=5.0):
    """What comes back for raw bytes, until the server closes or it has been long enough."""
    with socket.create_connection((server.host, server.port), timeout=seconds) as connection:
        connection.sendall(data)
        if end:
            connection.shutdown(socket.SHUT_WR)
        found = b""
        try:
            while piece := connection.recv(65536):
                found += piece
        except TimeoutError:
            found += b"(still open)"
        except ConnectionResetError:
            pass
        return found


def test_large_bodies(strict):
    status, answer = strict.post("/v1/predict", {"texts": ["a" * 900] * 1300})
    assert (status, answer["type"]) == (413, "urn:wordplane:problem:body-too-large")
    # Without a length, the server finds out while it reads.
    chunk = b"%x\r\n" % 65536 + b"a" * 65536 + b"\r\n"
    found = talk(strict, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + 20 * chunk)
    assert b" 413 " in found or found == b""
    csv = b"text\n" + b"great film\n" * 100_000
    status, _, answer = strict.ask("POST", "/v1/predict", csv, {"Content-Type": "text/csv"})
    assert (status, json.loads(answer)["status"]) == (413, 413)


def test_long_texts(strict):
    status, answer = strict.post("/v1/predict", {"texts": ["a", "b" * 1001]})
    assert (status, answer["field"]) == (422, "/texts/1")
    csv = b"text\na\n" + b"b" * 1001 + b"\n"
    status, _, answer = strict.ask("POST", "/v1/predict", csv, {"Content-Type": "text/csv"})
    assert status == 422 and "row 2" in json.loads(answer)["detail"]


def test_large_heads(strict):
    assert b" 431 " in talk(strict, b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000)
    many = b"".join(b"X-%d: a\r\n" % i for i in range(10_000))
    assert b" 431 " in talk(strict, b"GET / HTTP/1.1\r\n" + many)


def test_large_heads_that_come_at_once(strict):
    end = b"Host: localhost\r\nConnection: close\r\n\r\n"
    many = b"".join(b"X-%d: a\r\n" % i for i in range(10_000))
    for head in (b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 70_000 + b"\r\n",
                 b"GET /healthz HTTP/1.1\r\n" + many,
                 b"GET /healthz?" + b"a" * 70_000 + b" HTTP/1.1\r\n"):  # fmt: skip
        assert talk(strict, head + end).startswith(b"HTTP/1.1 431 ")
    for head in (b"GET /healthz HTTP/1.1\r\nX: ", b"GET /healthz?"):
        rest = b"\r\n" if b"X" in head else b" HTTP/1.1\r\n"
        assert talk(strict, head + b"a" * 65_000 + rest + end).startswith(b"HTTP/1.1 200 ")


def test_a_head_after_a_large_body(strict):
    """Bytes of the body do not count."""
    body = json.dumps({"texts": ["a" * 900] * 110}).encode()
    first = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    found = b""
    with socket.create_connection((strict.host, strict.port), timeout=5) as connection:
        connection.sendall(first + HEAD)
        time.sleep(0.2)
        connection.sendall(b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY)
        while piece := connection.recv(65536):
            found += piece
    assert found.count(b"HTTP/1.1 200 ") == 2


def test_headers_after_the_body_are_not_taken_for_others(strict):
    chunks = b"%x\r\n%s\r\n0\r\n" % (len(BODY), BODY)
    head = HEAD + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    trailer = b"Content-Type: text/plain\r\nHost: evil.example\r\n\r\n"
    assert talk(strict, head + chunks + trailer).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "data, status",
    [
        (b"hello\r\n\r\n", b" 400 "),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b" 400 "),
        (b"GET / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", b" 400 "),
        (b"GET /\xff HTTP/1.1\r\n\r\n", b" 400 "),
        (b"\x16\x03\x01\x02\x00\x01\x00", b" 400 "),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost", b" 408 "),
        (HEAD + b"Content-Length: 99\r\n\r\n" + BODY, b" 408 "),
        (HEAD + b"Content-Length: 3\r\n\r\n" + BODY, b" 400 "),
    ],
)
def test_broken_requests(strict, data, status):
    found = talk(strict, data)
    assert status in found.split(b"\r\n")[0] or status in found
    assert b"(still open)" not in found
    assert b"application/problem+json" in found


@pytest.mark.parametrize("wait", [0.0, 0.02, 0.1])
def test_a_reset_with_requests_waiting(models, wait):
    body = json.dumps({"texts": ["great film"] * 5000}).encode()
    one = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with Server(models / "films.wordplane") as running:
        for _ in range(5):
            connection = socket.create_connection((running.host, running.port), timeout=5)
            connection.sendall(8 * one)
            time.sleep(wait)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        assert running.post("/v1/predict", {"text": "great"})[0] == 200
        time.sleep(0.3)
        assert running.stop() == 0
        events = {"started", "request", "stopping", "stopped"}
        assert {line["event"] for line in running.log()} == events


def test_half_closed_sockets(strict):
    found = talk(strict, WHOLE, end=True)
    assert found.startswith(b"HTTP/1.1 200 ") and b"(still open)" not in found
    assert talk(strict, WHOLE[:-3], end=True) == b""


def test_pipelined_requests_are_answered_in_order(strict):
    texts = [b'{"rows": [{"text": "great", "id": "%d"}]}' % i for i in range(5)]
    data = b"".join(HEAD + b"Content-Length: %d\r\n\r\n" % len(t) + t for t in texts)
    last = b"GET /healthz HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n"
    found = talk(strict, data + last)
    ids = [found.index(b'"id":"%d"' % i) for i in range(5)]
    assert ids == sorted(ids) and found.count(b"HTTP/1.1 200") == 6


def test_slow_clients_hold_nobody_up(strict):
    """Heads and bodies at a byte a second; healthy requests are answered meanwhile."""
    slow = []
    for i in range(60):
        connection = socket.create_connection((strict.host, strict.port))
        connection.sendall(b"POST /v1" if i % 2 else HEAD + b"Content-Length: 5000\r\n\r\n{")
        slow.append(connection)
    until, times = time.monotonic() + 1.5, []
    while time.monotonic() < until:
        start = time.perf_counter()
        assert strict.post("/v1/predict", {"text": "great"})[0] == 200
        times.append(time.perf_counter() - start)
        for connection in slow:
            with contextlib.suppress(OSError):
                connection.send(b"a")
    assert sorted(times)[len(times) // 2] < 0.25
    for connection in slow:
        connection.settimeout(5)
        found = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(4096):
                found += piece
        assert found == b"" or b" 408 " in found
        connection.close()


def test_too_many_requests_at_once(models):
    """Large bodies keep the only place busy; others are told to come again."""
    options = ["--max-requests", 1, "--max-body", 64, "--max-texts", 200_000]
    with Server(models / "films.wordplane", *options) as running:
        body = json.dumps({"texts": ["great film " * 20] * 20_000})
        large = threading.Thread(target=running.post, args=("/v1/predict", body.encode()))
        large.start()
        statuses = set()
        while large.is_alive():
            status, headers, answer = running.ask(
                "POST", "/v1/predict", BODY, {"Content-Type": "application/json"}
            )
            statuses.add(status)
            if status == 429:
                assert headers["retry-after"] == "1"
                assert json.loads(answer)["type"].endswith(":too-many-requests")
        large.join()
        assert 429 in statuses and statuses <= {200, 429}
        assert running.post("/v1/predict", {"text": "great"})[0] == 200


def test_too_many_connections(models):
    with Server(models / "films.wordplane", "--max-connections", 5) as running:
        idle = [socket.create_connection((running.host, running.port)) for _ in range(5)]
        time.sleep(0.2)
        found = talk(running, WHOLE)
        assert found.startswith(b"HTTP/1.1 503 ") and b"retry-after: 1" in found
        for connection in idle:
            connection.close()
        time.sleep(0.2)
        assert running.post("/v1/predict", {"text": "great"})[0] == 200


def test_an_answer_that_takes_too_long(models):
    options = ["--max-seconds", "0.05s", "--max-body", 64, "--max-texts", 200_000]
    with Server(models / "films.wordplane", *options) as running:
        status, answer = running.post("/v1/predict", {"texts": ["great film " * 20] * 100_000})
        assert (status, answer["type"]) == (503, "urn:wordplane:problem:too-slow")


def test_a_cancelled_request_stops(models):
    options = ["--max-body", 64, "--max-texts", 200_000]
    with Server(models / "films.wordplane", *options) as running:
        body = json.dumps({"texts": ["great film " * 20] * 150_000}).encode()
        connection = http.client.HTTPConnection(running.host, running.port)
        connection.request("POST", "/v1/predict", body, {"Content-Type": "application/json"})
        connection.close()
        line = running.wait_for_log("request", 20, status=499)
        full = time.perf_counter()
        assert running.post("/v1/predict", body)[0] == 200
        full = time.perf_counter() - full
        assert line["ms"] / 1000 < 0.8 * full


def test_sigterm_finishes_and_refuses(models):
    options = ["--max-body", 64, "--max-texts", 200_000]
    with Server(models / "films.wordplane", *options) as running:
        found = []
        body = json.dumps({"texts": ["great film " * 20] * 30_000}).encode()
        large = threading.Thread(target=lambda: found.append(running.post("/v1/predict", body)))
        large.start()
        time.sleep(0.3)
        os.kill(running.process.pid, signal.SIGTERM)
        time.sleep(0.3)
        with contextlib.suppress(OSError):
            status, _ = running.post("/v1/predict", {"text": "late"})
            assert status == 503
        large.join()
        assert [status for status, _ in found] == [200]
        assert len(found[0][1]["rows"]) == 30_000
        assert running.process.wait(10) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_quietly(models, number):
    with Server(models / "films.wordplane", "--workers", 2) as running:
        children = running.workers()
        assert len(children) == 2
        assert running.stop(number) == 0
        assert all(not os.path.exists(f"/proc/{pid}") for pid in children)  # noqa: PTH110


def test_workers_end_with_their_supervisor(models):
    with Server(models / "films.wordplane", "--workers", 2) as running:
        children = running.workers()
        os.kill(running.process.pid, signal.SIGKILL)
        running.process.wait(5)
        until = time.monotonic() + 5
        while any(os.path.exists(f"/proc/{pid}") for pid in children):  # noqa: PTH110
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.mark.clock
def test_a_worker_that_dies_is_replaced(models):
    with Server(models / "films.wordplane", "--workers", 2) as running:
        victim, other = running.workers()
        os.kill(victim, signal.SIGKILL)
        running.wait_for_log("worker-died", worker=victim, code=-9)
        start = time.monotonic()
        while len(running.workers()) < 2:
            assert time.monotonic() - start < 2
            time.sleep(0.01)
        assert other in running.workers() and victim not in running.workers()
        for _ in range(20):
            assert running.post("/v1/predict", {"text": "great"})[0] == 200
        text = running.ask("GET", "/metrics")[2].decode()
        assert "\nwordplane_worker_restarts_total 1\n" in text


class Clients:
    """Threads that ask all the time on connections that stay open, and count what they get."""

    def __init__(self, server, n=3):
        self.server, self.answers, self.errors = server, [], []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(k,)) for k in range(n)]

    def _ask(self, k):
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=10)
        headers = {"Content-Type": "application/json"}
        number = 0
        while not self._stop.is_set():
            number += 1
            id = f"{k}-{number}"
            body = json.dumps({"rows": [{"text": "great film", "id": id}]})
            try:
                connection.request("POST", "/v1/predict", body, headers)
                answer = connection.getresponse()
                (row,) = json.loads(answer.read())["rows"]
                assert answer.status == 200 and row["id"] == id
                self.answers.append(row["label"])
            except Exception as error:
                self.errors.append(repr(error))
                connection.close()
        connection.close()

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def versions(tmp_path):
    """Two models with opposite labels, and one that is damaged."""
    opposite = {"good": "bad", "bad": "good"}
    one = wordplane.TextClassifier(learner="nb").fit(TEXTS, LABELS)
    two = wordplane.TextClassifier(learner="nb").fit(TEXTS, [opposite[k] for k in LABELS])
    one.save(tmp_path / "one")
    two.save(tmp_path / "two")
    data = bytearray((tmp_path / "one").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "damaged").write_bytes(data)
    return tmp_path


def swap(folder, name):
    """Put another file in the place of the model, in one step."""
    shutil.copy(folder / name, folder / "new")
    os.replace(folder / "new", folder / "m.wordplane")  # noqa: PTH105


def test_models_are_swapped_under_load(versions):
    swap(versions, "one")
    with Server(versions / "m.wordplane", "--workers", 2) as running, Clients(running) as clients:
        for n, name in enumerate(["two", "damaged", "one", "two"]):
            swap(versions, name)
            event = "model-not-loaded" if name == "damaged" else "models-loaded"
            count = sum(line["event"] == event for line in running.log())
            until = time.monotonic() + 10
            while sum(line["event"] == event for line in running.log()) == count:
                assert time.monotonic() < until, n
                time.sleep(0.02)
        time.sleep(0.3)
        before = len(clients.answers)
        time.sleep(0.5)
        assert set(clients.answers[before:]) == {"bad"}
    assert clients.errors == [] and {"good", "bad"} == set(clients.answers)


def test_sighup_reads_models_again(models):
    with Server(models / "films.wordplane", models / "topics.wordplane") as running:
        os.kill(running.process.pid, signal.SIGHUP)
        line = running.wait_for_log("models-loaded")
        assert set(line["models"]) == {"films", "topics"}
        assert running.post("/v1/predict", {"text": "great"})[0] == 200


@pytest.mark.clock
def test_a_large_file_takes_little_memory(models):
    """24 MB of CSV, of which neither the rows nor the answer are ever in memory as a whole."""
    with Server(models / "films.wordplane") as running:
        (pid,) = running.workers()
        row = b"7,a great film but so dull " + b"x" * 200 + b"\n"
        small, large = 2000 * row, 100_000 * row
        for body in (small, large):
            before = peak_memory(pid)
            status, _, answer = running.ask(
                *("POST", "/v1/predict", b"id,text\n" + body, {"Content-Type": "text/csv"})
            )
            assert status == 200 and answer.count(b"\n") == 1 + body.count(b"\n")
        assert peak_memory(pid) - before < 20_000  # KiB


def peak_memory(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1])
