"""Slow, obvious versions of what the core does fast."""

import unicodedata
from collections import Counter

import numpy as np

EMOTICONS = [
    ":'-(",
    ":'-)",
    ":'(",
    ":')",
    ":-)",
    ":-(",
    ":-D",
    ":-P",
    ":-p",
    ":-/",
    ":-\\",
    ":-*",
    ":-|",
    ":-O",
    ":-o",
    ":)",
    ":(",
    ":D",
    ":P",
    ":p",
    ":/",
    ":\\",
    ":*",
    ":|",
    ":O",
    ":o",
    ";-)",
    ";)",
    "=)",
    "=(",
    "=D",
    "=P",
    "</3",
    "<3",
    ">:-(",
    ">:(",
    "^_^",
    "^^",
    "-_-",
]
JOINERS = "'-_\u2019\u2010\u2011\u00ad\u200c\u200d"
ZWJ = "\u200d"
PICTOGRAPHS = [
    (0x203C, 0x203C), (0x2049, 0x2049), (0x2139, 0x2139), (0x2190, 0x21FF), (0x2300, 0x23FF),
    (0x25A0, 0x27BF), (0x2900, 0x297F), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF),
]  # fmt: skip


def is_space(c):
    return unicodedata.category(c) in ("Zs", "Zl", "Zp", "Cc", "Cf", "Cs")


def is_token(c):
    return c != "" and unicodedata.category(c)[0] in "LMN"


def is_mark(c):
    return c != "" and unicodedata.category(c)[0] == "M"


def is_digit(c):
    return c != "" and unicodedata.category(c) == "Nd"


def is_picture(c):
    return (
        c != ""
        and unicodedata.category(c)[0] == "S"
        and any(low <= ord(c) <= high for low, high in PICTOGRAPHS)
    )


UNSPACED = (
    "CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC", "VERTICAL KANA",
    "VERTICAL IDEOGRAPHIC", "HIRAGANA", "HENTAIGANA", "KATAKANA", "HALFWIDTH KATAKANA", "BOPOMOFO",
    "YI SYLLABLE", "THAI", "LAO", "KHMER", "MYANMAR", "TAI LE", "NEW TAI LUE", "TAI THAM",
    "TAI VIET", "JAVANESE", "BALINESE",
)  # fmt: skip


def is_unspaced(c):
    """Whether it is a letter of a script without spaces between words."""
    if not c or unicodedata.category(c)[0] != "L":
        return False
    return unicodedata.name(c, "").startswith(UNSPACED)


def tokenize(text, spaced=False):
    """(start, end) of every token: words, emoticons, symbols."""
    alone = (lambda c: False) if spaced else is_unspaced
    at = lambda i: text[i] if i < len(text) else ""  # noqa: E731
    spans, i = [], 0
    while i < len(text):
        start = i
        if is_space(text[i]):
            i += 1
            continue
        if alone(text[i]):
            i += 1
            while i < len(text) and is_mark(text[i]):
                i += 1
        elif is_token(text[i]):
            i += 1
            while i < len(text) and not alone(text[i]):
                before, after = text[i - 1], at(i + 1)
                joins = text[i] in JOINERS and is_token(after) and not is_mark(after)
                joins = joins and not alone(after)
                decimal = text[i] in ".," and is_digit(before) and is_digit(after)
                if not (is_token(text[i]) or joins or decimal):
                    break
                i += 1
        else:
            fitting = [
                e
                for e in EMOTICONS
                if text.startswith(e, i) and at(i + len(e)) != "/" and not is_token(at(i + len(e)))
            ]
            if fitting:
                i += len(max(fitting, key=len))
            else:
                i = _symbol_end(text, i, at)
        spans.append((start, i))
    return spans


def _symbol_end(text, i, at):
    picture = is_picture(text[i])
    regional = lambda c: "\U0001f1e6" <= c <= "\U0001f1ff"  # noqa: E731
    i += 2 if regional(text[i]) and regional(at(i + 1)) else 1
    while i < len(text):
        c = text[i]
        modifies = "\U0001f3fb" <= c <= "\U0001f3ff" or "\U000e0020" <= c <= "\U000e007f"
        if is_mark(c) or (picture and modifies):
            i += 1
        elif picture and c == ZWJ and is_picture(at(i + 1)):
            i += 2
        else:
            break
    return i


def ngrams(words, min_n, max_n):
    return [
        " ".join(words[i : i + n])
        for n in range(min_n, max_n + 1)
        for i in range(len(words) - n + 1)
    ]


def count_matrix(documents, names):
    """A dense matrix of counts of the named features, documents being lists of features."""
    return np.array([[Counter(document)[name] for name in names] for document in documents])


def multinomial_nb(X, y, alpha, weights):
    """log mu and log phi by the formula, one number at a time."""
    classes = sorted(set(y))
    n_features = len(X[0])
    log_mu, log_phi = [], []
    for k in classes:
        rows = [i for i in range(len(y)) if y[i] == k]
        log_mu.append(np.log(sum(weights[i] for i in rows) / sum(weights)))
        counts = [sum(weights[i] * X[i][j] for i in rows) for j in range(n_features)]
        total = sum(counts) + n_features * alpha
        log_phi.append([np.log((count + alpha) / total) for count in counts])
    return np.array(log_mu), np.array(log_phi)
