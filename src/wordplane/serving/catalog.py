"""The models that are served, by name."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import PurePath

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.labels import as_model_labels
from wordplane.common.types import FloatArray, Label
from wordplane.evaluation.label_shift import LabelShift
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.model.classifier import TextClassifier
from wordplane.model.file import stored_digest
from wordplane.model.known_words import KnownWords, known_words_of
from wordplane.model.predictor import TextPredictor
from wordplane.model.saved_models import load
from wordplane.serving.problems import Problem, shorten
from wordplane.workflow.inputs import load_corpus_for

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


Stamp = tuple[int, int, int]  # of a file: time of change, size, inode


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model of the catalog.

    digest     the first digits of the SHA-256 that its file has in its head: which version it is
    held_out   the probabilities of the true labels of held-out texts, for conformal sets; of a
               model that predicts numbers, their errors
    """

    name: str
    path: str
    predictor: TextPredictor
    digest: str
    loaded: float
    held_out: FloatArray
    known_words: KnownWords | None = None
    kinds: dict[str, str] = field(default_factory=dict)  # of the columns it needs besides the text

    @cached_property
    def labels(self) -> list[Label]:
        """The labels in the order of the probabilities; none if the model predicts numbers."""
        labels: list[Label] = self.predictor.model_.classes.tolist()
        return labels

    @property
    def predicts_numbers(self) -> bool:
        """Whether it has no labels, but numbers."""
        return self.predictor.model_.predicts_numbers

    @cached_property
    def label_shift(self) -> LabelShift | None:
        """What is known of the model's errors."""
        return None if self.predicts_numbers else self.predictor.model_.label_shift()

    @cached_property
    def shortest_labels(self) -> list[int]:
        """How many bytes the k shortest labels have as JSON, for every k from 1."""
        return list(accumulate(sorted(len(label.encode()) for label in self.json_labels)))

    @cached_property
    def json_labels(self) -> list[str]:
        """The labels as JSON."""
        return [json.dumps(label, ensure_ascii=False) for label in self.labels]


class Catalog:
    """The models by name, the first of them being the default.

    A catalog never changes: `reload` returns a new one that shares what has not changed.
    """

    def __init__(self, models: list[ServedModel], stamps: dict[str, Stamp | None]) -> None:
        self.models = {model.name: model for model in models}
        self.default = models[0]
        self._stamps = stamps

    @classmethod
    def load(cls, given: tuple[str, ...], conformal: str | None, threads: int) -> Catalog:
        """The catalog of models given as PATH or NAME=PATH."""
        models: list[ServedModel] = []
        stamps: dict[str, Stamp | None] = {}
        for one in given:
            name, path = split_name(one)
            if any(model.name == name for model in models):
                raise InputError(
                    f"two models are called {name!r}: name one of them, as in NAME={path}"
                )
            stamps[path] = file_stamp(path)
            models.append(load_served(name, path, conformal, threads))
        return cls(models, stamps)

    def __getitem__(self, name: str | None) -> ServedModel:
        if name is None:
            return self.default
        model = self.models.get(name)
        if model is None:
            names = ", ".join(self.models)
            raise Problem(
                "unknown-model",
                f"there is no model {shorten(name)}",
                field="/model",
                advice=f"the models are: {names}",
            )
        return model

    def undo(self, tried: Catalog) -> Catalog:
        """These models again, and the files of `tried` are not tried again before they change."""
        return Catalog(list(self.models.values()), tried._stamps)

    def changed(self) -> list[str]:
        """The names of the models whose files have changed since they were read or tried."""
        return [
            model.name
            for model in self.models.values()
            if file_stamp(model.path) not in (None, self._stamps[model.path])
        ]

    def reload(
        self, names: list[str], conformal: str | None, threads: int
    ) -> tuple[Catalog, dict[str, Exception]]:
        """A catalog with some models read again, and why others were not; these stay as they are.

        A file that cannot be read is not tried again before it changes.
        """
        stamps, models = dict(self._stamps), []
        failed: dict[str, Exception] = {}
        for model in self.models.values():
            fresh = model
            if model.name in names:
                stamps[model.path] = file_stamp(model.path)
                try:
                    fresh = load_served(model.name, model.path, conformal, threads)
                except Exception as error:  # whatever a stranger's file makes of it
                    failed[model.name] = error
            models.append(fresh)
        return Catalog(models, stamps), failed


def load_served(name: str, path: str, conformal: str | None, threads: int) -> ServedModel:
    """Read a model and what serving it needs."""
    predictor = load(path)
    predictor.n_jobs = threads
    digest = stored_digest(path)[:12]
    own = _held_out(predictor, conformal)
    kinds = predictor.model_.features.spec.columns.kinds
    served = ServedModel(
        name,
        path,
        predictor,
        digest,
        time.time(),
        own,
        known_words_of(predictor.model_.features),
        kinds,
    )
    is_empty = not served.shortest_labels  # computed here, once for all workers
    if is_empty and not served.predicts_numbers:
        raise InputError(f"{path}: the model has no labels")
    return served


def _held_out(classifier: TextPredictor, data: str | None) -> FloatArray:
    """The probabilities of the true labels of held-out texts: of the data, or of those that were
    held out when the model was trained; or the errors of numbers."""
    if not isinstance(classifier, TextClassifier):
        if data is not None:
            raise InputError("`conformal` is for models that give labels, and this gives numbers")
        intervals = classifier.model_.calibrator
        return intervals.errors if isinstance(intervals, NumberIntervals) else np.zeros(0)
    if data is None:
        return np.array(classifier.training_.true_probabilities, np.float64)
    if classifier.is_multilabel:
        raise InputError("`conformal` is for models that give one label per text")
    corpus = load_corpus_for(classifier, data)
    labels = as_model_labels(corpus.labels or [], classifier.classes_)
    code = {label: k for k, label in enumerate(classifier.classes_.tolist())}
    codes = np.array([code.get(label, -1) for label in labels.tolist()], np.int64)
    P = classifier.predict_proba(corpus)
    return np.where(codes >= 0, P[np.arange(len(P)), codes], 0.0)


def split_name(given: str) -> tuple[str, str]:
    """Name and path of a model.

    >>> split_name("models/reviews.wordplane"), split_name("spam=m.wordplane")
    (('reviews', 'models/reviews.wordplane'), ('spam', 'm.wordplane'))
    """
    name, equals, path = given.partition("=")
    if not equals or "/" in name:
        name, path = PurePath(given).name.removesuffix(".wordplane"), given
    if not NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot be the name of a model: use letters, digits, dots, dashes and "
            f"underscores, as in NAME={path}"
        )
    return name, path


def file_stamp(path: str) -> Stamp | None:
    """What shows that a file has changed; None if there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
