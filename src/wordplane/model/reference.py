"""What a model keeps of its texts, so that later texts can be compared with them.

Scores and classes of texts that were not learned from say which errors to expect (see
`evaluation.label_shift`); how many of each class have which traits says whether later texts are
still of the same kind (see `evaluation.trait_test`). The model has no part in traits, so they are
counted in texts that it learned from, too: the more texts, the smaller a change that is found.
They are drawn before the first fit, as blocks on disk give their texts up in it. No text is kept,
and no word that the features of the model do not show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.forms import ArrayForm, check_arrays
from wordplane.common.label_sets import LabelSets, LabelsOrSets
from wordplane.common.partial_scores import are_partial
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.features.text_features import TextFeatures
from wordplane.model.known_words import are_shown
from wordplane.model.stored_parts import Arrays, name_part, take_part
from wordplane.model.text_traits import TextTraits

MAX_ROWS = 2000
MAX_SCORES = 200_000
MAX_COUNTED = 2000
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


@dataclass(frozen=True, eq=False)
class Reference:
    """What is known of texts.

    scores  of texts that were not learned from, rows x outputs; no rows if there is nothing to
            correct by, as for multi-label models
    codes   the numbers of the classes of these
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
        has = traits.matrix(texts, threads)
        rows, found = np.nonzero(has)
        counts = np.bincount(found * n_groups + codes[rows], minlength=has.shape[1] * n_groups)
        sizes = np.bincount(codes, minlength=n_groups)
        none = np.zeros((0, 1), np.float32), np.zeros(0, np.int32)
        by_trait = counts.reshape(-1, n_groups).astype(np.int32)
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

    def shown_by(self, features: TextFeatures) -> Self:
        """The same with the words that features show; without the share of frequent words if that
        are not all, as it was counted with all."""
        traits = self.traits
        shown = np.array(are_shown(traits.words, features), bool)
        if shown.all():
            return self
        words = tuple(compress(traits.words, shown))
        n_words, n_lengths = len(traits.words), len(traits.lengths) + 1
        first = n_words + n_lengths  # of the shares, of which a text has one
        counts = [
            self.counts[:n_words][shown],
            self.counts[n_words:first],
            self.sizes[None, :],
            self.counts[first + len(traits.known) + 1 :],
        ]
        kept = replace(traits, words=words, known=())
        return replace(self, traits=kept, counts=np.vstack(counts))

    def arrays(self) -> Arrays:
        """As they are stored."""
        return name_part(PREFIX, {name: getattr(self, name) for name in FORMS})


def take_reference(
    arrays: Arrays, described: object, n_classes: int, n_outputs: int
) -> Reference | None:
    """What a file that may be anybody's has; takes its arrays out of all arrays."""
    own = take_part(PREFIX, arrays)
    if described is None:
        if own:
            raise InputError("arrays of a reference, which is not described")
        return None
    traits = TextTraits.from_dict(described)
    n_traits = len(traits.names)
    check_arrays(own, FORMS, {"classes": n_classes, "traits": n_traits})
    reference = Reference(traits=traits, **own)
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


def draw_rows(n_rows: int, random_state: int) -> tuple[IntArray, IntArray]:
    """Rows to find traits in, and others to count them in, ascending: half of all each, at most
    2,000."""
    rng = np.random.default_rng(random_state)
    rows = rng.choice(n_rows, min(n_rows, 2 * MAX_COUNTED), replace=False)
    return np.sort(rows[::2]), np.sort(rows[1::2])
