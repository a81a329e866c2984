"""Which text comes next: a mix of reasons with shares that people see and set.

random     drawn from all texts by chance; these alone measure accuracy
uncertain  drawn from the share that the model is least sure of, without near-duplicates
rare       likely to have a label that few texts have
doubt      labeled already, but models of the other texts would give another label
cluster    in place of `uncertain` before the first model: near the center of a cluster
words      in place of `rare` as long as a label has few texts: they have words that people named
likely     in place of all but `random` in screening: most likely to have the label
overlap    labeled by another person already, to see whether people agree
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, zip_longest

import numpy as np

from wordplane.annotation.answers import DOUBT
from wordplane.annotation.learning import Learned
from wordplane.annotation.pool import Pool
from wordplane.annotation.screening import LIKELY
from wordplane.annotation.store import Labels, are_shares
from wordplane.common.errors import InputError
from wordplane.common.types import IntArray
from wordplane.data.formats.sqlite import RANDOM

UNCERTAIN, RARE, OVERLAP = "uncertain", "rare", "overlap"
CLUSTER, WORDS = "cluster", "words"
SHARES = {RANDOM: 0.25, UNCERTAIN: 0.5, RARE: 0.2, DOUBT: 0.05, OVERLAP: 0.0}
# What a reason counts as.
COUNTS_AS = {CLUSTER: UNCERTAIN, WORDS: RARE, LIKELY: UNCERTAIN}
QUEUE = 60  # texts of each reason that are chosen ahead
CONSIDERED = 400  # texts, the likeliest to have a label, that are looked at
NEAR_DUPLICATE = 0.9  # cosine
COMPARED = 3000  # labeled texts, the latest
ENOUGH_NAMED = 10  # texts of a label, from which on words that people named are not needed
RARE_SHARE = 0.5  # of the mean number of texts per label, below which a label is rare

Queues = dict[str, list[int]]  # numbers of texts, from 1


def check_shares(shares: Mapping[str, object]) -> dict[str, float]:
    """Shares of the reasons, those that are missing 0.

    >>> check_shares({"random": 1, "uncertain": 3})["uncertain"]
    0.75
    """
    unknown = [name for name in shares if name not in SHARES]
    if unknown or not are_shares(shares.values()):
        raise InputError(
            f"the shares are {dict(shares)!r:.200}, expected numbers of 0 or more for "
            f"{', '.join(SHARES)}"
        )
    given = {name: float(str(share)) for name, share in shares.items()}
    return {name: given.get(name, 0.0) / sum(given.values()) for name in SHARES}


def reasons_by_need(shares: Mapping[str, float], counts: Mapping[str, int]) -> list[str]:
    """The reasons whose share is above 0, the one that is furthest behind first.

    >>> reasons_by_need({"random": 0.25, "uncertain": 0.75}, {"random": 1, "uncertain": 2})
    ['uncertain', 'random']
    """
    total = sum(counts.values()) + 1
    wanted = [reason for reason, share in shares.items() if share > 0]
    return sorted(wanted, key=lambda reason: counts.get(reason, 0) - shares[reason] * total)


def choose_ahead(
    learned: Learned | None,
    pool: Pool | None,
    labeled: Mapping[int, Labels],
    labels: Sequence[int],
    words: Mapping[int, IntArray],
    find: int | None = None,
) -> Queues:
    """The texts to show next for each reason but `random` and `overlap`.

    labels  the numbers of all labels
    words   rows, from 0, that have words that people named, by label
    find    the label to find all texts of
    """
    counts = dict.fromkeys(labels, 0)
    for given in labeled.values():
        for label in given:
            counts[label] = counts.get(label, 0) + 1
    queues: Queues = {WORDS: _named(words, counts, labeled)}
    if pool is not None:
        queues[CLUSTER] = [row + 1 for row in pool.central if row + 1 not in labeled]
    if learned is None:
        return queues
    new = np.flatnonzero([row + 1 not in labeled for row in learned.candidates.tolist()])
    done = np.array([text - 1 for text in list(labeled)[-COMPARED:]], np.int64)
    if find is not None:
        if find in learned.classes:
            scores = learned.P[new, learned.classes.index(find)]
            best = new[np.argsort(-scores, kind="stable")[:CONSIDERED]]
            queues[LIKELY] = (learned.candidates[best] + 1).tolist()
        return queues
    # The least sure ones of all are alike, and unlike most texts: a draw from a share that is least
    # sure teaches more. A model that is unsure of most texts knows too little to choose: the share
    # is its mean uncertainty.
    uncertainty = learned.uncertainty()[new]
    order = np.argsort(-uncertainty, kind="stable")
    unsure = new[order[: max(QUEUE, int(uncertainty.sum()))]]
    drawn = np.random.default_rng(learned.number).permutation(unsure)[:CONSIDERED]
    queues[UNCERTAIN] = _different(learned.candidates[drawn], pool, done)
    queues[RARE] = _rare(learned, new, counts, pool, done)
    queues[DOUBT] = [doubt.text for doubt in learned.doubts]
    return queues


def _different(rows: IntArray, pool: Pool | None, done: IntArray) -> list[int]:
    """The first texts that are no near-duplicates of each other or of those that are labeled."""
    if pool is None or len(rows) == 0:
        return [int(row) + 1 for row in rows[:QUEUE]]
    is_open = pool.similar(rows, done).max(axis=1, initial=0.0) < NEAR_DUPLICATE
    among = pool.similar(rows, rows)
    found: list[int] = []
    for place, row in enumerate(rows.tolist()):
        if is_open[place] and len(found) < QUEUE:
            found.append(row + 1)
            is_open &= among[place] < NEAR_DUPLICATE
    return found


def _rare(
    learned: Learned,
    new: IntArray,
    counts: Mapping[int, int],
    pool: Pool | None,
    done: IntArray,
) -> list[int]:
    """For each label that few texts have, the rarest first, texts that are likely to have it."""
    most = RARE_SHARE * sum(counts.values()) / max(len(counts), 1)
    rare = [k for k in sorted(counts, key=lambda k: counts[k]) if counts[k] <= most]
    lists = []
    for label in [k for k in rare if k in learned.classes][:10]:
        scores = learned.P[new, learned.classes.index(label)]
        best = np.argsort(-scores, kind="stable")[: CONSIDERED // 4]
        lists.append(_different(learned.candidates[new[best]], pool, done))
    return _interleave(lists)


def _named(
    words: Mapping[int, IntArray], counts: Mapping[int, int], labeled: Collection[int]
) -> list[int]:
    """Texts with words that people named for a label, of labels with the fewest texts first."""
    lists = []
    few = [label for label in words if counts.get(label, 0) < ENOUGH_NAMED]
    for label in sorted(few, key=lambda label: counts.get(label, 0)):
        new = [row + 1 for row in words[label].tolist() if row + 1 not in labeled]
        lists.append(new[:: max(1, len(new) // QUEUE)][:QUEUE])
    return _interleave(lists)


def _interleave(lists: Sequence[Sequence[int]]) -> list[int]:
    """
    >>> _interleave([[1, 2], [3], [1, 4]])
    [1, 3, 2, 4]
    """
    mixed = chain.from_iterable(zip_longest(*lists))
    return list(dict.fromkeys(text for text in mixed if text is not None))
