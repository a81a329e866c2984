"""Drift: which words a model has changed its mind about.

Features are ranked by the change of their weight for a class times the square root of the number of
new texts that have them: as many texts say it the more surely. What all classes share decides
nothing, so weights are taken less their mean over the classes.
"""

from typing import NamedTuple

import numpy as np

from wordplane.common.types import FloatArray, IntArray, Label
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents

N_MOVED = 5  # features that are told


class Moved(NamedTuple):
    """A feature, the class whose score it changed most, and its weight there before and after."""

    feature: str
    label: Label
    before: float
    after: float


def moved_words(
    before: TextModel, after: TextModel, documents: Documents, threads: int
) -> list[Moved]:
    """The features of both models that moved most, for the documents learned from in between."""
    old, new = _common_columns(before, after)
    _, indices, _ = after.features.transform(documents, threads).arrays()
    n_texts = np.bincount(indices, minlength=after.features.n_features)
    labels = before.classes.tolist()
    W_before = _by_class(before, labels)[old]
    W_after = _by_class(after, labels)[new]
    moves = np.abs(W_after - W_before) * np.sqrt(n_texts[new])[:, None]
    best = moves.max(axis=1, initial=0.0)
    moved = []
    for i in np.argsort(-best, kind="stable")[:N_MOVED].tolist():
        if best[i] == 0:
            break
        k = int(moves[i].argmax()) if len(labels) > 2 or before.multilabel else 1
        weights = float(W_before[i, k]), float(W_after[i, k])
        moved.append(Moved(after.features.name(int(new[i])), labels[k], *weights))
    return moved


def _by_class(model: TextModel, labels: list[Label]) -> FloatArray:
    """A column of weights for each of the labels, with the mean 0 in each row if a text has one."""
    W = model.W.astype(np.float64)
    code = {label: k for k, label in enumerate(model.classes.tolist())}
    if model.multilabel:  # each label is decided for itself
        return W[:, [code[label] for label in labels]]
    if W.shape[1] == 1:
        W = np.hstack([-W, W]) / 2
    chosen = W[:, [code[label] for label in labels]]
    return np.asarray(chosen - chosen.mean(axis=1, keepdims=True))


def _common_columns(before: TextModel, after: TextModel) -> tuple[IntArray, IntArray]:
    """The columns of the counted features that both models have."""
    old, new = [], []
    first_old = first_new = 0
    for part, vocabulary in before.features.vocabularies.items():
        names, grown = vocabulary.names(), after.features.vocabularies[part].names()
        column = {name: j for j, name in enumerate(grown)}
        there = [(i, column[name]) for i, name in enumerate(names) if name in column]
        old += [first_old + i for i, _ in there]
        new += [first_new + j for _, j in there]
        first_old, first_new = first_old + len(names), first_new + len(grown)
    return np.array(old, np.int64), np.array(new, np.int64)
