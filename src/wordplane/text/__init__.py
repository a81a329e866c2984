"""From text to tokens: what a word is, and where it is in the text."""

from wordplane.common.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__, {"analyzer": "Analyzer", "lexicon": "Lexicon LexiconFeatures"}
)
