"""Searches for the subset of features, or of groups of features, with the smallest loss.

A state is a subset of the candidates; its neighbors have one candidate more or one less. The
loss is whatever `evaluate(subset)` returns, such as the error on development data.

    hill_climbing   move to the best neighbor as long as it is better
    beam            keep the `width` best of the current subsets and all their neighbors, until
                    these no longer change; with width 1 this is hill climbing
    annealing       at step s = 0 .. steps-1 move to a random neighbor: always if it is not
                    worse; if it is worse by d, with probability exp(-d / T_s), where
                    T_s = temperature * cooling^s

Of two subsets with the same loss, the smaller one is better, then the one with earlier
candidates. Every subset is evaluated once. The result is the best of all visited subsets.
"""

import copy
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels, encode
from wordplane.common.matrix import as_rows
from wordplane.common.progress import notify
from wordplane.common.types import CsrMatrix, IntArray, LabelArray, LabelsLike, MatrixLike
from wordplane.text.checks import check_choice

Subset = tuple[str, ...]
State = tuple[int, ...]  # a subset as the numbers of its candidates, ascending
Move = Callable[[list[State], int], list[State] | None]

METHODS = ("hill_climbing", "beam", "annealing")


class Classifier(Protocol):
    """What `dev_error` needs of an estimator."""

    def fit(self, X: CsrMatrix, y: LabelArray) -> "Classifier": ...
    def predict(self, X: CsrMatrix) -> LabelArray: ...


@dataclass(frozen=True)
class Visit:
    """A subset that was evaluated, and its loss."""

    subset: Subset
    loss: float


@dataclass(frozen=True)
class SearchResult:
    """The best subset, its loss, and all evaluated subsets in order."""

    subset: Subset
    loss: float
    trace: list[Visit]


def search_subsets(
    candidates: Iterable[str],
    evaluate: Callable[[Subset], float],
    *,
    method: Literal["hill_climbing", "beam", "annealing"] = "hill_climbing",
    start: Literal["none", "all"] = "none",
    width: int = 5,
    steps: int = 200,
    temperature: float = 0.05,
    cooling: float = 0.98,
    random_state: int = 0,
) -> SearchResult:
    """Search for the subset of the candidates with the smallest loss.

    candidates             the names of features or groups; `evaluate` gets them in this order
    evaluate               a function that returns the loss of a subset, also of the empty one
    method                 see the beginning of this module
    start                  begin with no candidate or with all of them
    width                  the number of subsets to keep (beam)
    steps                  the number of moves to try (annealing)
    temperature, cooling   T_0, in units of the loss, and its factor per step (annealing)
    random_state           the seed (annealing)

    >>> wanted = {"words", "suffixes"}
    >>> result = search_subsets(
    ...     ["words", "shapes", "suffixes"], lambda subset: len(wanted ^ set(subset)) / 10
    ... )
    >>> result.subset, result.loss, len(result.trace)
    (('words', 'suffixes'), 0.0, 7)
    """
    names = list(candidates)
    _check(names, method, start, width, steps, temperature, cooling)
    visits = _Visits(names, evaluate)

    def climb(current: list[State], _: int) -> list[State] | None:
        around = {near for state in current for near in _neighbors(state, len(names))}
        best = sorted(around.union(current), key=visits.rank)[: width if method == "beam" else 1]
        return None if best == current else best

    rng = np.random.default_rng(random_state)

    def anneal(current: list[State], step: int) -> list[State] | None:
        if step == steps:
            return None
        near = _toggle(current[0], int(rng.integers(len(names))))
        worse = visits.loss(near) - visits.loss(current[0])
        luck = rng.random()  # always drawn, so that later draws do not depend on the losses
        heat = temperature * cooling**step
        return [near] if worse <= 0 or (heat > 0 and luck < math.exp(-worse / heat)) else current

    move: Move = anneal if method == "annealing" else climb
    current: list[State] = [tuple(range(len(names))) if start == "all" else ()]
    visits.loss(current[0])
    for step in count():
        following = move(current, step)
        if following is None:
            break
        current = following
    best = min(visits.losses, key=visits.rank)
    trace = [Visit(visits.subset(state), loss) for state, loss in visits.losses.items()]
    return SearchResult(visits.subset(best), visits.losses[best], trace)


def dev_error(
    estimator: Classifier,
    X: MatrixLike,
    y: LabelsLike,
    X_dev: MatrixLike,
    y_dev: LabelsLike,
    groups: Mapping[str, ArrayLike],
) -> Callable[[Subset], float]:
    """A loss for `search_subsets`: the share of wrong predictions on development data.

    A copy of the estimator is fitted on the features of X that belong to the groups of the
    subset; `groups` gives the feature numbers of each. Without any feature, the most frequent
    label of y is predicted.

    >>> from wordplane import MultinomialNB
    >>> X, y = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]], ["a", "a", "b", "b"]
    >>> loss = dev_error(MultinomialNB(), X, y, X, y, {"good": [0, 1], "noise": [2]})
    >>> loss(()), loss(("good",))
    (0.5, 0.0)
    """
    # By column, because features are taken again and again.
    train, dev = as_rows(X).tocsc(), as_rows(X_dev).tocsc()
    labels, dev_labels = as_labels(y), as_labels(y_dev)
    classes, codes = encode(labels)
    majority = classes[np.bincount(codes).argmax()]
    if train.shape[1] != dev.shape[1]:
        raise InputError(
            f"X has {train.shape[1]} features and X_dev has {dev.shape[1]}, expected equally many"
        )
    numbers = {name: _check_group(name, given, train.shape[1]) for name, given in groups.items()}

    def evaluate(subset: Subset) -> float:
        features = np.unique(np.concatenate([np.zeros(0, np.int64), *(numbers[g] for g in subset)]))
        if len(features) == 0:
            return float(np.mean(dev_labels != majority))
        model = copy.deepcopy(estimator).fit(train[:, features].tocsr(), labels)
        return float(np.mean(model.predict(dev[:, features].tocsr()) != dev_labels))

    return evaluate


class _Visits:
    """The loss of every subset, computed once."""

    def __init__(self, names: list[str], evaluate: Callable[[Subset], float]) -> None:
        self.names = names
        self.evaluate = evaluate
        self.losses: dict[State, float] = {}

    def loss(self, state: State) -> float:
        if state not in self.losses:
            loss = float(self.evaluate(self.subset(state)))
            if math.isnan(loss):
                raise InputError(f"the loss of {self.subset(state)!r} is NaN, expected a number")
            self.losses[state] = loss
            notify("searching feature subsets", len(self.losses), 0)
        return self.losses[state]

    def rank(self, state: State) -> tuple[float, int, State]:
        return self.loss(state), len(state), state

    def subset(self, state: State) -> Subset:
        return tuple(self.names[number] for number in state)


def _neighbors(state: State, n_candidates: int) -> list[State]:
    return [_toggle(state, number) for number in range(n_candidates)]


def _toggle(state: State, number: int) -> State:
    return tuple(sorted(set(state) ^ {number}))


def _check_group(name: str, given: ArrayLike, n_features: int) -> IntArray:
    features = np.asarray(given)
    if features.ndim != 1 or (len(features) and features.dtype.kind not in "iu"):
        raise InputError(f"the group {name!r} is {given!r}, expected a list of feature numbers")
    if len(features) and (features.min() < 0 or features.max() >= n_features):
        raise InputError(
            f"the group {name!r} has the features {given!r}, expected numbers from 0 to "
            f"{n_features - 1}"
        )
    return features.astype(np.int64)


def _check(
    names: list[str],
    method: str,
    start: str,
    width: int,
    steps: int,
    temperature: float,
    cooling: float,
) -> None:
    if not names or len(set(names)) != len(names):
        raise InputError(f"the candidates are {names!r}, expected at least one, and each only once")
    check_choice("method", method, METHODS)
    check_choice("start", start, ("none", "all"))
    if width < 1 or steps < 1:
        raise InputError(f"width is {width} and steps is {steps}, expected 1 or more")
    if not (0 <= temperature < float("inf") and 0 < cooling <= 1):
        raise InputError(
            f"temperature is {temperature} and cooling is {cooling}, expected a temperature of 0 "
            "or more and a cooling above 0 and at most 1"
        )
