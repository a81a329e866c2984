"""Golden rows of a model file: a few texts with the scores that a loaded model must give them."""

from typing import Any

import numpy as np

from wordplane import _core
from wordplane.common.errors import ModelFileError
from wordplane.common.types import JsonObject
from wordplane.data.vectors import VECTOR_KIND
from wordplane.learners.support.base import best_output
from wordplane.model.text_model import TextModel
from wordplane.text.documents import Documents
from wordplane.text.fields import FIELD_KIND

TOLERANCE = 1e-5


def golden_rows(model: TextModel) -> list[JsonObject]:
    """A few texts with their scores. They are made of the model's own features, so that no
    training text and no word that was left out reaches the file."""
    strength = -(np.abs(model.W).max(axis=1) if model.tree is None else model.tree.strongest())
    few = np.argpartition(strength, min(24, len(strength)) - 1)[:24]
    strongest = few[np.lexsort([few, strength[few]])].tolist()
    item = "{}:1" if model.features.spec.tokens.tokens == "counts" else "{}"
    names = [item.format(model.features.name(column)) for column in strongest]
    texts = ["", " ".join(names[:8]), " ".join(names[8:]), " ".join(names[:2] * 2)]
    z = model.scores(_documents(model, texts), threads=1)
    best = best_output(z, len(model.classes))
    return [
        {"text": text, "class": int(k), "scores": row.tolist()}
        for text, k, row in zip(texts, best, z, strict=True)
    ]


def _documents(model: TextModel, texts: list[str]) -> Documents:
    """The texts; numbers beside them are 0, 1, ..., categories the first that is known. With
    fields, they are the first field, and the others are the texts before them."""
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
            documents.categories[name] = [next(iter(dense.categories[name]), None)] * len(texts)
    return documents


def check_golden(model: TextModel, rows: Any) -> None:
    """Raise a ModelFileError unless the model gives these texts the scores that were stored."""
    shape = (len(rows), len(model.b)) if isinstance(rows, list) else None
    try:
        documents = _documents(model, [row["text"] for row in rows])
        expected = np.array([row["scores"] for row in rows], dtype=np.float64)
        best = [row["class"] for row in rows]
        z = model.scores(documents, threads=1)
    except (TypeError, ValueError, KeyError, OverflowError):
        raise ModelFileError("not a usable model: no golden rows") from None
    if len(rows) == 0 or expected.shape != shape:
        raise ModelFileError("not a usable model: no golden rows")
    if not np.allclose(z, expected, rtol=TOLERANCE, atol=TOLERANCE) or (
        best_output(z, len(model.classes)).tolist() != best
    ):
        raise ModelFileError(
            "the model does not give its golden texts the scores it gave when it was saved: "
            "this build reads text differently; train again"
        )
