"""The process that starts workers, replaces those that die, and swaps models.

Workers are forked with the models in memory, so all of them share the pages of the models, and a
worker that dies is replaced in milliseconds. (uvicorn's own supervisor spawns: every worker would
read the models again and keep a copy.) A model is swapped by forking new workers from a catalog
that has it, and then retiring the old ones; a file that cannot be read changes nothing.

The supervisor itself answers no requests and has no threads and no event loop, which makes forking
safe at any time.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

import wordplane
from wordplane.common.errors import WordplaneError
from wordplane.serving.catalog import Catalog
from wordplane.serving.counters import Counters
from wordplane.serving.feedback import Feedback, prepare_store
from wordplane.serving.feedback_learning import Learner, check_learnable
from wordplane.serving.listening import address_of, bind, check_certificate
from wordplane.serving.logs import Log, send_logging_to
from wordplane.serving.monitoring import IN_FLIGHT, RESTARTS, Metrics, add_series, loads
from wordplane.serving.recent import Rings
from wordplane.serving.service import PATHS, Service
from wordplane.serving.settings import MIB, ServeOptions
from wordplane.serving.worker import run_worker

POLL_SECONDS = 0.5  # between two looks at the files of the models
START_SECONDS = 5.0
SLOTS_PER_WORKER = 4  # for those that retire while others have started
YOUNG_SECONDS = 1.0  # a worker that dies younger is replaced after a while
MAX_BACKOFF = 1.0
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
RETIRE = signal.SIGUSR1


@dataclass
class _Worker:
    pid: int
    slot: int
    started: float
    ready: int  # a pipe that the worker writes a byte to when it can answer
    is_retiring: bool = False


class Supervisor:
    """Serves the models of the options; `run` returns when the service was stopped."""

    def __init__(self, options: ServeOptions, catalog: Catalog) -> None:
        self.options, self.catalog, self.log = options, catalog, Log()
        check_certificate(options)
        if options.feedback is not None:
            prepare_store(options.feedback)
        self._learnable = check_learnable(self.catalog) if options.learn else []
        self._learner = 0  # the process id
        self._is_stopping = False
        self.listener = bind(options.host, options.port)
        n_slots = 1 + SLOTS_PER_WORKER * options.workers
        self._counters, self._rings = Counters(n_slots), Rings(n_slots if options.feedback else 1)
        add_series(self._counters, PATHS, self.catalog)
        self._own = self._counters.slot(0)
        for name in self.catalog.models:
            self._own[self._counters.index[loads(name)]] += 1
        self._free = list(range(1, n_slots))
        self._workers: dict[int, _Worker] = {}
        self._lifeline, self._lifeline_end = os.pipe()
        self._received: list[int] = []
        self._young_deaths, self._start_after = 0, 0.0
        self._pending: set[str] = set()  # models to be read when there are free slots

    @property
    def address(self) -> str:
        """Where the page is."""
        return address_of(self.listener, self.options)

    def run(self, announce: Callable[[str], None]) -> None:
        """Serve until SIGTERM or SIGINT; `announce` is called when requests are answered."""
        send_logging_to(self.log)
        wakeup, wakeup_end = os.pipe()
        os.set_blocking(wakeup_end, False)
        before = {number: signal.getsignal(number) for number in SIGNALS}
        for number in SIGNALS:
            signal.signal(number, lambda got, _: self._received.append(got))
        old_wakeup = signal.set_wakeup_fd(wakeup_end, warn_on_full_buffer=False)
        try:
            self._wait_for([self._start_worker() for _ in range(self.options.workers)])
            self._start_learner()
            announce(self.address)
            self._log_start()
            while not self._tick(wakeup):
                pass
            self._stop(wakeup)
        finally:
            signal.set_wakeup_fd(old_wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)
            self.listener.close()

    def _log_start(self) -> None:
        models = {model.name: model.digest for model in self.catalog.models.values()}
        self.log.event(
            *("info", "started"),
            version=wordplane.__version__,
            address=self.address,
            workers=self.options.workers,
            models=models,
        )

    def _tick(self, wakeup: int) -> bool:
        """Wait for something to do, and do it. Returns whether to stop."""
        ready, _, _ = select.select([wakeup], [], [], POLL_SECONDS)
        if ready:
            os.read(wakeup, 4096)
        received, self._received = self._received, []
        if signal.SIGTERM in received or signal.SIGINT in received:
            return True
        self._reap()
        if self._learner == 0 and time.monotonic() >= self._start_after:
            self._start_learner()
        missing = self.options.workers - sum(not w.is_retiring for w in self._workers.values())
        if missing > 0 and time.monotonic() >= self._start_after:
            for _ in range(missing):
                self._start_worker()
        if signal.SIGHUP in received:
            self._pending.update(self.catalog.models)
        self._pending.update(self.catalog.changed())
        if self._pending and len(self._free) >= self.options.workers:
            names, self._pending = sorted(self._pending), set()
            self._swap(names)
        return False

    def _reap(self) -> None:
        """Note the workers that have ended."""
        while self._workers:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            if pid == self._learner:
                # A signal to the whole group may reach it first.
                if not self._is_stopping and code != -signal.SIGTERM:
                    self.log.event("error", "learner-died", learner=pid, code=code)
                self._learner, self._start_after = 0, time.monotonic() + MAX_BACKOFF
            worker = self._workers.pop(pid, None)
            if worker is None:
                continue
            self._close_ready(worker)
            self._counters.slot(worker.slot)[self._counters.index[IN_FLIGHT]] = 0.0
            self._free.append(worker.slot)
            if worker.is_retiring:
                continue
            self._own[self._counters.index[RESTARTS]] += 1
            is_young = time.monotonic() - worker.started < YOUNG_SECONDS
            self._young_deaths = self._young_deaths + 1 if is_young else 0
            if self._young_deaths > 1:
                delay = min(0.02 * 2**self._young_deaths, MAX_BACKOFF)
                self._start_after = time.monotonic() + delay
            self.log.event("error", "worker-died", worker=pid, code=code)

    def _swap(self, names: list[str]) -> None:
        """Read models again; if any can be, replace the workers by some that have them."""
        start = time.perf_counter()
        catalog, failed = self.catalog.reload(
            names, self.options.conformal, self.options.worker_threads
        )
        for name, error in failed.items():
            self._note_failure(name, describe(error))
        before, self.catalog = self.catalog, catalog
        fresh = [name for name in names if name not in failed]
        if not fresh:
            return
        add_series(self._counters, PATHS, catalog)
        old = [worker for worker in self._workers.values() if not worker.is_retiring]
        new = [self._start_worker() for _ in range(self.options.workers)]
        if not self._wait_for(new):
            self.catalog = before.undo(catalog)
            self._retire(new)
            for name in fresh:
                self._note_failure(name, "workers do not start with it")
            return
        for name in fresh:
            self._own[self._counters.index[loads(name)]] += 1
        self._retire(old)
        digests = {name: catalog.models[name].digest for name in fresh}
        seconds = round(time.perf_counter() - start, 3)
        self.log.event("info", "models-loaded", models=digests, seconds=seconds)

    def _note_failure(self, name: str, why: str) -> None:
        self._own[self._counters.index[loads(name, failed=True)]] += 1
        self.log.event("error", "model-not-loaded", model=name, error=why)

    def _retire(self, workers: list[_Worker]) -> None:
        for worker in workers:
            worker.is_retiring = True
            with suppress(ProcessLookupError):
                os.kill(worker.pid, RETIRE)

    def _start_worker(self) -> _Worker:
        slot = self._free.pop(0)
        ready, ready_end = os.pipe()
        gc.collect()
        gc.freeze()  # collections in workers leave the pages of what is here alone
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, RETIRE})
        pid = os.fork()
        if pid == 0:
            os.close(ready)
            self._be_worker(slot, ready_end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, RETIRE})
        os.close(ready_end)
        worker = _Worker(pid, slot, time.monotonic(), ready)
        self._workers[pid] = worker
        return worker

    def _be_worker(self, slot: int, ready: int) -> NoReturn:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            os.close(self._lifeline_end)
            metrics = Metrics(self._counters, slot, PATHS, self.catalog)
            path = self.options.feedback
            most = self.options.limits.max_feedback * MIB
            feedback = None if path is None else Feedback(path, most, self._rings, slot)
            service = Service(self.catalog, self.options, metrics, self.log, feedback)
            run_worker(service, self.listener, self._lifeline, ready)
            code = 0
        except BaseException as error:
            self.log.failure("worker-failed", error)
        finally:
            self.log.flush()
            os._exit(code)

    def _start_learner(self) -> None:
        if not self._learnable or self.options.feedback is None:
            return
        pid = os.fork()
        if pid:
            self._learner = pid
            return
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            self.listener.close()
            paths = {name: self.catalog.models[name].path for name in self._learnable}
            Learner(paths, self.options.feedback, self.log).run()
            code = 0
        except BaseException as error:
            self.log.failure("learner-failed", error)
        finally:
            os._exit(code)

    def _wait_for(self, workers: list[_Worker]) -> bool:
        """Wait until new workers can answer, or have failed, or it has been long enough. Returns
        whether none has failed."""
        n_failed = 0
        until = time.monotonic() + START_SECONDS
        waiting = {worker.ready: worker for worker in workers}
        while waiting and time.monotonic() < until:
            closed, _, _ = select.select(list(waiting), [], [], until - time.monotonic())
            for ready in closed:
                n_failed += os.read(ready, 1) == b""
                self._close_ready(waiting.pop(ready))
        return n_failed == 0

    def _close_ready(self, worker: _Worker) -> None:
        if worker.ready >= 0:
            os.close(worker.ready)
            worker.ready = -1

    def _stop(self, wakeup: int) -> None:
        """Let the workers finish; those that do not are killed."""
        self._is_stopping, begin = True, time.monotonic()
        self.log.event("info", "stopping")
        self.listener.listen(0)  # nobody else may connect; the workers accept those who have
        self.listener.close()
        self._signal_all(signal.SIGTERM)
        until = begin + self.options.limits.max_seconds + 2
        while self._workers and time.monotonic() < until:
            select.select([wakeup], [], [], 0.1)
            for worker in self._workers.values():
                worker.is_retiring = True
            self._reap()
            if signal.SIGINT in self._received:  # again: do not wait
                break
        n_killed = len(self._workers)
        self._signal_all(signal.SIGKILL)
        seconds = round(time.monotonic() - begin, 3)
        self.log.event("info", "stopped", seconds=seconds, killed=n_killed)

    def _signal_all(self, number: int) -> None:
        for pid in (*self._workers, *([self._learner] if self._learner else [])):
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def describe(error: Exception) -> str:
    """What an error says; if it is none of ours, also its kind."""
    is_ours = isinstance(error, WordplaneError | OSError)
    return str(error) if is_ours else f"{type(error).__name__}: {error}"
