"""The rows of an answer, as `workflow.answers` builds them, as JSON.

They are built in batches with a limited number of scores, so that neither memory nor the time
between two looks at the deadline grows with the number of labels.
"""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import isfinite

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.types import Label
from wordplane.data.corpus import Corpus
from wordplane.serving.bodies import PLAIN
from wordplane.serving.catalog import ServedModel
from wordplane.serving.problems import Problem, shorten
from wordplane.serving.request import Request
from wordplane.text.documents import TextsLike
from wordplane.workflow.answers import Answers, Columns, Decisions
from wordplane.workflow.wanted import Wanted

Row = dict[str, object]
INTERVAL = 0.9  # how often the true number is in the interval of a number, if nobody says otherwise
HELD_OUT = "start the server with --conformal DATA, texts that the model has not seen"
OF_NUMBERS = ("id", "number", "low", "high")
BATCH_TEXTS = 1000
BATCH_SCORES = 1 << 18
LABEL_BYTES = len(",0.0,")  # besides the label itself, for each of the top labels

encode_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
quote = json.encoder.encode_basestring


@lru_cache(maxsize=64)
def answers_of(model: ServedModel, wanted: Wanted = PLAIN) -> Answers:
    """What builds the rows; options that the model cannot fulfill are refused."""
    held_out = model.held_out
    for name, why in wanted.refusals(model.predictor, len(held_out)):
        gives_one_label = not model.predictor.is_multilabel and not model.predicts_numbers
        needs_rows = name == "set_confidence" and gives_one_label
        raise Problem(
            "invalid-field",
            why.partition(":")[0].replace("`", ""),
            field=f"/{name}",
            advice=HELD_OUT if needs_rows else "leave it out",
        )
    if model.predicts_numbers and wanted.set_confidence is None:
        wanted = replace(wanted, set_confidence=INTERVAL)
    known_words = model.known_words if wanted.known else None
    return Answers(model.predictor, wanted, true_probabilities=held_out, known_words=known_words)


def batch_size(model: ServedModel) -> int:
    """How many texts are worked on at once."""
    return max(1, min(BATCH_TEXTS, BATCH_SCORES // max(len(model.labels), 1)))


def check_top_k(request: Request, model: ServedModel, wanted: Wanted, n_texts: int) -> None:
    """Refuse at once what is asked for if the answer must become too large."""
    if wanted.top_k is None or model.predicts_numbers:
        return
    k = min(wanted.top_k, len(model.labels))
    try:
        request.check_answer(n_texts * (model.shortest_labels[k - 1] + k * LABEL_BYTES))
    except Problem as problem:
        detail = f"{problem}: it would have {n_texts:,} times {k:,} labels"
        raise Problem(problem.kind, detail, field="/top_k", advice=problem.advice) from None


def decide(answers: Answers, texts: TextsLike) -> Decisions:
    """The labels of texts that a client sent."""
    try:
        return answers.decide(texts)
    except InputError as error:
        raise Problem("invalid-rows", str(error), advice="send other texts") from None


def json_rows(
    request: Request,
    answers: Answers,
    decisions: Decisions,
    ids: Sequence[str],
    texts: list[str],
    model: ServedModel,
) -> bytes:
    """A row per text as JSON; the usual ones without a detour through objects."""
    is_usual = answers.wanted is PLAIN and decisions.sets is None and not decisions.unanswered
    if not is_usual or model.predicts_numbers:
        return ",".join(map(encode_json, rows(request, answers, decisions, ids, texts))).encode()
    labels = model.json_labels
    return ",".join(
        [
            f'{{"id":{quote(id)},"label":{labels[k]},"probability":{p!r}}}'
            for id, k, p in zip(ids, decisions.codes, decisions.confidences, strict=True)
        ]
    ).encode()


def rows(
    request: Request,
    answers: Answers,
    decisions: Decisions,
    ids: Sequence[str],
    texts: list[str] | Corpus,
) -> Iterator[Row]:
    """A row per text, in order, as long as there is time."""
    read = texts.texts if isinstance(texts, Corpus) else Texts(texts)
    columns = answers.describe(decisions, ids, read)
    if "number" in columns:
        others = {name: column for name, column in columns.items() if name not in OF_NUMBERS}
        columns = {"id": ids, **number_columns(columns), **others}
    for row in zip(*columns.values(), strict=True):
        request.check()
        yield dict(zip(columns, row, strict=True))


def number_columns(found: Mapping[str, Sequence[object]]) -> Columns:
    """The numbers of texts, and their intervals: None where these have no ends."""
    ends = zip(found["low"], found["high"], strict=True)
    intervals = [
        [low, high] if isinstance(high, float) and isfinite(high) else None for low, high in ends
    ]
    return {"prediction": found["number"], "interval": intervals}


def label_of(model: ServedModel, label: object, field: str) -> Label:
    """The label of the model that a client means, by its value or how it is written."""
    for known in model.labels:
        if known == label and type(known) is type(label):
            return known
    for known in model.labels:
        if str(known) == str(label):
            return known
    names = ", ".join(shorten(known) for known in model.labels[:20])
    raise Problem(
        "invalid-field",
        f"the model has no label {shorten(label)}",
        field=field,
        advice=f"it knows {names}{', …' if len(model.labels) > 20 else ''}",
    )
