"""How much memory is free, so that work that cannot fit is refused before it starts."""

import os
from pathlib import Path

from wordplane.common.errors import InputError


def available_memory() -> int:
    """Bytes available without swapping; where the system does not say, all physical memory.

    >>> available_memory() > 0
    True
    """
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def require_memory(needed: int, what: str, advice: str) -> None:
    """Refuse work that needs more bytes than are free.

    >>> require_memory(2**60, "big.csv", "read a part of it")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    wordplane.common.errors.InputError: big.csv needs about 1152921504.6 GB, and ...
    """
    available = available_memory()
    if needed > available:
        raise InputError(
            f"{what} needs about {needed / 1e9:.1f} GB, and {available / 1e9:.1f} GB are free: "
            f"{advice}"
        )
