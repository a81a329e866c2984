"""How much memory is free, so that work that cannot fit is refused before it starts."""

import os
from pathlib import Path


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
