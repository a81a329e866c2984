"""The pages say what is so: examples, tables, names. (`make docs` runs the pages with charts.)"""

import doctest
import json
import re
from pathlib import Path

import pytest

import wordplane
from wordplane.cli import VERBS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [
    page.relative_to(DOCS).as_posix()
    for page in (
        *sorted((DOCS / "learners").glob("*.md")),
        *sorted((DOCS / "guide").glob("*.md")),
        DOCS / "notation.md",
    )
    if ">>> " in page.read_text(encoding="utf-8")
]
ALL_PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("*/*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_python(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert len(test.examples) >= 3


def test_every_learner_has_an_example():
    learners = {f"learners/{page.name}" for page in (DOCS / "learners").glob("*.md")}
    assert len(learners) >= 10 and learners <= set(PAGES)


@pytest.fixture
def table(monkeypatch):
    """What writes the tables."""
    monkeypatch.syspath_prepend(str(ROOT))
    module = pytest.importorskip("benchmarks.table", reason="no benchmarks in this copy")
    if not module.reports():
        pytest.skip("no results in this copy")
    return module


def between(path, marks):
    return path.read_text(encoding="utf-8").partition(marks[0])[2].partition(marks[1])[0]


def test_tables_of_speed_are_those_of_the_results(table):
    found = table.reports()
    home = between(DOCS / "index.md", table.SPEED)
    assert home == "\n".join(table.speed_at_a_glance(found)) + "\n"
    assert between(ROOT / "README.md", table.SPEED) == "\n".join(table.headlines(found)) + "\n"
    assert (DOCS / "benchmarks.md").read_text(encoding="utf-8") == table.speed_page(found)


def test_table_of_accuracy_is_that_of_the_results(table):
    home = between(DOCS / "index.md", table.ACCURACY)
    assert home == "\n".join(table.accuracy_at_a_glance()) + "\n"
    rows = re.findall(r"^\| .* \| ([\d.]+) % \| ([\d.]+) % \|$", home, re.MULTILINE)
    assert len(rows) == 6


def test_results_count_their_cells_right():
    text = (DOCS / "results.md").read_text(encoding="utf-8")
    claims = re.findall(
        r"Of (\d+) cells, (\d+) reach the published figure, (\d+) lie below it with the figure "
        r"inside their interval, and (\d+|none) fall short",
        text,
    )
    tables = re.findall(r"((?:^\| \w+-(?:uni|bi) \|.*\n){6})", text, re.MULTILINE)
    assert len(claims) == len(tables) == 2
    for claim, cells in zip(claims, tables, strict=True):
        found = re.findall(r"([\d.]+)<br>\([\d.]+ to ([\d.]+)\)(?:\*\*)?<br>([\d.]+)", cells)
        numbers = [tuple(map(float, cell)) for cell in found]
        reached = sum(ours >= figure for ours, _, figure in numbers)
        inside = sum(ours < figure <= high for ours, high, figure in numbers)
        short = sum(high < figure for _, high, figure in numbers)
        said = tuple(0 if word == "none" else int(word) for word in claim)
        assert said == (len(numbers), reached, inside, short)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_of_the_report_are_small(scheme):
    picture = (DOCS / "_static" / f"report-{scheme}.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) < 200_000


def test_every_verb_is_listed():
    listed = (DOCS / "verbs" / "index.md").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"`wordplane {verb}" not in listed] == []


@pytest.fixture
def extensions(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))


def test_reference_has_every_public_name(extensions):
    import api

    found = api.Reference()
    for name in wordplane.__all__:
        if name == "datasets":
            assert "wordplane.datasets.docstrings" in found.entries
        else:
            assert found.entries[f"wordplane.{name}"].page == name
    tasks = {name: found.entries[f"wordplane.{name}"].task for name in ("read", "load", "compare")}
    assert tasks == {"read": "read", "load": "deploy", "compare": "evaluate"}
    assert found.entries["wordplane.Perceptron"].task == "learn"
    # Rare classes live in their packages, and have pages as well.
    rare = found.entries["wordplane.learners.HandSetWeights"]
    assert (rare.page, rare.shown, rare.task) == (
        "HandSetWeights",
        "learners.HandSetWeights",
        "learn",
    )
    assert found.entries["wordplane.features.Weighting"].task == "features"
    # What is returned is found by annotations, also those that only the type checker evaluates.
    assert found.entries["wordplane.model.explanation.Explanation"].is_result
    assert found.entries["wordplane.data.corpus.Corpus"].is_result
    pages = {entry.page.lower(): entry.page for entry in found.entries.values()}
    assert len(pages) == len({entry.page for entry in found.entries.values()})


def test_names_spelled_out_on_pages_exist(extensions):
    import api

    missing = [
        (page.name, path)
        for page in ALL_PAGES
        for path in api.SPELLED.findall(page.read_text(encoding="utf-8"))
        if api.resolve(path) is None
    ]
    assert missing == []


DOCSTRING = """\
Sums x_i for all |x| > 1; `Corpus`es, `a|b`, and *n't stay.

    w += x     (a formula)

name    what it is,
        in two lines
other   coef_ and more

Parameters
----------
classes_, coef_ : list of *str*
    With `keep`, the weights_ of all.

>>> 1 * 2
2
"""
AS_RST = """\
Sums x_i for all \\|x\\| > 1; :py:obj:`Corpus`\\ es, ``a|b``\\ , and \\*n't stay.

.. code-block:: text

        w += x     (a formula)

* **name** -- what it is, in two lines
* **other** -- coef\\_ and more

Parameters
----------
classes_, coef_ : list of *str*
    With :py:obj:`keep`\\ , the weights\\_ of all.

>>> 1 * 2
2

"""


def test_docstrings_become_restructured_text(extensions):
    import docstrings

    found = docstrings.rewrite(DOCSTRING.splitlines(), "* **{}** -- ")
    assert "\n".join(found) + "\n" == AS_RST


@pytest.mark.parametrize(
    "name", ["die", "margins", "descent", "gradients", "perceptron-epochs", "lab", "neighbors"]
)
def test_a_demo_on_a_page_prints_what_the_command_prints(extensions, capsys, name):
    import demo_cells

    from wordplane.demos import find_demo

    cell = demo_cells.demo_cell(name)
    assert "Shown" not in cell and "return Shown" not in cell
    exec(compile(cell, name, "exec"), {})
    assert capsys.readouterr().out == f"{find_demo(name)()}\n"


def test_every_demo_is_code_at_the_top_level(extensions):
    import demo_cells

    from wordplane.demos import DEMOS

    for name in (name for names in DEMOS.values() for name in names):
        cell = demo_cells.demo_cell(name)
        compile(cell, name, "exec")  # no `return` in the middle
        assert "Shown(" not in cell, "a variable has the name of another demo"


def test_every_demo_is_on_a_page(extensions):
    import demo_cells

    from wordplane.demos import DEMOS

    shown = {
        name for page in ALL_PAGES for name in demo_cells.DEMO.findall(page.read_text("utf-8"))
    }
    assert {name for names in DEMOS.values() for name in names} == shown


def test_pages_to_touch_are_on_pages(extensions):
    import demo_cells

    text = (DOCS / "gallery" / "touch.md").read_text(encoding="utf-8")
    framed = demo_cells.TOUCH.findall(text)
    linked = re.findall(r'href="\.\./touch/([\w-]+)\.html"', text)
    assert {*framed, *linked, "precision-recall"} == set(demo_cells.PAGES)
    assert 'src="../touch/roc.html"' in demo_cells.touch_frame("roc", "gallery/touch")


def test_notebooks_need_nothing_of_the_pages(extensions):
    import demo_cells

    cells = [
        {"cell_type": "code", "metadata": {"tags": ["remove-cell"]}, "source": ["import page"]},
        {
            "cell_type": "code",
            "metadata": {},
            "source": ["1"],
            "outputs": [{"data": {"text/html": ['<path fill="var(--chart-blue)">']}}],
        },
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": ['<p><a href="../x.ipynb" download>This page as a notebook</a></p>'],
        },
    ]
    book = json.loads(demo_cells.as_notebook(json.dumps({"cells": cells})))
    assert [cell["cell_type"] for cell in book["cells"]] == ["code", "markdown"]
    assert book["cells"][0]["outputs"][0]["data"]["text/html"] == ['<path fill="#2f6fde">']
    assert book["cells"][1]["source"] == [""]


def test_what_fell_beside_its_peer_is_named(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT))
    harness = pytest.importorskip("benchmarks.harness", reason="no benchmarks in this copy")
    monkeypatch.setattr(harness, "RESULTS", tmp_path)
    before, now = harness.Subject("counting", 1), harness.Subject("counting", 1)
    for task, was, is_now in [("words", 10, 8.4), ("pairs", 10, 8.6), ("lines", 10, 12)]:
        before.ratio(task, "wordplane", "peer", was)
        now.ratio(task, "wordplane", "peer", is_now)
    now.ratio("new", "wordplane", "peer", 0.1)
    assert harness.fallen(now) == []
    harness.save(before)
    assert harness.fallen(now) == ["words, wordplane, beside peer: 10 -> 8.4 times as fast"]


def test_old_measurements_are_marked(table):
    reports = {
        "old": {"date": "2026-01-01", "commit": "1234567"},
        "week": {"date": "2026-01-03"},
        "new": {"date": "2026-01-10", "commit": "89abcde+"},
    }
    shown = [table.measured(reports, subject) for subject in reports]
    assert shown == ["2026-01-01, 1234567 (old)", "2026-01-03", "2026-01-10, 89abcde+"]
