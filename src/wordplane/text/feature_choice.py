"""Which features are kept by their scores, and which of them are paired: as text, and checked."""

from typing import NamedTuple

from wordplane.common.errors import InputError

SCORES = ("ig", "chi2", "tfidf", "df")


class Selection(NamedTuple):
    """Keep the m features with the largest score."""

    score: str
    m: int


def parse_selection(text: object) -> Selection:
    """'ig:1000' as a score and a number.

    >>> parse_selection("ig:1000")
    Selection(score='ig', m=1000)
    """
    score, colon, m = text.partition(":") if isinstance(text, str) else ("", "", "")
    if score not in SCORES or not colon or not (m.isascii() and m.isdigit() and int(m) > 0):
        raise InputError(
            f"`select` is {text!r}, expected a score and a number such as 'ig:1000'; the scores "
            f"are {', '.join(SCORES)}"
        )
    return Selection(score, int(m))


def check_conjoin(conjoin: object) -> None:
    """Raise an InputError unless it is None or a number of features to pair."""
    if conjoin is not None and (type(conjoin) is not int or conjoin < 2):
        raise InputError(f"`conjoin` is {conjoin!r}, expected None or a whole number of 2 or more")
