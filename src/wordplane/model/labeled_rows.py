"""Labeled documents as they are learned from: a row for each, or of soft labels for each label."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from wordplane.common.errors import InputError
from wordplane.common.groups import as_groups
from wordplane.common.label_sets import LabelSets, LabelsOrSets, as_labels_or_sets
from wordplane.common.soft_labels import as_soft_labels, one_row_per_label
from wordplane.common.types import FloatArray, IntArray, LabelsLike, WeightsLike
from wordplane.common.weights import as_weights
from wordplane.text.documents import Documents


class LabeledRows(NamedTuple):
    """Documents, and what is known of each; if a document has a row for each label, `texts` says
    which rows are of the same one."""

    documents: Documents
    labels: LabelsOrSets
    weights: FloatArray | None
    groups: IntArray | None
    times: IntArray | None
    texts: IntArray | None = None


def labeled_rows(
    documents: Documents,
    y: LabelsLike | LabelSets | None,
    sample_weight: WeightsLike = None,
    groups: Iterable[Hashable] | None = None,
    times: IntArray | None = None,
) -> LabeledRows:
    """The rows to learn from; an InputError unless there is a label, or a distribution, for each
    document."""
    n, soft = len(documents), as_soft_labels(y)
    if soft is not None:
        _check_lengths(n, len(soft))
        rows = one_row_per_label(soft, sample_weight, groups)
        labels, of_row = (
            as_labels_or_sets(rows.labels),
            None if times is None else times[rows.texts],
        )
        return LabeledRows(
            documents.take(rows.texts), labels, rows.weights, rows.groups, of_row, rows.texts
        )
    labels = as_labels_or_sets(y)
    _check_lengths(n, len(labels))
    weights = None if sample_weight is None else as_weights(sample_weight, n)
    together = None if groups is None else as_groups(groups, n)
    return LabeledRows(documents, labels, weights, together, times)


def _check_lengths(n_texts: int, n_labels: int) -> None:
    if n_labels != n_texts:
        raise InputError(f"{n_texts} texts and {n_labels} labels: one each is needed")
