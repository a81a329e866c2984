"""A threshold with a guarantee: the least precision or recall of one label on new rows.

A row gets the label if its margin m (the label's score minus the best of the others) is above a
threshold t. On n rows that no model has seen, with the level alpha = 5 %:

    recall(label) >= r      t is the j-th lowest margin of the N rows with the label, for the
                            largest j with P(Bin(N, 1 - r) <= j - 1) <= alpha. The share that lies
                            below it has the distribution Beta(j, N - j + 1), so the recall on new
                            rows is below r in at most 5 % of all such samples.
    precision(label) >= p   the rows with the k highest margins show it with the level a if m of
                            them lack the label and P(Bin(k, 1 - p) <= m) <= a. For m = 0, 1, 2 ...
                            the fewest rows are tried for which m mistakes are few enough. If the
                            test is passed, the next one follows, else none. A second such sequence
                            begins with m = 2, and a third, with the level alpha / 4, with half of
                            the rows whose margin is above 0, for labels whose mistakes are spread
                            evenly. t lies below the largest k that passed.

The tests of a sequence are in an order that is fixed without looking at the labels, and end with
the first that fails. The first two sequences choose a wrong threshold only if the first test of
rows with a precision below p is passed, or, if that is one of the first two, the third. The level a
is the largest for which this happens in at most 3 alpha / 4 of all samples (alpha, if there is no
third sequence); rows that pass one of these tests often pass the other, so it is more than half of
that. All this holds if a higher margin never makes the label less likely: rows further down are
then right with a probability of at most p. New rows are taken to be drawn like these.

References: Clopper and Pearson (1934); Wilks (1941) for recall; Bauer (1991), Statistics in
Medicine 10, and Angelopoulos et al. (2021), Learn then test, for sequences of tests.
"""

import re
from dataclasses import asdict
from math import ceil, log
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError, RequirementError
from wordplane.common.frozen import frozen
from wordplane.common.types import FloatArray, IntArray, JsonObject, LabelArray

ALPHA = 0.05
STEP = 1.02  # from one number of mistakes to the next, where they are many
SECOND = 2  # the number of the test that the second sequence begins with
_FORM = re.compile(r"\s*(precision|recall)\s*\((.+)\)\s*>=\s*([0-9.]+)(%?)\s*", re.DOTALL)


@frozen
class Requirement:
    """The least precision or recall of one label.

    >>> print(Requirement.parse("precision(spam) >= 95%"))
    precision(spam)>=0.95
    """

    measure: str
    label: str
    least: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """From a text such as 'precision(spam)>=0.95'."""
        found = _FORM.fullmatch(text)
        try:
            least = float(found[3]) / (100 if found[4] else 1) if found else 0.0
        except ValueError:
            least = 0.0
        if found is None or not 0 < least < 1:
            raise InputError(
                f"`require` is {text!r}, expected precision(LABEL)>=SHARE or recall(LABEL)>=SHARE "
                "with a share between 0 and 1"
            )
        return cls(found[1], found[2], least)

    def __str__(self) -> str:
        return f"{self.measure}({self.label})>={self.least:g}"

    def class_number(self, classes: LabelArray) -> int:
        """The number of its label."""
        labels = [str(label) for label in classes.tolist()]
        if self.label not in labels:
            raise InputError(
                f"`require` is {str(self)!r}, but there is no label {self.label!r}; there are "
                f"{', '.join(map(repr, labels[:10]))}"
            )
        return labels.index(self.label)


def is_requirement(metric: str | None) -> bool:
    """Whether what labels are decided for is a requirement, not a metric."""
    return metric is not None and _FORM.fullmatch(metric) is not None


@frozen
class Guarantee:
    """A threshold, and what it was found on.

    n_rows, n_label   the rows held out, and those of them that have the label
    n_given, n_right  the rows that get the label, and those of them that have it
    """

    threshold: float
    n_rows: int
    n_label: int
    n_given: int
    n_right: int

    def to_dict(self) -> JsonObject:
        """As a JSON-serializable dictionary."""
        return asdict(self)


def guarantee(
    requirement: Requirement, margins: FloatArray, has_label: NDArray[np.bool_]
) -> Guarantee:
    """The threshold that meets a requirement on new rows with 95 % confidence.

    Of those that do, it is the one that gives the label most often if precision is required, and
    least often if recall is. A `RequirementError` says what the rows show if there is none.

    >>> margins = np.arange(300.0)
    >>> found = guarantee(Requirement.parse("precision(x)>=0.9"), margins, margins >= 200)
    >>> found.n_given, found.n_right
    (101, 100)
    """
    if len(margins) == 0:
        raise RequirementError(f"{requirement} cannot be shown: no text is held out")
    order = np.argsort(-margins, kind="stable")
    margins, has_label = margins[order], has_label[order]
    if requirement.measure == "recall":
        n_given = _most_for_recall(requirement, margins, has_label)
    else:
        n_given = _most_for_precision(requirement, margins, has_label)
    hits = int(has_label[:n_given].sum())
    n_label = int(has_label.sum())
    above = margins[n_given - 1]
    below = margins[n_given] if n_given < len(margins) else above - 1.0
    return Guarantee(
        threshold=float((above + below) / 2),
        n_rows=len(margins),
        n_label=n_label,
        n_given=n_given,
        n_right=hits,
    )


def lower_bound(hits: int, n: int) -> float:
    """The one-sided lower Clopper-Pearson bound of a share.

    >>> round(lower_bound(59, 59), 4), lower_bound(0, 10)
    (0.9505, 0.0)
    """
    from scipy.special import betaincinv

    return float(betaincinv(hits, n - hits + 1, ALPHA)) if hits > 0 else 0.0


def _most_for_recall(
    requirement: Requirement, margins: FloatArray, has_label: NDArray[np.bool_]
) -> int:
    """The number of rows that get the label: all down to its j-th lowest one."""
    from scipy.special import bdtr

    places = np.flatnonzero(has_label)[::-1]  # of the lowest first
    n = len(places)
    passed = np.flatnonzero(bdtr(np.arange(n), n, 1 - requirement.least) <= ALPHA)
    if len(passed) == 0:
        needed = ceil(log(ALPHA) / log(requirement.least))
        raise RequirementError(
            f"{requirement} cannot be shown: {needed:,} rows held out must have the label "
            f"{requirement.label!r}, and {n:,} have it; give more texts, or require less"
        )
    place = int(places[passed[-1]])
    return int(np.searchsorted(-margins, -margins[place], side="right"))


def _most_for_precision(
    requirement: Requirement, margins: FloatArray, has_label: NDArray[np.bool_]
) -> int:
    """The number of rows that get the label."""
    p = requirement.least
    ends = np.append(np.flatnonzero(np.diff(margins)) + 1, len(margins))  # equal rows: one side
    hits = np.cumsum(has_label, dtype=np.int64)
    sizes, most = _tests(p, ALPHA / 4, ends)
    late = int(np.searchsorted(sizes, np.count_nonzero(margins > 0) / 2))
    sequences = [(sizes[late:], most[late:])] if SECOND < late < len(sizes) else []
    sizes, most = _tests(p, _level(p, 0.75 * ALPHA if sequences else ALPHA, ends), ends)
    needed = int(sizes[0]) if len(sizes) else ceil(log(ALPHA) / log(p))
    sequences += [(sizes, most), (sizes[SECOND:], most[SECOND:])]
    best = 0
    for sizes, most in sequences:
        passed = np.logical_and.accumulate(sizes - hits[sizes - 1] <= most)
        best = max([best, *sizes[passed].tolist()])
    if best == 0:
        raise RequirementError(_why_not_precise(requirement, needed, ends, hits))
    return best


def _level(p: float, alpha: float, ends: IntArray) -> float:
    """The largest level, alpha / 2 or more, for which the first two sequences keep alpha."""
    low, high = alpha / 2, alpha
    if len(_tests(p, low, ends)[0]) <= SECOND:
        return alpha  # there is only one sequence
    while high - low > 1e-4:
        level = (low + high) / 2
        sizes, most = _tests(p, level, ends)
        if len(sizes) <= SECOND:  # ties have joined some of them
            high = level
            continue
        chance = max(
            _either_passed(p, sizes[[first, SECOND]], most[[first, SECOND]])
            for first in range(SECOND)
        )
        low, high = (level, high) if chance <= alpha else (low, level)
    return low


def _either_passed(p: float, sizes: IntArray, most: IntArray) -> float:
    """P(at most most[0] mistakes in sizes[0] rows, or most[1] in sizes[1]), if each row is right
    with the probability p."""
    from scipy.special import bdtr

    mistakes = np.arange(most[0] + 1)
    at_most = bdtr(mistakes, sizes[0], 1 - p)
    rest, left = sizes[1] - sizes[0], np.maximum(most[1] - mistakes, 0)
    both = np.diff(at_most, prepend=0.0) * np.where(
        most[1] >= mistakes, bdtr(np.minimum(left, rest), rest, 1 - p), 0.0
    )
    return float(at_most[-1] + bdtr(most[1], sizes[1], 1 - p) - both.sum())


def _tests(p: float, level: float, ends: IntArray) -> tuple[IntArray, IntArray]:
    """How many rows are tried, and how many mistakes among them pass: for 0, 1, 2 ... mistakes the
    fewest rows for which these pass, raised to the next end of rows with equal margins."""
    from scipy.special import bdtr, bdtrik

    n = int(ends[-1])
    some = int(1 / (STEP - 1))
    n_more = max(0, ceil(log(max(n / some, 1)) / log(STEP)))
    mistakes = np.append(np.arange(some), np.ceil(some * STEP ** np.arange(n_more))).astype(int)
    mistakes = np.unique(mistakes[mistakes < n])
    low, high = mistakes, np.full(len(mistakes), n + 1)  # too few rows, and enough
    while (high - low > 1).any():
        middle = (low + high) // 2
        enough = bdtr(mistakes, np.maximum(middle, 1), 1 - p) <= level
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    sizes = np.unique(ends[np.searchsorted(ends, high[high <= n])])
    most = np.floor(bdtrik(level, sizes, 1 - p)).astype(np.int64)
    most += bdtr(most + 1, sizes, 1 - p) <= level
    most -= bdtr(most, sizes, 1 - p) > level
    return sizes, most


def _why_not_precise(requirement: Requirement, needed: int, ends: IntArray, hits: IntArray) -> str:
    label, n_label = requirement.label, int(hits[-1])
    if n_label < needed * requirement.least or needed > ends[-1]:
        seen = (
            f"at least {needed:,} texts held out must get the label {label!r}, and {n_label:,} of "
            f"{ends[-1]:,} have it"
        )
    else:
        k = int(ends[np.searchsorted(ends, needed)])
        bound = lower_bound(int(hits[k - 1]), k)
        seen = (
            f"of the {k:,} texts held out that are likeliest {label!r}, {hits[k - 1]:,} have that "
            f"label, which shows {bound:.3f} or more"
        )
    return f"{requirement} cannot be shown: {seen}; give more texts, or require less"
