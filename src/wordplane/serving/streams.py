"""CSV and JSONL in, the same out, in bounded memory.

The body is first written to a temporary file: most clients read nothing before they have sent
everything, so an answer that began earlier would wait for them while they wait for it. Then the
file is read in batches by the readers of the command line. An error in the first batch is a
problem document; after that the answer has begun, so the connection is cut, which every client
notices, and the error is logged.
"""

from __future__ import annotations

import csv
import io
import json
import math
import tempfile
from collections.abc import Iterator, Mapping

from starlette.datastructures import QueryParams

from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject
from wordplane.data.encoding import Decoding, RowGuard
from wordplane.data.formats.delimited import DelimitedTable
from wordplane.data.formats.jsonl import JsonLinesTable
from wordplane.data.formats.records import HOW_TO_SKIP
from wordplane.data.read import read_batches
from wordplane.data.read_options import ReadKeywords
from wordplane.data.tables import FORMULA, UnixLines
from wordplane.serving.bodies import wanted_of
from wordplane.serving.catalog import ServedModel
from wordplane.serving.encodings import EXAMPLES, known_encoding
from wordplane.serving.monitoring import Metrics
from wordplane.serving.problems import Problem
from wordplane.serving.request import Request
from wordplane.serving.rows import Row, answers_of, batch_size, decide, rows
from wordplane.serving.settings import MIB
from wordplane.workflow.answers import kept_names
from wordplane.workflow.inputs import model_columns

FORMATS = {
    "text/csv": "csv",
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "application/x-jsonlines": "jsonl",
}
ESCAPED = {"csv": 2, "jsonl": 6}  # characters that one of a text can take: "" and \\u00e9
OTHER_CHARACTERS = 1 << 20  # of a row, in other columns
NUMBERS = {"top_k": int, "min_confidence": float, "set_confidence": float}
IN_NUMBERS = set("0123456789.eE+-")  # Python also reads " 1_0" and digits of other scripts
PARAMETERS = {"model", "text", "id", "keep", "known", "encoding", "escape_formulas", *NUMBERS}


class StreamOptions:
    """The query of a request: options of predictions, and where to find what in the rows.

    model            the name of the model; None is the default
    wanted           what to say about every text
    text, id         columns; by default they are guessed, as on the command line
    keep             answer with all columns of the rows, and not only their ids
    escape_formulas  put ' before cells of CSV that a spreadsheet would run
    encoding         of the rows: the parameter, or the charset of the type of the body
    """

    def __init__(self, query: QueryParams, charset: str | None) -> None:
        for name in query.keys() - PARAMETERS:
            raise _wrong(name, query[name], f"one of {', '.join(sorted(PARAMETERS))}")
        for name in query:
            if len(values := query.getlist(name)) > 1:
                raise _wrong(name, ", ".join(values), "one value")
        given: JsonObject = {}
        for name, kind in NUMBERS.items():
            if name in query:
                given[name] = _number(name, query[name], kind)
        given["known"] = _flag(query, "known", False)
        self.model, self.wanted = query.get("model"), wanted_of(given)
        self.text, self.id = query.get("text"), query.get("id")
        self.keep = _flag(query, "keep", False)
        self.escape_formulas = _flag(query, "escape_formulas", True)
        self.encoding = _encoding(query.get("encoding"), charset)


def _encoding(parameter: str | None, charset: str | None) -> str:
    given = charset if parameter is None else parameter
    encoding = "utf-8" if given is None else known_encoding(given)
    if encoding is None and parameter is not None:
        raise _wrong("encoding", parameter, EXAMPLES)
    if encoding is None:
        raise Problem(
            "wrong-media-type",
            f"the charset of the body is {given!r:.60}, expected {EXAMPLES}",
            advice="name the encoding of the file, as in Content-Type: text/csv; charset=cp1252",
        )
    return encoding


def _number(name: str, value: str, kind: type[int] | type[float]) -> float:
    try:
        if set(value) <= IN_NUMBERS:
            return kind(value)
    except ValueError:
        pass
    raise _wrong(name, value, "a number")


def _flag(query: Mapping[str, str], name: str, default: bool) -> bool:
    value = query.get(name, "true" if default else "false")
    if value not in ("true", "false"):
        raise _wrong(name, value, "true or false")
    return value == "true"


def _wrong(name: str, value: str, expected: str) -> Problem:
    return Problem(
        "invalid-field",
        f"the parameter {name} is {value!r:.60}, expected {expected}",
        field=f"/{name}",
        advice="see /openapi.json",
    )


async def receive_file(request: Request, format: str) -> tempfile._TemporaryFileWrapper[bytes]:
    """The body in a temporary file, which is deleted when it is closed."""
    file = tempfile.NamedTemporaryFile(prefix="wordplane-", suffix=f".{format}")  # noqa: SIM115
    try:
        size = 0
        async for chunk in request.body_chunks(request.limits.max_stream * MIB):
            file.write(chunk)
            size += len(chunk)
        if size == 0:
            raise Problem("invalid-rows", "the body is empty", advice="send rows with a header")
        file.flush()
    except BaseException:
        file.close()
        raise
    return file


def predict_file(
    path: str,
    form: str,
    model: ServedModel,
    options: StreamOptions,
    request: Request,
    metrics: Metrics,
) -> Iterator[bytes]:
    """The answer in pieces, one for each batch of rows."""
    own = model_columns(model.predictor)
    reading: ReadKeywords = {"text": options.text, "id": options.id, "text_hint": own["text_hint"]}
    reading |= {"format": form, "labels": False, "extra": own["extra"]}
    reading["encoding"] = options.encoding
    answers = answers_of(model, options.wanted)
    decoding = Decoding(options.encoding, guard=_guard(form, request))
    records = _records(path, form, decoding) if options.keep else None
    write = _json_lines if form == "jsonl" else _CsvWriter(options.escape_formulas).lines
    n_rows, n_bytes, n_rows_each = 0, 0, batch_size(model)
    guard = _guard(form, request)
    try:
        for corpus in read_batches([path], batch_size=n_rows_each, guard=guard, **reading):
            request.check()
            texts = list(corpus.texts)
            _check_lengths(texts, request.limits.max_length, n_rows)
            ids = corpus.ids or [str(row) for row in range(n_rows + 1, n_rows + len(texts) + 1)]
            n_rows += len(texts)
            decisions = decide(answers, corpus)
            answered = list(rows(request, answers, decisions, ids, corpus))
            if records is not None:
                answered = [_with_record(next(records), row) for row in answered]
            metrics.predicted(model, decisions, texts)
            request.details["texts"] = n_rows
            piece = write(answered).encode("utf-8", "replace")
            n_bytes += len(piece)
            _check_size(n_bytes, request.limits.max_stream)
            yield piece
            request.extend()
    except RecursionError:
        raise Problem("invalid-rows", "a row is nested too deeply", advice="flatten it") from None
    except InputError as error:
        raise Problem(
            "invalid-rows",
            str(error).replace(path, "the body").replace(HOW_TO_SKIP, ""),
            advice="correct the row; the parameters text and id name columns, encoding that of the "
            "file, such as cp1252",
        ) from None


def _check_lengths(texts: list[str], most: int, n_before: int) -> None:
    for row, text in enumerate(texts, n_before + 1):
        if len(text) > most:
            raise Problem(
                "text-too-long",
                f"the text of row {row} has {len(text):,} characters, at most {most:,} are allowed",
                advice="cut the text, or start the server with a larger --max-length",
            )


def _check_size(n_bytes: int, most: int) -> None:
    if n_bytes > 2 * most * MIB:
        raise Problem(
            "answer-too-large",
            f"the answer has more than {2 * most:,} MiB, twice what a file may have",
            advice="send fewer rows at a time, ask for fewer labels, or start the server with a "
            "larger --max-stream",
        )


def _guard(form: str, request: Request) -> RowGuard:
    """A row may have a text of the largest length, however it is escaped, and other columns."""
    limits = request.limits
    most = ESCAPED[form] * limits.max_length + OTHER_CHARACTERS
    return RowGuard(most, limits.max_columns, request.check)


def _records(path: str, form: str, decoding: Decoding) -> Iterator[Mapping[str, object]]:
    """The rows with all their columns, as the reader of the format has them."""
    table = JsonLinesTable(path, decoding) if form == "jsonl" else DelimitedTable(path, decoding)
    for _, record in table.records():
        if isinstance(record, Mapping):
            yield record


def _with_record(record: Mapping[str, object], row: Row) -> Row:
    """The columns of a record, and then those of the answer, except its id."""
    own = {name: value for name, value in row.items() if name != "id"}
    names = kept_names(record, own)
    return {**{names[name]: value for name, value in record.items()}, **own}


def _json_lines(answered: list[Row]) -> str:
    try:
        return "".join(map(_json_line, answered))
    except ValueError:  # a number that JSON does not have
        return "".join(json.dumps(_finite(row), ensure_ascii=False) + "\n" for row in answered)


def _json_line(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: object) -> object:
    """The same with None for NaN and infinity."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _CsvWriter:
    """Rows as CSV. What is a list has | between its items."""

    def __init__(self, escape_formulas: bool) -> None:
        self._escape, self._columns = escape_formulas, list[str]()

    def lines(self, answered: list[Row]) -> str:
        text = io.StringIO()
        writer = csv.writer(UnixLines(text))
        if not self._columns:
            self._columns = list(answered[0])
            writer.writerow([self._cell(name) for name in self._columns])
        writer.writerows([self._cell(row.get(name)) for name in self._columns] for row in answered)
        return text.getvalue()

    def _cell(self, value: object) -> object:
        if isinstance(value, list):
            value = "|".join(map(str, value))
        if self._escape and isinstance(value, str) and value.startswith(FORMULA):
            return value if _is_number(value) else "'" + value
        return value


def _is_number(text: str) -> bool:
    """Whether a cell is a number, which a spreadsheet does not run."""
    try:
        float(text)
    except ValueError:
        return False
    return not text[:1].isspace()
