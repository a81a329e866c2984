"""Why a text gets its label, and what a model is: answers of /v1/explain and /v1/models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import JsonObject
from wordplane.evaluation.label_scores import Scores
from wordplane.model.classifier import TextClassifier
from wordplane.model.explanation import Explanation, top_features
from wordplane.serving.bodies import ExplainBody, documents
from wordplane.serving.catalog import ServedModel
from wordplane.serving.problems import Problem
from wordplane.serving.rows import answers_of, decide, label_of, number_columns
from wordplane.text.documents import TextsLike
from wordplane.workflow.answers import DIGITS

TOP_WORDS = 12
MAX_LABELS = 50


def explain(model: ServedModel, body: ExplainBody, check: Callable[[], None]) -> JsonObject:
    """Words with offsets and what each adds to the score; offsets count code points. `check` is
    called between the parts of the work."""
    classifier = model.predictor
    document = documents([body.text], body.columns)
    if body.label is not None and model.predicts_numbers:
        why = "the model predicts numbers and has no labels"
        raise Problem("invalid-field", why, field="/label", advice="leave it out")
    label = None if body.label is None else label_of(model, body.label, "/label")
    try:
        given = {"text": [body.text], **body.columns} if body.columns else body.text
        explanation = classifier.explain(given, label)
    except InputError as error:
        raise Problem("invalid-rows", str(error), advice="send another text") from None
    check()
    if not isinstance(classifier, TextClassifier):
        return _explain_number(model, document, explanation, body.top_k)
    P = decide(answers_of(model), document).P[0].round(DIGITS)
    order = np.argsort(-P, kind="stable").tolist()
    answer: JsonObject = {
        "model": model.name,
        "label": explanation.label,
        "probability": float(P[model.labels.index(explanation.label)]),
        "score": explanation.score,
        "bias": explanation.bias,
        "probabilities": [
            {"label": model.labels[k], "probability": float(P[k])} for k in order[:MAX_LABELS]
        ],
        "words": _words(explanation.pieces()),
        "contributions": _contributions(explanation, body.top_k),
        "flip": None,
    }
    check()
    if body.flip and not classifier.is_multilabel:
        flip = classifier.flip(document)
        answer["flip"] = None if flip is None else {**vars(flip), "words": list(flip.words)}
    return answer


def _explain_number(
    model: ServedModel, document: TextsLike, explanation: Explanation, n: int
) -> JsonObject:
    """The number, its interval, and what every word adds to it."""
    answers = answers_of(model)
    found = number_columns(answers.number_columns(decide(answers, document).P[:, 0]))
    return {
        "model": model.name,
        **{name: values[0] for name, values in found.items()},
        "bias": explanation.bias,
        "words": _words(explanation.pieces()),
        "contributions": _contributions(explanation, n),
    }


def _contributions(explanation: Explanation, n: int) -> list[JsonObject]:
    """The strongest occurrences of features."""
    columns = (
        array[:n].tolist() for array in (explanation.starts, explanation.ends, explanation.values)
    )
    return [
        {
            "feature": feature,
            "start": None if start < 0 else start,
            "end": None if end < 0 else end,
            "value": value,
        }
        for feature, start, end, value in zip(explanation.features[:n], *columns, strict=True)
    ]


def _words(pieces: list[tuple[str, float]]) -> list[JsonObject]:
    """The words of a text and how strongly each speaks for the label: -1 to 1."""
    words: list[JsonObject] = []
    start = 0
    for text, weight in pieces:
        end = start + len(text)
        if not text.isspace():
            words.append({"start": start, "end": end, "weight": round(weight, DIGITS)})
        start = end
    return words


def card(model: ServedModel) -> JsonObject:
    """How good a model is, on what, and its strongest words."""
    classifier, training = model.predictor, model.predictor.training_
    scores = training.scores
    accuracy: JsonObject | None = None
    if isinstance(scores, Scores):
        low, high = scores.interval
        accuracy = {"value": scores.accuracy, "low": low, "high": high, "texts": scores.n}
    top = top_features(classifier.model_, TOP_WORDS, MAX_LABELS)
    return {
        "name": model.name,
        "digest": model.digest,
        "loaded": datetime.fromtimestamp(model.loaded, UTC).isoformat(timespec="seconds"),
        "labels": model.labels,
        "target": training.label_column if model.predicts_numbers else None,
        "numbers": model.predicts_numbers,
        "multilabel": classifier.is_multilabel,
        "resumable": isinstance(classifier, TextClassifier) and classifier.is_resumable,
        "columns": model.kinds,
        "conformal": len(model.held_out) > 0,
        "features": classifier.n_features,
        "learner": training.learner_text,
        "texts": training.n_docs,
        "source": training.source,
        "tested_on": training.tested_on,
        "accuracy": accuracy,
        "scores": None if scores is None else _plain(asdict(scores)),
        "top_words": [
            {
                "label": label,
                "words": [{"word": word, "weight": weight} for word, weight in words],
            }
            for label, words in top.items()
        ],
    }


def _plain(value: object) -> object:
    """The value without numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
