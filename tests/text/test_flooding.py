"""Words chosen to fall into one place of a hash table cost no more than others."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from tests.costs import seconds
from wordplane import _core

MASK = 2**64 - 1


def chosen_words(n):
    """Words of eight letters that a hash without a key put next to each other."""
    high = np.uint64((8 << 56) * 0x9E3779B97F4A7C15 & MASK)
    rng = np.random.default_rng(0)
    found = {}
    while len(found) < n:
        letters = rng.integers(97, 123, (500_000, 8), dtype=np.uint8)
        x = letters.view(np.uint64).ravel() ^ high
        x = (x ^ x >> np.uint64(32)) * np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(32)
        near = letters[(x & np.uint64(0xFFFF)) < 512]
        found.update(dict.fromkeys(bytes(row).decode() for row in near))
    return list(found)[:n]


def count(text):
    analysis = _core.Analysis(tokens="words", folding=_core.Folding(lowercase=True), ngrams=(1, 1))
    counter = _core.Counter(analysis)
    counter.add(_core.Texts([text]), 0, 1, 1)
    counter.finish("frequency", 1)
    assert counter.n_features == len(text.split())
    return counter


@pytest.mark.clock
@pytest.mark.slow
def test_chosen_words_cost_what_others_do():
    chosen = chosen_words(20_000)
    rng = np.random.default_rng(1)
    others = [bytes(row).decode() for row in rng.integers(97, 123, (20_000, 8), dtype=np.uint8)]
    texts = [" ".join(chosen), " ".join(dict.fromkeys(others))]
    flooded, usual = (min(seconds(count, text) for _ in range(3)) for text in texts)
    assert flooded < 5 * usual + 0.01


def test_long_words_are_hashed_with_the_key():
    # Blocks of eight letters in another order: a sum or product of blocks would be the same.
    rng = np.random.default_rng(2)
    blocks = ["".join(chr(97 + c) for c in row) for row in rng.integers(0, 26, (8, 8))]
    words = ["".join(blocks[i] for i in rng.permutation(8)) for _ in range(5000)]
    assert count(" ".join(dict.fromkeys(words))).n_features == len(set(words))


RESULTS = """
import numpy as np
from wordplane import _core, CountVectorizer, TextClassifier
rng = np.random.default_rng(0)
texts = [" ".join(f"w{i}" * int(1 + i % 9) for i in rng.zipf(1.5, 60) % 500) for _ in range(200)]
texts += [text + " more" for text in texts[:50]]
counts = CountVectorizer(ngram_range=(1, 2)).fit_transform(texts)
model = TextClassifier(learner="nb").fit(texts, ["a", "b"] * 125)
same, similar = _core.find_duplicates(_core.Texts(texts), 0.8, 2)
print(counts.indices.tolist(), counts.data.tolist(), same.tolist(), similar.tolist())
names = CountVectorizer().fit(texts).get_feature_names_out().tolist()
print(model.predict_proba(texts).tolist(), names)
"""


@pytest.mark.slow
def test_no_result_depends_on_the_key():
    digests = {
        hashlib.sha256(
            subprocess.run([sys.executable, "-c", RESULTS], capture_output=True, check=True).stdout
        ).hexdigest()
        for _ in range(3)
    }
    assert len(digests) == 1
