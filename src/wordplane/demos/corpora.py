"""Texts and labels as lists, which is what demos need."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from wordplane.data.corpus import Corpus
from wordplane.data.datasets import docstrings


def texts_and_labels(corpus: Corpus) -> tuple[list[str], NDArray[np.str_]]:
    """The texts and labels of a corpus in which every text has one label."""
    texts = [corpus.texts[i] for i in range(len(corpus))]
    return texts, np.array([str(label) for label in corpus.labels or ()])


def split_rows(n: int, share: float) -> tuple[list[int], list[int]]:
    """Row numbers at random: those to learn from, a share of all, and the others."""
    order = np.random.default_rng(0).permutation(n)
    cut = int(n * share)
    return order[:cut].tolist(), order[cut:].tolist()


@cache
def labeled_docstrings() -> tuple[list[str], NDArray[np.str_]]:
    """The docstrings of Python's library, and the package of each."""
    return texts_and_labels(docstrings())
