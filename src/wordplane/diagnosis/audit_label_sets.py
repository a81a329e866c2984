"""Labels of multi-label rows that are probably missing or wrong.

Every label of every row is judged by a model that was trained without the row; the sigmoid that
makes a probability p of its score is fitted on the rows of the other folds. With

    m_k = the mean p of label k over the rows that have it,
    n_k = the mean 1 - p over the rows that do not have it,

a row that lacks label k is suspect if p >= m_k: the model is as sure of the label as it is of
rows that have it. A row that has label k is suspect if 1 - p >= n_k. Both bounds are at least 0.5,
and m_k at most 0.8, which is sure enough; n_k is not cut, since most labels are rare, and the rows
without them beyond doubt. Labels of fewer than two rows are not judged.

The bounds by class follow confident learning (Northcutt, Jiang and Chuang 2021, JAIR 70), one label
at a time.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from wordplane.common.groups import other_rows
from wordplane.common.label_sets import LabelSets
from wordplane.common.types import FloatArray, IntArray
from wordplane.diagnosis.audit_findings import Finding, count_text
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.selection.cross_validation import OutOfFold

MIN_ROWS = 2  # that have the label, and that do not
SURE, VERY_SURE = 0.5, 0.8
LABELS_SHOWN = 20

Bools = NDArray[np.bool_]


def suspect_labels(
    result: OutOfFold, y: LabelSets, judged: IntArray, n_rows: int
) -> Iterable[Finding]:
    """Labels of the rows `judged` that models trained without them disagree with."""
    z = result.scores.reshape(len(y), -1)
    P = probabilities_out_of_fold(z, y.member, result.folds)
    missing, wrong = doubtful(P, y.member)
    names = [repr(label) for label in y.classes.tolist()]
    of = "" if len(judged) == n_rows else f" of {len(judged):,} drawn at random"
    kinds = (
        ("missing labels", missing, P, "lack", "expect"),
        ("wrong labels", wrong, 1 - P, "have", "do not expect"),
    )
    for kind, doubts, sure, verb, judgment in kinds:
        rows = _by_doubt(doubts, sure)
        if not rows:
            continue
        singular = {"lack": "lacks", "have": "has"}[verb]
        yield Finding(
            kind,
            f"{count_text(len(rows), f'row{of} {singular}', f'rows{of} {verb}')} a label that "
            f"models trained without the row {judgment}; the first rows, where they are surest, "
            "may be mislabeled",
            tuple(judged[rows].tolist()),
            tuple(_labels_text(names, doubts[row], P[row]) for row in rows),
        )
    yield from _by_label(names, missing, wrong, y.member)


def probabilities_out_of_fold(
    z: FloatArray, member: Bools, folds: Sequence[IntArray]
) -> FloatArray:
    """The probability of each label, by sigmoids of the scores of the other folds."""
    P = np.zeros(z.shape)
    for held in folds:
        others = other_rows(len(z), held)
        P[held] = LabelDecisions.fit(z[others], member[others]).transform(z[held])
    return P


def doubtful(P: FloatArray, member: Bools) -> tuple[Bools, Bools]:
    """Which labels are probably missing, and which are probably wrong (n x K).

    >>> P = np.array([[0.9], [0.8], [0.9], [0.1], [0.2], [0.1]])
    >>> has = np.array([[1], [1], [0], [0], [0], [1]]) > 0
    >>> [np.flatnonzero(found).tolist() for found in doubtful(P, has)]
    [[2], [5]]
    """
    n = member.sum(axis=0)
    known = (n >= MIN_ROWS) & (len(member) - n >= MIN_ROWS)
    own = np.where(member, P, 0).sum(axis=0) / np.maximum(n, 1)
    other = np.where(member, 0, 1 - P).sum(axis=0) / np.maximum(len(member) - n, 1)
    missing = ~member & (np.clip(own, SURE, VERY_SURE) <= P) & known
    wrong = member & (np.maximum(other, SURE) <= 1 - P) & known
    return missing, wrong


def _by_doubt(doubts: Bools, sure: FloatArray) -> list[int]:
    """The rows with doubts, the surest first."""
    most = np.where(doubts, sure, -1.0).max(axis=1, initial=-1.0)
    order = np.argsort(-most, kind="stable")
    return [row for row in order.tolist() if most[row] >= 0]


def _labels_text(names: list[str], doubts: Bools, P: FloatArray) -> str:
    return ", ".join(f"{names[k]} ({P[k]:.1%})" for k in np.flatnonzero(doubts).tolist())


def _by_label(names: list[str], missing: Bools, wrong: Bools, member: Bools) -> Iterable[Finding]:
    """The labels with the most doubts."""
    lacking, mistaken, n = (part.sum(axis=0) for part in (missing, wrong, member))
    order = np.argsort(-(lacking + mistaken), kind="stable")
    details = [
        f"{names[k]}: {lacking[k]:,} probably missing, {mistaken[k]:,} of {n[k]:,} probably wrong"
        for k in order[:LABELS_SHOWN].tolist()
        if lacking[k] + mistaken[k]
    ]
    if details:
        yield Finding("labels in doubt", "the labels with the most doubts", (), tuple(details))
