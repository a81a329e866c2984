"""Regularization path: a model and its accuracy along a parameter such as C.

In each fold, a model is trained at each value and measured on training and held-out rows; the
weights are those of models of all texts. Values go from the strongest regularization to the
weakest, and learners with `warm_start` start from the weights of the previous value.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels
from wordplane.common.pool import pool_map
from wordplane.common.types import JsonObject, LabelArray, LabelsLike
from wordplane.diagnosis.fit_measures import FitMeasures, FoldMeasures, measure_model
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.registry import CountedGroups, fit_to_features
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.protocols import StartsWarm
from wordplane.selection.cross_validation import Fold, fold_matrices
from wordplane.selection.splitter import FIVE_FOLDS, Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents

Models: TypeAlias = Iterator[LinearClassifier]


@dataclass(frozen=True)
class RegularizationPath:
    """The measures and weights at each value, from the strongest regularization to the weakest.

    parameter  the name of the parameter
    points     the measures at each value
    n_nonzero  the number of nonzero weights of the models of all texts
    norms      the norms of their weights, |W|
    features   the names of the features with the largest weights, the largest first
    weights    the weights of these features: n_values x n_outputs x n_features
    """

    parameter: str
    points: tuple[FitMeasures, ...]
    n_nonzero: tuple[int, ...]
    norms: tuple[float, ...]
    features: tuple[str, ...]
    weights: NDArray[np.float64]

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        points = [point.to_dict() for point in self.points]
        return {**vars(self), "points": points, "weights": self.weights.tolist()}


def regularization_path(
    analyzer: Analyzer,
    learner: LinearClassifier,
    parameter: str,
    values: Sequence[float],
    documents: Documents,
    labels: LabelsLike,
    *,
    n_features: int = 20,
    splitter: Splitter = FIVE_FOLDS,
    threads: int = 1,
) -> RegularizationPath:
    """Train at each value of a parameter of the learner ("C"; "learner__C" for an NBSVM).

    n_features  the number of features whose weights are kept

    >>> from wordplane import LogisticRegression
    >>> from wordplane.text.documents import as_documents
    >>> texts, y = as_documents(["good", "good film", "bad", "bad film"] * 5, {}), [1, 1, 0, 0] * 5
    >>> analyzer, lasso = Analyzer(ngrams=(1, 1)), LogisticRegression(penalty="l1")
    >>> path = regularization_path(analyzer, lasso, "C", [0.1, 1], texts, y)
    >>> path.n_nonzero
    (0, 2)
    >>> path.features[:2]
    ('bad', 'good')
    """
    if parameter not in learner.get_params():
        raise InputError(f"{learner!r} has no parameter {parameter!r}")
    if len(values) == 0:
        raise InputError("values is empty, expected at least one value")
    y = as_labels(labels)
    ordered = sorted(values, reverse=not parameter.endswith("C"))
    counted = FoldCounts.of(analyzer, documents, threads, y)
    path = _Path(learner, parameter, ordered)

    def run(fold: Fold) -> list[FoldMeasures]:
        models = path.models(fold.features, fold.X_train, y[fold.train])
        return [measure_model(model, fold, y) for model in models]

    splits = splitter.split(y.tolist())
    matrices = fold_matrices(counted, analyzer, splits, threads)
    by_fold = pool_map(run, matrices, threads, "regularization path", len(splits))
    every = np.arange(len(y))
    features = counted.fit(analyzer, every, threads)
    W = np.array([m.coef_ for m in path.models(features, features.matrix(every, threads), y)])
    largest = np.abs(W).max(axis=(0, 1))
    top = np.argsort(-largest, kind="stable")[:n_features]
    return RegularizationPath(
        parameter,
        tuple(map(FitMeasures.of, ordered, zip(*by_fold, strict=True))),
        tuple(np.count_nonzero(W, axis=(1, 2)).tolist()),
        tuple(np.sqrt((W**2).sum(axis=(1, 2))).tolist()),
        tuple(features.name(column) for column in top.tolist()),
        W[:, :, top],
    )


class _Path(NamedTuple):
    learner: LinearClassifier
    parameter: str
    values: Sequence[float]

    def models(self, features: CountedGroups, X: _core.Csr, y: LabelArray) -> Models:
        """The model at each value, valid until the next one is requested."""
        copy = deepcopy(self.learner)
        starts_warm = isinstance(copy, StartsWarm)
        if starts_warm:
            copy.set_params(warm_start=True)
        model: LinearClassifier | None = None
        for value in self.values:
            copy.set_params(**{self.parameter: value})
            if model is None or not starts_warm:
                model = fit_to_features(copy, features, X, y, 1)
            else:
                model.set_params(**{self.parameter: value}).fit(X, y)
            yield model
