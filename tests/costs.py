"""How cost grows with the size of the input, by processor time and by memory."""

import gc
import subprocess
import sys
import time
from pathlib import Path

import pytest

MOST = 6.0  # of four times the input; linear is 4


def seconds(call, *arguments):
    gc.collect()
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start


def check_linear(make, call, n, runs=3):
    """Check that `call(make(4 * n))` costs at most MOST times what `call(make(n))` does.

    The least of several runs counts, and 50 milliseconds are forgiven.
    """
    small, large = make(n), make(4 * n)
    call(small)  # whatever is loaded at first use
    for _ in range(6):  # more chances on a busy machine
        a = min(seconds(call, small) for _ in range(runs))
        b = min(seconds(call, large) for _ in range(runs))
        if b <= MOST * a + 0.05:
            return
    raise AssertionError(f"{a:.3f} s for {n}, {b:.3f} s for {4 * n}: {b / a:.1f} times")


# ru_maxrss would begin with what the process had that started it.
PEAK = """
import re, sys
from pathlib import Path
from wordplane.cli import main
code = main(sys.argv[1:])
print(1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]))
sys.exit(code)
"""


def peak_bytes(arguments, folder):
    """The most memory that a verb holds, in a process of its own."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of memory is read from /proc")
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *arguments],
        cwd=folder, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return int(done.stdout.splitlines()[-1])


def check_memory(names, arguments, folder, least, most_per_byte):
    """Check that a verb holds at most so many bytes for each byte of a file, besides the `least`
    that it holds for a file of a few rows and 40 MB. Returns what it holds for each file."""
    held = []
    for name in names:
        n_bytes = (folder / name).stat().st_size
        held.append(peak_bytes(arguments(name), folder) - least)
        assert held[-1] <= most_per_byte * n_bytes + 40e6, f"{held[-1] / n_bytes:.0f} bytes each"
    return held
