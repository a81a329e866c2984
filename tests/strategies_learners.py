"""Small classification problems for tests of learners."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


@st.composite
def problems(draw, *, low=-4, max_classes=4, max_rows=10):
    """X of quarters (sums of which are exact), class numbers that all occur, weights."""
    n_classes = draw(st.integers(2, max_classes))
    n, v = draw(st.integers(n_classes, max_rows)), draw(st.integers(1, 5))
    X = draw(hnp.arrays(np.float64, (n, v), elements=st.integers(low, 4).map(lambda x: x / 4)))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, n_classes - 1)))
    y[:n_classes] = np.arange(n_classes)
    weights = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.5, 1.0, 2.0])))
    return X, y, weights


def orders(n, max_iter, seed=0):
    """The orders in which an online learner takes n rows."""
    rng = np.random.default_rng(seed)
    rows = np.arange(n, dtype=np.int32)
    return [rng.permutation(rows) for _ in range(max_iter)]


@st.composite
def real_problems(draw):
    """X of numbers without ties, class numbers that all occur, weights, and a table of costs."""
    n_classes, n, v = draw(st.integers(2, 4)), draw(st.integers(4, 12)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.standard_normal((n, v)) * (rng.random((n, v)) < 0.8)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    return X, y, rng.random(n) + 0.5, rng.random((n_classes, n_classes)) * (1 - np.eye(n_classes))
