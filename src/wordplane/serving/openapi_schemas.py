"""The schemas of the description of the interface, each with a name."""

from collections.abc import Mapping

from wordplane.common.types import JsonObject
from wordplane.serving.bodies import (
    EXPLAINED_FEATURES,
    EXPLAINED_LENGTH,
    MAX_EXPLAINED,
    MAX_TOP_K,
)
from wordplane.serving.problems import KINDS, TYPE
from wordplane.serving.settings import Limits

Json = Mapping[str, object]

STRING: Json = {"type": "string"}
COUNT: Json = {"type": "integer", "minimum": 0}
BOOLEAN: Json = {"type": "boolean"}
NUMBER: Json = {"type": "number"}
SHARE: Json = {"type": "number", "minimum": 0, "maximum": 1}
BETWEEN: Json = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
ID: Json = {"anyOf": [{"type": "string", "maxLength": 256}, {"type": "integer"}]}

# What a prediction may be asked for, in a body or a query.
OPTIONS: dict[str, tuple[Json, str]] = {
    "model": (STRING, "The name of the model; else the first."),
    "top_k": (
        {"type": "integer", "minimum": 1, "maximum": MAX_TOP_K},
        "So many labels with their probabilities.",
    ),
    "min_confidence": (BETWEEN, "No label below this probability."),
    "set_confidence": (
        BETWEEN,
        "A set that has the true label with this probability, or an interval that has the number.",
    ),
    "known": (BOOLEAN, "The share of the words that the model knows."),
}


def reference(name: str) -> Json:
    """A schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


LABEL = reference("Label")
LABELS = reference("Labels")


def schemas(limits: Limits) -> Json:
    """All of them by name."""
    return {
        "Label": {"anyOf": [STRING, {"type": "integer"}, BOOLEAN]},
        "Labels": {"anyOf": [STRING, {"type": "integer"}, BOOLEAN, _list(LABEL)]},
        **_requests(limits),
        **_predictions(),
        **_explanation(),
        **_models(),
        "FeedbackAnswer": _object(
            {"number": COUNT, "model": STRING, "label": LABELS, "predicted": LABELS}
        ),
        "ProblemType": {"type": "string", "enum": [TYPE + kind for kind in KINDS]},
        "Document": {"type": "object", "description": "A description in OpenAPI 3.1."},
        "Health": _object({"status": STRING}, {"models": _list(STRING)}),
        "Problem": _object(
            {
                "type": reference("ProblemType"),
                "title": STRING,
                "status": {"type": "integer"},
                "detail": STRING,
            },
            {"field": STRING, "advice": STRING, "request_id": STRING},
        ),
    }


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


def _one_of(names: tuple[str, ...]) -> Json:
    return {"oneOf": [reference(name) for name in names]}


def _requests(limits: Limits) -> JsonObject:
    text = reference("Text")
    explained = {"type": "string", "maxLength": min(limits.max_length, EXPLAINED_LENGTH)}
    row, most = reference("Row"), limits.max_texts
    options = {
        name: {**_nullable(schema), "description": description}
        for name, (schema, description) in OPTIONS.items()
    }
    of_model = {"model": options["model"]}
    features = {
        "type": "integer",
        "minimum": 1,
        "maximum": MAX_EXPLAINED,
        "default": EXPLAINED_FEATURES,
    }
    explaining = {
        **of_model,
        "label": _nullable(LABEL),
        "top_k": features,
        "flip": {**BOOLEAN, "default": True},
    }
    own_id = {"id": _nullable(ID), **of_model}
    label = {"label": LABELS}
    forms = {
        "PredictRequest": {
            "PredictText": _object({"text": text}, options),
            "PredictTexts": _object({"texts": _list(text, maxItems=most)}, options),
            "PredictRows": _object({"rows": _list(row, maxItems=most)}, options),
        },
        "ExplainRequest": {
            "ExplainText": _object({"text": explained}, explaining),
            "ExplainRow": _object({"row": reference("ExplainedRow")}, explaining),
        },
        "FeedbackRequest": {
            "FeedbackByText": _object({**label, "text": text}, own_id),
            "FeedbackByRow": _object({**label, "row": row}, own_id),
            "FeedbackById": _object({**label, "id": ID}, of_model),
        },
    }
    found: JsonObject = {
        "Text": {"type": "string", "maxLength": limits.max_length},
        "Row": _row(text, "The text, its id, and the other columns that the model needs."),
        "ExplainedRow": _row(explained, "The text, and the other columns that the model needs."),
    }
    for name, parts in forms.items():
        found |= {name: _one_of(tuple(parts)), **parts}
    return found


def _row(text: Json, description: str) -> Json:
    return {
        **_object({"text": text}, {"id": _nullable(ID)}, closed=False),
        "description": description,
    }


def _predictions() -> JsonObject:
    more = {
        "known": SHARE,
        "unfamiliar": BOOLEAN,
        "top_labels": _list(LABEL),
        "top_probabilities": _list(SHARE),
        "label_set": _list(LABEL),
    }
    empty = "Null if the text is empty or only white space"
    label = {**_nullable(LABEL), "description": f"{empty}, or by min_confidence."}
    probability = {**_nullable(SHARE), "description": f"{empty}."}
    one = {"id": STRING, "label": label, "probability": probability}
    several = {"id": STRING, "labels": _list(LABEL), "probabilities": _list(SHARE)}
    predicted = {**_nullable(NUMBER), "description": f"{empty}."}
    number = {"id": STRING, "prediction": predicted, "interval": _nullable(reference("Interval"))}
    kinds = ("Prediction", "MultiLabelPrediction", "NumberPrediction")
    prediction = {"anyOf": [reference(kind) for kind in kinds]}
    return {
        "Interval": {
            **_list(NUMBER, minItems=2, maxItems=2),
            "description": "The true number is in it for nine of ten texts, or for set_confidence.",
        },
        "Prediction": _object(one, more),
        "MultiLabelPrediction": _object(several, more),
        "NumberPrediction": _object(number, {"known": SHARE, "unfamiliar": BOOLEAN}),
        "PredictAnswer": _object({"model": STRING, "rows": _list(prediction)}),
    }


def _explanation() -> JsonObject:
    place = _nullable(COUNT)
    return {
        "Chance": _object({"label": LABEL, "probability": SHARE}),
        "ExplainedWord": _object({"start": COUNT, "end": COUNT, "weight": NUMBER}),
        "Contribution": _object({"feature": STRING, "start": place, "end": place, "value": NUMBER}),
        "Flip": _object(
            {"words": _list(STRING), "label": LABEL, "text": STRING, "is_smallest": BOOLEAN}
        ),
        "ExplainAnswer": {"anyOf": [reference("Explanation"), reference("NumberExplanation")]},
        "NumberExplanation": _object(
            {
                "model": STRING,
                "prediction": NUMBER,
                "interval": _nullable(reference("Interval")),
                "bias": NUMBER,
                "words": _list(reference("ExplainedWord")),
                "contributions": _list(reference("Contribution")),
            }
        ),
        "Explanation": _object(
            {
                "model": STRING,
                "label": LABEL,
                "probability": SHARE,
                "score": NUMBER,
                "bias": NUMBER,
                "probabilities": _list(reference("Chance")),
                "words": _list(reference("ExplainedWord")),
                "contributions": _list(reference("Contribution")),
                "flip": _nullable(reference("Flip")),
            }
        ),
    }


def _models() -> JsonObject:
    return {
        "Word": _object({"word": STRING, "weight": NUMBER}),
        "TopWords": _object({"label": LABEL, "words": _list(reference("Word"))}),
        "Accuracy": _object({"value": SHARE, "low": SHARE, "high": SHARE, "texts": NUMBER}),
        "Scores": {"type": "object", "description": "How good the model was on test texts."},
        "ColumnKinds": {"type": "object", "additionalProperties": STRING},
        "Model": _object(
            {
                "name": STRING,
                "digest": STRING,
                "loaded": {"type": "string", "format": "date-time"},
                "labels": _list(LABEL),
                "target": _nullable(STRING),
                "numbers": BOOLEAN,
                "multilabel": BOOLEAN,
                "resumable": BOOLEAN,
                "columns": reference("ColumnKinds"),
                "conformal": BOOLEAN,
                "features": COUNT,
                "learner": STRING,
                "texts": _nullable(COUNT),
                "source": _nullable(STRING),
                "tested_on": _nullable(STRING),
                "accuracy": _nullable(reference("Accuracy")),
                "scores": _nullable(reference("Scores")),
                "top_words": _list(reference("TopWords")),
            }
        ),
        "Models": _object({"models": _list(reference("Model"), minItems=1), "feedback": BOOLEAN}),
    }
