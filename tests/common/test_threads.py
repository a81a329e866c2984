"""Tests of wordplane.common.threads: n_jobs, the environment, affinity and control group."""

import os

import pytest

from wordplane.common import threads
from wordplane.common.errors import InputError
from wordplane.common.threads import available_threads, thread_count


@pytest.fixture(autouse=True)
def machine(monkeypatch, tmp_path):
    """Eight processors, no wish, and a control group whose quota the test writes."""
    monkeypatch.delenv("WORDPLANE_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(threads, "CPU_QUOTA", tmp_path / "cpu.max")
    threads._cgroup_limit.cache_clear()
    yield tmp_path / "cpu.max"
    threads._cgroup_limit.cache_clear()


def test_affinity_is_followed_at_every_call(monkeypatch):
    assert available_threads() == 8
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 5, 6})
    assert available_threads() == 3
    assert thread_count(None) == thread_count(-1) == 3
    assert thread_count(7) == 7


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux only")
def test_affinity_of_the_system(monkeypatch):
    monkeypatch.undo()
    monkeypatch.delenv("WORDPLANE_THREADS", raising=False)
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert available_threads() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert 1 <= available_threads() <= len(before)


def test_the_environment_decides_at_every_call(monkeypatch):
    monkeypatch.setenv("WORDPLANE_THREADS", "3")
    assert available_threads() == 3
    monkeypatch.setenv("WORDPLANE_THREADS", "12")
    assert available_threads() == 12
    monkeypatch.setenv("WORDPLANE_THREADS", "100000")
    assert available_threads() == threads.MOST_THREADS
    monkeypatch.setenv("WORDPLANE_THREADS", "")
    assert available_threads() == 8
    monkeypatch.setenv("WORDPLANE_THREADS", "two")
    with pytest.raises(InputError, match="WORDPLANE_THREADS is 'two'"):
        available_threads()


@pytest.mark.parametrize(
    ("quota", "expected"),
    [
        ("200000 100000", 2),
        ("150000 100000", 2),
        ("10000 100000", 1),
        ("900000 100000", 8),
        ("max 100000", 8),
        ("", 8),
        ("many 100000", 8),
    ],
)
def test_quota_of_the_control_group(machine, quota, expected):
    machine.write_text(quota)
    assert available_threads() == expected


def test_a_new_quota_is_seen_within_a_second(machine, monkeypatch):
    now = 100.0
    monkeypatch.setattr(threads.time, "monotonic", lambda: now)
    machine.write_text("200000 100000")
    assert available_threads() == 2
    machine.write_text("400000 100000")
    now = 100.9
    assert available_threads() == 2
    now = 101.0
    assert available_threads() == 4


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, "2"])
def test_refused(n_jobs):
    with pytest.raises(InputError, match="n_jobs"):
        thread_count(n_jobs)
