"""Labeling needs no optional package but those of the page.

Tests of wordplane.annotation.pool and wordplane.annotation.background.
"""

import subprocess
import sys

import pytest

BLOCKED = """
import sys
NEEDED = {"numpy", "scipy", "polars", "rich", "safetensors", "wordplane"}
ALLOWED = NEEDED | set(sys.stdlib_module_names) | {"pygments", "markdown_it", "mdurl"}  # of rich
tried = set()


class Blocker:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in ALLOWED and not top.startswith(("_", "polars")):
            tried.add(top)
            raise ModuleNotFoundError(f"no {top} here", name=top)


sys.meta_path.insert(0, Blocker())
"""
SESSION = """
from wordplane.annotation import Project
from wordplane.annotation.background import BackgroundLearner
from wordplane.annotation.exchange import export
from wordplane.annotation.insight import measure_accuracy, measure_progress
from wordplane.cli import main

texts = [f"{word} number {number} of many" for number in range(60) for word in ("cheap", "lunch")]
failures = []
with Project.create("p.db", texts, labels=["spam", "ham"]) as project:
    project.prepare()
    assert project.chooser.queues["cluster"]
    assert project._pool.vectors is not None
    for _ in range(60):
        item = project.next()
        project.label(item.text, "spam" if "cheap" in item.content else "ham")
    project.add_rule("spam", "cheap*")
    assert project.learn()
    assert project.chooser.queues["uncertain"]
    with BackgroundLearner(project, failures.append):
        project.label(project.next().text, "spam")
        while project.is_behind:
            pass
    export(project, "p.jsonl")
    measure_accuracy(project), measure_progress(project, "me")
assert not failures, failures
assert main(["annotate", "p.db", "--model", "m.wordplane"]) == 0
assert main(["train", "p.db", "-o", "t.wordplane"]) == 0
print("done", sorted(tried & {"sklearn", "starlette"}))
"""


def run(code, tmp_path, *args):
    command = [sys.executable, "-c", BLOCKED + code, *args]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_session_needs_required_packages_alone(tmp_path):
    done = run(SESSION, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("done []\n")


def test_the_page_says_what_it_needs(tmp_path):
    (tmp_path / "t.txt").write_text("one\ntwo\n")
    code = "from wordplane.cli import main\nsys.exit(main(sys.argv[1:]))"
    done = run(code, tmp_path, "annotate", "t.txt", "--no-browser")
    assert done.returncode == 2
    assert "[serve]" in done.stderr and "Traceback" not in done.stderr
