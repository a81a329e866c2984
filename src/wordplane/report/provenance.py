"""How the model and the page were made."""

import platform
from hashlib import sha256
from pathlib import PurePath

import numpy as np

import wordplane
from wordplane.common.types import JsonObject
from wordplane.data.corpus import Corpus
from wordplane.model.measurement import Measurement, SetMeasurement
from wordplane.model.number_measurement import NumberMeasurement


def provenance(measured: Measurement | SetMeasurement | NumberMeasurement) -> list[tuple[str, str]]:
    """Names and values: the data, the rows, the learner, the seed and the versions."""
    model, corpus = measured.model, measured.corpus
    training = model.training_
    n_docs = training.n_docs
    seed = model.random_state if training.seed is None else training.seed
    calibrator = model.model_.calibrator
    lines = [
        ("Data", f"{PurePath(corpus.source).name or 'given in Python'}: {len(corpus):,} texts"),
        ("SHA-256 of the data", digest(corpus)),
        ("Measured on", f"{len(measured.rows):,} texts {measured.description}"),
        ("Features", f"{model.n_features:,}, {model.model_.features.analyzer!r}"),
        ("Learner", training.learner_text),
        ("Trained on", "unknown" if n_docs is None else f"{n_docs:,} texts"),
        ("Calibration", "none" if calibrator is None else _calibrator_text(calibrator.to_dict())),
        ("Seed", str(seed)),
        ("Versions", f"Wordplane {wordplane.__version__}, Python {platform.python_version()}, "
                     f"NumPy {np.__version__}"),
    ]  # fmt: skip
    return [*lines, *(("Note", note) for note in corpus.notes)]


def _calibrator_text(parameters: JsonObject) -> str:
    if parameters["kind"] == "temperature":
        return f"temperature {parameters['temperature']:.3g}"
    if parameters["kind"] == "number":
        return "intervals from the errors on texts held out"
    return str(parameters["kind"])


def digest(corpus: Corpus) -> str:
    """The SHA-256 of all texts and labels, in order.

    >>> from wordplane.text.texts import as_texts
    >>> digest(Corpus(as_texts(["a", "b"]), ["x", "y"]))[:16]
    'df8fb38d2d7400e6'
    """
    sha = sha256()
    labels = corpus.labels or [None] * len(corpus)
    for text, label in zip(corpus.texts, labels, strict=True):
        for part in (text, repr(label)):
            data = part.encode("utf-8", "surrogatepass")
            sha.update(b"%d:" % len(data))
            sha.update(data)
    return sha.hexdigest()
