"""Ctrl-C ends a fit soon: no native call takes more than about a second."""

import signal
import time

import numpy as np
import pytest
import scipy.sparse as sp

from wordplane import (
    MIRA,
    LinearSVM,
    LogisticRegression,
    OnlineSVM,
    Perceptron,
    RidgeClassifier,
)

pytestmark = pytest.mark.clock

LONG = 10_000_000
FITS = [
    Perceptron(max_iter=LONG),
    MIRA(max_iter=LONG),
    OnlineSVM(max_iter=LONG),
    LinearSVM(tol=1e-15, max_iter=LONG),
    LinearSVM(tol=1e-15, max_iter=LONG, multi_class="crammer_singer"),
    LinearSVM(tol=1e-15, max_iter=LONG, penalty="l1"),
    LogisticRegression(tol=0, max_iter=LONG, solver="dual"),
    LogisticRegression(tol=0, max_iter=LONG, solver="sgd"),
    LogisticRegression(tol=0, max_iter=LONG, solver="minibatch"),
    LogisticRegression(tol=0, max_iter=LONG, solver="adagrad"),
    LogisticRegression(tol=0, max_iter=LONG, solver="gd", penalty="l1"),
    RidgeClassifier(tol=0, max_iter=LONG, solver="sgd"),
]


def stop(number, frame):
    raise KeyboardInterrupt


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
@pytest.mark.parametrize("learner", FITS, ids=repr)
def test_a_fit_is_interrupted(learner):
    rng = np.random.default_rng(0)
    X = sp.random_array((20_000, 5_000), density=0.02, format="csr", rng=rng)
    y = rng.integers(0, 8, 20_000)  # noise, which nobody learns
    before = signal.signal(signal.SIGALRM, stop)
    start = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            learner.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - start < 10  # a second or two, on a machine that is busy
