"""Texts with thousands of labels, made from 20 newsgroups.

Labels are like packages of a distribution: each belongs to a section of about 25, a section to one
of 20 newsgroups. A label has words of its own, a section has some that its labels share, all drawn
from the words of the newsgroups. A text is a short description: words of its label and its
section, in between a run of words from a post of the newsgroup, which says little. Labels are not
equally frequent (a Zipf law with exponent 0.5), and each has four texts at least. With `several`, a
text has one to three labels, mostly of one section. The same seed makes the same texts.
"""

import re
from pathlib import Path

import numpy as np

NEWSGROUPS = Path(__file__).resolve().parents[2] / "shared" / "datasets" / "newsgroups20.parquet"
WORD = re.compile(r"[a-z]{3,12}")
SECTION = 25  # labels
OWN, SHARED = 12, 20  # words of a label and of a section
LEAST = 4  # texts of a label


def make_texts(n_labels, n_texts, several=False, seed=0, posts=NEWSGROUPS):
    """Texts, and the label of each, or a list of labels."""
    import polars

    rng = np.random.default_rng(seed)
    frame = polars.read_parquet(posts)
    groups = {}
    for text, group in zip(frame["text"], frame["label"], strict=True):
        words = WORD.findall(text.lower())
        if len(words) >= 40:
            groups.setdefault(group, []).append(words[:400])
    groups = [groups[name] for name in sorted(groups)]
    counts = np.unique(np.concatenate([w for g in groups for w in g]), return_counts=True)
    known = counts[0][(counts[1] >= 5) & (counts[1] <= 3000)]  # neither rare nor everywhere
    n_sections = -(-n_labels // SECTION)
    own = rng.choice(known, (n_labels, OWN))
    shared = rng.choice(known, (n_sections, SHARED))
    names = np.array([f"{a}-{b}-{k}" for k, (a, b) in enumerate(own[:, :2].tolist())])

    share = 1 / np.sqrt(1 + rng.permutation(n_labels))
    first = np.concatenate(
        [
            np.repeat(np.arange(n_labels), LEAST),
            rng.choice(n_labels, n_texts - LEAST * n_labels, p=share / share.sum()),
        ]
    )
    texts, labels = [], []
    for k in rng.permutation(first).tolist():
        has = [k]
        for _ in range(int(rng.integers(3)) if several else 0):
            section = k // SECTION * SECTION
            near = int(rng.integers(section, min(section + SECTION, n_labels)))
            has.append(near if rng.random() < 0.8 else int(rng.integers(n_labels)))
        has = list(dict.fromkeys(has))
        texts.append(_text(rng, has, own, shared, groups))
        labels.append(names[has].tolist() if several else str(names[k]))
    return texts, labels


def _text(rng, has, own, shared, groups):
    posts = groups[has[0] // SECTION % len(groups)]
    post = posts[int(rng.integers(len(posts)))]
    begin = int(rng.integers(len(post) - 20))
    sentence = post[begin : begin + int(rng.integers(8, 20))]
    words = []
    for k in has:
        words += own[k, rng.integers(0, OWN, int(rng.integers(2, 6)))].tolist()
    words += shared[has[0] // SECTION, rng.integers(0, SHARED, int(rng.integers(1, 5)))].tolist()
    said = " ".join(np.array(words)[rng.permutation(len(words))].tolist())
    return f"{said.capitalize()}: {' '.join(sentence)}."
