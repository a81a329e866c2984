"""What messages say of parameters that were given wrongly."""

from collections.abc import Iterable
from numbers import Integral

from wordplane.common.errors import InputError


def refuse_string(what: str, value: object, expected: str) -> None:
    """Refuse a single string where a list is expected: it would be read letter by letter.

    >>> refuse_string("`metrics`", "mcc", "names")
    Traceback (most recent call last):
    wordplane.common.errors.InputError: `metrics` is 'mcc', expected a list of names
    """
    if isinstance(value, str | bytes):
        raise InputError(f"{what} is {value!r:.60}, expected a list of {expected}")


def check_whole(what: str, value: object, expected: str = "a whole number of 0 or more") -> None:
    """Refuse what is not a whole number of 0 or more.

    >>> check_whole("`random_state`", None)
    Traceback (most recent call last):
    wordplane.common.errors.InputError: `random_state` is None, expected a whole number of 0 or more
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise InputError(f"{what} is {value!r:.60}, expected {expected}")


def nearest(word: str, known: Iterable[str]) -> str:
    """A question whether a known word is meant; empty if none is alike.

    >>> nearest("trian", ["train", "tune"])
    ' (did you mean train?)'
    """
    import difflib  # a command that is typed rightly does not wait for it

    folded = {one.lstrip("-").lower(): one for one in known}
    near = difflib.get_close_matches(word.lstrip("-").lower(), folded, n=1, cutoff=0.6)
    return f" (did you mean {folded[near[0]]}?)" if near else ""
