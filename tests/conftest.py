import gc
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


def pytest_addoption(parser):
    parser.addoption(
        "--cpu-limit",
        type=float,
        metavar="SECONDS",
        help="name tests that use more processor time and are not marked slow; "
        "fail if one uses five times as much, which no busy machine explains",
    )


@pytest.hookimpl(tryfirst=True)  # before marks are selected by
def pytest_collection_modifyitems(items):
    """Whatever looks at a page in a browser is slow."""
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("slow")


def pytest_collection_finish():
    """Thousands of tests and all that they import stay: no collection of garbage looks at them."""
    gc.collect()
    gc.freeze()


def cpu_seconds():
    """Of this process and the processes that it has waited for; a busy machine adds little."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    before = cpu_seconds()
    try:
        return (yield)
    finally:
        item.user_properties.append(("cpu_seconds", cpu_seconds() - before))


def tests_above(reporter, limit):
    """Seconds and names of tests that should be marked slow, the slowest first."""
    reports = [
        report
        for outcome in ("passed", "failed", "xfailed")
        for report in reporter.stats.get(outcome, [])
        if report.when == "call" and "slow" not in report.keywords
    ]
    seconds = [(dict(report.user_properties)["cpu_seconds"], report.nodeid) for report in reports]
    return sorted((pair for pair in seconds if pair[0] > limit), reverse=True)


def pytest_terminal_summary(terminalreporter, config):
    limit = config.getoption("--cpu-limit")
    if limit and (above := tests_above(terminalreporter, limit)):
        terminalreporter.section(f"above {limit:g} s of processor time: shorten, or mark slow")
        for seconds, name in above:
            terminalreporter.line(f"{seconds:6.1f} s  {name}")


def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    limit = session.config.getoption("--cpu-limit")
    if limit and reporter and not session.exitstatus and tests_above(reporter, 5 * limit):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


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


@pytest.fixture(scope="session")
def dataset():
    """Path of a real data set by name; the test skips where it is absent."""

    def find(name):
        path = DATASETS / f"{name}.parquet"
        if not path.exists():
            pytest.skip(f"the data set {name} is not beside this checkout")
        return path

    return find
