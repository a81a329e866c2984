"""Jobs on threads, and progress: tests of wordplane.common.pool, wordplane.common.progress."""

import time
from threading import get_ident

import pytest

from wordplane.common import pool
from wordplane.common.pool import pool_map, start_job
from wordplane.common.progress import OutOfTimeError, listen, notify, time_limit


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_are_in_the_order_of_the_items(threads):
    steps = []
    with listen(lambda job, done, total: steps.append((job, done, total))):
        assert pool_map(lambda n: n * n, iter(range(20)), threads, "squares", 20) == [
            n * n for n in range(20)
        ]
    assert steps == [("squares", done, 20) for done in range(1, 21)]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_of_a_job_is_raised(threads):
    def fail(n):
        raise KeyError(n)

    with pytest.raises(KeyError):
        pool_map(fail, [1, 2], threads, "failing", 2)
    with pytest.raises(KeyError):
        start_job(lambda: fail(1), threads)()


def test_where_no_thread_can_begin_the_caller_does_the_work(monkeypatch):
    monkeypatch.setattr(pool, "THREAD_BYTES", 1 << 60)
    assert pool_map(lambda n: (n, get_ident()), [1, 2], 2, "jobs", 2) == [
        (1, get_ident()),
        (2, get_ident()),
    ]
    assert start_job(get_ident, 2)() == get_ident()


def test_a_job_hears_the_listener_of_its_caller():
    steps = []
    with listen(lambda job, done, total: steps.append(job)):
        future = start_job(lambda: notify("inside", 1, 1), 2)
    future()
    assert steps == ["inside"]


def test_a_time_limit_ends_work_at_its_next_step():
    steps = []
    with listen(lambda job, done, total: steps.append(done)):
        with time_limit(time.perf_counter() + 60):
            notify("work", 1, 2)
        with pytest.raises(OutOfTimeError), time_limit(time.perf_counter() - 1):
            notify("work", 2, 2)
        notify("work", 3, 3)
    assert steps == [1, 3]
