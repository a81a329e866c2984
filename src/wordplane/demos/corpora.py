"""Texts and labels as lists, and texts as rows, which is what demos need."""

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from wordplane import CountVectorizer, TfidfVectorizer
from wordplane.common.types import CsrMatrix
from wordplane.data.corpus import Corpus
from wordplane.data.datasets import docstrings

Label = TypeVar("Label", bound=np.generic)


def texts_and_labels(corpus: Corpus) -> tuple[list[str], NDArray[np.str_]]:
    """The texts and labels of a corpus in which every text has one label."""
    texts = [corpus.texts[i] for i in range(len(corpus))]
    return texts, np.array([str(label) for label in corpus.labels or ()])


def split_matrix(
    vectorizer: CountVectorizer | TfidfVectorizer,
    texts: Sequence[str],
    labels: NDArray[Label],
    share: float,
) -> tuple[CsrMatrix, NDArray[Label], CsrMatrix, NDArray[Label]]:
    """Texts at random as rows with labels: those to learn from, a share of all, and the others."""
    order = np.random.default_rng(0).permutation(len(labels))
    train, test = np.split(order, [int(len(labels) * share)])
    X = vectorizer.fit_transform([texts[i] for i in train])
    X_test = vectorizer.transform([texts[i] for i in test])
    return X, labels[train], X_test, labels[test]


@cache
def labeled_docstrings() -> tuple[list[str], NDArray[np.str_]]:
    """The docstrings of Python's library, and the package of each."""
    return texts_and_labels(docstrings())
