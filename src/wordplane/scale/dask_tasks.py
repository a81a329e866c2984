"""Named tasks on the workers of Dask, and clear errors where they end.

Tasks are functions of this package and what they are given: the same result, whoever computes it
and how often. So Dask may compute again what a dead worker had. What a task returns stays with the
worker, until it is asked for.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from wordplane.common.errors import InputError, WordplaneError
from wordplane.common.progress import notify
from wordplane.learners.support.row_blocks import Sums
from wordplane.scale.dask_client import LOCAL, open_client
from wordplane.scale.disk_arrays import Store

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")
PATIENCE = 30  # seconds without any worker
MOST_LOST = 3  # workers in one step, or all of them
ADDED_AT_ONCE = 4
CLEAR_TRIES = 40  # twentieths of a second


class DaskTasks:
    """Tasks of one training. Their names begin as the dashboard shows them."""

    def __init__(self, client: Client, store: Store) -> None:
        self.client, self.store = client, store
        self._run = f"0{os.urandom(4).hex()}"
        self._n_calls = 0
        self._futures: WeakSet[Future] = WeakSet()
        self._sent: set[str] = set()  # all tasks, if they share a folder
        self._placed: list[str] = []  # tasks that a worker should best have

    def map(
        self,
        name: str,
        function: Callable[..., object],
        *by_task: Sequence[object],
        places: Sequence[str] = (),
    ) -> list[Future]:
        """function(a, b ...) for the a, b ... of every task.

        places  the worker that should best have each task; nothing if any may
        """
        import dask

        keys = self._keys(name, len(by_task[0]))
        futures: list[Future] = []
        # What is sent with tasks stays with the scheduler, for when a worker dies.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            for place, tasks in _runs(places, len(keys)):
                given = [each[tasks] for each in by_task]
                where = {"workers": [place], "allow_other_workers": True} if place else {}
                futures += self.client.map(function, *given, key=keys[tasks], pure=False, **where)
        self._futures.update(futures)
        self._placed += keys if places else []
        if self.store.folder is not None:
            self._sent.update(keys)
        return futures

    def spread(self, n_tasks: int) -> list[str]:
        """Places of tasks: those that follow each other have the same worker."""
        workers = sorted(self.client.scheduler_info(n_workers=-1)["workers"])
        return [workers[task * len(workers) // n_tasks] for task in range(n_tasks) if workers]

    def submit(self, name: str, function: Callable[..., object], *args: object) -> Future:
        """function(*args)."""
        return self.map(name, function, *([arg] for arg in args))[0]

    def send(self, name: str, value: object) -> Future:
        """A value that tasks can take."""
        return self.submit(name, echo, value)

    def add_up(self, futures: list[Future]) -> Future:
        """The sum of tuples of arrays, added in an order that depends on their number alone."""
        while len(futures) > 1:
            groups = [futures[i : i + ADDED_AT_ONCE] for i in range(0, len(futures), ADDED_AT_ONCE)]
            futures = self.map("add-up", add_arrays, groups)
        return futures[0]

    def collect(self, futures: list[Future], job: str = "") -> list[Any]:
        """What tasks return, in order; errors as `finish` has them."""
        self.finish(futures, job)
        with _clear_errors():
            # Workers may die before they have sent it, so that this takes as long as the tasks did.
            gathered = self.client.gather(futures, asynchronous=True)
            results: list[Any] = self._await(gathered, _Watch(self.client).look)
        return results

    def finish(self, futures: list[Future], job: str = "") -> None:
        """Wait for tasks; an error if nobody is left to run them. Progress is reported."""
        watch = _Watch(self.client)

        def look() -> None:
            watch.look()
            self._let_go()
            if job:
                notify(job, sum(future.done() for future in futures), len(futures))

        with _clear_errors():
            self._await(self._all_done(futures), look, patience=0.1 if self._placed else 1.0)
            self._let_go()
        if job:
            notify(job, len(futures), len(futures))

    async def _all_done(self, futures: list[Future]) -> None:
        from distributed import wait

        with self.client.as_current():
            await wait(futures)

    def _await(
        self, work: Coroutine[object, object, T], look: Callable[[], None], patience: float = 1.0
    ) -> T:
        """What work of Dask's loop returns, with a look after so many seconds, and at each second
        from then on.

        If Dask were asked to give up after a time, the frames of its TimeoutError would hold what
        it was asked for: workers kept the results of all steps, and wrote them to disk.
        """
        from asyncio import run_coroutine_threadsafe
        from concurrent.futures import wait

        future = run_coroutine_threadsafe(work, self.client.loop.asyncio_loop)
        try:
            while not wait([future], timeout=patience).done:
                look()
                patience = 1.0
            return future.result()
        finally:
            future.cancel()

    def _let_go(self) -> None:
        """Let any worker have the tasks that were placed: what Dask has to compute again when all
        workers have died would else wait for one that never comes back."""
        if self._placed:
            keys: dict[str, None] = dict.fromkeys(self._placed)
            with suppress(KeyError):  # the scheduler does not know them yet: next time
                self.client.sync(self.client.scheduler.set_restrictions, worker=keys)
                self._placed = []

    def clear(self, phase: str, *names: str) -> None:
        """Remove the arrays of a phase, which the tasks with these names kept, from a folder that
        all workers see; only when no worker has such an array any more. Else Dask would make use
        of it when it computes again what a dead worker had."""
        gc.collect()  # rows that hold themselves would stay on disk
        if self.store.folder is None:
            return
        begun = tuple(f"{name}-{self._run}-" for name in names)
        keys = [key for key in self._sent if key.startswith(begun)]
        for _ in range(CLEAR_TRIES):
            has = self.client.sync(self.client.scheduler.who_has, keys=keys)
            doing = self.client.sync(self.client.scheduler.processing, workers=None)
            busy = (key for each in doing.values() for key in each)
            if not any(has.values()) and not any(str(key).startswith(begun) for key in busy):
                self.store.of(phase).clear()
                self._sent.difference_update(keys)
                return
            time.sleep(0.05)

    def close(self) -> None:
        """Give back what is left with the workers."""
        for future in list(self._futures):
            future.release()

    def _keys(self, name: str, n_tasks: int) -> list[str]:
        self._n_calls += 1
        return [f"{name}-{self._run}-{self._n_calls}-{task}" for task in range(n_tasks)]


class _Watch:
    """Sees whether tasks still have a chance."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._known: set[str] = set()
        self._n_lost = 0
        self._alone_since: float | None = None

    def look(self) -> None:
        """Raise an error if scheduler or workers are gone, or if workers die again and again."""
        if self.client.status != "running":
            raise WordplaneError("the scheduler of Dask is gone: start it, and train again")
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        self._n_lost += len(self._known - set(workers))
        most = max(MOST_LOST, len(self._known), len(workers))
        self._known = set(workers)
        if self._n_lost > most:
            raise WordplaneError(
                f"workers of Dask have died {self._n_lost} times in one step, maybe for want of "
                "memory: give them more, and see their logs"
            )
        if any(worker.get("status") == "running" for worker in workers.values()):
            self._alone_since = None
            return
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() - self._alone_since > PATIENCE:
            raise WordplaneError(
                f"no worker of Dask has been running for {PATIENCE} s: they are dead, or paused "
                "because their memory is full; start workers with more memory"
            )


@contextmanager
def open_tasks(
    dask: str | Client, n_jobs: int | None, memory: float, folder: Path, *, shared: bool
) -> Iterator[DaskTasks]:
    """Tasks on the cluster of a client or an address; "local" starts one on this machine.

    memory  for "local": bytes of all workers together
    folder  where workers keep blocks, if it is `shared`, which all are on this machine
    """
    with open_client(dask, n_jobs, memory, folder) as client:
        is_seen = shared or dask == LOCAL
        if is_seen:
            _check_folder(client, folder)
        tasks = DaskTasks(client, Store(str(folder) if is_seen else None))
        try:
            yield tasks
        finally:
            tasks.close()


def _check_folder(client: Client, folder: Path) -> None:
    for worker, seen in client.run(sees, str(folder), on_error="return").items():
        if seen is False:
            raise InputError(
                f"the worker {worker} does not see {folder}: name a folder with `scratch` that all "
                "workers see, or none"
            )


@contextmanager
def _clear_errors() -> Iterator[None]:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise WordplaneError(
            f"workers of Dask died several times at the task {error.task}, maybe for want of "
            "memory: give them more, or more of them, and see their logs"
        ) from error
    except RuntimeError as error:
        # What Dask says, though there is no actor, if a task fails that it computes again.
        if "Actor was lost" not in str(error):
            raise
        raise WordplaneError(
            "workers of Dask died, and what they had could not be computed again: train again"
        ) from error
    except (CancelledError, CommClosedError) as error:
        raise WordplaneError(
            "the scheduler of Dask is gone, or the work was cancelled there: train again"
        ) from error


def sees(folder: str) -> bool:
    """Whether a worker sees a folder."""
    return Path(folder).is_dir()


def echo(value: object) -> object:
    """The value that was sent."""
    return value


def _runs(places: Sequence[str], n_tasks: int) -> Iterator[tuple[str, slice]]:
    """Tasks that follow each other at the same place."""
    begin = 0
    for place, tasks in groupby(places or [""] * n_tasks):
        end = begin + sum(1 for _ in tasks)
        yield place, slice(begin, end)
        begin = end


def add_arrays(parts: list[Sums]) -> Sums:
    """The sums of the arrays of all parts, place by place."""
    sums = [array.copy() for array in parts[0]]
    for part in parts[1:]:
        for total, array in zip(sums, part, strict=True):
            total += array
    return tuple(sums)
