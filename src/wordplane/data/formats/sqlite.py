"""SQLite: a table, such as the feedback that `wordplane serve` takes.

The table is the one called `feedback` or `labels`, or else the only one. Columns that are declared
as JSON hold JSON, all others what they hold.

The file is opened for reading only. Even so, SQLite leaves files next to one whose changes are
logged in another (WAL), and needs a folder that can be written to. Where there is no log, nobody
has such a file open, and it is read as one that nobody changes.

A project of `wordplane annotate` has several tables (`wordplane.annotation.schema`), which are read
as one: the texts that have labels, with the label that most people gave. Those that were drawn at
random are marked `test`, the others `train`: only the former say how good a model is. While there
are few of either, those drawn at random are marked `cv`: models are trained on them, too, and
measured on them in folds.

The pages of a damaged file can refer to others again and again, so that a few of them hold rows
without end. Rows that are many times as large as the file are therefore refused; a little larger
they may be, since the default value of a column that was added later is stored once.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from wordplane.common.errors import InputError
from wordplane.common.files import no_such_file
from wordplane.common.votes import latest_majority
from wordplane.data.encoding import STDIN, RecordError
from wordplane.data.formats.records import RecordOrBlank, RecordTable, Values

TABLES = ("feedback", "labels")
PROJECT_ID = 0x57504C41  # "WPLA", in the header of a project
RANDOM = "random"  # why a text of a project was shown
MIN_TEST = 100  # texts of a project, drawn at random, that are kept for measuring
MIN_TRAIN = 10  # others of each label that are then left to train on
ROW_BYTES = 4  # that any row takes in a file, at least
MOST_TIMES = 20  # the size of the file, besides FREE_BYTES
FREE_BYTES = 1 << 20
SQLITE_MARK = b"SQLite format 3\0"
WAL_VERSIONS = b"\2\2"  # of the format, to read and to write, in bytes 18 and 19


class SqliteTable(RecordTable):
    def records(self) -> Iterator[RecordOrBlank]:
        if self.path == STDIN:
            raise InputError("SQLite cannot be read from stdin: name a file")
        if not Path(self.path).is_file():
            raise InputError(no_such_file(self.path))
        is_still = _is_closed_log(Path(self.path))
        before = Path(self.path).stat()
        try:
            uri = f"file:{quote(str(Path(self.path).absolute()))}?mode=ro"
            connection = sqlite3.connect(uri + "&immutable=1" * is_still, uri=True)
        except sqlite3.Error as error:
            raise self._unreadable(error) from None
        try:
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            if application == PROJECT_ID:
                yield from self._project_rows(connection)
            else:
                yield from self._table_rows(connection)
        except sqlite3.Error as error:
            raise self._unreadable(error) from None
        except InputError:
            raise
        except (LookupError, TypeError, ValueError, RecursionError):
            raise InputError(f"{self.file}: the tables of the project are damaged") from None
        finally:
            connection.close()
        after = Path(self.path).stat()
        if is_still and (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            raise InputError(f"{self.file}: has changed while it was read; read it again")

    def _table_rows(self, connection: sqlite3.Connection) -> Iterator[RecordOrBlank]:
        table = _quoted(self._table(connection))
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        names = [name for _, name, *_ in columns]
        is_json = [kind.upper() == "JSON" for _, _, kind, *_ in columns]
        # By name: generated columns, which a small file can make large, are not among them.
        chosen = ", ".join(map(_quoted, names))
        left = MOST_TIMES * _file_size(self.path) + FREE_BYTES
        for row, values in enumerate(connection.execute(f"SELECT {chosen} FROM {table}"), 1):
            left -= ROW_BYTES + sum(len(value) for value in values if isinstance(value, str))
            if left < 0:
                raise InputError(f"{self.file}: row {row}: the rows are far larger than the file")
            yield row, _record(zip(names, values, is_json, strict=True), row)

    def _project_rows(self, connection: sqlite3.Connection) -> Iterator[RecordOrBlank]:
        """The labeled texts of a project."""
        names, merged = {}, {}
        for number, name, into in connection.execute(
            "SELECT number, name, merged_into FROM labels"
        ):
            names[number], merged[number] = str(name), into
        multi = connection.execute("SELECT value FROM project WHERE key = 'multi'").fetchone()
        answers: dict[int, dict[int, tuple[str, ...]]] = {}
        is_random: dict[int, bool] = {}
        query = "SELECT text, person, labels, reason FROM events WHERE undone IS NULL"
        for text, person, labels, reason in connection.execute(query + " ORDER BY number"):
            answers.setdefault(text, {}).pop(person, None)
            is_random[text] = is_random.get(text, False) or reason == RANDOM
            if labels is not None:
                named = (names[merged[label] or label] for label in json.loads(labels))
                answers[text][person] = tuple(dict.fromkeys(named))
        chosen = {text: latest_majority([*g.values()]) for text, g in answers.items() if g}
        parts = _project_parts(chosen, is_random)
        left, row = MOST_TIMES * _file_size(self.path) + FREE_BYTES, 0
        for number, name, text in connection.execute("SELECT number, name, text FROM texts"):
            labels = chosen.get(number)
            if labels is None:
                continue
            row += 1
            left -= ROW_BYTES + len(str(text))
            if left < 0:
                raise InputError(f"{self.file}: row {row}: the rows are far larger than the file")
            label = list(labels) if multi and json.loads(multi[0]) else labels[0]
            record = {"id": str(name or number), "text": str(text), "label": label}
            yield row, {**record, **parts.get(number, {})}

    def _table(self, connection: sqlite3.Connection) -> str:
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
        ).fetchall()
        names = [name for (name,) in tables if not name.startswith("sqlite_")]
        known = [name for name in TABLES if name in names] or names
        if len(known) != 1:
            raise InputError(
                f"{self.file} has the tables {', '.join(names) or 'none'}, expected one, or one "
                f"that is called {' or '.join(TABLES)}"
                + (f": name one as in sqlite:///{self.path}?table={names[0]}" if names else "")
            )
        return str(known[0])

    def _unreadable(self, error: sqlite3.Error) -> InputError:
        return InputError(f"{self.file}: cannot be read as SQLite ({error})")


def _project_parts(
    labels: Mapping[int, tuple[str, ...]], is_random: Mapping[int, bool]
) -> dict[int, dict[str, str]]:
    """What the texts of a project are used for: train, test, or cv; nothing if all of them, or
    none, were drawn at random.

    >>> _project_parts({1: ("a",), 2: ("b",), 3: ("a",)}, {1: True, 2: False, 3: True})
    {1: {'split': 'cv'}, 2: {'split': 'train'}, 3: {'split': 'cv'}}
    """
    if len({is_random[text] for text in labels}) < 2:
        return {}
    others = Counter(name for text in labels if not is_random[text] for name in labels[text])
    fewest = min((others[name] for given in labels.values() for name in given), default=0)
    is_enough = sum(is_random[text] for text in labels) >= MIN_TEST and fewest >= MIN_TRAIN
    drawn = "test" if is_enough else "cv"
    return {text: {"split": drawn if is_random[text] else "train"} for text in labels}


def _record(cells: Iterable[tuple[str, object, bool]], row: int) -> Values | RecordError:
    """
    >>> _record([("a", '["x", "y"]', True), ("b", 3, True), ("c", "3", False)], 1)
    {'a': ['x', 'y'], 'b': 3, 'c': '3'}
    """
    values: dict[str, object] = {}
    for name, value, is_json in cells:
        if isinstance(value, bytes):
            return RecordError(
                f"the column {name!r} has a BLOB of {len(value):,} bytes, expected text or a "
                f"number; if it is UTF-8: UPDATE ... SET {name} = CAST({name} AS TEXT)",
                row,
            )
        try:
            values[name] = json.loads(value) if is_json and isinstance(value, str) else value
        except (ValueError, RecursionError) as error:
            return RecordError(f"the column {name!r} is declared as JSON and is not: {error}", row)
    return values


def _is_closed_log(path: Path) -> bool:
    """Whether changes of the file are logged in another, which is not there: nobody has it open."""
    try:
        with path.open("rb") as file:
            head = file.read(len(SQLITE_MARK) + 4)
    except OSError:  # SQLite says so
        return False
    is_logged = head.startswith(SQLITE_MARK) and head[18:20] == WAL_VERSIONS
    return is_logged and not Path(f"{path}-wal").exists()


def _file_size(path: str) -> int:
    """With what has been written to its log."""
    files = (Path(path), Path(f"{path}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
