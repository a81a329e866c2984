"""Requests to the service with a model of each kind: answered, or refused with a problem that says
why. They are usual ones with some values changed, files of rows, or any bytes.
"""

import asyncio
import atexit
import csv
import io
import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from documents import Document, change
from python_input import Input
from small_models import small_models

from wordplane.serving.catalog import Catalog
from wordplane.serving.counters import Counters
from wordplane.serving.feedback import Feedback, prepare_store
from wordplane.serving.logs import Log
from wordplane.serving.monitoring import Metrics, add_series
from wordplane.serving.problems import KINDS
from wordplane.serving.recent import Rings
from wordplane.serving.service import PATHS, Service
from wordplane.serving.settings import MIB, Limits, ServeOptions

MEMORY = Path("/dev/shm")  # feedback is synced a hundred times a second
FOLDER = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
atexit.register(shutil.rmtree, FOLDER)
LIMITS = Limits(max_body=1, max_stream=1, max_answer=1, max_texts=20, max_length=1000)
STATUSES = {200, *(status for status, _ in KINDS.values())} - {500}
ROW = {"id": "r1", "text": "a great film", "n": 2, "who": "a", "title": "fun"}
OPTIONS = {"top_k": 2, "min_confidence": 0.6, "set_confidence": 0.9, "known": True}
ANY_LABEL = ["pos", 1, ["a"]]
BODIES: dict[str, list[dict[str, Any]]] = {
    "/v1/predict": [
        {"text": "a great film"},
        {"texts": ["great", "", "dull, long"], **OPTIONS},
        {"rows": [ROW, {**ROW, "id": 7}], **OPTIONS},
        {"rows": [ROW]},
    ],
    "/v1/explain": [
        {"text": "a great film", "label": "pos", "top_k": 5, "flip": True},
        {"row": ROW, "flip": True},
    ],
    "/v1/feedback": [
        *({"text": "great", "label": label} for label in ANY_LABEL),
        *({"row": ROW, "label": label} for label in ANY_LABEL),
        {"id": "1", "label": "pos"},
    ],
}
MEDIA_TYPES = {"csv": "text/csv", "jsonl": "application/jsonl", "json": "application/json"}
CHARSETS = ["", "; charset=utf-8", "; charset=latin-1", "; charset=utf-16", "; charset=x"]
QUERY = {"keep": "true", "encoding": "utf-8", "escape_formulas": "true", **OPTIONS, "known": "true"}


class Failures(Log):
    """Keeps what the service calls a failure of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[BaseException] = []

    def failure(self, event: str, error: BaseException, **details: object) -> None:
        self.errors.append(error)

    def flush(self) -> None:
        self._lines.clear()


class Connection:
    """What the service asks of the connection."""

    def has_more(self) -> bool:
        return False

    def abort(self) -> None:
        raise AssertionError("nobody is slow here")


@dataclass
class Asked:
    """A request as it comes."""

    path: str
    body: bytes
    media_type: str = MEDIA_TYPES["json"]
    query: str = ""
    method: str = "POST"
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)


def make_service() -> Service:
    names = []
    for number, model in enumerate(small_models()):
        names.append(str(FOLDER / f"m{number}.wordplane"))
        model.save(names[-1])
    store = str(FOLDER / "feedback.sqlite")
    prepare_store(store)
    options = ServeOptions(models=tuple(names), feedback=store, limits=LIMITS)
    catalog, counters, rings = Catalog.load(options.models, None, 1), Counters(2), Rings(2)
    add_series(counters, PATHS, catalog)
    feedback = Feedback(store, 64 * MIB, rings, 1)
    return Service(catalog, options, Metrics(counters, 1, PATHS, catalog), Failures(), feedback)


SERVICE = make_service()
MODELS = list(SERVICE.catalog.models.values())
LOOP = asyncio.new_event_loop()


async def ask(asked: Asked) -> tuple[int, bytes, bool]:
    """Status and body of the answer, and whether it is complete."""
    messages = [{"type": "http.request", "body": asked.body, "more_body": False}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if not messages:
            await asyncio.get_running_loop().create_future()  # the client waits
        return messages.pop()

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", asked.media_type.encode("latin-1"))]
    scope = {"type": "http", "method": asked.method, "path": asked.path, "client": ("::1", 1)}
    scope |= {"query_string": asked.query.encode(), "headers": [*headers, *asked.headers]}
    await SERVICE({**scope, "wordplane.connection": Connection()}, receive, send)
    assert sent[0]["type"] == "http.response.start"
    body = b"".join(message["body"] for message in sent[1:])
    return sent[0]["status"], body, not sent[-1].get("more_body", False)


def json_request(data: Input, model: str) -> Asked:
    """A usual body with some values changed."""
    path = list(BODIES)[data.number(0, len(BODIES) - 1)]
    usual = BODIES[path][data.number(0, len(BODIES[path]) - 1)]
    original = Document({**usual, "model": model})
    body = original.value
    for _ in range(data.number(0, 3)):
        body = change(body, data, original)
    return Asked(path, json.dumps(body).encode())


def file_request(data: Input, model: str) -> Asked:
    """Rows as CSV or JSONL with some values changed, and any bytes after them."""
    form = "jsonl" if data.flag() else "csv"
    charset = CHARSETS[data.number(0, len(CHARSETS) - 1)]
    query = Document({**QUERY, "model": model})
    asked = {name: value for name, value in query.value.items() if name == "model" or data.flag()}
    if data.flag():
        asked = change(asked, data, query)
    rows = Document([ROW, ROW, {**ROW, "text": "=dull"}])
    changed = change(rows.value, data, rows) if data.flag() else rows.value
    if form == "jsonl":
        text = "".join(json.dumps(row) + "\n" for row in changed)
    else:
        file = io.StringIO()
        writer = csv.writer(file)
        writer.writerow(ROW)
        writer.writerows(row.values() if isinstance(row, dict) else [row] for row in changed)
        text = file.getvalue()
    body = text.encode("utf-8", "surrogatepass") + data.rest()
    words = urlencode(asked, errors="replace")
    return Asked("/v1/predict", body, MEDIA_TYPES[form] + charset, words)


def any_request(data: Input) -> Asked:
    """Any path, method, header and body."""
    paths = [*PATHS, "/", "/v1", "/\0"]
    methods = ["POST", "GET", "HEAD", "PUT"]
    path, method = paths[data.number(0, len(paths) - 1)], methods[data.number(0, 3)]
    media_type = [*MEDIA_TYPES.values(), data.text(8)][data.number(0, 3)]
    charset = CHARSETS[data.number(0, len(CHARSETS) - 1)]
    names = [b"x-request-id", b"host", b"content-length", b"authorization", b"x"]
    name = names[data.number(0, len(names) - 1)]
    headers = [(name, data.text(8).encode())]
    query = data.text(12)
    media_type = (media_type + charset).encode("latin-1", "replace").decode("latin-1")
    return Asked(path, data.rest(), media_type, query, method, headers)


def check_answer(asked: Asked, status: int, body: bytes, is_whole: bool) -> None:
    assert status in STATUSES, status
    if status != 200:
        problem = json.loads(body)
        assert problem["status"] == status and problem["detail"] and problem["title"]
    elif asked.path == "/v1/predict" and asked.media_type == MEDIA_TYPES["json"]:
        sent, answer = json.loads(asked.body), json.loads(body)
        texts = sent.get("texts", sent.get("rows", [None]))
        check_rows(answer["rows"], len(texts), answer["model"])
    elif asked.path in BODIES and asked.media_type.startswith(MEDIA_TYPES["jsonl"]) and is_whole:
        assert all(isinstance(json.loads(line), dict) for line in body.splitlines())


def check_rows(rows: list[dict[str, Any]], n: int, model: str) -> None:
    """As many as texts, with labels of the model and probabilities."""
    assert len(rows) == n
    known = {None, *SERVICE.catalog[model].labels}
    for row in rows:
        named = [*row.get("labels", [row.get("label")]), *row.get("top_labels", ())]
        assert known.issuperset([*named, *row.get("label_set", ())])
        chances = [*row.get("top_probabilities", ()), *row.get("probabilities", ())]
        if row.get("probability") is not None:  # an empty text has none
            chances.append(row["probability"])
        assert all(0 <= p <= 1 for p in chances)


def one_input(given: bytes) -> None:
    data = Input(given)
    model = MODELS[data.number(0, len(MODELS) - 1)].name
    kind = data.number(0, 7)
    if kind < 5:
        asked = json_request(data, model)
    else:
        asked = any_request(data) if kind == 5 else file_request(data, model)
    log = SERVICE.log
    assert isinstance(log, Failures)
    log.errors.clear()
    answer = LOOP.run_until_complete(ask(asked))
    for error in log.errors:
        raise error
    check_answer(asked, *answer)
