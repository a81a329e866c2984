"""Tests of wordplane.evaluation.label_metrics, compared with scikit-learn's metrics."""

import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import given
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.evaluation.confusion import totals_of
from wordplane.evaluation.label_metrics import METRICS, NamedMetric

PEERS = {
    "micro_f1": lambda t, p: peer.f1_score(t, p, average="micro", zero_division=0),
    "accuracy": peer.accuracy_score,
    "macro_f1": lambda t, p: peer.f1_score(t, p, average="macro", zero_division=0),
    "weighted_f1": lambda t, p: peer.f1_score(t, p, average="weighted", zero_division=0),
    "macro_recall": peer.balanced_accuracy_score,
    "mcc": peer.matthews_corrcoef,
    "kappa": peer.cohen_kappa_score,
}
CLASSES = np.array(["ham", "spam"])


def test_every_metric_has_a_peer():
    assert set(PEERS) == set(METRICS)


@given(pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
@pytest.mark.filterwarnings("ignore:y_pred contains classes", "ignore:A single label")
@pytest.mark.slow
def test_metrics_equal_scikit_learns(pairs):
    true, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    totals = totals_of(true, predicted, np.ones(len(true)), 4)
    for name, measure in PEERS.items():
        if name == "kappa" and len({*true, *predicted}) == 1:
            continue  # 0 / 0, which is NaN there
        assert NamedMetric(name).value(totals) == pytest.approx(measure(true, predicted), abs=1e-12)
    one = NamedMetric("f1:2", 2).value(totals)
    wanted = peer.f1_score(true == 2, predicted == 2, zero_division=0)
    assert one == pytest.approx(wanted, abs=1e-12)


def test_leading_axes_are_kept():
    weights = np.array([[1.0, 1, 1, 1], [1, 0, 0, 1]])
    totals = totals_of(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), weights, 2)
    for name in METRICS:
        assert NamedMetric(name).value(totals).shape == (2,)
    assert NamedMetric("mcc").value(totals).tolist() == [0.0, 1.0]


def test_f1_alone_is_that_of_the_rarer_class():
    assert NamedMetric.of("f1", CLASSES, np.array([8, 2])) == NamedMetric("f1:spam", 1)
    assert NamedMetric.of("f1", CLASSES, np.array([2, 8])) == NamedMetric("f1:ham", 0)


@pytest.mark.parametrize(
    ("name", "classes", "says"),
    [
        ("f2", CLASSES, "expected one of accuracy, micro_f1, macro_f1"),
        ("f1:eggs", CLASSES, "there is no label 'eggs'; there are 'ham', 'spam'"),
        ("f1", np.array(["a", "b", "c"]), "there are 3: name one"),
    ],
)
def test_a_wrong_name_says_what_there_is(name, classes, says):
    with pytest.raises(InputError, match=says):
        NamedMetric.of(name, classes, np.ones(len(classes), np.int64))
