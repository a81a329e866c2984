"""Reads text files into a Corpus."""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wordplane.common.errors import InputError
from wordplane.common.files import check_name
from wordplane.common.memory import require_memory_for
from wordplane.data.assemble import Request, assemble
from wordplane.data.columns import FIELD_KIND, Columns, choose
from wordplane.data.compression import extension
from wordplane.data.corpus import Corpus
from wordplane.data.encoding import STDIN, check_encoding, display_name
from wordplane.data.format_names import FORMATS
from wordplane.data.formats.lines import LineTable
from wordplane.data.raw_rows import RawRows, Table

if TYPE_CHECKING:  # few texts have them
    from wordplane.data.vectors import VectorsLike

Source = str | os.PathLike[str]


class Frame(Protocol):
    """A frame of polars, pandas or pyarrow, or a mapping of columns."""

    def __getitem__(self, name: str, /) -> object: ...

    def __len__(self) -> int: ...


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
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
}
SPREADSHEETS = (".xlsx", ".xls", ".ods", ".numbers")


def read(
    source: Source | Iterable[Source] | Frame,
    *,
    format: str | None = None,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    id: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    extra: str | Sequence[str] | Mapping[str, str] = (),
    fields: str | Sequence[str] | Mapping[str, float] = (),
    vectors: VectorsLike = None,
    encoding: str = "utf-8",
    header: bool = True,
    require_label: bool = False,
    delimiter: str | None = None,
    labels: bool = True,
    label_separator: str | None = None,
    skip_unlabeled: bool = False,
    skip_bad: bool = False,
    follow_links: bool = False,
) -> Corpus:
    """All documents of one or more files as one corpus. Rows in = rows out.

    source           a path, a glob pattern, a list of these, "-" for standard input; or a frame of
                     polars, pandas, pyarrow, or a mapping of columns
    format           one of FORMATS, such as csv or jsonl; by default, the extension decides
    text             the column of the texts; several columns are joined with a line break
    label            the column of the labels
    id               the column of the ids
    weight           the column of the weights
    group            the column whose values say which rows belong together (author, thread), which
                     splits and intervals never separate
    extra            further columns to keep; a mapping may name each a "number" or a "category",
                     otherwise the values decide
    fields           columns of text, in place of `text`, that are feature spaces of their own: a
                     word is another feature in each; a mapping gives each a weight. In Vowpal
                     Wabbit's format, they are namespaces
    vectors          vectors beside the texts: a column of lists of numbers, an .npy file with a row
                     per text, or a matrix
    encoding         any codec that Python knows
    header           whether a CSV or TSV file begins with column names; without them, columns are
                     named "1", "2", ...
    require_label    whether a row without a label is an error
    delimiter        the character that separates the fields of a CSV or TSV file
    labels           whether to read labels and weights at all; without labels, the files of a
                     folder need no class folders
    label_separator  the character that separates the labels of a row (multi-label); a column of
                     lists needs none
    skip_unlabeled   leave out rows without a label, and note how many; rows without an id keep
                     their number in the file
    skip_bad         leave out rows of CSV, TSV and JSONL files that cannot be read, and note it
    follow_links     read linked folders, and linked files that are outside, of a folder

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
    corpora = read_batches(
        source,
        batch_size=None,
        format=format,
        text=text,
        label=label,
        id=id,
        weight=weight,
        group=group,
        extra=extra,
        fields=fields,
        vectors=vectors,
        encoding=encoding,
        header=header,
        require_label=require_label,
        delimiter=delimiter,
        labels=labels,
        label_separator=label_separator,
        skip_unlabeled=skip_unlabeled,
        skip_bad=skip_bad,
        follow_links=follow_links,
    )
    return next(corpora)


def read_batches(
    source: Source | Iterable[Source] | Frame,
    *,
    batch_size: int | None = 10_000,
    format: str | None = None,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    id: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    extra: str | Sequence[str] | Mapping[str, str] = (),
    fields: str | Sequence[str] | Mapping[str, float] = (),
    vectors: VectorsLike = None,
    encoding: str = "utf-8",
    header: bool = True,
    require_label: bool = False,
    delimiter: str | None = None,
    labels: bool = True,
    label_separator: str | None = None,
    skip_unlabeled: bool = False,
    skip_bad: bool = False,
    follow_links: bool = False,
    text_hint: Sequence[str] | None = None,
    label_hint: str | None = None,
) -> Iterator[Corpus]:
    """The same rows as `read`, at most `batch_size` at a time, for files larger than memory.

    A batch ends where its file ends. Columns are guessed once, from the first rows of the first
    file, and noted with the first batch; other notes are about the rows of their batch. If `text`
    is not named and the file has all columns of `text_hint`, these are used; likewise for `label`.
    """
    if batch_size is not None and batch_size < 1:
        raise InputError(f"batch_size is {batch_size}, expected at least 1")
    if format not in (None, *FORMATS):
        raise InputError(f"format is {format!r}, expected one of {', '.join(FORMATS)}")
    codec = check_encoding(encoding)
    beside = _Beside(extra, fields, vectors)
    if beside.fields and text:
        raise InputError(f"the texts are the fields {', '.join(beside.fields)}: leave out `text`")
    if beside.has_matrix and (skip_bad or skip_unlabeled):
        raise InputError("with `vectors` from a file no row can be left out: remove it from both")
    name, form, tables = _tables(
        source,
        format,
        codec,
        header,
        delimiter,
        labels,
        skip_bad,
        follow_links,
        batch_size is None,
        beside.fields,
    )
    columns = Columns(
        beside.fields or _names(() if text is None else text),
        label,
        id,
        weight,
        group,
        beside.names,
        beside.kinds,
        label_separator=label_separator,
    )
    request = Request(
        require_label, skip_unlabeled, name, form, others_have_labels=batch_size is not None
    )
    batches: list[RawRows] = []
    for number, table in enumerate(tables):
        sample = table.sample()
        if number == 0:
            if isinstance(table, LineTable) and require_label:
                raise table.no_labels_error()
            if text_hint and not columns.text and all(name in sample for name in text_hint):
                columns = replace(columns, text=tuple(text_hint))
            if labels and columns.label is None and label_hint in sample:
                columns = replace(columns, label=label_hint)
            columns = choose(sample, columns, table.file, require_label)
            if not labels:
                columns = columns.without_labels()
            if not table.has_free_columns:
                columns = replace(columns, notes=(), label_is_guessed=False)
        columns.check(sample, table.file)
        for batch in table.batches(columns, batch_size):
            if batch_size is None:
                batches.append(batch)
            else:
                corpus = beside.add(assemble([batch], columns, request))
                yield corpus
                columns = replace(columns, notes=())
                has_sets = any(isinstance(label, tuple) for label in corpus.labels or ())
                request = replace(request, others_have_sets=request.others_have_sets or has_sets)
    if batch_size is None:
        corpus = beside.add(assemble(batches, columns, request))
        beside.check_end()
        yield corpus
    else:
        beside.check_end()


class _Beside:
    """The columns to read beside the texts: fields, vectors and others.

    names   of all
    kinds   where known
    fields  those of the kind "text"
    """

    def __init__(
        self,
        extra: str | Sequence[str] | Mapping[str, str],
        fields: str | Sequence[str] | Mapping[str, float],
        vectors: VectorsLike,
    ) -> None:
        self.kinds = dict(extra) if isinstance(extra, Mapping) else {}
        names = list(_names(extra))
        self._weights = (
            dict(fields) if isinstance(fields, Mapping) else dict.fromkeys(_names(fields), 1.0)
        )
        self.kinds |= dict.fromkeys(self._weights, FIELD_KIND)
        self._vectors = None
        if vectors is not None:
            from wordplane.data.vectors import VECTOR_KIND, GivenVectors

            self._vectors = GivenVectors(vectors, self.kinds)
            names = [name for name in names if name != self._vectors.name]
            self.kinds.pop(self._vectors.name, None)
            if self._vectors.column is not None:
                self.kinds[self._vectors.column] = VECTOR_KIND
        self.names = tuple(dict.fromkeys([*names, *self.kinds]))
        self.fields = tuple(name for name, kind in self.kinds.items() if kind == FIELD_KIND)

    @property
    def has_matrix(self) -> bool:
        """Whether the vectors are not in the data themselves."""
        return self._vectors is not None and self._vectors.column is None

    def add(self, corpus: Corpus) -> Corpus:
        """The corpus with what is not in its files."""
        if self._weights:
            corpus = replace(corpus, fields=self._weights)
        return corpus if self._vectors is None else self._vectors.add(corpus)

    def check_end(self) -> None:
        """Nothing is left over."""
        if self._vectors is not None:
            self._vectors.check_end()


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def expand_paths(source: Source | Iterable[Source]) -> list[str]:
    """The files that the source names, in order."""
    if not isinstance(source, str | os.PathLike):
        paths = [path for one in source for path in expand_paths(one)]
        if not paths:
            raise InputError("no files were given")
        return paths
    path = os.fspath(source)
    check_name(path)
    if path == STDIN or not glob.has_magic(path) or Path(path).exists():
        return [path]
    # pathlib does not accept absolute patterns
    matches = sorted(glob.glob(path, recursive=True))  # noqa: PTH207
    files = [match for match in matches if Path(match).is_file()]
    if not files:
        raise InputError(f"no file matches {path}")
    return files


def _format(path: str) -> str:
    if path == STDIN:
        return "lines"
    if Path(path).is_dir():
        return "folder"
    ending = extension(path)
    if ending not in EXTENSIONS and not Path(path).exists():
        raise InputError(f"{path}: there is no such file")
    if ending in SPREADSHEETS:
        raise InputError(f"{path}: spreadsheets cannot be read; save it as CSV (UTF-8)")
    if ending == ".json":
        raise InputError(
            f'{path}: if it has one object per line, pass `format="jsonl"`; '
            f"if it is an array, convert it: jq -c '.[]' {shlex.quote(path)} > new.jsonl"
        )
    if ending not in EXTENSIONS:
        raise InputError(
            f"{path}: the extension {ending!r} is not that of a known format; "
            f"name the `format`: {', '.join(FORMATS)} "
            "(if the whole file is one text, put it into a folder and name the folder)"
        )
    return EXTENSIONS[ending]


def _tables(
    source: Source | Iterable[Source] | Frame,
    format: str | None,
    codec: str,
    header: bool,
    delimiter: str | None,
    labels: bool,
    skip_bad: bool,
    follow_links: bool,
    whole: bool,
    fields: tuple[str, ...],
) -> tuple[str, str, Iterator[Table]]:
    """What messages call the source, the format of its first part, and its tables."""
    if hasattr(source, "columns") or isinstance(source, Mapping):
        from wordplane.data.formats.columnar import FrameTable

        return "", "frame", iter([FrameTable(source)])
    paths = expand_paths(source)  # type: ignore[arg-type]
    if whole:
        advice = "read fewer files, or work in batches (`read_batches`)"
        require_memory_for(paths, "reading all rows", advice)
    name = display_name(paths[0]) + (f" and {len(paths) - 1:,} more" if len(paths) > 1 else "")
    tables = (
        _table(
            path,
            format or _format(path),
            codec,
            header,
            delimiter,
            labels,
            skip_bad,
            follow_links,
            fields,
        )
        for path in paths
    )
    return name, format or _format(paths[0]), tables


def _table(
    path: str,
    format: str,
    encoding: str,
    header: bool,
    delimiter: str | None,
    labels: bool,
    skip_bad: bool,
    follow_links: bool,
    fields: tuple[str, ...],
) -> Table:
    # imported when used, so that a stream of lines need not wait for csv, json and polars
    match format:
        case "lines":
            return LineTable(path, encoding)
        case "csv" | "tsv":
            from wordplane.data.formats.delimited import DelimitedTable

            if delimiter is None and format == "tsv":
                delimiter = "\t"
            return DelimitedTable(path, encoding, skip_bad, delimiter, header)
        case "jsonl":
            from wordplane.data.formats.jsonl import JsonLinesTable

            return JsonLinesTable(path, encoding, skip_bad)
        case "parquet" | "arrow":
            from wordplane.data.formats.columnar import ColumnarTable

            return ColumnarTable(path, format)
        case "fasttext":
            from wordplane.data.formats.fasttext import FastTextTable

            return FastTextTable(path, encoding)
        case "vw":
            from wordplane.data.formats.vw import VowpalWabbitTable

            return VowpalWabbitTable(path, encoding, fields)
        case "svmlight":
            from wordplane.data.formats.svmlight import SvmlightTable

            return SvmlightTable(path, encoding)
        case "sqlite":
            from wordplane.data.formats.sqlite import SqliteTable

            return SqliteTable(path, encoding, skip_bad)
        case "counts":
            from wordplane.data.formats.counts import CountsTable

            return CountsTable(path, encoding)
        case _:
            from wordplane.data.formats.folder import FolderTable

            return FolderTable(path, encoding, labels, follow_links)
