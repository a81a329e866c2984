"""What can be asked for in addition to the label of a text, and which models cannot give it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.frozen import frozen
from wordplane.evaluation.number_intervals import NumberIntervals
from wordplane.model.predictor import TextPredictor


@frozen
class Wanted:
    """What to give for each text in addition to its label.

    top_k           the N likeliest labels
    probabilities   the probability of every label, a column each
    min_confidence  no label where the likeliest has a probability below this, such as 0.8; with
                    levels, the part of a label that has so much
    separator       of labels such as a/b/c: the likeliest part at every level
    set_confidence  a set of labels that contains the true one with this probability, such as 0.95,
                    or of a number the ends of an interval (conformal, by the rows held out in
                    training)
    explain         the N words that say most about the label
    known           the share of the words that the model knows, and whether the text is unfamiliar:
                    unlike 99 in 100 of those held out in training
    keep            these columns of the data, as they are
    like_input      the columns kept come first, and stand for the id
    label_empty     a label for empty texts, too
    keep_if         only the texts that are given this label, or with LABEL=P those in which it has
                    at least this probability; `*` is any label
    """

    top_k: int | None = None
    probabilities: bool = False
    min_confidence: float | None = None
    set_confidence: float | None = None
    explain: int | None = None
    keep: tuple[str, ...] = ()
    known: bool = False
    separator: str | None = None
    like_input: bool = False
    label_empty: bool = False
    keep_if: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("top_k", "explain"):
            number = getattr(self, name)
            if number is None:
                continue
            if not isinstance(number, int | np.integer) or not 1 <= number < 2**31:
                raise InputError(f"`{name}` is {number!r:.30}, expected 1 or more, a whole number")
        for name in ("min_confidence", "set_confidence"):
            share = getattr(self, name)
            if share is not None and not 0 < share < 1:
                raise InputError(f"`{name}` is {share:g}, expected between 0 and 1")

    def refusals(self, model: TextPredictor, n_held_out: int) -> Iterator[tuple[str, str]]:
        """What the model cannot give: the name of an option, and why not."""
        if model.model_.predicts_numbers:
            for name in ("top_k", "probabilities", "min_confidence", "separator", "keep_if"):
                if getattr(self, name):
                    yield name, f"`{name}` is for labels, and the model predicts numbers"
        if model.is_multilabel:
            for name in ("min_confidence", "set_confidence"):
                if getattr(self, name) is not None:
                    yield (
                        name,
                        f"`{name}` is for one label per text, and the model is multi-label: "
                        "`probabilities` gives those of all labels",
                    )
            if self.separator is not None:
                yield (
                    "separator",
                    "`separator` is for one label per text, and the model is multi-label",
                )
        if self.keep_if and self.separator is not None:
            yield "keep_if", "`keep_if` is about whole labels: leave out `separator`"
        if self.known and not model.is_word_model:
            yield "known", "`known` counts words, and the model looks at none"
        if self.set_confidence is not None and n_held_out == 0:
            yield (
                "set_confidence",
                "`set_confidence` needs probabilities of rows held out, and the model has none: "
                "train it with `calibration` 'holdout'",
            )

    def check(self, model: TextPredictor) -> None:
        """Refuse what the model cannot give."""
        calibrator, n_held_out = model.model_.calibrator, len(model.training_.true_probabilities)
        if isinstance(calibrator, NumberIntervals):
            n_held_out = len(calibrator.errors)
        for _, why in self.refusals(model, n_held_out):
            raise InputError(why)
