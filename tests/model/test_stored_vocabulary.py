"""Vocabularies of strangers: names in proportion to the bytes that describe them."""

import numpy as np
import pytest

from wordplane import Analyzer
from wordplane.common.errors import InputError
from wordplane.model.stored_vocabulary import read_vocabulary


def chain(word, n_ngrams, step):
    """A word, and n-grams of it, each longer by one than the n-gram `step` places before."""
    first = [0] + [max(0, i + 1 - step) for i in range(1, n_ngrams)]
    return {
        "words.word_bytes": np.frombuffer(word.encode(), np.uint8),
        "words.word_ends": np.array([len(word)]),
        "words.ngram_firsts": np.array(first, np.uint32),
        "words.ngram_lasts": np.zeros(n_ngrams, np.uint32),
        "words.columns": np.arange(n_ngrams + 1, dtype=np.int32),
    }


def test_chains_are_as_long_as_the_analyzer_says():
    vocabulary = read_vocabulary(chain("ab", 2, 1), "words", Analyzer(ngrams=(1, 3)).resolve())
    assert vocabulary.names() == ["ab", "ab ab", "ab ab ab"]
    with pytest.raises(InputError, match="an n-gram of length 20001, expected at most 3"):
        read_vocabulary(chain("ab", 20_000, 1), "words", Analyzer(ngrams=(1, 3)).resolve())


def test_names_are_in_proportion_to_the_file():
    with pytest.raises(InputError, match="names of the features are too long"):
        read_vocabulary(chain("a" * 50_000, 99, 1), "words", Analyzer(ngrams=(1, 100)).resolve())
