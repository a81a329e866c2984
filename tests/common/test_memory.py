"""Tests of wordplane.common.memory: free memory where the system's own file does not say."""

import os
import sys
from types import SimpleNamespace

from wordplane.common import memory


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
