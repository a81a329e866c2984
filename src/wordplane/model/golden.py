"""Golden rows of a model file: what a loaded model must answer, as it did when it was saved.

A few texts have scores, probabilities and labels. They meet few of the numbers of a calibration, so
that scores over the range that it was fitted on have, too: their mean probability of each label.
For sets of labels, the thresholds are repeated: one that moves by little gives few texts other
labels.
"""

from itertools import islice
from typing import TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import ModelFileError
from wordplane.common.partial_scores import LEAST_LOGIT
from wordplane.common.types import FloatArray, JsonObject
from wordplane.data.vectors import VECTOR_KIND
from wordplane.evaluation.calibration import Isotonic
from wordplane.evaluation.decisions import Conformal
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.learners.support.base import best_output
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents
from wordplane.text.fields import FIELD_KIND

Categories: TypeAlias = dict[str, str]  # by column


class GoldenRow(TypedDict):
    """A text, and what the model says of it; numbers of labels stand for labels."""

    text: str
    categories: Categories
    scores: list[float]
    probabilities: list[float]
    labels: list[int]


ROW = tuple(GoldenRow.__annotations__)
TOLERANCE = 1e-5
MAX_SPAN = 1e9
MOST_SCORES, MOST_ROWS = 50_000, 256  # of the calibration
SET_LEVELS = (0.5, 0.75, 0.9, 0.95, 0.99)  # of prediction sets
OTHER_ANSWERS = (
    "the model does not give its golden texts the {} it gave when it was saved: this build reads "
    "text or computes differently, or the file was changed; train again"
)


def golden(model: TextModel) -> JsonObject:
    """What to store. Texts are made of the model's own features, so that no training text and no
    word that was left out reaches the file."""
    texts = _texts(model)
    columns = [_categories(model, i) for i in range(len(texts))]
    z = model.scores(_documents(model, texts, columns), threads=1)
    found = z.tolist(), _probabilities(model, z).tolist(), _labels(model, z)
    rows, span = zip(texts, columns, *found, strict=True), _span(model, z)
    return {
        "rows": [dict(zip(ROW, row, strict=True)) for row in rows],
        "span": span,
        "calibration": {name: value.tolist() for name, value in _calibration(model, span).items()},
    }


def check_golden(model: TextModel, stored: object) -> None:
    """Raise a ModelFileError unless the model answers as it was stored."""
    rows, span, calibration = _parts(stored)
    try:
        texts = [row["text"] for row in rows]
        documents = _documents(model, texts, [row["categories"] for row in rows])
    except (TypeError, ValueError):
        raise _no_golden_rows() from None
    expected = _numbers([row["scores"] for row in rows])
    probable = _numbers([row["probabilities"] for row in rows])
    z = model.scores(documents, threads=1)
    if expected.shape != z.shape or not _is_close(z, expected):
        raise ModelFileError(OTHER_ANSWERS.format("scores"))
    P = _probabilities(model, z)
    if probable.shape != P.shape or not _is_close(P, probable):
        raise ModelFileError(OTHER_ANSWERS.format("probabilities"))
    if _labels(model, z) != [row["labels"] for row in rows]:
        raise ModelFileError(OTHER_ANSWERS.format("labels"))
    found = _calibration(model, span)
    if {name: values.shape for name, values in found.items()} != {
        name: values.shape for name, values in calibration.items()
    }:
        raise _no_golden_rows()
    if not all(_is_close(values, calibration[name]) for name, values in found.items()):
        raise ModelFileError(OTHER_ANSWERS.format("probabilities"))


def _parts(stored: object) -> tuple[list[GoldenRow], float, dict[str, FloatArray]]:
    """The parts of what was stored, of the types that they should have."""
    if not isinstance(stored, dict) or set(stored) != {"rows", "span", "calibration"}:
        raise _no_golden_rows()
    rows, span, calibration = stored["rows"], stored["span"], stored["calibration"]
    is_right = (
        isinstance(rows, list)
        and len(rows) > 0
        and all(isinstance(row, dict) and set(row) == set(ROW) for row in rows)
        and all(isinstance(row["text"], str) for row in rows)
        and all(isinstance(row["categories"], dict) for row in rows)
        and all(_are_numbers(row["labels"]) for row in rows)
        and type(span) in (int, float)
        and 0 < span <= MAX_SPAN
        and isinstance(calibration, dict)
    )
    if not is_right:
        raise _no_golden_rows()
    return rows, float(span), {name: _numbers(values) for name, values in calibration.items()}


def _numbers(values: object) -> FloatArray:
    """The array of lists of numbers."""
    try:
        if _are_numbers(values):
            return np.array(values, np.float64)
    except (ValueError, OverflowError):  # of several lengths, or too large
        pass
    raise _no_golden_rows()


def _are_numbers(value: object) -> bool:
    if isinstance(value, list):
        return all(map(_are_numbers, value))
    return type(value) in (int, float)


def _no_golden_rows() -> ModelFileError:
    return ModelFileError("not a usable model: no golden rows")


def _is_close(found: NDArray[np.number], expected: NDArray[np.number]) -> bool:
    return bool((np.abs(found - expected) <= TOLERANCE * (1 + np.abs(expected))).all())


def _texts(model: TextModel) -> list[str]:
    weights = model.tree or model.fasttext
    strength = -(np.abs(model.W).max(axis=1) if weights is None else weights.strongest())
    few = np.argpartition(strength, min(24, len(strength)) - 1)[:24]
    strongest = few[np.lexsort([few, strength[few]])].tolist()
    item = "{}:1" if model.features.spec.tokens.tokens == "counts" else "{}"
    names = [item.format(model.features.name(column)) for column in strongest]
    spec = model.features.spec
    lists = [*spec.columns.lexica.values(), *spec.word_features.triggers.values()]
    listed = [word for words in lists for word in islice(words, 4)]
    texts = ["", " ".join(names[:8]), " ".join(names[8:]), " ".join(names[:2] * 2)]
    return [*texts, " ".join(listed[:40])] if listed else texts


def _categories(model: TextModel, row: int) -> Categories:
    """The categories of a row by column, those that are known in turn."""
    known = model.features.dense.categories
    return {name: values[row % len(values)] for name, values in known.items() if values}


def _documents(model: TextModel, texts: list[str], columns: list[Categories]) -> Documents:
    """The texts, with their categories by column; numbers next to them are 0, 1, ... With fields,
    they are the first field, and the others are the texts before them."""
    dense, rows = model.features.dense, np.arange(len(texts), dtype=np.float64)
    documents = Documents(_core.Texts(texts))
    for name, kind in model.features.spec.columns.kinds.items():
        if kind == FIELD_KIND:
            texts = texts[-1:] + texts[:-1] if documents.fields else texts
            documents.fields[name] = _core.Texts(texts)
        elif kind == VECTOR_KIND:
            steps = np.arange(1, dense.dimensions[name] + 1)
            documents.vectors[name] = rows[:, None] % steps
        elif kind == "number":
            documents.numbers[name] = rows
        else:
            documents.categories[name] = [row.get(name) for row in columns]
    return documents


def _probabilities(model: TextModel, z: FloatArray) -> FloatArray:
    return model.probabilities(z[:, 0] if z.shape[1] == 1 and not model.multilabel else z)


def _labels(model: TextModel, z: FloatArray) -> list[list[int]]:
    """The numbers of the labels of each row."""
    if model.predicts_numbers:
        return [[] for _ in z]
    if isinstance(model.calibrator, LabelDecisions):
        return [np.flatnonzero(row).tolist() for row in model.calibrator.predict(z)]
    return [[k] for k in best_output(z, len(model.classes)).tolist()]


def _span(model: TextModel, z: FloatArray) -> float:
    """How far from 0 the scores are that the calibration is asked about: beyond those of the texts,
    the thresholds of labels, and the points of an isotonic function."""
    found = [np.abs(z[z > LEAST_LOGIT])]
    if isinstance(model.calibrator, LabelDecisions):
        found.append(np.abs(model.calibrator.thresholds))
    if isinstance(model.calibrator, Isotonic):
        found += map(np.abs, model.calibrator.x)
    most = max((float(values.max(initial=0.0)) for values in found), default=0.0)
    return min(1.25 * most, MAX_SPAN) or 1.0


def _calibration(model: TextModel, span: float) -> dict[str, FloatArray]:
    """What the calibration makes of scores from -span to span, by label; and the probabilities
    above which a label belongs to prediction sets. Of a regression, the ends of intervals."""
    if isinstance(model.calibrator, NumberIntervals):
        ends = [model.calibrator.margins(level) for level in SET_LEVELS]
        return {"margins": np.clip(ends, -MAX_SPAN, MAX_SPAN)}
    n_outputs = len(model.b)
    n = int(np.clip(MOST_SCORES // n_outputs, 2, MOST_ROWS))
    steps = np.linspace(-span, span, n)
    Z = np.repeat(steps[:, None], n_outputs, axis=1)
    if n_outputs > 1 and not model.multilabel:  # one label after the other is ahead of all others
        Z = np.repeat(-np.abs(steps)[:, None], n_outputs, axis=1)
        Z[np.arange(n), np.arange(n) % n_outputs] = 0.0
    found = {"probabilities": _probabilities(model, Z).mean(axis=0)}
    if isinstance(model.calibrator, LabelDecisions):
        found["thresholds"] = model.calibrator.thresholds
    true = np.array(model.training.true_probabilities)
    found["sets"] = np.array([Conformal.of_true(true, level).least for level in SET_LEVELS])
    return found
