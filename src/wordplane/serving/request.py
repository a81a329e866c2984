"""One request: its body within limits, and whether it is worth going on with."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from wordplane.serving.problems import Problem, shorten
from wordplane.serving.settings import MIB, Limits

WATCHED_BYTES = 1 << 16  # smaller bodies and answers take no room worth counting


class Shares:
    """Something limited that clients share. No address may hold more than half of it."""

    def __init__(self, most: int, full: str) -> None:
        self._left, self._most_each, self._full = most, max(most // 2, 1), full
        self._held: Counter[str] = Counter()

    def take(self, client: str, n: int) -> None:
        """Give a client so much more."""
        if n > self._left:
            raise Problem("no-room", self._full)
        if self._held[client] + n > self._most_each:
            raise Problem("no-room", f"{self._full}, as far as one client may have it")
        self._left -= n
        self._held[client] += n

    def give_back(self, client: str, n: int) -> None:
        self._left += n
        self._held[client] -= n
        if not self._held[client]:
            del self._held[client]


class Request:
    """A request, and what is logged and counted about it.

    room  bytes of bodies and answers that a worker holds in memory
    """

    def __init__(self, scope: Scope, receive: Receive, limits: Limits, room: Shares) -> None:
        self.scope, self.receive = scope, receive
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        self.id, self.limits, self._room = "", limits, room
        self.started = time.perf_counter()
        self._deadline = self.started + limits.max_seconds
        self.cancelled = False
        self.details: dict[str, object] = {}
        self._held = 0
        self.ends = ExitStack()  # what is to be done when the request is finished
        self._watcher: asyncio.Future[Message] | None = None

    def header(self, name: bytes) -> str:
        """The value of a header, or ""."""
        value = self._headers.get(name)
        return "" if value is None else value.decode("latin-1")

    @property
    def client(self) -> str:
        """The address that the request comes from."""
        client = self.scope.get("client")
        return client[0] if client else ""

    @property
    def media_type(self) -> str:
        """The type of the body, without parameters."""
        given = self.header(b"content-type")
        usual = given == "application/json"
        return given if usual else given.partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        """The encoding that the type of the body names."""
        for parameter in self.header(b"content-type").split(";")[1:]:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip('"')
        return None

    async def whole_body(self) -> bytes:
        """The body, which must fit into the limit."""
        self._check_encoding()
        most = self.limits.max_body * MIB
        length = self.header(b"content-length")
        if length.isdecimal() and int(length) > most:
            self._refuse_body(int(length), most)
        message = await self.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        if not message.get("more_body", False):  # the usual case
            return bytes(message["body"])
        chunks, size = [message["body"]], len(message["body"])
        seconds = max(self.limits.max_seconds, self.limits.slow_seconds)
        async for chunk in self._chunks(seconds):
            size += len(chunk)
            if size > most:
                self._refuse_body(size, most)
            chunks.append(chunk)
            if size > WATCHED_BYTES:
                self.hold(size - self._held)
        self.check_load()
        self.extend()
        return b"".join(chunks)

    async def body_chunks(self, most: int) -> AsyncIterator[bytes]:
        """The body in pieces, of which only one need be in memory."""
        self._check_encoding()
        length, size = self.header(b"content-length"), 0
        if length.isdecimal() and int(length) > most:
            self._refuse_body(int(length), most)
        async for chunk in self._chunks(self.limits.upload_seconds):
            size += len(chunk)
            if size > most:
                self._refuse_body(size, most)
            yield chunk
        self.check_load()
        self.extend()

    def _check_encoding(self) -> None:
        """Refuse a compressed body, which could be unpacked to any size."""
        encoding = self.header(b"content-encoding")
        if encoding.strip().lower() not in ("", "identity"):
            raise Problem(
                "wrong-encoding",
                f"the body has the content encoding {shorten(encoding)}, expected none",
                advice="send the body as it is, without the header Content-Encoding",
            )

    def check_load(self) -> None:
        """Refuse the request if too many had come when it was complete."""
        if "wordplane.busy" in self.scope:
            most = self.limits.max_requests
            raise Problem(
                "too-many-requests",
                f"{most} requests are being answered already",
                advice="try again in a second",
            )

    async def _chunks(self, seconds: float) -> AsyncIterator[bytes]:
        """What comes, for so long; the protocol sees to it that something comes all the time."""
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            yield message.get("body", b"")
            if not message.get("more_body", False):
                return
            if time.perf_counter() > self.started + seconds:
                raise Problem(
                    "slow-request",
                    f"the body was not complete after {seconds:g} s",
                    advice="send it faster, or less at a time",
                )

    def _refuse_body(self, size: int, most: int) -> None:
        raise Problem(
            "body-too-large",
            f"the body has {size:,} bytes or more, at most {most:,} are allowed",
            advice="send less at a time, send CSV or JSONL, or start the server with a larger "
            "--max-body or --max-stream",
        )

    def watch(self) -> None:
        """From now on, notice when the client goes away."""

        def gone(task: asyncio.Future[Message]) -> None:
            self.cancelled = self.cancelled or not task.cancelled()

        self._watcher = asyncio.ensure_future(self.receive())
        self._watcher.add_done_callback(gone)

    def check(self) -> None:
        """Raise an error if nobody waits for the answer any more, or not for so long.

        Long work calls it between its parts, in whatever thread.
        """
        if self.cancelled:
            raise ClientDisconnect
        if time.perf_counter() > self._deadline:
            raise Problem(
                "too-slow",
                f"the answer was not complete after {self.limits.max_seconds:g} s",
                advice="send fewer texts at a time",
            )

    def check_answer(self, n_bytes: int) -> None:
        """Raise an error if an answer in JSON has too many bytes."""
        most = self.limits.max_answer * MIB
        if n_bytes > most:
            raise Problem(
                "answer-too-large",
                f"the answer has {n_bytes:,} bytes or more, at most {most:,} are allowed",
                advice="send fewer texts at a time, ask for fewer labels, send CSV or JSONL, or "
                "start the server with a larger --max-answer",
            )

    def extend(self) -> None:
        """The body is complete, or a part of the answer has been sent: the next part of the answer
        has all the time again."""
        self._deadline = time.perf_counter() + self.limits.max_seconds

    def hold(self, n_bytes: int) -> None:
        """Take so much of the room, until the request is finished."""
        self._room.take(self.client, n_bytes)
        self._held += n_bytes

    def finish(self) -> None:
        """Let go of what the request held."""
        if self._watcher is not None:
            self._watcher.cancel()
        if self._held:
            self._room.give_back(self.client, self._held)
            self._held = 0
        self.ends.close()
