"""The ASGI application of a worker: which path does what, for whom, and what is said of it.

Short texts are predicted in the event loop, which takes less time than handing them to a thread;
larger bodies and explanations are worked on in threads, so that other requests need not wait.
"""

from __future__ import annotations

import asyncio
import hmac
import itertools
import os
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from wordplane.common.types import JsonObject
from wordplane.serving.bodies import (
    PredictBody,
    documents,
    explain_body,
    feedback_body,
    model_name,
    parse_json,
    predict_body,
)
from wordplane.serving.catalog import Catalog, ServedModel
from wordplane.serving.counters import Series
from wordplane.serving.explanation import card, explain
from wordplane.serving.feedback import Feedback
from wordplane.serving.logs import Log, request_line
from wordplane.serving.monitoring import Metrics
from wordplane.serving.openapi import openapi_document
from wordplane.serving.page import FILES, page_files
from wordplane.serving.problems import Problem, shorten
from wordplane.serving.request import Request, Room
from wordplane.serving.rows import answers_of, decide, encode_json, json_rows
from wordplane.serving.settings import ServeOptions, is_loopback
from wordplane.serving.streams import FORMATS, StreamOptions, predict_file, receive_file

INLINE_BYTES = 8192  # of a body that is worked on in the event loop
BATCH = 1000  # texts between two looks at whether the client is still there
THREADS = 2
MAX_FILES = 8  # that are labeled at the same time, each up to --max-stream on disk
GONE = 499  # the status that is logged if the client went away
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
HOST = re.compile(r"(\[(?P<ip6>[0-9a-f.]*:[0-9a-f:.]*)\]|(?P<name>[a-z0-9._-]+))(:[0-9]+)?")
OTHER_PATHS = "other"
API_PATHS = ("/v1/predict", "/v1/explain", "/v1/feedback", "/v1/models")
# What is counted by path.
PATHS = (*API_PATHS, "/healthz", "/readyz", "/metrics", "/openapi.json", *FILES, OTHER_PATHS)
SAFE_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
]
JSON_HEADERS = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]

Handler = Callable[[Request], Awaitable[Response]]


class Service:
    """Answers requests with the models of a catalog."""

    def __init__(
        self,
        catalog: Catalog,
        options: ServeOptions,
        metrics: Metrics,
        log: Log,
        feedback: Feedback | None = None,
    ) -> None:
        self.catalog, self.options, self.limits = catalog, options, options.limits
        self.metrics, self.log, self.feedback = metrics, log, feedback
        self.in_flight = 0  # see protocol.py
        self.retiring = False  # answers, but asks clients to connect again
        self.stopping = False  # refuses
        self._room = Room(self.limits)
        self._n_files = 0
        self._threads = ThreadPoolExecutor(THREADS, "predict")
        self._ids = map(f"{os.urandom(4).hex()}-{{:x}}".format, itertools.count(1))
        self._check_host = options.is_local and options.token is None
        self._host_names = {name.lower().removesuffix(".") for name in options.host_names}
        self._page = page_files()
        self.routes: dict[str, dict[str, Handler]] = {
            "/v1/predict": {"POST": self._predict},
            "/v1/explain": {"POST": self._explain},
            "/v1/feedback": {"POST": self._feedback},
            "/v1/models": {"GET": self._models},
            "/healthz": {"GET": self._healthz},
            "/readyz": {"GET": self._readyz},
            "/metrics": {"GET": self._metrics},
            "/openapi.json": {"GET": self._openapi},
            **{path: {"GET": self._file} for path in FILES},
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, self.limits, self._room)
        given = request.header(b"x-request-id")
        id = request.id = given if given and REQUEST_ID.fullmatch(given) else next(self._ids)
        path = scope["path"]
        try:
            status = await self._answer(request, path, send)
        finally:
            request.finish()
            if "wordplane.counted" in scope:
                self.in_flight -= 1
        self.metrics.set_in_flight(self.in_flight)
        seconds = time.perf_counter() - request.started
        self.metrics.request(path if path in self.routes else OTHER_PATHS, status, seconds)
        self.log.request(request_line(id, scope["method"], path, status, seconds, request.details))

    async def _answer(self, request: Request, path: str, send: Send) -> int:
        """Answer a request; returns the status."""
        try:
            response = await self._response(request, path)
        except ClientDisconnect:
            return GONE
        except Problem as problem:
            request.details["problem"] = problem.kind
            response = self._problem_response(problem, request)
        except Exception as error:
            self.log.failure("internal-error", error, id=request.id)
            failure = Problem("internal-error", "the server failed; its log has the cause")
            response = self._problem_response(failure, request)
        headers = response.raw_headers
        headers.append((b"x-request-id", request.id.encode()))
        if self.retiring or self.stopping:
            headers.append((b"connection", b"close"))
        if type(response) is not JsonResponse and path not in FILES:
            headers += SAFE_HEADERS
        try:
            await response(request.scope, request.receive, send)
        except (ClientDisconnect, OSError):
            return GONE
        except Problem as problem:
            # The answer has begun. It ends without its last chunk, which every client notices.
            request.details |= {"problem": problem.kind, "detail": str(problem)}
            return problem.status
        return response.status_code

    async def _response(self, request: Request, path: str) -> Response:
        request.check_load()
        if self.stopping:
            raise Problem("stopping", "the server is being stopped")
        methods = self.routes.get(path)
        if methods is None:
            raise Problem(
                "not-found",
                f"there is nothing at {shorten(path)}",
                advice="the paths are in /openapi.json",
            )
        method = request.scope["method"]
        handler = methods.get("GET" if method == "HEAD" else method)
        if handler is None:
            raise Problem(
                "wrong-method",
                f"{path} does not have the method {method}",
                advice=f"use {' or '.join(methods)}",
            )
        self._check_caller(request, path)
        return await handler(request)

    def _problem_response(self, problem: Problem, request: Request) -> Response:
        headers = problem.headers()
        methods = self.routes.get(request.scope["path"])
        if problem.kind == "wrong-method" and methods:
            headers["allow"] = ", ".join([*methods, *(["HEAD"] if "GET" in methods else [])])
        return Response(problem.document(request.id), problem.status, headers)

    def _check_caller(self, request: Request, path: str) -> None:
        if self.options.token is not None and path.startswith(("/v1/", "/metrics")):
            scheme, _, token = request.header(b"authorization").partition(" ")
            right = hmac.compare_digest(token.strip().encode(), self.options.token.encode())
            if scheme.lower() != "bearer" or not right:
                raise Problem(
                    "no-token",
                    "the token is missing or wrong",
                    advice="send the header Authorization: Bearer TOKEN",
                )
        if self._check_host:
            # Without a token, a page of another site could reach us by a name that it controls.
            host = host_name(request.header(b"host"))
            if not is_loopback(host) and host not in self._host_names:
                raise Problem(
                    "wrong-host",
                    f"the header Host is {shorten(request.header(b'host'))}",
                    advice="use the address that the server printed, or start it with --host-name",
                )

    async def _in_thread(self, request: Request, work: Callable[[], bytes]) -> bytes:
        """Do work in a thread when the body has been read; it stops at its next `request.check()`
        if the client goes away."""
        request.watch()

        def checked() -> bytes:
            request.check()
            return work()

        return await asyncio.get_running_loop().run_in_executor(self._threads, checked)

    async def _predict(self, request: Request) -> Response:
        media_type = request.media_type
        if media_type in FORMATS:
            return await self._predict_stream(request, FORMATS[media_type])
        require_json(media_type, ", text/csv or application/jsonl")
        if request.scope["query_string"]:
            raise Problem(
                "invalid-field",
                "the address has parameters, which are for CSV and JSONL",
                advice="put them into the JSON body",
            )
        body = await request.whole_body()
        if len(body) <= INLINE_BYTES:
            answer = self._predict_json(request, body)
        else:
            answer = await self._in_thread(request, lambda: self._predict_json(request, body))
        return JsonResponse(answer)

    def _predict_json(self, request: Request, body: bytes) -> bytes:
        given = parse_json(body)
        model = self.catalog[model_name(given)]
        asked = predict_body(given, self.limits, model.kinds)
        request.details |= {"model": model.name, "texts": len(asked.texts)}
        if self.options.log_texts:
            request.details["text"] = asked.texts
        ids = asked.ids
        if ids is None and self.feedback is not None:
            ids = self.feedback.remember(asked.texts)
        if ids is None:
            ids = ["1"] if len(asked.texts) == 1 else list(map(str, range(1, len(asked.texts) + 1)))
        rows = self._predict_rows(request, model, asked, ids)
        return f'{{"model":"{model.name}","rows":[{",".join(rows)}]}}'.encode()

    def _predict_rows(
        self, request: Request, model: ServedModel, asked: PredictBody, ids: list[str]
    ) -> list[str]:
        """The rows as JSON."""
        rows: list[str] = []
        answers = answers_of(model, asked.wanted)
        for start in range(0, len(asked.texts), BATCH):
            if start:
                request.check()
            part = slice(start, start + BATCH)
            columns = {name: values[part] for name, values in asked.columns.items()}
            texts = asked.texts[part]
            decisions = decide(answers, documents(texts, columns))
            rows += json_rows(answers, decisions, ids[part], texts, model)
            self.metrics.predicted(model, decisions, texts)
        return rows

    async def _predict_stream(self, request: Request, form: str) -> Response:
        options = StreamOptions(QueryParams(request.scope["query_string"]))
        model = self.catalog[options.model]
        request.details["model"] = model.name
        if self._n_files >= MAX_FILES:
            raise Problem("no-room", f"{MAX_FILES} files are being labeled already")
        self._n_files += 1
        file = None
        try:
            file = await receive_file(request, form)
            pieces = predict_file(file.name, form, model, options, request, self.metrics)
            first = await self._in_thread(request, lambda: next(pieces, b""))
        except BaseException:
            self._n_files -= 1
            if file is not None:
                file.close()
            raise

        async def body() -> AsyncIterator[bytes]:
            loop, piece = asyncio.get_running_loop(), first
            try:
                while piece:
                    yield piece
                    piece = await loop.run_in_executor(self._threads, next, pieces, b"")
            finally:
                self._n_files -= 1
                file.close()

        media_type = "text/csv; charset=utf-8" if form == "csv" else "application/jsonl"
        headers = {"content-disposition": f'attachment; filename="labeled.{form}"'}
        return _Stream(body(), media_type, headers, request, self)

    async def _explain(self, request: Request) -> Response:
        require_json(request.media_type)
        body = await request.whole_body()

        def work() -> bytes:
            given = parse_json(body)
            model = self.catalog[model_name(given)]
            asked = explain_body(given, self.limits, model.kinds)
            request.details |= {"model": model.name, "texts": 1}
            return encode_json(explain(model, asked)).encode()

        return JsonResponse(await self._in_thread(request, work))

    async def _feedback(self, request: Request) -> Response:
        require_json(request.media_type)
        body = await request.whole_body()
        feedback = self.feedback
        if feedback is None:
            raise Problem(
                "no-feedback",
                "the server was started without a file for feedback",
                advice="start it with --feedback FILE.sqlite",
            )

        def work() -> bytes:
            given = parse_json(body)
            model = self.catalog[model_name(given)]
            asked = feedback_body(given, self.limits, model.kinds)
            request.details["model"] = model.name
            return encode_json(feedback.append(model, asked)).encode()

        loop = asyncio.get_running_loop()
        return JsonResponse(await loop.run_in_executor(feedback.thread, work))

    async def _models(self, request: Request) -> Response:
        def work() -> bytes:
            models = self.catalog.models.values()
            cards = [cached_card(model) for model in models]
            return encode_json({"models": cards, "feedback": self.feedback is not None}).encode()

        await request.whole_body()
        return JsonResponse(await self._in_thread(request, work))

    async def _healthz(self, request: Request) -> Response:
        return JsonResponse(b'{"status":"ok"}')

    async def _readyz(self, request: Request) -> Response:
        if self.retiring:
            raise Problem("stopping", "the worker is being replaced")
        return JsonResponse(
            encode_json({"status": "ok", "models": list(self.catalog.models)}).encode()
        )

    async def _metrics(self, request: Request) -> Response:
        more: list[tuple[Series, float]] = []
        if self.feedback is not None:
            loop = asyncio.get_running_loop()
            more = await loop.run_in_executor(self.feedback.thread, self.feedback.series)
        text = self.metrics.text(more)
        media_type = "text/plain; version=0.0.4; charset=utf-8"
        return Response(text, media_type=media_type, headers={"cache-control": "no-store"})

    async def _openapi(self, request: Request) -> Response:
        return JsonResponse(openapi_document(self.limits, self.options.token is not None))

    async def _file(self, request: Request) -> Response:
        content, headers = self._page[request.scope["path"]]
        if request.header(b"if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers)


class _Stream(StreamingResponse):
    """An answer in pieces; a client that does not read them is gone."""

    def __init__(
        self,
        body: AsyncIterator[bytes],
        media_type: str,
        headers: Mapping[str, str],
        request: Request,
        service: Service,
    ) -> None:
        super().__init__(body, media_type=media_type, headers=headers)
        self._service = service
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_soon(message: Message) -> None:
            if self._request.cancelled:
                raise ClientDisconnect
            self._service.in_flight -= 1  # it is the client that is waited for
            try:
                async with asyncio.timeout(self._request.limits.max_seconds):
                    await send(message)
            except TimeoutError:
                scope["wordplane.abort"]()
                raise ClientDisconnect from None
            finally:
                self._service.in_flight += 1

        await self.stream_response(send_soon)


_cards: dict[tuple[str, str], JsonObject] = {}


def cached_card(model: ServedModel) -> JsonObject:
    """The card of a model, made once."""
    key = model.name, model.digest
    if key not in _cards:
        _cards[key] = card(model)
    return _cards[key]


class JsonResponse(Response):
    """JSON that is encoded already, with headers that are made once: this is the hot path."""

    def __init__(self, body: bytes) -> None:
        self.status_code, self.body, self.background = 200, body, None
        self.raw_headers = [*JSON_HEADERS, (b"content-length", b"%d" % len(body))]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        await send({"type": "http.response.body", "body": self.body})


def require_json(media_type: str, others: str = "") -> None:
    """Other types are refused: a browser may send some of them to us from any site."""
    if media_type != "application/json":
        raise Problem(
            "wrong-media-type",
            f"the type of the body is {shorten(media_type)}, expected application/json{others}",
            advice="send the header Content-Type: application/json",
        )


def host_name(header: str) -> str:
    """The name in a header Host, or "" if it is anything else than a name and perhaps a port.

    >>> host_name("LocalHost.:8000"), host_name("[::1]:80"), host_name("localhost:80@example.org")
    ('localhost', '::1', '')
    """
    match = HOST.fullmatch(header.lower())
    return "" if match is None else match["ip6"] or match["name"].removesuffix(".")
