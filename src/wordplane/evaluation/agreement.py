"""How far people who label the same texts agree, beyond what chance explains.

Cohen's kappa of two people is (o - e) / (1 - e): o the share of texts that they label alike, e the
share that they would if each kept their own frequencies of labels and drew at random.
Krippendorff's alpha is 1 - D / E for any number of people and texts that not all have labeled: D
the share of pairs of labels of the same text that differ, E that of pairs of labels of any texts.
Intervals are by resamples of the texts.

References: Cohen (1960), Educational and Psychological Measurement 20(1); Krippendorff (2011),
Computing Krippendorff's alpha-reliability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from wordplane.evaluation.intervals import Interval, correlation_interval

Ratings = Mapping[str, Hashable]  # the labels that people gave to one text
RESAMPLES = 500


@dataclass(frozen=True)
class Agreement:
    """How far two people, or all of them, agree.

    people    whose labels are compared
    n         texts that at least two of them labeled
    share     pairs of labels of one text that are equal
    value     kappa of two people, alpha of all; NaN if all labels are the same
    interval  of the value, 95 %
    """

    people: tuple[str, ...]
    n: int
    share: float
    value: float
    interval: Interval


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float:
    """Kappa of two people, from the pairs of their labels.

    >>> round(cohen_kappa([(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15), 3)
    0.4
    """
    n = len(pairs)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = sum(first[label] * second[label] for label in first) / n**2
    same = sum(a == b for a, b in pairs) / n
    return (same - chance) / (1 - chance) if chance < 1 else float("nan")


def krippendorff_alpha(units: Sequence[Sequence[Hashable]]) -> float:
    """Alpha of labels without an order, from the labels of each text.

    >>> units = ["111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555",
    ...          "11", "3"]  # the example of Krippendorff (2011)
    >>> round(krippendorff_alpha(units), 3)
    0.743
    """
    units = [unit for unit in units if len(unit) > 1]
    counts = Counter(label for unit in units for label in unit)
    n = sum(counts.values())
    if len(counts) < 2:
        return float("nan")
    differ = sum(sum(a != b for a, b in permutations(u, 2)) / (len(u) - 1) for u in units)
    expected = (n * n - sum(count * count for count in counts.values())) / (n - 1)
    return 1 - differ / expected


def compare_people(ratings: Sequence[Ratings]) -> list[Agreement]:
    """All people together first, then every two of them that labeled a text both.

    >>> alike = [{"ann": "x", "bob": "x"}, {"ann": "y", "bob": "y"}] * 4
    >>> [(a.people, a.n, a.value) for a in compare_people(alike)]
    [(('ann', 'bob'), 8, 1.0), (('ann', 'bob'), 8, 1.0)]
    """
    shared = [one for one in ratings if len(one) > 1]
    people = sorted({person for one in shared for person in one})
    if not shared:
        return []
    rng = np.random.default_rng(0)
    found = [_all_of(tuple(people), [list(one.values()) for one in shared], rng)]
    for a, b in combinations(people, 2):
        pairs = [(one[a], one[b]) for one in shared if a in one and b in one]
        if pairs:
            draws = [cohen_kappa([pairs[i] for i in _draw(rng, len(pairs))]) for _ in _times(pairs)]
            same = sum(x == y for x, y in pairs) / len(pairs)
            value = cohen_kappa(pairs)
            found.append(Agreement((a, b), len(pairs), same, value, _interval(value, draws, pairs)))
    return found


def _all_of(
    people: tuple[str, ...], units: list[list[Hashable]], rng: np.random.Generator
) -> Agreement:
    pairs = [pair for unit in units for pair in combinations(unit, 2)]
    same = sum(a == b for a, b in pairs) / len(pairs)
    draws = [krippendorff_alpha([units[i] for i in _draw(rng, len(units))]) for _ in _times(units)]
    value = krippendorff_alpha(units)
    return Agreement(people, len(units), same, value, _interval(value, draws, units))


def _draw(rng: np.random.Generator, n: int) -> list[int]:
    drawn: list[int] = rng.integers(n, size=n).tolist()
    return drawn


def _times(rows: Sequence[object]) -> range:
    """So many resamples that it takes no more than a second."""
    return range(min(RESAMPLES, max(50, 200_000 // len(rows))))


def _interval(value: float, draws: Sequence[float], rows: Sequence[object]) -> Interval:
    known = np.array([draw for draw in draws if draw == draw])
    if value != value or len(known) == 0:
        return -1.0, 1.0
    return correlation_interval(value, known, len(rows))
