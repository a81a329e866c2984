"""A fitted linear text model: what is saved, scored and explained."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.features.counting import batches
from wordplane.text.analyzer import Analyzer


@dataclass
class TextModel:
    """z = x W + b, x the features of a text. Two classes have one output, for classes[1]."""

    analyzer: Analyzer
    vocabulary: _core.Vocabulary
    classes: NDArray[Any]
    W: NDArray[np.float32]  # n_features x n_outputs
    b: NDArray[np.float64]
    training: dict[str, Any] = field(default_factory=dict)  # how it was made, as JSON

    def __post_init__(self) -> None:
        self._scorer = _core.Scorer(
            self.analyzer.native(),
            self.vocabulary,
            binary=self.analyzer.binary,
            W=self.W,
            b=self.b,
        )

    def __reduce__(self) -> Any:
        fields = (self.analyzer, self.vocabulary, self.classes, self.W, self.b, self.training)
        return TextModel, fields

    def scores(self, texts: _core.Texts, threads: int) -> NDArray[np.float64]:
        """One row of scores per text."""
        parts = [
            self._scorer.scores(texts, begin, end, threads)
            for begin, end in batches(texts, "classifying texts")
        ]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.b)))
