"""Fields: columns of text that are feature spaces of their own.

A word in the title is another feature than the same word in the body, and no n-gram runs from one
into the other. Every field is read in the same way. The text of a document with fields is that of
its fields with line breaks between them; it is what is shown, and where words are found in it.

The parts of the features that count are called words, chars and tokens; those of the fields
field0.words, field1.words and so on, by the number of the field.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from wordplane.common.errors import InputError
from wordplane.data.columns import FIELD_KIND as FIELD_KIND
from wordplane.text.checks import check_number, check_text

FieldsLike: TypeAlias = str | Iterable[str] | Mapping[str, float] | None

BETWEEN = "\n"  # of the fields of a text
MAX_FIELDS = 100
_OF_FIELD = re.compile(r"field([0-9]{1,3})\.(.+)", re.DOTALL)


class OfField(NamedTuple):
    """What belongs to a field by its number, or if that is None, to the text."""

    field: int | None
    kind: str


def name_of_field(field: int, kind: str) -> str:
    """The name of a part, or of a group of features, of a field.

    >>> name_of_field(1, "words")
    'field1.words'
    """
    return f"field{field}.{kind}"


def parse_part(name: str) -> OfField:
    """The field and the kind of a part, or of a group of features.

    >>> parse_part("field1.words"), parse_part("words")
    (OfField(field=1, kind='words'), OfField(field=None, kind='words'))
    """
    match = _OF_FIELD.fullmatch(name)
    return OfField(None, name) if match is None else OfField(int(match[1]), match[2])


def check_fields(fields: object) -> dict[str, float]:
    """The weights of fields by name, checked.

    >>> check_fields(["title", "body"]), check_fields({"title": 2})
    ({'title': 1.0, 'body': 1.0}, {'title': 2.0})
    """
    if fields is None:
        return {}
    if isinstance(fields, str):
        fields = [fields]
    if not isinstance(fields, Iterable):
        raise InputError(f"`fields` is {fields!r:.60}, expected names of columns")
    weights = dict(fields) if isinstance(fields, Mapping) else {}
    names = [check_text("a field", name) for name in fields]
    if len(set(names)) < len(names):
        raise InputError(f"`fields` names {_repeated(names)!r} twice")
    if "" in names or len(names) > MAX_FIELDS:
        raise InputError(f"`fields` has {len(names)} names, expected at most {MAX_FIELDS}, none ''")
    checked = {}
    for name in names:
        checked[name] = check_number(f"the weight of the field {name!r}", weights.get(name, 1.0))
        if checked[name] <= 0:
            raise InputError(
                f"the weight of the field {name!r} is {checked[name]:g}, expected above 0"
            )
    return checked


def _repeated(names: list[str]) -> str:
    return next(name for i, name in enumerate(names) if name in names[:i])
