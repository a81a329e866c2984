"""What users pass as a model: one that is in memory, or the file of one."""

from __future__ import annotations

from copy import copy
from os import PathLike
from typing import TYPE_CHECKING

from wordplane.common.errors import InputError
from wordplane.model.classifier import TextClassifier
from wordplane.model.file import load_model
from wordplane.model.predictor import TextPredictor

if TYPE_CHECKING:
    from wordplane.model.regressor import TextRegressor

ModelLike = TextClassifier | str | PathLike[str]


def load(path: str | PathLike[str]) -> TextClassifier | TextRegressor:
    """The classifier, or regressor, saved in a model file. Safe on files from strangers: no code is
    run."""
    if not isinstance(path, str | PathLike):
        raise InputError(
            f"the model is a {type(path).__name__}, expected a TextClassifier or the path of a "
            "model file; `wordplane.compare` takes pipelines of scikit-learn next to Wordplane's "
            "learners, and `wordplane.evaluation.paired_tests.compare_predictions` takes labels"
        )
    model = load_model(path)
    if model.predicts_numbers:
        from wordplane.model.regressor import TextRegressor

        return TextRegressor.from_model(model)
    return TextClassifier.from_model(model)


def load_classifier(path: str | PathLike[str]) -> TextClassifier:
    """The same for what needs labels: a regressor is refused."""
    model = load(path)
    if not isinstance(model, TextClassifier):
        raise InputError(
            f"{path} predicts numbers (it was trained with `target`), and this needs a model of "
            "labels; `predict`, `evaluate`, `explain`, `inspect`, `report` and `serve` work with it"
        )
    return model


def as_predictor(model: TextPredictor | str | PathLike[str]) -> TextPredictor:
    """The model, or the one in the file."""
    return model if isinstance(model, TextPredictor) else load(model)


def open_model(model: ModelLike, n_jobs: int | None) -> TextClassifier:
    """The model, to be used by so many threads; that of the caller stays as it is."""
    opened = copy(model) if isinstance(model, TextClassifier) else load_classifier(model)
    opened.n_jobs = n_jobs
    return opened
