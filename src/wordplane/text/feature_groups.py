"""The groups of features that a name turns on: words, characters, prefixes, suffixes, shapes,
lengths."""

from collections.abc import Iterable

from wordplane.text.analyzer import Analyzer

# The parameter of each group, its value if the group is named alone, and its value if it is not
# named at all. Words that are named alone stay as they suit the learner.
GROUPS: dict[str, tuple[str, object, object]] = {
    "word": ("ngrams", None, None),
    "char": ("chars", (2, 6), None),
    "prefix": ("prefixes", [2, 3], ()),
    "suffix": ("suffixes", [2, 3], ()),
    "shape": ("shapes", True, False),
    "length": ("lengths", True, False),
}


def only_groups(analyzer: Analyzer, names: Iterable[str]) -> Analyzer:
    """The analyzer with these groups and no others; what it has besides stays.

    >>> only_groups(Analyzer(), ["word", "suffix"])
    Analyzer(suffixes=[2, 3])
    >>> only_groups(Analyzer(chars=(3, 4)), ["char"])
    Analyzer(ngrams=None, chars=(3, 4))
    """
    wanted = set(names)
    chosen: dict[str, object] = {}
    for group, (parameter, usual, absent) in GROUPS.items():
        if group not in wanted:
            chosen[parameter] = absent
        elif not getattr(analyzer, parameter):
            chosen[parameter] = (1, 2) if group == "word" else usual
    return Analyzer(**{**analyzer.get_params(deep=False), **chosen})
