"""Fit a learner to multi-label rows, with thresholds chosen among the rows that it is fitted to.

    a first fit, without a tenth of the rows, scores that tenth;
    thresholds and probabilities are fitted on these scores (`evaluation.label_decisions`);
    a second fit, on all of the rows, gets them

That is how `TextClassifier.fit` decides, too. The rows of a fold that such a model is measured on
have no influence on its thresholds.
"""

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets
from wordplane.common.matrix import take_rows
from wordplane.common.types import FloatArray, IntArray
from wordplane.data.splits import holdout
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.learners.registry import CountedGroups, fit_to_features
from wordplane.learners.support.base import LinearClassifier

HELD_OUT = 0.1  # share of the rows


def fit_deciding(
    learner: LinearClassifier,
    features: CountedGroups,
    X: _core.Csr,
    y: LabelSets,
    groups: IntArray | None = None,
) -> tuple[LinearClassifier, LabelDecisions]:
    """The fitted learner and how it decides; at 0 if no row can be held out."""
    model = fit_to_features(learner, features, X, y, 1)
    rest, held_out = holdout(y.strata(), HELD_OUT, 0, groups)
    untuned = LabelDecisions.untuned(len(y.classes))
    if len(held_out) == 0:
        return model, untuned
    try:
        first = fit_to_features(learner, features, take_rows(X, rest), y[rest], 1)
    except InputError:  # the rest alone may be too little to learn from
        return model, untuned
    z = label_scores(first, take_rows(X, held_out))
    return model, LabelDecisions.fit(z, y[held_out].member)


def label_scores(model: LinearClassifier, X: _core.Csr) -> FloatArray:
    """The score of every label, n x K, also if there is one label only."""
    return np.asarray(model.decision_function(X)).reshape(X.shape[0], -1)
