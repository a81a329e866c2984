"""Strip accents from letters."""

import unicodedata


def strip_accents_unicode(text: str) -> str:
    """The text without combining marks after compatibility decomposition.

    >>> strip_accents_unicode("Crème brûlée ﬁn")
    'Creme brulee fin'
    """
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def strip_accents_ascii(text: str) -> str:
    """The text without the characters that have no ASCII form.

    >>> strip_accents_ascii("Crème brûlée €")
    'Creme brulee '
    """
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


ACCENT_STRIPPERS = {"unicode": strip_accents_unicode, "ascii": strip_accents_ascii}
