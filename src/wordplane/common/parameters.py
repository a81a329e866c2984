"""Parameters that take several strings."""

from wordplane.common.errors import InputError


def refuse_string(what: str, value: object, expected: str) -> None:
    """Refuse a single string where a list is expected: it would be read letter by letter.

    >>> refuse_string("`metrics`", "mcc", "names")
    Traceback (most recent call last):
    wordplane.common.errors.InputError: `metrics` is 'mcc', expected a list of names
    """
    if isinstance(value, str | bytes):
        raise InputError(f"{what} is {value!r:.60}, expected a list of {expected}")
