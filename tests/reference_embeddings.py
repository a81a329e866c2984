"""Slow, obvious versions of what embeddings, conjunctions and clusters are made of."""

import math

import numpy as np

SENTENCE_ENDS = (".", "!", "?")


def cooccurrence(documents, words, context, window):
    """c_ij by looking at all pairs of places; documents are lists of tokens."""
    number = {word: row for row, word in enumerate(words)}
    c = np.zeros((len(words), len(words)), dtype=np.int64)
    for tokens in documents:
        sentence = np.cumsum([0] + [token in SENTENCE_ENDS for token in tokens])
        for p, first in enumerate(tokens):
            for q, second in enumerate(tokens):
                together = {
                    "window": abs(p - q) <= window,
                    "sentence": sentence[p] == sentence[q],
                    "document": True,
                }[context]
                if p != q and together and first in number and second in number:
                    c[number[first], number[second]] += 1
    return c


def pmi(c, positive, shift, normalized):
    """PMI, one pair at a time."""
    M = np.zeros(c.shape)
    total = c.sum()
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            if c[i, j] == 0:
                continue
            value = math.log(c[i, j] * total / (c[i].sum() * c[:, j].sum()))
            if normalized:
                value = 0.0 if c[i, j] == total else value / -math.log(c[i, j] / total)
            value -= math.log(shift)
            M[i, j] = max(value, 0.0) if positive else value
    return M


def centroid(tokens, vector_of, weight_of):
    """The weighted mean of the vectors of the known words."""
    known = [token for token in tokens if token in vector_of]
    total = sum(weight_of[token] for token in known)
    if total == 0:
        return np.zeros(len(next(iter(vector_of.values()))))
    return sum(weight_of[token] * vector_of[token].astype(float) for token in known) / total


def conjunctions(X, pairs):
    """1 where both columns of a pair are not 0."""
    return np.array([[float(row[a] != 0 and row[b] != 0) for a, b in pairs] for row in X])


def spherical_step(X, centers):
    """One round of spherical k-means on unit rows: by cosine, then unit means."""
    labels = [int(np.argmax([row @ center for center in centers])) for row in X]
    moved = []
    for k in range(len(centers)):
        mean = sum(row for row, label in zip(X, labels, strict=True) if label == k)
        moved.append(mean / np.linalg.norm(mean))
    return labels, np.array(moved)
