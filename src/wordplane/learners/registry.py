"""Learners by name, and how one is fitted to the features of texts.

What is special about a learner stands in its own file (see `LinearClassifier`); here are only the
names, so that a module is imported when its learner is asked for. A subclass of `LinearClassifier`
outside this package is known by its `name` as soon as it is defined.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, as_labels_or_sets, classes_of
from wordplane.common.memory import SMALL_BYTES, available_memory, require_memory
from wordplane.common.parameters import nearest
from wordplane.common.types import LabelsLike, WeightsLike
from wordplane.learners.names import (
    FURTHER_LEARNERS,
    LEARNERS,
    NO_TEXT_MODEL,
    ONE_LABEL_LEARNERS,
)
from wordplane.learners.support.base import Classifier, LinearClassifier
from wordplane.learners.support.one_label import OneLabelClassifier
from wordplane.learners.support.protocols import (
    HasParams,
    PreparesForLabel,
    TakesGroups,
    copy_unfitted,
    measures_rounds,
    takes_unlabeled,
)

# What to do where memory is not enough.
FEWER = "use fewer texts or labels"
TREE_INSTEAD = (
    "raise `min_df`, set `max_features` or `hash_bits`, or use a label tree (`learner=tree`), "
    "whose weights are sparse"
)
if TYPE_CHECKING:  # for texts with several labels
    from wordplane.learners.support.chain import ClassifierChain
    from wordplane.learners.support.one_vs_rest import OneVsRest

NAMED = {**LEARNERS, **ONE_LABEL_LEARNERS}


class CountedGroups(Protocol):
    """What is asked of fitted features: the first columns of groups, and how many count."""

    @property
    def groups(self) -> Sequence[tuple[str, int]]: ...

    @property
    def n_counted(self) -> int: ...


def learner_class(name: str) -> type[LinearClassifier]:
    """The class of a learner that has a name, also of one that is not on the command line.

    >>> learner_class("svm").__name__
    'LinearSVM'
    """
    place = NAMED.get(name) or FURTHER_LEARNERS.get(name)
    if place is not None:
        cls = _import(place)
        assert issubclass(cls, LinearClassifier)
        return cls
    defined = [cls for cls in _subclasses(LinearClassifier) if vars(cls).get("name") == name]
    if not name or not defined:
        raise _unknown(name)
    return defined[-1]  # a notebook may define it several times


def learner_named(name: str) -> LinearClassifier:
    """A new learner by its name on the command line, with its defaults for texts."""
    if name in NO_TEXT_MODEL:
        raise InputError(f"learner is {name!r}: {why_no_text_model(name)}")
    if name in FURTHER_LEARNERS:
        raise _unknown(name)
    cls = learner_class(name)
    return cls(**cls.text_defaults)


def _unknown(name: str) -> InputError:
    return InputError(
        f"learner is {name!r}{nearest(name, NAMED)}, expected one of {', '.join(NAMED)}"
    )


def why_no_text_model(name: str) -> str:
    """Why the classifier with a name in `NO_TEXT_MODEL` makes no text model, and what to do."""
    cls = _import(NO_TEXT_MODEL[name])
    return cls().why_no_text_model()


def check_learner(learner: object) -> LinearClassifier:
    """The learner, if a text model can be made of it: one of ours, or ours around another's."""
    why = learner.why_no_text_model() if isinstance(learner, Classifier) else ""
    if why:
        raise InputError(why)
    if isinstance(learner, LinearClassifier):
        return learner
    is_estimator = isinstance(learner, HasParams) and hasattr(learner, "fit")
    if isinstance(learner, type) or not is_estimator:
        raise InputError(
            f"learner is {learner!r}, expected a name, one of Wordplane's learners, or a linear "
            "classifier of scikit-learn"
        )
    from wordplane.learners.foreign import ForeignLinear, LinearEstimator

    return ForeignLinear(cast(LinearEstimator, learner))


def fit_to_features(
    learner: LinearClassifier,
    features: CountedGroups,
    X: _core.Csr,
    y: LabelsLike | LabelSets,
    threads: int,
    sample_weight: WeightsLike = None,
    unlabeled: _core.Csr | None = None,
    dev: tuple[_core.Csr, LabelsLike] | None = None,
) -> LinearClassifier:
    """A new learner with the parameters of `learner`, fitted to the features of texts.

    `unlabeled` are rows without labels, for learners that can use them; `dev` are others with
    labels, for learners that are measured round by round.
    """
    new = copy_unfitted(learner, threads)
    if isinstance(new, TakesGroups):
        new.set_groups([start for _, start in features.groups], features.n_counted, X.shape[1])
    require_room(new, X.shape, y)
    if isinstance(y, LabelSets) and not new.learns_sets:
        if isinstance(new, PreparesForLabel):
            new.prepare_for_one_label()
        return _for_sets(new, threads).fit(X, y, sample_weight=sample_weight)
    y = cast(LabelsLike, y)
    if dev is not None and measures_rounds(new):
        return new.fit(X, y, sample_weight=sample_weight, unlabeled=unlabeled, dev=dev)
    if unlabeled is None:
        return new.fit(X, y, sample_weight=sample_weight)
    if not takes_unlabeled(new):
        raise InputError(f"{new!r} cannot learn from rows without labels")
    return new.fit(X, y, sample_weight=sample_weight, unlabeled=unlabeled)


def _for_sets(learner: LinearClassifier, threads: int) -> "ClassifierChain | OneVsRest":
    """What learns sets of labels with a learner that learns one label: one of it for each."""
    from wordplane.learners.support.chain import ClassifierChain
    from wordplane.learners.support.one_vs_rest import OneVsRest

    if isinstance(learner, ClassifierChain):
        return learner
    return OneVsRest(learner, n_jobs=threads)


def require_room(
    learner: LinearClassifier,
    shape: tuple[int, int],
    y: LabelsLike | LabelSets,
    *,
    n_scored: int = 0,
    threads: int = 1,
    advice: str = TREE_INSTEAD,
) -> int:
    """Refuse to fit a learner to so many rows and features, and to score others with it, if that
    takes more memory than is free. Returns how many such fits there is room for at once, from 1 to
    `threads`.
    """
    n_classes = len(classes_of(as_labels_or_sets(y)))
    one_label = isinstance(y, LabelSets) and not learner.learns_sets
    fitted = _for_sets(learner, 1) if one_label else learner
    needed = fitted.fit_bytes(*shape, n_classes) + 2 * 8 * n_scored * n_classes
    if threads * needed <= SMALL_BYTES:  # to ask the system takes longer than such a fit
        return threads
    what = f"{learner!r} with {shape[0]:,} texts, {shape[1]:,} features and {n_classes:,} labels"
    require_memory(needed, what, FEWER if learner.kind == "tree" else advice)
    return max(1, min(threads, available_memory() // max(needed, 1)))


def learns_one_label(learner: object) -> bool:
    """Whether the learner, which may be a name, is taught one label only."""
    if isinstance(learner, str):
        return learner in ONE_LABEL_LEARNERS
    return isinstance(learner, OneLabelClassifier)


def _import(place: str) -> type[Classifier]:
    module, _, name = place.rpartition(".")
    cls: type[Classifier] = getattr(import_module(f"wordplane.learners.{module}"), name)
    return cls


def _subclasses(cls: type[LinearClassifier]) -> Iterator[type[LinearClassifier]]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _subclasses(sub)
