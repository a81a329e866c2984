"""Columns that say which rows belong together, such as the author or the thread of a post.

If rows of the same thread are alike, a model that has seen some of them finds the others easy, and
an estimate from rows held out at random is too good for new threads. A column is suspected if its
values repeat, and the label of a row can be guessed from the labels of the other rows with its
value. The models that judge labels are then trained again, on folds that do not separate such rows.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from wordplane.common.groups import as_groups
from wordplane.common.types import IntArray, LabelArray
from wordplane.evaluation.paired_tests import mcnemar_by_groups
from wordplane.learners.support.base import LinearClassifier
from wordplane.selection.cross_validation import OutOfFold, out_of_fold
from wordplane.selection.splitter import Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

MIN_GROUPS, MIN_GROUPS_PER_CLASS = 20, 3
MIN_SHARED = 0.2  # share of the rows that have company
MIN_GAIN = 0.1  # of the mistakes of always guessing the most frequent label
MIN_DIFFERENCE, MAX_P = 0.01, 0.01
MAX_TRIED = 3  # columns, each of which takes a cross-validation


class Suspect(NamedTuple):
    """A column whose rows may belong together."""

    name: str
    groups: IntArray
    guessed: float  # share of the rows with company whose label the others have most often


class Separation(NamedTuple):
    """How many labels models find if folds separate the rows of a group, and if they do not."""

    name: str
    n_groups: int
    n_shared: int
    separated: float
    together: float


def separations(
    columns: Mapping[str, Sequence[Hashable]],
    analyzer: Analyzer,
    learner: LinearClassifier,
    documents: Documents,
    y: LabelArray,
    at_random: OutOfFold,
    *,
    random_state: int = 0,
    threads: int = 1,
) -> Iterable[Separation]:
    """The columns without which an estimate is too good, the worst first.

    at_random  the scores of analyzer and learner by folds that separate rows at random
    """
    suspects = [s for name, values in columns.items() if (s := suspect(name, values, y))]
    gaps = []
    right = at_random.predicted == y
    for name, groups, _ in sorted(suspects, key=lambda s: -s.guessed)[:MAX_TRIED]:
        splitter = Splitter(len(at_random.folds), groups=groups, random_state=random_state)
        done = out_of_fold(analyzer, learner, documents, y, splitter=splitter, threads=threads)
        right_together = done.predicted == y
        gap = float(right.mean() - right_together.mean())
        if gap >= MIN_DIFFERENCE and mcnemar_by_groups(right, right_together, groups) < MAX_P:
            sizes = np.bincount(groups)
            shared = int(sizes[sizes > 1].sum())
            shares = float(right.mean()), float(right_together.mean())
            gaps.append(Separation(name, len(sizes), shared, *shares))
    return sorted(gaps, key=lambda s: s.together - s.separated)


def suspect(name: str, values: Sequence[Hashable], y: LabelArray) -> Suspect | None:
    """The column, if its values repeat and labels can be guessed from them.

    >>> y = np.array(["a", "b"] * 30)
    >>> suspect("thread", [*range(20)] * 3, y).guessed  # 20 is even, so each has one label
    1.0
    >>> suspect("number", [*range(60)], y) is None
    True
    """
    groups = as_groups(values)
    sizes = np.bincount(groups)
    classes, codes = np.unique(y, return_inverse=True)
    shared = sizes[groups] > 1
    if len(sizes) < max(MIN_GROUPS, MIN_GROUPS_PER_CLASS * len(classes)):
        return None
    if shared.mean() < MIN_SHARED:
        return None
    pairs, n_rows = np.unique(groups * len(classes) + codes, return_counts=True)
    group_of = pairs // len(classes)
    # A label is guessed if, without the row itself, more rows of the group have it than any other.
    order = np.lexsort((n_rows, group_of))
    last = np.flatnonzero(np.append(np.diff(group_of[order]) > 0, True))
    best = order[last]
    second = np.zeros(len(best), np.int64)
    has_second = np.diff(np.append(-1, last)) > 1
    second[has_second] = n_rows[order[last[has_second] - 1]]
    hits = n_rows[best][n_rows[best] - 1 > second].sum()
    guessed = float(hits / shared.sum())
    majority = float(np.bincount(codes[shared]).max() / shared.sum())
    return (
        Suspect(name, groups, guessed) if guessed - majority >= MIN_GAIN * (1 - majority) else None
    )
