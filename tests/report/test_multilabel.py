"""Tests of wordplane.report.multilabel, and of wordplane.report.label_pairs."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import wordplane
from tests.report.pages import data_of, fitted, page_of
from wordplane import LinearSVM
from wordplane.cli import main
from wordplane.common.label_sets import LabelSets
from wordplane.data.corpus import Corpus
from wordplane.evaluation.intervals import wilson_interval
from wordplane.evaluation.set_scores import score_sets
from wordplane.model.measuring import measure_unseen
from wordplane.report.label_pairs import label_pairs
from wordplane.report.multilabel import _mistakes
from wordplane.selection.cross_validation import out_of_fold
from wordplane.text.documents import as_documents
from wordplane.text.texts import as_texts


def sets_corpus(n_docs=120, seed=0):
    rng = np.random.default_rng(seed)
    words = {"law": ["judge", "court"], "<b>sport": ["ball", "goal"], "art": ["paint", "stage"]}
    texts, sets = [], []
    for _ in range(n_docs):
        held = [label for label in words if rng.random() < 0.4]
        said = [str(rng.choice(words[label])) for label in held]
        texts.append(" ".join([*said, *(f"w{j}" for j in rng.integers(0, 30, 6))]))
        sets.append(tuple(sorted(label for label in held if rng.random() < 0.9)))
    return Corpus(as_texts(texts), sets, source="tags.jsonl")


@pytest.mark.slow
def test_page_about_sets_of_labels(tmp_path):
    corpus = sets_corpus()
    train, test = corpus.take(np.arange(80)), corpus.take(np.arange(80, 120))
    model = fitted(train)
    found = measure_unseen(model, test)
    given = model.labels_of(model.decision_function(test))
    assert (found.predicted.member == given.member).all()
    assert found.truth.tolist() == list(test.labels)
    scores = score_sets(found.truth, found.predicted)
    page = page_of(tmp_path, model, test)
    text = re.sub(r"<[^>]+>", "", page)
    assert f"micro F1 of {100 * scores.micro_f1:.1f}\u202f%" in page
    assert f"{100 * scores.subset_accuracy:.1f}\u202f% are exactly right" in page
    assert "&lt;b&gt;sport" in page
    assert "<b>sport" not in page
    assert 'id="confusion"' not in page
    assert 'id="thresholds"' in page
    assert len(data_of(page)["curves"]) == 3
    wrong = found.truth.member != found.predicted.member
    mistakes = re.search(r'<section id="mistakes">.*?</section>', page, re.DOTALL).group()
    assert mistakes.count('<article class="document">') == min(12, int(wrong.sum())) > 0
    law = next(c for c in scores.classes if c.label == "law")
    hits = int((found.is_true(2) & found.is_predicted(2)).sum())
    low, high = wilson_interval(hits, int(found.is_predicted(2).sum()))
    row = re.search(r"<tr><th[^>]*><bdi[^>]*>law</bdi>.*?</tr>", page, re.DOTALL).group()
    assert f"{100 * low:.0f} to {100 * high:.0f}" in row
    assert f"{100 * law.f1:.1f}" in row
    assert "always predicting" in text


@pytest.mark.slow
def test_thresholds_and_pairs_of_labels_are_shown(tmp_path):
    corpus = sets_corpus()
    train, test = corpus.take(np.arange(80)), corpus.take(np.arange(80, 120))
    model = wordplane.TextClassifier(learner="svm").fit(train.texts, train.labels)
    found = measure_unseen(model, test)
    page = page_of(tmp_path, model, test, quick=True)
    decisions, law = model.model_.calibrator, 2
    at = 1 / (1 + np.exp(-(decisions.a * decisions.thresholds + decisions.b)))[law]
    row = re.search(r"<tr><th[^>]*><bdi[^>]*>law</bdi>.*?</tr>", page, re.DOTALL).group()
    assert f'<td class="number">{100 * at:.1f}\u202f%</td>' in row
    assert "Given from" in page
    assert 'id="audit"' not in page
    true, predicted = found.truth.member, found.predicted.member
    pairs = label_pairs(found.truth.classes.tolist(), true, predicted)
    assert sum(c.true for c in pairs.cardinality) == len(test) == 40
    for k, line in enumerate(pairs.cardinality):
        assert line.true == (true.sum(axis=1) == k).sum()
        assert line.predicted == (predicted.sum(axis=1) == k).sum()
    names = found.truth.classes.tolist()
    for one, other, n in pairs.confused:
        a, b = names.index(one), names.index(other)
        assert n == sum(
            t[a] and not p[a] and p[b] and not t[b] for t, p in zip(true, predicted, strict=True)
        )
    for one, other, n in pairs.missed:
        a, b = names.index(one), names.index(other)
        assert n == sum(
            t[a] and t[b] and not p[a] and not p[b] for t, p in zip(true, predicted, strict=True)
        )


def test_pairs_are_counted_in_order():
    true = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]]) > 0
    predicted = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 1], [1, 1, 1]]) > 0
    pairs = label_pairs(["a", "b", "c"], true, predicted)
    assert pairs.confused == [("b", "c", 2), ("a", "c", 1)]
    assert pairs.missed == [("a", "b", 2)]
    assert [(c.n_labels, c.true, c.predicted) for c in pairs.cardinality] == [
        ("0", 1, 1),
        ("1", 1, 2),
        ("2", 2, 0),
        ("3", 0, 1),
    ]


@pytest.mark.slow
def test_labels_in_doubt_are_on_the_page_of_sets(tmp_path):
    corpus = sets_corpus(120)
    flipped = [("law",) if row == 5 and "law" not in held else held
               for row, held in enumerate(corpus.labels)]  # fmt: skip
    corpus = replace(corpus, labels=flipped)
    page = page_of(tmp_path, fitted(corpus), corpus)
    assert 'id="audit"' in page
    assert "should not have" in page or "lacks" in page
    assert "<b>" not in page.split("<main>")[1].split("</main>")[0]


def test_most_confident_wrong_labels_are_shown_first(tmp_path):
    found = measure_unseen(fitted(sets_corpus()), sets_corpus(seed=1))
    shown = _mistakes(found)
    confidence = [document.confidence for document in shown]
    assert confidence == sorted(confidence, reverse=True)
    for document in shown:
        label = document.predicted.removeprefix("not ")
        assert document.truth == ("not " + label if document.predicted == label else label)


def test_sets_that_were_trained_on_are_cross_validated():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{j}" for j in rng.integers(0, 5000, 20)) for _ in range(60)]
    corpus = Corpus(as_texts(texts), [("a",), ("a", "b"), ("b",)] * 20, source="noise.jsonl")
    model = wordplane.TextClassifier(learner="svm").fit(corpus.texts, corpus.labels)
    found = measure_unseen(model, corpus)
    assert "four fifths" in found.description
    assert score_sets(found.truth, found.predicted).subset_accuracy < 0.7  # by heart it would be 1


@pytest.mark.slow
def test_sets_of_labels_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    corpus = sets_corpus()
    rows = zip(corpus.texts, corpus.labels, strict=True)
    lines = [json.dumps({"text": text, "tags": list(held)}) for text, held in rows]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    assert main(["train", "t.jsonl", "--report", "t.html", "--json"]) == 0
    trained = json.loads(capsys.readouterr().out)
    micro = trained["scores"]["micro_f1"]
    assert f"micro F1 of {100 * micro:.1f}\u202f%" in (tmp_path / "t.html").read_text("utf-8")
    assert main(["report", "t.wordplane", "t.jsonl", "-o", "r.html"]) == 0
    marked = [line[:-1] + f', "split": "{"test" if i > 80 else "train"}"' + "}"
              for i, line in enumerate(lines)]  # fmt: skip
    (tmp_path / "s.jsonl").write_text("\n".join(marked))
    capsys.readouterr()
    assert main(["train", "s.jsonl", "--report", "s.html", "--json"]) == 0
    exact = json.loads(capsys.readouterr().out)["scores"]["subset_accuracy"]
    shown = f"Of all label sets, {100 * exact:.1f}\u202f% are exactly right"
    assert shown in (tmp_path / "s.html").read_text("utf-8")
    (tmp_path / "one.csv").write_text("text,label\njudge,law\nball,art\n")
    capsys.readouterr()
    assert main(["report", "t.wordplane", "one.csv", "-o", "x.html"]) == 2
    assert "has one label per text, the model is multi-label" in capsys.readouterr().err
    unknown = Corpus(as_texts(["judge", "ball"]), [("law", "new"), ()])
    page = page_of(tmp_path, wordplane.load("t.wordplane"), unknown)
    assert "does not know the labels &#39;new&#39;" in page


def test_labels_of_a_fold_are_decided_without_it():
    """By thresholds of the model of the fold, not by those of the saved model."""
    corpus = sets_corpus()
    model = wordplane.TextClassifier(learner="svm").fit(corpus.texts, corpus.labels)
    found = measure_unseen(model, corpus)
    y = LabelSets.of_member(model.classes_, found.truth.member)
    done = out_of_fold(
        model.model_.features.analyzer, LinearSVM(), as_documents(corpus.texts, {}), y, decide=True
    )
    assert np.array_equal(found.predicted.member, done.member)
    assert not np.array_equal(found.predicted.member, model.labels_of(done.scores).member)
