"""The tree of labels of hierarchical softmax."""

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordplane.common.errors import InputError
from wordplane.learners.support.huffman import HuffmanTree

COUNTS = st.lists(st.integers(1, 50), min_size=2, max_size=12).map(
    lambda counts: sorted(counts, reverse=True)
)


def test_a_tree_worked_by_hand():
    """2 and 1 are joined to 3, which is joined with 4 to 7, and that with 9."""
    tree = HuffmanTree([9, 4, 2, 1])
    assert [tree.path(label) for label in range(4)] == [
        [(2, 1)],
        [(2, -1), (1, 1)],
        [(2, -1), (1, -1), (0, 1)],
        [(2, -1), (1, -1), (0, -1)],
    ]


@given(COUNTS)
def test_the_mean_path_is_as_short_as_any_prefix_code(counts):
    tree = HuffmanTree(counts)
    found = sum(n * len(tree.path(label)) for label, n in enumerate(counts))
    heap, cost = list(counts), 0
    heapq.heapify(heap)
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        cost += joined
        heapq.heappush(heap, joined)
    assert found == cost


@given(COUNTS, st.integers(0, 2**32 - 1))
def test_probabilities_are_products_over_the_path(counts, seed):
    tree = HuffmanTree(counts)
    outputs = np.random.default_rng(seed).normal(0, 3, (5, len(counts))).astype(np.float32)
    found = np.exp(tree.log_probabilities(outputs).astype(np.float64))
    for row, o in enumerate(outputs.astype(np.float64)):
        for label in range(len(counts)):
            factors = [1 / (1 + np.exp(-sign * o[node])) + 1e-5 for node, sign in tree.path(label)]
            assert found[row, label] == pytest.approx(min(np.prod(factors), 1.0), abs=1e-6)


@pytest.mark.parametrize("counts", [[3], [1, 2], [2, 0], [2, -1], [10**15, 1]])
def test_counts_that_cannot_be_are_refused(counts):
    with pytest.raises(InputError, match="counts"):
        HuffmanTree(counts)
