"""What every HTTP server of ours does with a request: which path has which method, who may ask,
what is logged, and how errors are answered. `Service` serves models, `AnnotationService` a project.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from wordplane.serving.access import Access
from wordplane.serving.logs import Log, request_line
from wordplane.serving.page import PageFile
from wordplane.serving.problems import Problem, shorten
from wordplane.serving.request import WATCHED_BYTES, Request, Shares
from wordplane.serving.responses import JsonResponse, large_json
from wordplane.serving.settings import MIB, ListenOptions

THREADS = 2
ROOM_BODIES = 32  # so many of the largest bodies may be in the memory of a worker
GONE = 499  # the status that is logged if the client went away
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
SAFE_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
]

Handler = Callable[[Request], Awaitable[Response]]


class Application:
    """An ASGI application.

    page    the files of its pages, by path
    routes  by path and method; those of the pages are there
    advice  what to say to who asks for a path that does not exist
    """

    advice = "open / in a browser"

    def __init__(self, options: ListenOptions, log: Log, page: Mapping[str, PageFile]) -> None:
        self.listen, self.limits, self.log = options, options.limits, log
        self.in_flight = 0  # see protocol.py
        self.retiring = False  # answers, but asks clients to connect again
        self._access = Access(options)
        self._room = Shares(
            ROOM_BODIES * self.limits.max_body * MIB,
            "other large bodies and answers take all memory that is set aside",
        )
        self._threads = ThreadPoolExecutor(THREADS, "work")
        self._ids = map(f"{os.urandom(4).hex()}-{{:x}}".format, itertools.count(1))
        self._page = page
        self.routes: dict[str, dict[str, Handler]] = {path: {"GET": self._file} for path in page}

    def count(self, path: str, status: int, seconds: float) -> None:
        """A request was answered."""

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
        seconds = time.perf_counter() - request.started
        self.count(path, status, seconds)
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
        if self.retiring and not request.scope["wordplane.connection"].has_more():
            headers.append((b"connection", b"close"))
        if type(response) is not JsonResponse and path not in self._page:
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
        methods = self.routes.get(path)
        if methods is None:
            raise Problem(
                "not-found",
                f"there is nothing at {shorten(path)}",
                advice=self.advice,
            )
        method = request.scope["method"]
        handler = methods.get("GET" if method == "HEAD" else method)
        if handler is None:
            raise Problem(
                "wrong-method",
                f"{path} does not have the method {method}",
                advice=f"use {' or '.join(methods)}",
            )
        self._access.check(request, path)
        return await handler(request)

    def _problem_response(self, problem: Problem, request: Request) -> Response:
        headers = problem.headers()
        methods = self.routes.get(request.scope["path"])
        if problem.kind == "wrong-method" and methods:
            headers["allow"] = ", ".join([*methods, *(["HEAD"] if "GET" in methods else [])])
        return Response(problem.document(request.id), problem.status, headers)

    async def _in_thread(self, request: Request, work: Callable[[], bytes]) -> bytes:
        """Do work in a thread when the body has been read; it stops at its next `request.check()`
        if the client goes away."""
        request.watch()

        def checked() -> bytes:
            request.check()
            return work()

        return await asyncio.get_running_loop().run_in_executor(self._threads, checked)

    def _json(self, request: Request, answer: bytes) -> Response:
        if len(answer) <= WATCHED_BYTES:
            return JsonResponse(answer)
        request.hold(len(answer))
        return large_json(answer, request, self)

    async def _file(self, request: Request) -> Response:
        content, headers = self._page[request.scope["path"]]
        if request.header(b"if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers)


def require_json(media_type: str, others: str = "") -> None:
    """Other types are refused: a browser may send some of them to us from any site."""
    if media_type != "application/json":
        raise Problem(
            "wrong-media-type",
            f"the type of the body is {shorten(media_type)}, expected application/json{others}",
            advice="send the header Content-Type: application/json"
            + (
                ", or a file alone as the body (curl --data-binary @FILE), with its type"
                if others
                else ""
            ),
        )
