"""Texts of two labels, one of them rare."""

import numpy as np

WORDS = [f"w{i}" for i in range(60)]


def rare_texts(n=1500, share=0.06, seed=0):
    """Texts of which few are spam, told by words that others have too."""
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(n) < share, "spam", "ham")
    p = np.ones(60) / 60
    spam = p.copy()
    spam[:12] *= 3
    spam /= spam.sum()
    texts = [" ".join(rng.choice(WORDS, 12, p=spam if label == "spam" else p)) for label in labels]
    return texts, labels.tolist()
