"""The notebook `first-hour`, run without a network: what a person sees who opens it.

Tests of what the results of wordplane.workflow and the charts of wordplane.plots show.
"""

import os
from pathlib import Path

import pytest

from wordplane.demos.notebooks import make_notebook

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

NOWHERE = "http://127.0.0.1:9"  # nobody listens there


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """Those of first-hour, run in an empty folder."""
    notebook = nbformat.reads(make_notebook("first-hour"), as_version=4)
    place = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    kept = {**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(p).absolute()) for p in paths)}
    no_network = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE)
    client = nbclient.NotebookClient(notebook, timeout=300, resources=place)
    client.execute(env={**kept, **no_network})
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown_by(cells):
    for cell in cells:
        for output in cell.outputs:
            if output.output_type in ("execute_result", "display_data"):
                yield cell.source, output.data


@pytest.mark.slow
def test_no_output_loads_anything(cells):
    n_pictures = 0
    for _, data in shown_by(cells):
        n_pictures += "image/svg+xml" in data
        for kind, content in data.items():
            assert "cdn" not in content
            assert "vega" not in kind
            if kind != "text/html" or "sk-top-container" not in content:  # scikit-learn's own view
                assert "<script" not in content
            if kind != "image/svg+xml":  # whose name spaces are addresses
                assert "src=" not in content
    assert n_pictures == 1


@pytest.mark.slow
def test_every_result_has_a_short_text_and_a_view(cells):
    for source, data in shown_by(cells):
        if source.startswith(("result", "wordplane.a", "wordplane.d", "measured")):
            assert "text/html" in data
            if data["text/plain"]:  # a progress bar that is gone has none
                assert len(data["text/plain"].splitlines()) <= 10


@pytest.mark.slow
def test_an_error_is_two_lines(cells):
    (error,) = cells[-1].outputs
    assert error.ename == "InputError"
    assert error.traceback[0].startswith("line 1: wordplane.train(frame, label=")
    assert "did you mean 'label'?" in error.traceback[-1]
    assert len(error.traceback) == 3
