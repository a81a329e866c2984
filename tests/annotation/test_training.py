"""Other verbs train and measure on the texts of a project, and know which were drawn at random.

Tests of wordplane.data.formats.sqlite; also wordplane.model.measuring,
wordplane.workflow.training_steps and wordplane.workflow.inputs.
"""

import numpy as np
import pytest

import wordplane
from tests.annotation.conftest import TEXTS, truth
from wordplane.annotation import Project
from wordplane.annotation.store import Shown
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.text.texts import as_texts


@pytest.fixture
def labeled(tmp_path):
    """Makes a project of texts of which some were drawn at random; returns its path."""

    def make(texts, random, label=truth):
        path = tmp_path / "p.db"
        with Project.create(path, texts, labels=["spam", "ham"]) as project:
            project._answer_all(
                "me",
                [
                    (
                        Shown(number, "random" if is_random else "uncertain"),
                        (project.labels.number(label(text)),),
                    )
                    for number, (text, is_random) in enumerate(zip(texts, random, strict=True), 1)
                ],
            )
        return path

    return make


def test_texts_drawn_at_random_train_as_long_as_they_are_few(labeled):
    # All spam was drawn at random: without it there would be one label to learn from.
    path = labeled(TEXTS, [truth(text) == "spam" for text in TEXTS])
    result = wordplane.train(path)
    assert result.n_train == len(TEXTS)
    assert result.model.predict(["cheap prize"]).tolist() == ["spam"]
    assert result.scores.n == 40
    assert {result.corpus.labels[row] for row in result.measured.rows} == {"spam"}
    assert result.tested_on == "marked cv, in 10 folds, each by a model trained on the other 9"


def test_accuracy_comes_from_texts_drawn_at_random_alone(labeled):
    # What was not drawn at random has wrong labels half of the time, and is not measured.
    rng = np.random.default_rng(0)
    random = [number % 2 == 0 for number in range(len(TEXTS))]
    wrong = {t for t, r in zip(TEXTS, random, strict=True) if not r and rng.random() < 0.3}
    path = labeled(TEXTS, random, lambda t: "ham" if t in wrong else truth(t))
    measured = wordplane.train(path).measured
    assert measured.rows.tolist() == [row for row, drawn in enumerate(random) if drawn]
    every = Corpus(*(getattr(wordplane.read(path), name) for name in ("texts", "labels")))
    assert measured.score().accuracy > wordplane.train(every).scores.accuracy


@pytest.mark.parametrize("n_random,n_others,part", [(99, 60, "cv"), (100, 60, "test")])
def test_enough_of_them_are_kept_for_measuring(labeled, n_random, n_others, part):
    texts = [f"{TEXTS[number % len(TEXTS)]} no {number}" for number in range(n_random + n_others)]
    path = labeled(texts, [number < n_random for number in range(len(texts))])
    corpus = wordplane.read(path)
    assert corpus.split == [part] * n_random + ["train"] * n_others
    assert wordplane.train(path).n_train == n_others + n_random * (part == "cv")


def test_a_label_that_only_few_others_have_keeps_all_of_them_in_training(labeled):
    texts = [f"{TEXTS[number % len(TEXTS)]} no {number}" for number in range(200)]
    random = [number < 120 or truth(text) == "spam" for number, text in enumerate(texts)]
    assert set(wordplane.read(labeled(texts, random)).split) == {"cv", "train"}


def test_no_parts_where_all_were_drawn_at_random_or_none(labeled, tmp_path):
    for is_random in (True, False):
        assert wordplane.read(labeled(TEXTS, [is_random] * len(TEXTS))).split is None
        (tmp_path / "p.db").unlink()


@pytest.mark.slow
def test_a_report_measures_texts_drawn_at_random_in_folds(labeled, tmp_path, capsys):
    random = [number % 2 == 0 for number in range(len(TEXTS))]
    path, model = labeled(TEXTS, random), str(tmp_path / "m.wordplane")
    wordplane.train(path, output=model)
    page = str(tmp_path / "m.html")
    assert main(["report", model, str(path), "-o", page, "--quick"]) == 0
    said = capsys.readouterr().out
    assert "40 texts marked cv, each by a model trained on four fifths of all" in said


@pytest.mark.slow
def test_a_model_of_all_labels_does_not_pass_for_one_that_has_not_seen_them(
    labeled, tmp_path, capsys
):
    texts = [f"{TEXTS[number % len(TEXTS)]} no {number}" for number in range(160)]
    path = labeled(texts, [number < 100 for number in range(160)])
    model = str(tmp_path / "m.wordplane")
    assert main(["annotate", str(path), "--model", model]) == 0
    result = wordplane.evaluate(model, path)
    assert any("the texts the model was trained on" in note for note in result.notes)
    page = str(tmp_path / "m.html")
    assert main(["report", model, str(path), "-o", page, "--quick"]) == 0
    said = capsys.readouterr().out
    assert "100 texts marked test, each by a model trained on four fifths of all" in said


def test_evaluate_measures_what_was_drawn_at_random(labeled):
    random = [number % 2 == 0 for number in range(len(TEXTS))]
    other = wordplane.TextClassifier(learner="nb").fit(["cheap prize", "lunch"], ["spam", "ham"])
    result = wordplane.evaluate(other, labeled(TEXTS, random))
    assert (result.rows, result.scores.n) == ("cv", 40)


def test_what_is_chosen_on_all_rows_is_measured_on_held_out_rows_that_are_marked():
    texts = [f"{text} {number}" for number in range(5) for text in TEXTS]
    parts = ["cv" if number % 4 == 0 else "train" for number in range(len(texts))]
    corpus = Corpus(as_texts(texts), [truth(text) for text in texts], split=parts)
    result = wordplane.train(corpus, learner="nb", metric="f1")
    assert 0 < result.scores.n < len(texts) // 10
    assert all(parts[row] == "cv" for row in result.measured.rows)


def test_unknown_parts_are_refused():
    with pytest.raises(InputError, match="'dev', 'test' or 'cv'"):
        Corpus(as_texts(["a"]), split=["folds"])
