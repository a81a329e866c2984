"""Word vectors that the recipe is stacked with."""

import numpy as np
import pytest

from wordplane.features.pretrained.vectors import ListedVectors
from wordplane.model import word_vectors
from wordplane.model.word_vectors import coherence, learned_vectors, pretrained_vectors
from wordplane.text.analyzer import Analyzer
from wordplane.text.texts import as_texts

RNG = np.random.default_rng(0)
WORDS = [f"word{chr(97 + i)}{chr(97 + j)}" for i in range(20) for j in range(10)]
TEXTS = as_texts([" ".join(RNG.choice(WORDS[k % 20 * 10 :][:10], 6)) for k in range(100)])
KINDS = np.repeat(np.eye(20), 10, axis=0) + RNG.normal(scale=0.3, size=(200, 20))


def test_vectors_of_a_file():
    words = ["Worda", "Wordaa", "wordaa", "unseen", *WORDS[1:]]
    vectors = RNG.normal(size=(len(words), 6)).astype(np.float32)
    plain, reading = pretrained_vectors(ListedVectors(words, vectors), TEXTS, Analyzer(), 1, 2)
    assert set(plain.words_) == {"worda", "unseen", *WORDS}
    # The word as the texts have it counts, not one with capitals.
    unit = vectors[2] / np.linalg.norm(vectors[2])
    assert plain.vector("wordaa") == pytest.approx(unit, abs=1e-6)
    n_with = sum(WORDS[1] in TEXTS[i].split() for i in range(100))
    row = list(plain.words_).index(WORDS[1])
    assert plain.idf_[row] == pytest.approx(np.log(101 / (n_with + 0.5)))
    assert plain.idf_[list(plain.words_).index("unseen")] == pytest.approx(np.log(202))
    # The other reading has nothing in the directions in which most vectors vary.
    centered = plain.vectors_ - plain.vectors_.mean(axis=0)
    common = np.linalg.svd(centered, full_matrices=False)[2][:3]
    assert np.abs(reading.vectors_ @ common.T).max() < 1e-4
    assert np.linalg.norm(reading.vectors_, axis=1) == pytest.approx(np.ones(len(plain.words_)))


def test_a_model_keeps_so_many_words(monkeypatch):
    words = [*[f"other{i}" for i in range(500)], *WORDS]
    vectors = RNG.normal(size=(len(words), 6)).astype(np.float32)
    monkeypatch.setattr(word_vectors, "MAX_NUMBERS", 900)
    plain, _ = pretrained_vectors(ListedVectors(words, vectors), TEXTS, Analyzer(), 1, 3)
    assert len(plain.words_) == 300
    in_texts = set(" ".join(TEXTS[i] for i in range(100)).split())
    assert set(plain.words_) == {*in_texts, *words[: 300 - len(in_texts)]}


def test_coherence_knows_noise_without_labels():
    def coherence_of(vectors):
        source = ListedVectors(WORDS, vectors.astype(np.float32))
        return coherence(pretrained_vectors(source, TEXTS, Analyzer(), 1, 2)[0], TEXTS, 1)

    assert coherence_of(KINDS) > 20
    noise = [coherence_of(np.random.default_rng(k).permutation(KINDS)) for k in range(20)]
    assert max(noise) < word_vectors.MIN_COHERENCE
    assert abs(np.mean(noise)) < 1
    assert coherence_of(np.ones((200, 3))) < word_vectors.MIN_COHERENCE
    few = as_texts(["worda wordb", "wordc wordd"])  # cannot tell
    plain, _ = learned_vectors(as_texts([few[0], few[1]] * 5), Analyzer(), 1, 0)
    assert coherence(plain, few, 1) == np.inf


def test_learned_vectors_have_two_readings():
    even, steep = learned_vectors(TEXTS, Analyzer(), 1, 0)
    for one in (even, steep):
        assert np.linalg.norm(one.vectors_, axis=1) == pytest.approx(np.ones(len(one.words_)))
    again = even.get_params() | {"power": 1.0}
    direct = type(even)().set_params(**again).fit(TEXTS)
    unit = direct.vectors_ / np.linalg.norm(direct.vectors_, axis=1, keepdims=True)
    assert np.abs(unit @ unit.T - steep.vectors_ @ steep.vectors_.T).max() < 1e-3
