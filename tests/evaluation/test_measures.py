"""All metrics by name, compared with scikit-learn's, with their intervals and paired tests.

Tests of wordplane.evaluation.measures and wordplane.evaluation.outcomes.
"""

import numpy as np
import pytest
import sklearn.metrics as peer

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.evaluation.measures import NAMES, Metric, score_by, value_by
from wordplane.evaluation.outcomes import Outcome, align
from wordplane.evaluation.paired_tests import compare_outcomes

CLASSES = ["1", "2", "3", "4"]
SEEDS = range(5)


def one_label(seed, n=60):
    """An outcome of four classes, and its parts: codes, predictions, probabilities."""
    rng = np.random.default_rng(seed)
    true = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    z = rng.normal(size=(n, 4)) + 1.5 * np.eye(4)[true]
    P = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    said = P.argmax(axis=1)
    names = np.array(CLASSES)
    outcome = Outcome.of_labels(names[true].tolist(), names[said].tolist(), P, CLASSES)
    return outcome, true, said, P


def label_sets(seed, n=50, at_least=0):
    rng = np.random.default_rng(seed)
    true = rng.random((n, 5)) < [0.5, 0.4, 0.3, 0.2, 0.1]
    true[:, 0] |= true.sum(axis=1) < at_least
    P = np.clip(0.5 * true + 0.5 * rng.random((n, 5)), 0.01, 0.99)
    said, names = P > 0.5, np.array(list("abcde"))
    return (
        Outcome.of_sets(LabelSets.of_member(names, true), LabelSets.of_member(names, said), P),
        true,
        said,
        P,
    )


ONE_LABEL = {
    "quadratic_kappa": lambda t, y, P: peer.cohen_kappa_score(t, y, weights="quadratic"),
    "log_loss": lambda t, y, P: peer.log_loss(t, P, labels=range(4)),
    "ap:4": lambda t, y, P: peer.average_precision_score(t == 3, P[:, 3]),
    "auc:2": lambda t, y, P: peer.roc_auc_score(t == 1, P[:, 1]),
    "ndcg": lambda t, y, P: peer.ndcg_score(np.eye(4)[t], P),
    "ndcg@2": lambda t, y, P: peer.ndcg_score(np.eye(4)[t], P, k=2),
    "lrap": lambda t, y, P: peer.label_ranking_average_precision_score(np.eye(4)[t], P),
    "recall@2": lambda t, y, P: peer.top_k_accuracy_score(t, P, k=2, labels=range(4)),
    "precision@2": lambda t, y, P: peer.top_k_accuracy_score(t, P, k=2, labels=range(4)) / 2,
    "micro_f1": lambda t, y, P: peer.f1_score(t, y, average="micro"),
    "mcc": lambda t, y, P: peer.matthews_corrcoef(t, y),
    "f1:3": lambda t, y, P: peer.f1_score(t == 2, y == 2),
}
SETS = {
    "accuracy": lambda t, y, P: peer.accuracy_score(t, y),
    "micro_f1": lambda t, y, P: peer.f1_score(t, y, average="micro"),
    "macro_f1": lambda t, y, P: peer.f1_score(t, y, average="macro"),
    "weighted_f1": lambda t, y, P: peer.f1_score(t, y, average="weighted"),
    "macro_recall": lambda t, y, P: peer.recall_score(t, y, average="macro"),
    "f1:b": lambda t, y, P: peer.f1_score(t[:, 1], y[:, 1]),
    "log_loss": lambda t, y, P: np.mean([peer.log_loss(t[:, k], P[:, k]) for k in range(5)]),
    "ap:c": lambda t, y, P: peer.average_precision_score(t[:, 2], P[:, 2]),
    "auc:a": lambda t, y, P: peer.roc_auc_score(t[:, 0], P[:, 0]),
    "ndcg": lambda t, y, P: peer.ndcg_score(t, P),
    "ndcg@3": lambda t, y, P: peer.ndcg_score(t, P, k=3),
    "lrap": lambda t, y, P: peer.label_ranking_average_precision_score(t, P),
}


@pytest.mark.parametrize("name", ONE_LABEL)
def test_one_label_per_row_as_scikit_learn(name):
    for seed in SEEDS:
        outcome, *parts = one_label(seed)
        assert value_by(name, outcome) == pytest.approx(ONE_LABEL[name](*parts), abs=1e-12)


@pytest.mark.parametrize("name", SETS)
def test_sets_of_labels_as_scikit_learn(name):
    for seed in SEEDS:
        outcome, *parts = label_sets(seed)
        assert value_by(name, outcome) == pytest.approx(SETS[name](*parts), abs=1e-12)


def test_precision_and_recall_at_k_by_hand():
    true = np.array([[1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], bool)
    P = np.array([[0.9, 0.8, 0.1, 0.2], [0.1, 0.2, 0.3, 0.4], [0.5, 0.4, 0.3, 0.2]])
    sets = LabelSets.of_member(np.array(list("abcd")), true)
    outcome = Outcome.of_sets(sets, sets, P)
    assert value_by("precision@2", outcome) == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    assert value_by("recall@2", outcome) == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert value_by("recall@4", outcome) == pytest.approx((1 + 1 + 0) / 3)


def test_quadratic_kappa_takes_labels_as_numbers():
    """Where 3 and 10 occur but nothing between, they are as far apart as they are."""
    true, said = [2, 2, 3, 10, 10, 10], [2, 3, 3, 10, 10, 3]
    wanted = peer.cohen_kappa_score(true, said, weights="quadratic", labels=list(range(2, 11)))
    for kind in (str, int):
        outcome = Outcome.of_labels([*map(kind, true)], [*map(kind, said)])
        assert value_by("quadratic_kappa", outcome) == pytest.approx(wanted)


def test_labels_that_the_classifier_does_not_know_are_never_ranked():
    P = np.array([[0.6, 0.4], [0.5, 0.5]])
    outcome = Outcome.of_labels(["a", "new"], ["a", "a"], P, ["a", "b"])
    assert outcome.labels == ("a", "b", "new")
    assert value_by("recall@2", outcome) == 0.5
    assert value_by("log_loss", outcome) == pytest.approx((-np.log(0.6) + 52 * np.log(2)) / 2)


@pytest.mark.parametrize("name", ["ap:4", "log_loss", "mcc", "accuracy", "macro_f1", "ndcg@2"])
def test_intervals_contain_the_value_and_shrink(name):
    few, many = (score_by(name, one_label(1, n)[0]) for n in (80, 1280))
    for score in (few, many):
        assert score.interval[0] <= score.value <= score.interval[1]
    widths = [high - low for low, high in (few.interval, many.interval)]
    assert 2 < widths[0] / widths[1] < 8  # four times as many rows: half as wide


def test_the_interval_of_average_precision_covers():
    """Of 50 samples, about 47 intervals contain the value of very many rows."""
    truth = value_by("ap:4", one_label(0, 100_000)[0])
    covered = 0
    for seed in range(50):
        low, high = score_by("ap:4", one_label(seed + 1, 150)[0]).interval
        covered += low <= truth <= high
    assert 43 <= covered <= 50


@pytest.mark.parametrize("name", ["accuracy", "mcc", "log_loss", "ap:4", "ndcg@2"])
def test_paired_tests_by_any_metric(name):
    good, true, _, P = one_label(3, 400)
    worse_P = 0.5 * P + 0.5 * np.random.default_rng(0).dirichlet(np.ones(4) / 2, len(P))
    said = np.array(CLASSES)[worse_P.argmax(axis=1)].tolist()
    truth = np.array(CLASSES)[true].tolist()
    bad = Outcome.of_labels(truth, said, worse_P, CLASSES)
    found = compare_outcomes(good, bad, metric=name)
    assert found.is_worse
    assert found.difference == pytest.approx(value_by(name, bad) - value_by(name, good))
    back = compare_outcomes(bad, good, metric=name)
    assert back.distinguishable
    assert not back.is_worse
    same = compare_outcomes(good, good, metric=name)
    assert (same.p, same.interval) == (1.0, (0.0, 0.0))
    assert "log_loss" not in name or "points" not in str(found)


@pytest.mark.parametrize("name", ["ap:2", "auc:2"])
def test_the_gradient_of_a_ranking_is_that_of_small_differences(name):
    outcome, _, _, P = one_label(0, 40)
    coarse = Outcome(outcome.labels, outcome.true, outcome.predicted, P.round(1))  # with ties
    for one in (outcome, coarse):
        metric = Metric.of(name, one)
        measure, gradient = metric.bind(one), metric.gradient(one)
        more = np.ones((40, 40)) + 1e-6 * np.eye(40)
        numeric = (measure(more) - measure(np.ones((1, 40)))) / 1e-6
        assert gradient == pytest.approx(numeric, abs=1e-6)


@pytest.mark.parametrize("name", ["ap:4", "auc:4"])
def test_the_error_of_a_ranking_is_that_of_resamples(name):
    outcome = one_label(2, 600)[0]
    metric = Metric.of(name, outcome)
    rng = np.random.default_rng(0)
    counts = rng.multinomial(600, np.ones(600) / 600, size=1000).astype(float)
    wanted = metric.bind(outcome)(counts).std()
    assert np.sqrt((metric.gradient(outcome) ** 2).sum()) == pytest.approx(wanted, rel=0.15)


def test_perfect_scores_of_a_rare_label_are_not_sure():
    """With three rows of the label, all found, F1 may be much lower on others."""
    truth = ["a"] * 300 + ["b"] * 3
    P = np.array([[0.9, 0.1]] * 300 + [[0.1, 0.9]] * 3)
    outcome = Outcome.of_labels(truth, truth, P, ["a", "b"])
    for name in ("f1:b", "ap:b"):
        assert score_by(name, outcome).interval[0] < 0.5


def test_the_randomization_test_keeps_its_level():
    """Two systems that differ by chance alone are told apart in about one of twenty cases."""
    rng = np.random.default_rng(5)
    told = ranked = 0
    for _ in range(100):
        true = rng.choice(2, 80)
        outcomes = []
        for _ in range(2):
            p = 1 / (1 + np.exp(-(2 * true - 1 + rng.normal(size=80))))
            P = np.stack([1 - p, p], axis=1)
            outcomes.append(Outcome.of_labels(true, P.argmax(axis=1), P, [0, 1]))
        told += compare_outcomes(*outcomes, metric="log_loss", n_resamples=200).distinguishable
        ranked += compare_outcomes(*outcomes, metric="auc:1").distinguishable
    assert told <= 12
    assert ranked <= 12


def test_sets_of_labels_are_compared_too():
    good, true, said, P = label_sets(0, 200)
    names, flipped = (
        np.array(list("abcde")),
        said ^ (np.random.default_rng(1).random(said.shape) < 0.2),
    )
    bad = Outcome.of_sets(LabelSets.of_member(names, true), LabelSets.of_member(names, flipped), P)
    assert compare_outcomes(good, bad, metric="micro_f1").is_worse
    assert compare_outcomes(good, bad, metric="accuracy").test == "McNemar, mid-p"


def test_outcomes_of_models_with_other_labels_are_aligned():
    a = Outcome.of_labels(["x", "y"], ["x", "x"], np.array([[1.0], [1.0]]), ["x"])
    b = Outcome.of_labels(["x", "y"], ["z", "y"], np.array([[0.4, 0.6], [0.9, 0.1]]), ["y", "z"])
    a, b = align(a, b)
    assert a.labels == b.labels == ("x", "y", "z")
    assert b.predicted.tolist() == [2, 1]
    assert b.probabilities.tolist() == [[0, 0.4, 0.6], [0, 0.9, 0.1]]


@pytest.mark.parametrize(
    ("name", "outcome", "says"),
    [
        ("f2", one_label(0)[0], "expected one of accuracy, micro_f1, macro_f1"),
        ("f1:LABEL", one_label(0)[0], "there is no label 'LABEL'"),
        ("ap:9", one_label(0)[0], "there is no label '9'; there are '1', '2'"),
        ("auc", one_label(0)[0], "name one .auc:LABEL."),
        ("precision@9", one_label(0)[0], "a number of labels from 1 to 4"),
        ("ndcg@x", one_label(0)[0], "a number of labels from 1 to 4"),
        ("precision@K", one_label(0)[0], "a number of labels from 1 to 4"),
        ("mcc", label_sets(0)[0], "these texts are multi-label"),
        ("quadratic_kappa", label_sets(0)[0], "these texts are multi-label"),
        ("quadratic_kappa", Outcome.of_labels([*"ab"], [*"aa"]), "for labels that are numbers"),
        ("log_loss", Outcome.of_labels([*"ab"], [*"aa"]), "needs probabilities"),
        ("ap:a", Outcome.of_labels([*"aa"], [*"aa"], np.ones((2, 1)), ["a"]), "rows without it"),
    ],
)
def test_what_makes_no_sense_says_so(name, outcome, says):
    with pytest.raises(InputError, match=says):
        score_by(name, outcome)


def test_every_name_is_tested():
    tested = {*ONE_LABEL, *SETS, "kappa", "macro_recall"}  # kappa: test_label_metrics
    kinds = {name.replace("LABEL", "").replace("K", "") for name in NAMES}
    for kind in kinds:
        assert any(name.startswith(kind) for name in tested), kind
    assert Metric.of("ndcg@2", one_label(0)[0]).of_probabilities
