"""What can be told of a model that was taught one label, without a text of another."""

from dataclasses import asdict
from typing import Self

import numpy as np

from wordplane.common.frozen import frozen
from wordplane.common.types import IntArray, JsonObject, Label
from wordplane.data.corpus import Corpus
from wordplane.evaluation.intervals import Interval, wilson_interval
from wordplane.model.classifier import TextClassifier
from wordplane.workflow.result import Line, between, shorten


@frozen
class OneLabelTraining:
    """How many texts of the label the model finds, and how many there are among the unlabeled.

    recall           of texts of the label that were held out, by a model that has not seen them;
                     None if none were
    share            of the texts without labels, how many have the label; None if there were none
    share_bound      what that is at most, with 95 % confidence
    predicted_share  how many of them the model gives it
    """

    label: Label
    n_held_out: int
    recall: float | None
    recall_interval: Interval | None
    n_unlabeled: int
    share: float | None
    share_bound: float | None
    predicted_share: float | None

    @classmethod
    def of(cls, classifier: TextClassifier, corpus: Corpus, rows: IntArray) -> Self:
        """Of a model that was trained on some rows of a corpus."""
        label, holdout = (corpus.labels or [])[int(rows[0])], classifier.holdout_
        assert isinstance(label, str | int | bool)
        is_label = np.zeros(0, bool) if holdout is None else np.asarray(holdout.predicted) == label
        n, n_right = len(is_label), int(is_label.sum())
        training = classifier.training_
        shares = {name: float(str(value)) for name, value in training.chosen.items()}
        return cls(
            label=label,
            n_held_out=n,
            recall=n_right / n if n else None,
            recall_interval=wilson_interval(n_right, n) if n else None,
            n_unlabeled=training.n_unlabeled,
            share=shares.get("share"),
            share_bound=shares.get("share_bound"),
            predicted_share=shares.get("predicted_share"),
        )

    @property
    def tested_on(self) -> str:
        """What was measured and what not, to follow the word "accuracy"."""
        return "unknown: it takes texts of other labels to measure it (`wordplane evaluate`)"

    def to_dict(self) -> JsonObject:
        """The numbers as JSON can hold them."""
        return asdict(self)

    def lines(self) -> list[Line]:
        """The same in words."""
        lines, name = [], shorten(repr(self.label))
        if self.recall is not None and self.recall_interval is not None:
            interval = f"(95 % interval {between(self.recall_interval)})"
            tested = f"of {self.n_held_out:,} texts held out, by a model trained on the others"
            lines.append(("recall", f"{self.recall:.1%} {interval} {tested}"))
        if self.share is not None and self.share_bound is not None:
            bound = f"(at most {self.share_bound:.1%}, a 95 % bound)"
            lines += [
                (
                    "share",
                    f"{self.share:.1%} {bound} of the texts without labels are {name}, if",
                ),
                ("", "those with the label are a random draw of all that should have it"),
                ("given", f"{name} to {self.predicted_share:.1%} of the texts without labels"),
            ]
        return lines
