"""Texts that tests of several packages learn from."""

import numpy as np


def clean_texts(n=200, seed=0):
    """Texts of two labels, each with words of its own, and their labels."""
    rng = np.random.default_rng(seed)
    good, bad = [f"g{i}" for i in range(40)], [f"b{i}" for i in range(40)]
    both = [f"w{i}" for i in range(300)]
    texts = [
        " ".join([*rng.choice(good if i % 2 else bad, 4), *rng.choice(both, 12)]) for i in range(n)
    ]
    return texts, ["pos" if i % 2 else "neg" for i in range(n)]


def noisy_texts(n, seed=0):
    """Texts whose labels their words tell most of the time."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["bad", "good"], n)
    said = np.where(rng.random(n) < 0.8, labels, rng.choice(["bad", "good"], n))
    texts = [f"{word} {' '.join(rng.choice(list('abcdefgh'), 5))}" for word in said]
    return texts, labels
