"""Tests of wordplane.common.soft_labels and wordplane.model.labeled_rows, by learners whose optimum
is found in another way."""

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp

from wordplane import Analyzer, CountVectorizer, LogisticRegression, MultinomialNB, TextClassifier
from wordplane.common.errors import InputError
from wordplane.common.soft_labels import one_row_per_label, soft_labels_of_costs

TEXTS = ["good film", "good fun", "dull film", "long dull film", "fun but long", "film"]
VOTES = [
    {"+": 3, "-": 0},
    {"+": 0.9, "-": 0.1},
    {"-": 1.0},
    {"-": 0.8, "0": 0.2},
    {"+": 1, "0": 1},
    {"+": 0.2, "-": 0.3, "0": 0.5},
]
CLASSES = ["+", "-", "0"]
P = np.array([[v.get(k, 0) / sum(v.values()) for k in CLASSES] for v in VOTES])
X = CountVectorizer().fit_transform(TEXTS).toarray().astype(float)


def classifier(learner):
    analyzer = Analyzer(ngrams=(1, 1), tf="count", idf=None, norm=None)
    return TextClassifier(analyzer, learner, calibration=None).fit(TEXTS, VOTES)


def test_naive_bayes_counts_shares():
    model = classifier(MultinomialNB(alpha=0.5))
    assert model.classes_.tolist() == CLASSES
    counts = P.T @ X + 0.5
    log_phi = np.log(counts / counts.sum(axis=1, keepdims=True))
    expected = X @ log_phi.T + np.log(P.sum(axis=0) / len(TEXTS))
    expected -= expected[:, :1]
    z = model.decision_function(TEXTS)
    assert z - z[:, :1] == pytest.approx(expected, abs=1e-5)


def test_logistic_regression_minimizes_the_cross_entropy():
    model = classifier(LogisticRegression(C=2.0, tol=1e-8))

    def objective(flat):
        W, b = flat[:-3].reshape(-1, 3), flat[-3:]
        Z = X @ W + b
        loss = -(P * (Z - logsumexp(Z, axis=1, keepdims=True))).sum()
        return 2.0 * loss + (W**2).sum() / 2

    best = minimize(objective, np.zeros(3 * X.shape[1] + 3), tol=1e-10).x
    Z = X @ best[:-3].reshape(-1, 3) + best[-3:]
    expected = np.exp(Z - logsumexp(Z, axis=1, keepdims=True))
    assert model.predict_proba(TEXTS) == pytest.approx(expected, abs=1e-3)


def test_a_text_is_held_out_with_all_its_labels():
    texts, soft = [f"text number {i}" for i in range(100)], [{"a": 0.6, "b": 0.4}] * 100
    held = TextClassifier(learner="nb").fit(texts, soft).holdout_
    assert set(np.bincount(held.rows // 2, minlength=100)) == {0, 2}


@pytest.mark.parametrize(
    "wrong",
    [{}, {"a": -1}, {"a": float("nan")}, {"a": "x"}, {"a": 0}, "a", {"a": 10**400}, {"a": 1e308}],
)
def test_what_is_not_a_distribution_is_refused(wrong):
    with pytest.raises(InputError, match="row 1 has the labels"):
        TextClassifier(learner="nb").fit(["a", "b"], [{"a": 1.0}, wrong])


def test_arrays_and_series_are_read_as_lists_are():
    texts, soft = ["good film", "bad film"] * 10, [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.8}] * 10
    expected = TextClassifier(learner="nb").fit(texts, soft).predict_proba(texts)
    for given in (np.array(soft, dtype=object), pd.Series(soft)):
        assert (
            TextClassifier(learner="nb").fit(texts, given).predict_proba(texts) == expected
        ).all()


def test_what_they_do_not_go_with_is_refused():
    texts, soft = ["good film", "bad film"] * 10, [{"a": 0.9, "b": 0.1}] * 20
    with pytest.raises(InputError, match="20 texts and 19 labels"):
        TextClassifier(learner="nb").fit(texts, soft[1:])
    with pytest.raises(InputError, match="goes neither with `calibration` 'cv'"):
        TextClassifier(learner="nb", calibration="cv").fit(texts, soft)
    with pytest.raises(InputError, match="nor with `unlabeled`"):
        TextClassifier().fit(texts, soft, unlabeled=texts)
    with pytest.raises(InputError, match="are for `fit`"):
        TextClassifier(learner="nb").partial_fit(texts, soft)


costs_of_texts = st.lists(
    st.fixed_dictionaries({k: st.integers(-20, 20).map(lambda n: n / 4) for k in "abc"}),
    min_size=1,
    max_size=8,
)


@hypothesis.given(costs_of_texts, st.data())
def test_weighted_mistakes_are_costs(costs, data):
    """For any two ways to label the texts, the costs differ as the weighted mistakes do."""
    soft, weights = soft_labels_of_costs(costs)
    hypothesis.assume(weights.any())
    rows = one_row_per_label(soft, weights)

    def mistakes(guess):
        wrong = [guess[text] != k for text, k in zip(rows.texts, rows.labels, strict=True)]
        return float(rows.weights @ np.array(wrong, dtype=float))

    def cost(guess):
        return sum(given[k] for given, k in zip(costs, guess, strict=True))

    labels = st.lists(st.sampled_from("abc"), min_size=len(costs), max_size=len(costs))
    one, other = data.draw(labels), data.draw(labels)
    assert mistakes(one) - mistakes(other) == pytest.approx(cost(one) - cost(other))


def test_a_classifier_learns_what_costs_least():
    """Two in three texts with `odd` are a, but a is dear where it is wrong."""
    texts = ["odd day"] * 3 + ["fine day"] * 3
    dear = {"a": 5.0, "b": 0.0}
    costs = [{"a": 0.0, "b": 1.0}, {"a": 0.0, "b": 1.0}, dear] + [{"a": 0.0, "b": 1.0}] * 3
    y, weights = soft_labels_of_costs(costs)
    model = TextClassifier(learner="logistic", calibration=None)
    assert model.fit(texts, y, sample_weight=weights).predict(["odd", "fine"]).tolist() == [
        "b",
        "a",
    ]
    hard = model.fit(texts, ["a", "a", "b", "a", "a", "a"])
    assert hard.predict(["odd"]).tolist() == ["a"]


def test_wrong_costs_are_refused():
    for wrong in ([{"a": "x"}], [{}], [{"a": float("nan")}]):
        with pytest.raises(InputError, match="row 0 has the costs"):
            soft_labels_of_costs(wrong)
    with pytest.raises(InputError, match="row 1 has costs for the labels"):
        soft_labels_of_costs([{"a": 1, "b": 2}, {"a": 1}])


def test_document_frequencies_count_a_text_once():
    texts = ["rare word", "good film", "good fun", "dull film", "good dull"]
    votes = [{"+": 1, "-": 1}, {"+": 3, "-": 1}, {"+": 1}, {"-": 1}, {"+": 1, "-": 2, "0": 1}]
    analyzer = Analyzer(ngrams=(1, 1), min_df=2, idf="smooth")
    model = TextClassifier(analyzer, "logistic", calibration=None).fit(texts, votes)
    hard = TextClassifier(analyzer, "logistic", calibration=None).fit(texts, list("++--0"))
    found, expected = model.model_.features, hard.model_.features
    assert found.names() == expected.names()
    assert "word:rare" not in found.names() and "rare" not in found.names()
    assert found.idf.tolist() == expected.idf.tolist()
