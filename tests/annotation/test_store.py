"""Nothing acknowledged is lost, and a file that cannot be used is refused with one clear error.

Tests of wordplane.annotation.store and wordplane.annotation.schema.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import wordplane
from wordplane.annotation import Project
from wordplane.annotation.schema import StoreError
from wordplane.common.errors import InputError

LABELING = """
import sys
from wordplane.annotation import Project
project = Project.open(sys.argv[1])
while True:
    item = project.next()
    print("shown", item.text, flush=True)
    project.label(item.text, "ham")
    print("saved", item.text, flush=True)
"""


def kill_while_labeling(path, seconds):
    """The texts that were acknowledged, and the last that was shown, until kill -9."""
    running = subprocess.Popen(
        [sys.executable, "-c", LABELING, path], stdout=subprocess.PIPE, text=True
    )
    first = running.stdout.readline()
    time.sleep(seconds)
    os.kill(running.pid, signal.SIGKILL)
    lines = [
        line.split()
        for line in (first + running.stdout.read()).splitlines(keepends=True)
        if line.endswith("\n")
    ]
    running.wait()
    running.stdout.close()
    saved = [int(number) for what, number in lines if what == "saved"]
    return saved, [int(number) for what, number in lines if what == "shown"][-1]


def check_kills(tmp_path, n_kills, pause):
    path = str(tmp_path / "p.db")
    texts = [f"text {i}" for i in range(2500 + 100 * n_kills)]  # more than are labeled meanwhile
    Project.create(path, texts, labels=["ham"]).close()
    saved = []
    for number in range(n_kills):
        new, shown = kill_while_labeling(path, pause * (number % 17))
        saved += new
        with Project.open(path) as project:
            assert set(saved) <= set(project.answers.labeled())
            # It resumes where it was, unless the last answer was written but not acknowledged.
            assert project.next().text == shown or shown in project.answers
    assert saved
    check = sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone()
    assert check == ("ok",)


@pytest.mark.slow
def test_kill_9_loses_nothing_acknowledged(tmp_path):
    check_kills(tmp_path, 2, 0.1)


@pytest.mark.soak
def test_kill_9_at_200_moments(tmp_path):
    check_kills(tmp_path, 200, 0.004)


def test_two_at_a_time_are_refused_and_reading_is_not(project):
    with pytest.raises(InputError, match="is open in another `wordplane annotate`"):
        Project.open(project.path)
    project.label(1, "ham")
    count = sqlite3.connect(project.path).execute("SELECT count(*) FROM events").fetchone()
    assert count == (1,)


def test_a_full_disk_is_one_clear_error_and_the_next_answer_works(project):
    project.label(1, "ham")
    connection = project.store._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count={pages}")
    name = "long " * 3000
    with pytest.raises(StoreError, match="the disk is full"):
        project.comment(2, name)
    connection.execute("PRAGMA max_page_count=1000000")
    project.comment(2, name)
    assert [comment.text for comment in project.store.comments()] == [2]
    assert list(project.answers.labeled()) == [1]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_cannot_be_written(project, tmp_path):
    project.close()
    Path(project.path).chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(InputError, match="cannot be written"):
            Project.open(project.path)
    finally:
        tmp_path.chmod(0o755)


def test_newer_other_and_missing_files(project, tmp_path):
    project.close()
    connection = sqlite3.connect(project.path)
    connection.execute("PRAGMA user_version=2")
    connection.close()
    with pytest.raises(InputError, match=r"version 2 .* newer version of Wordplane"):
        Project.open(project.path)
    (tmp_path / "other.db").write_text("text,label\n")
    sqlite3.connect(tmp_path / "table.db").execute("CREATE TABLE t (text)")
    for name in ("other.db", "table.db"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(InputError, match="not the file of a project"):
            Project.open(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before
    with pytest.raises(InputError, match="no such file"):
        Project.open(tmp_path / "none.db")
    with pytest.raises(InputError, match="exists already"):
        Project.create(tmp_path / "other.db", ["a"])


def test_a_project_that_fails_to_be_made_leaves_nothing(tmp_path):
    def texts():
        yield "a"
        raise KeyboardInterrupt

    from wordplane.annotation.store import Store

    with pytest.raises(KeyboardInterrupt):
        Store.create(str(tmp_path / "p.db"), texts(), None, {})
    assert list(tmp_path.iterdir()) == []


def test_closing_leaves_one_file(project, tmp_path):
    project.label(1, "ham")
    project.close()
    assert [path.name for path in tmp_path.iterdir()] == ["p.db"]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE labels SET merged_into = 99",
        "UPDATE events SET labels = '[77]'",
        "UPDATE events SET labels = 'x'",
        "UPDATE events SET labels = '5'",
        "UPDATE events SET labels = '" + "[" * 5000 + "'",
        "DELETE FROM project",
        "DROP TABLE events",
    ],
)
def test_damaged_tables_are_one_clear_error(project, damage):
    damage_file(project, damage)
    with pytest.raises(InputError, match=r"damaged|no such table"):
        Project.open(project.path)
    if "project" not in damage:
        with pytest.raises(InputError, match=r"damaged|no such table"):
            wordplane.read(project.path)


def damage_file(project, statement):
    project.label(1, "ham")
    project.close()
    connection = sqlite3.connect(project.path)
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM texts WHERE number = 1",
        "DELETE FROM texts WHERE number = 40",
        "DELETE FROM texts",
        "UPDATE texts SET text = x'ff' WHERE number = 3",
        "UPDATE events SET text = 0",
        "UPDATE events SET text = 99999",
        "UPDATE events SET person = 7",
        "UPDATE events SET time = 1e300",
        "UPDATE events SET labels = '[]'",
        "INSERT INTO shown (person, text, reason) VALUES (1, 99999, 'random')",
        *(
            f"UPDATE project SET value = '{value}' WHERE key = '{key}'"
            for key, value in [
                ("seed", '"abc"'),
                ("seed", "null"),
                ("seed", "-5"),
                ("shares", "[]"),
                ("shares", "{}"),
                ("recall", '"x"'),
                ("find", "5"),
                ("multi", "3"),
            ]
        ),
    ],
)
def test_what_does_not_hang_together_is_refused(project, damage):
    damage_file(project, damage)
    with pytest.raises(InputError, match="damaged"):
        Project.open(project.path)
