"""What a folder of blocks holds. Nothing that another process wrote is used before it is found to
be as declared here.

    lock                    held by the process that owns the folder
    record                  which steps are finished, and all files that were there by then
    NAME-BLOCK.array        the values of an array, and nothing else
    STEP-NAME-TURN.array    an array that a step has come to

The record is a line with the SHA-256 of the rest, and then JSON as `RECORD` declares it: of every
file the type, the shape and the CRC-32. Files that are not in the record are never resumed from.
"""

from collections.abc import Callable
from numbers import Integral
from typing import Literal, cast

from wordplane.common.forms import ArrayForm, ArrayForms, Facts, Pattern, StepForm
from wordplane.scale.counting import NO_WORD

VERSION = 1
RECORD: Pattern = {
    "version": int,
    "files": {"*": {"type": str, "shape": [int], "crc": int}},
    "steps": {"*": {"turn": int, "arrays": [str], "facts": dict}},
}
TYPES = frozenset(("uint8", "uint16", "int32", "uint32", "int64", "uint64", "float64"))
MOST = 2**48  # what all dimensions are less than

# The arrays of a block. The numbers of texts, values, features and kept words are known before.
TEXTS: ArrayForms = {
    "bytes": ArrayForm("uint8", "bytes"),
    "ends": ArrayForm("int64", "texts", ends_of="bytes"),
}
TOKENS: ArrayForms = {
    "docs": ArrayForm("int64", "texts", ends_of="tokens"),
    "tokens": ArrayForm("uint32", "tokens", below="words"),
    "times": ArrayForm("uint32", "tokens?"),
    "word-of": ArrayForm("uint32", "words", below="kept", none=NO_WORD),
}
COLUMNS: ArrayForms = {"columns": ArrayForm("int32", "values", below="features")}
COUNTS: ArrayForms = {**COLUMNS, "counts": ArrayForm("uint32", "values")}

PARTS: tuple[Literal["train", "dev", "test"], ...] = ("train", "dev", "test")


def _n_labels(facts: Facts) -> int:
    return len(set(cast(list[str | int], facts["labels"])))


def _n_rows(part: str) -> Callable[[Facts], int]:
    return lambda facts: sum(cast(dict[str, list[int]], facts["sizes"])[part])


# What the steps have come to.
READ = StepForm(
    {
        **{f"{part}-codes": ArrayForm("int32", part, below="labels") for part in PARTS},
        **{f"{part}-weights": ArrayForm("float64", part, optional=True) for part in PARTS},
    },
    {"notes": [str], "labels": [(str, Integral)], "sizes": {part: [int] for part in PARTS}},
    {"labels": _n_labels, **{part: _n_rows(part) for part in PARTS}},
)
SAMPLE = StepForm(TEXTS, {"fingerprint": str})
DRAWN = StepForm(TEXTS)
KEPT = StepForm({})
WORDS = StepForm(
    {
        "bytes": ArrayForm("uint8", "bytes"),
        "ends": ArrayForm("int64", "words", ends_of="bytes"),
        "df": ArrayForm("uint32", "words 2"),
    }
)


def ngrams_form(n_before: int, n_words: int) -> StepForm:
    """N-grams that each extend one of `n_before` by one of `n_words` words."""
    keys = ArrayForm("uint64", "ngrams", halves=(n_before, n_words), ascending=True)
    return StepForm({"keys": keys, "df": ArrayForm("uint32", "ngrams 2")})


def rows_form(n_rows: int) -> StepForm:
    """How many values each of the rows has."""
    return StepForm({"sizes": ArrayForm("int32", f"{n_rows}", below=2**31)})
