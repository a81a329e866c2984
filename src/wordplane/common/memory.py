"""How much memory there is, so that what cannot fit is refused before it is tried."""

import os
from pathlib import Path


def available_memory() -> int:
    """Bytes that can be had without swapping; where nobody tells, all that is built in.

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
