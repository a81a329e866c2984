"""Search for the groups of features that a learner does best with, by cross-validation."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import LabelArray
from wordplane.features.subset_search import METHODS, SearchResult, Subset, search_subsets
from wordplane.model.plan import Plan
from wordplane.selection.cross_validation import out_of_fold
from wordplane.text.feature_groups import GROUPS, only_groups


def search_groups(
    plan: Plan,
    y: LabelArray,
    groups: Iterable[str],
    *,
    method: str,
    start: str,
    folds: int,
    random_state: int,
) -> tuple[Plan, SearchResult]:
    """The plan with the best groups, and all subsets of the groups that were tried.

    The loss of a subset is the share of the texts that models of the folds get wrong; without any
    feature, all texts get the most frequent label.
    """
    names = list(groups)
    unknown = [name for name in names if name not in GROUPS]
    if unknown or not names:
        raise InputError(f"the groups to search are {names}, expected some of {', '.join(GROUPS)}")
    if method not in METHODS:
        raise InputError(f"`search` is {method!r}, expected one of {', '.join(METHODS)}")
    _, counts = np.unique(y, return_counts=True)
    guessing = 1 - float(counts.max()) / len(y)

    def loss(subset: Subset) -> float:
        analyzer = only_groups(plan.analyzer, subset)
        try:
            analyzer.check()
            done = out_of_fold(
                analyzer,
                plan.learner,
                plan.documents,
                y,
                folds=folds,
                groups=plan.groups,
                random_state=random_state,
                threads=plan.threads,
            )
        except InputError:  # such as no feature at all
            return guessing
        return float(np.mean(done.predicted != y))

    found = search_subsets(
        names,
        loss,
        method=method,  # type: ignore[arg-type]
        start=start,  # type: ignore[arg-type]
        random_state=random_state,
    )
    if not found.subset:
        return plan, found
    return replace(plan, analyzer=only_groups(plan.analyzer, found.subset)), found
