"""Smaller models: fewer features, and weights of 8 bits.

A feature matters by how far it moves the scores apart, and by how often: its weight, as far as it
differs between the outputs, times its value, times the root of its frequency. The file has no
frequencies, but idf falls with their logarithm, so that a model with idf tells them: the frequency
goes with exp(-idf). What is left is scored as before, on texts whose values are divided by the norm
of fewer features.

Weights become multiples of a step, a 127th of the largest of their output. A score is then off by
at most half a step for each unit of the sum of a text's values.

Features are sorted by name, which packs better (`wordplane.model.packing`).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.types import IntArray
from wordplane.features.text_counts import Columns
from wordplane.features.text_features import TextFeatures
from wordplane.model.file import to_bytes
from wordplane.model.stored_weights import round_weights
from wordplane.model.text_model import TextModel
from wordplane.model.training_record import Training

MAX_TRIES = 12  # to find a size
CLOSE = 0.95  # of the size asked for


class Compressed(NamedTuple):
    """A model, and the bytes of its file."""

    model: TextModel
    data: bytes


def compress_model(model: TextModel, n_features: int) -> TextModel:
    """The model with weights of 8 bits and at most so many of the features that count."""
    check_compressible(model)
    features, order = model.features, np.arange(model.features.n_features)
    if features.spec.selection.hash_bits is None:
        keep = np.zeros(features.n_counted, bool)
        keep[ranking(model)[:n_features]] = True
        keep[features.pairs.ravel()] = True
        keep[[start for _, start in features.groups]] |= ~_has_any(features, keep)
        features, order = take_features(features, keep)
    W = round_weights(np.ascontiguousarray(model.W[order]))
    reference = None if model.reference is None else model.reference.shown_by(features)
    small = replace(model, features=features, W=W, learner=None, reference=reference)
    return replace(small, training=unmeasured(model.training))


def unmeasured(training: Training) -> Training:
    """The record without what was measured, which is true of the model as it was."""
    return replace(training, tested_on=None, scores=None, rounds=())


def check_compressible(model: TextModel) -> None:
    """Raise an InputError for a label tree, a model of fastText, or one with a guarantee."""
    if model.training.guarantee:
        raise InputError(
            f"{model.training.metric} was shown of the model as it is: train it without `require` "
            "to compress it"
        )
    if model.tree is not None:
        raise InputError(
            "a label tree cannot be compressed: its weights are sparse already; train it with "
            "fewer features (`--min-df`, `--select`)"
        )
    if model.fasttext is not None:
        raise InputError("a model of fastText cannot be compressed: `fasttext quantize` does it")


def compress_to(model: TextModel, max_bytes: int) -> Compressed:
    """The model with as many features as fit into a file of so many bytes."""
    n_all = model.features.n_counted
    largest = _compressed(model, n_all)
    if len(largest.data) <= max_bytes:
        return largest
    can_shrink = model.features.spec.selection.hash_bits is None
    best = _compressed(model, 0) if can_shrink else largest
    if len(best.data) > max_bytes:
        raise InputError(
            f"the model takes at least {len(best.data):,} bytes, and {max_bytes:,} are allowed"
        )
    low, high = (0, len(best.data)), (n_all, len(largest.data))
    for _ in range(MAX_TRIES):
        if high[0] - low[0] <= 1 or low[1] >= CLOSE * max_bytes:
            break
        share = (max_bytes - low[1]) / (high[1] - low[1])
        n = low[0] + int(np.clip(share, 0.02, 0.98) * (high[0] - low[0]))
        n = min(max(n, low[0] + 1), high[0] - 1)
        tried = _compressed(model, n)
        if len(tried.data) <= max_bytes:
            low, best = (n, len(tried.data)), tried
        else:
            high = n, len(tried.data)
    return best


def _compressed(model: TextModel, n_features: int) -> Compressed:
    small = compress_model(model, n_features)
    return Compressed(small, to_bytes(small))


def ranking(model: TextModel) -> IntArray:
    """The features that count, those that matter most first."""
    counted = model.W[: model.features.n_counted].astype(np.float64)
    if counted.shape[1] > 1 and not model.multilabel:  # what all outputs share decides nothing
        counted -= counted.mean(axis=1, keepdims=True)
    matters = np.abs(counted).max(axis=1, initial=0.0)
    idf = model.features.idf
    if idf is not None:
        matters *= np.abs(idf) * np.exp(-np.abs(idf) / 2)
    return np.argsort(-matters, kind="stable")


def _has_any(features: TextFeatures, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each group, whether one of its features is kept."""
    starts = [start for _, start in features.groups]
    kept = np.concatenate([[0], np.cumsum(keep)])
    return np.diff(kept[[*starts, len(keep)]]) > 0


def take_features(features: TextFeatures, keep: NDArray[np.bool_]) -> tuple[TextFeatures, IntArray]:
    """Some of the features that count, sorted by name in each group, and all others; and the old
    columns of all."""
    vocabularies: dict[str, Columns] = {}
    starts = np.array([start for _, start in features.groups], np.int64)
    orders, first = [], 0
    for part, vocabulary in features.vocabularies.items():
        end = first + vocabulary.n_features
        assert isinstance(vocabulary, _core.Vocabulary), "hashed features are not taken"
        group = np.searchsorted(starts, np.arange(first, end), side="right")
        vocabularies[part], order = _take_columns(vocabulary, keep[first:end], group)
        orders.append(first + order)
        first = end
    counted = np.concatenate(orders)
    place = np.full(features.n_counted, -1, np.int64)
    place[counted] = np.arange(len(counted))
    pairs = np.sort(place[features.pairs], axis=1)
    of_pairs = np.lexsort((pairs[:, 1], pairs[:, 0]))
    kept_before = np.concatenate([[0], np.cumsum(keep)])
    n_rest = len(features.dense.names)
    order = np.concatenate([
        counted,
        features.n_counted + np.arange(n_rest),
        features.n_counted + n_rest + of_pairs,
    ])  # fmt: skip
    taken = TextFeatures(
        spec=features.spec,
        vocabularies=vocabularies,
        groups=[(name, int(kept_before[start])) for name, start in features.groups],
        idf=None if features.idf is None else features.idf[counted],
        dense=features.dense,
        pairs=pairs[of_pairs],
    )
    return taken, order


def _take_columns(
    vocabulary: _core.Vocabulary, keep: NDArray[np.bool_], group: IntArray
) -> tuple[_core.Vocabulary, IntArray]:
    """Some columns of a vocabulary, by group and then by name; and the old columns."""
    word_bytes, ends, firsts, lasts, columns = vocabulary.arrays()
    n_words = len(ends)
    first, last = firsts.astype(np.int64), lasts.astype(np.int64)
    needed = (columns >= 0) & keep[columns]
    grams = needed[n_words:]  # a view
    count = -1
    while count != (count := int(needed.sum())):  # n-grams need what they extend, and their words
        needed[first[grams]] = True
        needed[last[grams]] = True
    text, begins = word_bytes.tobytes(), [0, *ends.tolist()][:-1]
    names = [text[begin:end] for begin, end in zip(begins, ends.tolist(), strict=True)]
    order = _node_order(names, first, last, needed)
    place = np.full(len(needed), -1, np.int64)
    place[order] = np.arange(len(order))
    words = order[order < n_words]
    ngrams = order[order >= n_words] - n_words
    kept = [names[word] for word in words.tolist()]
    own = np.where(keep[columns[order]] & (columns[order] >= 0), columns[order], -1)
    nodes = np.flatnonzero(own >= 0)
    nodes = nodes[np.argsort(group[own[nodes]], kind="stable")]
    new = np.full(len(order), -1, np.int32)
    new[nodes] = np.arange(len(nodes))
    taken = _core.Vocabulary(
        np.frombuffer(b"".join(kept), np.uint8),
        np.cumsum([len(word) for word in kept], dtype=np.int64),
        place[first[ngrams]].astype(np.uint32),
        place[last[ngrams]].astype(np.uint32),
        new,
        vocabulary.parts,
    )
    return taken, own[nodes].astype(np.int64)


def _node_order(
    names: list[bytes], first: IntArray, last: IntArray, needed: NDArray[np.bool_]
) -> IntArray:
    """The nodes that are needed: words by name, then n-grams by length and the nodes they join."""
    n_words = len(names)
    words = np.flatnonzero(needed[:n_words]).tolist()
    done = np.array(sorted(words, key=names.__getitem__), np.int64)
    place = np.full(len(needed), -1, np.int64)
    place[done] = np.arange(len(done))
    left = np.flatnonzero(needed[n_words:])
    while len(left):
        ready = place[first[left]] >= 0
        level = left[ready]
        level = level[np.lexsort((place[last[level]], place[first[level]]))]
        place[n_words + level] = len(done) + np.arange(len(level))
        done, left = np.concatenate([done, n_words + level]), left[~ready]
    return done
