"""Editing a model: forbid, pin or cap features, and refit the others.

    forbidden  left out; of a word, all runs of words that have it too
    pinned     has exactly the weight that is given
    capped     has a weight of at most that size

The weights are the optimum of the learner's own objective among all that obey: a convex problem
with bounds on some weights (see `wordplane.optimize.bounded`), in which pinned features are an
offset for the others. Nothing is set by hand after the fit. NBSVM and the recipe are between naive
Bayes and a machine; both obey, so what is between them does.

A weight is that of the score of the second class: above 0 it speaks for it, below 0 for the first.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, JsonObject, LabelArray
from wordplane.evaluation.requirements import is_requirement
from wordplane.features.growing import keep_features
from wordplane.features.text_features import TextFeatures
from wordplane.learners.support.base import LinearClassifier
from wordplane.learners.support.bounds import Bounds
from wordplane.learners.support.protocols import FitsWithinBounds, TakesGroups, copy_unfitted
from wordplane.model.text_model import TextModel
from wordplane.text.checks import check_number, check_text, check_texts
from wordplane.text.documents import Documents
from wordplane.text.fields import parse_part

NOT = "NOT_"


@dataclass(frozen=True)
class Edit:
    """What is asked of features, by their names; a forbidden name may also be a word."""

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
            raise InputError("nothing to edit: name features with `forbid`, `pin` or `cap`")
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

    forbidden: tuple[int, ...]
    pinned: dict[int, float]
    capped: dict[int, float]
    unknown: tuple[str, ...]  # names of no feature


def find_columns(features: TextFeatures, edit: Edit) -> Found:
    """The columns of the features that are named."""
    names = features.names()
    column_of = {name: column for column, name in enumerate(names)}
    words = _columns_of_words(features, names, edit.forbid)
    forbidden = {column for columns in words.values() for column in columns}
    forbidden |= {column_of[name] for name in edit.forbid if name in column_of}
    first_pair = features.n_counted + len(features.dense.names)
    for pair, (a, b) in enumerate(features.pairs.tolist()):
        if a in forbidden or b in forbidden:
            forbidden.add(first_pair + pair)
    unknown = [name for name in edit.forbid if not words[name] and name not in column_of]
    unknown += [name for name in (*edit.pin, *edit.cap) if name not in column_of]
    pinned = {column_of[name]: weight for name, weight in edit.pin.items() if name in column_of}
    capped = {column_of[name]: most for name, most in edit.cap.items() if name in column_of}
    for column in sorted(forbidden & {*pinned, *capped}):
        raise InputError(f"{names[column]!r} is forbidden, so it can be neither pinned nor capped")
    return Found(tuple(sorted(forbidden)), pinned, capped, tuple(unknown))


def _columns_of_words(
    features: TextFeatures, names: list[str], words: Iterable[str]
) -> dict[str, list[int]]:
    """The columns of the runs of words with each word, which may begin with a field."""
    found: dict[str, list[int]] = {word: [] for word in words}
    fields = list(features.spec.columns.fields)
    first = 0
    for part, vocabulary in features.vocabularies.items():
        number, kind = parse_part(part)
        prefix = "" if number is None else f"{fields[number]}:"
        for column in range(first, first + vocabulary.n_features) if kind == "words" else ():
            for token in set(names[column].removeprefix(prefix).split(" ")):
                plain = token.removeprefix(NOT) if features.spec.tokens.negation else token
                for word in {plain, token, f"{prefix}{plain}"}:
                    if word in found:
                        found[word].append(column)
        first += vocabulary.n_features
    return found


def check_known(features: TextFeatures, found: Found) -> None:
    """Raise an InputError if a name is that of no feature."""
    if not found.unknown:
        return
    name = found.unknown[0]
    near = difflib.get_close_matches(name, features.names(), n=1, cutoff=0.7)
    hint = f"; did you mean {near[0]!r}?" if near else "; `inspect` and `explain` show names"
    raise InputError(f"the model has no feature {name!r}{hint}")


def check_editable(model: TextModel) -> LinearClassifier:
    """The learner that the model was made by; an InputError says why it cannot be refit."""
    training = model.training
    learner = training.make_learner()
    why = ""
    if model.multilabel or len(model.classes) > 2:
        why = f"it has {len(model.classes)} classes" + (", several per text" * model.multilabel)
        why += ", and only models of two classes can be"
    elif model.features.spec.selection.hash_bits is not None:
        why = "its features are hashed and have no names"
    elif training.n_unlabeled:
        why = "it learned from texts without labels too"
    elif is_requirement(training.metric):
        why = "what was shown of its requirement would no longer hold; train it without `require`"
    elif learner is None:
        why = f"its file does not tell how to make its learner again ({training.learner_text})"
    elif not (isinstance(learner, FitsWithinBounds) and learner.can_fit_within()):
        why = (
            f"its learner is {learner!r}; those that can be are the recipe, nbsvm, svm (squared "
            "hinge) and logistic, with an l2 penalty"
        )
    if why:
        raise InputError(f"the model cannot be edited: {why}")
    assert learner is not None
    return learner


def edit_model(
    model: TextModel,
    learner: LinearClassifier,
    documents: Documents,
    labels: LabelArray,
    weights: FloatArray | None,
    edit: Edit,
    threads: int,
) -> TextModel:
    """The model with its features, but for forbidden ones, and with weights refit on documents.
    Names that it does not have are passed over."""
    found = find_columns(model.features, edit)
    n_features = model.features.n_features
    lower, upper = np.full(n_features, -np.inf), np.full(n_features, np.inf)
    for column, weight in found.pinned.items():
        lower[column] = upper[column] = weight
    for column, most in found.capped.items():
        lower[column], upper[column] = -most, most
    forbidden = list(found.forbidden)
    lower[forbidden] = upper[forbidden] = 0.0
    keep = np.ones(n_features, bool)
    if model.features.spec.selection.has_plain_columns:
        keep[forbidden] = False
        keep[model.features.n_counted :] = True  # columns beside the text stay, without weight
    resized = keep_features(model.features, keep)
    if resized.features.n_features == 0:
        raise InputError("no feature would be left")
    lower, upper = lower[keep], upper[keep]
    X = resized.features.transform(documents, threads)
    new = copy_unfitted(learner, threads)
    starts = [start for _, start in resized.features.groups]
    if isinstance(new, TakesGroups):
        new.set_groups(starts, resized.features.n_counted, resized.features.n_features)
    assert isinstance(new, FitsWithinBounds), "a learner that can be edited"
    new.fit_within(X, labels, Bounds(lower, upper), sample_weight=weights)
    if new.classes_.tolist() != model.classes.tolist():
        raise InputError("the texts have not both classes of the model")
    W = np.ascontiguousarray(new.coef_.T, dtype=np.float32)
    over = np.abs(W[:, 0]) > upper  # by rounding
    over &= lower < upper
    W[over] = np.nextafter(W[over], np.float32(0))
    return replace(model, features=resized.features, W=W, b=new.intercept_, learner=None)


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
