"""What explaining and auditing cost: in proportion to the texts, whatever is in them."""

import numpy as np
import pytest

import wordplane
from tests.costs import check_linear
from wordplane.diagnosis import audit
from wordplane.learners.naive_bayes import MultinomialNB
from wordplane.model import flip
from wordplane.text.documents import as_documents


@pytest.fixture(scope="module")
def model():
    texts = [f"good w{i} film" if i % 2 else f"bad v{i} film" for i in range(200)]
    return wordplane.TextClassifier(learner="nb").fit(texts, ["a", "b"] * 100)


def words(n):
    return " ".join(f"good w{i}" for i in range(n))


@pytest.mark.slow
def test_explaining_a_long_text_is_linear(model):
    check_linear(words, lambda text: model.explain(text).pieces(), 10_000)


def test_what_is_scored_to_flip_a_long_text_is_bounded(model, monkeypatch):
    scored = []
    scores = flip._Attempt.scores

    def counting(self, texts):
        scored.extend(map(len, texts))
        return scores(self, texts)

    monkeypatch.setattr(flip._Attempt, "scores", counting)
    model.flip(words(20_000))  # 0.2 MB; a thousand words tried would be 400 MB
    assert 0 < sum(scored) < 5 * flip.MOST_CHARACTERS


def labeled(n_classes):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 300, 6)) for _ in range(2 * n_classes)]
    return texts, [f"label {i % n_classes}" for i in range(2 * n_classes)]


def test_many_classes_are_judged_by_what_costs_little():
    texts, labels = labeled(150)
    analyzer, learner = audit._choose_judge(as_documents(texts, {}), 150, 0)
    assert isinstance(learner, MultinomialNB)
    assert analyzer.max_features * 150 <= audit.MAX_WEIGHTS
    assert "suspect labels" in wordplane.audit(texts, labels, n_jobs=1)


def test_too_many_classes_are_not_judged(monkeypatch):
    monkeypatch.setattr(audit, "MAX_SCORES", 1000)
    result = wordplane.audit(*labeled(30), n_jobs=1)
    assert "labels not judged" in result and "suspect labels" not in result
