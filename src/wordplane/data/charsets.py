"""Which encoding bytes are in that are not UTF-8: what reads most like a language.

For each encoding, every character outside of ASCII costs -log p, where p falls with the rank of
the letter in a language that is written in the encoding; what no writer does costs more, such as
a capital inside a word, or letters of two scripts in one word. The cheapest encoding wins. It is
certain if every other one that gives another text is much dearer; otherwise there are rivals, and
a person must say which it is.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

MAX_BYTES = 1 << 16  # looked at
MAX_FOREIGN = 1_500  # characters outside of ASCII that are looked at
CERTAIN = 3.0  # so much dearer must a rival be in all
MAX_COST = 6.0  # of a character on average, for text
RARE, MIXED, CAPITAL_INSIDE, CONTROL, ODD_SIGN, SIGN = 8.0, 9.0, 6.0, 14.0, 9.0, 4.0
SIGNS = frozenset("„“”‚‘’–—…•€£§°«»´·©®™²³½¼±×ªº¿¡№\u00a0、。「」『』・，！？：；（）《》〜～")
QUOTES = frozenset("„“”’–…€")
WORD = re.compile(r"[^\W\d_]+")
FOREIGN_WORD = re.compile(r"\b(?=\w*[^\W\x00-\x7f])[^\W\d_]{2,}\b")
FEW_WORDS = 3
FOREIGN = re.compile(r"[^\x00-\x7f]")

# The letters outside of ASCII of a language, the commonest first.
_WESTERN = (
    "üäöß éèàêçùôîâûëïœ áéíóñúü ãáéçíõóúêâàô èàòùìé éëïóè åäö æøå áðíóéúýþæö "
    "ëçé éèüöäáíóñçàêßôâîïëúãåøæœìòùõû"
    # German, French, Spanish, Portuguese, Italian, Dutch, Nordic, Icelandic, Albanian, and English
    # with words of others
)
_CENTRAL = "ąęłóśżćńź íáéěřžšýčůúťďňó áéíýžčľšúťňôďó áéöóőíüúű ăîâşţ čšžćđ"
_CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфё оанитівреслкдумпяьзгбчхїйжєцшюґ"
_GREEK = "αοιετσνηυρπκμλςάόίέήώύδγχθφβξζψω"
_HEBREW = "יוהלאתרבשמנםחדעקפכגטסןצךץזף"
_ARABIC = "الينمرتوبعدسفهكقحجطصشخةذزىأضغثظئءؤإآ"
_TURKISH = "ıüşçğöi̇"
_BALTIC = "āīšēūžņļķģč ėšųžįčąūę õäöü"
_THAI = "านรกอเงมยลวด่้ีตสทปคบหไะัใพ"
_LANGUAGES = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "iso8859-2": _CENTRAL,
    "cp1251": _CYRILLIC,
    "koi8-r": _CYRILLIC,
    "cp866": _CYRILLIC,
    "cp1253": _GREEK,
    "cp1254": _TURKISH,
    "cp1255": _HEBREW,
    "cp1256": _ARABIC,
    "cp1257": _BALTIC,
    "cp874": _THAI,
    "mac-roman": _WESTERN,
    "cp850": _WESTERN,
    "cp852": _CENTRAL,
    "cp932": "のいしにとたなてるがはをんか日一大本年人中 イントス",
    "euc-jp": "のいしにとたなてるがはをんか日一大本年人中 イントス",
    "gb18030": "的是不我了一在有人这他们个你好很来上大到说要就也可以",
    "big5": "的是不我了一在有人這他們個你好很來上大到說要就也可以",
    "cp949": "이다는가에을의고하지어도기한로를사은",
}
# What each costs on top: the usual encodings of Windows come first.
_PRIOR = {"cp1252": 0.0, "iso8859-2": 2.5, "koi8-r": 2.5, "cp866": 3.0, "cp1257": 3.5, "cp874": 2.5,
          "mac-roman": 5.0, "cp850": 5.0, "cp852": 5.0}  # fmt: skip
_USUAL_PRIOR = 1.5


@dataclass(frozen=True)
class Guess:
    """An encoding, words that show how it reads, and those that would do as well.

    rivals  other encodings, each with the same words
    """

    encoding: str
    words: str
    rivals: dict[str, str]


def guess_encoding(data: bytes) -> Guess | None:
    """The encoding of bytes that are not UTF-8; None if nothing reads like a language.

    >>> guess_encoding("Größere Änderungen".encode("cp1252")).encoding
    'cp1252'
    >>> guess_encoding("Привет, как дела".encode("cp1251")).words
    'Привет как дела'
    """
    data = _foreign_lines(data[:MAX_BYTES])
    texts = {name: text for name in _LANGUAGES if (text := _decode(data, name)) is not None}
    costs = {name: _cost(text, name) for name, text in texts.items()}
    ranked = sorted(costs, key=lambda name: costs[name][0])
    if not ranked:
        return None
    best = ranked[0]
    total, mean = costs[best]
    if mean > MAX_COST:
        return None
    rivals = [
        name
        for name in ranked[1:]
        if costs[name][0] - total < CERTAIN and texts[name] != texts[best]
    ]
    samples = _samples([texts[name] for name in (best, *rivals)])
    return Guess(best, samples[0], dict(zip(rivals, samples[1:], strict=True)))


def foreign_words(text: str) -> str:
    """The first words that have letters outside of ASCII.

    >>> foreign_words("ein größerer Käse und noch ein Käse")
    'größerer Käse'
    """
    return " ".join(list(dict.fromkeys(FOREIGN_WORD.findall(text)))[:FEW_WORDS])


def _samples(texts: list[str]) -> list[str]:
    """Some words of each text; of several, the place where they begin to differ."""
    first, *others = texts
    if not others:
        sign = FOREIGN.search(first)
        at = sign.start() if sign else 0
        return [foreign_words(first) or first[max(at - 10, 0) : at + 10].strip()]
    at = min(
        next((i for i, (a, b) in enumerate(zip(first, other, strict=False)) if a != b), 0)
        for other in others
    )
    begin = first.rfind("\n", 0, at) + 1
    return [text[max(begin, at - 15) : at + 15].partition("\n")[0].strip() for text in texts]


def _foreign_lines(data: bytes) -> bytes:
    """The lines that have bytes outside of ASCII, whole, and not too many of them."""
    lines, n = [], 0
    for line in data.splitlines(keepends=True):
        if not line.isascii():
            lines.append(line)
            n += sum(byte > 127 for byte in line)
            if n > 2 * MAX_FOREIGN:
                break
    return b"".join(lines)


def _decode(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        # the sample may end within a character
        if error.start < len(data) - 4 or len(data) < MAX_BYTES // 2:
            return None
        return data[: error.start].decode(encoding)


def _cost(text: str, encoding: str) -> tuple[float, float]:
    """What the characters outside of ASCII cost in all, and on average."""
    letters: Counter[str] = Counter()
    total, n = _PRIOR.get(encoding, _USUAL_PRIOR), 0
    for word in WORD.findall(text):
        if word.isascii():
            continue
        own = [c for c in word if c > "\x7f"]
        n += len(own)
        letters.update(c.lower() for c in own)
        total += _word_cost(word, own)
    for sign in text:
        if sign > "\x7f" and not sign.isalpha():
            n += 1
            total += _sign_cost(sign)
    of_letters = min(
        sum(count * costs.get(c, _rare_cost(c, encoding)) for c, count in letters.items())
        for costs in _letter_costs(_LANGUAGES[encoding])
    )
    return total + of_letters, (total + of_letters) / max(n, 1)


def _word_cost(word: str, own: list[str]) -> float:
    """What no writer does inside a word."""
    cost = 0.0
    if len(own) < len(word) and not all(map(_is_latin, own)):
        cost += MIXED * min(len(own), len(word) - len(own))
    elif len(own) > 3 and len(own) > 0.6 * len(word) and all(map(_is_latin, own)):
        cost += len(own)  # hardly a letter without an accent
    if not word.isupper():
        cost += CAPITAL_INSIDE * sum(
            b.isupper() and not a.isupper() and (a > "\x7f" or b > "\x7f")
            for a, b in pairwise(word)
        )
    return cost


def _is_latin(letter: str) -> bool:
    return letter <= "\u024f" or "\u1e00" <= letter <= "\u1eff"


def _sign_cost(sign: str) -> float:
    if "\x80" <= sign <= "\x9f" or "\ue000" <= sign <= "\uf8ff" or sign == "\ufffd":
        return CONTROL
    if sign in SIGNS:
        return SIGN if sign not in QUOTES else SIGN / 2
    return 3.0 if "\u0e31" <= sign <= "\u0e4e" else ODD_SIGN  # vowels of Thai


def _rare_cost(letter: str, encoding: str) -> float:
    """Of a letter that is not among the commonest of the language."""
    if "\u3041" <= letter <= "\u30ff":
        return 4.0  # kana
    if "\uff66" <= letter <= "\uff9f":
        return CONTROL  # half-width kana, which nobody writes
    if "\uac00" <= letter <= "\ud7a3":
        # a syllable stands for two or three letters
        return 5.5 if _is_in_euc_kr(letter) else 11.0
    if "\u4e00" <= letter <= "\u9fff":
        return 6.5 if _is_common_hanzi(letter) and encoding != "cp949" else 12.0
    return RARE


@cache
def _is_in_euc_kr(letter: str) -> bool:
    try:
        return bool(letter.encode("euc-kr"))
    except UnicodeEncodeError:
        return False


@cache
def _is_common_hanzi(letter: str) -> bool:
    """Whether a character is in the first level of GB 2312, of Big5 or of JIS."""
    for encoding, first, last in (
        ("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("euc-jp", 0xB0, 0xCF),
    ):  # fmt: skip
        try:
            code = letter.encode(encoding)
        except UnicodeEncodeError:
            continue
        if len(code) == 2 and first <= code[0] <= last:
            return True
    return False


@cache
def _letter_costs(languages: str) -> tuple[dict[str, float], ...]:
    """For each language -log p of its letters, p as 1 / rank."""
    tables = []
    for letters in languages.split():
        norm = math.log(sum(1 / rank for rank in range(1, len(letters) + 1)))
        tables.append({c: math.log(rank) + norm for rank, c in enumerate(letters, 1)})
    return tuple(tables)
