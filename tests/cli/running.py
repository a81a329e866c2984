"""The command in a process of its own."""

import subprocess
import sys


def wordplane_process(*args, **kwargs):
    return subprocess.run(
        [sys.executable, "-m", "wordplane", *args], capture_output=True, timeout=60, **kwargs
    )
