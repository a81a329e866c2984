"""`example-report.html`, next to the pages: a real report on the built-in corpus.

It is made while the pages are built, and waited for at the end.
"""

import csv
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import wordplane


def write_report(path: Path, folder: Path) -> subprocess.Popen[str]:
    """Start to train on the docstrings of Python's library and to report on the result."""
    corpus = wordplane.datasets.docstrings()
    with (folder / "docstrings.csv").open("w", encoding="utf-8", newline="") as file:
        rows = zip(corpus.texts, corpus.labels, strict=True)
        csv.writer(file).writerows([("text", "label"), *rows])
    command = [sys.executable, "-m", "wordplane", "train", "docstrings.csv"]
    return subprocess.Popen(
        [*command, "--report", str(path), "--force", "-o", "docstrings.wordplane"],
        cwd=folder, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def _start(app: Sphinx) -> None:
    target = Path(app.outdir) / "example-report.html"
    if app.builder.format != "html" or (target.exists() and not app.fresh_env_used):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = TemporaryDirectory()
    running = write_report(target, Path(folder.name))

    def wait(app: Sphinx, error: Exception | None) -> None:
        output, _ = running.communicate()
        folder.cleanup()
        if running.returncode and error is None:
            raise ExtensionError(f"the report ended with {running.returncode}: {output}")

    app.connect("build-finished", wait)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _start)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
