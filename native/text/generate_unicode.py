"""Write the Unicode tables of the running interpreter as C++ arrays.

Usage: generate_unicode.py OUTPUT

One record holds what the core asks of a code point: a set of flags and the
distance to its lower case. Most code points share a record, so the table has
two stages: kBlockOf[cp >> 7] names a block of 128 record numbers.

Which characters are cased or case-ignorable is not public in Python, but the
rule for the Greek capital sigma shows it: it becomes a final sigma unless a
cased character follows, skipping case-ignorable ones.

kStripped lists, in order, the code points that lose accents or have a compatibility form, and
where in kStrippedText what is left of them stands; Hangul syllables, which unicode.cpp computes,
are not among them.
"""

import sys
import unicodedata
from pathlib import Path

# Keep in step with native/text/unicode.h.
WORD, SPACE, TOKEN, MARK, DIGIT, CASED, IGNORABLE, PICTOGRAPH, WHITE, PUNCTUATION, UNSPACED = (
    1 << b for b in range(11)
)

# Blocks whose symbols are drawn as pictures (emoji and their relatives).
PICTOGRAPHS = [
    (0x203C, 0x203C), (0x2049, 0x2049), (0x2139, 0x2139), (0x2190, 0x21FF), (0x2300, 0x23FF),
    (0x25A0, 0x27BF), (0x2900, 0x297F), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF),
]  # fmt: skip

# How the names of letters begin that are written without spaces between words.
UNSPACED_SCRIPTS = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC", "VERTICAL KANA",
    "VERTICAL IDEOGRAPHIC", "HIRAGANA", "HENTAIGANA", "KATAKANA", "HALFWIDTH KATAKANA", "BOPOMOFO",
    "YI SYLLABLE", "THAI", "LAO", "KHMER", "MYANMAR", "TAI LE", "NEW TAI LUE", "TAI THAM",
    "TAI VIET", "JAVANESE", "BALINESE",
)  # fmt: skip

BLOCK = 128
HANGUL = range(0xAC00, 0xD7A4)
FINAL_SIGMA = "\u03c2"


def flags(cp: int) -> int:
    char = chr(cp)
    category = unicodedata.category(char)
    found = 0
    if char.isalnum() or char == "_":
        found |= WORD
    if char.isspace():
        found |= WHITE
    if category[0] == "Z" or category in ("Cc", "Cf", "Cs"):
        found |= SPACE
    if category[0] in "LMN":
        found |= TOKEN
    if category[0] == "M":
        found |= MARK
    if category == "Nd":
        found |= DIGIT
    if category[0] == "P":
        found |= PUNCTUATION
    if category[0] == "L" and unicodedata.name(char, "").startswith(UNSPACED_SCRIPTS):
        found |= UNSPACED
    # The character may be a sigma itself: it is the first one that is asked about.
    stops_sigma = ("a\u03a3" + char).lower()[1] != FINAL_SIGMA
    stops_sigma_before_a = ("a\u03a3" + char + "a").lower()[1] != FINAL_SIGMA
    if stops_sigma:
        found |= CASED
    elif stops_sigma_before_a:
        found |= IGNORABLE
    if category[0] == "S" and any(low <= cp <= high for low, high in PICTOGRAPHS):
        found |= PICTOGRAPH
    return found


def stripped(cp: int) -> str:
    """The compatibility decomposition without combining marks."""
    decomposed = unicodedata.normalize("NFKD", chr(cp))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def main(output: str) -> None:
    records: dict[tuple[int, int], int] = {}
    blocks: dict[tuple[int, ...], int] = {}
    block_of, expansions = [], []
    for start in range(0, 0x110000, BLOCK):
        block = []
        for cp in range(start, start + BLOCK):
            lower = chr(cp).lower()
            if len(lower) > 1:
                expansions.append((cp, lower))
            delta = ord(lower) - cp if len(lower) == 1 else 0
            block.append(records.setdefault((flags(cp), delta), len(records)))
        block_of.append(blocks.setdefault(tuple(block), len(blocks)))
    if [cp for cp, _ in expansions] != [0x130]:
        sys.exit(f"lower-casing expands {expansions}; native/text/unicode.h knows U+0130 only")

    changed = [
        (cp, stripped(cp))
        for cp in range(0x80, 0x110000)
        if cp not in HANGUL and stripped(cp) != chr(cp)
    ]
    entries, letters = [], ""
    for cp, text in changed:
        entries.append(f"{{{cp}, {len(letters)}, {len(text)}}}")
        letters += text

    def array(kind: str, name: str, values: list[str]) -> str:
        rows = (", ".join(values[i : i + 16]) for i in range(0, len(values), 16))
        return f"const {kind} {name}[] = {{\n" + ",\n".join(rows) + "};\n"

    record_of = [str(record) for block in blocks for record in block]
    lines = [
        f'const char kUnicodeVersion[] = "{unicodedata.unidata_version}";\n',
        array("Record", "kRecords", [f"{{{found}, {delta}}}" for found, delta in records]),
        array("std::uint16_t", "kBlockOf", [str(block) for block in block_of]),
        array("std::uint16_t", "kRecordOf", record_of),
        array("Stripped", "kStripped", entries),
        array("char32_t", "kStrippedText", [str(ord(letter)) for letter in letters]),
        array("std::uint16_t", "kAsciiFlags", [str(flags(cp)) for cp in range(128)]),
    ]
    Path(output).write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1])
