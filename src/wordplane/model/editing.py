"""Editing a model: forbid words, pin or cap weights, and refit the others.

    forbidden  a word that is masked in every text before features are made (`text.forbidden`)
    pinned     a feature that has exactly the weight that is given
    capped     a feature that has a weight of at most that size

Every model can be refit without some words. Of two classes, weights can be pinned and capped too:
the others are the optimum of the learner's own objective among all that obey, a convex problem with
bounds on some weights (see `wordplane.optimize.bounded`), in which pinned features are an offset
for the others. Nothing is set by hand after the fit. NBSVM and the recipe are between naive Bayes
and a machine; both obey, so what is between them does.

A weight is that of the score of the second class: above 0 it speaks for it, below 0 for the first.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, JsonObject, LabelArray
from wordplane.features.text_features import TextFeatures
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.bounds import Bounds
from wordplane.learners.support.one_label import OneLabelClassifier
from wordplane.learners.support.protocols import FitsWithinBounds, TakesGroups, copy_unfitted
from wordplane.model.text_model import TextModel
from wordplane.text.checks import check_number, check_text, check_texts
from wordplane.text.documents import Documents


@dataclass(frozen=True)
class Edit:
    """The words that are forbidden, and what is asked of features, by their names."""

    forbid: tuple[str, ...] = ()
    pin: Mapping[str, float] = field(default_factory=dict)
    cap: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        forbid: Iterable[str] = (),
        pin: Mapping[str, float] | None = None,
        cap: Mapping[str, float] | None = None,
    ) -> Self:
        """The same, checked.

        >>> Edit.of(["spoiler"], pin={"great": 1}).pin
        {'great': 1.0}
        """
        words = [forbid] if isinstance(forbid, str) else forbid
        edit = cls(
            tuple(dict.fromkeys(check_texts("`forbid`", words))),
            _numbers("pin", pin),
            _numbers("cap", cap),
        )
        named = [*edit.forbid, *edit.pin, *edit.cap]
        if not named:
            raise InputError("nothing to edit: name words with `forbid`, `pin` or `cap`")
        for name in named:
            if named.count(name) > 1:
                raise InputError(f"{name!r} is named twice among `forbid`, `pin` and `cap`")
        for name, most in edit.cap.items():
            if most < 0:
                raise InputError(f"`cap` of {name!r} is {most:g}, expected 0 or more")
        return edit

    def after(self, edits: JsonObject) -> "Edit":
        """Earlier edits, as a model's record has them, and these; of the same feature, these.

        >>> Edit(cap={"great": 1.0}).after({"forbid": ["smith"], "pin": {"great": 2.0}, "cap": {}})
        Edit(forbid=('smith',), pin={}, cap={'great': 1.0})
        """
        if not edits:
            return self
        before = Edit(tuple(edits["forbid"]), edits["pin"], edits["cap"])  # type: ignore[arg-type]
        named = {*self.forbid, *self.pin, *self.cap}
        return Edit(
            (*(name for name in before.forbid if name not in named), *self.forbid),
            {**{n: w for n, w in before.pin.items() if n not in named}, **self.pin},
            {**{n: w for n, w in before.cap.items() if n not in named}, **self.cap},
        )

    def to_dict(self) -> JsonObject:
        """As JSON can hold it."""
        return {"forbid": list(self.forbid), "pin": dict(self.pin), "cap": dict(self.cap)}


@dataclass(frozen=True)
class Found:
    """The columns that an edit means."""

    pinned: dict[int, float]
    capped: dict[int, float]
    unknown: tuple[str, ...]  # names of no feature


def find_columns(features: TextFeatures, edit: Edit) -> Found:
    """The columns of the features that are pinned or capped."""
    column_of = {name: column for column, name in enumerate(features.names())}
    pinned = {column_of[name]: weight for name, weight in edit.pin.items() if name in column_of}
    capped = {column_of[name]: most for name, most in edit.cap.items() if name in column_of}
    unknown = [name for name in (*edit.pin, *edit.cap) if name not in column_of]
    return Found(pinned, capped, tuple(unknown))


def check_names(features: TextFeatures, unknown: Sequence[str]) -> None:
    """Raise an InputError if there is a name of no feature."""
    if not unknown:
        return
    name = unknown[0]
    near = difflib.get_close_matches(name, features.names(), n=1, cutoff=0.7)
    hint = f"; did you mean {near[0]!r}?" if near else "; `inspect` and `explain` show names"
    raise InputError(f"the model has no feature {name!r}{hint}")


def check_editable(model: TextModel, edit: Edit) -> LinearClassifier:
    """The learner that the model was made by; an InputError says why it cannot be refit."""
    learner, why = model.training.make_learner(), model.training.why_not_refit()
    if learner is not None and not why:
        why = _why_not_edited(model, learner, edit)
    if learner is None or why:
        raise InputError(f"the model cannot be edited: {why}")
    return learner


def _why_not_edited(model: TextModel, learner: LinearClassifier, edit: Edit) -> str:
    if isinstance(learner, OneLabelClassifier):
        return f"it was trained on one label ({learner!r}), so the cost cannot be measured"
    return _why_not_bounded(model, learner) if edit.pin or edit.cap else ""


def _why_not_bounded(model: TextModel, learner: LinearClassifier) -> str:
    """Why the weights of a model can be neither pinned nor capped; empty if they can be."""
    if model.multilabel or len(model.classes) > 2:
        several = ", several per text" * model.multilabel
        return (
            f"it has {len(model.classes)} classes{several}, and `pin` and `cap` are for two; "
            "`forbid` is for any number"
        )
    if model.features.spec.selection.hash_bits is not None:
        return "its features are hashed and have no names; `forbid` needs none"
    if not (isinstance(learner, FitsWithinBounds) and learner.can_fit_within()):
        return (
            f"its learner is {learner!r}; weights can be pinned and capped with the recipe, nbsvm, "
            "svm (squared hinge) and logistic, with an l2 penalty"
        )
    return ""


def bound_weights(
    model: TextModel,
    learner: LinearClassifier,
    documents: Documents,
    labels: LabelArray,
    weights: FloatArray | None,
    edit: Edit,
    threads: int,
) -> TextModel:
    """The model with weights refit on documents, so that those pinned and capped obey. Names that
    it does not have are passed over."""
    features, found = model.features, find_columns(model.features, edit)
    lower, upper = np.full(features.n_features, -np.inf), np.full(features.n_features, np.inf)
    for column, weight in found.pinned.items():
        lower[column] = upper[column] = weight
    for column, most in found.capped.items():
        lower[column], upper[column] = -most, most
    X = features.transform(documents, threads)
    new = copy_unfitted(learner, threads)
    if isinstance(new, TakesGroups):
        starts = [start for _, start in features.groups]
        new.set_groups(starts, features.n_counted, features.n_features)
    assert isinstance(new, FitsWithinBounds), "a learner that can be edited"
    new.fit_within(X, labels, Bounds(lower, upper), sample_weight=weights)
    W = np.ascontiguousarray(new.coef_.T, dtype=np.float32)
    over = np.abs(W[:, 0]) > upper  # by rounding
    over &= lower < upper
    W[over] = np.nextafter(W[over], np.float32(0))
    return replace(model, W=W, b=new.intercept_, learner=None, reference=None)


def _numbers(name: str, given: Mapping[str, float] | None) -> dict[str, float]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"`{name}` is {given!r:.60}, expected features with numbers")
    return {
        check_text(f"a name in `{name}`", feature): check_number(f"`{name}` of {feature!r}", value)
        for feature, value in given.items()
    }


def edit_text(edits: JsonObject) -> str:
    """The edits of a model, as its record has them, in words.

    >>> edit_text({"forbid": ["smith"], "pin": {"great": 2.0}, "cap": {}})
    'forbidden smith; pinned great=2'
    """
    edit = Edit(tuple(edits["forbid"]), edits["pin"], edits["cap"])  # type: ignore[arg-type]
    parts = [f"forbidden {', '.join(edit.forbid)}"] if edit.forbid else []
    for what, weights in (("pinned", edit.pin), ("capped", edit.cap)):
        told = ", ".join(f"{name}={weight:g}" for name, weight in weights.items())
        parts += [f"{what} {told}"] if told else []
    return "; ".join(parts)
