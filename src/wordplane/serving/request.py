"""One request: its body within limits, and whether it is worth going on with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from wordplane.serving.problems import Problem
from wordplane.serving.settings import MIB, Limits

ROOM_BODIES = 32  # so many of the largest bodies may be in the memory of a worker
WATCHED_BYTES = 1 << 16  # smaller bodies take no room worth counting


class Room:
    """Bytes of bodies that a worker holds in memory."""

    def __init__(self, limits: Limits) -> None:
        self._left = ROOM_BODIES * limits.max_body * MIB

    def take(self, n_bytes: int) -> None:
        if n_bytes > self._left:
            raise Problem("no-room", "other large bodies take all memory that is set aside")
        self._left -= n_bytes

    def give_back(self, n_bytes: int) -> None:
        self._left += n_bytes


class Request:
    """A request, and what is logged and counted about it."""

    def __init__(self, scope: Scope, receive: Receive, limits: Limits, room: Room) -> None:
        self.scope, self.receive = scope, receive
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        self.id, self.limits, self._room = "", limits, room
        self.started = time.perf_counter()
        self._deadline = self.started + limits.max_seconds
        self.cancelled = False
        self.details: dict[str, object] = {}
        self._taken = 0
        self._watcher: asyncio.Future[Message] | None = None

    def header(self, name: bytes) -> str:
        """The value of a header, or ""."""
        value = self._headers.get(name)
        return "" if value is None else value.decode("latin-1")

    @property
    def media_type(self) -> str:
        """The type of the body, without parameters."""
        given = self.header(b"content-type")
        usual = given == "application/json"
        return given if usual else given.partition(";")[0].strip().lower()

    async def whole_body(self) -> bytes:
        """The body, which must fit into the limit."""
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
        async for chunk in self._chunks():
            size += len(chunk)
            if size > most:
                self._refuse_body(size, most)
            chunks.append(chunk)
            if size > WATCHED_BYTES:
                self._room.take(size - self._taken)
                self._taken = size
        self.check_load()
        return b"".join(chunks)

    async def body_chunks(self, most: int) -> AsyncIterator[bytes]:
        """The body in pieces, of which only one need be in memory."""
        length, size = self.header(b"content-length"), 0
        if length.isdecimal() and int(length) > most:
            self._refuse_body(int(length), most)
        async for chunk in self._chunks():
            size += len(chunk)
            if size > most:
                self._refuse_body(size, most)
            yield chunk
        self.check_load()

    def check_load(self) -> None:
        """Refuse the request if too many had come when it was complete."""
        if "wordplane.busy" in self.scope:
            most = self.limits.max_requests
            raise Problem(
                "too-many-requests",
                f"{most} requests are being answered already",
                advice="try again in a second",
            )

    async def _chunks(self) -> AsyncIterator[bytes]:
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            yield message.get("body", b"")
            if not message.get("more_body", False):
                return

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

    def extend(self) -> None:
        """A part of the answer has been sent: the next one may take as long as the first."""
        self._deadline = time.perf_counter() + self.limits.max_seconds

    def finish(self) -> None:
        """Let go of what the request held."""
        if self._watcher is not None:
            self._watcher.cancel()
        self._room.give_back(self._taken)
        self._taken = 0
