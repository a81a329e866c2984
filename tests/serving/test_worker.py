"""Tests of wordplane.serving.worker: whoever has reached the server is answered before it stops."""

import http.client
import json
import os
import signal
import socket
import time

import pytest

from tests.serving.running import Server

pytestmark = pytest.mark.slow  # nearly every test starts a server

BODY = b'{"text": "great"}'
HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
ONE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


def read_all(connection):
    found = b""
    connection.settimeout(10)
    try:
        while piece := connection.recv(65536):
            found += piece
    except OSError as error:
        found += repr(error).encode()
    connection.close()
    return found


def connect(server):
    return socket.create_connection((server.host, server.port), timeout=10)


def stop_while_workers_sleep(server, act):
    """Signal the server while its workers cannot react, and do something meanwhile."""
    workers = server.workers()
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    act()
    os.kill(server.process.pid, signal.SIGTERM)
    time.sleep(0.2)
    for pid in workers:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("n_workers", [1, 2])
def test_requests_that_wait_to_be_accepted_are_answered(models, n_workers):
    connections = []
    with Server(models / "films.wordplane", "--workers", n_workers) as running:

        def ask():
            for _ in range(100):
                connections.append(connect(running))
                connections[-1].sendall(ONE)

        stop_while_workers_sleep(running, ask)
        answers = [read_all(connection) for connection in connections]
        assert running.process.wait(10) == 0
    assert all(answer.startswith(b"HTTP/1.1 ") for answer in answers)
    assert sum(answer.startswith(b"HTTP/1.1 200 ") for answer in answers) >= 32
    assert all(b"connection: close" in answer for answer in answers)


def test_requests_on_open_connections_are_answered(models):
    """Also several on one connection, and one that is sent a moment after the signal."""
    with Server(models / "films.wordplane") as running:
        idle, late, several = (connect(running) for _ in range(3))
        others = [connect(running) for _ in range(20)]
        time.sleep(0.2)  # all are accepted

        def ask():
            for connection in others:
                connection.sendall(ONE)
            several.sendall(5 * ONE)

        stop_while_workers_sleep(running, ask)
        late.sendall(ONE)
        assert all(read_all(one).startswith(b"HTTP/1.1 200 ") for one in (*others, late))
        assert read_all(several).count(b"HTTP/1.1 200 ") == 5
        assert read_all(idle) == b""
        assert running.process.wait(10) == 0


def test_nobody_can_connect_after_the_end(models):
    with Server(models / "films.wordplane") as running:
        held = connect(running)
        held.sendall(HEAD + b"Content-Length: 99\r\n\r\n{")  # keeps it from ending
        time.sleep(0.1)
        os.kill(running.process.pid, signal.SIGTERM)
        running.wait_for_log("stopping")
        time.sleep(0.3)
        with pytest.raises(OSError):
            connect(running)
        held.close()
        assert running.process.wait(5) == 0


@pytest.mark.clock
def test_what_is_never_complete_is_refused_at_the_limit(models):
    with Server(models / "films.wordplane", "--max-seconds", "1s") as running:
        held = connect(running)
        held.sendall(HEAD + b"Content-Length: 99\r\n\r\n{")
        time.sleep(0.1)
        start = time.monotonic()
        os.kill(running.process.pid, signal.SIGTERM)
        found = read_all(held)
        assert running.process.wait(10) == 0
        assert 0.5 < time.monotonic() - start < 5
    assert found.startswith(b"HTTP/1.1 503 ") and b"stopping" in found


@pytest.mark.clock
def test_a_server_with_idle_connections_ends_soon(models):
    with Server(models / "films.wordplane") as running:
        idle = http.client.HTTPConnection(running.host, running.port)
        idle.request("GET", "/healthz")
        idle.getresponse().read()
        start = time.monotonic()
        assert running.stop() == 0
        assert time.monotonic() - start < 3
        idle.close()


def test_start_and_stop_are_logged(models):
    """And all lines have one form."""
    with Server(models / "films.wordplane") as running:
        started = running.wait_for_log("started")
        assert started["address"] == running.address + "/" and started["workers"] == 1
        assert list(started["models"]) == ["films"] and started["version"]
        assert running.post("/v1/predict", {"text": "great"})[0] == 200
        assert running.stop() == 0
    events = [line["event"] for line in running.log()]
    assert (events[0], events[-1]) == ("started", "stopped")
    assert sorted(events[1:-1]) == ["request", "stopping"]
    for line in running.lines:
        entry = json.loads(line)
        assert list(entry)[:4] == ["time", "level", "event", "pid"]
        assert line.strip() == json.dumps(entry, separators=(",", ":"))
