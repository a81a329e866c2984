"""Texts on other machines: collections of Dask, which are for `DaskTextClassifier`."""

from wordplane.common.errors import InputError


def is_remote(texts: object) -> bool:
    """Whether texts, or their labels, are a collection of Dask."""
    return hasattr(texts, "__dask_graph__")


def refuse_remote(*given: object) -> None:
    """For what needs texts and labels here."""
    if any(is_remote(each) for each in given):
        raise InputError(
            "the texts are a collection of Dask: use `fit`, `predict` and `predict_proba` of "
            "`wordplane.DaskTextClassifier`; for anything else, give what its `compute()` returns"
        )
