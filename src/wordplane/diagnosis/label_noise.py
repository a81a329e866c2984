"""How many labels are wrong, from labels that were made wrong on purpose.

Models that have not seen a row disagree with its label because the label is wrong, or because the
models are. To tell these apart, a tenth of the labels is changed, to labels that the models find
likely, and all rows are judged again. With s the margin by which models prefer another label,

    F(t) = the share of unchanged rows with s > t,
    G(t) = the share of changed rows with s > t,

the share of labels that were wrong before is at most F(t) / G(t) for every t, if they are as hard
to find as the changed ones: of such rows G(t) have s > t, and F(t) counts them all. The bound is
closest where models are surest. Of the rows with the largest margins, u of all, down to t, then
about bound * G(t) / u are wrong.

The idea is that of estimating the proportion of a mixture (Blanchard, Lee and Scott 2010, JMLR 11).
`benchmarks/label_noise.py` shows what it gives for known numbers of wrong labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wordplane.common.label_sets import strata_of
from wordplane.common.types import FloatArray, IntArray, LabelArray
from wordplane.evaluation.calibration import Temperature
from wordplane.evaluation.intervals import Interval
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.support.base import LinearClassifier
from wordplane.selection.cross_validation import OutOfFold, cross_validate_counted
from wordplane.selection.splitter import Splitter
from wordplane.text.analyzer import Analyzer

CHANGED = 0.1  # share of the labels
Z = 1.96  # standard errors of a 95 % interval
ENOUGH_CHANGED, MAX_DRAWS = 600, 20
MAX_LABELS = 20_000  # judged again in all, each for every class, besides those of one draw
MIN_ROWS, MAX_ROWS = 40, 20_000  # judged again
MIN_CLASS_ROWS = 8  # of a class whose labels are changed
DEPTHS, MIN_ABOVE = (0.5, 0.3, 0.2, 0.1, 0.05), 20  # changed rows above t: their shares, at least
MIN_SURE = 0.3  # share of the rows listed that must be wrong, by expectation
MAX_CALIBRATION_SCORES = 1 << 20
STREAM = 20_100  # of random numbers: not those by which others draw rows with the same seed


@dataclass(frozen=True)
class LabelNoise:
    """How many labels are wrong.

    share     of all labels that are wrong
    most      the same with its standard error added
    interval  95 % interval of the share
    changed   the margins of rows whose label was changed
    others    the margins of the other rows
    """

    share: float
    most: float
    interval: Interval
    changed: FloatArray
    others: FloatArray

    def expected(self, n_listed: int, n_rows: int, share: float | None = None) -> float:
        """How many of the n_listed rows with the largest margins are wrong, if `share` are."""
        if n_listed == 0:
            return 0.0
        depth = min(n_listed / n_rows, 1.0)
        t = np.quantile(self.others, 1 - depth)
        found = float((self.changed >= t).mean())
        return min((self.share if share is None else share) * found * n_rows, float(n_listed))

    def n_suspects(self, n_disagreeing: int, n_rows: int) -> int:
        """How many rows to list: as many as may be wrong often enough."""
        sizes = np.unique(np.geomspace(1, max(n_disagreeing, 1), 200).astype(np.int64))
        worth = [n for n in sizes.tolist() if self.expected(n, n_rows, self.most) >= MIN_SURE * n]
        return min(max(worth, default=0), n_disagreeing)


def margins(result: OutOfFold, y: LabelArray) -> tuple[FloatArray, IntArray, FloatArray]:
    """By how much models prefer another label, which, and the probabilities; NaN where no model
    has judged the row."""
    known = np.isfinite(result.scores.reshape(len(y), -1)).all(axis=1)
    codes = np.searchsorted(result.classes, y)
    P = np.full((len(y), len(result.classes)), np.nan)
    rows = np.flatnonzero(known)
    some = rows[:: max(1, result.scores.size // MAX_CALIBRATION_SCORES)]
    if len(rows):
        P[rows] = Temperature.fit(result.scores[some], codes[some]).transform(result.scores[rows])
    every = np.arange(len(y))
    others = P.copy()
    others[every, codes] = -1
    best = np.nan_to_num(others, nan=-1).argmax(axis=1)
    return others[every, best] - P[every, codes], best, P


def measure_noise(
    judge: tuple[Analyzer, LinearClassifier],
    counted: FoldCounts,
    y: LabelArray,
    P: FloatArray,
    *,
    splitter: Splitter,
    threads: int,
) -> LabelNoise | None:
    """How many labels are wrong; P are the probabilities of the labels by models of other rows.
    None if there are too few texts to say."""
    rng = np.random.default_rng([splitter.random_state, STREAM])
    classes = np.unique(y)
    if len(y) > MAX_ROWS:
        rows = np.sort(rng.choice(len(y), MAX_ROWS, replace=False))
        counted, y, P = counted.take(rows, threads), y[rows], P[rows]
        splitter = splitter.take(rows)
        present = np.isin(classes, y)
        classes, P = classes[present], P[:, present]
    n_of_class = np.bincount(np.searchsorted(classes, y))[np.searchsorted(classes, y)]
    candidates = np.flatnonzero(n_of_class >= MIN_CLASS_ROWS)  # no class shall vanish
    n_changed = int(CHANGED * len(candidates))
    if len(candidates) < MIN_ROWS:
        return None
    affordable = max(MAX_LABELS // (len(y) * len(classes)), 1)
    n_draws = min(math.ceil(ENOUGH_CHANGED / n_changed), MAX_DRAWS, affordable)
    changed, others = [], []
    for _ in range(n_draws):
        rows = rng.choice(candidates, n_changed, replace=False)
        noisy = _change(y, classes, P, rows, rng)
        splits = splitter.split(strata_of(noisy))
        result = cross_validate_counted(counted, *judge, noisy, splits, threads)
        margin, _, _ = margins(result, noisy)
        is_changed = np.zeros(len(y), bool)
        is_changed[rows] = True
        known = np.isfinite(margin)
        changed.append(margin[is_changed & known])
        others.append(margin[~is_changed & known])
    found, rest = np.concatenate(changed), np.concatenate(others)
    # Of labels that were wrong, the change has made some right, which nobody can find.
    share, most, low, high = (
        r / (1 + r / (len(classes) - 1)) for r in bound_share(found, rest, n_draws)
    )
    return LabelNoise(share, most, (low, high), found, rest)


def bound_share(
    changed: FloatArray, others: FloatArray, n_draws: int = 1
) -> tuple[float, float, float, float]:
    """The bound on the share of wrong labels that is smallest with its standard error added, the
    two together, and the ends of its 95 % interval.

    Nearly all texts are among the others of each of the n_draws. For the interval each of them
    counts once, as if draws were copies of each other: of 100 simulated data sets of 600 texts with
    6 to 120 wrong labels, it then held the truth in 99, and in 76 by what draws add.

    >>> share, *ends = bound_share(np.array([0.9] * 50), np.array([0.9] * 10 + [-0.9] * 90))
    >>> share, [round(end, 3) for end in ends]
    (0.1, [0.133, 0.035, 0.165])
    """
    bounds = []
    n_texts = len(others) / n_draws
    for depth in [DEPTHS[0], *(d for d in DEPTHS[1:] if d * len(changed) >= MIN_ABOVE)]:
        t = np.quantile(changed, 1 - depth)
        found = max(int((changed >= t).sum()), 1) / len(changed)
        above = int((others >= t).sum())
        share = above / len(others) / found
        error = math.sqrt(above + 1) / len(others) / found
        of_texts = math.sqrt(above / n_draws + 1) / n_texts / found
        of_changed = share * math.sqrt((1 - found) / found / len(changed))
        bounds.append((share + error, share, Z * math.hypot(of_texts, of_changed)))
    most, share, spread = min(bounds)
    low, high = max(share - spread, 0.0), min(share + spread, 1.0)
    return min(share, 1.0), min(most, 1.0), low, high


def _change(
    y: LabelArray, classes: LabelArray, P: FloatArray, rows: IntArray, rng: np.random.Generator
) -> LabelArray:
    """The labels, where some rows have others: half of them any, half those that models find
    likely."""
    noisy = y.copy()
    codes = np.searchsorted(classes, y)
    for number, row in enumerate(rows.tolist()):
        weights = np.nan_to_num(P[row], nan=1.0) if number % 2 else np.ones(len(classes))
        weights = weights + 1e-9
        weights[codes[row]] = 0.0
        noisy[row] = classes[rng.choice(len(classes), p=weights / weights.sum())]
    return noisy
