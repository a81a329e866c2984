"""A page for every verb of the command line, made when the pages are built.

The page has the text of `verbs/_VERB.md`, if there is one, whose console commands are run (in a
folder that holds `examples/`) and shown with what they print; then what `--help-all` prints. A
command that fails is an error of the build.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from wordplane.cli import VERBS

PAGE = """\
# wordplane {verb}

{summary}.

{example}
## Options
```text
{help}```
"""
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def _write_pages(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "verbs"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(partial(_write_page, folder), VERBS.items()))


def _write_page(folder: Path, named: tuple[str, str]) -> None:
    verb, summary = named
    by_hand = folder / f"_{verb}.md"
    example = _run(by_hand.read_text(encoding="utf-8")) if by_hand.exists() else ""
    page = PAGE.format(
        verb=verb,
        summary=summary[0].upper() + summary[1:],
        example=example,
        help=_output(f"wordplane {verb} --help-all", folder),
    )
    target = folder / f"{verb}.md"
    if not target.exists() or target.read_text(encoding="utf-8") != page:
        target.write_text(page, encoding="utf-8")


def _run(text: str) -> str:
    """The text, with what its commands print below each of them."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shutil.copytree(Path(__file__).parents[2] / "examples", folder / "examples")

        def with_output(block: re.Match[str]) -> str:
            commands = block[1].splitlines()
            shown = "".join(f"{line}\n{_output(line[2:], folder)}" for line in commands)
            return f"```console\n{shown}```"

        return BLOCK.sub(with_output, text)


def _output(command: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=folder, env={**os.environ, "PATH": path, "COLUMNS": "90"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise ExtensionError(f"{command!r} ended with {done.returncode}: {done.stdout}")
    return done.stdout


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
