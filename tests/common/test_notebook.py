"""Tests of wordplane.common.notebook: the line that says how far the work is."""

import sys
from types import SimpleNamespace

import pytest

from wordplane.common import notebook
from wordplane.common.progress import listen, notify


@pytest.fixture
def shown(monkeypatch):
    """What a notebook was asked to show, with a clock that goes on by a second at every look."""
    found, clock = [], iter(range(10_000))

    class Handle:
        def update(self, what, *, raw):
            found.append(what)

    def display(what, *, raw, display_id):
        found.append(what)
        return Handle()

    shell = SimpleNamespace(kernel=object(), events=SimpleNamespace(register=lambda *_: None))
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    monkeypatch.setattr(notebook, "perf_counter", lambda: float(next(clock)))
    notebook._bar.cache_clear()
    bar = notebook.NotebookBar(shell)
    monkeypatch.setattr(notebook, "_bar", lambda _: bar)
    found.append(bar)
    return found


def test_steps_are_shown_and_gone_when_the_cell_is_done(shown):
    bar = shown.pop()
    notify("fitting <b>", 1, 4)  # the first second is silent
    assert shown == []
    notify("fitting <b>", 2, 4)
    assert shown[-1]["text/plain"] == "fitting <b> 2 of 4, 1 s"
    assert '<progress value="2" max="4">' in shown[-1]["text/html"]
    assert "&lt;b&gt;" in shown[-1]["text/html"]
    notify("reading", 5, 0)
    assert shown[-1]["text/html"].startswith("<progress></progress> reading, ")
    bar.clear()
    assert shown[-1] == {"text/html": "", "text/plain": ""}
    bar.clear()  # of a cell that showed nothing
    assert len(shown) == 3


def test_whoever_listens_is_told_instead(shown):
    shown.pop()
    steps = []
    with listen(lambda *step: steps.append(step)):
        notify("fitting", 1, 2)
        notify("fitting", 2, 2)
    assert steps == [("fitting", 1, 2), ("fitting", 2, 2)]
    assert shown == []


def test_outside_of_a_notebook_nothing_is_shown(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert notebook.notebook_bar() is None
