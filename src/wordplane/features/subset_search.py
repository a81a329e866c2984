"""Search for the subset of features, or of groups of features, with the smallest loss.

A state is a subset of the candidates; its neighbours have one candidate more or one less.
The loss is whatever `evaluate(subset)` returns, such as the error on development data.

    hill_climbing   to the best neighbour, as long as that is better
    beam            the `width` best of the subsets held and all their neighbours are held next,
                    until these stay the same; with width 1 this is hill climbing
    annealing       at step s = 0 .. steps-1 to a random neighbour, always if that is no worse,
                    and if it is worse by d with probability exp(-d / T_s), where
                    T_s = temperature * cooling^s

Of two subsets with the same loss the smaller one is better, then the one with earlier
candidates. Every subset is evaluated once. The result is the best of all that were visited.
"""

import copy
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.labels import as_labels, encode
from wordplane.common.matrix import as_rows
from wordplane.common.progress import notify

Subset = tuple[str, ...]
State = tuple[int, ...]  # a subset as the numbers of its candidates, ascending
Move = Callable[[list[State], int], list[State] | None]

METHODS = ("hill_climbing", "beam", "annealing")


@dataclass(frozen=True)
class Visit:
    """A subset that was evaluated, and its loss."""

    subset: Subset
    loss: float


@dataclass(frozen=True)
class SearchResult:
    """The best subset, its loss, and all subsets in the order in which they were evaluated."""

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
    """Look for the subset of the candidates with the smallest loss.

    candidates             names of features or groups, which `evaluate` gets in this order
    evaluate               the loss of a subset; the empty one may be asked about too
    method                 see the head of this module
    start                  from no candidate or from all of them
    width                  subsets held side by side (beam)
    steps                  moves to try (annealing)
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

    def climb(held: list[State], _: int) -> list[State] | None:
        around = {near for state in held for near in _neighbours(state, len(names))}
        best = sorted(around.union(held), key=visits.rank)[: width if method == "beam" else 1]
        return None if best == held else best

    rng = np.random.default_rng(random_state)

    def anneal(held: list[State], step: int) -> list[State] | None:
        if step == steps:
            return None
        near = _toggled(held[0], int(rng.integers(len(names))))
        worse = visits.loss(near) - visits.loss(held[0])
        luck = rng.random()  # drawn whether it matters or not: the losses move no later draw
        heat = temperature * cooling**step
        return [near] if worse <= 0 or (heat > 0 and luck < math.exp(-worse / heat)) else held

    move: Move = anneal if method == "annealing" else climb
    held: list[State] = [tuple(range(len(names))) if start == "all" else ()]
    visits.loss(held[0])
    for step in count():
        following = move(held, step)
        if following is None:
            break
        held = following
    best = min(visits.losses, key=visits.rank)
    trace = [Visit(visits.named(state), loss) for state, loss in visits.losses.items()]
    return SearchResult(visits.named(best), visits.losses[best], trace)


def dev_error(
    estimator: Any, X: Any, y: Any, X_dev: Any, y_dev: Any, groups: Mapping[str, Any]
) -> Callable[[Subset], float]:
    """A loss for `search_subsets`: the share of wrong predictions on development data.

    The estimator is copied and fitted on the columns of X that belong to the groups of the
    subset; `groups` gives the column numbers of each. With no column at all, the most frequent
    label of y is predicted.

    >>> from wordplane import MultinomialNB
    >>> X, y = [[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]], ["a", "a", "b", "b"]
    >>> loss = dev_error(MultinomialNB(), X, y, X, y, {"good": [0, 1], "noise": [2]})
    >>> loss(()), loss(("good",))
    (0.5, 0.0)
    """
    # By columns, because columns are what is taken again and again.
    train, dev = as_rows(X).tocsc(), as_rows(X_dev).tocsc()
    labels, dev_labels = as_labels(y), as_labels(y_dev)
    classes, codes = encode(labels)
    majority = classes[np.bincount(codes).argmax()]
    if train.shape[1] != dev.shape[1]:
        raise InputError(f"X has {train.shape[1]} columns and X_dev has {dev.shape[1]}")
    columns = {name: _columns(name, given, train.shape[1]) for name, given in groups.items()}

    def evaluate(subset: Subset) -> float:
        chosen = np.unique(np.concatenate([np.zeros(0, np.int64), *(columns[g] for g in subset)]))
        if len(chosen) == 0:
            return float(np.mean(dev_labels != majority))
        model = copy.deepcopy(estimator).fit(train[:, chosen].tocsr(), labels)
        return float(np.mean(model.predict(dev[:, chosen].tocsr()) != dev_labels))

    return evaluate


class _Visits:
    """The loss of every subset that was asked about, computed once."""

    def __init__(self, names: list[str], evaluate: Callable[[Subset], float]) -> None:
        self.names = names
        self.evaluate = evaluate
        self.losses: dict[State, float] = {}

    def loss(self, state: State) -> float:
        if state not in self.losses:
            loss = float(self.evaluate(self.named(state)))
            if math.isnan(loss):
                raise InputError(f"the loss of {self.named(state)!r} is not a number")
            self.losses[state] = loss
            notify("searching feature subsets", len(self.losses), 0)
        return self.losses[state]

    def rank(self, state: State) -> tuple[float, int, State]:
        return self.loss(state), len(state), state

    def named(self, state: State) -> Subset:
        return tuple(self.names[number] for number in state)


def _neighbours(state: State, n_candidates: int) -> list[State]:
    return [_toggled(state, number) for number in range(n_candidates)]


def _toggled(state: State, number: int) -> State:
    return tuple(sorted(set(state) ^ {number}))


def _columns(name: str, given: Any, n_columns: int) -> Any:
    columns = np.asarray(given)
    if columns.ndim != 1 or (len(columns) and columns.dtype.kind not in "iu"):
        raise InputError(f"the group {name!r} is {given!r}, expected a list of column numbers")
    if len(columns) and (columns.min() < 0 or columns.max() >= n_columns):
        raise InputError(f"the group {name!r} has a column outside 0 .. {n_columns - 1}")
    return columns.astype(np.int64)


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
        raise InputError("the candidates are none, or one is named twice; name each once")
    if method not in METHODS:
        raise InputError(f"method is {method!r}, expected one of {', '.join(METHODS)}")
    if start not in ("none", "all"):
        raise InputError(f"start is {start!r}, expected 'none' or 'all'")
    if width < 1 or steps < 1:
        raise InputError(f"width is {width} and steps is {steps}, expected at least 1")
    if not (0 <= temperature < float("inf") and 0 < cooling <= 1):
        raise InputError(
            f"temperature is {temperature} and cooling is {cooling}, expected a temperature of 0 "
            "or more and a cooling above 0, at most 1"
        )
