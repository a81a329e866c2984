"""Learners on the features of texts: what a learner must know of where its columns come from."""

from typing import Any

from wordplane import _core
from wordplane.learners.nbsvm import NBSVM


def fitted_on(
    learner: Any, groups: list[tuple[str, int]], X: _core.Csr, y: Any, threads: int, **fit: Any
) -> Any:
    """A new learner with the parameters of `learner`, fitted; NBSVM is told the groups."""
    new = type(learner)(**{**learner.get_params(deep=False), "n_jobs": threads})
    if isinstance(new, NBSVM) and new.blocks is None:
        starts = sorted({start for _, start in groups} - {0})
        new.set_params(blocks=[start for start in starts if start < X.shape[1]] or None)
    return new.fit(X, y, **fit)
