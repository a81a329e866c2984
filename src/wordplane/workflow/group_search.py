"""Search for the groups of features that a learner does best with, by cross-validation."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, LabelsOrSets
from wordplane.evaluation.measures import value_by
from wordplane.evaluation.outcomes import Outcome, majority_outcome
from wordplane.features.subset_search import METHODS, SearchResult, Subset, search_subsets
from wordplane.model.plan import Plan
from wordplane.selection.cross_validation import out_of_fold
from wordplane.selection.fold_metric import FoldMetric
from wordplane.selection.splitter import Splitter
from wordplane.text.feature_groups import GROUPS, only_groups


def search_groups(
    plan: Plan,
    y: LabelsOrSets,
    groups: Iterable[str],
    *,
    method: str,
    start: str,
    splitter: Splitter,
) -> tuple[Plan, SearchResult]:
    """The plan with the best groups, and all subsets of the groups that were tried.

    The loss of a subset is the share of the texts that models of the folds get wrong, or 1 minus
    the micro-F1 if they are multi-label; without any feature, all get the most frequent label.
    """
    names = list(groups)
    unknown = [name for name in names if name not in GROUPS]
    if unknown or not names:
        raise InputError(f"the groups to search are {names}, expected some of {', '.join(GROUPS)}")
    if method not in METHODS:
        raise InputError(f"`search` is {method!r}, expected one of {', '.join(METHODS)}")
    measure = FoldMetric.of(None, y).name
    guessing = 1 - value_by(measure, majority_outcome(y))

    def loss(subset: Subset) -> float:
        analyzer = only_groups(plan.analyzer, subset)
        try:
            done = out_of_fold(
                analyzer,
                plan.learner,
                plan.documents,
                y,
                splitter=splitter,
                threads=plan.threads,
                decide=True,
            )
        except InputError:  # such as no feature at all
            return guessing
        if isinstance(y, LabelSets):
            assert done.member is not None
            decided = LabelSets.of_member(y.classes, done.member[done.rows])
            return 1 - value_by(measure, Outcome.of_sets(y[done.rows], decided))
        return float(np.mean((done.predicted != y)[done.rows]))

    searched = search_subsets(
        names,
        loss,
        method=method,  # type: ignore[arg-type]
        start=start,  # type: ignore[arg-type]
        random_state=splitter.random_state,
    )
    if not searched.subset:
        return plan, searched
    return replace(plan, analyzer=only_groups(plan.analyzer, searched.subset)), searched
