"""Soft labels: a distribution over labels per text, from several annotators or another model.

    the loss of a text = sum_k p_k loss(x, k)

so a text is learned from once for each of its labels, with p_k as weight. Document frequencies
(`min_df`, idf) count it once, unless the analyzer chooses or weights features by labels.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.groups import as_groups
from wordplane.common.types import FloatArray, IntArray, Label, WeightsLike
from wordplane.common.weights import as_weights

MAX_SHARE = 1e100  # sums stay finite


def as_soft_labels(y: object) -> list[Mapping[Label, float]] | None:
    """The distributions, if y has them; else None.

    >>> as_soft_labels([{"spam": 3, "ham": 1}]), as_soft_labels(["spam"])
    ([{'spam': 3, 'ham': 1}], None)
    """
    if hasattr(y, "tolist") and str(getattr(y, "dtype", "")) == "object":  # an array or a Series
        y = y.tolist()
    if not isinstance(y, list | tuple) or not any(isinstance(row, Mapping) for row in y):
        return None
    for row, given in enumerate(y):
        if not isinstance(given, Mapping) or not _is_distribution(given.values()):
            raise InputError(
                f"row {row} has the labels {given!r:.60}, expected a mapping of labels to "
                'probabilities, as in other rows: {"spam": 0.7, "ham": 0.3}'
            )
    return list(y)


def _is_distribution(shares: Collection[object]) -> bool:
    numbers = [
        share
        for share in shares
        if isinstance(share, int | float | np.number) and 0 <= share <= MAX_SHARE
    ]
    return len(numbers) == len(shares) and fsum(numbers) > 0


def soft_labels_of_costs(
    costs: Iterable[Mapping[Label, float]],
) -> tuple[list[dict[Label, float]], FloatArray]:
    """Labels and weights to learn from if it is known what each label of a text would cost, as in
    the lines `1:0.5 2:1 3:0 | text` of Vowpal Wabbit: `fit(texts, labels, sample_weight=weights)`.

    Label k of a text gets the share max_j c_j - c_k, and the text the sum of its shares as weight.
    With these, the number of weighted mistakes of any classifier is what its labels cost, apart
    from a constant: sum_k (max_j c_j - c_k) [h != k] = c_h + constant. A text whose labels all cost
    the same weighs nothing. All texts need the costs of the same labels.

    References: Abe, Zadrozny and Langford (2004), KDD.

    >>> soft_labels_of_costs([{"a": 0, "b": 1, "c": 0.5}, {"a": 2, "b": 2, "c": 2}])
    ([{'a': 1.0, 'b': 0.0, 'c': 0.5}, {'a': 1.0, 'b': 1.0, 'c': 1.0}], array([1.5, 0. ]))
    """
    soft: list[dict[Label, float]] = []
    weights = []
    for row, given in enumerate(costs):
        numbers = [c for c in given.values() if isinstance(c, int | float | np.number)]
        if (
            len(numbers) != len(given)
            or not numbers
            or not all(abs(c) <= MAX_SHARE for c in numbers)
        ):
            raise InputError(f"row {row} has the costs {given!r:.60}, expected a number per label")
        if soft and given.keys() != soft[0].keys():
            raise InputError(
                f"row {row} has costs for the labels {list(given)!r:.60}, expected one for each of "
                f"{list(soft[0])!r:.60}, as in the first row"
            )
        most = max(numbers)
        shares = {label: most - float(cost) for label, cost in given.items()}
        weights.append(fsum(shares.values()))
        soft.append(shares if weights[-1] > 0 else dict.fromkeys(given, 1.0))
    return soft, np.array(weights)


class SoftRows(NamedTuple):
    """A row for each label that a text has a share of: the row of the text, the label, its share as
    weight, and the group of the text, so that all its labels are held out together."""

    texts: IntArray
    labels: list[Label]
    weights: FloatArray
    groups: IntArray


def one_row_per_label(
    soft: Sequence[Mapping[Label, float]],
    sample_weight: WeightsLike = None,
    groups: Iterable[Hashable] | None = None,
) -> SoftRows:
    """The rows to learn from; the shares of a text sum to its weight.

    >>> rows = one_row_per_label([{"a": 3, "b": 1}, {"b": 1.0, "a": 0.0}])
    >>> rows.texts.tolist(), rows.labels, rows.weights.tolist(), rows.groups.tolist()
    ([0, 0, 1], ['a', 'b', 'b'], [0.75, 0.25, 1.0], [0, 0, 1])
    """
    texts, labels, shares = [], [], []
    for text, given in enumerate(soft):
        total = fsum(given.values())
        for label, share in given.items():
            if share > 0:
                texts.append(text)
                labels.append(label)
                shares.append(share / total)
    rows = np.array(texts, dtype=np.int64)
    weights = as_weights(sample_weight, len(soft))[rows] * shares
    together = as_groups(range(len(soft)) if groups is None else groups, len(soft))
    return SoftRows(rows, labels, weights, together[rows])
