"""Learns in the background while people label: nobody waits for the model."""

from __future__ import annotations

import threading
from collections.abc import Callable

from wordplane.annotation.project import Project

POLL_SECONDS = 0.2


class BackgroundLearner:
    """A thread that prepares a project and then learns whenever there are new answers.

    >>> import tempfile, time
    >>> folder = tempfile.TemporaryDirectory()
    >>> project = Project.create(f"{folder.name}/p.db", ["a b", "a c", "d e", "d f"])
    >>> with BackgroundLearner(project):
    ...     for text, label in ((1, "x"), (2, "x"), (3, "y")):
    ...         project.label(text, label, add=True)
    ...     while project.is_behind:
    ...         time.sleep(0.01)
    >>> project.learned.n_labels
    3
    >>> project.close(); folder.cleanup()
    """

    def __init__(
        self, project: Project, failed: Callable[[BaseException], None] | None = None
    ) -> None:
        self._project, self._failed = project, failed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="learner", daemon=True)

    def __enter__(self) -> BackgroundLearner:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        steps: list[Callable[[], object]] = [
            lambda: self._project.prepare(vectors=False),
            self._project.learn,
            self._project.prepare,
        ]
        while not self._stop.is_set():
            try:
                if steps:
                    steps.pop(0)()
                elif self._project.is_behind:
                    self._project.learn()
                else:
                    self._stop.wait(POLL_SECONDS)
            except Exception as error:  # the next answer may mend it
                if self._failed is not None:
                    self._failed(error)
                self._stop.wait(5.0)
