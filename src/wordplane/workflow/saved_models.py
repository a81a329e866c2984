"""What users pass as a model: one that is in memory, or the file of one."""

from copy import copy
from os import PathLike

from wordplane.model.classifier import TextClassifier, load_classifier

ModelLike = TextClassifier | str | PathLike[str]


def open_model(model: ModelLike, n_jobs: int | None) -> TextClassifier:
    """The model, to be used by so many threads; that of the caller stays as it is."""
    opened = copy(model) if isinstance(model, TextClassifier) else load_classifier(model)
    opened.n_jobs = n_jobs
    return opened
