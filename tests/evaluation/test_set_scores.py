"""Tests of wordplane.evaluation.set_scores and wordplane.evaluation.label_decisions, worked by
hand; tests/model/test_multilabel.py compares them with scikit-learn and on texts."""

import numpy as np

from wordplane.common.label_sets import LabelSets, as_label_sets
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.evaluation.set_scores import score_sets


def test_scores_by_hand():
    true = as_label_sets([["a"], ["a", "b"], ["b"], ["a"]])
    predicted = as_label_sets([["a"], ["a"], ["b"], ["b"]]).with_classes(true.classes)
    scores = score_sets(true, predicted, n_resamples=50)
    assert scores.subset_accuracy == 0.5
    assert scores.hamming_loss == 3 / 8
    assert scores.micro_f1 == 2 * 3 / (4 + 5)  # hits of predicted and of true labels
    assert scores.macro_f1 == (2 * 2 / (2 + 3) + 2 * 1 / (2 + 2)) / 2
    assert (scores.majority_set, scores.majority_subset_accuracy) == (("a",), 0.5)


def test_untuned_decisions_are_the_signs_of_the_scores():
    z = np.array([[1.0, -2.0], [-0.5, 0.0]])
    decisions = LabelDecisions.untuned(2)
    assert decisions.predict(z).tolist() == [[True, False], [False, False]]
    assert np.allclose(decisions.transform(z), 1 / (1 + np.exp(-z)))


def test_a_threshold_moves_to_where_f1_is_best():
    z = np.linspace(-3, 3, 601)[:, None]
    member = z > 1.0
    decisions = LabelDecisions.fit(z, member)
    assert (decisions.predict(z) == member).all()


def test_rows_without_any_label_have_an_interval():
    none = LabelSets.of_member(np.array(["a", "b"], dtype=object), np.zeros((6, 2), bool))
    low, high = score_sets(none, none).macro_f1_interval
    assert 0 <= low <= high <= 1
