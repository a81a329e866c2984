"""Answers as they are sent: small ones at once, large ones as fast as the client reads them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from typing import Protocol

from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from wordplane.serving.request import Request

PIECE_BYTES = 1 << 18
JSON_HEADERS = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]


class Load(Protocol):
    """Counts the requests that are being answered."""

    in_flight: int


class JsonResponse(Response):
    """JSON that is encoded already, with headers that are made once: this is the hot path."""

    def __init__(self, body: bytes) -> None:
        self.status_code, self.body, self.background = 200, body, None
        self.raw_headers = [*JSON_HEADERS, (b"content-length", b"%d" % len(body))]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        await send({"type": "http.response.body", "body": self.body})


class PiecewiseResponse(StreamingResponse):
    """An answer in pieces; a client that does not read them is gone."""

    def __init__(
        self,
        pieces: AsyncIterable[bytes],
        headers: Mapping[str, str],
        request: Request,
        load: Load,
    ) -> None:
        super().__init__(pieces, headers=headers)
        self._request, self._load = request, load

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_soon(message: Message) -> None:
            if self._request.cancelled:
                raise ClientDisconnect
            self._load.in_flight -= 1  # it is the client that is waited for
            try:
                async with asyncio.timeout(self._request.limits.max_seconds):
                    await send(message)
            except TimeoutError:
                scope["wordplane.connection"].abort()
                raise ClientDisconnect from None
            finally:
                self._load.in_flight += 1

        await self.stream_response(send_soon)


def large_json(body: bytes, request: Request, load: Load) -> PiecewiseResponse:
    """JSON that is encoded already, and too large to wait for the client as a whole."""

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), PIECE_BYTES):
            yield body[start : start + PIECE_BYTES]

    headers = {name.decode(): value.decode() for name, value in JSON_HEADERS}
    return PiecewiseResponse(pieces(), {**headers, "content-length": str(len(body))}, request, load)
