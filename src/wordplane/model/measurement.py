"""What a model predicted for labeled rows: the predictions, next to the truth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordplane.common.groups import take_groups
from wordplane.common.label_sets import LabelSets
from wordplane.common.types import FloatArray, IntArray, Label, LabelArray
from wordplane.data.corpus import Corpus
from wordplane.evaluation.fold_variance import widen_scores
from wordplane.evaluation.label_scores import Scores, score
from wordplane.evaluation.outcomes import Outcome
from wordplane.evaluation.set_scores import SetScores, score_sets
from wordplane.model.classifier import TextClassifier


@dataclass(frozen=True, eq=False)
class Measurement:
    """The predictions of a model. Row i of each array is row rows[i] of the corpus.

    description      which rows these are, to follow the word "texts"
    predicted_by     the model that made the predictions: `model`, or one that had not seen the rows
    trained_on       whether the model was trained on these rows
    by_other_models  whether the predictions come from models that had not seen the rows and were
                     not kept
    scores           as `decision_function` gives them
    in_folds         whether the rows were predicted by models of folds, which learned from each
                     other's rows: intervals are wider
    """

    model: TextClassifier
    corpus: Corpus
    rows: IntArray
    truth: LabelArray
    predicted: LabelArray
    probabilities: FloatArray
    description: str
    predicted_by: TextClassifier
    scores: FloatArray
    trained_on: bool = False
    by_other_models: bool = False
    in_folds: bool = False

    @property
    def confidence(self) -> FloatArray:
        """The probability of the predicted label."""
        classes = self.model.classes_
        codes = np.searchsorted(classes, self.predicted.astype(classes.dtype))
        return np.asarray(self.probabilities[np.arange(len(codes)), codes])

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which predictions are wrong."""
        return np.asarray(self.truth != self.predicted)

    @property
    def true_labels(self) -> list[Label]:
        """The labels that occur in `truth`."""
        return list(dict.fromkeys(self.truth.tolist()))

    @property
    def unknown_labels(self) -> list[Label]:
        """True labels that the model does not know, sorted."""
        return sorted(set(self.true_labels) - set(self.model.classes_.tolist()), key=str)

    def score(self, *, log_loss: bool = False, random_state: int = 0) -> Scores:
        """The scores of the predictions; with `log_loss`, also of the probabilities. Rows count by
        their weights, unless all weigh 0."""
        weights = None if self.corpus.weights is None else self.corpus.weights[self.rows]
        if weights is not None:  # if no row weighs anything, all count alike
            weights = weights / weights.max() if weights.any() else None
        scores = score(
            self.truth,
            self.predicted,
            sample_weight=weights,
            probabilities=self.probabilities if log_loss else None,
            classes=self.model.classes_ if log_loss else None,
            groups=take_groups(self.corpus.groups, self.rows),
            random_state=random_state,
        )
        return widen_scores(scores, len(self.rows)) if self.in_folds else scores

    def outcome(self) -> Outcome:
        """What a metric is a number of."""
        classes = self.model.classes_.tolist()
        return Outcome.of_labels(self.truth, self.predicted, self.probabilities, classes)

    def name(self, row: int) -> str:
        """The id of a row of the corpus, or else its number."""
        return f"row {self.corpus.row_name(row)}"

    def is_true(self, k: int) -> NDArray[np.bool_]:
        """Which rows have class k of the model."""
        return np.asarray(self.truth == self.model.classes_.tolist()[k])

    def is_predicted(self, k: int) -> NDArray[np.bool_]:
        """Which rows were predicted as class k."""
        return np.asarray(self.predicted == self.model.classes_.tolist()[k])


@dataclass(frozen=True, eq=False)
class SetMeasurement:
    """The same for a multi-label model.

    The labels of `truth` and `predicted` are those of the model, then those unknown to it.
    """

    model: TextClassifier
    corpus: Corpus
    rows: IntArray
    truth: LabelSets
    predicted: LabelSets
    probabilities: FloatArray
    description: str
    trained_on: bool = False
    by_other_models: bool = False
    in_folds: bool = False

    @property
    def true_labels(self) -> list[Label]:
        """The labels that occur in `truth`."""
        return list(self.truth.classes[self.truth.sizes() > 0].tolist())

    @property
    def unknown_labels(self) -> list[Label]:
        """True labels that the model does not know, sorted."""
        return list(self.truth.classes.tolist()[len(self.model.classes_) :])

    def score(self, *, log_loss: bool = False, random_state: int = 0) -> SetScores:
        """The scores of the predictions."""
        del log_loss  # only defined for one label per row
        groups = take_groups(self.corpus.groups, self.rows)
        scores = score_sets(self.truth, self.predicted, groups=groups, random_state=random_state)
        return widen_scores(scores, len(self.rows)) if self.in_folds else scores

    def outcome(self) -> Outcome:
        """What a metric is a number of."""
        return Outcome.of_sets(self.truth, self.predicted, self.probabilities)

    def name(self, row: int) -> str:
        """The id of a row of the corpus, or else its number."""
        return f"row {self.corpus.row_name(row)}"

    def is_true(self, k: int) -> NDArray[np.bool_]:
        """Which rows have label k of the model."""
        return self.truth.member[:, k]

    def is_predicted(self, k: int) -> NDArray[np.bool_]:
        """For which rows label k was predicted."""
        return self.predicted.member[:, k]
