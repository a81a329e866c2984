"""Texts with several labels, one or none."""

import numpy as np

WORDS = {"art": ["paint", "brush"], "law": ["judge", "court"], "sport": ["ball", "goal"]}


def tagged(n, seed=0, say=0.9):
    """Texts with 0 to 3 labels, whose words are mostly there."""
    rng = np.random.default_rng(seed)
    texts, sets = [], []
    for _ in range(n):
        labels = [label for label in WORDS if rng.random() < 0.35]
        words = [str(rng.choice(WORDS[label])) for label in labels if rng.random() < say]
        words += [str(c) for c in rng.choice(list("abcdefgh"), 3)]
        texts.append(" ".join(rng.permutation(words)))
        sets.append(labels)
    return texts, sets


def member_of(sets):
    return np.array([[label in labels for label in WORDS] for labels in sets]).astype(int)
