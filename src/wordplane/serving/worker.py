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
from math import ceil

import uvicorn

# uvicorn imports these when it starts; here they are imported once, before workers are forked.
import uvicorn.lifespan.off
import uvicorn.loops.uvloop
import uvloop  # noqa: F401

from wordplane.serving.logs import FLUSH_SECONDS, Log
from wordplane.serving.protocol import GuardedProtocol
from wordplane.serving.service import Service

KEEP_ALIVE = 5  # seconds that an idle connection is held
RETIRE_SECONDS = 2 * KEEP_ALIVE
SWITCH_SECONDS = 0.001  # how long a thread may keep the event loop waiting
RETIRE = signal.SIGUSR1


class _Server(uvicorn.Server):
    """uvicorn without its own handling of signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def run_worker(service: Service, listener: socket.socket, lifeline: int, ready: int) -> None:
    """Answer requests until a signal to stop.

    SIGTERM   finish what has come, refuse what comes, and end
    SIGUSR1   take no more connections, answer on those that are open, and end when all are closed
    lifeline  a pipe of the supervisor's; when that dies, so does the worker
    ready     a pipe that is closed when requests can come
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.enable()
    config = uvicorn.Config(
        service,
        loop="uvloop",
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
    )
    server = _Server(config)

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def stop() -> None:
            service.stopping = True
            server.should_exit = True

        def orphaned() -> None:
            loop.remove_reader(lifeline)
            stop()

        def retire() -> None:
            service.retiring = True
            for one in server.servers:
                one.close()
            retiring.append(loop.create_task(_end_when_idle(server)))

        retiring: list[asyncio.Task[None]] = []
        loop.add_signal_handler(signal.SIGTERM, stop)
        loop.add_signal_handler(RETIRE, retire)
        loop.add_signal_handler(signal.SIGINT, lambda: None)  # the supervisor decides
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


async def _end_when_idle(server: uvicorn.Server) -> None:
    """Clients are asked to close their connections; idle ones are closed after a while."""
    state = server.server_state
    for _ in range(RETIRE_SECONDS * 20):
        if not state.connections and not state.tasks:
            break
        await asyncio.sleep(0.05)
    server.should_exit = True


async def _tell_when_started(server: uvicorn.Server, ready: int) -> None:
    while not server.started:
        await asyncio.sleep(0.005)
    os.close(ready)


async def _flush_regularly(log: Log) -> None:
    while True:
        await asyncio.sleep(FLUSH_SECONDS)
        log.flush()
