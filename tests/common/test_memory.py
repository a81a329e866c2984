"""Tests of wordplane.common.memory: free memory where the system's own file does not say."""

import os
import sys
from types import SimpleNamespace

import pytest

from wordplane.common import memory


@pytest.fixture(autouse=True)
def no_group(monkeypatch):
    monkeypatch.setattr(memory, "GROUP_FILES", ())


def test_psutil_tells_where_there_is_no_meminfo(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "MEMINFO", str(tmp_path / "absent"))
    told = SimpleNamespace(virtual_memory=lambda: SimpleNamespace(available=12345))
    monkeypatch.setitem(sys.modules, "psutil", told)
    assert memory.available_memory() == 12345


def test_without_psutil_it_is_all_physical_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "MEMINFO", str(tmp_path / "absent"))
    monkeypatch.setitem(sys.modules, "psutil", None)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert memory.available_memory() == total


def test_meminfo_comes_first(tmp_path, monkeypatch):
    path = tmp_path / "meminfo"
    path.write_text("MemTotal: 9 kB\nMemAvailable:       7 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", str(path))
    assert memory.available_memory() == 7 * 1024


def group(tmp_path, monkeypatch, limit, used, cached):
    """A control group with these files, on a machine with 7 kB."""
    (tmp_path / "meminfo").write_text("MemAvailable: 7 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", str(tmp_path / "meminfo"))
    (tmp_path / "memory.max").write_text(f"{limit}\n")
    (tmp_path / "memory.current").write_text(f"{used}\n")
    (tmp_path / "memory.stat").write_text(f"anon 1\ninactive_file {cached}\n")
    files = [(str(tmp_path / "memory.max"), str(tmp_path / "memory.current"))]
    monkeypatch.setattr(memory, "GROUP_FILES", files)
    return memory.available_memory()


def test_a_container_may_have_less(tmp_path, monkeypatch):
    assert group(tmp_path, monkeypatch, 5000, 3000, 500) == 2500
    assert group(tmp_path, monkeypatch, 5000, 6000, 0) == 0
    assert group(tmp_path, monkeypatch, 10**9, 3000, 500) == 7 * 1024
    assert group(tmp_path, monkeypatch, "max", 3000, 500) == 7 * 1024


def test_it_is_memory_that_can_be_had():
    assert (
        0 < memory.available_memory() <= (os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    )
