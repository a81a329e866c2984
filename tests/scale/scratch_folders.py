"""Folders of blocks that a training has left behind, and their records, to be changed by tests."""

import json
import os
import traceback
from hashlib import sha256
from pathlib import Path

import numpy as np

from wordplane import train
from wordplane.common.progress import listen
from wordplane.scale.scratch import open_scratch

ENDED = 9  # the exit code of a process that leaves its folder behind
BLOCK_ROWS, DEALT_BLOCKS = 40, 3  # several blocks although there are few texts


def leave_behind(where: Path, arrays=()) -> Path:
    """The folder of a process that ended after a step, with the key "mine"."""

    def work():
        with open_scratch(where, "mine") as scratch:
            for name, array in arrays:
                scratch.write(name, 0, array)
            scratch.finish("a", [("n", np.arange(3))], {"x": 1})
            os._exit(ENDED)

    _in_a_process_that_ends(work)
    (folder,) = where.glob("wordplane-blocks-mine-*")
    return folder


def train_until(job, done, data, scratch, **options):
    """Train up to a step of a job, and leave the scratch folder as it is then."""

    def watch(name, n_done, _):
        if name == job and n_done == done:
            os._exit(ENDED)

    def work():
        with listen(watch):
            train(data, blocks=True, scratch=scratch, n_jobs=1, **options)

    _in_a_process_that_ends(work)


def _in_a_process_that_ends(work):
    """Do the work in a copy of this process, which must end itself in the middle of it. Whatever
    happens there, it never returns to the tests."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == ENDED


def read_record(folder: Path) -> dict:
    return json.loads((folder / "record").read_bytes().partition(b"\n")[2])


def write_record(folder: Path, record: dict) -> None:
    """A record with the right digest, whatever it says."""
    body = json.dumps(record).encode()
    (folder / "record").write_bytes(sha256(body).hexdigest().encode() + b"\n" + body)
