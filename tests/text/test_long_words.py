"""Tests of wordplane.text.analyzer: words longer than what the core folds at once."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from wordplane import _core
from wordplane.text.accents import strip_accents_unicode
from wordplane.text.documents import as_documents

PIECE = 1 << 12  # bytes, in native/text/token_features.cpp


def counted(text, lowercase=True, accents=False, chars=(1, 3), affixes=((), ())):
    """The features of a text that the core finds, with their numbers."""
    features = _core.TokenFeatures(
        spaced=False,
        folding=_core.Folding(lowercase=lowercase, accents=accents),
        chars=chars,
        affixes=tuple(list(lengths) for lengths in affixes),
        shapes=False,
        lengths=False,
        known_words=[],
        triggers=[],
    )
    counter = _core.TokenFeatureCounter(features)
    counter.add(_core.Texts([text]), 0, 1, 1)
    counter.finish()
    counter.select(np.ones(counter.n_features, bool), 1)
    columns, values = (
        np.empty(counter.n_features, np.int32),
        np.empty(counter.n_features, np.float32),
    )
    counter.fill(columns, values, 1)
    names = counter.vocabulary().names()
    return {names[column]: int(value) for column, value in zip(columns, values, strict=True)}


def expected(text, chars):
    found = Counter()
    for word in text.split():
        padded = f" {word} "
        for n in range(chars[0], chars[1] + 1):
            if len(padded) <= n:
                found[f"char:{padded}"] += 1
                break
            found.update(f"char:{padded[i : i + n]}" for i in range(len(padded) - n + 1))
    return found


@pytest.mark.parametrize("length", [PIECE - 2, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7])
@pytest.mark.parametrize("letters", ["ab", "aΣ", "é\u0301x", "İi", "日本", "👩\u200d"])
@pytest.mark.parametrize("chars", [(1, 1), (1, 3), (3, 5)])
def test_n_grams_of_characters(length, letters, chars):
    rng = np.random.default_rng(length)
    word = "".join(rng.choice(list(letters), length))
    assert counted(f"x {word} y", chars=chars) == expected(f"x {word.lower()} y", chars)


@pytest.mark.parametrize("letters", ["ab", "é\u0301x", "\u0301\u0302", "각a"])
def test_without_accents(letters):
    word = "".join(np.random.default_rng(1).choice(list(letters), 2 * PIECE))
    plain = strip_accents_unicode(word.lower())
    assert counted(word, accents=True, chars=(1, 2)) == expected(plain, (1, 2))


@pytest.mark.parametrize("letters", ["ab", "é\u0301", "İi"])
def test_beginnings_and_ends(letters):
    word = "".join(np.random.default_rng(2).choice(list(letters), 2 * PIECE)) + "z"
    lower, accentless = word.lower(), strip_accents_unicode(word.lower())
    for accents, folded in ((False, lower), (True, accentless)):
        found = counted(word, accents=accents, chars=(0, 0), affixes=((2, PIECE), (3, PIECE)))
        assert found == {f"prefix:{folded[:n]}": 1 for n in (2, PIECE)} | {
            f"suffix:{folded[-n:]}": 1 for n in (3, PIECE)
        }


def test_a_contribution_knows_where_it_is():
    """Occurrences in a long word are found at their places."""
    from wordplane import Analyzer, TextClassifier

    model = TextClassifier(Analyzer(ngrams=None, chars=(2, 2)), "nb", calibration=None)
    model.fit(["qz", "ab"], ["q", "a"])
    text = "a" * (PIECE + 5) + "qz" + "b" * 9
    found = model.model_.contributions(as_documents([text], {}), np.ones(1))
    at = found.features.index("char:qz")
    assert (found.starts[at], found.ends[at]) == (PIECE + 5, PIECE + 7)


MEMORY = """
import re, sys
from pathlib import Path
from wordplane import Analyzer, TextClassifier
analyzer = Analyzer(ngrams=None, chars=(2, 4), suffixes=[3])
model = TextClassifier(analyzer, "nb").fit(["abc", "xyz"] * 5, ["a", "x"] * 5)
text = "abcxyz" * int(sys.argv[1])
def peak():
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
model.predict([text])
print((peak() - before) / len(text))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it is read from /proc")
def test_memory_of_a_long_word_is_a_few_times_its_own():
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, "2000000"], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 6  # bytes for each byte of the word; it was 32
