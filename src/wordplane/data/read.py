"""Reads text files into a Corpus."""

from __future__ import annotations

import glob
import os
import re
from codecs import BOM_UTF8
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Protocol, Unpack

from wordplane.common.errors import InputError
from wordplane.common.files import DATABASE, check_name, no_such_file
from wordplane.common.memory import require_memory_for
from wordplane.common.notes import Note
from wordplane.data.assemble import Request, assemble
from wordplane.data.column_choice import ColumnError, choose
from wordplane.data.columns import Columns, Sample
from wordplane.data.compression import compression, content_name, extension
from wordplane.data.corpus import Corpus
from wordplane.data.encoding import STDIN, Decoding, RowGuard, display_name, open_bytes
from wordplane.data.extra_columns import ExtraColumns
from wordplane.data.format_names import FORMATS
from wordplane.data.formats.lines import LineTable
from wordplane.data.formats.records import RecordTable
from wordplane.data.formats.rows import RowTable
from wordplane.data.frames import is_frame
from wordplane.data.raw_rows import RawRows, Table, TooManyRowsError
from wordplane.data.read_options import ReadKeywords, ReadOptions, as_names

Source = str | os.PathLike[str]


class Frame(Protocol):
    """A frame of polars, pandas, pyarrow, DuckDB or whatever speaks Arrow, or a mapping of
    columns."""

    def __getitem__(self, name: str, /) -> object: ...

    def __len__(self) -> int: ...


ROWS_INSIDE = re.compile(rb'"\s*:\s*\[\s*\{')  # of an object
# How a file of JSON begins that is read whole: [, or { on a line of its own, or {"name": [{
ONE_VALUE = re.compile(rb'\s*(?:\[|\{\s*\n|\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\{)')
EXTENSIONS = {
    ".txt": "lines",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".fasttext": "fasttext",
    ".ft": "fasttext",
    ".vw": "vw",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".svm": "svmlight",
    ".counts": "counts",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
}
FASTTEXT_EXTENSIONS = (".ft", ".fasttext")


def read(source: Source | Iterable[Source] | Frame, **options: Unpack[ReadKeywords]) -> Corpus:
    """All documents of one or more files as one corpus. Every input row yields one document.

    source   a path, a glob pattern, a list of these, "-" for standard input; or a frame of polars,
             pandas, pyarrow, or a mapping of columns
    options  which columns hold what, and how to read them: see `ReadOptions`, such as `text`,
             `label`, `format`, `encoding`, `skip_bad`

    Columns that are not named are guessed; `notes` of the result says how.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "films.csv")
    ...     _ = path.write_text("review,sentiment\\ngreat film,pos\\nno good,neg\\n")
    ...     corpus = read(path)
    >>> corpus.texts[0], corpus.labels
    ('great film', ['pos', 'neg'])
    >>> corpus.notes
    ("label column: 'sentiment' (by its name)", "text column: 'review' (by its name)")
    """
    return next(read_batches(source, batch_size=None, **options))


def read_batches(
    source: Source | Iterable[Source] | Frame,
    *,
    batch_size: int | None = 10_000,
    guard: RowGuard | None = None,
    **options: Unpack[ReadKeywords],
) -> Iterator[Corpus]:
    """The same rows as `read`, at most `batch_size` at a time, for files larger than memory.

    A batch ends where its file ends. Columns are guessed once, from the first rows of the first
    file, and noted with the first batch; other notes are about the rows of their batch. A `guard`
    limits the rows of a CSV or JSONL file that a stranger has sent, and the characters of a batch.
    """
    reader = BatchReader(batch_size=batch_size, guard=guard, **options)
    yield from reader.batches(source)
    reader.check_end()


class BatchReader:
    """Reads one source after the other, all of them with the columns of the first."""

    def __init__(
        self,
        *,
        batch_size: int | None = 10_000,
        guard: RowGuard | None = None,
        **options: Unpack[ReadKeywords],
    ) -> None:
        if batch_size is not None and batch_size < 1:
            raise InputError(f"batch_size is {batch_size}, expected at least 1")
        self._batch_size, self._guard = batch_size, guard
        self._asked = ReadOptions.of(options)
        self._extra = ExtraColumns(self._asked)
        self._columns: Columns | None = None  # not yet chosen

    def batches(self, source: Source | Iterable[Source] | Frame) -> Iterator[Corpus]:
        """The rows of a source: see `read_batches`."""
        asked, extra, batch_size = self._asked, self._extra, self._batch_size
        whole = batch_size is None
        name, form, tables = _tables(source, asked, whole, extra.fields, self._guard)
        request = Request(
            asked.require_label, asked.skip_unlabeled, name, form, others_have_labels=not whole
        )
        batches: list[RawRows] = []
        for number, table in enumerate(tables):
            if number == 0:
                first = table
            columns = self._columns_of(table)
            for batch in table.batches(columns, batch_size):
                if whole:
                    batches.append(batch)
                    continue
                request = replace(request, file_style=self._style(first))
                corpus = extra.add(assemble([batch], columns, request))
                yield corpus
                columns = self._columns = replace(columns, notes=())
                has_sets = any(isinstance(label, tuple) for label in corpus.labels or ())
                request = replace(request, others_have_sets=request.others_have_sets or has_sets)
        if whole:
            request = replace(request, file_style=self._style(first))
            corpus = extra.add(assemble(batches, columns, request))
            self.check_end()  # now: nobody may ask for more
            yield corpus

    def read_each(self, paths: Sequence[str], max_rows: int) -> list[Corpus]:
        """Files, a corpus each. Much faster than one after the other if there are many small files
        of Parquet. An error if one of them cannot be read, or has no rows, or if they have more
        than so many rows in all."""
        asked, fields = self._asked, self._extra.fields
        forms = [_format(path, asked) for path in paths]
        if set(forms) == {"parquet"} and not any(map(compression, paths)):
            from wordplane.data.formats.columnar import ParquetFiles

            group = ParquetFiles(paths)
            parts = group.read_each(self._columns_of(group), max_rows)
        else:
            parts = []
            for path, form in zip(paths, forms, strict=True):
                table = _table(path, form, asked, fields, self._guard)
                read = list(islice(table.batches(self._columns_of(table), max_rows), 2))
                parts += read
                if len(read) != 1 or sum(part.n_rows for part in parts) > max_rows:
                    raise TooManyRowsError(f"{path}: no rows, or too many for a group")
        assert self._columns is not None
        corpora = []
        for path, form, rows in zip(paths, forms, parts, strict=True):
            request = Request(asked.require_label, asked.skip_unlabeled, path, form)
            corpora.append(self._extra.add(assemble([rows], self._columns, request)))
            if self._columns.notes:
                self._columns = replace(self._columns, notes=())
        return corpora

    def choose_columns(self, source: Source | Iterable[Source] | Frame) -> None:
        """Choose the columns by a source, of which no rows are read yet."""
        _, _, tables = _tables(source, self._asked, False, self._extra.fields, self._guard)
        self._columns_of(next(tables))

    def _columns_of(self, table: Table) -> Columns:
        """Those of the first table; an error if this one lacks some of them."""
        if self._columns is None:
            sample = table.sample()
            given = self._extra.columns(self._asked)
            self._columns = _choose_columns(table, sample, given, self._asked)
            self._columns.check(sample, table.file)
        else:
            self._columns.check(table.names(), table.file)
        return self._columns

    def _style(self, table: Table) -> dict[str, str]:
        """How the file is written, with the separator of its labels."""
        separator = self._columns.label_separator if self._columns else None
        return table.style() | ({"label_separator": separator} if separator else {})

    def check_end(self) -> None:
        """Nothing is left over of vectors that were given for all rows."""
        self._extra.check_end()


def _choose_columns(table: Table, sample: Sample, columns: Columns, asked: ReadOptions) -> Columns:
    """The columns of the first file, guessed where none are named."""
    if isinstance(table, LineTable) and asked.require_label:
        raise table.no_labels_error()
    hint = asked.text_hint
    if hint and not columns.text and all(name in sample for name in hint):
        columns = replace(columns, text=tuple(hint))
    if asked.labels and columns.label is None and asked.label_hint in sample:
        columns = replace(columns, label=asked.label_hint)
    if asked.labels and columns.label_separator is None:
        columns = replace(columns, label_separator=asked.file_style.get("label_separator"))
    try:
        columns = choose(sample, columns, table.file, asked.require_label)
    except InputError as error:
        raise _with_problems(error, table) from None
    if not asked.labels:
        columns = columns.without_labels()
    if not table.has_free_columns:
        columns = replace(columns, notes=(), label_is_guessed=False)
    if asked.header and "header" in table.style():
        text = f"{table.file}: the first row is data, as in the training data"
        columns = replace(columns, notes=(*columns.notes, Note("column", text)))
    return columns


def _with_problems(error: InputError, table: Table) -> InputError:
    """The error, what was guessed of the file, such as its sheet, and what else is wrong with the
    first rows."""
    if isinstance(table, RecordTable):
        shown = () if isinstance(error, ColumnError) else ("column", "left out")
        guessed = [note for note in table.notes if note.kind in shown]
        problems = [problem.text for problem in table.take_problems()]
        error.args = ("\n".join([str(error), *guessed, *problems]),)
    return error


def expand_paths(source: Source | Iterable[Source]) -> list[str]:
    """The files that the source names, in order."""
    if not isinstance(source, str | os.PathLike):
        if not isinstance(source, Iterable):
            expected = "a path, a frame, a Corpus, or texts and labels"
            raise InputError(f"the data is {source!r:.60}, expected {expected}")
        paths = [path for one in source for path in expand_paths(one)]
        if not paths:
            raise InputError("no files were given")
        return paths
    path = os.fspath(source)
    check_name(path)
    if path == STDIN or DATABASE.match(path) or not glob.has_magic(path) or Path(path).exists():
        return [path]
    # pathlib does not accept absolute patterns
    matches = sorted(glob.glob(path, recursive=True))  # noqa: PTH207
    files = [match for match in matches if Path(match).is_file()]
    if not files:
        folder = os.path.dirname(re.split(r"[*?[]", path)[0])  # noqa: PTH120
        missing = f": there is no folder {folder}" if folder and not Path(folder).is_dir() else ""
        raise InputError(f"no file matches {path}{missing}")
    return files


def _format(path: str, asked: ReadOptions) -> str:
    """The format that was named, or what the file's name and first line say."""
    if DATABASE.match(path):
        return "database"
    if asked.query is not None:
        raise InputError(f"{path}: `query` is for a database, such as sqlite:///{path}")
    if asked.format is not None:
        return asked.format
    if path == STDIN:
        return "lines"
    if Path(path).is_dir():
        return "folder"
    ending = extension(content_name(path))
    if ending not in EXTENSIONS and not Path(path).exists():
        raise InputError(no_such_file(path))
    if ending == ".numbers":
        raise InputError(f"{path}: cannot be read; save it as .xlsx or CSV")
    if ending == ".json":
        return "json" if _is_one_value(path) else "jsonl"
    if ending not in EXTENSIONS and _has_fasttext_labels(path, asked.prefix):
        return "fasttext"
    if ending not in EXTENSIONS:
        raise InputError(
            f"{path}: the extension {ending!r} is not that of a known format; "
            f"name the `format`: {', '.join(FORMATS)} "
            "(if the whole file is one text, put it into a folder and name the folder)"
        )
    format = EXTENSIONS[ending]
    is_fasttext = format == "lines" and _has_fasttext_labels(path, asked.prefix)
    return "fasttext" if is_fasttext else format


def _is_one_value(path: str) -> bool:
    """Whether a file of JSON is one array or an object around it, not an object per line."""
    with open_bytes(path) as stream:
        head = stream.read(1 << 10).removeprefix(BOM_UTF8)
        if ONE_VALUE.match(head):
            return True
        line, _, rest = (head if b"\n" in head else head + stream.readline()).partition(b"\n")
        is_alone = not (rest + stream.read(1 << 10)).strip()
        return is_alone and ROWS_INSIDE.search(line) is not None


def _has_fasttext_labels(path: str, label_prefix: str) -> bool:
    """Whether the first line begins as those of fastText do."""
    if not Path(path).is_file():
        return False
    mark = label_prefix.encode()
    try:
        with open_bytes(path) as stream:
            return stream.read(len(mark)) == mark
    except InputError:  # damaged: who reads it says so
        return False


def _tables(
    source: Source | Iterable[Source] | Frame,
    asked: ReadOptions,
    whole: bool,
    fields: tuple[str, ...],
    guard: RowGuard | None,
) -> tuple[str, str, Iterator[Table]]:
    """What messages call the source, the format of its first part, and its tables."""
    if is_frame(source):
        from wordplane.data.formats.columnar import FrameTable

        return "", "frame", iter([FrameTable(source)])
    paths = expand_paths(source)  # type: ignore[arg-type]
    if whole:
        advice = "read fewer files, or work in batches (`read_batches`)"
        require_memory_for(paths, "reading all rows", advice)
    name = display_name(paths[0]) + (f" and {len(paths) - 1:,} more" if len(paths) > 1 else "")
    tables = (_table(path, _format(path, asked), asked, fields, guard) for path in paths)
    return name, _format(paths[0], asked), tables


def _table(
    path: str,
    format: str,
    asked: ReadOptions,
    fields: tuple[str, ...],
    guard: RowGuard | None = None,
) -> Table:
    # imported when used, so that a stream of lines need not wait for csv, json and polars
    style, skip_bad = asked.file_style, asked.skip_bad
    decoding = Decoding(asked.encoding, style.get("encoding"), guard)
    header = asked.header and style.get("header") != "none"
    match format:
        case "lines":
            return LineTable(path, decoding)
        case "csv" | "tsv":
            from wordplane.data.formats.delimited import DelimitedTable

            delimiter = "\t" if asked.delimiter is None and format == "tsv" else asked.delimiter
            hint, keep_blank = style.get("delimiter"), not asked.needs_labels
            return DelimitedTable(
                path,
                decoding,
                skip_bad,
                delimiter,
                header,
                hint=hint,
                keep_blank=keep_blank,
            )
        case "excel":
            from wordplane.data.formats.sheet import SheetTable

            hint, keep_blank = style.get("sheet"), not asked.needs_labels
            return SheetTable(path, asked.sheet, header, hint=hint, keep_blank=keep_blank)
        case "json":
            from wordplane.data.formats.json_array import JsonArrayTable

            return JsonArrayTable(path, decoding, skip_bad)
        case "jsonl":
            from wordplane.data.formats.jsonl import JsonLinesTable

            return JsonLinesTable(path, decoding, skip_bad)
        case "parquet" | "arrow":
            from wordplane.data.formats.columnar import ColumnarTable

            return ColumnarTable(path, format)
        case "fasttext":
            from wordplane.data.formats.fasttext import FastTextTable

            told = asked.format is not None or extension(path) in FASTTEXT_EXTENSIONS
            return FastTextTable(path, decoding, asked.prefix, recognized=not told)
        case "vw":
            from wordplane.data.formats.vw import VowpalWabbitTable

            return VowpalWabbitTable(path, decoding, fields, _number_names(asked, fields))
        case "svmlight":
            from wordplane.data.formats.svmlight import SvmlightTable

            return SvmlightTable(path, decoding, _number_names(asked, fields))
        case "sqlite":
            from wordplane.data.formats.sqlite import SqliteTable

            return SqliteTable(path, decoding, skip_bad)
        case "database":
            from wordplane.data.formats.database import DatabaseTable

            return DatabaseTable(path, asked.query)
        case "counts":
            from wordplane.data.formats.counts import CountsTable

            return CountsTable(path, decoding)
        case _:
            from wordplane.data.formats.folder import FolderTable

            return FolderTable(path, decoding, asked.labels, asked.follow_links)


def _number_names(asked: ReadOptions, fields: Collection[str]) -> list[str]:
    """Of features whose values are columns of numbers."""
    others = ("text", "label", "weight", "id", *fields)
    return [name for name in as_names(asked.extra) if name not in others]


def column_names(source: Source | Iterable[Source], **options: Unpack[ReadKeywords]) -> list[str]:
    """The names of the columns of the first file, without those of objects, whose parts are columns
    too; none if its format has no columns to choose."""
    paths = expand_paths(source)
    if paths[0] == STDIN:
        raise InputError("all columns of standard input cannot be named: name a file")
    asked = ReadOptions.of(options)
    table = _table(paths[0], _format(paths[0], asked), asked, ())
    if not table.has_free_columns:
        return []
    repeated = table.repeated if isinstance(table, RowTable) else {}
    return [
        name
        for name, values in table.sample().items()
        if name not in repeated and {type(value) for value in values} - {type(None)} != {dict}
    ]
