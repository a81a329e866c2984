"""The public names, for type checkers; `__init__.py` loads them when they are first used."""

from wordplane.text.analyzer import Analyzer as Analyzer
from wordplane.text.lexicon import Lexicon as Lexicon
from wordplane.text.lexicon import LexiconFeatures as LexiconFeatures
