"""Intervals that hold at all times at once, so that nobody is misled who stops when they please.

An ordinary 95 % interval is wrong in 5 % of the cases if it is looked at once, at a number of rows
that was fixed before. Who looks after each row, and stops as soon as the number pleases, finds it
wrong far more often. The intervals here are wrong at any time in at most 5 % of the cases: they are
confidence sequences.

**A share** (`share_sequence`). Let X_i be 0 or 1 with the expectation p_i, given what came before;
the p_i may change. For each number s,

    exp(s X_i - log(1 - p_i + p_i e^s))

has the expectation 1, so products of it over i form a martingale from 1. The logarithm is concave
in p_i: with k ones among n rows and the mean p of the p_i, the product is at least

    W_s(p) = exp(s k - n log(1 - p + p e^s)),

so a mean W(p) of W_s(p) over a fixed set of s exceeds 1/a at any time with a probability of at most
a (Ville 1939). All p with W(p) < 1/a are the interval of the mean of the p_i.

**A total** (`TotalBound`). Of N texts, T are relevant, and it is asked how large T may be. Texts
are read in any order; some are drawn at random from those not read yet. If T is right, such a text
is relevant with the probability p = (T - found) / unread, which is known. Who bets that it is
c p instead, 0 <= c < 1, multiplies the stake by c if it is relevant, or else by
(1 - c p) / (1 - p). The T for which the stake (of a mixture of several c) grows to 1/a are ruled
out. The stake grows with T, so all larger T are ruled out too, and some values of T are enough.

References: Howard, Ramdas, McAuliffe and Sekhon (2021), Annals of Statistics 49(2); Waudby-Smith
and Ramdas (2024), JRSS B 86(1), on betting, and on drawing without replacement.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray
from wordplane.evaluation.arrays import check_share
from wordplane.evaluation.intervals import Interval

TILTS = np.geomspace(0.02, 8.0, 40)  # the numbers s, with both signs
FIRST_WINDOW = 16
MAX_TOTALS = 2000  # that are tried one by one, and as many above
LEVEL = 0.95  # of what holds at all times: the interval of recent outcomes, the bound of totals
BETS = ((0.0, 0.65), (0.25, 0.35))  # c, and its share of the stake


def share_sequence(successes: int, n: int, level: float = 0.95) -> Interval:
    """The interval of the mean of the chances of n rows of which `successes` succeeded; it holds
    for all n at once.

    >>> low, high = share_sequence(75, 100)
    >>> round(low, 3), round(high, 3)  # Wilson's, which is for one n: 0.657, 0.825
    (0.59, 0.875)
    >>> share_sequence(0, 0)
    (0.0, 1.0)
    """
    check_share(level, "level")
    if not 0 <= successes <= n:
        raise InputError(f"{successes} of {n} is not a share, expected 0 <= successes <= n")
    if n == 0:
        return 0.0, 1.0
    share, most = successes / n, -log(1 - level)
    tilts = np.concatenate([-TILTS, TILTS])

    def log_wealth(p: float) -> float:
        logs = tilts * successes - n * np.log1p(p * np.expm1(tilts))
        top = float(logs.max())
        return top + log(float(np.exp(logs - top).mean()))

    def edge(inside: float, outside: float) -> float:
        if log_wealth(outside) < most:
            return outside
        for _ in range(40):
            middle = (inside + outside) / 2
            if log_wealth(middle) < most:
                inside = middle
            else:
                outside = middle
        return outside

    return edge(share, 0.0), edge(share, 1.0)


def recent_share(outcomes: Sequence[bool]) -> tuple[int, int, Interval]:
    """How many of the latest outcomes are true, how many these are, and the 95 % interval of the
    mean of their chances.

    The latest are at least half of all: those from number 0, 16, 32, 64 ... on, whichever is the
    last that leaves as many as come before it. Each of these beginnings has a part of the error,
    5 %, so all their intervals together hold at all times.

    >>> recent_share([False] * 16 + [True] * 20)[:2]
    (20, 20)
    >>> recent_share([False] * 16 + [True] * 15)[:2]
    (15, 31)
    """
    n, start, number = len(outcomes), 0, 0
    while (following := FIRST_WINDOW << number) * 2 <= n:
        start, number = following, number + 1
    latest = outcomes[start:]
    right = sum(latest)
    own = 1 - (1 - LEVEL) * 0.5 ** (number + 1)
    return right, len(latest), share_sequence(right, len(latest), own)


class TotalBound:
    """How many of N texts can be relevant (with 95 % confidence), from those drawn at random while
    others are read.

    >>> bound = TotalBound(100)
    >>> for unread in range(90, 40, -1):  # ten were read and found relevant; then 50 at random
    ...     bound.draw(False, unread=unread, found=10)
    >>> bound.most(found=10, unread=40)
    13
    """

    def __init__(self, n_texts: int) -> None:
        few, steps = min(n_texts, MAX_TOTALS), np.geomspace(1, n_texts + 1, MAX_TOTALS)
        self._totals = np.unique(np.append(np.arange(few + 1), steps.round())).astype(np.float64)
        self._stakes: list[FloatArray] = [np.zeros(len(self._totals)) for _ in BETS]  # logarithms
        self._limit = -log(1 - LEVEL)
        self._ruled_out = n_texts + 1  # the least total that ever was

    def draw(self, is_relevant: bool, *, unread: int, found: int) -> None:
        """A text was drawn at random from `unread` texts when `found` relevant ones were known."""
        p = (self._totals - found) / unread
        with np.errstate(divide="ignore", invalid="ignore"):
            for (c, _), stake in zip(BETS, self._stakes, strict=True):
                stake += np.log(c) if is_relevant else np.log1p(-c * p) - np.log1p(-p)
            stakes = [
                log(share) + stake for (_, share), stake in zip(BETS, self._stakes, strict=True)
            ]
            wealth = np.logaddexp.reduce(stakes)
        # More than could be left is impossible, whatever the stakes.
        out = self._totals[((wealth >= self._limit) & (p > 0)) | (p > 1)]
        self._ruled_out = min(self._ruled_out, *out[:1].astype(int).tolist(), self._ruled_out)

    def most(self, *, found: int, unread: int) -> int:
        """The largest total that is not ruled out."""
        return max(found, min(self._ruled_out - 1, found + unread))
