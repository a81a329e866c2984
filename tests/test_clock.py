"""The time of day may jump: it is told, but nothing is decided by it.

Durations, deadlines and ages are measured by `time.monotonic` and `time.perf_counter`.
"""

import ast
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src" / "wordplane"
# Where the time of day is written down for people.
TELLING = {
    "annotation/insight.py",
    "annotation/store.py",
    "report/page.py",
    "serving/catalog.py",
    "serving/feedback.py",
    "serving/feedback_learning.py",
    "serving/logs.py",
}


def uses_time_of_day(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = {(node.value.id, node.attr)}
        elif isinstance(node, ast.ImportFrom):
            names = {(node.module, alias.name) for alias in node.names}
        else:
            continue
        if names & {("time", "time"), ("datetime", "now")}:
            return True
    return False


@pytest.mark.slow
def test_the_time_of_day_decides_nothing():
    paths = [path for path in SOURCES.rglob("*.py") if uses_time_of_day(path)]
    assert {str(path.relative_to(SOURCES)) for path in paths} == TELLING
