"""The stems of the words of some texts, for analyzers that name a language."""

from collections.abc import Mapping

from wordplane import _core
from wordplane.features.counting.core import count_features, select_all
from wordplane.features.text_counts import Columns, word_vocabularies
from wordplane.text.analyzer_spec import AnalyzerSpec
from wordplane.text.stemming import stems_of

NOT = "NOT_"


def with_stems(spec: AnalyzerSpec, texts: _core.Texts, threads: int) -> AnalyzerSpec:
    """The specification with the stems of all words of the texts in place of a language."""
    language = spec.tokens.stem
    if not isinstance(language, str):
        return spec
    counter = count_features(spec.tokens.unstemmed_analysis(), [texts], "frequency", threads)
    select_all(counter, threads)
    return spec.with_stems(stems_of(language, counter.vocabulary(threads).names()))


def with_needed_stems(spec: AnalyzerSpec, parts: Mapping[str, Columns]) -> AnalyzerSpec:
    """The specification without the stems that no feature contains."""
    vocabularies = word_vocabularies(parts)
    if spec.tokens.stem is None or not vocabularies:
        return spec
    words: set[str] = set()
    for vocabulary in vocabularies:
        array, ends = vocabulary.arrays()[:2]
        starts, word_bytes = [0, *ends.tolist()[:-1]], array.tobytes()
        pairs = zip(starts, ends.tolist(), strict=True)
        words |= {word_bytes[begin:end].decode().removeprefix(NOT) for begin, end in pairs}
    stems = spec.tokens.stems()
    return spec.with_stems({word: stem for word, stem in stems.items() if stem in words})
