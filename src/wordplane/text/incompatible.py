"""Parameters of an analyzer that do not go together."""

from collections.abc import Mapping

from wordplane.common.errors import InputError
from wordplane.text.checks import check_range
from wordplane.text.feature_choice import check_hash_bits
from wordplane.text.fields import check_fields
from wordplane.text.tokens import WORD_TOKENS

OF_WORDS = ("negation", "prefixes", "suffixes", "shapes", "lengths", "known_words")
# With hashing, a feature has no column of its own that could be left out or paired.
BY_COLUMN = {"min_df": 1, "max_df": 1.0, "max_features": None, "select": None, "conjoin": None}


def check_together(given: Mapping[str, object]) -> None:
    """Raise an InputError if two of an analyzer's parameters do not go together."""
    of_words = [name for name in OF_WORDS if given[name]]
    if given["tokens"] not in WORD_TOKENS and of_words:
        raise InputError(
            f"`tokens` is {given['tokens']!r}, but `{of_words[0]}` needs 'words': leave out either"
        )
    if given["tokens"] == "counts":
        _check_counts(given)
    if check_hash_bits(given["hash_bits"]):
        _check_hashing(given)
    if check_fields(given["fields"]):
        _check_with_fields(given)


def _check_counts(given: Mapping[str, object]) -> None:
    ngrams = given["ngrams"]
    if ngrams is None or check_range("ngrams", ngrams)[1] > 1 or given["boundaries"]:  # type: ignore[arg-type]
        raise InputError(
            "word:count texts have no order of words; use `ngrams=(1, 1)` without `boundaries`"
        )
    if any(given[name] for name in (*OF_WORDS, "chars", "triggers", "normalize")):
        raise InputError(
            "word:count texts have words only; leave out `negation`, `chars`, `prefixes`, "
            "`suffixes`, `shapes`, `lengths`, `known_words`, `triggers` and `normalize`"
        )


def _check_hashing(given: Mapping[str, object]) -> None:
    for name, usual in BY_COLUMN.items():
        if given[name] != usual:
            raise InputError(
                f"`hash_bits` leaves no feature a column of its own: leave out `{name}`"
            )
    of_tokens = [name for name in (*OF_WORDS, "triggers") if given[name] and name != "negation"]
    if of_tokens:
        raise InputError(f"`hash_bits` is for words and characters: leave out `{of_tokens[0]}`")


def _check_with_fields(given: Mapping[str, object]) -> None:
    if given["hash_bits"] is not None:
        raise InputError("`hash_bits` cannot keep `fields` apart: leave out either")
    if given["tf"] == "relative":
        raise InputError("`tf` 'relative' is for one text, not for `fields`: leave out either")
    columns = given["columns"] if isinstance(given["columns"], Mapping) else {}
    both = [name for name in check_fields(given["fields"]) if name in columns]
    if both:
        raise InputError(f"the column {both[0]!r} is in `fields` and in `columns`, expected once")
