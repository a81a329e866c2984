"""From texts to the rows of an answer."""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from wordplane._core import Texts
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.types import FloatArray
from wordplane.data.corpus import Corpus
from wordplane.evaluation.decisions import ABSTAINED
from wordplane.evaluation.rankings import likeliest
from wordplane.learners.support.base import best_class
from wordplane.model.known_words import knowledge
from wordplane.serving.bodies import PredictOptions
from wordplane.serving.catalog import ServedModel
from wordplane.serving.problems import Problem, shorten
from wordplane.workflow.prediction import DIGITS

Row = dict[str, Any]

encode_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
quote = json.encoder.encode_basestring


class Predictions:
    """What a model says of some texts: labels, and what is counted of them.

    P            the probabilities
    codes        of the labels that were given, -1 where the model abstained
    confidences  the probability of the likeliest label of each text
    """

    codes: list[int]
    confidences: list[float]
    _sets: LabelSets | None = None

    def __init__(
        self, model: ServedModel, texts: Sequence[str] | Corpus, columns: dict[str, list[Any]]
    ) -> None:
        self.model, self._texts = model, texts
        classifier = model.classifier
        documents = {"text": texts, **columns} if columns else texts
        try:
            z = classifier.decision_function(documents)
        except InputError as error:
            raise Problem("invalid-rows", str(error), advice="send other texts") from None
        self.P: FloatArray = classifier.probabilities_of(z)
        if len(z) == 1 and not classifier.is_multilabel:
            # Without array operations, which would take longer than the rest.
            k = int(z.item() > 0 if z.ndim == 1 else z.argmax())
            self.codes, self.confidences = [k], [round(self.P.item(0, k), DIGITS)]
            return
        self.P = self.P.round(DIGITS)
        found = classifier.labels_of(z)
        if isinstance(found, LabelSets):
            self._sets = found
            self.codes = found.codes.tolist()
            self.confidences = self.P.max(axis=1, initial=0.0).tolist()
        else:
            # From the scores: equal probabilities may hide which is larger.
            codes = best_class(z, len(model.labels))
            self.codes = codes.tolist()
            self.confidences = self.P[np.arange(len(z)), codes].tolist()

    def json_rows(self, ids: Sequence[str], options: PredictOptions) -> list[str]:
        """The same rows as JSON; the usual ones without a detour through objects."""
        if self._sets is not None or options.changes_rows:
            return list(map(encode_json, self.rows(ids, options)))
        labels = self.model.json_labels
        return [
            f'{{"id":{quote(id)},"label":{labels[k]},"probability":{p!r}}}'
            for id, k, p in zip(ids, self.codes, self.confidences, strict=True)
        ]

    def rows(self, ids: Sequence[str], options: PredictOptions) -> list[Row]:
        """A row per text, in order."""
        if self._sets is not None:
            return self._label_set_rows(self._sets, ids, options)
        classes, confidences = self.model.labels, self.confidences
        if options.threshold is not None:
            least = options.threshold
            self.codes = [
                k if p >= least else ABSTAINED for k, p in zip(self.codes, confidences, strict=True)
            ]
        rows: list[Row] = [
            {"id": id, "label": None if k < 0 else classes[k], "probability": p}
            for id, k, p in zip(ids, self.codes, confidences, strict=True)
        ]
        if options.coverage is not None:
            member = self.model.conformal(options.coverage).sets(_sum_to_one(self.P))
            for row, has in zip(rows, member, strict=True):
                row["set"] = [classes[k] for k in np.flatnonzero(has).tolist()]
        self._add_asked(rows, options)
        return rows

    def _label_set_rows(
        self, sets: LabelSets, ids: Sequence[str], options: PredictOptions
    ) -> list[Row]:
        for name in ("threshold", "coverage"):
            if getattr(options, name) is not None:
                raise Problem(
                    "invalid-field",
                    f"the model is multi-label, so {name} does not apply",
                    field=f"/{name}",
                    advice="leave it out; top_k gives the probabilities of all labels",
                )
        labels = sets.tolist()
        given, starts = self.P[sets.pairs()].tolist(), sets.starts.tolist()
        chances = [given[a:b] for a, b in pairwise(starts)]
        rows: list[Row] = [
            {"id": id, "labels": list(some), "probabilities": p}
            for id, some, p in zip(ids, labels, chances, strict=True)
        ]
        self._add_asked(rows, options)
        return rows

    def _add_asked(self, rows: list[Row], options: PredictOptions) -> None:
        """What rows of one label and of several have alike."""
        if options.top_k is not None:
            self._add_top(rows, options.top_k)
        if options.known:
            self._add_known(rows)

    def _add_known(self, rows: list[Row]) -> None:
        if self.model.known_words is None:
            raise Problem(
                "invalid-field",
                "the model looks at no words, so known does not apply",
                field="/known",
                advice="leave it out",
            )
        texts = self._texts.texts if isinstance(self._texts, Corpus) else Texts(list(self._texts))
        shares = self.model.known_words.shares(texts, threads=1)
        found = knowledge(shares, self.model.classifier.training_.least_known)
        shown = zip(found.known.round(DIGITS).tolist(), found.unfamiliar.tolist(), strict=True)
        for row, (known, unfamiliar) in zip(rows, shown, strict=True):
            row["known"], row["unfamiliar"] = known, unfamiliar

    def _add_top(self, rows: list[Row], top_k: int) -> None:
        classes = self.model.labels
        P = self.P.round(DIGITS)
        best = likeliest(P, top_k)
        chances = np.take_along_axis(P, best, axis=1).tolist()
        for row, codes, own in zip(rows, best.tolist(), chances, strict=True):
            row["top"] = [
                {"label": classes[k], "probability": p} for k, p in zip(codes, own, strict=True)
            ]


def _sum_to_one(P: FloatArray) -> FloatArray:
    return np.asarray(P / P.sum(axis=1, keepdims=True))


def label_of(model: ServedModel, label: Any, field: str) -> Any:
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
