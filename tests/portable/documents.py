"""Texts that are read in the same way everywhere, or nowhere."""

import numpy as np

# Letters that fold, combine, join or have no lower case; spaces; emoji with modifiers.
ODD = [
    *"İıſßẞŉǰΐςΣﬁﬀⅣⓐＡ①²½٣०", "e\u0301", "\u0345", "a\u200db", "\u00ad", "\ufeff", "\u2028", "\x00",
    "\x1c", "\x85", "\u3000", "👩🏽‍🚀", "🇩🇪", "กำลัง", "これは", "东西", "한국어", "שלום", "مرحبا",
    "don't",    "http://a.b/c?d=e", "a@b.de", "#tag", "3.14", "-1,000", "x_y", "...", "!?", ":-)",
]  # fmt: skip


def odd_texts(words, n, seed=0):
    """Texts of known words, odd ones, and random characters of all of Unicode."""
    rng = np.random.default_rng(seed)
    texts = ["", " ", "\n\n"]
    while len(texts) < n:
        points = rng.integers(0, [0x80, 0x800, 0x10000, 0x110000][len(texts) % 4], 8).tolist()
        noise = ["".join(chr(p) for p in points if not 0xD800 <= p < 0xE000)]
        pieces = [*rng.choice(words, 4).tolist(), *rng.choice(ODD, 4).tolist(), *noise]
        cased = [piece.upper() if rng.random() < 0.2 else piece for piece in pieces]
        glue = ["", " ", ", ", "\t"]
        order = rng.permutation(len(cased)).tolist()
        texts.append("".join(cased[i] + glue[int(rng.integers(len(glue)))] for i in order))
    return texts
