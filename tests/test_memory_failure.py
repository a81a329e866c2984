"""Where memory is refused: an error with words, never a crash or a part of a file."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.memory_failure import COMMANDS

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's limits")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The allocator that refuses, compiled."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler here")
    path = tmp_path_factory.mktemp("library") / "refuse_memory.so"
    source = ROOT / "tests" / "refuse_memory.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", path, source], check=True)
    return path


def sweep(folder, how, numbers, **env):
    """How many commands failed, and how many did not."""
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    env = {**os.environ, "PYTHONPATH": path, "WORDPLANE_THREADS": "2", **env}
    done = subprocess.run(
        [sys.executable, "-m", "tests.memory_failure", how, *map(str, numbers)],
        cwd=folder, env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr[-3000:]}"
    return [int(n) for n in done.stdout.split()]


@pytest.mark.slow
def test_an_allocation_is_refused(library, tmp_path):
    numbers = [0, 1, 2, 4, 7, 12, 20, 33]
    failed, _ = sweep(tmp_path, "calls", numbers, LD_PRELOAD=str(library))
    assert failed > 15


# What is freed goes back to the system, so that every command needs as much the second time.
GIVE_BACK = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}


def sweep_limits(folder, step):
    failed, done = sweep(folder, "limit", [step], MALLOC_ARENA_MAX="1", **GIVE_BACK)
    assert done == len(COMMANDS)
    return failed


@pytest.mark.slow
def test_memory_is_limited(tmp_path):
    assert sweep_limits(tmp_path, 2048) >= len(COMMANDS)


@pytest.mark.soak
def test_all_limits_of_memory(tmp_path):
    """Training takes 10 MB and more, the others 1 MB and more."""
    assert sweep_limits(tmp_path, 64) > 16 * len(COMMANDS)
