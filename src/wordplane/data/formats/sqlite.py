"""SQLite: a table, such as the feedback that `wordplane serve` takes.

The table is the one called `feedback` or `labels`, or else the only one. Columns that are declared
as JSON hold JSON, all others what they hold. The file is opened for reading only.

The pages of a damaged file can refer to others again and again, so that a few of them hold rows
without end. Rows that are many times as large as the file are therefore refused; a little larger
they may be, since the default value of a column that was added later is stored once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from wordplane.common.errors import InputError
from wordplane.data.encoding import STDIN, RecordError
from wordplane.data.formats.records import RecordOrBlank, RecordTable

TABLES = ("feedback", "labels")
ROW_BYTES = 4  # that any row takes in a file, at least
MOST_TIMES = 20  # the size of the file, besides FREE_BYTES
FREE_BYTES = 1 << 20


class SqliteTable(RecordTable):
    def records(self) -> Iterator[RecordOrBlank]:
        if self.path == STDIN:
            raise InputError("SQLite cannot be read from stdin: name a file")
        if not Path(self.path).is_file():
            raise InputError(f"{self.path}: there is no such file")
        try:
            uri = f"file:{quote(str(Path(self.path).absolute()))}?mode=ro"
            connection = sqlite3.connect(uri, uri=True)
        except sqlite3.Error as error:
            raise self._unreadable(error) from None
        try:
            yield from self._table_rows(connection)
        except sqlite3.Error as error:
            raise self._unreadable(error) from None
        finally:
            connection.close()

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
            try:
                yield (
                    row,
                    {
                        name: _value(value, decode)
                        for name, value, decode in zip(names, values, is_json, strict=True)
                    },
                )
            except (ValueError, RecursionError) as error:
                yield row, RecordError(f"a column of JSON is not JSON: {error}", row)

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
            )
        return str(known[0])

    def _unreadable(self, error: sqlite3.Error) -> InputError:
        return InputError(f"{self.file}: cannot be read as SQLite ({error})")


def _value(value: object, decode: bool) -> object:
    """
    >>> _value('["a", "b"]', True), _value(3, True), _value("3", False)
    (['a', 'b'], 3, '3')
    """
    if isinstance(value, bytes):
        raise ValueError("a blob")
    return json.loads(value) if decode and isinstance(value, str) else value


def _file_size(path: str) -> int:
    """With what has been written to its log."""
    files = (Path(path), Path(f"{path}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
