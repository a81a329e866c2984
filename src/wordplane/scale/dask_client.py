"""Clients of Dask: of a cluster that is there, or of one on this machine that ends with the work.

Whoever can connect to a scheduler or a worker runs code as its user, since Dask unpickles what it
is sent. So a cluster that is started here takes only connections with a certificate, which is made
for it, is never written to disk, and is known to no other process. What a cluster that is there
takes is up to whoever has started it (docs/scale.md).
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import wordplane
from wordplane.common.errors import InputError, MissingExtraError, WordplaneError
from wordplane.common.threads import thread_count

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

LOCAL = "local"
LOOPBACK = "127.0.0.1"
CONNECT_SECONDS = 20


@contextmanager
def open_client(
    dask: str | Client, n_jobs: int | None, memory: float, folder: Path
) -> Iterator[Client]:
    """A client that was given, or one of the cluster at an address; "local" starts one here.

    memory  for "local": bytes of all workers together
    folder  for "local": where workers keep their files
    """
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("Dask is not installed", "dask") from None
    if isinstance(dask, distributed.Client):
        check_versions(dask)
        yield dask
        return
    if not isinstance(dask, str):
        raise InputError(f"`dask` is {dask!r}, expected a Client, an address or {LOCAL!r}")
    if dask == LOCAL:
        with _local_client(thread_count(n_jobs), memory, folder) as client:
            yield client
        return
    with _connect(dask) as client:
        check_versions(client)
        yield client


def check_versions(client: Client) -> None:
    """Refuse workers that do not have this version of Wordplane."""
    version = wordplane.__version__
    for worker, found in client.run(_version, on_error="return").items():
        if found == version or isinstance(found, OSError):  # OSError: it has just died
            continue
        if isinstance(found, ModuleNotFoundError):
            raise InputError(f"the worker {worker} does not have {found.name}: install it there")
        shown = f"has Wordplane {found}" if isinstance(found, str) else f"answers {found!r:.200}"
        raise InputError(
            f"the worker {worker} {shown}, and this is Wordplane {version}: install the same "
            "version everywhere"
        )


def _version() -> str:
    return wordplane.__version__


def _connect(address: str) -> Client:
    import distributed
    from distributed.comm.addressing import parse_host_port

    try:
        with suppress(ValueError):  # of an address without a host: Dask says what is wrong with it
            socket.getaddrinfo(parse_host_port(address, 0)[0], None)
        return distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except socket.gaierror as error:
        raise InputError(
            f"the name of the scheduler in {address} is not known to this machine "
            f"({error.strerror}): check its spelling and the network"
        ) from None
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise InputError(
            f"no scheduler of Dask answers at {address} ({error}): expected an address such as "
            "tcp://10.0.0.1:8786, or tls://10.0.0.1:8786 with the certificates in Dask's "
            "configuration, or 'local'"
        ) from None


@contextmanager
def _local_client(n_workers: int, memory: float, folder: Path) -> Iterator[Client]:
    import distributed

    with _no_children_left():
        cluster = _start_cluster(n_workers, memory, folder)
        try:
            with distributed.Client(cluster, set_as_default=False) as client:
                yield client
        finally:
            with suppress(TimeoutError):  # of workers that end slowly
                cluster.close()


def _start_cluster(n_workers: int, memory: float, folder: Path) -> LocalCluster:
    import dask
    from distributed import LocalCluster
    from distributed.security import Security
    from distributed.utils import silence_logging_cmgr

    try:
        security = Security.temporary()
    except ImportError:
        raise MissingExtraError(
            "`dask='local'` needs cryptography, to keep other users out of its workers", "dask"
        ) from None
    # Pages about the work are for everybody who can reach the machine.
    pages = ("distributed.scheduler.http.routes", "distributed.worker.http.routes")
    try:
        with dask.config.set({name: [] for name in pages}), silence_logging_cmgr(logging.CRITICAL):
            return LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                memory_limit=int(memory / n_workers),
                local_directory=str(folder),
                host=LOOPBACK,
                dashboard_address=f"{LOOPBACK}:0",
                worker_dashboard_address=f"{LOOPBACK}:0",
                security=security,
            )
    except Exception as error:  # whatever Dask raises, it has not started
        raise WordplaneError(
            f"the workers of Dask could not be started on this machine ({error}): there may be too "
            "little memory, or too many processes; take fewer (`n_jobs`), or train without `dask`"
        ) from error


@contextmanager
def _no_children_left() -> Iterator[None]:
    """End workers that were started and did not get to end by themselves, as after Ctrl-C."""
    from multiprocessing import active_children

    before = set(active_children())
    try:
        yield
    finally:
        for child in set(active_children()) - before:
            child.kill()
            child.join(1)
