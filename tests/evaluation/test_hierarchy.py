from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.evaluation.hierarchy import Hierarchy, score_levels

ways = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


@st.composite
def problems(draw):
    classes = draw(st.lists(ways, min_size=2, max_size=8, unique=True))
    classes = sorted({*classes, "a/b"})
    n_rows = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    P = rng.dirichlet(np.full(len(classes), 0.3), size=n_rows)
    truth = [classes[k] for k in rng.integers(len(classes), size=n_rows)]
    return classes, P, truth


def ancestors(label, n=None):
    parts = label.split("/")[:n]
    return {"/".join(parts[:k]) for k in range(1, len(parts) + 1)}


@given(problems())
def test_levels_by_sets_of_ancestors(problem):
    classes, P, truth = problem
    tree = Hierarchy.of(classes, "/")
    predicted = [classes[k] for k in P.argmax(axis=1)]
    scores = score_levels(tree, truth, predicted, P)
    assert len(scores) == max(label.count("/") for label in classes) + 1
    for n, (level, score) in enumerate(zip(tree.levels, scores, strict=True), 1):
        A, B = ([ancestors(label, n) for label in labels] for labels in (truth, predicted))
        shared = sum(len(a & b) for a, b in zip(A, B, strict=True))
        expected = 2 * shared / (sum(map(len, A)) + sum(map(len, B)))
        assert score.hierarchical_f1 == pytest.approx(expected)
        nodes = ["/".join(label.split("/")[:n]) for label in classes]
        Q = np.array([[P[:, [m == node for m in nodes]].sum(axis=1)] for node in level.names])
        np.testing.assert_allclose(level.probabilities(P), Q[:, 0].T, atol=1e-12)
        assert level.probabilities(P).sum(axis=1) == pytest.approx(1)
        best = [level.names[k] for k in level.probabilities(P).argmax(axis=1)]
        right = [b == "/".join(t.split("/")[:n]) for b, t in zip(best, truth, strict=True)]
        assert score.accuracy == pytest.approx(np.mean(right))


@given(problems(), st.floats(0.5, 0.99, exclude_min=True))
def test_a_label_ends_at_the_deepest_level_that_is_sure(problem, least):
    classes, P, truth = problem
    tree = Hierarchy.of(classes, "/")
    for (label, n), p in zip(tree.stop(P, least), P, strict=True):
        expected = None
        for depth in range(1, len(tree.levels) + 1):
            sums = Counter()
            for name, q in zip(classes, p.tolist(), strict=True):
                sums["/".join(name.split("/")[:depth])] += q
            best, most = max(sums.items(), key=lambda item: item[1])
            expected = best if most >= least else expected
        assert label == expected
        assert n == (0 if label is None else label.count("/") + 1)
    scores = score_levels(tree, truth, truth, P, least)
    assert sum(score.stopped for score in scores) <= 1 + 1e-9


@pytest.mark.parametrize(("classes", "separator"), [(["a", "b"], "/"), ([1, 2], "."), (["a"], "")])
def test_labels_without_levels(classes, separator):
    with pytest.raises(InputError, match="separator"):
        Hierarchy.of(classes, separator)
