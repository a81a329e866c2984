"""Tests of wordplane.workflow.result: how results of all kinds show themselves."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import wordplane
from wordplane.common.errors import InputError
from wordplane.workflow.behavior_tests import BehaviorTest
from wordplane.workflow.result import Result, first_lines

RNG = np.random.default_rng(0)
WORDS = [f"word{i}" for i in range(40)]
LABELS = [f"class {i % 30}" for i in range(600)]
TEXTS = [
    " ".join([f"own{i % 30}", *RNG.choice(WORDS, 12)]) if i % 4 else "one of many alike"
    for i in range(600)
]
CHECK = BehaviorTest("names", "different", ["Anna is here"] * 9, swap=["Anna", "Wei"])


@pytest.fixture(scope="module")
def model():
    return wordplane.train(TEXTS, LABELS, learner="nb").model


MAKE = {
    "train": lambda model: wordplane.train(TEXTS, LABELS, learner="nb"),
    "evaluate": lambda model: wordplane.evaluate(model, TEXTS, LABELS),
    "audit": lambda model: wordplane.audit(TEXTS, LABELS),
    "compare": lambda model: wordplane.compare(TEXTS, LABELS, ["nb", "complement"], folds=2),
    "compare_models": lambda model: wordplane.compare_models(model, model, TEXTS, LABELS),
    "diagnose": lambda model: wordplane.diagnose(TEXTS, LABELS, learner="nb", sizes=3, folds=2),
    "explain": lambda model: wordplane.explain(model, TEXTS),
    "check": lambda model: wordplane.check_behavior(model, [CHECK]),
    "tune": lambda model: wordplane.tune(TEXTS, LABELS, learner="nb", folds=2),
    "edit": lambda model: wordplane.edit(model, TEXTS, LABELS, forbid=WORDS, folds=2),
}


@pytest.mark.parametrize("kind", MAKE)
def test_every_result_is_shown_in_ten_lines_at_most(kind, model):
    result = MAKE[kind](model)
    assert isinstance(result, Result)
    shown = repr(result).splitlines()
    assert len(shown) <= 10
    assert str(result).splitlines()[: len(shown) - 1] == shown[:-1]
    assert "object at 0x" not in repr(result)
    json.dumps(result.to_dict())


def test_what_is_cut_says_so():
    assert first_lines("a\nb") == "a\nb"
    assert first_lines("\n".join("abcdefghijkl")).splitlines()[-1] == "… 3 more lines: print it"


@pytest.mark.slow
def test_rows_are_called_by_the_numbers_that_find_them(tmp_path):
    """In memory they are counted from 0, in files from 1: what is printed can be looked up."""
    texts = [f"text number {i} of all" for i in range(40)]
    texts[7], texts[11] = "", texts[3]
    frame = pd.DataFrame({"text": texts, "label": ["x", "y"] * 20})
    found = wordplane.audit(frame)
    empty, same = found["empty texts"], found["duplicates"]
    assert frame.text.iloc[empty.rows[0]] == ""
    assert frame.text.iloc[same.rows[0]] == texts[3]
    assert f"row {empty.rows[0]}" in str(found) and f"row {same.rows[0]}" in str(found)
    assert f"<th>{same.rows[0]}</th>" in found._repr_html_()
    frame.to_csv(tmp_path / "d.csv", index=False)
    in_file = wordplane.audit(tmp_path / "d.csv")
    assert in_file["duplicates"].rows == (same.rows[0] + 1,)
    assert f"row {same.rows[0] + 1}" in str(in_file)


def test_whoever_evaluates_on_what_was_fitted_is_warned():
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS})
    model = wordplane.TextClassifier(learner="nb").fit(frame.text, frame.label)
    result = wordplane.evaluate(model, frame)
    assert any("the texts the model was trained on" in note for note in result.notes)
    assert "measured  600 texts, which the model was trained on\n" in str(result)
    result = wordplane.evaluate(model, frame[100:])
    assert "trained on" not in "\n".join([*result.notes, str(result)])


def test_errors_in_notebooks_show_the_line_of_the_cell():
    def cell():
        wordplane.train(pd.DataFrame({"text": ["a"], "n": [1]}), label="nothing")

    with pytest.raises(InputError) as caught:
        cell()
    shown = caught.value._render_traceback_()
    assert len(shown) == 3
    assert shown[-1].startswith("InputError: the frame")
    assert all("site-packages" not in line for line in shown)


def test_results_are_frozen(model):
    result = MAKE["evaluate"](model)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.source = "other"
