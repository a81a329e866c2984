"""A fitted linear text model: what is saved, scored and explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_chain import LabelChain
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.evaluation.calibration import Calibrator
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.features.text_features import TextFeatures
from wordplane.learners.support.base import LinearClassifier, best_output
from wordplane.learners.support.chain import ClassifierChain
from wordplane.learners.support.fasttext_weights import FastTextWeights
from wordplane.learners.support.incremental import IncrementalClassifier, can_resume
from wordplane.learners.support.protocols import HasCertificate, HasLabelTree
from wordplane.learners.support.tree_weights import TreeWeights
from wordplane.model.reference import Reference
from wordplane.model.training_record import Training
from wordplane.text.documents import Documents
from wordplane.text.fields import BETWEEN
from wordplane.text.texts import batches

if TYPE_CHECKING:
    from wordplane.evaluation.label_shift import LabelShift

Calibration: TypeAlias = Calibrator | LabelDecisions | NumberIntervals | None


class ModelColumns(TypedDict):
    """The columns that a model was trained on, as arguments of `read_batches`."""

    extra: Mapping[str, str]
    text_hint: Sequence[str] | None
    label_hint: str | None
    file_style: Mapping[str, str]


class Contributions(NamedTuple):
    """What occurrences of features, text[start:end], add to a score; strongest first.

    What stands nowhere in the text, such as a column beside it, starts and ends at -1.
    """

    features: list[str]
    starts: IntArray
    ends: IntArray
    values: FloatArray

    def in_field(self, field: str, offset: int) -> Contributions:
        """The same of a field that begins at an offset of the text."""
        names = [f"{field}:{feature}" for feature in self.features]
        return Contributions(names, self.starts + offset, self.ends + offset, self.values)


@dataclass
class TextModel:
    """z = v W + b, v the features of a text. Two classes have one output, for classes[1].

    Thousands of labels have a tree instead of W, which is then empty; b is added to its scores. So
    have models of fastText their matrices (`model.fasttext`); their features are the listed words.
    If the calibrator is `LabelDecisions`, texts have sets of labels: every class has an output of
    its own, and is given or not whatever the others are. If it is `NumberIntervals`, there are no
    classes: the only output is the number itself.
    """

    features: TextFeatures
    classes: LabelArray
    W: NDArray[np.float32]  # n_features x n_outputs
    b: FloatArray
    calibrator: Calibration = None  # from scores to probabilities; None: softmax
    training: Training = field(default_factory=Training)
    learner: IncrementalClassifier | None = None  # as fitted, if it can be trained further
    chain: LabelChain | None = None  # of multi-label models: how labels depend on each other
    tree: TreeWeights | None = None
    reference: Reference | None = None  # what is known of texts held out
    fasttext: FastTextWeights | None = None
    certificate: str = ""  # how far from the optimum its learner can be; not in model files

    def __post_init__(self) -> None:
        if not self.is_linear:
            return
        n_counted = self.features.n_counted
        self._spaces = self.features.spaces()
        biases = [self.b, *[np.zeros_like(self.b)] * (len(self._spaces) - 1)]
        self._scorers = [
            _core.Scorer(space.blocks, space.weighting, W=self.W[space.first : space.end], b=b)
            for space, b in zip(self._spaces, biases, strict=True)
        ]
        self._W_dense = self.W[n_counted:].astype(np.float64)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        of_scores = (self.features, self.classes, self.W, self.b, self.calibrator)
        state = (self.training, self.learner, self.chain, self.tree, self.reference, self.fasttext)
        return TextModel, (*of_scores, *state)

    @property
    def is_linear(self) -> bool:
        """Whether scores are v W + b."""
        return self.tree is None and self.fasttext is None

    @property
    def multilabel(self) -> bool:
        """Whether texts have sets of labels."""
        return isinstance(self.calibrator, LabelDecisions)

    @property
    def predicts_numbers(self) -> bool:
        """Whether the score is the prediction, a number."""
        return isinstance(self.calibrator, NumberIntervals)

    def columns(self) -> ModelColumns:
        """The columns that it reads."""
        return {
            "extra": self.features.spec.columns.kinds,
            "text_hint": self.training.text_columns or None,
            "label_hint": self.training.label_column,
            "file_style": self.training.file_style,
        }

    def scores(self, documents: Documents, threads: int) -> FloatArray:
        """One row of scores per document."""
        if self.tree is not None:
            X = self.features.transform(documents, threads)
            z = self.tree.scores(X, threads, self.multilabel)
            return z + self.b if self.b.any() else z
        documents = self.features.spec.mask(documents)
        if self.fasttext is not None:
            return self.fasttext.scores(documents.texts, threads, self.multilabel) + self.b
        z = np.empty((len(documents), len(self.b)))
        for number, (space, scorer) in enumerate(zip(self._spaces, self._scorers, strict=True)):
            texts = documents.texts_of(space.part)
            out = z if number == 0 else np.empty_like(z)
            for begin, end in batches(texts, "classifying texts"):
                scorer.scores(texts, begin, out[begin:end], threads)
            if number > 0:
                z += out
        if len(self._W_dense) > 0:
            rest = self.features.rest(documents, threads)
            z += _core.linear_scores(rest, self._W_dense, np.zeros(len(self.b)), threads)
        return z if self.chain is None else self.chain.follow(z)

    def probabilities(self, z: FloatArray) -> FloatArray:
        """One row of probabilities per row of scores; numbers have none."""
        if isinstance(self.calibrator, NumberIntervals):
            return np.zeros((len(z), 0))
        if self.calibrator is None:
            return _core.power_softmax(z, 1.0, 1.0)
        return np.asarray(self.calibrator.transform(z))

    def label_shift(self, random_state: int = 0) -> LabelShift | None:
        """What texts held out in training say of the labels of others; None if it is too little,
        as for multi-label models."""
        reference = self.reference
        if reference is None or len(np.unique(reference.codes)) < 2:
            return None
        from wordplane.evaluation.label_shift import LabelShift

        z, codes = reference.scores.astype(np.float64), reference.codes.astype(np.int64)
        P = self.probabilities(z[:, 0] if z.shape[1] == 1 else z)
        return LabelShift(P, codes, best_output(z, len(self.classes)), random_state)

    def contributions(self, documents: Documents, direction: FloatArray) -> Contributions:
        """What every occurrence of a feature of the first document adds to scores @ direction; of a
        linear model."""
        documents = self.features.spec.mask(documents)
        parts, offset = [], 0
        for space, scorer in zip(self._spaces, self._scorers, strict=True):
            texts = documents.texts_of(space.part)
            added = Contributions(*scorer.contributions(texts, 0, direction))
            parts.append(added if space.field is None else added.in_field(space.field, offset))
            offset += len(texts[0]) + len(BETWEEN)
        if len(self._W_dense) > 0:
            parts.append(self._dense_contributions(documents, direction))
        if self.chain is not None:
            parts.append(self._chain_contributions(self.chain, documents, direction))
        return parts[0] if len(parts) == 1 else _join_contributions(parts)

    def _chain_contributions(
        self, chain: LabelChain, documents: Documents, direction: FloatArray
    ) -> Contributions:
        """What the labels add that are decided before others; they stand nowhere in the text."""
        given = self.scores(documents, threads=1)[0] > 0
        added = np.where(given, chain.links @ direction, 0.0)
        labels = np.flatnonzero(added)
        names = [f"label:{self.classes.tolist()[k]}" for k in labels.tolist()]
        nowhere = np.full(len(labels), -1, np.int64)
        return Contributions(names, nowhere, nowhere, added[labels])

    def path_to_label(self, k: int) -> TextModel:
        """The linear model with one output: the sum of the scores on the way through the tree to
        label k."""
        assert self.tree is not None
        w, b = self.tree.way_to(k)
        return replace(self, W=w[:, None], b=np.array([b]), tree=None)

    def fasttext_contributions(self, documents: Documents, k: int) -> Contributions:
        """What every word, subword and n-gram of the first document adds to what is explained of
        class k (`FastTextWeights.direction`)."""
        assert self.fasttext is not None
        texts = self.features.spec.mask(documents).texts
        return Contributions(*self.fasttext.contributions(texts, self.fasttext.direction(k)))

    def _dense_contributions(self, documents: Documents, direction: FloatArray) -> Contributions:
        dense, n_counted = self.features.dense, self.features.n_counted
        _, columns, x = self.features.rest(documents, threads=1).arrays()
        w = self._W_dense @ direction
        added_by = dict(zip((n_counted + columns).tolist(), x * w[columns], strict=True))
        for column in dense.embedding_columns:  # what their words add is shown instead
            del added_by[n_counted + column]
        vectors = [  # no single number of a vector means anything
            sum(added_by.pop(n_counted + column, 0.0) for column in columns)
            for columns in dense.vector_columns.values()
        ]
        places = [
            place
            for place in self.features.dense_occurrences(documents)
            if place.column in added_by
        ]
        names = [self.features.name(place.column) for place in places]
        starts = np.array(
            [-1 if place.start is None else place.start for place in places], np.int64
        )
        ends = np.array([-1 if place.end is None else place.end for place in places], np.int64)
        values = np.array([place.share * added_by[place.column] for place in places], np.float64)
        names += [f"vector:{name}" for name in dense.vector_columns]
        nowhere = np.full(len(vectors), -1)
        starts, ends = np.append(starts, nowhere), np.append(ends, nowhere)
        values = np.append(values, vectors)
        if dense.embedding_columns:
            words = dense.word_contributions(documents.texts, w)
            names += words[0]
            starts, ends = np.append(starts, words[1]), np.append(ends, words[2])
            values = np.append(values, words[3])
        return Contributions(names, starts, ends, values)


def _join_contributions(parts: list[Contributions]) -> Contributions:
    """All of them, strongest first."""
    features = [name for part in parts for name in part.features]
    starts, ends, values = (np.concatenate([part[i] for part in parts]) for i in (1, 2, 3))
    order = np.lexsort((ends, starts, -np.abs(values)))
    names = [features[i] for i in order.tolist()]
    return Contributions(names, starts[order], ends[order], values[order])


def text_model(
    features: TextFeatures, learner: LinearClassifier, calibrator: Calibration, training: Training
) -> TextModel:
    """The model that a fitted learner is."""
    if isinstance(learner, HasLabelTree):
        tree, n_labels = learner.tree_, learner.tree_.n_labels
        n_outputs = 1 if n_labels == 2 and not isinstance(calibrator, LabelDecisions) else n_labels
        empty, b = np.zeros((0, n_outputs), np.float32), np.zeros(n_outputs)
        return TextModel(features, learner.classes_, empty, b, calibrator, training, tree=tree)
    if not np.isfinite(learner.intercept_).all():
        raise InputError("all texts of one of the classes have the weight 0")
    return TextModel(
        features=features,
        classes=learner.classes_,
        W=np.ascontiguousarray(learner.coef_.T, dtype=np.float32),
        b=learner.intercept_,
        calibrator=calibrator,
        training=training,
        learner=learner if can_resume(learner) else None,
        chain=learner.chain_ if isinstance(learner, ClassifierChain) else None,
        certificate=learner.certificate() if isinstance(learner, HasCertificate) else "",
    )
