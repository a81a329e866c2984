"""Tests of wordplane.data.hotel_reviews: methods have the effects that the documents describe."""

import csv
from pathlib import Path

import numpy as np
import pytest

from wordplane import CountVectorizer, LogisticRegression, MultinomialNB
from wordplane.data.hotel_reviews import hotel_reviews

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WORDS = r"(?u)[\w'-]+"


def read_rows(name):
    with (EXAMPLES / name).open(encoding="utf-8", newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def pairs(corpus):
    return list(zip(list(corpus.texts), corpus.labels, strict=True))


def test_examples_are_what_the_program_writes():
    assert read_rows("hotels.csv") == pairs(hotel_reviews())
    assert read_rows("hotels-few.csv") == pairs(hotel_reviews(60, footers=0, random_state=3))
    unlabeled = list(hotel_reviews(800, footers=0, random_state=2).texts)
    assert (EXAMPLES / "hotels-unlabeled.txt").read_text("utf-8").splitlines() == unlabeled


def test_size():
    files = list(EXAMPLES.glob("hotels*"))
    assert len(files) == 3 and sum(path.stat().st_size for path in files) < 300_000
    corpus = hotel_reviews()
    assert len(corpus) == 1000 and corpus.labels.count("good") == 500
    assert len(set(corpus.texts)) == 1000


@pytest.fixture(scope="module")
def reviews():
    known, new = hotel_reviews(), hotel_reviews(3000, random_state=1)
    return list(known.texts), known.labels, list(new.texts), new.labels


def scores(reviews, learner, n):
    """The accuracies on the reviews that were learned from, and on new ones."""
    texts, y, new, y_new = reviews
    vectorizer = CountVectorizer(token_pattern=WORDS, ngram_range=(1, n), binary=True)
    X = vectorizer.fit_transform(texts)
    learner.fit(X, y)
    return learner.score(X, y), learner.score(vectorizer.transform(new), y_new)


def test_words_have_a_long_tail(reviews):
    X = CountVectorizer(token_pattern=WORDS).fit_transform(reviews[0])
    counts = np.sort(np.asarray(X.sum(axis=0)).ravel())[::-1]
    assert np.mean(counts == 1) > 0.4 and counts[:10].sum() > 0.3 * counts.sum()


def test_bigrams_help_both_and_logistic_regression_is_ahead(reviews):
    nb = [scores(reviews, MultinomialNB(), n)[1] for n in (1, 2)]
    logistic = [scores(reviews, LogisticRegression(), n)[1] for n in (1, 2)]
    assert nb[1] > nb[0] + 0.05 and logistic[1] > logistic[0] + 0.05
    assert logistic[0] > nb[0] + 0.01 and logistic[1] > nb[1] + 0.01


@pytest.mark.slow
def test_smoothing_trades_variance_for_bias(reviews):
    none, some, much = (scores(reviews, MultinomialNB(alpha=a), 2) for a in (1e-9, 0.1, 100))
    assert none[0] > some[0] > much[0]  # on what was learned from
    assert some[1] > none[1] + 0.02 and some[1] > much[1] + 0.1


def test_penalties_trade_variance_for_bias(reviews):
    strong, fit, none = (scores(reviews, LogisticRegression(C=C), 2) for C in (1e-3, 1, 1e3))
    assert none[0] == 1 and strong[0] < 0.8 < fit[0]
    assert fit[1] > none[1] + 0.005 and fit[1] > strong[1] + 0.1


@pytest.mark.slow
def test_words_that_come_together_mislead_naive_bayes(reviews):
    """Footers of six words that hardly mean anything: naive Bayes counts them six times."""
    known, new = hotel_reviews(footers=0), hotel_reviews(3000, footers=0, random_state=1)
    without = (list(known.texts), known.labels, list(new.texts), new.labels)
    nb, logistic = (
        scores(without, learner, 1)[1] - scores(reviews, learner, 1)[1]
        for learner in (MultinomialNB(), LogisticRegression())
    )
    assert nb > logistic + 0.015


@pytest.mark.slow
def test_an_l1_penalty_leaves_few_weights_and_the_accuracy(reviews):
    l1, l2 = LogisticRegression(penalty="l1"), LogisticRegression(penalty="l2")
    accuracies = [scores(reviews, learner, 2)[1] for learner in (l1, l2)]
    assert np.mean(l1.coef_ == 0) > 0.9 > 0.1 > np.mean(l2.coef_ == 0)
    assert accuracies[0] == pytest.approx(accuracies[1], abs=0.03)
