"""Numbers as people write them: with a decimal comma, groups of three digits, a currency or unit.

What one of them means can depend on the others: 1.234 is more than a thousand next to 12,50, and
little more than one next to 0.5. So a column is read as a whole, with the decimal mark by which
most of it can be read.
"""

import re
from collections import Counter
from collections.abc import Sequence

from wordplane.common.errors import InputError

SIGN, APOSTROPHES = r"+\u2212-", r"'\u2019"
UNIT = rf"[^\w\s.,{APOSTROPHES}{SIGN}]"
# 12,50 €; -1.234,5; $ 1,234.50; EUR 12; 1 234,5 kg
NUMBER = re.compile(
    rf"(?P<sign>[{SIGN}]?)\s*(?P<before>[A-Z]{{3}}|{UNIT})?\s*"
    rf"(?P<digits>\d(?:[\d.,{APOSTROPHES}\s]*\d)?)\s*(?P<after>[^\W\d_]{{1,5}}\.?|{UNIT})?"
)
SEPARATORS = {".": rf",{APOSTROPHES}\s", ",": rf".{APOSTROPHES}\s"}  # of groups, by decimal mark
DIGITS = {
    mark: re.compile(
        rf"(?P<whole>\d+|[1-9]\d{{0,2}}(?P<group>[{others}])\d{{3}}(?:(?P=group)\d{{3}})*)"
        rf"(?:[{mark}](?P<part>\d+))?"
    )
    for mark, others in SEPARATORS.items()
}


def written_numbers(values: Sequence[object]) -> list[float | None]:
    """The numbers of a column; None for what is not a number, or has another unit than most.

    >>> written_numbers(["12,50 €", "1.234,00 €", "7 €", "free"])
    [12.5, 1234.0, 7.0, None]
    >>> written_numbers(["$1,234.50", "-$0.99"])
    [1234.5, -0.99]
    """
    texts = [value.strip() if isinstance(value, str) else "" for value in values]
    matches = [NUMBER.fullmatch(text) for text in texts]
    units = Counter(_unit(match) for match in matches if match and _unit(match))
    unit = units.most_common(1)[0][0] if units else ""
    matches = [match if match and _unit(match) in ("", unit) else None for match in matches]
    by_mark = {mark: [_number(match, mark) for match in matches] for mark in DIGITS}
    points, commas = by_mark["."], by_mark[","]
    n_points, n_commas = (sum(number is not None for number in one) for one in (points, commas))
    if n_points != n_commas:
        return points if n_points > n_commas else commas
    for value, point, comma in zip(values, points, commas, strict=True):
        if point != comma:
            raise InputError(f"{value!r:.60} could be {point:.15g} or {comma:.15g}")
    return points


def _unit(match: re.Match[str]) -> str:
    return match["before"] or match["after"] or ""


def _number(match: re.Match[str] | None, mark: str) -> float | None:
    """A number with this decimal mark."""
    found = match and DIGITS[mark].fullmatch(match["digits"])
    if not match or not found:
        return None
    whole = re.sub(r"\D", "", found["whole"])
    number = float(f"{whole}.{found['part'] or 0}")
    return number if match["sign"] in ("", "+") else -number
