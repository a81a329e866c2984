"""A worker: uvicorn with the service, in a process that was forked with the models in memory."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
from collections.abc import Iterator
from functools import partial
from math import ceil

import uvicorn

# uvicorn imports these when it starts; here they are imported once, before workers are forked.
import uvicorn.lifespan.off

if hasattr(os, "fork"):
    import uvicorn.loops.uvloop
    import uvloop  # noqa: F401

    LOOP = "uvloop"
else:  # on Windows
    LOOP = "asyncio"

from wordplane.serving.application import Application
from wordplane.serving.logs import FLUSH_SECONDS, Log
from wordplane.serving.protocol import GuardedProtocol, is_readable

KEEP_ALIVE = 5  # seconds that an idle connection is held
QUIET_SECONDS = 1.0  # when stopping: a client that is about to ask on an open connection may
RETIRE_SECONDS = 2 * KEEP_ALIVE
BACKLOG_SECONDS = 5.0  # to accept those who have connected before the end
SWITCH_SECONDS = 0.001  # how long a thread may keep the event loop waiting


class _Server(uvicorn.Server):
    """uvicorn without its own handling of signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def run_worker(
    service: Application,
    listener: socket.socket,
    lifeline: int,
    ready: int,
    *,
    is_alone: bool = False,
) -> None:
    """Answer requests until a signal to stop.

    SIGTERM   accept those who have connected, answer what they ask, and end
    SIGUSR1   take no more connections, answer on those that are open, and end when all are closed
    lifeline  a pipe of the supervisor's; when that dies, so does the worker
    ready     a pipe that a byte is written to when requests can come
    is_alone  whether there is no supervisor, and Ctrl-C is for this process
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.enable()
    config = _configure(service)
    server = _Server(config)
    max_seconds = service.limits.max_seconds

    async def main() -> None:
        loop = asyncio.get_running_loop()
        if config.is_ssl:  # uvicorn has no options for it; by default it has a minute, and 30 s
            seconds = service.limits.slow_seconds
            loop.create_server = partial(  # type: ignore[method-assign]
                loop.create_server, ssl_handshake_timeout=seconds, ssl_shutdown_timeout=seconds
            )

        def stop() -> None:
            service.retiring = True
            ending.append(loop.create_task(_stop(server, listener, max_seconds)))

        def orphaned() -> None:
            loop.remove_reader(lifeline)
            stop()

        def retire() -> None:
            service.retiring = True
            for one in server.servers:
                one.close()
            ending.append(loop.create_task(_end(server, KEEP_ALIVE, RETIRE_SECONDS)))

        ending: list[asyncio.Task[None]] = []
        if not hasattr(os, "fork"):  # nor a supervisor; an event loop of Windows has no handlers
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
        else:
            loop.add_signal_handler(signal.SIGTERM, stop)
            loop.add_signal_handler(signal.SIGUSR1, retire)
            # Otherwise the supervisor decides.
            loop.add_signal_handler(signal.SIGINT, stop if is_alone else lambda: None)
            loop.add_signal_handler(signal.SIGHUP, lambda: None)
            signal.pthread_sigmask(signal.SIG_SETMASK, set())
            loop.add_reader(lifeline, orphaned)
        flushing = loop.create_task(_flush_regularly(service.log))
        starting = loop.create_task(_tell_when_started(server, ready))
        await server.serve(sockets=[listener])
        starting.cancel()
        flushing.cancel()
        service.log.flush()

    uvicorn_loop = config.get_loop_factory()
    with asyncio.Runner(loop_factory=uvicorn_loop) as runner:
        runner.run(main())


def _configure(service: Application) -> uvicorn.Config:
    return uvicorn.Config(
        service,
        loop=LOOP,
        http=GuardedProtocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=ceil(service.limits.max_seconds),
        ssl_certfile=service.listen.tls_cert,
        ssl_keyfile=service.listen.tls_key,
    )


async def _stop(server: uvicorn.Server, listener: socket.socket, max_seconds: float) -> None:
    """Accept those who have connected, then nobody, and end."""
    until = asyncio.get_running_loop().time() + min(BACKLOG_SECONDS, max_seconds)
    while is_readable(listener) and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(0.001)  # the event loop accepts them
    for one in server.servers:
        one.close()
    listener.close()
    await _end(server, QUIET_SECONDS, max_seconds)


async def _end(server: uvicorn.Server, quiet_seconds: float, most_seconds: float) -> None:
    """End when all requests are answered. Clients are asked to close their connections; those on
    which nothing is asked are closed after a while."""
    state, loop = server.server_state, asyncio.get_running_loop()
    begin = loop.time()
    while state.connections or state.tasks:
        seconds = loop.time() - begin
        if seconds > quiet_seconds:
            for connection in list(state.connections):
                if isinstance(connection, GuardedProtocol):
                    connection.end(is_late=seconds > most_seconds)
        if seconds > most_seconds + 1:
            break
        await asyncio.sleep(0.02)
    server.should_exit = True


async def _tell_when_started(server: uvicorn.Server, ready: int) -> None:
    while not server.started:
        await asyncio.sleep(0.005)
    os.write(ready, b"1")
    os.close(ready)


async def _flush_regularly(log: Log) -> None:
    while True:
        await asyncio.sleep(FLUSH_SECONDS)
        log.flush()
