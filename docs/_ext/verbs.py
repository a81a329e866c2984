"""A page for every verb of the command line, made when the pages are built.

The page has what `wordplane VERB --help` prints, and before it the text of `verbs/_VERB.md`, if
there is one: examples by hand, which `tests/test_docs.py` runs.
"""

import os
import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx

from wordplane.cli import VERBS

PAGE = """\
# wordplane {verb}

{summary}.

{example}
## Options
```text
$ wordplane {verb} --help
{help}```
"""


def _write_pages(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "verbs"
    for verb, summary in VERBS.items():
        by_hand = folder / f"_{verb}.md"
        example = f"```{{include}} {by_hand.name}\n```\n" if by_hand.exists() else ""
        page = PAGE.format(
            verb=verb, summary=summary.capitalize(), example=example, help=_help_of(verb)
        )
        target = folder / f"{verb}.md"
        if not target.exists() or target.read_text(encoding="utf-8") != page:
            target.write_text(page, encoding="utf-8")


def _help_of(verb: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "wordplane", verb, "--help"],
        env={**os.environ, "COLUMNS": "90", "NO_COLOR": "1"},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
