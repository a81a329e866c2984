"""Tests of wordplane.common.html: what results show of themselves in a notebook."""

import wordplane
from wordplane.evaluation.confusion import confusion
from wordplane.evaluation.label_scores import score
from wordplane.evaluation.paired_tests import compare_predictions
from wordplane.evaluation.reliability import reliability

TRUE, SAID = ["<a>", "<a>", "b", "b"], ["<a>", "b", "b", "b"]


def test_results_are_tables_and_escaped():
    shown = {
        "scores": score(TRUE, SAID)._repr_html_(),
        "confusion": confusion(TRUE, SAID)._repr_html_(),
        "comparison": compare_predictions(TRUE, SAID, TRUE, names=("<i>", "B"))._repr_html_(),
        "reliability": reliability([1, 0], [0.9, 0.6], n_bins=2)._repr_html_(),
    }
    assert all("<table>" in html and "<a>" not in html for html in shown.values())
    assert "75.0%" in shown["scores"] and "&lt;a&gt;" in shown["scores"]
    assert "<td>1</td><td>1</td>" in shown["confusion"]
    assert "&lt;i&gt;" in shown["comparison"] and "100.0%" in shown["comparison"]
    assert "ECE" in shown["reliability"]


def test_log_loss_has_its_line():
    P = [[0.9, 0.1], [0.4, 0.6], [0.1, 0.9], [0.2, 0.8]]
    assert "log-loss" in score(TRUE, SAID, probabilities=P, classes=["<a>", "b"])._repr_html_()


def test_models_show_what_they_look_at():
    model = wordplane.TextClassifier(learner="nb")
    assert "TextClassifier(learner=" in model._repr_html_()
    model.fit(["<b> good", "bad"] * 5, ["<i>", "y"] * 5)
    shown = model._repr_html_()
    assert "MultinomialNB" in shown
    assert "good" in shown
    assert "&lt;i&gt;" in shown
    assert "<b>" not in shown
