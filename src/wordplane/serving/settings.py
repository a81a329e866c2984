"""The settings of the service."""

import ipaddress
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path

from wordplane.common.errors import InputError
from wordplane.common.threads import available_threads

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a client may ask for. Each limit has an error of its own.

    max_body         MiB of a JSON body
    max_stream       MiB of a CSV or JSONL body, which is kept on disk
    max_texts        texts of a JSON body
    max_answer       MiB of a JSON answer
    max_length       characters of a text
    max_columns      columns of a row of a CSV or JSONL body
    max_seconds      time for an answer, such as 30s; of a CSV or JSONL body, for a batch
    max_requests     requests that a worker answers at the same time
    max_connections  connections that a worker holds
    max_feedback     MiB of the file of feedback
    slow_seconds     time for the head of a request, such as 10s, and for TLS to begin and to end; a
                     body must arrive at 1 KiB/s
    upload_seconds   time for a CSV or JSONL body to arrive, such as 10m; others have max_seconds
    """

    max_body: int = 4
    max_stream: int = 1024
    max_texts: int = 10_000
    max_answer: int = 16
    max_length: int = 1_000_000
    max_columns: int = 1000
    max_seconds: float = 30.0
    max_requests: int = 32
    max_connections: int = 1000
    max_feedback: int = 1024
    slow_seconds: float = 10.0
    upload_seconds: float = 600.0

    def __post_init__(self) -> None:
        for name in (each.name for each in fields(self)):
            if not getattr(self, name) > 0:
                raise InputError(f"`{name}` is {getattr(self, name)}, expected more than 0")


@dataclass(frozen=True, kw_only=True)
class ListenOptions:
    """Where a server listens, and to whom.

    host        the address to bind (default: 127.0.0.1)
    port        where to listen; 0 is any free one (default: 8000)
    token       what clients must send as `Authorization: Bearer TOKEN`; None lets in everybody
    no_token    serve everybody who can reach the host, without a token
    host_names  further names that a browser may call a server without a token by
    tls_cert    a file with the certificate and those above it (PEM): serve HTTPS
    tls_key     the file of its private key, unless that is in the same file
    limits      what a client may ask for
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    no_token: bool = False
    host_names: tuple[str, ...] = ()
    tls_cert: str | None = None
    tls_key: str | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise InputError(f"`port` is {self.port}, expected 0 to 65535")
        if self.tls_key is not None and self.tls_cert is None:
            raise InputError("`tls_key` needs the certificate: pass `tls_cert`")
        if not self.is_local and self.token is None and not self.no_token:
            raise InputError(
                f"`host` is {self.host}, which other machines can reach: pass a `token_file` that "
                "clients must know the content of, or `no_token` to serve everybody"
            )

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the address."""
        return is_loopback(self.host)


@dataclass(frozen=True, kw_only=True)
class ServeOptions(ListenOptions):
    """Which models to serve, where, and to whom.

    models      paths, or NAME=PATH; a model is called like its file unless it is named
    host        the address to bind (default: 127.0.0.1)
    port        where to listen; 0 is any free one (default: 8000)
    workers     processes, which share the memory of the models (default: 1)
    token       what clients must send as `Authorization: Bearer TOKEN`; None lets in everybody
    no_token    serve everybody who can reach the host, without a token
    host_names  further names that a browser may call a server without a token by
    tls_cert    a file with the certificate and those above it (PEM): serve HTTPS
    tls_key     the file of its private key, unless that is in the same file
    feedback    take POST /v1/feedback, and add it to this SQLite file
    conformal   labeled texts that no model has seen, to judge sets of labels by (default: those
                held out in training)
    learn       train resumable models further on feedback, and swap them if they are not worse
    log_texts   put the texts of JSON requests into the log
    limits      what a client may ask for
    """

    models: tuple[str, ...]
    workers: int = 1
    feedback: str | None = None
    conformal: str | None = None
    learn: bool = False
    log_texts: bool = False

    def __post_init__(self) -> None:
        if not self.models:
            raise InputError("no model was given")
        if not 1 <= self.workers <= 256:
            raise InputError(f"`workers` is {self.workers}, expected 1 to 256")
        if self.learn and self.feedback is None:
            raise InputError("`learn` needs the file of feedback: pass `feedback`")
        super().__post_init__()

    @property
    def worker_threads(self) -> int:
        """How many threads each process may use."""
        return max(1, available_threads() // self.workers)


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(path: str) -> str:
    """The first line of a file."""
    try:
        token = Path(path).read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: the token cannot be read: {why}") from None
    if len(token) < 16 or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"{path}: the token has {len(token)} characters, expected 16 or more letters and "
            "digits; make one with: openssl rand -hex 32"
        )
    return token
