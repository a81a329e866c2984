"""How much memory is free, so that work that cannot fit is refused before it starts."""

import os
from collections.abc import Iterable
from pathlib import Path

from wordplane.common.errors import InputError

MEMINFO = "/proc/meminfo"
# Of the control group, on Linux: its limit, and what it uses; of its second and first version.
GROUP_FILES = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def available_memory() -> int:
    """Bytes available without swapping; where that is unknown, all physical memory. A container
    may have fewer than its machine.

    >>> available_memory() > 0
    True
    """
    return min([_free_on_machine(), *_free_in_group()])


def _free_in_group() -> list[int]:
    """What the control group may still take, if it has a limit; files in the cache make room."""
    for limit, used in GROUP_FILES:
        try:
            most = int(Path(limit).read_text(encoding="ascii"))  # "max": no number
            taken = int(Path(used).read_text(encoding="ascii"))
            stat = Path(limit).with_name("memory.stat").read_text(encoding="ascii")
        except (OSError, ValueError):
            continue
        values = dict(line.split() for line in stat.splitlines())
        cached = values.get("total_inactive_file") or values.get("inactive_file") or 0
        return [max(most - taken + int(cached), 0)]
    return []


def _free_on_machine() -> int:
    try:
        for line in Path(MEMINFO).read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        pass
    try:  # systems other than Linux
        import psutil

        return int(psutil.virtual_memory().available)
    except ImportError:
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


def readable_size(n_bytes: float) -> str:
    """Bytes as a person would say them.

    >>> readable_size(2.64e9), readable_size(300e6), readable_size(10**12)
    ('2.6 GB', '300 MB', '1,000 GB')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:,.{1 if n_bytes < 10 * unit else 0}f} {name}"
    return f"{n_bytes / 1e3:.0f} kB"


READ_COPIES = 2  # of a file, while all of it is read
# How many times as large a file is as a rule once it is uncompressed.
EXPANSION = {".gz": 3.0, ".zst": 3.5, ".xz": 4.0, ".bz2": 4.0, ".zip": 3.0}
SMALL_BYTES = 1 << 24  # fit into any memory


def require_memory_for(paths: Iterable[str], what: str, advice: str) -> None:
    """Refuse to read files and folders as a whole that do not fit into half of the free memory."""
    size = sum(map(_size, paths))
    if size > SMALL_BYTES:
        require_memory(READ_COPIES * size, what, advice)


def size_of(path: str) -> int:
    """The bytes of a file, or of all files below a folder; 0 for what cannot be known."""
    if Path(path).is_dir():
        files = (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
        return sum(file.lstat().st_size for file in files)
    return Path(path).stat().st_size if Path(path).is_file() else 0


def _size(path: str) -> int:
    """The same, with what is compressed at its full size."""
    return int(size_of(path) * EXPANSION.get(Path(path).suffix.lower(), 1.0))
