"""How many threads to use. Only the public API asks; it passes the number on."""

import os
import time
from functools import lru_cache
from numbers import Integral
from pathlib import Path

from wordplane.common.errors import InputError

MOST_THREADS = 256
CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of the control group, on Linux


def thread_count(n_jobs: int | None) -> int:
    """The number of threads for scikit-learn's `n_jobs`: None and -1 mean all available.

    More than MOST_THREADS are never started: no machine that we know gains by it.

    >>> thread_count(3)
    3
    """
    if n_jobs is None or n_jobs == -1:
        return available_threads()
    if not isinstance(n_jobs, Integral) or n_jobs < 1:
        raise InputError(
            f"the number of threads (n_jobs) is {n_jobs!r}, "
            "expected a whole number from 1 up, or -1 or None for all"
        )
    return min(int(n_jobs), MOST_THREADS)


def available_threads() -> int:
    """WORDPLANE_THREADS, or the processors this process may use (affinity and cgroup)."""
    wish = os.environ.get("WORDPLANE_THREADS")
    if wish:
        if not wish.isdecimal() or int(wish) < 1:
            raise InputError(f"WORDPLANE_THREADS is {wish!r}, expected a whole number from 1 up")
        return min(int(wish), MOST_THREADS)
    if hasattr(os, "sched_getaffinity"):
        n_cores = len(os.sched_getaffinity(0))
    else:
        n_cores = os.cpu_count() or 1
    limit = _cgroup_limit(int(time.monotonic()))
    return n_cores if limit is None else min(n_cores, limit)


@lru_cache(maxsize=1)
def _cgroup_limit(second: int) -> int | None:
    """How many processors the control group may keep busy.

    Reading it takes longer than classifying a short text. The cache makes that happen at most once
    in each second.
    """
    try:
        quota, period = CPU_QUOTA.read_text(encoding="ascii").split()
        return None if quota == "max" else max(1, round(int(quota) / int(period)))
    except (OSError, ValueError):
        return None
