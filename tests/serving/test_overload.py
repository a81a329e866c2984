"""Many clients at once, for minutes: none is lost without an answer, and none gets another's.

Tests of wordplane.serving.worker and wordplane.serving.protocol.
"""

import asyncio
import errno
import json
import os
import signal
import socket
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.serving.running import Server

N_CONNECTIONS = 500
SECONDS = float(os.environ.get("OVERLOAD_SECONDS", "60"))
WORDS = {"good": "great fun", "bad": "dull and bad"}


class Crowd:
    """Connections that ask one request after the other, each with ids and texts of its own."""

    def __init__(self, server):
        self.server = server
        self.statuses = Counter()
        self.lost, self.mixed, self.late = [], [], 0
        self.is_stopping = False

    async def run(self, n, act):
        """Let n connections ask while `act` runs, and until the server has closed them."""
        clients = [asyncio.create_task(self._connection(k)) for k in range(n)]
        await act()
        await asyncio.wait_for(asyncio.gather(*clients), 120)

    async def _connection(self, k):
        number = 0
        while True:
            try:
                streams = await asyncio.open_connection(self.server.host, self.server.port)
            except OSError:
                if self.is_stopping:
                    return  # never reached it
                await asyncio.sleep(0.05)
                continue
            reader, writer = streams
            try:
                goes_on = True
                while goes_on:
                    number += 1
                    goes_on = await self._ask(reader, writer, f"{k}-{number}", k)
            finally:
                writer.close()

    async def _is_late(self, writer):
        """Whether the server had closed the idle connection before the request came to it: then it
        has answered the bytes with a reset. Had it read them, there would be none."""
        await asyncio.sleep(0.2)
        socket_ = writer.get_extra_info("socket")
        error = socket_.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        return self.is_stopping and error in (errno.ECONNRESET, errno.EPIPE)

    async def _ask(self, reader, writer, id, k):
        """Returns whether the connection can be used again. Every request must be answered."""
        label = "good" if k % 2 else "bad"
        n_rows = 1 if k % 10 else 200
        rows = [{"text": WORDS[label], "id": f"{id}-{i}"} for i in range(n_rows)]
        body = json.dumps({"rows": rows}).encode()
        head = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        writer.write(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        try:
            answered = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = int(answered.partition(b"content-length: ")[2].partition(b"\r\n")[0])
            found = json.loads(await reader.readexactly(size))
        except (OSError, asyncio.IncompleteReadError) as error:
            if isinstance(error, EOFError) and await self._is_late(writer):
                self.late += 1
            else:
                self.lost.append((id, self.is_stopping, repr(error)))
            return False
        status = int(answered.split()[1])
        self.statuses[status] += 1
        if status == 200:
            same_ids = [row["id"] for row in found["rows"]] == [row["id"] for row in rows]
            if not same_ids or {row["label"] for row in found["rows"]} != {label}:
                self.mixed.append(id)
        elif status in (429, 503):
            await asyncio.sleep(0.02)
        return b"connection: close" not in answered


def resident(pid):
    """MiB."""
    with Path(f"/proc/{pid}/statm").open() as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def overload(server, seconds):
    """The crowd, and the memory of each worker after a tenth of the time and at the end."""
    crowd, memory = Crowd(server), []

    async def act():
        for part in (0.3, 0.7):
            await asyncio.sleep(part * seconds)
            memory.append([resident(pid) for pid in server.workers()])
        crowd.is_stopping = True
        os.kill(server.process.pid, signal.SIGTERM)

    asyncio.run(crowd.run(N_CONNECTIONS, act))
    return crowd, memory


@pytest.mark.soak
@pytest.mark.parametrize("n_workers", [1, 2])
def test_500_connections_and_a_signal_to_stop_in_the_middle(models, n_workers):
    with Server(models / "films.wordplane", "--workers", n_workers) as running:
        start = time.monotonic()
        crowd, memory = overload(running, SECONDS / 2)
        assert running.process.wait(20) == 0
        seconds = time.monotonic() - start
    n = sum(crowd.statuses.values())
    said = f"{n} answers in {seconds:.0f} s {dict(crowd.statuses)}, {crowd.late} came too late"
    print(f"{said}; memory {memory}")  # noqa: T201
    assert crowd.lost == [] and crowd.mixed == []
    assert set(crowd.statuses) <= {200, 429, 503} and crowd.statuses[200] > 20 * SECONDS
    for before, after in zip(*memory, strict=True):
        assert after < 1.1 * before + 2, (before, after)
    assert {line["level"] for line in running.log()} == {"info"}
