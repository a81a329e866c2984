import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into the current folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


@pytest.fixture
def stdin(monkeypatch):
    """Sets the content of standard input."""

    def pipe(content):
        stream = io.BufferedReader(io.BytesIO(content))
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))

    return pipe
