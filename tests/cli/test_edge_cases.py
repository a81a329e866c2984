"""Data at the edge: a sensible result, or a refusal that says what to do."""

import numpy as np
import pytest

import wordplane
from wordplane import Analyzer, MultinomialNB, TextClassifier
from wordplane.cli import main
from wordplane.common import memory
from wordplane.common.errors import InputError
from wordplane.learners.registry import LEARNERS

EVERY = [None, *LEARNERS]
QUICK = [None, "nb", "perceptron", "svm"]


@pytest.mark.parametrize("learner", EVERY)
def test_one_word_texts(learner):
    texts, labels = ["good", "bad", "fine", "poor"] * 5, ["+", "-", "+", "-"] * 5
    model = TextClassifier(learner=learner).fit(texts, labels)
    assert model.score(texts, labels) == 1.0
    assert len(model.holdout_.rows) == 2


@pytest.mark.parametrize("learner", EVERY)
def test_three_documents_per_class(learner):
    texts = ["good", "very good", "good film", "bad", "very bad", "bad film"]
    model = TextClassifier(learner=learner).fit(texts, ["+"] * 3 + ["-"] * 3)
    assert model.predict(["good good", "bad bad"]).tolist() == ["+", "-"]
    assert np.isfinite(model.predict_proba(texts)).all()


@pytest.mark.parametrize("learner", QUICK)
def test_one_document_per_class_leaves_none_to_hold_out(learner):
    model = TextClassifier(learner=learner).fit(["good", "bad"], ["+", "-"])
    assert model.predict(["good", "bad"]).tolist() == ["+", "-"]
    assert model.holdout_ is None


@pytest.mark.parametrize("learner", QUICK)
def test_one_in_a_hundred(learner):
    """The hold-out has its share of the rare class, and the rare class is found."""
    texts = [f"good film {i % 50}" for i in range(990)] + ["bad film"] * 10
    labels = ["+"] * 990 + ["-"] * 10
    model = TextClassifier(learner=learner).fit(texts, labels)
    held = [labels[row] for row in model.holdout_.rows]
    assert held.count("-") == 1
    assert model.predict(["bad film"]).tolist() == ["-"]


def classes_of_words(n_classes, per_class):
    rng = np.random.default_rng(0)
    labels = [f"class{k}" for k in range(n_classes) for _ in range(per_class)]
    texts = [f"{label} {' '.join(rng.choice(list('abcdefgh'), 3))}" for label in labels]
    return texts, labels


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["nb", "complement", "perceptron"])
def test_a_thousand_classes(learner):
    texts, labels = classes_of_words(1000, 3)
    model = TextClassifier(Analyzer(ngrams=(1, 1)), learner).fit(texts, labels)
    assert len(model.classes_) == 1000
    assert model.score(texts, labels) > 0.8  # 0.001 by chance
    assert len(model.holdout_.rows) == 300


@pytest.mark.parametrize("learner", EVERY)
def test_one_class_is_refused(learner):
    with pytest.raises(InputError, match=r"every text has the label '\+'; .* at least two"):
        TextClassifier(learner=learner).fit(["good", "bad"], ["+", "+"])


@pytest.mark.parametrize("learner", EVERY)
def test_texts_without_words_are_refused(learner):
    with pytest.raises(InputError, match="none of the 4 texts has a word"):
        TextClassifier(learner=learner).fit(["", " ", "\n", "\t"], ["+", "-", "+", "-"])


@pytest.mark.parametrize("learner", QUICK)
def test_some_empty_texts_are_texts(learner):
    model = TextClassifier(learner=learner).fit(["", "good", "bad", ""], ["+", "+", "-", "-"])
    assert model.predict(["good", "bad"]).tolist() == ["+", "-"]
    assert len(model.predict(["", "never seen"])) == 2


def test_weights_that_do_not_fit_are_refused_before_they_are_made(monkeypatch):
    """6 copies of 8 bytes for each of V x K weights; the refusal names the ways out."""
    texts, labels = classes_of_words(100, 2)
    n_features = TextClassifier(Analyzer(ngrams=(1, 1)), "nb").fit(texts, labels).n_features
    needed = 6 * 8 * n_features * 100
    monkeypatch.setattr("wordplane.learners.registry.SMALL_BYTES", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: needed - 1)
    monkeypatch.setattr(MultinomialNB, "fit", lambda *args: pytest.fail("weights were made"))
    with pytest.raises(InputError, match=r"100 labels needs about .* raise `min_df`.*hash_bits"):
        TextClassifier(Analyzer(ngrams=(1, 1)), "nb", calibration=None).fit(texts, labels)
    with pytest.raises(InputError, match="raise `min_df`"):
        sets = [[label] for label in labels]
        TextClassifier(Analyzer(ngrams=(1, 1)), "nb", calibration=None).fit(texts, sets)


def test_comparisons_skip_what_does_not_fit(monkeypatch):
    texts, labels = classes_of_words(20, 5)
    monkeypatch.setattr("wordplane.learners.registry.SMALL_BYTES", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(InputError, match=r"no learner could be measured: .*raise `min_df`"):
        wordplane.compare(texts, labels, ["nb", "svm"])


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(rows):
        lines = "".join(f"{label}\t{text}\n" for text, label in rows)
        (tmp_path / "d.tsv").write_text("label\ttext\n" + lines)
        return "d.tsv"

    return write


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("good", "+"), ("bad", "+")], "d.tsv: every text has the label '+'"),
        ([(" ", "+"), (" ", "-")], "d.tsv: none of the 2 texts has a word"),
    ],
)
def test_train_refuses(write, capsys, rows, message):
    assert main(["train", write(rows), "--text", "text", "--label", "label"]) == 2
    assert message in capsys.readouterr().err


def test_train_says_that_nothing_could_be_held_out(write, capsys):
    assert main(["train", write([("good", "+"), ("bad", "-")])]) == 0
    assert "not tested: no class has a row to spare" in capsys.readouterr().out
