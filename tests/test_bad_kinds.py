"""Every kind of bad input gets what `docs/bad-input.md` says: the test walks its tables."""

import re
from pathlib import Path

import pytest

import wordplane
from tests.bad_inputs import FILES, VALUES, running
from tests.bad_inputs.cases import GOOD

PAGE = Path(__file__).resolve().parents[1] / "docs" / "bad-input.md"


def tables():
    """The rows of the page: section, input, the word in each column, and what is said."""
    section, columns = None, []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if section is None or not cells or set(cells) == {"---"}:
            continue
        if cells[0] == "input":
            columns = cells[1:-1]
            continue
        name, *words, said = cells
        yield section, name, dict(zip(columns, words, strict=True)), re.findall("`([^`]+)`", said)


ROWS = list(tables())


@pytest.fixture(scope="module")
def good_model():
    texts, labels = zip(*GOOD, strict=True)
    return wordplane.TextClassifier(learner="nb", n_jobs=1).fit(texts, labels)


def check(outcome, word, said, where):
    assert outcome.word == word, f"{where}: {outcome}"
    if word != "read":
        assert any(words in outcome.message for words in said), f"{where}: {outcome.message}"


def test_the_page_has_all_kinds():
    made = [(section, name) for section, kinds in (FILES | VALUES).items() for name in kinds]
    assert [row[:2] for row in ROWS] == made
    assert len(made) > 400


@pytest.mark.parametrize(
    ("section", "name", "words", "said"),
    [row for row in ROWS if row[0] in FILES],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files(section, name, words, said, tmp_path, monkeypatch, good_model):
    monkeypatch.chdir(tmp_path)
    good_model.save("good.wordplane")
    try:
        case = FILES[section][name](tmp_path)
    except OSError as error:
        pytest.skip(f"this file system cannot hold it: {error}")
    trained = running.run_train(case)
    model = "x.wordplane" if Path("x.wordplane").exists() else "good.wordplane"
    assert (model == "good.wordplane") == (trained.word == "error"), "a model of bad input"
    found = {
        "train": trained,
        "predict": running.run_predict(case, model),
        "evaluate": running.run_evaluate(case, model),
        "read": running.run_read(case),
    }
    for column, outcome in found.items():
        check(outcome, words[column], said, column)
        if outcome.word != "error":
            expected = {"predict": case.n_texts, "read": case.n_read}.get(column, case.n_rows)
            assert outcome.n_rows == expected, column


@pytest.mark.parametrize(
    ("section", "name", "words", "said"),
    [row for row in ROWS if row[0] in VALUES],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values(section, name, words, said, good_model):
    make = VALUES[section][name]
    for column, word in words.items():
        outcome = running.run_values(column, make, good_model)
        check(outcome, word, said, column)
        if outcome.word != "error":
            texts = make()[0]
            assert outcome.n_rows == (len(texts) if hasattr(texts, "__len__") else len(GOOD))
