"""What training says suits what it met. Tests of wordplane.workflow.weak_spots."""

import json

import numpy as np
import pytest

import wordplane
from tests.workflow.shown import reviews
from wordplane.cli import main


def topics(sizes, seed=0):
    """Texts of classes a, b, ... of these sizes, each with words of its own."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for k, n in enumerate(sizes):
        for i in range(n):
            words = [f"{chr(97 + k) * 3}{w}" for w in rng.integers(0, 6, 4)]
            texts.append(" ".join([*words, f"text{k}x{i}"]))
            labels.append(chr(97 + k))
    return texts, labels


def test_uneven_classes_get_macro_f1_the_worst_and_those_with_few_texts():
    texts, labels = topics([60, 40, 30, 4])
    wrong = [i for i, label in enumerate(labels) if label == "c"][:25]
    for i in wrong:  # most texts of c read like those of a
        texts[i] = f"aaa{i % 6} aaa{i % 5} aaa{i % 4} text0x{i}"
    result = wordplane.train(texts, labels)
    lines = str(result).splitlines()
    assert lines[0].endswith("4 classes (a 60, b 40, c 30, d 4)")
    assert any(line.startswith("macro F1  ") for line in lines)
    worst = {one.label: one for one in result.weak_spots.worst}
    assert worst["c"].taken_for == "a" and worst["c"].n_taken > 2
    assert f"{worst['c'].n_taken} taken for 'a'" in str(result)
    assert "few texts fewer than 10 of a class: d 4" in lines
    found = json.loads(json.dumps(result.to_dict()))["weak_spots"]
    assert found["few"] == {"d": 4} and found["n_repeated"] == 0 and not found["no_better"]


def test_two_even_classes_are_spared_all_that():
    result = wordplane.train(*topics([30, 30]))
    assert not result.weak_spots.worst and not result.weak_spots.few
    assert "macro F1" not in str(result) and "repeated" not in str(result)


def test_accuracy_below_the_baseline_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    words, labels = rng.integers(0, 30, (99, 4)).tolist(), rng.choice(list("xxxy"), 99)
    rows = [f"{' '.join(f'w{w}' for w in ws)},{y}" for ws, y in zip(words, labels, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["text,label", *rows]))
    assert main(["train", "d.csv"]) == 0
    out, err = capsys.readouterr()
    assert "warning   no better than always 'x': the model has learned nothing useful" in out
    assert "  wordplane audit d.csv " in err and "  wordplane diagnose d.csv " in err


def test_repeated_texts_are_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{text},{label}\n" for text, label in zip(*reviews(), strict=True))
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("text,label\n" + rows)
    assert main(["train", "a.csv", "b.csv", "--text", "text", "-o", "m.wordplane"]) == 0
    out, err = capsys.readouterr()
    assert "texts repeat an earlier one (" in out
    result = wordplane.train(["a.csv", "b.csv"])
    assert result.weak_spots.n_repeated >= result.n_rows / 2
    assert err.splitlines()[-2].split("  ")[1] == "wordplane audit a.csv b.csv --text text"


def test_few_texts_are_all_used_to_measure():
    texts, labels = topics([20, 20])
    result = wordplane.train(texts, labels)
    assert result.scores.n == 40 and result.tested_on.startswith("in 10 folds, each by a model")
    assert result.model.training_.scores.n == 40  # the model remembers it
    low, high = result.scores.interval
    assert high - low < 0.2


@pytest.mark.parametrize(
    "options", [{"metric": "f1:a"}, {"tune": True}, {"learner": "nb", "unlabeled": ["aaa1"] * 9}]
)
def test_folds_do_not_measure_what_was_chosen_on_all_rows(options):
    result = wordplane.train(*topics([20, 20]), **options)
    assert result.tested_on.startswith("held out")


@pytest.mark.slow
def test_long_texts_of_many_classes_are_held_out():
    texts, labels = topics([20] * 5)
    result = wordplane.train([f"{text} {'x' * 10_000}" for text in texts], labels)
    assert result.tested_on.startswith("held out")


def test_a_class_of_one_text_can_be_trained_on_and_is_said_to_be_untested():
    texts = [f"film number {row} of many" for row in range(20)] + ["the odd one"]
    result = wordplane.train(texts, ["a"] * 20 + ["b"])
    assert result.weak_spots.untested == ("b",)
    assert "no text of 'b' was measured" in str(result)


def test_repeats_in_other_clothes_are_counted():
    texts = [f"film number {row}" for row in range(20)]
    again = [text.upper() + "!!" for text in texts]
    result = wordplane.train([*texts, *again], ["a", "b"] * 20)
    assert result.weak_spots.n_repeated == 20
