"""The description of the interface that /openapi.json gives: OpenAPI 3.1, true of every answer."""

import json
from collections.abc import Mapping
from functools import lru_cache

import wordplane
from wordplane.common.types import JsonObject
from wordplane.serving.bodies import EXPLAINED_FEATURES, EXPLAINED_LENGTH, MAX_EXPLAINED
from wordplane.serving.problems import KINDS, MEDIA_TYPE, TYPE
from wordplane.serving.settings import Limits

Json = Mapping[str, object]

LABEL_FORMS: list[Json] = [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]
LABEL: Json = {"anyOf": LABEL_FORMS}
SHARE: Json = {"type": "number", "minimum": 0, "maximum": 1}
STRING: Json = {"type": "string"}
COUNT: Json = {"type": "integer", "minimum": 0}
BOOLEAN: Json = {"type": "boolean"}
NUMBER: Json = {"type": "number"}
ID: Json = {"anyOf": [{"type": "string", "maxLength": 256}, {"type": "integer"}]}
# What may happen to any request.
ALWAYS = ("bad-request", "wrong-host", "slow-request", "head-too-large", "too-many-requests")
ALWAYS_POST = ("not-json", "body-too-large", "wrong-media-type", "invalid-field", "unknown-model")


@lru_cache(maxsize=4)
def openapi_document(limits: Limits, has_token: bool) -> bytes:
    """The document as JSON."""
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Wordplane",
            "version": wordplane.__version__,
            "description": "Text classification with linear models. Every input row yields one "
            "output row, in order.",
        },
        "paths": _paths(limits, has_token),
        "components": {
            "schemas": _schemas(limits),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return json.dumps(document).encode()


def _paths(limits: Limits, has_token: bool) -> Json:
    posts = {
        "/v1/predict": _operation(
            "Predict the label of a text, a list of texts, or rows.",
            has_token,
            body={
                "application/json": {"schema": _reference("PredictRequest")},
                "text/csv": {"schema": STRING, "example": "id,text\n1,great film\n"},
                "application/jsonl": {"schema": STRING, "example": '{"text": "great film"}\n'},
            },
            answers={
                "application/json": {"schema": _reference("PredictAnswer")},
                "text/csv": {"schema": STRING},
                "application/jsonl": {"schema": STRING},
            },
            parameters=_stream_parameters(),
            problems=(
                *ALWAYS_POST,
                *("too-many-texts", "text-too-long", "invalid-rows", "too-slow", "no-room"),
            ),
        ),
        "/v1/explain": _operation(
            "Explain the label of a text: words with offsets, and the words that would flip it.",
            has_token,
            body={"application/json": {"schema": _reference("ExplainRequest")}},
            answers={"application/json": {"schema": _reference("Explanation")}},
            problems=(*ALWAYS_POST, "text-too-long", "invalid-rows", "too-slow", "no-room"),
        ),
        "/v1/feedback": _operation(
            "Tell the right label of a text. It is on disk when the answer comes.",
            has_token,
            body={"application/json": {"schema": _reference("FeedbackRequest")}},
            answers={"application/json": {"schema": _reference("FeedbackAnswer")}},
            problems=(
                *ALWAYS_POST,
                *("text-too-long", "invalid-rows", "unknown-id", "no-feedback", "no-room"),
                "feedback-full",
            ),
        ),
    }
    gets = {
        "/v1/models": ("The models, the default one first.", _reference("Models"), has_token),
        "/healthz": ("Whether the process works.", _reference("Health"), False),
        "/readyz": ("Whether requests can come.", _reference("Health"), False),
        "/metrics": ("Counters, for Prometheus.", None, has_token),
        "/openapi.json": ("This document.", {"type": "object"}, False),
    }
    paths: JsonObject = {path: {"post": operation} for path, operation in posts.items()}
    for path, (summary, schema, needs_token) in gets.items():
        media_type = "text/plain" if schema is None else "application/json"
        problems = ("stopping",) if path == "/readyz" else ()
        answers = {media_type: {"schema": schema or STRING}}
        paths[path] = {"get": _operation(summary, needs_token, answers=answers, problems=problems)}
    return paths


def _operation(
    summary: str,
    has_token: bool,
    *,
    answers: Json,
    problems: tuple[str, ...] = (),
    body: Json | None = None,
    parameters: list[Json] | None = None,
) -> Json:
    statuses: dict[int, list[str]] = {}
    for kind in (*ALWAYS, *problems, *(["no-token"] if has_token else [])):
        statuses.setdefault(KINDS[kind][0], []).append(kind)
    responses: JsonObject = {"200": {"description": "The answer.", "content": answers}}
    for status, kinds in sorted(statuses.items()):
        titles = " or ".join(f"{KINDS[kind][1]} ({kind})" for kind in kinds)
        responses[str(status)] = {
            "description": f"{titles}.",
            "content": {MEDIA_TYPE: {"schema": _reference("Problem")}},
        }
    operation: JsonObject = {"summary": summary, "responses": responses}
    if body is not None:
        operation["requestBody"] = {"required": True, "content": body}
    if parameters:
        operation["parameters"] = parameters
    if has_token:
        operation["security"] = [{"token": []}]
    return operation


def _options() -> dict[str, tuple[Json, str]]:
    """What a prediction may be asked for, in a body or a query."""
    return {
        "model": (STRING, "The name of the model; else the first."),
        "top_k": ({"type": "integer", "minimum": 1}, "So many labels with their probabilities."),
        "min_confidence": (_between(), "No label below this probability."),
        "set_confidence": (_between(), "A set that has the true label with this probability."),
        "known": (BOOLEAN, "The share of the words that the model knows."),
    }


def _stream_parameters() -> list[Json]:
    described = {
        **_options(),
        "text": (STRING, "The column of the texts; by default it is guessed."),
        "id": (STRING, "The column of the ids; by default it is guessed."),
        "keep": (BOOLEAN, "Answer with all columns of the rows."),
        "escape_formulas": (
            BOOLEAN,
            "Put ' before cells of CSV that a spreadsheet would run (default: true).",
        ),
    }
    return [
        {"name": name, "in": "query", "schema": schema, "description": f"Of CSV and JSONL. {text}"}
        for name, (schema, text) in described.items()
    ]


def _between() -> Json:
    return {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: Json, optional: Json | None = None, *, closed: bool = True) -> Json:
    schema: Json = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }
    return {**schema, "additionalProperties": False} if closed else schema


def _nullable(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(schema: Json, **more: object) -> Json:
    return {"type": "array", "items": schema, **more}


def _one_of_forms(forms: Json, options: Json) -> Json:
    """One of several required fields, besides options."""
    return {"oneOf": [_object({name: schema}, options) for name, schema in forms.items()]}


def _schemas(limits: Limits) -> Json:
    text = {"type": "string", "maxLength": limits.max_length}
    chance = _object({"label": LABEL, "probability": SHARE})
    options = {
        name: {**_nullable(schema), "description": description}
        for name, (schema, description) in _options().items()
    }
    return {
        "Label": LABEL,
        "PredictRequest": _predict_request(text, options, limits.max_texts),
        "PredictAnswer": _predict_answer(),
        "ExplainRequest": _explain_request(options["model"], limits),
        "Explanation": _explanation(chance),
        "FeedbackRequest": _feedback_request(text, options["model"]),
        "FeedbackAnswer": _object(
            {
                "number": COUNT,
                "model": STRING,
                "label": _label_or_list(),
                "predicted": _label_or_list(),
            }
        ),
        "Models": _object({"models": _list(_card(), minItems=1), "feedback": BOOLEAN}),
        "Health": _object({"status": STRING}, {"models": _list(STRING)}),
        "Problem": _object(
            {
                "type": {"type": "string", "enum": [TYPE + kind for kind in KINDS]},
                "title": STRING,
                "status": {"type": "integer"},
                "detail": STRING,
            },
            {"field": STRING, "advice": STRING, "request_id": STRING},
        ),
    }


def _predict_request(text: Json, options: Json, max_texts: int) -> Json:
    row = _object({"text": text}, {"id": ID}, closed=False)
    texts, rows = _list(text, maxItems=max_texts), _list(row, maxItems=max_texts)
    return _one_of_forms({"text": text, "texts": texts, "rows": rows}, options)


def _predict_answer() -> Json:
    more = {
        "known": SHARE,
        "unfamiliar": BOOLEAN,
        "top_labels": _list(LABEL),
        "top_probabilities": _list(SHARE),
        "label_set": _list(LABEL),
    }
    one = {"id": STRING, "label": _nullable(LABEL), "probability": SHARE}
    several = {"id": STRING, "labels": _list(LABEL), "probabilities": _list(SHARE)}
    row: Json = {"anyOf": [_object(one, more), _object(several, more)]}
    return _object({"model": STRING, "rows": _list(row)})


def _explain_request(model: Json, limits: Limits) -> Json:
    text = {"type": "string", "maxLength": min(limits.max_length, EXPLAINED_LENGTH)}
    top_k = {
        "type": "integer",
        "minimum": 1,
        "maximum": MAX_EXPLAINED,
        "default": EXPLAINED_FEATURES,
    }
    flip = {**BOOLEAN, "default": True}
    return _one_of_forms(
        {"text": text, "row": _object({"text": text}, closed=False)},
        {"model": model, "label": _nullable(LABEL), "top_k": top_k, "flip": flip},
    )


def _feedback_request(text: Json, model: Json) -> Json:
    label, row = _label_or_list(), _object({"text": text}, closed=False)
    optional = {"id": _nullable(ID), "model": model}
    return {
        "oneOf": [
            _object({"label": label, "text": text}, optional),
            _object({"label": label, "row": row}, optional),
            _object({"label": label, "id": ID}, {"model": model}),
        ]
    }


def _label_or_list() -> Json:
    return {"anyOf": [*LABEL_FORMS, _list(LABEL)]}


def _explanation(chance: Json) -> Json:
    place = _nullable(COUNT)
    return _object(
        {
            "model": STRING,
            "label": LABEL,
            "probability": SHARE,
            "score": NUMBER,
            "bias": NUMBER,
            "probabilities": _list(chance),
            "words": _list(_object({"start": COUNT, "end": COUNT, "weight": NUMBER})),
            "contributions": _list(
                _object({"feature": STRING, "start": place, "end": place, "value": NUMBER})
            ),
            "flip": _nullable(
                _object(
                    {
                        "words": _list(STRING),
                        "label": LABEL,
                        "text": STRING,
                        "is_smallest": BOOLEAN,
                    }
                )
            ),
        }
    )


def _card() -> Json:
    word = _object({"word": STRING, "weight": NUMBER})
    return _object(
        {
            "name": STRING,
            "digest": STRING,
            "loaded": {"type": "string", "format": "date-time"},
            "labels": _list(LABEL),
            "multilabel": BOOLEAN,
            "resumable": BOOLEAN,
            "columns": {"type": "object", "additionalProperties": STRING},
            "conformal": BOOLEAN,
            "features": COUNT,
            "learner": STRING,
            "texts": _nullable(COUNT),
            "source": _nullable(STRING),
            "tested_on": _nullable(STRING),
            "accuracy": _nullable(
                _object({"value": SHARE, "low": SHARE, "high": SHARE, "texts": NUMBER})
            ),
            "scores": _nullable({"type": "object"}),
            "top_words": _list(_object({"label": LABEL, "words": _list(word)})),
        }
    )
