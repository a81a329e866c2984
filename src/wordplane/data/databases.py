"""Databases: the rows of a query as frames, and a table that is written in one transaction.

    postgresql://user@host/db?table=NAME   through ADBC; passwords come from PGPASSWORD or a service
                                           file (?service=NAME), as libpq reads them
    sqlite:///file?table=NAME              a file below this folder; four slashes for a path from /
    duckdb:///file?table=NAME              the same

Rows are read and written some thousands at a time. A process that ends before all rows are written
leaves the database as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from wordplane.common.errors import InputError, MissingExtraError, WordplaneError
from wordplane.common.files import DATABASE, mask, no_such_file
from wordplane.common.frozen import frozen
from wordplane.data.frames import as_series
from wordplane.data.tables import Batch, ColumnTypes, polars_schema

if TYPE_CHECKING:
    from polars import DataFrame
    from pyarrow import RecordBatch

READ_ROWS = 10_000
POSTGRESQL, DUCKDB = "adbc_driver_postgresql.dbapi", "duckdb"
LIBRARIES = ("adbc_driver_manager", "pyarrow", "duckdb", "sqlite3", "polars", "pyo3_runtime")
# A file of a stranger may have views: they read no other file and fetch nothing.
ALONE = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
# What a query on a SQLite file may ask of it: its columns, and for full-text indexes whether it has
# changed.
READING_PRAGMAS = ("table_info", "table_xinfo", "table_list", "data_version")
MAX_NAME = 63  # bytes of a name that PostgreSQL does not cut
LOCK_SECONDS = 10  # to wait for others that read a table before it is replaced
EXISTS = {  # whether there is a table or view, as the database compares names
    "postgresql": "SELECT 1 WHERE to_regclass({quoted}) IS NOT NULL",
    "sqlite": "SELECT 1 FROM sqlite_master WHERE lower(name) = lower({name})",
    "duckdb": "SELECT 1 FROM information_schema.tables WHERE lower(table_name) = lower({name})",
}
SQLITE_TYPES: dict[object, str] = {str: "TEXT", int: "INTEGER", bool: "INTEGER", float: "REAL"}


def is_database(address: str) -> bool:
    """Whether it is the address of a database.

    >>> is_database("sqlite:///mails.db"), is_database("mails.db")
    (True, False)
    """
    return DATABASE.match(address) is not None


def quoted(name: str) -> str:
    """A name of a table or column in SQL.

    >>> quoted('a "b"')
    '"a ""b\"\""'
    """
    if "\0" in name:
        raise InputError(f"{name!r} cannot be the name of a table or column")
    return '"' + name.replace('"', '""') + '"'


@frozen
class Address:
    """The parts of an address.

    scheme  postgresql, sqlite or duckdb
    where   a file, or the address for libpq
    table   None if none is named
    shown   what messages call it
    """

    scheme: str
    where: str
    table: str | None
    shown: str

    @classmethod
    def of(cls, address: str) -> Address:
        """
        >>> Address.of("sqlite:///mails.db?table=labels")
        Address(scheme='sqlite', where='mails.db', table='labels', shown='sqlite:///mails.db')
        """
        scheme, place, path, query, _ = urlsplit(address)
        options = dict(parse_qsl(query, keep_blank_values=True))
        table = options.pop("table", None)
        rest = "&".join(f"{name}={quote(value)}" for name, value in options.items())
        shown = mask(address.partition("?")[0])
        if scheme in ("postgres", "postgresql"):
            uri = f"{scheme}://{place}{path}" + (f"?{rest}" if rest else "")
            return cls("postgresql", uri, table, shown)
        if place or not path.strip("/"):
            raise InputError(f"{shown}: write {scheme}:///file, or {scheme}:////folder/file")
        return cls(scheme, unquote(path.removeprefix("/")), table, shown)


def read_rows(address: str, query: str | None) -> Iterator[DataFrame]:
    """The rows of a query, or of the table that the address names."""
    where = Address.of(address)
    if query is None:
        if where.table is None:
            raise InputError(f"{where.shown}: which rows? Pass a `query`, or add ?table=NAME")
        query = f"SELECT * FROM {quoted(where.table)}"
    if where.scheme != "postgresql" and not Path(where.where).is_file():
        raise InputError(no_such_file(where.where))
    readers = {"postgresql": _read_postgresql, "sqlite": _read_sqlite, "duckdb": _read_duckdb}
    with _named_errors(where, "cannot be read"):
        yield from readers[where.scheme](where, query)


def _read_postgresql(where: Address, query: str) -> Iterator[DataFrame]:
    import polars as pl

    with (
        _driver(where, POSTGRESQL).connect(where.where) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(query)
        for batch in cursor.fetch_record_batch():
            yield pl.DataFrame(_with_readable_ids(batch))


def _with_readable_ids(batch: RecordBatch) -> RecordBatch:
    """With columns of the type uuid as PostgreSQL writes them; they come as 16 bytes."""
    strings = partial(import_module("pyarrow").array, type="string")
    for number, field in enumerate(batch.schema):
        if str(field.type) == "extension<arrow.uuid>":
            values = batch.column(number).to_pylist()
            texts = [None if value is None else str(value) for value in values]
            batch = batch.set_column(number, field.name, strings(texts))
    return batch


def _read_sqlite(where: Address, query: str) -> Iterator[DataFrame]:
    import polars as pl

    uri = f"file:{quote(str(Path(where.where).absolute()))}?mode=rw"
    import sqlite3

    connection = sqlite3.connect(uri, uri=True)
    try:
        # Not opened for reading only: what a killed process left behind could not be undone.
        connection.execute("PRAGMA query_only = ON")
        refused: list[str] = []
        connection.set_authorizer(partial(_authorize, refused))
        try:
            cursor = connection.execute(query)
        except sqlite3.DatabaseError as error:
            if refused or "readonly" in str(error):
                what = refused[0] if refused else "a change of it"
                raise InputError(
                    f"{where.shown}: the query may only read this file: {what} is refused"
                ) from None
            raise
        names = [column[0] for column in cursor.description or ()]
        while rows := cursor.fetchmany(READ_ROWS):
            columns = zip(*rows, strict=True)
            yield pl.DataFrame([as_series(n, list(c)) for n, c in zip(names, columns, strict=True)])
    finally:
        connection.close()


def _authorize(
    refused: list[str], action: int, first: str | None, second: str | None, *_: str | None
) -> int:
    """Refuse what reaches beyond the file, or would allow it to be written; named in `refused`."""
    import sqlite3

    reaching = {sqlite3.SQLITE_ATTACH: "ATTACH", sqlite3.SQLITE_DETACH: "DETACH"}
    what = reaching.get(action)
    if action == sqlite3.SQLITE_PRAGMA and first not in READING_PRAGMAS:
        what = f"PRAGMA {first}"
    if action == sqlite3.SQLITE_FUNCTION and second == "load_extension":
        what = f"the function {second}"
    if what is None:
        return sqlite3.SQLITE_OK
    refused.append(what)
    return sqlite3.SQLITE_DENY


def _read_duckdb(where: Address, query: str) -> Iterator[DataFrame]:
    import polars as pl

    with _driver(where, DUCKDB).connect(where.where, read_only=True, config=ALONE) as connection:
        for batch in connection.sql(query).to_arrow_reader(READ_ROWS):
            yield pl.DataFrame(batch)


def write_rows(batches: Iterable[Batch], address: str, types: ColumnTypes, *, force: bool) -> None:
    """Write all rows to a new table, in one transaction. With `force`, it may replace another."""
    where = Address.of(address)
    table = require_table(where)
    writers: dict[str, Callable[..., None]] = {
        "postgresql": _write_postgresql,
        "sqlite": _write_sqlite,
        "duckdb": _write_duckdb,
    }
    with _named_errors(where, f"table {table!r} cannot be written"):
        writers[where.scheme](batches, where, table, types, force)


def check_table(address: str, sources: Iterable[str], query: str | None, *, force: bool) -> None:
    """Before any work: there is a table to write to, which is new, or may be replaced and is none
    of those that are read. Sources are addresses and files."""
    where = Address.of(address)
    table = require_table(where)
    if where.scheme != "postgresql" and not Path(where.where).is_file():
        return
    names = {"name": _literal(table), "quoted": _literal(quoted(table))}
    if not list(read_rows(address, EXISTS[where.scheme].format(**names))):
        return
    if any(_reads(source, query, where) for source in sources):
        raise InputError(
            f"{where.shown}: table {table!r} is also read by this command; name another one"
        )
    if not force:
        raise InputError(
            f"{where.shown}: table {table!r} exists; name another one, or overwrite it with --force"
        )


def _reads(address: str, query: str | None, where: Address) -> bool:
    """Whether the table that is written is read: the one of the address, a name in the query, or
    any of a file, of which the one that is read is chosen later."""
    if not is_database(address):
        return (
            where.scheme != "postgresql" and Path(address).resolve() == Path(where.where).resolve()
        )
    source, table = Address.of(address), str(where.table).lower()
    if source.scheme == "postgresql" or where.scheme == "postgresql":
        is_same = source.where == where.where
    else:
        is_same = Path(source.where).resolve() == Path(where.where).resolve()
    if query is None:
        return is_same and str(source.table).lower() == table
    return is_same and re.search(rf"(?<!\w){re.escape(table)}(?!\w)", query.lower()) is not None


def _literal(text: str) -> str:
    """A string in SQL."""
    return "'" + text.replace("'", "''") + "'"


def require_table(where: Address) -> str:
    """The table to write to."""
    if not where.table:
        raise InputError(f"{where.shown}: name the table to write to: ...?table=NAME")
    quoted(where.table)
    return where.table


def _write_postgresql(
    batches: Iterable[Batch], where: Address, table: str, types: ColumnTypes, force: bool
) -> None:
    if len(table.encode()) > MAX_NAME:
        raise InputError(f"the table {table!r} has a name of more than {MAX_NAME} bytes")
    rows = _frames(batches, types)
    first = next(rows).to_arrow()

    def parts() -> Iterator[object]:
        yield from first.to_batches()
        for frame in rows:
            yield from frame.to_arrow().cast(first.schema).to_batches()

    with (
        _driver(where, POSTGRESQL).connect(where.where) as connection,
        connection.cursor() as cursor,
    ):
        if force:
            # The table may be what is read, by this very process: do not wait for it for ever.
            cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
            cursor.execute(f"DROP TABLE IF EXISTS {quoted(table)}")
        reader = _driver(where, "pyarrow").RecordBatchReader.from_batches(first.schema, parts())
        cursor.adbc_ingest(table, reader, mode="create")
        connection.commit()


def _write_sqlite(
    batches: Iterable[Batch], where: Address, table: str, types: ColumnTypes, force: bool
) -> None:
    columns = ", ".join(f"{quoted(n)} {SQLITE_TYPES.get(k, 'TEXT')}" for n, k in types.items())
    places = ", ".join("?" * len(types))
    import sqlite3

    connection = sqlite3.connect(where.where, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        if force:
            connection.execute(f"DROP TABLE IF EXISTS {quoted(table)}")
        connection.execute(f"CREATE TABLE {quoted(table)} ({columns})")
        for batch in batches:
            values: Sequence[Sequence[object]] = [batch[name] for name in types]
            rows = zip(*values, strict=True)
            connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", rows)
        connection.execute("COMMIT")
    finally:
        connection.close()  # what was not committed is gone


def _write_duckdb(
    batches: Iterable[Batch], where: Address, table: str, types: ColumnTypes, force: bool
) -> None:
    with _driver(where, DUCKDB).connect(where.where, config=ALONE) as connection:
        connection.begin()
        if force:
            connection.execute(f"DROP TABLE IF EXISTS {quoted(table)}")
        verb = f"CREATE TABLE {quoted(table)} AS"
        for frame in _frames(batches, types):
            connection.register("wordplane_rows", frame)
            connection.execute(f"{verb} SELECT * FROM wordplane_rows")
            connection.unregister("wordplane_rows")
            verb = f"INSERT INTO {quoted(table)}"
        connection.commit()


def _frames(batches: Iterable[Batch], types: ColumnTypes) -> Iterator[DataFrame]:
    import polars as pl

    schema = polars_schema(types)
    for batch in batches:
        yield pl.DataFrame(dict(batch), schema=schema)


def _driver(where: Address, name: str) -> ModuleType:
    """A library of the extra; all of them hand over Arrow, for which pyarrow is needed."""
    try:
        import_module("pyarrow")
        return import_module(name)
    except ImportError:
        raise MissingExtraError(f"{where.shown}: needs optional libraries", "databases") from None


@contextmanager
def _named_errors(where: Address, what: str) -> Iterator[None]:
    """Errors of the drivers, in one line and without passwords."""
    try:
        yield
    except (WordplaneError, MemoryError):
        raise
    except BaseException as error:  # a panic of polars is no Exception
        library = type(error).__module__.partition(".")[0].removeprefix("_")
        if library not in LIBRARIES and not isinstance(error, OSError):
            raise
        why = mask(" ".join(str(error).partition("Traceback (most recent call last)")[0].split()))
        if "with a different configuration" in why:
            why = "DuckDB cannot read a file and write to it at once: write to another file"
        if "lock timeout" in why:
            why = f"the table that is to be replaced is being read, here or elsewhere ({why})"
        kind = InputError if _is_about_query(error) else WordplaneError
        raise kind(f"{where.shown}: {what}: {why:.500}") from None


def _is_about_query(error: BaseException) -> bool:
    """Whether the query is wrong, such as a column that does not exist, and not the database."""
    import sqlite3

    kinds = {kind.__name__ for kind in type(error).__mro__}
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return "ProgrammingError" in kinds or code == sqlite3.SQLITE_ERROR
