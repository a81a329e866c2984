"""Tests of wordplane.serving.protocol: an answer reaches also those who are still sending."""

import socket
import threading
import time

import pytest

from tests.serving.running import Server

JSON_HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SIZE = 8_000_000
CLOSE = b"Connection: close\r\n"


@pytest.fixture(scope="module")
def small(models):
    limits = ["--max-body", 1, "--slow-seconds", "1s", "--max-connections", 20]
    with Server(models / "films.wordplane", *limits) as running:
        yield running


def send_all_then_read(server, *pieces, seconds=20):
    """What a client gets that looks for an answer only when it has sent everything."""
    with socket.create_connection((server.host, server.port), timeout=seconds) as connection:
        for piece in pieces:
            connection.sendall(piece)
        found = b""
        while not found.endswith(b"}") and (piece := connection.recv(65536)):
            found += piece
        return found


@pytest.mark.parametrize("connection", [CLOSE, b""])
@pytest.mark.parametrize(
    "length", [b"Content-Length: %d\r\n" % SIZE, b"Transfer-Encoding: chunked\r\n"]
)
def test_bodies_that_are_too_large_get_their_answer(small, connection, length):
    body = b"x" * SIZE
    if b"chunked" in length:
        body = b"%x\r\n" % SIZE + body + b"\r\n0\r\n\r\n"
    for _ in range(5):
        found = send_all_then_read(small, JSON_HEAD + connection + length + b"\r\n", body)
        assert found.startswith(b"HTTP/1.1 413 ") and found.endswith(b"}")


@pytest.mark.parametrize("path", [b"/nothing", b"/v1/models"])
def test_other_refusals_before_the_body_has_come(small, path):
    head = b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + CLOSE
    found = send_all_then_read(small, head + b"Content-Length: %d\r\n\r\n" % SIZE, b"x" * SIZE)
    assert found.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 405 ")) and found.endswith(b"}")


def test_bytes_that_are_no_request_get_their_answer(small):
    for start in (b"GARBAGE", b"GET / HTTP/1.1\r\nX: "):
        found = send_all_then_read(small, start + b"y" * 3_000_000)
        assert found.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 431 ")) and found.endswith(b"}")


def test_one_connection_too_many_gets_its_answer(small):
    idle = [socket.create_connection((small.host, small.port)) for _ in range(20)]
    time.sleep(0.2)
    body = b'{"text": "great"}'
    head = JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body)
    found = send_all_then_read(small, head, body)
    assert found.startswith(b"HTTP/1.1 503 ") and b"no-room" in found
    for connection in idle:
        connection.close()


def test_who_never_stops_sending_is_cut(small):
    """The server listens to what it throws away only for so long."""
    head = JSON_HEAD + CLOSE + b"Content-Length: 900000000\r\n\r\n"
    with socket.create_connection((small.host, small.port), timeout=20) as connection:
        connection.sendall(head)
        sent = 0
        with pytest.raises(OSError):
            while sent < 300_000_000:
                sent += connection.send(b"x" * 1_000_000)
    assert sent < 200_000_000


def test_who_stops_sending_is_closed(small):
    head = JSON_HEAD + CLOSE + b"Content-Length: 900000000\r\n\r\n"
    with socket.create_connection((small.host, small.port), timeout=20) as connection:
        connection.sendall(head)
        while connection.recv(65536):
            pass
        time.sleep(2.5)
        with pytest.raises(OSError):
            for _ in range(20):
                connection.send(b"x")
                time.sleep(0.1)


@pytest.mark.clock
def test_a_connection_that_was_answered_early_is_closed_when_it_is_idle(small):
    head = JSON_HEAD + b"Content-Length: %d\r\n\r\n" % SIZE
    with socket.create_connection((small.host, small.port), timeout=20) as connection:
        connection.sendall(head + b"x" * SIZE)
        start = time.monotonic()
        while connection.recv(65536):
            pass
        assert time.monotonic() - start < 10


def test_many_large_bodies_at_once(small):
    found = []

    def ask():
        head = JSON_HEAD + CLOSE + b"Content-Length: %d\r\n\r\n" % SIZE
        found.append(send_all_then_read(small, head, b"x" * SIZE))

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 10 and all(one.startswith(b"HTTP/1.1 413 ") for one in found)
