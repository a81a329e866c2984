"""Tests of wordplane.common.locks: what other processes can lock meanwhile."""

import os
import subprocess
import sys

import pytest

from wordplane.common.locks import lock_byte, lock_file, remove_locked, unlock_byte

ASK = """
import os, sys
from wordplane.common.locks import lock_byte, lock_file
file = os.open(sys.argv[1], os.O_RDWR)
print(int(eval(sys.argv[2])))
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"")
    return path


@pytest.fixture
def file(path):
    file = os.open(path, os.O_RDWR)
    yield file
    os.close(file)


def another_can(path, expression):
    command = [sys.executable, "-c", ASK, path, expression]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1\n"


def test_a_file_is_locked_by_one_and_given_back_when_it_is_closed(path):
    file = os.open(path, os.O_RDWR)
    assert lock_file(file)
    assert not another_can(path, "lock_file(file)")
    os.close(file)
    assert another_can(path, "lock_file(file, wait=True)")


def test_a_byte_is_locked_by_one_or_shared(path, file):
    assert lock_byte(file, 7) and lock_byte(file, 1 << 56)
    assert another_can(path, "lock_byte(file, 8) and not lock_byte(file, 7, shared=True)")
    unlock_byte(file, 7)
    assert lock_byte(file, 7, shared=True, wait=True)
    assert another_can(path, "lock_byte(file, 7, shared=True) and not lock_byte(file, 7)")
    assert not another_can(path, "lock_byte(file, 1 << 56)")


def test_what_a_lock_protects_is_removed_while_it_is_locked(path):
    file = os.open(path, os.O_RDWR)
    assert lock_file(file)
    taken = []
    remove_locked(file, lambda: taken.append(another_can(path, "lock_file(file)")) or path.unlink())
    assert taken == [False] and not path.exists()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)
