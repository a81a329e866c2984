"""The file of a project: one SQLite file that other programs can read too.

    project   settings by name, as JSON: `source` of the texts, `multi` (several labels per text),
              `seed` of the random order, `shares` of the reasons, `find` and `recall` of screening
    texts     number (the row, from 1), name (the id in the source, if it has one), text
    labels    number, name, instruction; merged_into: the label that this one became part of
    people    number, name
    events    every answer, in order: number, time (seconds since 1970, UTC), person, text,
              labels (JSON: a list of numbers of labels; null if the text was skipped), reason (why
              it was shown), model (its number; null before the first), guess (JSON: what that
              model would have said), probability, undone (when it was taken back), batch (the
              number of the first of several answers that were given at once)
    shown     the text that each person is looking at, so that a session resumes where it was
    comments  number, time, person, text, comment; resolved: when it was dealt with
    rules     number, time, person, label, pattern, removed
    changes   number, time, what, detail: labels added, renamed and merged, settings changed

The answer of a person to a text is their last event that was not undone. Nothing is ever deleted.
The header of the file has the application id 0x57504c41 ("WPLA") and the version of these tables.
A commit is synced to disk (WAL, synchronous = FULL) before it is acknowledged.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import NoReturn

from wordplane.common.errors import InputError
from wordplane.common.files import no_such_file
from wordplane.data.formats.sqlite import PROJECT_ID

VERSION = 1
BUSY_SECONDS = 10.0
TABLES = """
CREATE TABLE project (key TEXT PRIMARY KEY, value JSON NOT NULL) WITHOUT ROWID;
CREATE TABLE texts (number INTEGER PRIMARY KEY, name TEXT, text TEXT NOT NULL);
CREATE TABLE labels (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL, instruction TEXT NOT NULL DEFAULT '',
  merged_into INTEGER REFERENCES labels
);
CREATE TABLE people (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE events (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, person INTEGER NOT NULL REFERENCES people,
  text INTEGER NOT NULL REFERENCES texts, labels JSON, reason TEXT NOT NULL, model INTEGER,
  guess JSON, probability REAL, undone REAL, batch INTEGER
);
CREATE TABLE shown (
  person INTEGER PRIMARY KEY REFERENCES people, text INTEGER NOT NULL REFERENCES texts,
  reason TEXT NOT NULL, model INTEGER, guess JSON, probability REAL
);
CREATE TABLE comments (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, person INTEGER NOT NULL REFERENCES people,
  text INTEGER NOT NULL REFERENCES texts, comment TEXT NOT NULL, resolved REAL
);
CREATE TABLE rules (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, person INTEGER NOT NULL REFERENCES people,
  label INTEGER NOT NULL REFERENCES labels, pattern TEXT NOT NULL, removed REAL
);
CREATE TABLE changes (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, what TEXT NOT NULL, detail JSON NOT NULL
);
"""


class StoreError(InputError):
    """The file of a project cannot be read or written; nothing that was acknowledged is lost."""


def create_file(path: str) -> sqlite3.Connection:
    """A new file with empty tables; what exists is never overwritten."""
    if not Path(path).parent.is_dir():
        raise InputError(f"{path}: there is no folder {Path(path).parent}")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise InputError(f"{path} exists already; name another file for the project") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    try:
        connection = _connect(path)
        connection.executescript(
            f"BEGIN;{TABLES}PRAGMA application_id={PROJECT_ID};PRAGMA user_version={VERSION};COMMIT"
        )
    except sqlite3.Error as error:
        refuse(path, error)
    return connection


def is_project(path: str) -> bool:
    """Whether a file is that of a project, by its header."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head.startswith(b"SQLite format 3") and head[68:72] == PROJECT_ID.to_bytes(4, "big")


def open_file(path: str) -> sqlite3.Connection:
    """The file of a project; other files, and those of newer versions, are refused."""
    if not Path(path).is_file():
        raise InputError(no_such_file(path))
    if not is_project(path):  # and nothing of it is touched
        raise InputError(
            f"{path} is not the file of a project of `wordplane annotate`: name another with "
            "`project`"
        )
    try:
        connection = _connect(path)
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            connection.close()
            raise InputError(
                f"{path} has version {version} of the tables of a project, expected {VERSION}: "
                "open it with a newer version of Wordplane"
            )
        connection.execute("UPDATE project SET value = value WHERE key = 'seed'")
        connection.commit()  # whoever cannot write learns it now
    except sqlite3.Error as error:
        refuse(path, error)
    return connection


def refuse(path: str, error: sqlite3.Error) -> NoReturn:
    """Say why the file cannot be used."""
    code = getattr(error, "sqlite_errorcode", None)
    why = {
        sqlite3.SQLITE_FULL: "the disk is full; the last answer was not saved, all others are",
        sqlite3.SQLITE_READONLY: "the file or its folder cannot be written",
        sqlite3.SQLITE_CANTOPEN: "the file or its folder cannot be written",
        sqlite3.SQLITE_BUSY: "another program keeps the file locked",
        sqlite3.SQLITE_NOTADB: "it is not an SQLite file",
    }.get((code or 0) & 0xFF, str(error))
    raise StoreError(f"{path}: {why}") from None


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection
