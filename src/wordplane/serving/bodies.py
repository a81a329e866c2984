"""What clients send as JSON, checked field by field."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, NoReturn

from wordplane.common.types import Label
from wordplane.data.columns import FIELD_KIND
from wordplane.data.vectors import MAX_NUMBER, VECTOR_KIND
from wordplane.serving.options import Limits
from wordplane.serving.problems import Problem, shorten
from wordplane.text.fields import BETWEEN

OPTIONS = {"model", "top_k", "threshold", "coverage", "known"}
PREDICT_FIELDS = {"text", "texts", "rows", *OPTIONS}
EXPLAIN_FIELDS = {"model", "text", "row", "label", "top_k", "flip"}
EXPLAINED_FEATURES, MAX_EXPLAINED = 100, 10_000
EXPLAINED_LENGTH = 100_000  # characters: every character has several features
FEEDBACK_FIELDS = {"model", "id", "text", "row", "label"}
LARGEST = sys.float_info.max


@dataclass(slots=True)
class PredictOptions:
    """What to say about every text.

    model      the name of the model; None is the default
    top_k      so many labels with their probabilities, the likeliest first
    threshold  no label below this probability
    coverage   a set of labels that contains the true one with this probability
    known      the share of the text that the model knows, and whether the text is unlike those it
               was trained on
    """

    model: str | None = None
    top_k: int | None = None
    threshold: float | None = None
    coverage: float | None = None
    known: bool = False

    @property
    def changes_rows(self) -> bool:
        """Whether rows have more or other values than id, label and probability."""
        return self.known or not (self.top_k is self.threshold is self.coverage is None)


@dataclass(slots=True)
class PredictBody:
    """The texts of a request, with their ids and the columns beside them."""

    texts: list[str]
    ids: list[str] | None
    columns: dict[str, list[Any]]
    options: PredictOptions


@dataclass(slots=True)
class ExplainBody:
    text: str
    columns: dict[str, list[Any]]
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
    columns: dict[str, Any] = field(default_factory=dict)


def parse_json(body: bytes) -> dict[str, Any]:
    """The object that a body is."""
    try:
        value = decode_json(body.decode())
    except UnicodeDecodeError as error:
        raise Problem(
            "not-json",
            f"byte {error.start} of the body is not UTF-8",
            advice="send JSON in UTF-8",
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


def predict_body(given: dict[str, Any], limits: Limits, kinds: Mapping[str, str]) -> PredictBody:
    """The texts to predict; `kinds` are those of the columns that the model needs."""
    if given.keys() - PREDICT_FIELDS:
        _refuse_unknown(given, PREDICT_FIELDS)
    forms = [name for name in ("text", "texts", "rows") if name in given]
    if len(forms) != 1:
        found = " and ".join(forms) or "none"
        raise Problem(
            "invalid-field",
            f"the body has {found} of text, texts and rows, expected one of them",
            field="/text",
            advice='send {"text": "..."}, {"texts": ["...", ...]} or {"rows": [{"text": "..."}]}',
        )
    options = predict_options(given)
    form = forms[0]
    if form != "rows" and kinds:
        raise Problem(
            "invalid-field",
            f"the model {_also(kinds)}needs the columns {', '.join(kinds)}",
            field=f"/{form}",
            advice=f'send {{"rows": [{_example(kinds)}]}}',
        )
    if form == "text":
        return PredictBody([_text(given["text"], "/text", limits)], None, {}, options)
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
        return PredictBody(rows, None, {}, options)
    texts, ids, columns = _rows(rows, limits, kinds)
    return PredictBody(texts, ids, columns, options)


def _rows(
    rows: list[Any], limits: Limits, kinds: Mapping[str, str]
) -> tuple[list[str], list[str], dict[str, list[Any]]]:
    texts, ids = [], []
    columns: dict[str, list[Any]] = {name: [] for name in kinds}
    for i, row in enumerate(rows):
        text, values = _row(row, f"/rows/{i}", limits, kinds)
        texts.append(text)
        ids.append(_id(row.get("id", str(i + 1)), f"/rows/{i}/id"))
        for name, value in values.items():
            columns[name].append(value)
    return texts, ids, columns


def _row(
    row: Any, where: str, limits: Limits, kinds: Mapping[str, str]
) -> tuple[str, dict[str, Any]]:
    """The text of a row and the columns that the model needs. Others are ignored."""
    if type(row) is not dict:
        _wrong(where, row, "an object with a text")
    values: dict[str, Any] = {}
    fields = [name for name, kind in kinds.items() if kind == FIELD_KIND]
    if fields:
        values = {name: _text(row.get(name), f"{where}/{name}", limits) for name in fields}
        text = BETWEEN.join(values.values())
    else:
        text = _text(row.get("text"), f"{where}/text", limits)
    for name, kind in kinds.items():
        value = row.get(name)
        if kind == FIELD_KIND:
            continue
        if kind == VECTOR_KIND:
            values[name] = _vector(value, f"{where}/{name}")
            continue
        if type(value) in (int, float) and not abs(value) <= LARGEST:  # type: ignore[arg-type]
            _wrong(f"{where}/{name}", value, f"a number of at most {LARGEST:.4g}")
        if kind == "number" and type(value) not in (int, float):
            _wrong(f"{where}/{name}", value, "a number")
        if kind != "number" and type(value) not in (str, int, float, bool, type(None)):
            _wrong(f"{where}/{name}", value, "a string")
        values[name] = value
    return text, values


def _vector(value: Any, where: str) -> list[float]:
    """A list of numbers; whether there are as many as the model needs, it says itself."""
    if type(value) is not list or not value:
        _wrong(where, value, "a list of numbers")
    for number in value:
        if type(number) not in (int, float) or not abs(number) <= MAX_NUMBER:
            _wrong(where, number, f"numbers of at most {MAX_NUMBER:g} in size")
    return list(value)


def predict_options(given: Mapping[str, Any]) -> PredictOptions:
    """The options among the fields of a body."""
    model, top_k = given.get("model"), given.get("top_k")
    threshold, coverage = given.get("threshold"), given.get("coverage")
    known = given.get("known")
    if model is not None and type(model) is not str:
        _wrong("/model", model, "the name of a model")
    if top_k is not None and (type(top_k) is not int or top_k < 1):
        _wrong("/top_k", top_k, "a whole number from 1 up")
    if threshold is not None and not _is_share(threshold):
        _wrong("/threshold", threshold, "a probability: a number from 0 to 1")
    if coverage is not None and not (_is_share(coverage) and 0 < coverage < 1):
        _wrong("/coverage", coverage, "a probability: a number between 0 and 1")
    if known is not None and type(known) is not bool:
        _wrong("/known", known, "true or false")
    return PredictOptions(
        model,
        top_k,
        None if threshold is None else float(threshold),
        None if coverage is None else float(coverage),
        bool(known),
    )


def explain_body(given: dict[str, Any], limits: Limits, kinds: Mapping[str, str]) -> ExplainBody:
    """The text to explain."""
    if given.keys() - EXPLAIN_FIELDS:
        _refuse_unknown(given, EXPLAIN_FIELDS)
    limits = replace(limits, max_length=min(limits.max_length, EXPLAINED_LENGTH))
    text, values = _text_or_row(given, limits, kinds)
    label, flip = given.get("label"), given.get("flip", True)
    if label is not None and type(label) not in (str, int, bool):
        _wrong("/label", label, "a label")
    if type(flip) is not bool:
        _wrong("/flip", flip, "true or false")
    top_k = given.get("top_k", EXPLAINED_FEATURES)
    if type(top_k) is not int or not 1 <= top_k <= MAX_EXPLAINED:
        _wrong("/top_k", top_k, f"a whole number from 1 to {MAX_EXPLAINED:,}")
    columns = {name: [value] for name, value in values.items()}
    return ExplainBody(text, columns, _model(given), label, top_k, flip)


def feedback_body(given: dict[str, Any], limits: Limits, kinds: Mapping[str, str]) -> FeedbackBody:
    """A text, or the id that the server gave it, and the right label."""
    if given.keys() - FEEDBACK_FIELDS:
        _refuse_unknown(given, FEEDBACK_FIELDS)
    if "label" not in given:
        _wrong("/label", None, "the right label")
    label = given["label"]
    labels = label if type(label) is list else [label]
    for one in labels:
        if type(one) not in (str, int, bool):
            _wrong("/label", label, "a label, or a list of labels if the model is multi-label")
        _check_unicode(str(one), "/label")
    id = given.get("id")
    if id is not None:
        id = _id(id, "/id")
    if "text" not in given and "row" not in given:
        if id is None:
            _wrong("/text", None, "the text, or the id that the server gave it")
        return FeedbackBody(label, _model(given), id, None)
    text, values = _text_or_row(given, limits, kinds)
    return FeedbackBody(label, _model(given), id, text, values)


def _text_or_row(
    given: dict[str, Any], limits: Limits, kinds: Mapping[str, str]
) -> tuple[str, dict[str, Any]]:
    if "row" in given and "text" not in given:
        return _row(given["row"], "/row", limits, kinds)
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


def model_name(given: Mapping[str, Any]) -> str | None:
    """The name of the model that a body asks for."""
    return _model(given)


def _model(given: Mapping[str, Any]) -> str | None:
    name = given.get("model")
    if name is not None and type(name) is not str:
        _wrong("/model", name, "the name of a model")
    return name


def _text(text: Any, where: str, limits: Limits) -> str:
    if type(text) is not str:
        _wrong(where, text, "a string")
    if len(text) > limits.max_length:
        raise Problem(
            "text-too-long",
            f"the text has {len(text):,} characters, at most {limits.max_length:,} are allowed",
            field=where,
            advice="cut the text; predictions have the limit --max-length",
        )
    return str(text)


def _id(value: Any, where: str) -> str:
    if type(value) not in (str, int) or len(str(value)) > 256:
        _wrong(where, value, "a string of at most 256 characters, or a whole number")
    _check_unicode(str(value), where)
    return str(value)


def _check_unicode(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        _wrong(where, text, "Unicode text without lone surrogates")


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1


def _wrong(where: str, found: Any, expected: str) -> NoReturn:
    name = where.removeprefix("/").replace("/", ".")
    what = "is missing" if found is None else f"is {shorten(found)}"
    raise Problem(
        "invalid-field",
        f"{name} {what}, expected {expected}",
        field=where,
        advice="see /openapi.json",
    )


def _refuse_unknown(given: dict[str, Any], known: set[str]) -> NoReturn:
    name = min(given.keys() - known)
    near = get_close_matches(name, known, n=1)
    fields = ", ".join(sorted(known))
    raise Problem(
        "invalid-field",
        f"there is no field {shorten(name)}",
        field="/" + name.replace("~", "~0").replace("/", "~1"),
        advice=f"did you mean {near[0]}?" if near else f"the fields are: {fields}",
    )
