"""Texts of three topics, for tests of answers."""

import numpy as np

TOPICS = {"sport": "ball goal team", "food": "bread soup cook", "law": "court judge act"}


def topic_texts(n, seed):
    """Texts of three topics that share their words."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(list(TOPICS), n)
    everything = " ".join(TOPICS.values()).split()
    texts = [
        " ".join([*rng.choice(TOPICS[label].split(), 2), *rng.choice(everything, 4)])
        for label in labels
    ]
    return texts, labels.tolist()
