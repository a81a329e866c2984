"""Texts on other machines: bags, series and frames of Dask.

What trains and predicts there is made of what is here, so it is loaded by name, and only when such
texts come: nobody else waits for it.
"""

from importlib import import_module
from typing import Any

from wordplane.common.errors import InputError


def is_remote(texts: object) -> bool:
    """Whether texts, or their labels, are a collection of Dask."""
    return hasattr(texts, "__dask_graph__")


def remote_texts() -> Any:
    """The module with `fit` and `apply` for such texts."""
    return import_module("wordplane.workflow.dask_classifier")


def refuse_remote(texts: object) -> None:
    """For what needs the texts here."""
    if is_remote(texts):
        raise InputError(
            "the texts are a collection of Dask: `fit`, `predict` and `predict_proba` can use it; "
            "for anything else, give what its `compute()` returns"
        )
