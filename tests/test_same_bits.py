"""The same bits whatever surrounds a command: threads, hash seed, locale, folder, stdin or file."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BASE = {
    "WORDPLANE_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "LC_ALL": "C",
    "SOURCE_DATE_EPOCH": "1700000000",  # the date of a report
}


def locales():
    """Those that the system has."""
    try:
        listed = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ["C"]
    return listed.stdout.split()


def digests(folder, n_texts, *, from_stdin=False, **surroundings):
    """What `tests/digests.py` prints in a process of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    env = {**os.environ, "PYTHONPATH": path, **BASE, **surroundings}
    command = [sys.executable, "-m", "tests.digests", str(n_texts), *["--stdin"] * from_stdin]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_same(found, expected, where):
    different = [name for name in expected if found[name] != expected[name]]
    assert not different, f"{where}: {different}"


@pytest.mark.slow
def test_all_verbs_give_the_same_bits(tmp_path):
    expected = digests(tmp_path / "a", 60)
    other = {"WORDPLANE_THREADS": "5", "PYTHONHASHSEED": "77", "LC_ALL": locales()[-1]}
    other["TZ"] = "Asia/Kathmandu"
    found = digests(tmp_path / "an other é", 60, from_stdin=True, **other)
    check_same(found, expected, other)


@pytest.mark.soak
@pytest.mark.parametrize("threads", range(1, 9))
def test_the_whole_product(tmp_path, threads):
    expected = digests(tmp_path / "base", 60)
    ways = product(("0", "random"), locales(), (False, True))
    for number, (seed, locale, from_stdin) in enumerate(ways):
        other = {"WORDPLANE_THREADS": str(threads), "PYTHONHASHSEED": seed, "LC_ALL": locale}
        found = digests(tmp_path / str(number), 60, from_stdin=from_stdin, **other)
        check_same(found, expected, (other, from_stdin))


@pytest.mark.soak
def test_threads_on_more_texts(tmp_path):
    expected = digests(tmp_path / "1", 3000)
    for threads in (1, 2, 3, 4, 5, 6, 7, 8):
        found = digests(tmp_path / str(threads), 3000, WORDPLANE_THREADS=str(threads))
        check_same(found, expected, threads)
