"""Classifiers of texts that learn nothing: their parameters decide."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wordplane.common.estimator import TextEstimator
from wordplane.common.types import LabelArray, LabelsLike, WeightsLike
from wordplane.learners.support.base import accuracy

if TYPE_CHECKING:
    from sklearn.utils import Tags


class UntrainedClassifier(TextEstimator):
    """Labels texts without any training; `fit` only checks."""

    def predict(self, texts: Iterable[str]) -> LabelArray:
        """The label of every text."""
        raise NotImplementedError

    def score(
        self, texts: Iterable[str], y: LabelsLike, sample_weight: WeightsLike = None
    ) -> float:
        """The share of texts (by weight) that are predicted right."""
        return accuracy(self.predict(texts), y, sample_weight)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> "Tags":
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.requires_fit = False
        return tags
