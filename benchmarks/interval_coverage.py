"""How often 95 % intervals of macro F1 hold the true value, by three ways to make them.

Classifiers that are right with probability 0.6, 0.8 or 0.95 in every class, of equal shares or
each half as common as the one before; of each, 400 test sets. Writes a table to standard output:

    python benchmarks/interval_coverage.py > benchmarks/results/interval_coverage.md
"""

from statistics import NormalDist

import numpy as np

from wordplane.evaluation.confusion import Totals
from wordplane.evaluation.intervals import macro_f1_interval, percentile_interval

NORMAL = NormalDist()
N_SETS, N_RESAMPLES = 400, 1000


def macro_f1(tables):
    hits = np.einsum("...kk->...k", tables)
    rows = tables.sum(axis=-1) + tables.sum(axis=-2)
    f = 2 * hits / np.where(rows > 0, rows, 1)
    return f.sum(axis=-1) / (rows > 0).sum(axis=-1)


def totals_of(tables):
    hits = np.einsum("...kk->...k", tables)
    return Totals(hits, tables.sum(axis=-1), tables.sum(axis=-2))


def bca_interval(table, value, draws):
    """Efron's bias-corrected and accelerated percentiles; the jackknife over cells."""
    n_classes, counts = len(table), table.ravel()
    cells = np.flatnonzero(counts)
    without = np.repeat(counts[None], len(cells), axis=0)
    without[np.arange(len(cells)), cells] -= 1
    left = macro_f1(without.reshape(-1, n_classes, n_classes))
    weight = counts[cells]
    away = np.average(left, weights=weight) - left
    square = (weight * away**2).sum()
    a = (weight * away**3).sum() / (6 * square**1.5) if square > 0 else 0.0
    below = (np.mean(draws < value) + np.mean(draws <= value)) / 2
    z0 = NORMAL.inv_cdf(float(np.clip(below, 1 / len(draws), 1 - 1 / len(draws))))
    ends = [z0 + (z0 + z) / (1 - a * (z0 + z)) for z in (-1.96, 1.96)]
    return np.quantile(draws, [NORMAL.cdf(float(end)) for end in ends])


def coverage(P, n, rng):
    n_classes, true = len(P), macro_f1(P)
    held = np.zeros(3)
    for counts in rng.multinomial(n, P.ravel(), size=N_SETS).astype(float):
        drawn = rng.multinomial(n, counts / n, size=N_RESAMPLES).astype(float)
        draws = macro_f1(drawn.reshape(-1, n_classes, n_classes))
        table = counts.reshape(n_classes, n_classes)
        value = float(macro_f1(table))
        totals = totals_of(table)
        kept = totals.resampled_macro_f1(totals_of(drawn.reshape(-1, n_classes, n_classes)))
        intervals = [
            macro_f1_interval(value, kept, n, totals.hits, totals.either()),
            percentile_interval(draws),
            bca_interval(table, value, draws),
        ]
        held += [low <= true <= high for low, high in intervals]
    return 100 * held / N_SETS


def classifier(n_classes, accuracy, falling):
    shares = 0.5 ** np.arange(n_classes) if falling else np.ones(n_classes)
    table = np.full((n_classes, n_classes), (1 - accuracy) / (n_classes - 1))
    np.fill_diagonal(table, accuracy)
    return table * (shares / shares.sum())[:, None]


def main():
    rng = np.random.default_rng(0)
    print("Share of 400 test sets whose 95 % interval of macro F1 holds the true value:")
    print("the lowest, mean and highest of all classifiers with so many classes.\n")
    print("| classes | rows | Wilson, n from the bootstrap | percentiles | BCa |")
    print("| --- | --- | --- | --- | --- |")
    for name, settings in {
        "2 to 4": [(2, False), (2, True), (4, False), (4, True)],
        "20": [(20, False)],
    }.items():
        for n in (20, 50, 200, 1000):
            found = np.array(
                [
                    coverage(classifier(n_classes, accuracy, falling), n, rng)
                    for n_classes, falling in settings
                    for accuracy in (0.6, 0.8, 0.95)
                ]
            )
            cells = [f"{c.min():.0f} / {c.mean():.0f} / {c.max():.0f}" for c in found.T]
            print(f"| {name} | {n:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
