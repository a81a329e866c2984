"""The log of several workers: whole lines, whoever else writes."""

import json
import os
import subprocess
import sys

from wordplane.serving import logs

N_WORKERS, N_LINES = 3, 4000

WRITE = """
import json, sys
from wordplane.serving.logs import Log
log, worker, n_lines = Log(1), int(sys.argv[1]), int(sys.argv[2])
for number in range(n_lines):
    log.request(json.dumps({"worker": worker, "number": number, "more": "x" * (number % 300)}))
log.flush()
"""


def test_lines_of_several_workers_do_not_mix():
    read_end, write_end = os.pipe()
    workers = [
        subprocess.Popen([sys.executable, "-c", WRITE, str(k), str(N_LINES)], stdout=write_end)
        for k in range(N_WORKERS)
    ]
    os.close(write_end)
    with os.fdopen(read_end) as file:
        entries = [json.loads(line) for line in file]
    assert [worker.wait(60) for worker in workers] == [0] * N_WORKERS
    for k in range(N_WORKERS):
        assert [e["number"] for e in entries if e["worker"] == k] == list(range(N_LINES))


def test_a_line_that_is_too_long_for_a_pipe_is_written_alone():
    read_end, write_end = os.pipe()
    log = logs.Log(write_end)
    lines = ["a", "b" * (logs.ATOMIC_BYTES + 9), "c"]
    for line in lines:
        log.request(line)
    log.flush()
    os.close(write_end)
    with os.fdopen(read_end) as file:
        assert file.read().splitlines() == lines
