"""Logs: a JSON object per line on standard error. Texts are not logged unless asked for."""

from __future__ import annotations

import json
import logging
import os
import select
import time
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache

FLUSH_LINES = 64
FLUSH_SECONDS = 0.2
ATOMIC_BYTES = getattr(select, "PIPE_BUF", 512)  # a pipe takes so many whole, whoever else writes


class Log:
    """Collects lines and writes several at a time; what is not a request is written at once."""

    def __init__(self, descriptor: int = 2) -> None:
        self._descriptor = descriptor
        self._lines: list[str] = []

    def request(self, line: str) -> None:
        """A line about a request, made by `request_line`."""
        self._lines.append(line)
        if len(self._lines) >= FLUSH_LINES:
            self.flush()

    def event(self, level: str, event: str, **details: object) -> None:
        """Something else that happened."""
        entry = {"time": now(), "level": level, "event": event, "pid": os.getpid(), **details}
        self._lines.append(json.dumps(entry, default=str, separators=(",", ":")))
        self.flush()

    def failure(self, event: str, error: BaseException, **details: object) -> None:
        """An error of ours, with the place it comes from."""
        trace = "".join(traceback.format_exception(error))
        self.event("error", event, error=repr(error), trace=trace, **details)

    def flush(self) -> None:
        """Write what was collected."""
        if not self._lines:
            return
        parts = _joined([f"{line}\n".encode() for line in self._lines])
        self._lines.clear()
        with suppress(OSError):  # nobody reads any more: serving goes on
            for data in parts:
                while data:
                    data = data[os.write(self._descriptor, data) :]


class FailureLog(Log):
    """Writes errors of ours alone."""

    def request(self, line: str) -> None:
        """Requests are not written."""

    def event(self, level: str, event: str, **details: object) -> None:
        if level == "error":
            super().event(level, event, **details)


def _joined(lines: list[bytes]) -> list[bytes]:
    """Lines in parts that a pipe takes whole, so that those of several workers do not mix. A
    longer line is a part of its own."""
    parts: list[bytes] = []
    for line in lines:
        if parts and len(parts[-1]) + len(line) <= ATOMIC_BYTES:
            parts[-1] += line
        else:
            parts.append(line)
    return parts


def now() -> str:
    """The time in UTC, to the millisecond."""
    seconds = time.time()
    whole = int(seconds)
    return f"{_second(whole)}.{int(1000 * (seconds - whole)):03}Z"


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _quoted(value: object) -> str:
    return _quoted_string(value) if type(value) is str else json.dumps(value, separators=(",", ":"))


_quoted_string = lru_cache(maxsize=256)(json.dumps)  # paths and names of models, mostly


def request_line(
    id: str, method: str, path: str, status: int, seconds: float, details: dict[str, object]
) -> str:
    """A line about a request.

    >>> request_line("7", "GET", "/", 200, 0.0012, {})[-57:]
    '"id":"7","method":"GET","path":"/","status":200,"ms":1.2}'
    """
    level = "error" if status == 500 else "info"
    shown = _quoted(path[:200])
    more = ""
    for name, value in details.items():
        more += f',"{name}":{value if type(value) is int else _quoted(value)}'
    ms = round(1e3 * seconds, 3)
    return (
        f'{{"time":"{now()}","level":"{level}","event":"request",'
        f'"pid":{os.getpid()},"id":"{id}","method":"{method}","path":{shown},'
        f'"status":{status},"ms":{ms}{more}}}'
    )


class LogHandler(logging.Handler):
    """Messages of uvicorn and of the library, as lines of the log."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            self._log.failure(record.name, error, message=record.getMessage().strip())
        else:
            self._log.event(record.levelname.lower(), record.name, message=record.getMessage())


def send_logging_to(log: Log) -> None:
    """Let the loggers that we know write to the log."""
    for name in ("uvicorn", "wordplane", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [LogHandler(log)], False
