"""Words that negate what follows them."""

from collections.abc import Iterable

# *n't stands for every word that ends in n't.
NEGATIONS = (
    "not no never nor neither none nobody nothing nowhere cannot cant without "
    "hardly scarcely barely *n't *n\N{RIGHT SINGLE QUOTATION MARK}t"
).split()


def negates(word: str, negations: Iterable[str] = NEGATIONS) -> bool:
    """Whether the word negates what follows it.

    >>> [negates(word) for word in ("Never", "didn't", "notable")]
    [True, True, False]
    """
    word = word.lower()
    return any(
        word.endswith(entry[1:]) if entry.startswith("*") else word == entry for entry in negations
    )
