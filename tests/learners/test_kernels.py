"""What the passes of the core refuse: they trust what they were given."""

import numpy as np
import pytest

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.matrix import as_csr

MOST_ARGUMENTS = 8

X = as_csr(np.array([[1.0, 0, 2], [0, 1, 0], [3, 0, 0], [0, 1, 1]]))
Y = np.array([0, 1, 1, 0], np.int32)
ONES = np.ones(4)
ORDER = np.arange(4, dtype=np.int32)
COST = 1 - np.eye(2)
INF = float("inf")


def labeled(**changes):
    return _core.LabeledRows(**{"X": X, "y": Y, "weight": ONES, "n_classes": 2} | changes)


def online(**changes):
    return _core.OnlineRows(labeled(**changes), bias=1.0)


def weights(n_rows=4, n_outputs=1):
    return np.zeros((n_rows, n_outputs))


def perceptron(**changes):
    arguments = {
        "rows": online(), "order": ORDER, "w": weights(), "u": weights(), "step": 0, "threads": 1,
    }  # fmt: skip
    return _core.perceptron_pass(**arguments | changes)


def mira(rule=None, **changes):
    rule = {"cost": COST, "cost_augmented": False, "most": 1.0, "slack": 0.0} | (rule or {})
    arguments = {
        "rows": online(), "order": ORDER, "rule": _core.MiraRule(**rule), "w": weights(),
        "u": None, "step": 0, "threads": 1,
    }  # fmt: skip
    return _core.mira_pass(**arguments | changes)


def online_svm(**changes):
    arguments = {
        "rows": online(), "order": ORDER, "eta": ONES, "w": weights(), "sum": None, "alpha": 0.1,
        "cost": COST, "radius": INF,
    }  # fmt: skip
    return _core.online_svm_pass(**arguments | changes)


def logistic_dual(order=ORDER, sums=None, softmax=False, **changes):
    arguments = {
        "rows": labeled(), "A": weights(), "W": weights(3), "b": np.zeros(1), "bias": 1.0,
        "threads": 1,
    }  # fmt: skip
    dual = _core.LogisticDual(**arguments | changes)
    descend = dual.softmax_pass if softmax else dual.binary_pass
    return descend(order, np.zeros((2, 1)) if sums is None else sums, 1)


def stochastic(**changes):
    arguments = {
        "rows": labeled(), "W": weights(3), "b": np.zeros(1), "softmax": False, "bias": True,
        "penalized_bias": False,
    }  # fmt: skip
    return _core.StochasticState(**arguments | changes)


def sgd(state=None, **changes):
    arguments = {
        "state": state or stochastic(), "order": ORDER, "batch_size": 2, "eta": np.ones(2),
        "P": np.ones(3), "S": np.zeros(3),
    }  # fmt: skip
    return _core.sgd_pass(**arguments | changes)


def adagrad(state=None, **changes):
    rule = _core.AdaGrad(stochastic(), weights(4), eta=1.0, eps=1e-10, l1=0.0, l2=0.0)
    arguments = {"state": state or stochastic(), "rule": rule, "order": ORDER, "batch_size": 2}
    return _core.adagrad_pass(**arguments | changes)


def dual_svm(orders=ORDER[None], threads=1, **changes):
    arguments = {
        "rows": labeled(), "margin": ONES, "squared": True, "bias": 1.0, "scale": None,
        "threads": 1,
    }  # fmt: skip
    return _core.DualSvm(**arguments | changes).run(orders, 0.1, threads)


def crammer_singer(orders=ORDER[None], **changes):
    arguments = {"rows": labeled(), "cost": COST, "bias": 1.0, "threads": 1}
    return _core.CrammerSinger(**arguments | changes).run(orders, 0.1, 1)


def l1_svm(orders=ORDER[None], **changes):
    return _core.L1Svm(**{"rows": labeled(), "bias": 1.0} | changes).run(orders, 0.1, 1)


CELLS = [0, 1, 0, 2, 0, 1, 0, 2]  # columns; the values are 0


def packed(**changes):
    arguments = {
        "begin": np.array([0, 2, 4, 6, 8]), "cells": np.array(CELLS, np.uint64),
        "squared_norm": ONES, "bias": 1.0, "n_features": 4,
    }  # fmt: skip
    return _core.PackedRows.from_arrays(**arguments | changes)


def machines(rows=None, first=0, order=ORDER, measured=False, **changes):
    arguments = {
        "y": Y, "C": ONES, "n_classes": 2, "n_columns": 3, "squared": True, "bias": 1.0,
        "lag": 1.0, "scale": None,
    }  # fmt: skip
    made = _core.SvmMachines(**arguments | changes)
    made.start_measure() if measured else made.start_pass()
    rows = packed() if rows is None else rows
    return made.measure(rows, first, 1) if measured else made.visit(rows, first, order, 1)


LARGEST = 2**63 - 1
RUNS = [
    packed, machines, labeled, online, perceptron, mira, online_svm, logistic_dual, stochastic, sgd,
    adagrad,
    dual_svm, crammer_singer, l1_svm,
]  # fmt: skip


@pytest.mark.parametrize("run", RUNS)
def test_what_is_right_is_taken(run):
    run()


THREE = labeled(y=np.array([0, 1, 2, 0], np.int32), n_classes=3)

REFUSED = [
    (labeled, {"y": Y[:3]}, "3 labels for 4 rows"),
    (labeled, {"weight": ONES[:3]}, "3 weights for 4 rows"),
    (labeled, {"y": np.array([0, 1, 2, 0], np.int32)}, "a label is 2, expected 0 to 1"),
    (labeled, {"y": np.array([0, -1, 1, 0], np.int32)}, "a label is -1"),
    (labeled, {"n_classes": 0}, "n_classes is 0"),
    (labeled, {"weight": np.array([1, 1, -1.0, 1])}, "a weight is -1"),
    (labeled, {"weight": np.array([1, 1, np.nan, 1])}, "a weight is"),
    (perceptron, {"order": np.array([0, 4], np.int32)}, "a row out of range"),
    (perceptron, {"order": np.array([-1], np.int32)}, "a row out of range"),
    (perceptron, {"w": weights(3)}, r"weights of shape \(3, 1\), expected \(4, 1\)"),
    (perceptron, {"u": weights(4, 2)}, r"sums of weights of shape \(4, 2\)"),
    (perceptron, {"step": -1}, "a step before the first"),
    (perceptron, {"threads": 0}, "threads is 0, expected 1 to 1024"),
    (perceptron, {"rows": online(y=0 * Y, n_classes=1)}, "needs two classes"),
    (mira, {"rule": {"cost": np.zeros((3, 3))}}, "3 rows of costs, expected 2"),
    (mira, {"rule": {"cost": np.zeros((2, 3))}}, "3 columns of costs, expected 2"),
    (mira, {"rule": {"most": 0.0}}, "a longest step above 0"),
    (mira, {"rule": {"slack": float("nan")}}, "a slack from 0 up"),
    (mira, {"w": weights(4, 2)}, "weights of shape"),
    (online_svm, {"eta": ONES[:3]}, "3 step sizes, expected 4"),
    (online_svm, {"cost": np.zeros((3, 3))}, "3 rows of costs, expected 2"),
    (online_svm, {"sum": weights(5)}, "sums of weights"),
    (logistic_dual, {"A": weights(3)}, "dual variables of shape"),
    (logistic_dual, {"A": weights() + 2}, "not from 0 to 1"),
    (logistic_dual, {"W": weights(4)}, "weights of shape"),
    (logistic_dual, {"b": np.zeros(2)}, "2 biases, expected 1"),
    (logistic_dual, {"bias": -1.0}, "a bias feature"),
    (logistic_dual, {"threads": -2}, "threads is -2"),
    (logistic_dual, {"order": np.array([4], np.int32)}, "a row out of range"),
    (logistic_dual, {"sums": np.zeros((1, 1))}, "loss and gap of shape"),
    (logistic_dual, {"softmax": True}, "1 outputs, expected 2"),
    (stochastic, {"W": weights(4)}, "weights of shape"),
    (stochastic, {"b": np.zeros(2)}, "2 biases, expected 1"),
    (stochastic, {"softmax": True}, "softmax needs an output"),
    (sgd, {"order": np.array([0, 4, 1, 2], np.int32)}, "a row out of range"),
    (sgd, {"batch_size": 0}, "a batch has a row at least"),
    (sgd, {"eta": ONES}, "4 steps, expected 2"),
    (sgd, {"P": np.ones(2)}, "2 products, expected 3"),
    (sgd, {"S": np.ones(2)}, "2 sums, expected 3"),
    (adagrad, {"batch_size": 0}, "a batch has a row at least"),
    (adagrad, {"state": stochastic(rows=THREE, W=weights(3, 3), b=np.zeros(3)),
               "rule": _core.AdaGrad(stochastic(), weights(4), eta=1.0, eps=0.1, l1=0.0, l2=0.0)},
     "4 squares of gradients, expected 12"),
    (_core.AdaGrad, {"state": stochastic(), "G": weights(3), "eta": 1.0, "eps": 0.1, "l1": 0.0,
                     "l2": 0.0}, "squares of gradients of shape"),
    (dual_svm, {"margin": ONES[:2]}, "2 margins, expected 4"),
    (dual_svm, {"margin": -ONES}, "a margin out of range"),
    (dual_svm, {"scale": weights(2)}, "2 rows of scale, expected 3"),
    (dual_svm, {"bias": -1.0}, "a bias feature"),
    (dual_svm, {"orders": ORDER[None, :3]}, "3 numbers in an order, expected 4"),
    (dual_svm, {"orders": ORDER[None] + 1}, "a row out of range"),
    (dual_svm, {"threads": 0}, "threads is 0"),
    (crammer_singer, {"cost": np.zeros((3, 3))}, "3 rows of costs, expected 2"),
    (crammer_singer, {"orders": ORDER[None] - 1}, "a row out of range"),
    (l1_svm, {"bias": 0.0}, "4 numbers in an order, expected 3"),
    *((packed, {"begin": np.array(begin)}, "packed rows are damaged") for begin in (
        [0, LARGEST, 4, 6, 8], [0, 2, LARGEST, LARGEST, 8], [0, -LARGEST, 4, 6, 8], [0, 2, 4, 4, 8],
        [1, 2, 4, 6, 8], [0, 2, 4, 6, 7], [0, 2, 4, 8], [0, 2, 6, 4, 8], [-LARGEST - 1, 2, 4, 6, 8],
    )),
    (packed, {"n_features": 2}, "packed rows are damaged"),
    (machines, {"rows": packed(bias=0.0, begin=np.array([0, 0, 0, 0, 8]))}, "another bias"),
    (machines, {"rows": packed(bias=0.0), "measured": True}, "another bias"),
    (machines, {"bias": 0.0, "n_columns": 4}, "another bias"),
    (machines, {"rows": packed(n_features=5)}, "5 features, expected 4"),
    (machines, {"first": 1}, "rows out of range"),
    (machines, {"first": 2**64 - 1}, "rows out of range"),
]  # fmt: skip


@pytest.mark.parametrize(("run", "changes", "message"), REFUSED)
def test_what_is_wrong_is_refused(run, changes, message):
    with pytest.raises(InputError, match=message):
        run(**changes)


NEVER_NONE = [
    (labeled, "X y weight n_classes"),
    (perceptron, "rows order w step threads"),
    (mira, "rows order w step threads"),
    (online_svm, "rows order eta w alpha cost radius"),
    (logistic_dual, "rows A W b bias threads order"),
    (stochastic, "rows W b softmax bias penalized_bias"),
    (sgd, "order batch_size eta P S"),
    (adagrad, "rule order batch_size"),
    (dual_svm, "rows margin squared bias threads orders"),
    (crammer_singer, "rows cost bias threads orders"),
    (l1_svm, "rows bias orders"),
]


@pytest.mark.parametrize(("run", "names"), NEVER_NONE)
def test_none_is_refused(run, names):
    for name in names.split():
        with pytest.raises(TypeError):
            run(**{name: None})


def test_arrays_that_are_written_to_are_not_copied():
    for wrong in (weights().astype(np.float32), np.zeros((4, 2))[:, :1], np.zeros(4)):
        with pytest.raises(TypeError):
            perceptron(w=wrong)
    frozen = weights()
    frozen.flags.writeable = False
    with pytest.raises(TypeError):
        perceptron(w=frozen)


def test_rows_keep_their_arrays_alive():
    rows = online(y=Y.copy(), weight=2 * ONES)
    assert rows.y.tolist() == Y.tolist() and rows.weight.tolist() == [2.0] * 4
    assert rows.X.shape == (4, 3) and (rows.n_classes, rows.n_outputs) == (2, 1)
    with pytest.raises(ValueError, match="read-only"):
        rows.y[0] = 1
    y, matrix = rows.y, rows.X
    del rows
    assert y.tolist() == Y.tolist() and matrix.n_values == X.n_values


def bindings():
    """Name and signatures of all that the core offers."""
    for name, value in vars(_core).items():
        if isinstance(value, type):
            for method, function in vars(value).items():
                yield f"{name}.{method}", getattr(function, "__nb_signature__", ())
        else:
            yield name, getattr(value, "__nb_signature__", ())


def test_no_binding_has_many_arguments():
    counts = {}
    for name, signatures in bindings():
        for text, *_ in signatures:
            inside = text[text.index("(") + 1 :]
            depth, n_arguments = 1, 1
            for character in inside:
                depth += (character in "([") - (character in ")]")
                if depth == 0:
                    break
                n_arguments += depth == 1 and character == ","
            markers = sum(inside.count(marker) for marker in ("self", "*, ", "/"))
            counts[name] = max(counts.get(name, 0), n_arguments - markers)
    assert counts["perceptron_pass"] == 6 and counts["MiraRule.__init__"] == 4
    assert max(counts.values()) <= MOST_ARGUMENTS, {n: c for n, c in counts.items() if c > 8}
