"""Tests of wordplane.serving.request: how long a body may take, and how much of the room one client
may have.
"""

import socket
import threading
import time

import pytest

from tests.serving.running import Server
from wordplane.serving.problems import Problem
from wordplane.serving.request import Request, Shares
from wordplane.serving.settings import Limits

CSV_HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
JSON_HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class SlowUploads:
    """Clients that send their bodies steadily, but slowly."""

    def __init__(self, server, n, head, first, address="127.0.0.1"):
        self.answers = [b""] * n
        self.seconds = [0.0] * n
        self._stop = threading.Event()
        self._sockets = []
        for _ in range(n):
            where = (server.host, server.port)
            connection = socket.create_connection(where, 30, (address, 0))
            connection.sendall(head + first)
            self._sockets.append(connection)
        self._threads = [threading.Thread(target=self._send, args=(i,)) for i in range(n)]
        for thread in self._threads:
            thread.start()

    def _send(self, i):
        connection, start = self._sockets[i], time.monotonic()
        connection.settimeout(0.1)
        while not self._stop.is_set():
            try:
                connection.send(b"x" * 150)
                self.answers[i] += connection.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                break
            self.seconds[i] = time.monotonic() - start
            break
        connection.close()

    def join(self):
        for thread in self._threads:
            thread.join(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stop.set()
        self.join()


LIMITS = ["--slow-seconds", "1s"]


@pytest.mark.clock
@pytest.mark.slow
def test_files_that_come_slowly_are_refused_in_time(models):
    """At 1.5 kB/s, which is fast enough for each second, but not for the whole."""
    head = CSV_HEAD + b"Content-Length: 900000000\r\n\r\n"
    with Server(models / "films.wordplane", *LIMITS, "--upload-seconds", "2s") as running:
        with SlowUploads(running, 4, head, b"text\n") as uploads:
            uploads.join()
        for answer, seconds in zip(uploads.answers, uploads.seconds, strict=True):
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert 1.5 < seconds < 6
        assert (
            running.ask("POST", "/v1/predict", b"text\na\n", {"Content-Type": "text/csv"})[0] == 200
        )


@pytest.mark.clock
@pytest.mark.slow
def test_bodies_that_come_slowly_are_refused_in_time(models):
    head = JSON_HEAD + b"Content-Length: 3000000\r\n\r\n"
    with Server(models / "films.wordplane", *LIMITS, "--max-seconds", "2s") as running:
        with SlowUploads(running, 4, head, b'{"text": "') as uploads:
            uploads.join()
        for answer, seconds in zip(uploads.answers, uploads.seconds, strict=True):
            assert answer.startswith(b"HTTP/1.1 408 ") and 1.5 < seconds < 6


@pytest.mark.slow
def test_one_client_does_not_take_all_places_of_files(models):
    csv = {"Content-Type": "text/csv"}
    head = CSV_HEAD + b"Content-Length: 900000000\r\n\r\n"
    with Server(models / "films.wordplane") as running:
        with SlowUploads(running, 8, head, b"text\n", "127.0.0.2"):
            assert running.wait_for_log("request", 10, problem="no-room")["status"] == 503
            status, _, answer = running.ask("POST", "/v1/predict", b"text\ngreat\n", csv)
            assert status == 200 and b"good" in answer
        time.sleep(0.3)
        assert running.ask("POST", "/v1/predict", b"text\ngreat\n", csv)[0] == 200


@pytest.mark.slow
def test_one_client_does_not_take_all_room_for_bodies(models):
    """32 bodies of which almost all has come; another client can still send a large one."""
    head = JSON_HEAD + b"Content-Length: 1000000\r\n\r\n"
    first = b'{"text": "' + b"x" * 950_000
    large = {"texts": ["great " * 100] * 1000}
    with (
        Server(models / "films.wordplane", "--max-body", 1) as running,
        SlowUploads(running, 32, head, first, "127.0.0.2"),
    ):
        running.wait_for_log("request", 10, problem="no-room")
        assert running.post("/v1/predict", large)[0] == 200


@pytest.mark.slow
def test_a_slow_upload_has_all_its_time_for_the_answer(models):
    """An upload may take longer than an answer."""
    rows = b"text\n" + b"great\n" * 50
    head = CSV_HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(rows)
    with (
        Server(models / "films.wordplane", "--max-seconds", "0.5s") as running,
        socket.create_connection((running.host, running.port), timeout=10) as connection,
    ):
        connection.sendall(head)
        for start in range(0, len(rows), 50):
            connection.sendall(rows[start : start + 50])
            time.sleep(0.15)
        found = b""
        while piece := connection.recv(65536):
            found += piece
    assert found.startswith(b"HTTP/1.1 200 ") and found.count(b"good") == 50


def test_shares():
    places = Shares(4, "all taken")
    places.take("a", 2)
    with pytest.raises(Problem, match="one client"):
        places.take("a", 1)
    places.take("b", 2)
    with pytest.raises(Problem, match=r"^all taken$"):
        places.take("c", 1)
    places.give_back("a", 2)
    places.take("c", 2)
    places.give_back("b", 2)
    places.give_back("c", 2)
    assert not places._held and places._left == 4
    Shares(1, "").take("a", 1)  # half of one is one


def test_a_request_lets_go_of_everything():
    """Whether or not its answer was begun."""
    room, places = Shares(100, ""), Shares(4, "")
    scope = {"headers": [], "client": ("192.0.2.1", 5)}
    request = Request(scope, None, Limits(), room)
    request.hold(30)
    places.take(request.client, 1)
    request.ends.callback(places.give_back, request.client, 1)
    request.finish()
    assert (room._left, places._left) == (100, 4)
