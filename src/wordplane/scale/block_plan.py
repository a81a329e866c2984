"""A plan for texts in blocks, the counterpart of model/plan.py: they are counted and encoded once,
for both fits."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.groups import other_rows
from wordplane.common.labels import Codes
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.features.dense_features import DenseFeatures
from wordplane.features.text_counts import Columns, describe_no_features
from wordplane.features.text_features import TextFeatures, compute_idf, group_weights
from wordplane.learners.registry import require_room
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.protocols import LearnsFromBlocks, TakesGroups, copy_unfitted
from wordplane.learners.support.row_blocks import RowBlocks
from wordplane.model.decision import Decision, Rule
from wordplane.model.plan import check_labels
from wordplane.model.race import Choice, choose_by_race
from wordplane.model.recipe import Rival
from wordplane.model.text_model import Calibration, TextModel, text_model
from wordplane.model.training_record import Training
from wordplane.scale.counting import KeptNgrams
from wordplane.scale.row_encoding import NodeColumns, encode_rows
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


def check_on_blocks(analyzer: Analyzer, learner: LinearClassifier, rule: Rule) -> None:
    """Refuse at once what cannot be done on blocks."""
    if rule.calibration not in ("holdout", None):
        raise InputError("`calibration` 'cv' needs all texts in memory: 'holdout' does not")
    spec = analyzer.resolve()
    cannot = {
        "`lexica`": spec.columns.lexica,
        "`embeddings`": spec.columns.embeddings,
        "fields and columns beside the text": spec.columns.kinds,
        "`conjoin`": analyzer.conjoin is not None,
        "`select`": analyzer.select is not None,
        "`idf` 'delta'": analyzer.idf == "delta",
        "`tf` 'relative'": analyzer.tf == "relative",
        "`hash_bits`": analyzer.hash_bits is not None,
        "a language of `stem`": isinstance(analyzer.stem, str),
    }
    for what, is_asked in cannot.items():
        if is_asked:
            raise InputError(f"{what} cannot be used on blocks: train in memory (`blocks`)")
    if not (isinstance(learner, LearnsFromBlocks) and learner.learns_from_blocks):
        raise InputError(
            f"{learner!r} needs all rows in memory, so it cannot be trained on blocks; nb, svm, "
            "nbsvm, logistic, perceptron, mira and onlinesvm can, and the recipe; or train in "
            "memory (`blocks`)"
        )


@dataclass
class BlockPlan:
    """What to fit on the texts of `blocks`. They leave the disk when they are encoded: what was
    held out by then is kept apart."""

    analyzer: Analyzer
    learner: LinearClassifier
    blocks: LabeledBlocks
    threads: int
    random_state: int
    memory: float = math.inf  # bytes; a limit to the number of blocks that are counted at once
    rivals: tuple[Rival, ...] = ()
    choice: Choice | None = None
    groups: IntArray | None = None
    decides_itself: bool = False
    _encoding: "_Encoding | None" = None

    @property
    def n_classes(self) -> int:
        """The number of different labels."""
        return len(self.blocks.classes)

    def check(self, rule: Rule) -> None:
        """Refuse what cannot be fitted."""
        check_labels(self.blocks.classes)
        check_on_blocks(self.analyzer, self.learner, rule)

    def choose(self, held_out: IntArray) -> Self:
        """The same with the best of its analyzer and learner and their rivals, by folds."""
        if not self.rivals:
            return self
        rows = other_rows(len(self.blocks), held_out)
        changed = choose_by_race(self, rows, partial(self.blocks.sample, "race"))
        return replace(self, **changed)  # type: ignore[arg-type]

    def strata(self) -> Codes:
        """What a split keeps in proportion."""
        return self.blocks.codes

    def labels_of(self, rows: IntArray) -> LabelArray:
        """The labels of some rows."""
        return self.blocks.labels[rows]

    def weights_of(self, rows: IntArray) -> FloatArray | None:
        """The weights of some rows, if there are any."""
        return None if self.blocks.weights is None else self.blocks.weights[rows]

    @property
    def n_rows(self) -> int:
        """The number of all rows."""
        return len(self.blocks)

    def draw(self, rows: IntArray) -> _core.Texts:
        """The texts of some rows, which are still there."""
        return self.blocks.sample("traits", rows)

    def texts_of(self, rows: IntArray) -> _core.Texts:
        """The texts of rows that were held out."""
        assert self._encoding is not None
        places = np.searchsorted(np.flatnonzero(self._encoding.held_out), rows)
        return self._encoding.held_texts.take(places)

    def decision(self, rule: Rule) -> Decision:
        """The learner's own boundary."""
        return Decision()

    def fit_without(self, held_out: IntArray) -> tuple[TextModel, FloatArray]:
        """The model of the other rows, and its scores of those held out."""
        flags = np.zeros(len(self.blocks), bool)
        flags[held_out] = True
        encoding = self._encoding = _Encoding.of(self, flags)
        model = self._fit(encoding, encoding.columns[0], ~flags)
        return model, encoding.held_texts.scores(model, self.threads)

    def model(self, calibrator: Calibration = None) -> TextModel:
        """The model of all rows."""
        if self._encoding is None:
            self._encoding = _Encoding.of(self, np.zeros(len(self.blocks), bool))
        return self._fit(self._encoding, self._encoding.columns[-1], None, calibrator)

    def _fit(
        self,
        encoding: "_Encoding",
        columns: NodeColumns,
        keep: NDArray[np.bool_] | None,
        calibrator: Calibration = None,
    ) -> TextModel:
        """The model of a fit that has these columns, on the rows to keep."""
        blocks, spec = self.blocks, self.analyzer.resolve()
        n_docs = len(blocks) if keep is None else int(keep.sum())
        df, groups = encoding.frequencies(columns, whole=keep is None)
        n_columns = len(df)
        if n_columns == 0:
            n_candidates = sum(sum(ngrams.sizes) for ngrams in encoding.kept.values())
            raise InputError(describe_no_features(spec, n_candidates, n_docs))
        require_room(self.learner, (n_docs, n_columns), blocks.classes)
        idf = compute_idf(spec.weighting.idf, df, n_docs)
        del df
        weighting = partial(group_weights, spec, groups, n_columns, idf)
        column_of = encoding.column_of(columns)
        rows, row_of = encoding.encoded.rows(keep, column_of, n_columns, weighting, self.threads)
        learner = copy_unfitted(self.learner, self.threads)
        if isinstance(learner, TakesGroups):
            learner.set_groups([start for _, start in groups], n_columns, n_columns)
        weights = None if blocks.weights is None else blocks.weights[row_of]
        assert isinstance(learner, LearnsFromBlocks), "checked before"
        learner.fit_blocks(rows, blocks.labels[row_of], weights)
        del rows
        training = Training.by(self.learner, learner, n_docs)
        none = np.zeros(0)
        vocabularies: dict[str, Columns] = {
            part: ngrams.vocabulary(columns[part]) for part, ngrams in encoding.kept.items()
        }
        dense = DenseFeatures(spec, none, none, {})
        features = TextFeatures(spec, vocabularies, groups, idf, dense)
        return text_model(features, learner, calibrator, training)

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


@dataclass
class _Encoding:
    """Texts that were counted and encoded once, for all fits.

    columns          of each fit: without the rows held out, if there are any, and on all rows
    encoded_columns  for all that has a column in any fit
    """

    kept: dict[str, KeptNgrams]
    held_out: NDArray[np.bool_]
    held_texts: LabeledBlocks
    columns: list[NodeColumns]
    encoded_columns: NodeColumns
    encoded: FitRows

    @classmethod
    def of(cls, plan: BlockPlan, held_out: NDArray[np.bool_]) -> Self:
        """Count and encode the texts of a plan."""
        kept, n_rows = plan.count(held_out), len(plan.blocks)
        selection = plan.analyzer.resolve().selection

        def columns_of(n_docs: int, *, held_out: bool) -> NodeColumns:
            return {
                part: ngrams.columns(selection, n_docs, held_out=held_out)
                for part, ngrams in kept.items()
            }

        columns = [columns_of(n_rows, held_out=True)]
        if held_out.any():
            columns.insert(0, columns_of(n_rows - int(held_out.sum()), held_out=False))
        encoded_columns = _join_columns(columns)
        held_texts = plan.blocks.keep_only(held_out)
        encoded = plan.encode(kept, encoded_columns)
        for ngrams in kept.values():
            ngrams.forget_indices()
        return cls(kept, held_out, held_texts, columns, encoded_columns, encoded)

    def frequencies(
        self, columns: NodeColumns, *, whole: bool
    ) -> tuple[IntArray, list[tuple[str, int]]]:
        """The document frequency of every column, and the groups of features."""
        frequencies, groups, first = [np.zeros(0, np.int64)], [], 0
        for part, ngrams in self.kept.items():
            nodes = np.flatnonzero(columns[part] >= 0)
            nodes = nodes[np.argsort(columns[part][nodes])]
            both = np.concatenate(ngrams.df)[nodes].astype(np.int64)
            frequencies.append(both.sum(axis=1) if whole else both[:, 0])
            groups += [(name, first + start) for name, start in ngrams.groups(nodes)]
            first += len(nodes)
        return np.concatenate(frequencies), groups

    def column_of(self, columns: NodeColumns) -> NDArray[np.int32] | None:
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
        are_same = len(joined) == first and np.array_equal(joined, np.arange(len(joined)))
        return None if are_same else joined


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
