"""A threshold with a guarantee: the least precision or recall of one label on new rows.

A row gets the label if its margin m (the label's score minus the best of the others) is above a
threshold t. On n rows that no model has seen, with the level alpha = 5 %:

    recall(label) >= r      t is the j-th lowest margin of the N rows with the label, for the
                            largest j with P(Bin(N, 1 - r) <= j - 1) <= alpha. The share that lies
                            below it has the distribution Beta(j, N - j + 1), so the recall on new
                            rows is below r in at most 5 % of all such samples.
    precision(label) >= p   the k highest margins are tried, k = s, 1.02 s, 1.02^2 s ...: if h of
                            these rows have the label and P(Bin(k, p) >= h) <= alpha / 3, the next k
                            is tried, else none after it. There are three such sequences: they begin
                            with the fewest rows that can show it, with a quarter and with half of
                            the rows that have the label. t lies below the largest k that passed.

The tests of a sequence are in an order that is fixed in advance, and end with the first that fails;
so, if a higher margin never makes the label less likely, in at most 5 % of all such samples a
threshold is chosen whose precision on new rows is below p. (P(Bin >= h) <= alpha says that p is
below the one-sided Clopper-Pearson bound.) New rows are taken to be drawn like these.

References: Clopper and Pearson (1934); Wilks (1941) for recall; Bauer (1991), Statistics in
Medicine 10, and Angelopoulos et al. (2021), Learn then test, for sequences of tests.
"""

import re
from dataclasses import asdict, dataclass
from math import ceil, log
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError, RequirementError
from wordplane.common.types import FloatArray, IntArray, JsonObject, LabelArray

ALPHA = 0.05
STEP = 1.02
_FORM = re.compile(r"\s*(precision|recall)\s*\((.+)\)\s*>=\s*([0-9.]+)(%?)\s*", re.DOTALL)


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
    (102, 100)
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


def lower_bound(hits: int, n: int, alpha: float = ALPHA) -> float:
    """The one-sided lower Clopper-Pearson bound of a share.

    >>> round(lower_bound(59, 59), 4), lower_bound(0, 10)
    (0.9505, 0.0)
    """
    from scipy.special import betaincinv

    return float(betaincinv(hits, n - hits + 1, alpha)) if hits > 0 else 0.0


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
    from scipy.special import bdtrc

    p, n_label = requirement.least, int(has_label.sum())
    fewest = ceil(log(ALPHA / 3) / log(p))
    starts = [start for start in (n_label // 4, n_label // 2) if start > fewest]
    starts = [fewest, *starts] if starts else [ceil(log(ALPHA) / log(p))]
    alpha = ALPHA / len(starts)
    ends = np.append(np.flatnonzero(np.diff(margins)) + 1, len(margins))  # equal rows: one side
    hits = np.cumsum(has_label, dtype=np.int64)
    best = 0
    for start in starts:
        for k in _sizes(start, ends):
            if not bdtrc(hits[k - 1] - 1, k, p) <= alpha:
                break
            best = max(best, k)
    if best == 0:
        raise RequirementError(_why_not_precise(requirement, starts[0], ends, hits))
    return best


def _sizes(start: int, ends: IntArray) -> list[int]:
    """start, 1.02 start, ... each raised to the next end of rows with equal margins."""
    sizes: dict[int, None] = {}
    size = float(start)
    while size <= ends[-1]:
        sizes[int(ends[np.searchsorted(ends, ceil(size))])] = None
        size = max(size * STEP, size + 1)
    return list(sizes)


def _why_not_precise(requirement: Requirement, needed: int, ends: IntArray, hits: IntArray) -> str:
    label, n_label = requirement.label, int(hits[-1])
    if n_label < needed * requirement.least:
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
