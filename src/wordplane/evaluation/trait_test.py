"""Whether texts differ from earlier ones in how often they have each of many traits.

Traits are yes or no of a text, such as whether it has a word. Of earlier texts it is known how many
of each class have each trait, of the new ones which have it, but not their classes. Classes may
have changed their shares, so what is compared is what no shares explain: with the shares p that the
new texts are thought to have, trait j differs by

    z_j = (share in new texts - sum over k of p_k share in class k) / standard error

and the part of z that lies in the span of the differences between classes is taken out, which makes
up for errors of p, too. The test looks at the largest |z_j| and at the sum of z_j^2, each minus its
mean and divided by its standard deviation where nothing has changed, and takes the larger. How
these are distributed then is found by sums of the new texts themselves, each times a normal number
at random (a multiplier bootstrap), since traits depend on each other. (Their correlations are
shrunk a little, as those of few texts are too large.)

Traits that few texts of both sides have, or lack, are not normally distributed and left out, unless
Fisher's exact test is sure of one of them: no earlier text without a word, and all new ones empty.

Reference: Chernozhukov, Chetverikov and Kato (2013), Annals of Statistics 41(6).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, floor, inf, lgamma

import numpy as np
from numpy.typing import NDArray

from wordplane.common.errors import InputError
from wordplane.common.types import FloatArray, IntArray

N_DRAWS = 999
MIN_TEXTS, MIN_EARLIER = 50, 25
MIN_WITH = 10  # texts expected to have a trait, and not to: fewer are not normally distributed
SURELY_WITH = 30  # new texts that have what so few were expected to have: no chance
MIN_OF_CLASS = 5
SURE = 0.001  # p-value of a trait that is left out, times their number


@dataclass(frozen=True, eq=False)
class TraitTest:
    """What changed.

    p         that texts such as the earlier ones differ so much; None if no trait can tell
    before    the share of each trait expected at the shares of the classes
    now       its share in the new texts
    z         how many standard errors apart they are, less what the classes explain; 0 of traits
              that too few texts have
    least     the |z| that the largest of all has by chance in one of 20 cases
    """

    p: float | None
    before: FloatArray
    now: FloatArray
    z: FloatArray
    least: float

    @property
    def changed(self) -> IntArray:
        """The traits that changed, those first that changed most."""
        order = np.argsort(-np.abs(self.z), kind="stable")
        return order[np.abs(self.z)[order] > self.least]


def compare_traits(
    counts: IntArray, sizes: IntArray, X: FloatArray, shares: FloatArray, random_state: int = 0
) -> TraitTest:
    """Compare texts with earlier ones.

    counts  how many earlier texts of each class have each trait, traits x classes
    sizes   how many texts of each class there were
    X       1 where a new text has a trait, texts x traits
    shares  what shares the classes are thought to have now

    >>> rng = np.random.default_rng(0)
    >>> X = (rng.random((200, 5)) < 0.3).astype(float)
    >>> same, other = np.full((5, 1), 60), np.array([[60], [60], [60], [60], [120]])
    >>> [compare_traits(n, np.array([200]), X, np.ones(1)).p < 0.05 for n in (same, other)]
    [False, True]
    """
    n_new, n_earlier = len(X), int(sizes.sum())
    if n_new < MIN_TEXTS or n_earlier < MIN_EARLIER:
        raise InputError(
            f"{n_new:,} texts are compared with {n_earlier:,}: at least {MIN_TEXTS} and "
            f"{MIN_EARLIER} are needed"
        )
    p, in_class = _expected_shares(counts, sizes, shares)
    before, now = in_class @ p, X.mean(axis=0)
    n_before = 1 / float((p**2 / np.maximum(sizes, 1)).sum())
    both = np.clip((n_new * now + n_before * before) / (n_new + n_before), 0.0, 1.0)
    variance = 1 / n_new + 1 / n_before
    can_tell = _can_tell(both, variance, n_new * now, n_new)
    used, rare = np.flatnonzero(can_tell), np.flatnonzero(~can_tell)
    z = np.zeros(len(counts))
    exact = _fisher(before[rare], n_before, now[rare], n_new)
    sure = rare[exact * len(rare) < SURE]
    # Texts of a class vary less than all together; rare classes that count much, more.
    of_class = np.clip(in_class + (both - before)[:, None], 0.0, 1.0)
    spread = (of_class * (1 - of_class)) @ (p**2 / np.maximum(sizes, 1))
    error = np.sqrt(np.maximum(both * (1 - both) / n_new + spread, 1e-9 * variance))
    z[sure] = ((now - before) / error)[sure]
    if len(used) == 0:
        p_rare = float(exact.min() * len(rare)) if len(sure) else None
        return TraitTest(p_rare, before, now, z, 0.0)
    basis = _differences(in_class[used] / error[used, None], sizes)
    raw = ((now - before) / error)[used]
    z[used] = raw - basis @ (basis.T @ raw)
    draws = _draw(X[:, used], np.random.default_rng(random_state))
    draws -= (draws @ basis) @ basis.T
    largest, sums = np.abs(draws).max(axis=1), (draws**2).sum(axis=1)
    own = np.maximum(
        _standard(np.abs(z[used]).max(), largest), _standard((z[used] ** 2).sum(), sums)
    )
    by_chance = np.maximum(_standard(largest, largest), _standard(sums, sums))
    p_value = (1 + int((by_chance >= own).sum())) / (1 + N_DRAWS)
    if len(sure):
        p_value = min(p_value, float(exact.min() * len(rare)))
    return TraitTest(p_value, before, now, z, float(np.quantile(largest, 0.95)))


def _can_tell(
    both: FloatArray, variance: float, n_with: FloatArray, n_new: int
) -> NDArray[np.bool_]:
    """Which traits are neither too rare nor too common to be compared."""
    n_odd = np.where(both < 0.5, n_with, n_new - n_with)
    return (np.minimum(both, 1 - both) >= MIN_WITH * variance) | (n_odd >= SURELY_WITH)


def _fisher(before: FloatArray, n_before: float, now: FloatArray, n_new: int) -> FloatArray:
    """The p-values of Fisher's exact test for shares of two samples, to one side, doubled; 1 where
    they are not far apart.

    >>> _fisher(np.array([1.0, 0.5]), 17.0, np.array([0.0, 0.4]), 50) < 1e-6
    array([ True, False])
    """
    n = floor(n_before)
    found = np.ones(len(before))
    for j in np.flatnonzero(np.abs(now - before) > 0.5).tolist():
        few, many = round(n * before[j]), round(n_new * now[j])
        if now[j] > before[j]:  # count those without it
            few, many = n - few, n_new - many
        total = few + many  # of which the new texts have as few as `many`
        ways = [_log_choose(n_new, k) + _log_choose(n, total - k) for k in range(many + 1)]
        found[j] = min(1.0, 2 * sum(exp(way - _log_choose(n_new + n, total)) for way in ways))
    return found


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) if 0 <= k <= n else -inf


def _draw(X: FloatArray, rng: np.random.Generator) -> FloatArray:
    """What z may be where nothing has changed: normal numbers, correlated as the traits are.

    Correlations are those of the texts, shrunk: by chance alone, the square of each of them is
    1 / n larger in n texts.
    """
    n_texts, n_traits = X.shape
    spread = X.std(axis=0)
    C = (X - X.mean(axis=0)) / (np.where(spread > 0, spread, 1.0) * np.sqrt(n_texts))
    squares = float(((C.T @ C) ** 2).sum()) - n_traits
    by_chance = n_traits * (n_traits - 1) / n_texts
    kept = np.sqrt(max(1 - by_chance / squares, 0.0)) if squares > 0 else 0.0
    correlated = rng.standard_normal((N_DRAWS, n_texts)) @ C
    alone = rng.standard_normal((N_DRAWS, n_traits))
    return np.asarray(np.sqrt(kept) * correlated + np.sqrt(1 - kept) * alone)


def _expected_shares(
    counts: IntArray, sizes: IntArray, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The shares of the classes that there were texts of, and of each trait in each class."""
    known = np.where(sizes >= MIN_OF_CLASS, shares, 0.0)
    known = known if known.sum() > 0 else sizes.astype(np.float64)
    return known / known.sum(), counts / np.maximum(sizes, 1)


def _differences(in_class: FloatArray, sizes: IntArray) -> FloatArray:
    """Orthonormal columns that span the differences between the classes; a quarter of the traits at
    most, those that differ most."""
    known = in_class[:, sizes >= MIN_OF_CLASS]
    if known.shape[1] < 2:
        return np.zeros((len(in_class), 0))
    U, s, _ = np.linalg.svd(known[:, 1:] - known[:, :1], full_matrices=False)
    return np.asarray(U[:, : int(min((s > 1e-9 * s[0]).sum(), max(len(U) // 4, 1)))])


def _standard(values: FloatArray, by_chance: FloatArray) -> FloatArray:
    return np.asarray((values - by_chance.mean()) / max(float(by_chance.std()), 1e-12))
