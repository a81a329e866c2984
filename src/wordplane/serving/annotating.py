"""Serves the page of a project from this process until Ctrl-C or SIGTERM."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from wordplane.annotation.background import BackgroundLearner
from wordplane.annotation.project import Project
from wordplane.serving.annotation_service import AnnotationService
from wordplane.serving.listening import address_of, bind, check_certificate
from wordplane.serving.logs import Log, send_logging_to
from wordplane.serving.settings import ListenOptions
from wordplane.serving.worker import run_worker


def serve_project(
    project: Project, options: ListenOptions, announce: Callable[[str], None], log: Log
) -> None:
    """Serve a project; `announce` is called with the address when the page can be opened."""
    check_certificate(options)
    listener = bind(options.host, options.port)
    address = address_of(listener, options)
    send_logging_to(log)
    lifeline, lifeline_end = os.pipe()
    ready, ready_end = os.pipe()

    def wait() -> None:
        if os.read(ready, 1):
            announce(address)

    threading.Thread(target=wait, daemon=True).start()
    service = AnnotationService(project, options, log)
    try:
        with BackgroundLearner(project, lambda error: log.failure("learning-failed", error)):
            run_worker(service, listener, lifeline, ready_end, is_alone=True)
    finally:
        listener.close()
        for descriptor in (lifeline, lifeline_end, ready):
            os.close(descriptor)
