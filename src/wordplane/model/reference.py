"""What a model keeps of texts held out in training, so that later texts can be compared with them.

Scores and classes of texts that were not learned from say which errors to expect (see
`evaluation.label_shift`); how many of each class have which traits says whether later texts are
still of the same kind (see `evaluation.trait_test`). No text is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.forms import ArrayForm, check_arrays
from wordplane.common.label_sets import LabelSets, LabelsOrSets
from wordplane.common.partial_scores import are_partial
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.model.text_traits import TextTraits

MAX_ROWS = 2000
MAX_SCORES = 200_000
FEW = 500  # texts
MAX_COUNTED = 5000
MAX_GROUPS = 100  # with so many classes, traits are counted by class
PREFIX = "reference."
FORMS = {
    "scores": ArrayForm("float32", "rows outputs"),
    "codes": ArrayForm("int32", "rows", below="classes"),
    "counts": ArrayForm("int32", "traits groups"),
    "sizes": ArrayForm("int32", "groups"),
}
REFERENCE_ARRAYS = {"scores": ("float32", 2), "codes": ("int32", 1), "counts": ("int32", 2)}
REFERENCE_ARRAYS["sizes"] = ("int32", 1)
Arrays = dict[str, NDArray[np.generic]]


@dataclass(frozen=True, eq=False)
class Reference:
    """Texts that were not learned from.

    scores  rows x outputs; no rows if there is nothing to correct by, as for multi-label models
    codes   the numbers of their classes
    traits  of texts
    counts  how many texts of each class have each trait; or of all texts together, if they have
            label sets or very many classes
    sizes   how many texts of each class, or in all, there are
    """

    scores: NDArray[np.float32]
    codes: NDArray[np.int32]
    traits: TextTraits
    counts: NDArray[np.int32]
    sizes: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        classes: LabelArray,
        texts: _core.Texts,
        labels: LabelsOrSets,
        traits: TextTraits,
        threads: int,
    ) -> Self:
        """The traits of texts, and no scores so far."""
        codes = np.zeros(len(texts), np.int64)
        n_groups = 1
        if not isinstance(labels, LabelSets) and 1 < len(classes) <= MAX_GROUPS:
            known = np.isin(labels, classes)
            texts, labels = texts.take(np.flatnonzero(known)), labels[known]
            codes, n_groups = np.searchsorted(classes, labels), len(classes)
        counts = np.zeros((n_groups, len(traits.names)))
        np.add.at(counts, codes, traits.matrix(texts, threads))
        sizes = np.bincount(codes, minlength=n_groups)
        none = np.zeros((0, 1), np.float32), np.zeros(0, np.int32)
        by_trait = np.ascontiguousarray(counts.T, dtype=np.int32)
        return cls(*none, traits, by_trait, sizes.astype(np.int32))

    def with_scores(self, classes: LabelArray, scores: FloatArray, labels: LabelsOrSets) -> Self:
        """The same with the scores of rows that have these labels; without, if labels are sets, or
        a tree scored some of them only."""
        z = scores if scores.ndim == 2 else scores[:, None]
        if isinstance(labels, LabelSets) or are_partial(z):
            return self
        known = np.flatnonzero(np.isin(labels, classes) & np.isfinite(z).all(axis=1))
        most = min(MAX_ROWS, max(MAX_SCORES // z.shape[1], 1))
        if len(known) > most:
            known = known[np.linspace(0, len(known) - 1, most).astype(np.intp)]
        codes = np.searchsorted(classes, labels[known])
        return replace(self, scores=z[known].astype(np.float32), codes=codes.astype(np.int32))

    def arrays(self) -> Arrays:
        """As they are stored."""
        return {PREFIX + name: getattr(self, name) for name in FORMS}


def take_reference(
    arrays: Arrays, described: object, n_classes: int, n_outputs: int
) -> Reference | None:
    """What a file that may be anybody's has; takes its arrays out of all arrays."""
    own = {name: arrays.pop(PREFIX + name) for name in FORMS if PREFIX + name in arrays}
    if described is None:
        if own:
            raise InputError("arrays of a reference, which is not described")
        return None
    traits = TextTraits.from_dict(described)
    n_traits = len(traits.names)
    check_arrays(own, FORMS, {"classes": n_classes, "traits": n_traits})
    reference = Reference(traits=traits, **own)  # type: ignore[arg-type]
    rows, sizes, counts = reference.scores, reference.sizes, reference.counts
    right = (
        (len(rows) == 0 or rows.shape[1] == n_outputs)
        and len(rows) <= MAX_ROWS
        and len(sizes) in (1, n_classes)
        and bool(np.isfinite(rows).all())
        and bool(((counts >= 0) & (counts <= sizes)).all())
    )
    if not right:
        raise InputError("a reference that does not fit the model")
    return reference


def held_out_parts(n: int, rows: IntArray, random_state: int) -> tuple[IntArray, IntArray]:
    """Rows to find traits in, and others to count them in: every other one of those held out, or
    of all n rows if these are few (as few as are never trained on in blocks)."""
    if n < FEW:
        rows = np.random.default_rng(random_state).permutation(n)
    return _some(np.sort(rows[::2])), _some(np.sort(rows[1::2]))


def _some(rows: IntArray) -> IntArray:
    if len(rows) <= MAX_COUNTED:
        return rows
    return rows[np.linspace(0, len(rows) - 1, MAX_COUNTED).astype(np.intp)]
