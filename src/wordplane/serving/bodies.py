"""What clients send as JSON, checked field by field."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import NoReturn, TypeGuard

from wordplane.common.types import JsonObject, Label
from wordplane.data.columns import FIELD_KIND
from wordplane.data.vectors import MAX_NUMBER, VECTOR_KIND
from wordplane.serving.encodings import EXAMPLES, known_encoding
from wordplane.serving.problems import Problem, shorten
from wordplane.serving.settings import Limits
from wordplane.text.documents import TextsLike
from wordplane.text.fields import BETWEEN
from wordplane.workflow.wanted import Wanted

OPTIONS = {"top_k", "min_confidence", "set_confidence", "known"}
PREDICT_FIELDS = {"text", "texts", "rows", "model", *OPTIONS}
EXPLAIN_FIELDS = {"model", "text", "row", "label", "top_k", "flip"}
EXPLAINED_FEATURES, MAX_EXPLAINED = 100, 10_000
EXPLAINED_LENGTH = 100_000  # characters: every character has several features
FEEDBACK_FIELDS = {"model", "id", "text", "row", "label"}
MAX_TOP_K = 1_000_000
LARGEST = sys.float_info.max
PLAIN = Wanted()  # the label and its probability

Columns = dict[str, list[object]]  # the values of each column


@dataclass(slots=True)
class PredictBody:
    """The texts of a request, with their ids and the other columns that the model needs."""

    texts: list[str]
    ids: list[str] | None
    columns: Columns
    wanted: Wanted


@dataclass(slots=True)
class ExplainBody:
    text: str
    columns: Columns
    model: str | None
    label: Label | None
    top_k: int
    flip: bool


@dataclass(slots=True)
class FeedbackBody:
    label: Label | list[Label]
    model: str | None
    id: str | None
    text: str | None
    columns: JsonObject = field(default_factory=dict)


def documents(texts: list[str], columns: Columns) -> TextsLike:
    """What a model takes: texts, or columns."""
    return {"text": texts, **columns} if columns else texts


def parse_json(body: bytes, charset: str | None = None) -> JsonObject:
    """The object that a body is, in UTF-8 unless its type names another encoding."""
    encoding = "utf-8" if charset is None else known_encoding(charset)
    if encoding is None:
        raise Problem(
            "wrong-media-type",
            f"the charset of the body is {shorten(charset)}, expected {EXAMPLES}",
            advice="send JSON in UTF-8",
        )
    try:
        value = decode_json(body.decode(encoding))
    except UnicodeDecodeError as error:
        raise Problem(
            "not-json",
            f"byte {error.start} of the body is not {encoding}",
            advice="send JSON in UTF-8, or name its encoding: "
            "Content-Type: application/json; charset=latin-1",
        ) from None
    except (ValueError, RecursionError) as error:
        raise Problem(
            "not-json", f"the body is not JSON: {error}", advice='send an object: {"text": "..."}'
        ) from None
    if type(value) is not dict:
        raise Problem(
            "not-json",
            f"the body is {shorten(value)}, expected an object",
            advice='send an object: {"text": "..."}',
        )
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


decode_json = json.JSONDecoder(parse_constant=_refuse_constant).decode


def predict_body(given: JsonObject, limits: Limits, kinds: Mapping[str, str]) -> PredictBody:
    """The texts to predict; `kinds` are those of the columns that the model needs."""
    if given.keys() - PREDICT_FIELDS:
        _refuse_unknown(given, PREDICT_FIELDS)
    forms = [name for name in ("text", "texts", "rows") if name in given]
    if len(forms) != 1:
        named = " and ".join(forms) or "none"
        raise Problem(
            "invalid-field",
            f"the body has {named} of text, texts and rows, expected one of them",
            field="/text",
            advice='send {"text": "..."}, {"texts": ["...", ...]} or {"rows": [{"text": "..."}]}',
        )
    wanted = wanted_of(given)
    form = forms[0]
    if form != "rows" and kinds:
        raise Problem(
            "invalid-field",
            f"the model {_also(kinds)}needs the columns {', '.join(kinds)}",
            field=f"/{form}",
            advice=f'send {{"rows": [{_example(kinds)}]}}',
        )
    if form == "text":
        return PredictBody([_text(given["text"], "/text", limits)], None, {}, wanted)
    rows = given[form]
    if type(rows) is not list:
        _wrong(f"/{form}", rows, "a list")
    if len(rows) > limits.max_texts:
        raise Problem(
            "too-many-texts",
            f"there are {len(rows):,} texts, at most {limits.max_texts:,} are allowed",
            field=f"/{form}",
            advice="send fewer at a time, or all of them as CSV or JSONL",
        )
    if form == "texts":
        for i, text in enumerate(rows):
            if type(text) is not str or len(text) > limits.max_length:
                _text(text, f"/texts/{i}", limits)
        return PredictBody(rows, None, {}, wanted)
    texts, ids, columns = _rows(rows, limits, kinds)
    return PredictBody(texts, ids, columns, wanted)


def _rows(
    rows: list[object], limits: Limits, kinds: Mapping[str, str]
) -> tuple[list[str], list[str], Columns]:
    texts, ids = [], []
    columns: Columns = {name: [] for name in kinds}
    for i, row in enumerate(rows):
        text, id, values = _row(row, f"/rows/{i}", limits, kinds)
        texts.append(text)
        ids.append(str(i + 1) if id is None else id)
        for name, value in values.items():
            columns[name].append(value)
    return texts, ids, columns


def _row(
    row: object, where: str, limits: Limits, kinds: Mapping[str, str]
) -> tuple[str, str | None, JsonObject]:
    """The text and the id of a row, and the columns that the model needs. Others are ignored."""
    if type(row) is not dict:
        _wrong(where, row, "an object with a text")
    names = [name for name, kind in kinds.items() if kind == FIELD_KIND]
    fields = {name: _text(row.get(name), f"{where}/{name}", limits) for name in names}
    text = BETWEEN.join(fields.values())
    if not fields:
        text = _text(row.get("text"), f"{where}/text", limits)
    values: JsonObject = {**fields}
    for name, kind in kinds.items():
        if kind != FIELD_KIND:
            values[name] = _value(row.get(name), kind, f"{where}/{name}")
    id = row.get("id")
    return text, None if id is None else _id(id, f"{where}/id"), values


def _value(value: object, kind: str, where: str) -> object:
    """A value of a column of this kind."""
    if kind == VECTOR_KIND:
        return _vector(value, where)
    if _is_number(value):
        if not abs(value) <= LARGEST:
            _wrong(where, value, f"a number of at most {LARGEST:.4g}")
    elif kind == "number":
        _wrong(where, value, "a number")
    elif type(value) not in (str, bool, type(None)):
        _wrong(where, value, "a string")
    return value


def _vector(value: object, where: str) -> list[float]:
    """A list of numbers; whether there are as many as the model needs, it says itself."""
    if type(value) is not list or not value:
        _wrong(where, value, "a list of numbers")
    for number in value:
        if not _is_number(number) or not abs(number) <= MAX_NUMBER:
            _wrong(where, number, f"numbers of at most {MAX_NUMBER:g} in size")
    return list(value)


def wanted_of(given: Mapping[str, object]) -> Wanted:
    """What to say about every text, from the options of a request."""
    if given.keys().isdisjoint(OPTIONS):
        return PLAIN
    top_k, known = given.get("top_k"), given.get("known")
    if top_k is not None and (type(top_k) is not int or not 1 <= top_k <= MAX_TOP_K):
        _wrong("/top_k", top_k, f"a whole number from 1 to {MAX_TOP_K:,}")
    if known is not None and type(known) is not bool:
        _wrong("/known", known, "true or false")
    return Wanted(
        top_k=top_k,
        min_confidence=_share(given.get("min_confidence"), "/min_confidence"),
        set_confidence=_share(given.get("set_confidence"), "/set_confidence"),
        known=bool(known),
    )


def _share(value: object, where: str) -> float | None:
    if value is not None and not (_is_number(value) and 0 < value < 1):
        _wrong(where, value, "a probability: a number between 0 and 1")
    return None if value is None else float(value)


def explain_body(given: JsonObject, limits: Limits, kinds: Mapping[str, str]) -> ExplainBody:
    """The text to explain."""
    if given.keys() - EXPLAIN_FIELDS:
        _refuse_unknown(given, EXPLAIN_FIELDS)
    limits = replace(limits, max_length=min(limits.max_length, EXPLAINED_LENGTH))
    text, values = _text_or_row(given, limits, kinds)
    label, flip = given.get("label"), given.get("flip", True)
    if label is not None and not _is_label(label):
        _wrong("/label", label, "a label")
    if type(flip) is not bool:
        _wrong("/flip", flip, "true or false")
    top_k = given.get("top_k", EXPLAINED_FEATURES)
    if type(top_k) is not int or not 1 <= top_k <= MAX_EXPLAINED:
        _wrong("/top_k", top_k, f"a whole number from 1 to {MAX_EXPLAINED:,}")
    columns = {name: [value] for name, value in values.items()}
    return ExplainBody(text, columns, model_name(given), label, top_k, flip)


def feedback_body(given: JsonObject, limits: Limits, kinds: Mapping[str, str]) -> FeedbackBody:
    """A text, or the id that the server gave it, and the right label."""
    if given.keys() - FEEDBACK_FIELDS:
        _refuse_unknown(given, FEEDBACK_FIELDS)
    if "label" not in given:
        _wrong("/label", None, "the right label")
    label = given["label"]
    labels: list[Label] = []
    for one in label if type(label) is list else [label]:
        if not _is_label(one):
            _wrong("/label", label, "a label, or a list of labels if the model is multi-label")
        _check_unicode(str(one), "/label")
        labels.append(one)
    right = labels if type(label) is list else labels[0]
    id = None if given.get("id") is None else _id(given["id"], "/id")
    if "text" not in given and "row" not in given:
        if id is None:
            _wrong("/text", None, "the text, or the id that the server gave it")
        return FeedbackBody(right, model_name(given), id, None)
    text, values = _text_or_row(given, limits, kinds)
    return FeedbackBody(right, model_name(given), id, text, values)


def _text_or_row(
    given: JsonObject, limits: Limits, kinds: Mapping[str, str]
) -> tuple[str, JsonObject]:
    if "row" in given and "text" not in given:
        text, _, values = _row(given["row"], "/row", limits, kinds)
        return text, values
    if "row" in given:
        _wrong("/row", given["row"], "either a text or a row")
    if kinds:
        raise Problem(
            "invalid-field",
            f"the model {_also(kinds)}needs the columns {', '.join(kinds)}",
            field="/text",
            advice=f'send {{"row": {_example(kinds)}}}',
        )
    return _text(given.get("text"), "/text", limits), {}


def _also(kinds: Mapping[str, str]) -> str:
    return "" if FIELD_KIND in kinds.values() else "also "


def _example(kinds: Mapping[str, str]) -> str:
    """How a row looks that the model can read."""
    return '{"COLUMN": value, ...}' if not _also(kinds) else '{"text": "...", "COLUMN": value}'


def model_name(given: Mapping[str, object]) -> str | None:
    """The name of the model that a body asks for."""
    name = given.get("model")
    if name is not None and type(name) is not str:
        _wrong("/model", name, "the name of a model")
    return name


def _text(text: object, where: str, limits: Limits) -> str:
    if type(text) is not str:
        _wrong(where, text, "a string")
    if len(text) > limits.max_length:
        raise Problem(
            "text-too-long",
            f"the text has {len(text):,} characters, at most {limits.max_length:,} are allowed",
            field=where,
            advice="cut the text; predictions have the limit --max-length",
        )
    return text


def _id(value: object, where: str) -> str:
    if type(value) not in (str, int) or len(str(value)) > 256:
        _wrong(where, value, "a string of at most 256 characters, or a whole number")
    _check_unicode(str(value), where)
    return str(value)


def _check_unicode(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        _wrong(where, text, "Unicode text without lone surrogates")


def _is_number(value: object) -> TypeGuard[int | float]:
    return type(value) in (int, float)


def _is_label(value: object) -> TypeGuard[Label]:
    return type(value) in (str, int, bool)


def _wrong(where: str, value: object, expected: str) -> NoReturn:
    name = where.removeprefix("/").replace("/", ".")
    what = "is missing" if value is None else f"is {shorten(value)}"
    raise Problem(
        "invalid-field",
        f"{name} {what}, expected {expected}",
        field=where,
        advice="see /openapi.json",
    )


def _refuse_unknown(given: JsonObject, known: set[str]) -> NoReturn:
    name = min(given.keys() - known)
    near = get_close_matches(name, known, n=1)
    fields = ", ".join(sorted(known))
    raise Problem(
        "invalid-field",
        f"there is no field {shorten(name)}",
        field="/" + name.replace("~", "~0").replace("/", "~1"),
        advice=f"did you mean {near[0]}?" if near else f"the fields are: {fields}",
    )
