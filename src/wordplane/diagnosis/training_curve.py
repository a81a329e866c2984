"""Training curve: the fit of a model after each epoch, for learners that learn in epochs."""

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels
from wordplane.common.pool import pool_map
from wordplane.common.types import FloatArray, LabelsLike
from wordplane.diagnosis.fit_measures import FitMeasures, FoldMeasures, measure_fold
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.registry import fit_to_features
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.online import OnlineClassifier
from wordplane.selection.cross_validation import Fold, fold_matrices
from wordplane.selection.splitter import FIVE_FOLDS, Splitter
from wordplane.text.analyzer import Analyzer
from wordplane.text.documents import Documents


def training_curve(
    analyzer: Analyzer,
    learner: LinearClassifier,
    documents: Documents,
    labels: LabelsLike,
    *,
    splitter: Splitter = FIVE_FOLDS,
    threads: int = 1,
) -> tuple[FitMeasures, ...]:
    """The measures after each epoch; a fold that stopped early keeps its last ones.

    >>> from wordplane import Perceptron
    >>> from wordplane.text.documents import as_documents
    >>> texts = as_documents(["good", "good film", "bad", "bad film"] * 10, {})
    >>> learner = Perceptron(max_iter=3)
    >>> curve = training_curve(Analyzer(), learner, texts, ["+", "+", "-", "-"] * 10)
    >>> curve[-1].mean("train_accuracy")
    1.0
    """
    if not isinstance(learner, OnlineClassifier):
        raise InputError(f"{learner!r} does not learn in epochs, so it has no training curve")
    y = as_labels(labels)
    recorder = type(learner)(**{**learner.get_params(deep=False), "keep_path": True})

    def run(fold: Fold) -> list[FoldMeasures]:
        model = fit_to_features(recorder, fold.features, fold.X_train, y[fold.train], 1)
        assert isinstance(model, OnlineClassifier)
        measures = []
        for W, b in model.path_:
            z_train, z_held = (_scores(X, W, b) for X in (fold.X_train, fold.X_held))
            measures.append(
                measure_fold(model.classes_, z_train, y[fold.train], z_held, y[fold.held])
            )
        return measures

    counted = FoldCounts.of(analyzer, documents, threads, y)
    splits = splitter.split(y.tolist())
    matrices = fold_matrices(counted, analyzer, splits, threads)
    paths = pool_map(run, matrices, threads, "training curve", len(splits))
    n_epochs = max(map(len, paths))
    return tuple(
        FitMeasures.of(epoch, [path[min(epoch, len(path)) - 1] for path in paths])
        for epoch in range(1, n_epochs + 1)
    )


def _scores(X: _core.Csr, W: FloatArray, b: FloatArray) -> FloatArray:
    z = _core.linear_scores(X, np.ascontiguousarray(W), b, 1)
    return z[:, 0] if z.shape[1] == 1 else z
