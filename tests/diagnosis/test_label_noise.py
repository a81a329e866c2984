"""Tests of wordplane.diagnosis.label_noise: as many labels are expected to be wrong as are."""

import numpy as np
import pytest

from tests.corpora import clean_texts
from wordplane import _core, read
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.audit import audit_corpus
from wordplane.diagnosis.label_noise import LabelNoise, bound_share, measure_noise
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.naive_bayes import MultinomialNB
from wordplane.selection.splitter import FIVE_FOLDS
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents


def test_the_bound_by_hand():
    """Half of the changed rows stand out, as do 3 of 100 others: 6 of 100 are wrong."""
    changed = np.array([0.9] * 50 + [-0.9] * 50)
    others = np.array([0.9] * 3 + [-0.9] * 97)
    share, most, low, high = bound_share(changed, others)
    assert share == pytest.approx(0.06)
    assert high - share == pytest.approx(1.96 * np.hypot(0.04, 0.06 * 0.1))
    assert low == 0
    again = bound_share(np.tile(changed, 9), np.tile(others, 9), 9)
    assert again[3] - again[0] == pytest.approx(1.96 * np.hypot(0.04, 0.06 * 0.1 / 3))
    assert most == pytest.approx(0.06 + 0.04)  # the error of 3 + 1 rows, each of which counts twice


def test_rows_listed_by_hand():
    noise = LabelNoise(
        0.06,
        0.1,
        (0.0, 0.14),
        np.array([0.9] * 50 + [-0.9] * 50),
        np.array([0.9] * 3 + [-0.9] * 97),
    )
    assert noise.expected(3, 100) == pytest.approx(3)
    assert noise.expected(0, 100) == 0
    assert noise.expected(50, 100) == pytest.approx(6)
    assert noise.n_suspects(80, 100) == pytest.approx(33, abs=2)  # 10 of 33 are three in ten


def measured(n_wrong, n=600, seed=1):
    texts, labels = clean_texts(n)
    y = np.array(labels)
    wrong = np.random.default_rng(seed).choice(n, n_wrong, replace=False)
    y[wrong] = np.where(y[wrong] == "pos", "neg", "pos")
    judge = Analyzer(ngrams=(1, 1)), MultinomialNB()
    P = np.full((n, 2), 0.5)
    documents = Documents(_core.Texts(texts))
    counted = FoldCounts.of(judge[0], documents, 2, y)
    return measure_noise(judge, counted, y, P, splitter=FIVE_FOLDS, threads=2)


@pytest.mark.parametrize("n_wrong", [0, 12, 30, 60])
def test_planted_mistakes_are_counted(n_wrong):
    noise = measured(n_wrong)
    assert noise.share * 600 == pytest.approx(n_wrong, abs=3 + 0.35 * n_wrong)
    assert noise.most >= noise.share


@pytest.mark.slow
@pytest.mark.parametrize("n_wrong", [12, 60])
def test_the_truth_is_within_the_interval(n_wrong):
    intervals = [measured(n_wrong, seed=seed).interval for seed in range(20)]
    assert sum(low <= n_wrong / 600 <= high for low, high in intervals) >= 19
    assert np.mean([high - low for low, high in intervals]) < 0.15


def test_large_data_is_judged_in_part(monkeypatch):
    monkeypatch.setattr("wordplane.diagnosis.label_noise.MAX_ROWS", 300)
    noise = measured(60)
    assert (len(noise.changed) + len(noise.others)) % 300 == 0  # draws of 300
    assert 0.05 < noise.share < 0.2


@pytest.mark.slow
def test_the_same_for_any_number_of_threads():
    texts, labels = clean_texts(100)
    labels[3] = "neg" if labels[3] == "pos" else "pos"
    corpus = Corpus(_core.Texts(texts), labels=labels)
    assert audit_corpus(corpus, threads=1) == audit_corpus(corpus, threads=3)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("n_wrong", [0, 100, 300])
def test_real_texts(dataset, n_wrong):
    """Spam, of which hardly a label is wrong: the audit expects about as many as were changed, and
    no more than a few rows are listed without reason."""
    corpus = read(dataset("sms_spam")).take(np.arange(3000))
    labels = np.array(corpus.labels, dtype=object)
    names = sorted(set(corpus.labels))
    wrong = np.random.default_rng(2).choice(3000, n_wrong, replace=False)
    labels[wrong] = [names[1 - names.index(label)] for label in labels[wrong]]
    found = audit_corpus(Corpus(corpus.texts, labels=labels.tolist()), threads=2)
    if n_wrong == 0:
        listed = found["suspect labels"].rows if "suspect labels" in found else ()
        assert len(listed) <= 25
        return
    suspects = found["suspect labels"]
    hits = len(set(suspects.positions) & set(wrong.tolist()))
    assert hits > 0.9 * n_wrong
    assert suspects.expected == pytest.approx(hits, rel=0.35)
