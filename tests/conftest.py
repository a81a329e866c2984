import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No time limits: a busy machine is no bug. The same examples on every run, so that a failure is
# that of the change; WORDPLANE_RANDOM=1 (as in `make soak`) looks for new ones, and for more.
IS_SOAK = "WORDPLANE_RANDOM" in os.environ
settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not IS_SOAK,
    max_examples=400 if IS_SOAK else 50,
)
settings.load_profile("default")

# A suite that a shell runs in the background would hand on to its children that Ctrl-C is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"


@pytest.fixture(scope="module")
def browser():
    """Chromium, for the tests of pages."""
    path = shutil.which("chromium")
    if path is None:
        message = "no Chromium here: the page was not looked at in a browser"
        if "WORDPLANE_NEEDS_BROWSER" in os.environ:
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def dataset():
    """Path of a real data set by name; the test skips where it is absent."""

    def find(name):
        path = DATASETS / f"{name}.parquet"
        if not path.exists():
            pytest.skip(f"the data set {name} is not beside this checkout")
        return path

    return find
