"""Models in MLflow, as its flavor `python_function`. Nothing is pickled: MLflow keeps the model
file, and loads it by `_load_pyfunc` below."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import mlflow.pyfunc

import wordplane
from wordplane.model.predictor import TextPredictor

if TYPE_CHECKING:
    from pandas import DataFrame

FILE = "model.wordplane"


def save_model(model: TextPredictor, path: str, **options: object) -> None:
    """Write a folder that `mlflow.pyfunc.load_model` and `mlflow models serve` read; options are
    those of `mlflow.pyfunc.save_model`."""
    _store(mlflow.pyfunc.save_model, model, path=path, **options)


def log_model(model: TextPredictor, name: str, **options: object) -> object:
    """Keep a model with the run that is active; options are those of `mlflow.pyfunc.log_model`."""
    return _store(mlflow.pyfunc.log_model, model, name=name, **options)


def _store(store: Callable[..., object], model: TextPredictor, **options: object) -> object:
    with TemporaryDirectory(prefix="wordplane-") as folder:
        file = Path(folder, FILE)
        model.save(file)
        # Not Wordplane, which is on no package index: whoever holds its name there is a stranger.
        is_told = {"conda_env", "pip_requirements", "extra_pip_requirements"} & set(options)
        needed = {} if is_told else {"pip_requirements": ["pandas"]}
        where = {"loader_module": __name__, "data_path": str(file)}
        return store(**{**needed, **where, **options})


def _load_pyfunc(path: str) -> LoadedModel:
    """What MLflow calls with the path of the model file."""
    return LoadedModel(wordplane.load(path))


class LoadedModel:
    """What MLflow calls `predict` of."""

    def __init__(self, model: TextPredictor) -> None:
        self.model = model

    def predict(self, texts: object, params: dict[str, object] | None = None) -> DataFrame:
        """The answers of `wordplane.predict` for a frame or texts; `params` are its options, such
        as {"top_k": 3}."""
        import pandas as pd

        answers = wordplane.predict(self.model, texts, **(params or {}))  # type: ignore[arg-type]
        return pd.DataFrame(answers)
