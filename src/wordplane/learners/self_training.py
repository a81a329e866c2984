"""Self-training: a learner teaches itself with the labels that it is confident of.

    fit on the labeled rows
    repeat
        label the unlabeled rows for which a class has a probability of `threshold` or more
        fit on the labeled rows and these
    until no row is added, or after max_iter rounds

Reference: Yarowsky (1995), Unsupervised word sense disambiguation rivaling supervised methods.
"""

from typing import Self

import numpy as np

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.labels import Codes
from wordplane.common.matrix import stack_rows, take_rows
from wordplane.common.progress import notify
from wordplane.common.types import (
    FloatArray,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.learners.support.base import (
    Classifier,
    ClassWeight,
    LinearClassifier,
    bytes_to_fit,
    inner_tuning_grid,
    row_weights,
)
from wordplane.learners.support.parameter_checks import check, check_whole, is_real
from wordplane.learners.support.protocols import (
    Learner,
    ProbabilisticLearner,
    ScoringLearner,
    copy_unfitted,
    gives_probabilities,
)


class SelfTraining(LinearClassifier):
    """Any learner with probabilities, trained on rows with and without labels.

    Parameters
    ----------
    learner : learner
        One with `predict_proba`; it is copied, not changed.
    threshold : float, default 0.9
        The lowest probability at which a label is accepted.
    max_iter : int, default 10
        The most rounds.
    class_weight : "balanced" or mapping, default None
        The weight of each class, also of rows that got their label here; "balanced" makes all
        classes count alike.

    Attributes
    ----------
    classes_, coef_, intercept_
        The model of the learner; `coef_` if that is linear.
    learner_
        The fitted learner.
    n_iter_
        How often it was fitted.
    n_added_
        How many unlabeled rows were added in each round.

    Examples
    --------
    >>> from wordplane import MultinomialNB
    >>> X, y = [[2, 0, 0, 0], [0, 0, 2, 0]], ["sport", "law"]
    >>> model = SelfTraining(MultinomialNB(), threshold=0.6)
    >>> model = model.fit(X, y, unlabeled=[[1, 2, 0, 0], [0, 0, 1, 2]])
    >>> model.predict([[0, 1, 0, 0], [0, 0, 0, 1]]), model.n_added_
    (array(['sport', 'law'], dtype='<U5'), [2])
    """

    name = "self_training"
    learner_: ProbabilisticLearner
    n_added_: list[int]

    def __init__(
        self,
        learner: Learner,
        *,
        threshold: float = 0.9,
        max_iter: int = 10,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.threshold = threshold
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @property
    def kind(self) -> str:
        """That of the learner."""
        return self.learner.kind if isinstance(self.learner, Classifier) else "other"

    @property
    def reads_binary(self) -> bool:
        """As the learner."""
        return isinstance(self.learner, LinearClassifier) and self.learner.reads_binary

    @property
    def reads_counts(self) -> bool:
        """As the learner."""
        return isinstance(self.learner, LinearClassifier) and self.learner.reads_counts

    def fit_bytes(self, n_docs: int, n_features: int, n_classes: int) -> int:
        """That of the learner, and the probabilities of the rows."""
        inner = bytes_to_fit(self.learner, n_docs, n_features, n_classes)
        return inner + 2 * 8 * n_docs * n_classes

    def tuning_grid(self) -> dict[str, tuple[float, ...]]:
        """That of the learner."""
        return inner_tuning_grid(self.learner)

    def why_no_text_model(self) -> str:
        """Why no text model can be made of the learner; empty if one can."""
        if isinstance(self.learner, Classifier):
            return self.learner.why_no_text_model()
        return super().why_no_text_model()

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        sample_weight: WeightsLike = None,
        *,
        unlabeled: MatrixLike | None = None,
    ) -> Self:
        """Learn from X with labels y, and from the rows of `unlabeled`, which count 1 each."""
        is_share = is_real(self.threshold, 0, 1) and self.threshold > 0
        check(self, "threshold", is_share, "a number above 0, up to 1")
        check_whole(self, "max_iter")
        matrix = self._new_features(X)
        codes = self._new_labels(matrix, y)
        weights = row_weights(matrix, codes, self.classes_, sample_weight, None)
        self.learner_ = self._fit_copy(matrix, codes, weights)
        self.n_added_, self.n_iter_ = [], 1
        if unlabeled is not None:
            rest = self._known_features(unlabeled)
            for round_ in range(1, int(self.max_iter) + 1):
                p = np.asarray(self.learner_.predict_proba(rest))
                sure = np.flatnonzero(p.max(axis=1) >= float(self.threshold))
                if len(sure) == 0:
                    break
                matrix = stack_rows(matrix, take_rows(rest, sure))
                codes = np.concatenate([codes, p[sure].argmax(axis=1).astype(np.int32)])
                weights = np.concatenate([weights, np.ones(len(sure))])
                self.learner_ = self._fit_copy(matrix, codes, weights)
                self.n_added_.append(len(sure))
                self.n_iter_ += 1
                notify("self-training", round_, 0)
                rest = take_rows(rest, np.flatnonzero(p.max(axis=1) < float(self.threshold)))
                if rest.shape[0] == 0:
                    break
        if isinstance(self.learner_, LinearClassifier) and self.kind == "linear":
            self.coef_, self.intercept_ = self.learner_.coef_, self.learner_.intercept_
        return self

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """The scores of the learner."""
        self._check_fitted()
        if not isinstance(self.learner_, ScoringLearner):
            raise InputError(f"{self.learner!r} gives no scores; `predict_proba` gives more")
        return np.asarray(self.learner_.decision_function(self._known_features(X)))

    def predict(self, X: MatrixLike) -> LabelArray:
        """The labels that the learner gives."""
        self._check_fitted()
        return np.asarray(self.learner_.predict(self._known_features(X)))

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """The probabilities of the learner."""
        self._check_fitted()
        return np.asarray(self.learner_.predict_proba(self._known_features(X)))

    def _fit_copy(self, X: _core.Csr, codes: Codes, weights: FloatArray) -> ProbabilisticLearner:
        copy = copy_unfitted(self.learner, self.n_jobs)
        if not gives_probabilities(copy):
            raise InputError(f"{self.learner!r} gives no probabilities, which self-training needs")
        weights = self._row_weights(X, codes, weights)
        if (weights == 1).all():  # not every learner takes weights
            copy.fit(X, self.classes_[codes])
        else:
            copy.fit(X, self.classes_[codes], sample_weight=weights)
        return copy
