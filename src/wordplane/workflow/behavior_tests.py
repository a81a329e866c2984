"""Tests of what a model does when a text is changed, written in a TOML file (see EXAMPLE).

What to expect of the changed text: the `same` label, a `different` one, or that a label is `more
LABEL` or `less LABEL` probable than before. `pairs = [[TEXT, CHANGED], ...]` gives changed texts
one by one. Without a change, `expect = "label LABEL"` asks for a label. `allow = 0.05` lets 5 % of
the cases fail.

The three kinds of tests are those of Ribeiro et al. (2020), "Beyond accuracy".
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from shlex import quote

from wordplane.common.errors import InputError
from wordplane.common.parameters import refuse_string
from wordplane.common.toml import read_toml
from wordplane.common.types import Label

EXAMPLE = """\
[[test]]
name = "names do not matter"
texts = ["Anna loved it", "a present for Anna"]   # or: data = "reviews.csv"
swap = ["Anna", "Ahmed", "Wei"]                   # each by every other
expect = "same"

[[test]]
name = "'not' weakens praise"
texts = ["a good film", "a great story"]
replace = {good = "not good", great = "not great"}
expect = "less positive"
"""
COMPARED = ("same", "different", "more", "less")
MAX_SEARCHED = 10**9  # characters in which words are looked for, all words together
MAX_CHANGED = 10**8  # characters of the changed texts


@dataclass(frozen=True)
class BehaviorTest:
    """A table of the file."""

    name: str
    expect: str
    texts: Sequence[str] = ()
    data: str | None = None
    swap: Sequence[str] = ()
    replace: Mapping[str, str] | None = None
    pairs: Sequence[Sequence[str]] = ()
    allow: float = 0.0

    @property
    def kind(self) -> str:
        """The first word of what is expected."""
        return self.expect.partition(" ")[0]

    def label(self, classes: Sequence[Label]) -> Label | None:
        """The label that is named after it, if one must be."""
        if self.kind in ("same", "different"):
            return None
        name = self.expect.partition(" ")[2]
        meant = [label for label in classes if str(label) == name]
        if not meant:
            known = ", ".join(map(repr, classes))
            raise InputError(f"the model has no label {name!r}; it knows {known}")
        return meant[0]

    def check(self) -> None:
        """Refuse what cannot be meant."""
        refuse_string("`texts`", self.texts, "texts")
        refuse_string("`swap`", self.swap, "words")
        named = bool(self.expect.partition(" ")[2])
        if self.kind not in (*COMPARED, "label") or named == (self.kind in ("same", "different")):
            raise InputError(
                f"`expect` is {self.expect!r}, expected 'same', 'different', 'more LABEL', "
                "'less LABEL' or 'label LABEL'"
            )
        changes = sum(bool(way) for way in (self.swap, self.replace, self.pairs))
        if changes != (self.kind != "label"):
            wanted = "no" if self.kind == "label" else "one"
            raise InputError(
                f"{changes} of `swap`, `replace` and `pairs`, expected {wanted} change"
            )
        if bool(self.texts) + (self.data is not None) != (not self.pairs):
            raise InputError("expected either `texts` or `data`, and neither with `pairs`")
        if not 0 <= self.allow < 1:
            raise InputError(f"`allow` is {self.allow}, expected a share from 0 to below 1")

    def cases(self, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Texts and their changed forms; the same text twice where nothing is changed."""
        if self.pairs:
            yield from ((before, after) for before, after in self.pairs)
        elif self.kind == "label":
            yield from ((text, text) for text in texts)
        else:
            yield from self._changed(texts)

    def _changed(self, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
        changes = list((self.replace or {}).items())
        changes += [(one, other) for one in self.swap for other in self.swap if one != other]
        if len(changes) * sum(map(len, texts)) > MAX_SEARCHED:
            raise InputError(
                f"{len(changes):,} changes of {sum(map(len, texts)):,} characters are more than "
                f"{MAX_SEARCHED:,} characters to look for words in; use fewer words or texts"
            )
        n_characters = 0
        for text in texts:
            for word, other in changes:
                if not (n_found := text.count(word)):
                    continue
                n_characters += len(text) + n_found * len(other)
                if n_characters > MAX_CHANGED:
                    raise InputError(
                        f"the changed texts have more than {MAX_CHANGED:,} characters; use fewer "
                        "words or texts"
                    )
                if (changed := replace_word(text, word, other)) != text:
                    yield text, changed


def replace_word(text: str, word: str, other: str) -> str:
    """Put another word in the place of one, wherever that stands by itself. Scripts without capital
    letters may have no spaces around words, so that theirs need not.

    >>> replace_word("Anna likes Annabel", "Anna", "Wei")
    'Wei likes Annabel'
    """
    pattern = re.escape(word)
    if word.upper() != word.lower():
        pattern = rf"(?<!\w){pattern}(?!\w)"
    return re.sub(pattern, lambda _: other, text)


def read_tests(path: str | PathLike[str]) -> list[BehaviorTest]:
    """The tests of a file."""
    path = fspath(path)
    try:
        tables = read_toml(path)
    except InputError as error:
        if path.endswith(".toml") or not Path(path).is_file():
            raise
        raise InputError(
            f"{error}. Tests of behavior are tables of a TOML file (see docs/verbs/_check.md); to "
            f"measure a model on labeled texts: wordplane evaluate MODEL {quote(path)}"
        ) from None
    given = tables.get("test")
    if set(tables) != {"test"} or not isinstance(given, list) or not given:
        raise InputError(f"{path}: expected tables [[test]] and nothing else")
    return [_as_test(table, f"{path}, test {number}") for number, table in enumerate(given, 1)]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_pairs(value: object) -> bool:
    return isinstance(value, list) and all(_are_texts(one) and len(one) == 2 for one in value)


KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "name": (_is_text, "a string"),
    "expect": (_is_text, "a string"),
    "data": (_is_text, "a string"),
    "texts": (_are_texts, "a list of strings"),
    "swap": (_are_texts, "a list of strings"),
    "replace": (
        lambda value: isinstance(value, dict) and _are_texts(list(value.values())),
        "a table of strings",
    ),
    "pairs": (_are_pairs, "a list of pairs of strings"),
    "allow": (lambda value: isinstance(value, int | float), "a number"),
}


def _as_test(table: object, where: str) -> BehaviorTest:
    if not isinstance(table, dict):
        raise InputError(f"{where}: expected a table [[test]]")
    for key, value in table.items():
        if key not in KEYS:
            raise InputError(f"{where}: {key!r} is unknown, expected {', '.join(KEYS)}")
        is_right, words = KEYS[key]
        if not is_right(value):
            raise InputError(f"{where}: `{key}` is {value!r}, expected {words}")
    for key in ("name", "expect"):
        if key not in table:
            raise InputError(f"{where}: there is no `{key}`")
    test = BehaviorTest(**table)
    try:
        test.check()
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return test
