"""Who may connect to workers of Dask, and what becomes of those that do not start or do not fit.

Tests of wordplane.scale.dask_client.
"""

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.scale.mixed_texts import write_films
from wordplane import train
from wordplane.common.errors import InputError, MissingExtraError, WordplaneError
from wordplane.scale import dask_client
from wordplane.scale.dask_client import check_versions, open_client
from wordplane.scale.dask_tasks import DaskTasks
from wordplane.scale.disk_arrays import Store

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

MEMORY = 1 << 30
LIMIT = 60  # seconds


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    return write_films(tmp_path_factory.mktemp("data") / "films.csv", 300)


@pytest.fixture
def one():
    """A client of a worker in this process."""
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.slow
def test_nobody_without_the_certificate_connects_to_a_local_cluster(tmp_path):
    with open_client("local", 1, MEMORY, tmp_path) as client:
        assert client.submit(os.getpid).result(LIMIT) != os.getpid()
        workers = list(client.scheduler_info()["workers"])
        addresses = [client.scheduler.address, *workers]
        assert all(address.startswith("tls://127.0.0.1:") for address in addresses)
        stranger = distributed.Security.temporary()
        for address in addresses:
            for given, security in (
                (address.replace("tls://", "tcp://"), None),
                (address, stranger),
            ):
                with pytest.raises((OSError, ValueError, RuntimeError)):
                    distributed.Client(given, timeout=2, security=security, set_as_default=False)
        assert client.submit(os.getpid).result(LIMIT)


@pytest.mark.slow
def test_a_local_cluster_shows_nothing_over_http(tmp_path):
    with open_client("local", 1, MEMORY, tmp_path) as client:
        info = client.scheduler_info()
        ports = [info["services"]["dashboard"]]
        ports += [worker["services"]["dashboard"] for worker in info["workers"].values()]
        for port in ports:
            for page in ("info/main/workers.html", "json/counts.json", "metrics", "sysmon"):
                with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                    connection.sendall(f"GET /{page} HTTP/1.0\r\n\r\n".encode())
                    assert b" 404 " in connection.recv(100)


def test_without_cryptography_a_local_cluster_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with (
        pytest.raises(MissingExtraError, match=r"needs cryptography.*\[dask\]"),
        open_client("local", 1, MEMORY, tmp_path),
    ):
        pass


@pytest.mark.slow
def test_a_worker_that_dies_while_it_starts_is_one_clear_error(films, tmp_path):
    dying = tmp_path / "dying.py"
    dying.write_text("import os\nos._exit(3)\n")
    config = tmp_path / "dask.yaml"
    config.write_text(f"distributed:\n  worker:\n    preload: [{dying}]\n")
    done = subprocess.run(
        [sys.executable, "-m", "wordplane", "train", films, "--dask", "local", "--threads", "1",
         "--scratch", tmp_path, "-o", tmp_path / "model.wordplane"],
        env={**os.environ, "DASK_CONFIG": str(config)},
        capture_output=True, text=True, check=False, timeout=2 * LIMIT,
    )  # fmt: skip
    assert done.returncode == 1
    assert "could not be started on this machine" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dask.yaml", "dying.py"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("0.0.9", r"has Wordplane 0\.0\.9, and this is Wordplane \d"),
        (AttributeError("no such function"), "answers AttributeError.*install the same version"),
        (ModuleNotFoundError("no wordplane", name="wordplane"), "does not have wordplane"),
    ],
    ids=["old", "older", "none"],
)
def test_workers_of_another_version_are_refused(one, monkeypatch, answer, why):
    """An old worker may not even have the function that tells its version."""

    def tell():
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(dask_client, "_version", tell)
    with pytest.raises(InputError, match=why):
        check_versions(one)


def test_nothing_holds_the_results_of_a_step_that_took_longer_than_a_look(one):
    """Else workers would keep, and write to disk, what all steps of a training have sent them."""
    tasks = DaskTasks(one, Store(None))
    gc.disable()
    try:
        futures = tasks.map("sleep", time.sleep, [0.3, 0.3], places=tasks.spread(2))
        assert tasks.collect(futures) == [None, None]
        del futures
        assert not tasks._futures
    finally:
        gc.enable()


@pytest.mark.clock
def test_a_name_that_is_not_known_is_said_at_once(films, monkeypatch):
    def unknown(*_):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    begun = time.monotonic()
    with pytest.raises(InputError, match=r"tcp://far\.invalid:8786 is not known to this machine"):
        train(films, dask="tcp://far.invalid:8786")
    assert time.monotonic() - begun < 5


def write_certificates(folder):
    """What whoever runs a cluster makes once: an authority, a certificate for its machines, and the
    configuration of Dask that the documentation shows; the same for this process."""
    made = distributed.Security.temporary()
    (folder / "ca.pem").write_text(made.tls_ca_file)
    (folder / "cert.pem").write_text(made.tls_client_cert)
    (folder / "key.pem").write_text(made.tls_client_key)
    example = (
        (Path(__file__).parents[2] / "docs" / "scale.md")
        .read_text()
        .partition("```yaml\n")[2]
        .partition("```")[0]
    )
    (folder / "dask.yaml").write_text(example.replace("/etc/dask", str(folder)))
    leaves = {"require-encryption": True, "tls.ca-file": str(folder / "ca.pem")}
    for role in ("client", "scheduler", "worker"):
        leaves |= {f"tls.{role}.{part}": str(folder / f"{part}.pem") for part in ("cert", "key")}
    return {f"distributed.comm.{name}": value for name, value in leaves.items()}


@pytest.fixture
def far_cluster(tmp_path):
    """A scheduler and a worker with certificates as processes of their own, and how to reach
    them."""
    config = write_certificates(tmp_path)
    given = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": {**os.environ, "DASK_CONFIG": str(tmp_path / "dask.yaml")},
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tls://127.0.0.1:{free.getsockname()[1]}"
    python = [sys.executable, "-m"]
    to_scheduler = ["distributed.cli.dask_scheduler", "--no-dashboard", "--host", address]
    to_worker = ["distributed.cli.dask_worker", address, "--no-dashboard", "--no-nanny"]
    processes = [
        subprocess.Popen([*python, *to_scheduler], **given),
        subprocess.Popen([*python, *to_worker, "--nthreads", "1"], cwd=tmp_path, **given),
    ]
    try:
        yield address, config
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_cluster_with_certificates(films, tmp_path, far_cluster, monkeypatch):
    address, config = far_cluster
    monkeypatch.setattr(dask_client, "CONNECT_SECONDS", LIMIT)
    with dask.config.set(config):
        with distributed.Client(address, timeout=LIMIT, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=LIMIT)
        far = train(
            films, learner="nb", test=False, dask=address, output=tmp_path / "far.wordplane"
        )
    assert far.n_rows == 300
    train(films, learner="nb", test=False, output=tmp_path / "here.wordplane")
    models = [tmp_path / f"{where}.wordplane" for where in ("far", "here")]
    assert models[0].read_bytes() == models[1].read_bytes()
    monkeypatch.setattr(dask_client, "CONNECT_SECONDS", 2)
    for given in (address, address.replace("tls://", "tcp://")):
        with pytest.raises(InputError, match=r"no scheduler of Dask answers.*certificates"):
            train(films, learner="nb", dask=given)


@pytest.mark.slow
def test_a_worker_that_is_stopped_for_a_while_changes_no_byte(films, tmp_path):
    given = {"learner": "svm", "analyzer": {"ngrams": (1, 2), "chars": None}}
    path = tmp_path / "model.wordplane"
    with (
        open_client("local", 2, MEMORY, tmp_path) as client,
    ):
        train(films, dask=client, output=path, **given)
        expected = path.read_bytes()
        pid = next(iter(client.run(os.getpid).values()))
        path.unlink()
        stopper = threading.Timer(0.3, os.kill, (pid, signal.SIGSTOP))
        goer = threading.Timer(4.0, os.kill, (pid, signal.SIGCONT))
        begun = time.monotonic()
        stopper.start()
        goer.start()
        train(films, dask=client, output=path, **given)
        assert time.monotonic() - begun > 3.5  # it had to wait
        assert path.read_bytes() == expected


def test_no_client_is_refused(tmp_path):
    with (
        pytest.raises(InputError, match="`dask` is 3, expected a Client"),
        open_client(3, 1, MEMORY, tmp_path),
    ):
        pass


def test_errors_of_the_start_are_ours(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("Cluster failed to start: no room")

    monkeypatch.setattr(distributed, "LocalCluster", fail)
    with (
        pytest.raises(WordplaneError, match=r"could not be started.*no room.*`n_jobs`"),
        open_client("local", 1, MEMORY, tmp_path),
    ):
        pass
