"""The HTTP protocol of uvicorn with what keeps slow and broken clients from doing harm.

slow heads and bodies   a request that is not complete must bring 1 KiB/s, or it is answered
                        with 408 and closed
slow TLS                the connection is cut if it does not begin or end (worker.py)
large bodies            are refused by the service, then read and thrown away up to 64 MiB and
                        30 s: most clients look for an answer only when they have sent everything,
                        and lose it if the connection is closed before
large heads             431
too many connections    503
too many requests       those whose body has come count as being answered; above the limit the
                        service answers 429, which takes less time than a prediction
half-closed sockets     a client that closes its side gets its answer if that takes 50 ms or
                        less; otherwise it is taken for one that has gone
answers nobody reads    the connection is cut
upgrades                the header is ignored, as HTTP allows, and the body read as usual
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)
from uvicorn.server import ServerState

from wordplane.serving.problems import Problem
from wordplane.serving.settings import Limits

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

MAX_HEAD = 1 << 16
MIN_RATE = 1024  # bytes of a body in a second
GRACE_SECONDS = 0.05
UNREAD_SECONDS = 30.0
MAX_DISCARDED = 1 << 26
PAUSE_SECONDS = 2.0  # without a byte, after which a client has sent what it wanted to
LINGER_SECONDS = 30.0


class Load(Protocol):
    """What the protocol shares with the service."""

    limits: Limits
    in_flight: int


class Descriptor(Protocol):
    """A socket, or what uvloop gives for one."""

    def fileno(self) -> int: ...


class _Sink:
    """What a cycle of uvicorn does with its transport; it closes the connection as we do."""

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write, self.is_closing, self.close = transport.write, transport.is_closing, close


class GuardedProtocol(HttpToolsProtocol):
    """One connection. `config.app` is the service, which counts requests in flight."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._load = cast(Load, config.app)
        self._timer: asyncio.TimerHandle | None = None
        self._in_head = self._in_body = False
        self._head_bytes = 0  # of what has been parsed
        self._raw_head_bytes = 0  # of what has come, if the end of the head has not
        self._has_ended = False  # a request, in what was read last
        self._discarded = 0
        self._bytes = 0  # since the timer was started
        self._offers_upgrade = False
        self._lingers = False  # answered for the last time; what still comes is thrown away
        self._linger_until = 0.0
        self._answered: RequestResponseCycle | None = (
            None  # the cycle of the request that is, or was last
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self._sink = _Sink(self.transport, self._close)
        if len(self.connections) > self._load.limits.max_connections:
            most = self._load.limits.max_connections
            self._refuse(Problem("no-room", f"there are {most} connections, as many as allowed"))
            return
        self._start_timer()  # until the first request is complete

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._tell_disconnected()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        if self._lingers:
            self._discard(len(data))
            return
        self._has_ended = False
        self._unset_keepalive_if_required()
        self._parse(data)
        if self._lingers or self.transport.is_closing() or self.parser is None:
            return
        if self._in_head and not self._has_ended:  # all of it belongs to one head
            self._raw_head_bytes += len(data)
        if self._in_body and self.cycle.response_complete:
            self._discard(len(data))
        if self._in_head and self._raw_head_bytes > MAX_HEAD:
            self._refuse(_head_too_large())
        elif self._is_incomplete():
            if self._timer is None:
                self._start_timer()
        elif self._timer is not None:
            self._stop_timer()

    def _discard(self, n_bytes: int) -> None:
        self._discarded += n_bytes
        if self._discarded > MAX_DISCARDED:
            self.transport.close()

    def _parse(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while not self._lingers and not self.transport.is_closing():
                try:
                    self.parser.feed_data(rest)
                    return
                except httptools.HttpParserUpgrade as upgrade:
                    rest = rest[upgrade.args[0] :]
                    self._parse_without_upgrade()
        except httptools.HttpParserError as error:
            cause = error.__context__  # what a method below raised
            invalid = Problem("bad-request", "Invalid HTTP request received.")
            self._refuse(cause if isinstance(cause, Problem) else invalid)

    def _parse_without_upgrade(self) -> None:
        """Parse the head that has come once more, without its offer.

        The parser takes what follows such a head for another protocol, and would otherwise
        go on with the body as if it were the next request.
        """
        version = self.parser.get_http_version().encode()
        head = [b"%s %s HTTP/%s\r\n" % (self.parser.get_method(), self.url, version)]
        head += [b"%s: %s\r\n" % entry for entry in self.headers if entry[0] != b"upgrade"]
        self._offers_upgrade = False
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn has it
        self.parser.feed_data(b"".join([*head, b"\r\n"]))

    def eof_received(self) -> bool:  # type: ignore[override]
        is_answered = self.cycle is None or self.cycle.response_complete
        if self._lingers or is_answered or self._is_incomplete():
            return False
        self.cycle.keep_alive = False
        self.loop.call_later(GRACE_SECONDS, self._close_unanswered)
        return True

    def _close_unanswered(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._head_bytes, self._raw_head_bytes = True, 0, 0

    def on_url(self, url: bytes) -> None:
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value) + len(": \r\n"))
        if self._in_head:  # and not after the body
            super().on_header(name, value)

    def _count_head(self, n_bytes: int) -> None:
        self._head_bytes += n_bytes
        if self._head_bytes > MAX_HEAD:
            raise _head_too_large()

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                raise Problem("bad-request", "the server is no proxy")
            self._offers_upgrade = True
            return
        if [name for name, _ in self.headers].count(b"host") > 1:
            raise Problem("bad-request", "the head has more than one header Host")
        self._in_head, self._in_body, self._discarded = False, True, 0
        self.scope["wordplane.connection"] = self  # type: ignore[typeddict-unknown-key]
        super().on_headers_complete()
        self.cycle.transport = cast(asyncio.Transport, self._sink)

    def on_message_complete(self) -> None:
        self._has_ended = True
        if self._offers_upgrade:
            return
        self._in_body = False
        super().on_message_complete()
        if self.cycle.response_complete:  # answered early; the connection is idle from now on
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
        elif not self.pipeline:
            # Counted here and not by the service, which begins only when those before are done.
            self._load.in_flight += 1
            self.scope["wordplane.counted"] = True  # type: ignore[typeddict-unknown-key]
            if self._load.in_flight > self._load.limits.max_requests:
                self.scope["wordplane.busy"] = True  # type: ignore[typeddict-unknown-key]

    def on_response_complete(self) -> None:
        if self._lingers:
            self.server_state.total_requests += 1
            return
        super().on_response_complete()
        if self.transport.is_closing():
            self._abort_if_unread()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._abort_if_unread()

    def _abort_if_unread(self) -> None:
        """A transport that is closed waits for the client to read, but not forever."""
        if self.transport.get_write_buffer_size():
            self.loop.call_later(UNREAD_SECONDS, self.transport.abort)

    def _is_incomplete(self) -> bool:
        """Whether a part of a request has come, and a part has not."""
        return self._in_head or self._in_body

    def _start_timer(self) -> None:
        self._bytes = 0
        self._timer = self.loop.call_later(self._load.limits.slow_seconds, self._on_timer)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._timer = None
        seconds = self._load.limits.slow_seconds
        if self._in_body and self.cycle.response_complete:
            self._linger()
            return
        waits_for_us = self.flow.read_paused
        if waits_for_us or (not self._in_head and self._bytes >= MIN_RATE * seconds):
            self._start_timer()
            return
        is_silent = self.cycle is None and not self._in_head and self._bytes == 0
        if is_silent:
            self.transport.close()
            return
        slow = f"the request was not complete after {seconds:g} s"
        self._refuse(Problem("slow-request", slow, advice="send it faster"))

    def _refuse(self, problem: Problem) -> None:
        """Answer for the service, unless it has begun to, and close."""
        cycle = self._answered
        if cycle is None or not cycle.response_started or cycle.response_complete:
            body = problem.document()
            head = [STATUS_LINE[problem.status]]
            headers = {**problem.headers(), "connection": "close", "content-length": len(body)}
            head += [f"{name}: {value}\r\n".encode() for name, value in headers.items()]
            self.transport.write(b"".join([*head, b"\r\n", body]))
        self._tell_disconnected()
        self._linger()

    def _close(self) -> None:
        """The last answer has been given."""
        if self._in_body or self._lingers:
            self._linger()
        else:
            self.transport.close()

    def _linger(self) -> None:
        """Close when the client has had the chance to read its answer: if we closed before it has
        sent everything, the connection would be reset, and the answer lost."""
        if self._lingers or self.transport.is_closing():
            return
        self._lingers = True
        self._stop_timer()
        self._unset_keepalive_if_required()
        self.pipeline.clear()
        self.flow.resume_reading()
        if self.transport.can_write_eof():  # not with TLS
            self.transport.write_eof()
        self._linger_until = self.loop.time() + LINGER_SECONDS
        self._bytes = 1
        self._wait_for_pause()

    def _wait_for_pause(self) -> None:
        if self._bytes == 0 or self.loop.time() > self._linger_until:
            self.transport.close()
            self._abort_if_unread()
        else:
            self._bytes = 0
            self._timer = self.loop.call_later(PAUSE_SECONDS, self._wait_for_pause)

    def abort(self) -> None:
        """Cut the connection."""
        self.transport.abort()

    def has_more(self) -> bool:
        """Whether other requests on this connection have come, or something that is not read."""
        if self.transport.is_closing():
            return False
        return bool(self.pipeline) or is_readable(self.transport.get_extra_info("socket"))

    def end(self, is_late: bool) -> None:
        """The server is stopping: close the connection if nothing is being done on it, or if it
        has been long enough."""
        is_answered = self.cycle is None or self.cycle.response_complete
        if self._lingers:
            if is_late:
                self.transport.close()
        elif self._is_incomplete():
            if is_late:
                self._refuse(Problem("stopping", "the request was not complete in time"))
        elif is_answered and not self.has_more():
            self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def _tell_disconnected(self) -> None:
        """Nobody reads the answer any more, nor will those be answered that wait for it."""
        self.pipeline.clear()
        if self._answered is not None and not self._answered.response_complete:
            self._answered.disconnected = True
            self._answered.message_event.set()


def is_readable(socket: Descriptor) -> bool:
    """Whether something has come that was not read."""
    if not hasattr(select, "poll"):  # on Windows
        return bool(select.select([socket], [], [], 0)[0])
    poll = select.poll()
    poll.register(socket.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _head_too_large() -> Problem:
    return Problem("head-too-large", f"the head has more than {MAX_HEAD} bytes")
