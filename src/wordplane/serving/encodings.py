"""The encodings that bodies may have: those of spreadsheets and browsers, none of which takes more
than linear time to decode (as some of Python's codecs do)."""

from __future__ import annotations

from wordplane.common.errors import InputError
from wordplane.data.encoding import check_encoding

ENCODINGS = {
    *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii"),
    *(f"cp125{k}" for k in range(9)),
    *(f"iso8859-{k}" for k in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)),
    *("cp437", "cp850", "cp852", "cp866", "cp874", "mac-roman", "koi8-r", "koi8-u"),
    *("shift_jis", "cp932", "euc_jp", "gb2312", "gbk", "gb18030", "big5", "euc_kr", "cp949"),
}
EXAMPLES = "utf-8, cp1252, latin-1, utf-16, cp1251, shift_jis or gb18030"


def known_encoding(name: str) -> str | None:
    """Python's name of an encoding, or None if bodies may not have it.

    >>> known_encoding("Windows-1252"), known_encoding("latin1"), known_encoding("punycode")
    ('cp1252', 'iso8859-1', None)
    """
    try:
        found = check_encoding(name)
    except InputError:
        return None
    return found if found in ENCODINGS else None
