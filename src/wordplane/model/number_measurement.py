"""The numbers that a model predicts for rows, next to the true ones."""

from dataclasses import dataclass

import numpy as np

from wordplane.common.groups import take_groups
from wordplane.common.types import FloatArray, IntArray
from wordplane.data.corpus import Corpus
from wordplane.evaluation.number_scores import NumberScores
from wordplane.model.regressor import TextRegressor


@dataclass(frozen=True, eq=False)
class NumberMeasurement:
    """The predictions of a model. Row i of each array is row rows[i] of the corpus.

    description  which rows these are, to follow the word "texts"
    trained_on   whether the model was trained on these rows
    """

    model: TextRegressor
    corpus: Corpus
    rows: IntArray
    truth: FloatArray
    predicted: FloatArray
    description: str
    trained_on: bool = False

    def score(self, *, random_state: int = 0) -> NumberScores:
        """How far the predictions are off."""
        groups = take_groups(self.corpus.groups, self.rows)
        return NumberScores.of(self.truth, self.predicted, groups=groups, random_state=random_state)

    def farthest(self, n: int) -> list[int]:
        """The rows that are farthest off, the farthest first."""
        order: list[int] = np.argsort(-np.abs(self.truth - self.predicted), kind="stable").tolist()
        return order[:n]

    def name(self, row: int) -> str:
        """The id of a row of the corpus, or else its number."""
        return f"row {self.corpus.row_name(row)}"
