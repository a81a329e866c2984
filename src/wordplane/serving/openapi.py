"""The description of the interface that /openapi.json gives: OpenAPI 3.1, true of every answer.

Every object has a name of its own (`openapi_schemas`), and every operation an id and a tag, so that
generators of clients make readable code of it.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import wordplane
from wordplane.common.types import JsonObject
from wordplane.serving.encodings import EXAMPLES
from wordplane.serving.openapi_schemas import BOOLEAN, OPTIONS, STRING, Json, reference, schemas
from wordplane.serving.problems import KINDS, MEDIA_TYPE
from wordplane.serving.settings import Limits

TAGS = {
    "predictions": "Labels or numbers of texts, and the reasons for them.",
    "feedback": "The right labels of texts.",
    "models": "What is served.",
    "operations": "For those who run the server.",
}
# What may happen to any request.
ALWAYS = ("bad-request", "wrong-host", "slow-request", "head-too-large", "too-many-requests")
ALWAYS_POST = (
    *("not-json", "body-too-large", "wrong-media-type", "wrong-encoding", "invalid-field"),
    *("unknown-model", "text-too-long", "invalid-rows", "no-room"),
)


class Operation(NamedTuple):
    """A path and a method of it."""

    id: str
    tag: str
    summary: str
    answers: Json  # by media type
    needs_token: bool = True
    problems: tuple[str, ...] = ()
    body: Json | None = None  # by media type
    parameters: tuple[Json, ...] = ()
    description: str = ""


@lru_cache(maxsize=4)
def openapi_document(limits: Limits, has_token: bool) -> bytes:
    """The document as JSON."""
    paths: JsonObject = {}
    for method, operations in (("post", _posts()), ("get", _gets())):
        for path, operation in operations.items():
            paths[path] = {method: _described(operation, has_token and operation.needs_token)}
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Wordplane",
            "version": wordplane.__version__,
            "description": "Text classification with linear models. Every input row yields one "
            "output row, in order.",
        },
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": schemas(limits),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return json.dumps(document).encode()


def _posts() -> dict[str, Operation]:
    return {
        "/v1/predict": Operation(
            *(
                "predict",
                "predictions",
                "Predict the label or number of a text, a list of texts, or rows.",
            ),
            answers={
                **_json("PredictAnswer"),
                "text/csv": {"schema": STRING},
                "application/jsonl": {"schema": STRING},
            },
            body={
                **_json("PredictRequest", {"text": "a great film"}),
                "text/csv": {"schema": STRING, "example": "id,text\n1,great film\n"},
                "application/jsonl": {"schema": STRING, "example": '{"text": "great film"}\n'},
            },
            problems=(*ALWAYS_POST, "too-many-texts", "answer-too-large", "too-slow"),
            parameters=_stream_parameters(),
            description="A file (CSV or JSONL) comes back in the same format, and the parameters "
            "are for files; in JSON, they are fields of the body. A text that is empty or only "
            "white space gets no label (null; an empty cell in CSV), unless the model also reads "
            "other columns.",
        ),
        "/v1/explain": Operation(
            *("explain", "predictions"),
            "Explain the label of a text: words with offsets, and the words that would flip it.",
            answers=_json("ExplainAnswer"),
            body=_json("ExplainRequest", {"text": "a great film"}),
            problems=(*ALWAYS_POST, "answer-too-large", "too-slow"),
        ),
        "/v1/feedback": Operation(
            *("send_feedback", "feedback"),
            "Tell the right label of a text. It is on disk when the answer comes.",
            answers=_json("FeedbackAnswer"),
            body=_json("FeedbackRequest", {"text": "not a great film", "label": "bad"}),
            problems=(*ALWAYS_POST, "unknown-id", "no-feedback", "feedback-full"),
        ),
    }


def _gets() -> dict[str, Operation]:
    health, own = _json("Health"), _json("Document")
    operators = "operations"
    return {
        "/v1/models": Operation(
            *("list_models", "models", "The models, the default one first."),
            answers=_json("Models"),
            problems=("no-room", "too-slow"),
        ),
        "/healthz": Operation(
            *("check_health", operators, "Whether the process works.", health, False)
        ),
        "/readyz": Operation(
            *("check_ready", operators, "Whether requests can come.", health, False),
            problems=("stopping",),
        ),
        "/metrics": Operation(
            *("get_metrics", operators, "Counters, for Prometheus."),
            answers={"text/plain": {"schema": STRING}},
            problems=("too-slow",),
        ),
        "/openapi.json": Operation(*("get_openapi", operators, "This document.", own, False)),
    }


def _json(name: str, example: Mapping[str, str] | None = None) -> Json:
    content: JsonObject = {"schema": reference(name)}
    return {"application/json": content if example is None else {**content, "example": example}}


def _described(operation: Operation, needs_token: bool) -> Json:
    statuses: dict[int, list[str]] = {}
    for kind in (*ALWAYS, *operation.problems, *(["no-token"] if needs_token else [])):
        statuses.setdefault(KINDS[kind][0], []).append(kind)
    responses: JsonObject = {"200": {"description": "The answer.", "content": operation.answers}}
    for status, kinds in sorted(statuses.items()):
        titles = " or ".join(f"{KINDS[kind][1]} ({kind})" for kind in kinds)
        responses[str(status)] = {
            "description": f"{titles}.",
            "content": {MEDIA_TYPE: {"schema": reference("Problem")}},
        }
    described: JsonObject = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "responses": responses,
    }
    if operation.description:
        described["description"] = operation.description
    if operation.body is not None:
        described["requestBody"] = {"required": True, "content": operation.body}
    if operation.parameters:
        described["parameters"] = list(operation.parameters)
    if needs_token:
        described["security"] = [{"token": []}]
    return described


def _stream_parameters() -> tuple[Json, ...]:
    parameters: dict[str, tuple[Json, str]] = {
        **OPTIONS,
        "text": (STRING, "The column of the texts; by default it is guessed."),
        "id": (STRING, "The column of the ids; by default it is guessed."),
        "keep": (BOOLEAN, "Answer with all columns of the rows."),
        "encoding": (
            STRING,
            f"The encoding of the file: {EXAMPLES}. By default the charset of its type, or UTF-8.",
        ),
        "escape_formulas": (
            BOOLEAN,
            "Put ' before cells of CSV that a spreadsheet would run (default: true).",
        ),
    }
    return tuple(
        {"name": name, "in": "query", "schema": schema, "description": text}
        for name, (schema, text) in parameters.items()
    )
