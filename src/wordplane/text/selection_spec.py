"""Which features are kept, paired or hashed: the part of an analyzer's specification about the
choice of features."""

from collections.abc import Mapping
from typing import NamedTuple, Self

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen

SCORES = ("ig", "chi2", "tfidf", "df")
MAX_BITS = 28  # of a hash: 268,435,456 columns


class Selection(NamedTuple):
    """Keep the m features with the largest score."""

    score: str
    m: int


@frozen
class SelectionSpec:
    """The parameters of an `Analyzer` that choose among features, checked."""

    min_df: int
    max_df: float
    max_features: int | None
    select: Selection | None
    conjoin: int | None
    hash_bits: int | None

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Self:
        """Those of an analyzer with these parameters; an InputError if one is wrong."""
        min_df, max_df, max_features = given["min_df"], given["max_df"], given["max_features"]
        conjoin, hash_bits = given["conjoin"], given["hash_bits"]
        if type(min_df) is not int or min_df < 1:
            raise InputError(f"min_df is {min_df!r}, expected a whole number of 1 or more")
        if not isinstance(max_df, int | float) or isinstance(max_df, bool) or not 0 < max_df <= 1:
            raise InputError(f"max_df is {max_df!r}, expected a share above 0 and at most 1")
        if max_features is not None and (type(max_features) is not int or max_features < 1):
            raise InputError(
                f"max_features is {max_features!r}, expected None or a whole number above 0"
            )
        if conjoin is not None and (type(conjoin) is not int or conjoin < 2):
            raise InputError(
                f"`conjoin` is {conjoin!r}, expected None or a whole number of 2 or more"
            )
        if hash_bits is not None and (type(hash_bits) is not int or not 1 <= hash_bits <= MAX_BITS):
            raise InputError(
                f"`hash_bits` is {hash_bits!r}, expected a whole number from 1 to {MAX_BITS}"
            )
        select = None if given["select"] is None else parse_selection(given["select"])
        return cls(min_df, max_df, max_features, select, conjoin, hash_bits)

    @property
    def has_plain_columns(self) -> bool:
        """Whether a feature that counts can be left out and the others stay as they are."""
        return self.hash_bits is None and self.conjoin is None


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
