"""Which features are kept by their scores, and which of them are paired: as text, and checked."""

from typing import NamedTuple

from wordplane.common.errors import InputError

SCORES = ("ig", "chi2", "tfidf", "df")
MAX_BITS = 28  # of a hash: 268,435,456 columns


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


def check_frequencies(min_df: object, max_df: object, max_features: object) -> None:
    """Raise an InputError unless they say how frequent a feature must be to be kept."""
    if type(min_df) is not int or min_df < 1:
        raise InputError(f"min_df is {min_df!r}, expected a whole number of 1 or more")
    if not isinstance(max_df, int | float) or isinstance(max_df, bool) or not 0 < max_df <= 1:
        raise InputError(f"max_df is {max_df!r}, expected a share above 0 and at most 1")
    if max_features is not None and (type(max_features) is not int or max_features < 1):
        raise InputError(
            f"max_features is {max_features!r}, expected None or a whole number above 0"
        )


def check_hash_bits(bits: object) -> bool:
    """Whether features are hashed; an InputError if that cannot be done with so many bits."""
    if bits is None:
        return False
    if type(bits) is not int or not 1 <= bits <= MAX_BITS:
        raise InputError(f"`hash_bits` is {bits!r}, expected a whole number from 1 to {MAX_BITS}")
    return True
