"""What Windows lacks is not needed to import a module; only `serve` and its supervisor need it."""

import subprocess
import sys

PROGRAM = """
import pkgutil, sys
import numpy, polars, scipy.sparse, rich.console, rich.table  # imported while os is whole
import asyncio, concurrent.futures, multiprocessing.connection, sqlite3, subprocess, uvicorn
import uvicorn.lifespan.off, uvicorn.protocols.http.httptools_impl
import os, select, signal

for module in ("fcntl", "uvloop", "resource", "pwd", "grp", "termios"):
    sys.modules[module] = None
for module, names in {
    os: "fork geteuid getuid sysconf pread pwrite nice set_blocking sched_getaffinity O_NOFOLLOW "
        "O_NONBLOCK",
    select: "poll",
    signal: "SIGHUP SIGUSR1 SIGCHLD SIGKILL pthread_sigmask",
}.items():
    for name in names.split():
        delattr(module, name)

import wordplane

failed = {}
for module in pkgutil.walk_packages(wordplane.__path__, "wordplane."):
    if module.name == "wordplane.__main__":
        continue
    try:
        __import__(module.name)
    except Exception as error:
        failed[module.name] = error
print(*failed)
"""


def test_modules_are_imported_without_what_windows_lacks():
    run = [sys.executable, "-c", PROGRAM]
    failed = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
    assert "wordplane.serving.supervisor" in failed
    optional = ("wordplane.integrations", "wordplane.serving.supervisor")
    assert [name for name in failed if not name.startswith(optional)] == []
