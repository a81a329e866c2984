"""The Python on the pages prints what the pages say. (`make docs` runs the pages with charts.)"""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = [
    page.relative_to(DOCS).as_posix()
    for folder in ("learners", "guide")
    for page in sorted((DOCS / folder).glob("*.md"))
    if ">>> " in page.read_text(encoding="utf-8")
]


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
