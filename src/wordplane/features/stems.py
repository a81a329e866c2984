"""The stems of the words of some texts, for analyzers that name a language."""

from collections.abc import Mapping

import numpy as np

from wordplane import _core
from wordplane.features.counted_parts import Columns, word_vocabularies
from wordplane.features.counting import count_features
from wordplane.text.analyzer import Analyzer
from wordplane.text.stemming import stems_of

NOT = "NOT_"


def with_stems(analyzer: Analyzer, texts: _core.Texts, threads: int) -> Analyzer:
    """The analyzer with the stems of all words of the texts in place of a language."""
    if not isinstance(analyzer.stem, str):
        return analyzer
    counter = count_features(analyzer.unstemmed_analysis(), [texts], "frequency", threads)
    counter.select(np.ones(counter.n_features, dtype=bool), threads)
    words = counter.vocabulary(threads).names()
    return _with(analyzer, stems_of(analyzer.stem, words))


def with_needed_stems(analyzer: Analyzer, parts: Mapping[str, Columns]) -> Analyzer:
    """The analyzer without the stems that no feature contains."""
    vocabularies = word_vocabularies(parts)
    if analyzer.stem is None or not vocabularies:
        return analyzer
    words: set[str] = set()
    for vocabulary in vocabularies:
        word_bytes, ends = vocabulary.arrays()[:2]
        starts = [0, *ends.tolist()[:-1]]
        held = word_bytes.tobytes()
        pairs = zip(starts, ends.tolist(), strict=True)
        words |= {held[begin:end].decode().removeprefix(NOT) for begin, end in pairs}
    stems = analyzer.stems()
    return _with(analyzer, {word: stem for word, stem in stems.items() if stem in words})


def _with(analyzer: Analyzer, stems: dict[str, str]) -> Analyzer:
    return Analyzer(**{**analyzer.get_params(deep=False), "stem": stems})
