"""Fits a classifier to texts in blocks: the counterpart of model/plan.py.

Texts are counted and encoded once. Then come the same two fits as in memory: one without a tenth of
the rows, which are predicted by it and calibrate it, and one on all rows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import IntArray
from wordplane.data.splits import holdout
from wordplane.features.counted_parts import Columns, describe_no_features
from wordplane.features.text_features import TextFeatures, compute_idf, group_weights
from wordplane.features.uncounted import UncountedFeatures
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.protocols import LearnsFromBlocks, TakesGroups, copy_unfitted
from wordplane.learners.support.row_blocks import RowBlocks
from wordplane.model.classifier import TextClassifier
from wordplane.model.decision import Decision
from wordplane.model.plan import (
    HELD_OUT,
    Holdout,
    check_labels,
    check_memory,
    decided,
    evenly,
    held_out_by,
    keep_least_known,
    keep_probabilities,
)
from wordplane.model.text_model import Calibration, TextModel, text_model
from wordplane.model.training import Training
from wordplane.scale.counting import KeptNgrams
from wordplane.scale.encoding import NodeColumns, encode_rows
from wordplane.scale.text_blocks import LabeledBlocks, TextBlocks
from wordplane.scale.vocabularies import count_vocabularies
from wordplane.text.analyzer import Analyzer

WORKER_BYTES = 2.5e8  # to count or encode a block


class FitRows(Protocol):
    """Encoded rows, of which every fit sees some, in its own way."""

    def rows(
        self,
        keep: NDArray[np.bool_] | None,
        column_of: NDArray[np.int32] | None,
        n_columns: int,
        weighting: Callable[[], _core.GroupWeights],
        threads: int,
    ) -> tuple[RowBlocks, IntArray]: ...


def check_on_blocks(analyzer: Analyzer, learner: LinearClassifier, calibration: str | None) -> None:
    """Refuse at once what cannot be done on blocks."""
    if calibration not in ("holdout", None):
        raise InputError("`calibration` 'cv' needs all texts in memory: 'holdout' does not")
    cannot = {
        "`lexica`": analyzer.lexicon_entries(),
        "`embeddings`": analyzer.fitted_embeddings(),
        "fields and columns beside the text": analyzer.column_kinds(),
        "`conjoin`": analyzer.conjoin is not None,
        "`select`": analyzer.selection() is not None,
        "`idf` 'delta'": analyzer.idf == "delta",
        "`tf` 'relative'": analyzer.tf == "relative",
        "`hash_bits`": analyzer.hash_bits is not None,
        "a language of `stem`": isinstance(analyzer.stem, str),
    }
    for what, asked in cannot.items():
        if asked:
            raise InputError(f"{what} cannot be used on blocks: train in memory (`blocks`)")
    if not (isinstance(learner, LearnsFromBlocks) and learner.learns_from_blocks):
        raise InputError(
            f"{learner!r} needs all rows in memory, so it cannot be trained on blocks; nb, svm, "
            "nbsvm, logistic, perceptron, mira and onlinesvm can, and the recipe; or train in "
            "memory (`blocks`)"
        )


@dataclass
class BlockPlan:
    """What to fit on the texts of `blocks`."""

    analyzer: Analyzer
    learner: LinearClassifier
    blocks: LabeledBlocks
    threads: int
    random_state: int
    memory: float = math.inf  # bytes; a limit to the number of blocks that are counted at once

    def fit(self, classifier: TextClassifier) -> None:
        """Fit the classifier: without rows held out, if it is to be calibrated, then on all."""
        labels = self.blocks.classes
        check_labels(labels)
        check_on_blocks(self.analyzer, self.learner, classifier.calibration)
        n_rows = len(self.blocks)
        held_out = np.zeros(n_rows, bool)
        if classifier.calibration == "holdout":
            held_out[holdout(self.blocks.codes, HELD_OUT, self.random_state)[1]] = True
        kept = self.count(held_out)
        columns = [
            self._columns(kept, n_rows - int(held_out.sum()), held_out=False),
            self._columns(kept, n_rows, held_out=True),
        ]
        if not held_out.any():
            columns = columns[1:]
        encoded_columns = _join_columns(columns)
        held_texts = self.blocks.keep_only(held_out)
        encoded = self.encode(kept, encoded_columns)
        for found in kept.values():
            found.forget_indices()
        fitting = _Fitting(self, kept, encoded, encoded_columns)
        first = None
        if held_out.any():
            rule = classifier.metric, classifier.calibrator
            first = fitting.hold_out(columns[0], held_out, held_texts, *rule)
        decision = Decision() if first is None else first.decision
        model = decided(fitting.model(columns[-1], None, decision.calibrator), decision)
        if first is not None:
            keep_probabilities(model, first, held_texts.labels)
            some = held_texts.take(evenly(np.arange(len(held_texts))))
            keep_least_known(model, first, some, self.threads)
        classifier.holdout_ = None if first is None else replace(first, model=None)
        classifier.set_model(model)

    def count(self, held_out: NDArray[np.bool_]) -> dict[str, KeptNgrams]:
        """The vocabulary of every part."""
        assert isinstance(self.blocks, TextBlocks)
        return count_vocabularies(self.analyzer, self.blocks, held_out, self._workers)

    def encode(self, kept: dict[str, KeptNgrams], columns: NodeColumns) -> FitRows:
        """The texts as rows with these columns."""
        assert isinstance(self.blocks, TextBlocks)
        shuffles = isinstance(self.learner, LearnsFromBlocks) and self.learner.shuffles_rows
        return encode_rows(
            kept,
            columns,
            self.blocks,
            binary=self.analyzer.tf == "binary",
            deal=self.random_state if shuffles else None,
            threads=self._workers,
        )

    @property
    def _workers(self) -> int:
        return int(max(1, min(self.threads, self.memory // WORKER_BYTES)))

    def _columns(self, kept: dict[str, KeptNgrams], n_docs: int, *, held_out: bool) -> NodeColumns:
        return {
            part: found.columns(self.analyzer, n_docs, held_out=held_out)
            for part, found in kept.items()
        }


@dataclass
class _Fitting:
    plan: BlockPlan
    kept: dict[str, KeptNgrams]
    encoded: FitRows
    encoded_columns: NodeColumns

    def hold_out(
        self,
        columns: NodeColumns,
        held_out: NDArray[np.bool_],
        texts: LabeledBlocks,
        metric: str | None,
        kind: str,
    ) -> Holdout | None:
        """Fit without the rows held out, and decide on these; None where that cannot be done."""
        try:
            model = self.model(columns, ~held_out, None)
        except InputError:  # the rest alone may be too little to learn from
            return None
        z = texts.scores(model, self.plan.threads)
        rows = np.flatnonzero(held_out)
        return held_out_by(model, rows, z, texts.labels, texts.weights, metric, kind)

    def model(
        self, columns: NodeColumns, keep: NDArray[np.bool_] | None, calibrator: Calibration
    ) -> TextModel:
        """The model of a fit that has these columns, on the rows to keep."""
        plan, blocks = self.plan, self.plan.blocks
        n_docs = len(blocks) if keep is None else int(keep.sum())
        df, groups = self._frequencies(columns, whole=keep is None)
        n_columns = len(df)
        if n_columns == 0:
            n_candidates = sum(sum(found.sizes) for found in self.kept.values())
            raise InputError(describe_no_features(plan.analyzer, n_candidates, n_docs))
        check_memory(n_columns, len(blocks.classes))
        idf = compute_idf(plan.analyzer.idf, df, n_docs)
        del df
        weighting = partial(group_weights, plan.analyzer, groups, n_columns, idf)
        column_of = self._column_of(columns)
        rows, row_of = self.encoded.rows(keep, column_of, n_columns, weighting, plan.threads)
        learner = copy_unfitted(plan.learner, plan.threads)
        if isinstance(learner, TakesGroups):
            learner.set_groups([start for _, start in groups], n_columns, n_columns)
        weights = None if blocks.weights is None else blocks.weights[row_of]
        assert isinstance(learner, LearnsFromBlocks), "checked before"
        learner.fit_blocks(rows, blocks.labels[row_of], weights)
        del rows
        training = Training.by(plan.learner, learner, n_docs)
        none = np.zeros(0)
        vocabularies: dict[str, Columns] = {
            part: found.vocabulary(columns[part]) for part, found in self.kept.items()
        }
        uncounted = UncountedFeatures(plan.analyzer, none, none, {})
        features = TextFeatures(plan.analyzer, vocabularies, groups, idf, uncounted)
        return text_model(features, learner, calibrator, training)

    def _frequencies(
        self, columns: NodeColumns, *, whole: bool
    ) -> tuple[IntArray, list[tuple[str, int]]]:
        """The document frequency of every column, and the groups of features."""
        frequencies, groups, first = [np.zeros(0, np.int64)], [], 0
        for part, found in self.kept.items():
            nodes = np.flatnonzero(columns[part] >= 0)
            nodes = nodes[np.argsort(columns[part][nodes])]
            both = np.concatenate(found.df)[nodes].astype(np.int64)
            frequencies.append(both.sum(axis=1) if whole else both[:, 0])
            groups += [(name, first + start) for name, start in found.groups(nodes)]
            first += len(nodes)
        return np.concatenate(frequencies), groups

    def _column_of(self, columns: NodeColumns) -> NDArray[np.int32] | None:
        """The column of every encoded one; None if they are the same."""
        parts, first = [np.zeros(0, np.int32)], 0
        for part in self.kept:
            encoded, own = self.encoded_columns[part], columns[part]
            there = encoded >= 0
            column_of = np.full(int(there.sum()), -1, np.int32)
            column_of[encoded[there]] = np.where(own[there] >= 0, own[there] + first, -1)
            parts.append(column_of)
            first += int((own >= 0).sum())
        joined = np.concatenate(parts)
        same = len(joined) == first and np.array_equal(joined, np.arange(len(joined)))
        return None if same else joined


def _join_columns(columns: list[NodeColumns]) -> NodeColumns:
    """Columns for the nodes that have one in any fit: those of the last fit, then the others."""
    joined = {}
    for part, last in columns[-1].items():
        union = last.copy()
        n_columns = int((last >= 0).sum())
        for each in columns[:-1]:
            more = np.flatnonzero((each[part] >= 0) & (union < 0))
            union[more] = n_columns + np.arange(len(more), dtype=np.int32)
            n_columns += len(more)
        joined[part] = union
    return joined
