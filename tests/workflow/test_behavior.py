"""Tests of wordplane.workflow.behavior, and of wordplane.workflow.behavior_tests."""

import json
from pathlib import Path

import numpy as np
import pytest

import wordplane
from wordplane import BehaviorTest, TextClassifier, check_behavior
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.common.toml import read_toml
from wordplane.workflow import behavior
from wordplane.workflow.behavior_tests import read_tests, replace_word

TEXTS = ["great film by Anna", "great fun", "a dull film by Wei", "dull, long", "Anna is great"] * 4
LABELS = ["good", "good", "bad", "bad", "good"] * 4


@pytest.fixture(scope="module")
def model():
    return wordplane.TextClassifier(learner="nb").fit(TEXTS, LABELS)


def outcome(model, *args, **fields):
    return check_behavior(model, [BehaviorTest("t", *args, **fields)]).outcomes[0]


def test_each_expectation_is_judged_by_the_model(model):
    pairs = [(a, b) for a in TEXTS[:5] for b in ("great", "dull", "Anna", "long film") if a != b]
    before, after = (model.predict([pair[side] for pair in pairs]) for side in (0, 1))
    good = model.classes_.tolist().index("good")
    p, q = (model.predict_proba([pair[side] for pair in pairs])[:, good] for side in (0, 1))
    for expect, right in (
        ("same", before == after),
        ("different", before != after),
        ("more good", q > p),
        ("less good", q < p),
    ):
        found = outcome(model, expect, pairs=pairs)
        assert (found.n_cases, found.n_failed) == (len(pairs), int((~right).sum())), expect
        assert [case.text for case in found.examples] == [
            pairs[i][0] for i in np.flatnonzero(~right)[:5]
        ]
    found = outcome(model, "label bad", TEXTS)
    assert found.n_failed == int((model.predict(TEXTS) != "bad").sum())


def test_swaps_make_every_other_text(model):
    found = outcome(model, "same", ["Anna met Wei", "nobody"], swap=["Anna", "Wei", "Olga"])
    assert found.n_cases == 4  # Anna by Wei and Olga, Wei by Anna and Olga
    assert outcome(model, "same", ["great"], replace={"great": "dull"}).n_failed == 1
    assert (
        outcome(model, "same", ["great"], replace={"great": "dull"}, allow=0.99).is_passed is False
    )


def test_words_are_replaced_whole():
    assert replace_word("Anna's Annabel, Anna", "Anna", "Wei") == "Wei's Annabel, Wei"
    assert replace_word("这部电影很好看", "很好", "不好") == "这部电影不好看"
    assert replace_word("a (b) a", "(b)", r"\1") == r"a \1 a"


def test_sets_of_labels():
    texts = ["judge", "ball", "judge ball", "snow"] * 5
    model = wordplane.TextClassifier().fit(texts, [["law"], ["sport"], ["law", "sport"], []] * 5)
    assert outcome(model, "label law", ["judge", "judge ball"]).is_passed
    found = outcome(model, "same", ["judge"], replace={"judge": "ball"})
    assert found.examples[0].label == ("law",) and found.examples[0].changed_label == ("sport",)


def test_command(model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    model.save("m.wordplane")
    Path("d.csv").write_text("text\nOlga: great fun\nso dull Ivan\n")
    Path("t.toml").write_text(
        '[[test]]\nname = "names"\ndata = "d.csv"\nswap = ["Olga", "Ivan"]\nexpect = "same"\n'
        '[[test]]\nname = "words"\ntexts = ["dull"]\nexpect = "label good"\n'
    )
    assert main(["check", "m.wordplane", "t.toml", "--json"]) == 3
    shown = json.loads(capsys.readouterr().out)
    assert [(one["n_cases"], one["passed"]) for one in shown["tests"]] == [(2, True), (1, False)]
    assert main(["check", "m.wordplane", "t.toml"]) == 3
    shown = capsys.readouterr().out
    assert "FAILED    words: 1 of 1 fail" in shown
    assert 'next      wordplane explain MODEL "dull" shows the words that decide' in shown
    assert "next      add texts like those that fail" in shown
    Path("t.toml").write_text('[[test]]\nname = "a"\ntexts = ["great"]\nexpect = "label good"\n')
    assert main(["check", "m.wordplane", "t.toml"]) == 0
    assert "next" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('name = "a"\ntexts = ["x"]', "there is no `expect`"),
        ('name = "a"\ntexts = ["x"]\nexpect = "label"', "`expect` is 'label'"),
        ('name = "a"\ntexts = ["x"]\nexpect = "same good"', "`expect` is 'same good'"),
        ('name = "a"\ntexts = ["x"]\nexpect = "same"', "0 of `swap`, `replace` and `pairs`"),
        ('name = "a"\nswap = ["x", "y"]\nexpect = "same"', "either `texts` or `data`"),
        ('name = "a"\ntexts = "x"\nexpect = "same"', "expected a list of strings"),
        ('name = "a"\npairs = [["x"]]\nexpect = "same"', "expected a list of pairs"),
        ('name = "a"\ntexts = ["x"]\nexpect = "label g"\nallow = 2', "`allow` is 2"),
        ('nam = "a"', "'nam' is unknown, expected name"),
    ],
)
def test_files_that_cannot_be_meant(table, message, tmp_path):
    (tmp_path / "t.toml").write_text(f"[[test]]\n{table}\n")
    with pytest.raises(InputError, match=f"t.toml, test 1: .*{message}"):
        read_tests(tmp_path / "t.toml")


def test_what_the_model_cannot_do(model, tmp_path):
    with pytest.raises(InputError, match="the test 't': the model has no label 'x'"):
        outcome(model, "label x", ["great"])
    with pytest.raises(InputError, match="no text has a word that would be changed"):
        outcome(model, "same", ["great"], swap=["Anna", "Wei"])
    (tmp_path / "t.toml").write_text("[tests]\n")
    with pytest.raises(InputError, match="expected tables"):
        read_tests(tmp_path / "t.toml")


def test_a_few_words_do_not_take_minutes(tmp_path):
    model = TextClassifier().fit(["great fun", "a dull film"] * 5, ["good", "bad"] * 5)
    words = [f"n{i}" for i in range(700)]  # 489,300 texts of 3,400 characters
    swaps = BehaviorTest("swap", "same", [" ".join(words)], swap=words)
    with pytest.raises(InputError, match="to look for words in"):
        check_behavior(model, [swaps])
    longer = BehaviorTest("longer", "same", ["a " * 50_000], replace={"a": "b" * 50_000})
    with pytest.raises(InputError, match="'longer': the changed texts have more than"):
        check_behavior(model, [longer])


def test_cases_are_judged_in_batches(model, monkeypatch):
    test = BehaviorTest("all", "same", TEXTS[:2] * 20, replace={"great": "dull dull"})
    whole = check_behavior(model, [test])
    monkeypatch.setattr(behavior, "BATCH_CHARACTERS", 50)
    assert check_behavior(model, [test]) == whole
    assert len(whole.outcomes[0].examples) == 5, whole


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (".".join(["a"] * 20_000) + " = 1", "more than 50 parts"),
        ("x = {" + " . ".join(['"a b"'] * 200) + " = 1}", "more than 50 parts"),
        ("x = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
    ],
)
def test_small_toml_files_take_little(tmp_path, content, why):
    path = tmp_path / "t.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=why):
        read_toml(path)
