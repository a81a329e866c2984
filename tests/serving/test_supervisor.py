"""What a model file that is swapped in may do to a server, and how it is started and ends.

Tests of wordplane.serving.supervisor and wordplane.serving.listening.
"""

import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.serving.running import Server
from wordplane.serving import catalog
from wordplane.serving.catalog import Catalog

pytestmark = pytest.mark.slow  # nearly every test starts a server

ERRORS = [AttributeError("x"), RecursionError(), MemoryError(), KeyError(1), TypeError()]
# Loading fails for the second version of the file with an error that nobody foresees.
BROKEN_LOAD = """
import wordplane.serving.catalog as catalog
load, seen = catalog.load, []
def broken(path):
    seen.append(path)
    if len(seen) == 2:
        raise {error}
    return load(path)
catalog.load = broken
"""
# Workers cannot start with the second version.
BROKEN_START = """
import wordplane.serving.supervisor as supervisor
Metrics, digests = supervisor.Metrics, []
def broken(counters, slot, paths, catalog):
    if catalog.default.loaded > {since}:
        raise AttributeError("no such thing")
    return Metrics(counters, slot, paths, catalog)
supervisor.Metrics = broken
"""


@pytest.fixture
def served(models, tmp_path):
    path = tmp_path / "m.wordplane"
    shutil.copy(models / "films.wordplane", path)
    return path


def swap(path):
    """The same file again, as a new one."""
    shutil.copy(path, path.with_suffix(".new"))
    os.replace(path.with_suffix(".new"), path)  # noqa: PTH105


@pytest.mark.parametrize("error", ERRORS[:2], ids=repr)
def test_any_error_of_loading_leaves_the_old_model(served, error):
    with Server(served, patch=BROKEN_LOAD.format(error=repr(error))) as running:
        swap(served)
        line = running.wait_for_log("model-not-loaded", 10)
        assert type(error).__name__ in line["error"] and line["model"] == "m"
        assert running.post("/v1/predict", {"text": "great"})[0] == 200
        swap(served)  # the third time it can be read
        running.wait_for_log("models-loaded", 10)
        assert running.post("/v1/predict", {"text": "great"})[0] == 200


def test_a_model_that_workers_cannot_start_with_is_not_served(served):
    patch = BROKEN_START.format(since=time.time() + 3)
    with Server(served, "--workers", 2, patch=patch) as running:
        old = set(running.workers())
        time.sleep(3)
        swap(served)
        line = running.wait_for_log("model-not-loaded", 10)
        assert "workers do not start" in line["error"]
        for _ in range(20):
            assert running.post("/v1/predict", {"text": "great"})[0] == 200
        time.sleep(1)
        assert set(running.workers()) == old
        assert not [line for line in running.log() if line["event"] == "models-loaded"]
        text = running.ask("GET", "/metrics")[2].decode()
        assert '\nwordplane_model_load_failures_total{model="m"} 1\n' in text


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_the_catalog_survives_any_error(served, monkeypatch, error):
    first = Catalog.load((str(served),), None, 1)
    swap(served)
    assert first.changed() == ["m"]

    def fail(path):
        raise error

    monkeypatch.setattr(catalog, "load", fail)
    second, failed = first.reload(["m"], None, 1)
    assert list(failed) == ["m"] and second.default is first.default
    assert second.changed() == []  # it is not tried again before it changes


def openssl(folder, *more):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here: no certificate can be made")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command += ["-keyout", folder / "key.pem", "-out", folder / "cert.pem", *more]
    subprocess.run(command, check=True, capture_output=True)


@pytest.mark.clock
def test_a_tls_handshake_that_does_not_come(models, tmp_path):
    openssl(tmp_path)
    files = ["--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem"]
    with (
        Server(models / "films.wordplane", *files, "--slow-seconds", "1s") as server,
        socket.create_connection((server.host, server.port), timeout=15) as silent,
        socket.create_connection((server.host, server.port), timeout=15) as slow,
    ):
        slow.sendall(b"\x16\x03\x01\x02\x00")  # how a handshake begins
        start = time.monotonic()
        for connection in (silent, slow):
            with suppress(ConnectionResetError):
                assert connection.recv(100) == b""
        assert 0.5 < time.monotonic() - start < 10
        server.wait_for_log("started")


def n_sockets(pid):
    count = 0
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            count += str(path.readlink()).startswith("socket:")
    return count


def test_a_client_that_does_not_end_tls(models, tmp_path):
    openssl(tmp_path)
    files = ["--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem"]
    context = ssl.create_default_context(cafile=tmp_path / "cert.pem")
    with Server(models / "films.wordplane", *files, "--slow-seconds", "1s") as server:
        (worker,) = server.workers()
        before = n_sockets(worker)
        with (
            socket.create_connection((server.host, server.port), timeout=15) as plain,
            context.wrap_socket(plain, server_hostname=server.host) as client,
        ):
            assert n_sockets(worker) == before + 1
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert b"200 OK" in client.recv(1000)
            until = time.monotonic() + 10
            while n_sockets(worker) > before:
                assert time.monotonic() < until
                time.sleep(0.05)


def test_tls(models, tmp_path):
    openssl(tmp_path)
    files = ["--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem"]
    with Server(models / "films.wordplane", *files) as running:
        assert running.address.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cafile=tmp_path / "cert.pem")
        address = running.host, running.port
        for _ in range(3):
            connection = http.client.HTTPSConnection(*address, context=context, timeout=10)
            body = json.dumps({"texts": ["great", "dull"] * 400})
            connection.request("POST", "/v1/predict", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            assert answer.status == 200 and len(json.loads(answer.read())["rows"]) == 800
            connection.request("POST", "/v1/predict", b"x" * 5_000_000, {"Connection": "close"})
            assert connection.getresponse().status == 415
            connection.close()
        assert running.stop() == 0


def test_certificates_that_cannot_be_used(models, tmp_path):
    (tmp_path / "no.pem").write_text("no certificate")
    with pytest.raises(AssertionError, match="cannot be used as a certificate"):
        Server(models / "films.wordplane", "--tls-cert", tmp_path / "no.pem")
    with pytest.raises(AssertionError, match="needs the certificate"):
        Server(models / "films.wordplane", "--tls-key", tmp_path / "no.pem")


def test_a_signal_to_the_whole_group_is_no_death_of_the_learner(served, tmp_path):
    """As a service manager sends it; the learner may end before the supervisor looks."""
    with Server(served, "--feedback", tmp_path / "f.sqlite", "--learn") as running:
        *_, learner = running.workers()
        os.kill(running.process.pid, signal.SIGSTOP)
        os.kill(learner, signal.SIGTERM)
        time.sleep(0.2)
        os.kill(running.process.pid, signal.SIGCONT)
        time.sleep(0.2)
        assert running.stop() == 0
    assert not [line for line in running.log() if line["level"] == "error"]
