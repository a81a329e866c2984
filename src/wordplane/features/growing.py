"""Features that a fitted model gains with new texts, and loses with texts that are removed.

New features are those that the analyzer finds in the new texts, by its own rules (`min_df` counts
the new texts alone), and that the model does not have. They follow the old ones of their group. The
weights of features (idf) stay as they are; that of a new one is what its number of texts says, of
all texts so far. Where features were selected by their labels, or combined, there are no new ones.

A name is words joined by blanks, and says what the words are as long as they have none. The matches
of a regular expression may have some, and so may stems, and ligatures without their accents. The
features of such a vocabulary are distinguished by tuples of words.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.frozen import frozen
from wordplane.common.types import FloatArray, IntArray
from wordplane.features.text_counts import Columns, count_part, find_groups, token_vocabularies
from wordplane.features.text_features import TextFeatures, compute_idf, feature_mask
from wordplane.text.analyzer_spec import AnalyzerSpec
from wordplane.text.documents import Documents
from wordplane.text.fields import parse_part

Key = str | tuple[str, ...]

KINDS = {"words": "words", "chars": "chars", "tokens": "whole"}  # what names are made of


@frozen
class Resized:
    """Features, and where those of the model have gone.

    place     the column of every feature of the model; -1 if it is gone
    n_unseen  how many features of the new texts the model did not have
    """

    features: TextFeatures
    place: IntArray
    n_unseen: int = 0


def can_grow(spec: AnalyzerSpec) -> bool:
    """Whether new features can be added to the old ones."""
    chosen = spec.selection.select is not None or spec.selection.max_features is not None
    return not chosen and spec.weighting.idf != "delta" and spec.selection.conjoin is None


def grow_features(
    features: TextFeatures, documents: Documents, n_docs: int, threads: int, *, grows: bool = True
) -> Resized:
    """The features of a model, and those of new documents; n_docs is the number of all so far. If
    it does not grow, new features are counted only. Hashed features are there already."""
    if features.spec.selection.hash_bits is not None:
        return Resized(features, np.arange(features.n_features))
    spec, grows = features.spec, grows and can_grow(features.spec)
    documents = spec.mask(documents)
    vocabularies: dict[str, Columns] = {}
    places, idfs, first, n_unseen, n_before = [], [], 0, 0, 0
    for part, analysis in spec.analyses().items():
        kind = parse_part(part).kind
        counter = count_part(analysis, documents.texts_of(part), threads)
        df = counter.document_frequency(threads)
        keep = feature_mask(spec.selection, df, len(documents))
        counter.select(keep, threads)
        old, names = _keys(features.vocabularies[part], counter.vocabulary(threads))
        known = set(old)
        new = [j for j, name in enumerate(names) if name not in known]
        n_unseen += len(new)
        joined = old + ([names[j] for j in new] if grows else [])
        order = _by_group(joined) if kind == "tokens" else np.arange(len(joined))
        rank = np.empty(len(joined), np.int64)
        rank[order] = np.arange(len(joined))
        places.append(first + rank[: len(old)])
        if features.idf is not None:
            idf = features.idf[n_before : n_before + len(old)]
            if grows:
                added = compute_idf(spec.weighting.idf, df[keep][new], n_docs)
                assert added is not None, "the analyzer has an idf"
                idf = np.append(idf, added)
            idfs.append(idf[order])
        vocabularies[part] = _from_keys([joined[j] for j in order.tolist()], KINDS[kind])
        first, n_before = first + len(joined), n_before + len(old)
    return _rebuild(features, vocabularies, places, idfs, n_unseen)


def keep_features(features: TextFeatures, keep: NDArray[np.bool_]) -> Resized:
    """The features of a model that are to be kept; those that are not counted or hashed all
    stay."""
    if features.spec.selection.hash_bits is not None:
        return Resized(features, np.arange(features.n_features))
    vocabularies: dict[str, Columns] = {}
    places, idfs, first, n_before = [], [], 0, 0
    for part, vocabulary in features.vocabularies.items():
        end = n_before + vocabulary.n_features
        here = keep[n_before:end]
        assert isinstance(vocabulary, _core.Vocabulary), "hashed features all stay"
        vocabularies[part] = vocabulary.select(here)
        places.append(np.where(here, first + np.cumsum(here) - 1, -1))
        if features.idf is not None:
            idfs.append(features.idf[n_before:end][here])
        first, n_before = first + int(here.sum()), end
    return _rebuild(features, vocabularies, places, idfs, 0)


def _rebuild(
    features: TextFeatures,
    vocabularies: dict[str, Columns],
    places: list[IntArray],
    idfs: list[FloatArray],
    n_unseen: int,
) -> Resized:
    sizes = {part: vocabulary.n_features for part, vocabulary in vocabularies.items()}
    n_counted = sum(sizes.values())
    rest = np.arange(features.n_features - features.n_counted)
    resized = TextFeatures(
        features.spec,
        vocabularies,
        find_groups(sizes, token_vocabularies(vocabularies)),
        None if features.idf is None else np.concatenate(idfs),
        features.dense,
        features.pairs,
    )
    return Resized(resized, np.concatenate([*places, n_counted + rest]), n_unseen)


def _keys(*vocabularies: Columns) -> list[list[Key]]:
    """What distinguishes the features of vocabularies: their names if these say what they mean."""
    plain = [v for v in vocabularies if isinstance(v, _core.Vocabulary)]
    if any(map(_has_spaced_words, plain)):
        return [list(_feature_words(v)) for v in plain]
    return [list(v.names()) for v in vocabularies]


def _by_group(names: list[Key]) -> IntArray:
    """The order in which the features of a group (prefix:, suffix: ...) follow one another."""
    groups = [str(name).partition(":")[0] for name in names]
    number = {group: k for k, group in enumerate(dict.fromkeys(groups))}
    return np.argsort([number[group] for group in groups], kind="stable")


def _has_spaced_words(vocabulary: _core.Vocabulary) -> bool:
    """Whether the names do not say what their words are."""
    return vocabulary.parts == "words" and ord(" ") in vocabulary.arrays()[0]


def _feature_words(vocabulary: _core.Vocabulary) -> list[tuple[str, ...]]:
    """The words of every feature, in column order."""
    word_bytes, word_ends, firsts, lasts, columns = vocabulary.arrays()
    data, begins = word_bytes.tobytes(), [0, *word_ends.tolist()[:-1]]
    nodes = [(data[i:j].decode(),) for i, j in zip(begins, word_ends.tolist(), strict=True)]
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        nodes.append(nodes[first] + nodes[last])
    words: list[tuple[str, ...]] = [()] * vocabulary.n_features
    for node, column in zip(nodes, columns.tolist(), strict=True):
        if column >= 0:
            words[column] = node
    return words


def _from_keys(keys: Sequence[Key], parts: str) -> _core.Vocabulary:
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
