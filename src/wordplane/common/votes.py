"""What several people say, as one answer."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

Answer = TypeVar("Answer", bound=Hashable)


def latest_majority(said: Sequence[tuple[Answer, ...]]) -> tuple[Answer, ...]:
    """The answer that most gave; of several that are as frequent, the latest. The order of the
    labels within an answer does not matter.

    >>> latest_majority([("a",), ("b",), ("a",)]), latest_majority([("a",), ("b",)])
    (('a',), ('b',))
    """
    if len(said) == 1:
        return said[0]
    counts = Counter(frozenset(one) for one in said)
    most = max(counts.values())
    return next(one for one in reversed(said) if counts[frozenset(one)] == most)
