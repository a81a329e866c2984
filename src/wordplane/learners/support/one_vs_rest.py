"""One against the rest, for multi-label rows: a machine for every label.

    for every label k:   w_k, b_k = the learner on (has label k) against (does not have it)

SVMs, NBSVM's too, are trained side by side. A label that all rows have, or none, needs no machine:
w = 0, and b = 1 or -1. If the learner can be trained further, so can the machines: naive Bayes then
has the counts of all rows. A new label is one that no row before had, which naive Bayes takes into
account; online learners begin it at 0.
"""

from collections.abc import Callable, Mapping
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane import _core
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, as_label_sets
from wordplane.common.matrix_estimator import check_length
from wordplane.common.pool import pool_map
from wordplane.common.progress import steps
from wordplane.common.threads import thread_count
from wordplane.common.types import (
    FloatArray,
    IntArray,
    LabelArray,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from wordplane.common.weights import as_weights
from wordplane.learners.support.base import LinearClassifier, bytes_to_fit
from wordplane.learners.support.incremental import IncrementalClassifier, can_resume
from wordplane.learners.support.protocols import HasFirstClassState, LearnsSides, copy_unfitted

SIDES = np.array([False, True])  # the classes of every machine
SEEN = "seen"
AT_ONCE = 64  # labels that are learned together: more would take more memory (`fit_bytes`)
State = dict[str, FloatArray]


class OneVsRest(IncrementalClassifier):
    """A linear learner for each label; `coef_` has a row for each, also if there are two.

    Attributes
    ----------
    seen_
        For each label, how many rows were learned from without it and with it.
    states_
        For each label, what its machine resumes from; empty if it has not begun. None for a
        learner that cannot be trained further.
    """

    name = "one_vs_rest"
    seen_: FloatArray
    states_: list[State] | None

    def __init__(self, learner: LinearClassifier, *, n_jobs: int | None = None) -> None:
        self.learner = learner
        self.n_jobs = n_jobs

    @property
    def grows(self) -> bool:
        """Whether the learner does."""
        return can_resume(self.learner) and self.learner.grows

    @property
    def state(self) -> tuple[str, ...]:  # type: ignore[override]
        """Of all machines, if the learner can be trained further."""
        return (SEEN, "states_") if can_resume(self.learner) else ()

    def fit_bytes(self, n_docs: int, n_features: int, n_classes: int) -> int:
        """The weights and states of all labels, and what those take that are learned at once."""
        copies = 7 if self.state else 3
        if isinstance(self.learner, LearnsSides) and self.learner.learns_sides:
            inner = bytes_to_fit(self.learner, n_docs, n_features, min(n_classes, AT_ONCE))
        else:
            inner = thread_count(self.n_jobs) * bytes_to_fit(self.learner, n_docs, n_features, 2)
        return copies * 8 * n_classes * n_features + inner

    def fit(
        self, X: MatrixLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike = None
    ) -> Self:
        """Learn every label from the rows that have it and those that do not."""
        sets = as_label_sets(y)
        self.classes_ = sets.classes
        matrix = self._new_features(X)
        check_length(matrix, sets, "y")
        weights = as_weights(sample_weight, len(sets))
        self.seen_ = _sides(sets, weights)
        self.states_ = [{} for _ in self.classes_] if self.state else None
        machines = copy_unfitted(self.learner, self.n_jobs)
        if isinstance(machines, LearnsSides) and machines.learns_sides:
            return self._learn_together(machines, matrix, sets, weights)

        def learn(k: int) -> LinearClassifier | None:
            if (self.seen_[k] > 0).all():
                machine = copy_unfitted(self.learner, 1)
                return machine.fit(matrix, sets.member[:, k], sample_weight=sample_weight)
            return self._begin(k, matrix, sets, sample_weight)

        return self._run(learn)

    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike | LabelSets,
        classes: LabelsLike | None = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from more rows, with the labels that are known; `resize` adds others."""
        if classes is not None:
            raise InputError("`classes` are those of `fit` or `resize`: leave them out")
        matrix, sets = self._known_features(X), self._known_sets(y)
        seen = self.seen_ + _sides(sets, as_weights(sample_weight, len(sets)))

        def learn(k: int) -> LinearClassifier | None:
            machine = self._machine(k)
            if machine is None:
                return self._begin(k, matrix, sets, sample_weight)
            return machine.partial_fit(matrix, sets.member[:, k], sample_weight=sample_weight)

        self.seen_ = seen
        return self._run(learn)

    def remove(
        self, X: MatrixLike, y: LabelsLike | LabelSets, sample_weight: WeightsLike = None
    ) -> Self:
        """Take rows out of all machines again."""
        matrix, sets = self._known_features(X), self._known_sets(y)
        gone = _sides(sets, as_weights(sample_weight, len(sets)))
        seen = np.maximum(self.seen_ - gone, 0.0)

        def take(k: int) -> LinearClassifier | None:
            machine = self._machine(k)
            if machine is None:
                return None
            return machine.remove(matrix, sets.member[:, k], sample_weight=sample_weight)

        self.seen_ = seen
        return self._run(take)

    def fade(self, share: float) -> None:
        """Let every machine forget this share."""

        def fade(k: int) -> LinearClassifier | None:
            machine = self._machine(k)
            if machine is not None:
                machine.fade(share)
            return machine

        self._run(fade)

    def occurring(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The columns and labels of rows that were not removed."""
        columns = np.zeros(self.n_features_in_, bool)
        for k in range(len(self.classes_)):
            machine = self._machine(k)
            columns |= True if machine is None else machine.occurring()[0]
        return columns, self.seen_[:, 1] > 0

    def resize(self, place: IntArray, n_features: int, classes: LabelArray) -> None:
        """Continue with other columns and labels; a new label is one that no row so far had."""
        number = {label: k for k, label in enumerate(self.classes_.tolist())}
        old = [number.get(label) for label in classes.tolist()]
        machines = [self._without_label() if k is None else self._machine(k) for k in old]
        for machine in machines:
            if machine is not None:
                machine.resize(place, n_features, SIDES)
        n_rows = self.seen_.sum(axis=1).max(initial=0.0)
        self.seen_ = np.array([[n_rows, 0.0] if k is None else self.seen_[k] for k in old])
        self.classes_, self.n_features_in_ = classes, n_features
        self.states_ = [{} for _ in classes]
        self._run(lambda k: machines[k])

    def get_state(self) -> State:
        """The states of all machines, and how many rows each has seen."""
        arrays = {SEEN: self.seen_}
        for k, state in enumerate(self.states_ or []):
            arrays.update({f"{k}.{name}": array for name, array in state.items()})
        return arrays

    def set_state(
        self, arrays: Mapping[str, FloatArray], classes: LabelArray, n_features: int
    ) -> None:
        """Become the learner whose `get_state` this is. Arrays that do not fit are refused."""
        self.classes_, self.n_features_in_ = classes, n_features
        seen = arrays.get(SEEN, np.zeros(0))
        if seen.shape != (len(classes), 2) or not (np.isfinite(seen).all() and (seen >= 0).all()):
            raise InputError("the state of one-vs-rest does not say how many rows it has seen")
        self.seen_, self.states_ = seen.copy(), [{} for _ in classes]
        known = {f"{k}": k for k in range(len(classes))}
        for name, array in arrays.items():
            label, _, part = name.partition(".")
            if name != SEEN and label not in known:
                raise InputError(f"the state of one-vs-rest has {name!r}, which is of no label")
            if name != SEEN:
                self.states_[known[label]][part] = array
        for k, state in enumerate(self.states_):
            machine = self._machine(k)  # which checks the state
            self.states_[k] = state if machine is None else machine.get_state()

    def _machine(self, k: int) -> IncrementalClassifier | None:
        """The machine of a label as it was left; None if it has not begun."""
        if self.states_ is None:
            raise InputError(f"{self.learner!r} cannot be trained further")
        if not self.states_[k]:
            return None
        machine = self._new_machine()
        machine.set_state(self.states_[k], SIDES, self.n_features_in_)
        return machine

    def _begin(
        self, k: int, X: _core.Csr, sets: LabelSets, sample_weight: WeightsLike
    ) -> LinearClassifier | None:
        """A machine for a label that all rows have so far, or none, if it can go on from there."""
        if self.states_ is None:
            return None
        machine = self._new_machine()
        try:
            return machine.partial_fit(X, sets.member[:, k], SIDES, sample_weight)
        except InputError:  # such as a parameter that needs all rows at once
            return None

    def _new_machine(self) -> IncrementalClassifier:
        learner = copy_unfitted(self.learner, 1)
        assert can_resume(learner)
        return learner

    def _without_label(self) -> IncrementalClassifier | None:
        """A machine of a label that no row so far had, if what others have learned says that."""
        machines = (self._machine(k) for k in range(len(self.classes_)))
        begun = next((machine for machine in machines if machine is not None), None)
        if not isinstance(begun, HasFirstClassState):
            return None
        new = self._new_machine()
        new.set_state(begun.state_of_first_class(), SIDES, self.n_features_in_)
        return new

    def _run(self, learn: Callable[[int], LinearClassifier | None]) -> Self:
        """Set the weights of all labels to those of their machines, and keep what they need."""
        n_labels, n_features = len(self.classes_), self.n_features_in_
        states = self.states_

        def run(k: int) -> tuple[FloatArray, float]:
            machine = learn(k)
            if states is not None and can_resume(machine):
                states[k] = machine.get_state()
            if machine is None or not (self.seen_[k] > 0).all():
                return np.zeros(n_features), 1.0 if self.seen_[k, 1] > 0 else -1.0
            return machine.coef_[0], float(machine.intercept_[0])

        threads = thread_count(self.n_jobs)
        machines = pool_map(run, range(n_labels), threads, "learning labels", n_labels)
        self.coef_ = np.stack([w for w, _ in machines])
        self.intercept_ = np.array([b for _, b in machines])
        return self

    def _learn_together(
        self, machines: LearnsSides, X: _core.Csr, sets: LabelSets, weights: FloatArray
    ) -> Self:
        """Let the machines of many labels learn at once."""
        learned = np.flatnonzero((self.seen_ > 0).all(axis=1))
        W = np.zeros((self.n_features_in_, len(learned)))
        b = np.where(self.seen_[:, 1] > 0, 1.0, -1.0)
        with steps("learning labels", len(learned)) as step:
            for first in range(0, len(learned), AT_ONCE):
                step("learning labels", first)
                some = learned[first : first + AT_ONCE]
                found, b[some] = machines.fit_sides(X, sets.member[:, some], weights)
                W[:, first : first + len(some)] = found
            step("learning labels", len(learned))
        if len(learned) < len(self.classes_):
            every = np.zeros((len(W), len(self.classes_)))
            every[:, learned] = W
            W = every
        self.coef_, self.intercept_ = W.T, b
        return self

    def _known_sets(self, y: LabelsLike | LabelSets) -> LabelSets:
        sets = as_label_sets(y)
        occurring = set(sets.classes[sets.member.any(axis=0)].tolist())
        unknown = sorted(occurring - set(self.classes_.tolist()), key=str)
        if unknown:
            raise InputError(f"the label {unknown[0]!r} is not known here: resize adds labels")
        return sets.with_classes(self.classes_)


def _sides(sets: LabelSets, weights: FloatArray) -> FloatArray:
    """How many rows that count are without each label, and with it."""
    member = sets.member[weights > 0]
    having = member.sum(axis=0).astype(np.float64)
    return np.stack([len(member) - having, having], axis=1)
