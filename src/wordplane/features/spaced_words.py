"""Vocabularies whose words have blanks inside.

A name is words joined by blanks, and says what the words are as long as they have none. The matches
of a regular expression may have some, and so may stems, and ligatures without their accents. The
features of such a vocabulary are told apart by tuples of words.
"""

from collections.abc import Sequence

import numpy as np

from wordplane import _core

Key = str | tuple[str, ...]


def has_spaced_words(vocabulary: _core.Vocabulary) -> bool:
    """Whether the names do not say what their words are."""
    return vocabulary.parts == "words" and ord(" ") in vocabulary.arrays()[0]


def feature_words(vocabulary: _core.Vocabulary) -> list[tuple[str, ...]]:
    """The words of every feature, in column order."""
    word_bytes, word_ends, firsts, lasts, columns = vocabulary.arrays()
    data, begins = word_bytes.tobytes(), [0, *word_ends.tolist()[:-1]]
    nodes = [(data[i:j].decode(),) for i, j in zip(begins, word_ends.tolist(), strict=True)]
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        nodes.append(nodes[first] + nodes[last])
    found: list[tuple[str, ...]] = [()] * vocabulary.n_features
    for node, column in zip(nodes, columns.tolist(), strict=True):
        if column >= 0:
            found[column] = node
    return found


def from_keys(keys: Sequence[Key], parts: str) -> _core.Vocabulary:
    """The vocabulary with these columns, by their names or by the words of each."""
    if all(isinstance(key, str) for key in keys):
        return _core.Vocabulary.from_names(list(keys), parts)  # type: ignore[arg-type]
    words = {word: i for i, word in enumerate(dict.fromkeys(w for key in keys for w in key))}
    ngrams: dict[tuple[int, int], int] = {}
    at = []
    for key in keys:
        node = words[key[0]]
        for word in key[1:]:
            node = ngrams.setdefault((node, words[word]), len(words) + len(ngrams))
        at.append(node)
    columns = np.full(len(words) + len(ngrams), -1, np.int32)
    columns[at] = np.arange(len(keys))
    encoded = [word.encode() for word in words]
    pairs = np.array(list(ngrams), np.uint32).reshape(-1, 2)
    return _core.Vocabulary(
        np.frombuffer(b"".join(encoded), np.uint8),
        np.cumsum([len(word) for word in encoded], dtype=np.int64),
        pairs[:, 0].copy(),
        pairs[:, 1].copy(),
        columns,
        parts,
    )
