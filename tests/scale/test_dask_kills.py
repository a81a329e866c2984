"""What becomes of a training on Dask when workers are killed, run out of memory or of disk, or the
scheduler is lost: the same bytes, or one clear error soon; nothing is left behind."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.scale.mixed_texts import write_films
from wordplane import train
from wordplane.common.errors import WordplaneError
from wordplane.scale import dask_tasks, dask_training
from wordplane.workflow import block_training

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

LOOPBACK = "127.0.0.1:0"
LIMIT = 60  # seconds until there is a model or an error
WORDS = {"ngrams": (1, 2), "chars": None}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks and shards although there are few texts."""
    monkeypatch.setattr(block_training, "BLOCK_ROWS", 300)
    monkeypatch.setattr(dask_training, "SHARD_BYTES", 1 << 16)
    monkeypatch.setattr(dask_training, "SHARD_BLOCKS", 2)


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    return write_films(tmp_path_factory.mktemp("data") / "films.csv", 900)


class Cluster:
    """Two workers, each a process that a nanny starts again, and what they leave behind."""

    def __init__(self, folder, **options):
        self.folder = folder
        self.options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", **options}

    def __enter__(self):
        # Else Dask gives up a worker that is killed twice in 15 s.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"})
        self.before = {child.pid for child in psutil.Process().children(recursive=True)}
        self.cluster = distributed.LocalCluster(
            dashboard_address=LOOPBACK,
            worker_dashboard_address=LOOPBACK,
            silence_logs=60,
            local_directory=str(self.folder),
            **self.options,
        )
        self.client = distributed.Client(self.cluster, set_as_default=False)
        return self

    def __exit__(self, *_):
        self.client.close()
        self.cluster.close()

    def pids(self):
        """The processes of the workers that live."""
        return [nanny.pid for nanny in self.cluster.workers.values() if nanny.pid]

    def kill(self, n):
        for pid in self.pids()[:n]:
            os.kill(pid, signal.SIGKILL)

    def block_files(self):
        return list(Path(self.folder).rglob("*.arrays"))

    def orphans(self):
        """Processes that are left after the end, but for those of multiprocessing itself."""
        deadline = time.monotonic() + 10
        while True:
            left = [
                child
                for child in psutil.Process().children(recursive=True)
                if child.pid not in self.before
                and child.status() != psutil.STATUS_ZOMBIE
                and "resource_tracker" not in " ".join(child.cmdline())
            ]
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(0.1)


class Training(threading.Thread):
    """A training that can be waited for, and what it came to."""

    def __init__(self, films, output, **options):
        super().__init__(daemon=True)
        self.films, self.output, self.options = films, output, options
        self.error = None
        self.start()

    def run(self):
        self.began = time.monotonic()
        try:
            train(self.films, analyzer=WORDS, output=self.output, **self.options)
        except BaseException as error:
            self.error = error
        self.seconds = time.monotonic() - self.began

    def outcome(self, expected):
        """same, or error; anything else is wrong."""
        self.join(2 * LIMIT)
        assert not self.is_alive(), "the training hangs"
        if self.error is None:
            assert self.output.read_bytes() == expected
            return "same"
        assert isinstance(self.error, WordplaneError), repr(self.error)
        assert "\n" not in str(self.error)
        return "error"


def undisturbed(films, output, cluster):
    training = Training(films, output, dask=cluster.client)
    training.join(2 * LIMIT)
    assert training.error is None
    return training.seconds, output.read_bytes()


def kill_workers(films, tmp_path, moments, all_at=()):
    """Kill a worker in each of many trainings, after a share of its time, and both at the moments
    `all_at`; in half of them the workers share a folder. Tells how often they came to the same
    bytes when one was killed, and the longest wait."""
    model, scratch = tmp_path / "model.wordplane", tmp_path / "scratch"
    scratch.mkdir()
    outcomes, longest = Counter(), 0.0
    with Cluster(tmp_path / "workers") as cluster:
        undisturbed(films, model, cluster)  # imports what workers need
        seconds, expected = undisturbed(films, model, cluster)
        for number, moment in enumerate(moments):
            shared = {"scratch": scratch} if number % 2 else {}
            while True:
                cluster.client.wait_for_workers(2, timeout=2 * LIMIT)
                model.unlink(missing_ok=True)
                training = Training(films, model, dask=cluster.client, **shared)
                training.join(moment * seconds)
                if training.is_alive():
                    break
                seconds = training.seconds  # this time it was faster: again
            killed = time.monotonic()
            cluster.kill(2 if moment in all_at else 1)
            outcome = training.outcome(expected)
            outcomes[outcome] += moment not in all_at
            longest = max(longest, training.began + training.seconds - killed)
            assert list(scratch.iterdir()) == []
    assert cluster.orphans() == []
    assert cluster.block_files() == []
    return outcomes, seconds, longest


@pytest.mark.slow
def test_workers_killed_at_a_few_moments(films, tmp_path):
    outcomes, _, longest = kill_workers(films, tmp_path, [0.0, 0.5, 0.4], all_at=[0.4])
    assert outcomes["same"] == 2
    assert longest < LIMIT


@pytest.mark.soak
def test_workers_killed_at_a_hundred_moments(films, tmp_path, capsys):
    rng = random.Random(0)
    moments = [rng.uniform(0, 1) for _ in range(100)]
    outcomes, seconds, longest = kill_workers(films, tmp_path, moments)
    with capsys.disabled():
        told = f"{dict(outcomes)}; undisturbed {seconds:.1f} s, longest {longest:.1f} s"
        sys.stdout.write(f"\n{told}\n")
    assert longest < LIMIT
    assert outcomes["same"] >= 90


@pytest.mark.soak
def test_workers_over_their_memory_limit(films, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_tasks, "PATIENCE", 5)
    with Cluster(tmp_path / "workers", memory_limit="60MB") as cluster:
        training = Training(films, tmp_path / "model.wordplane", dask=cluster.client)
        assert training.outcome(b"") == "error"
        assert "memory" in str(training.error)
        assert training.seconds < LIMIT
    assert cluster.orphans() == []
    assert cluster.block_files() == []


@pytest.fixture
def far_cluster(tmp_path):
    """A scheduler and a worker as processes of their own: address, scheduler, worker."""
    file = tmp_path / "scheduler.json"
    quiet = ["--no-dashboard", "--scheduler-file", file]
    python = [sys.executable, "-m"]
    own = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    to_scheduler = ["distributed.cli.dask_scheduler", *quiet, "--host", "127.0.0.1", "--port", "0"]
    scheduler = subprocess.Popen([*python, *to_scheduler], **own)
    to_worker = ["distributed.cli.dask_worker", *quiet, "--nthreads", "1", "--no-nanny"]
    folder = ["--local-directory", tmp_path / "workers", "--death-timeout", "60"]
    worker = subprocess.Popen([*python, *to_worker, *folder], **own)
    try:
        deadline = time.monotonic() + LIMIT
        while not file.exists() or not file.read_text():
            assert time.monotonic() < deadline, "there is no scheduler"
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"], scheduler, worker
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()


@pytest.mark.soak
def test_a_lost_scheduler_is_one_clear_error(films, tmp_path, far_cluster):
    address, scheduler, _ = far_cluster
    model = tmp_path / "model.wordplane"
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=LIMIT)
    first = Training(films, model, dask=address)
    first.join(2 * LIMIT)
    assert first.error is None
    training = Training(films, model, dask=address)
    time.sleep(0.5 * first.seconds)
    killed = time.monotonic()
    scheduler.kill()
    assert training.outcome(b"") == "error"
    assert "scheduler of Dask is gone" in str(training.error)
    assert time.monotonic() - killed < LIMIT


@pytest.mark.slow
def test_a_full_disk_is_one_clear_error(films, tmp_path):
    """A file may have so many bytes and no more, as on a disk that is full."""
    most = 3000
    command = [sys.executable, "-m", "wordplane", "train", films, "--dask", "local"]
    done = subprocess.run(
        [*command, "--threads", "1", "--scratch", tmp_path, "-o", tmp_path / "model.wordplane"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * LIMIT,
    )
    assert done.returncode == 1
    assert done.stderr.count("wordplane: ") + done.stderr.count("error") >= 1
    assert "cannot write" in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []
