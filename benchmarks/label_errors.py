"""How many of 5 % flipped labels are among the 5 % most suspect, and how many could be.

Short movie reviews (RT-s), labels flipped at random, mean of four draws. Beside the audit:

- after a round: the tenth that is most suspect is left out, and all are judged again by models of
  the rest (whose accuracy is too good: a row's own label has had a say in what was left out);
- clean labels: the same models, trained on labels of which none was flipped: about what any way to
  clean labels, to weigh them down or to train in spite of them could come to with such models;
- moved: scores of these models, moved towards the true label. Not a method (it knows the truth):
  it says how often a model would have to be right.

    python benchmarks/label_errors.py > benchmarks/results/label_errors.md
"""

from pathlib import Path

import numpy as np

from wordplane import read
from wordplane.data.corpus import Corpus
from wordplane.diagnosis.audit import audit_corpus
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.registry import fit_to_features
from wordplane.model.recipe import Recipe
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import Documents

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"
DRAWS, FOLDS, THREADS = 4, 5, 2
SHIFTS = (0.1, 0.2, 0.3)


def out_of_fold(counted, y, kept):
    """Scores of all rows by models of the kept rows of the other folds."""
    analyzer, scores = Recipe(short=True).analyzer(), np.zeros(len(y))
    for held in [held for _, held in Splitter(FOLDS).split(y.tolist())]:
        train = np.setdiff1d(np.flatnonzero(kept), held)
        features = counted.fit(analyzer, train, THREADS)
        X = features.matrix(train, THREADS)
        model = fit_to_features(Recipe(short=True).learner(), features, X, y[train], THREADS)
        scores[held] = model.decision_function(features.matrix(held, THREADS))
    return scores


def suspects(scores, y, n):
    """The rows whose label has the most against it."""
    return np.argsort(np.where(y == 1, scores, -scores), kind="stable")[:n]


def main():
    corpus = read(DATASETS / "rt_snippets.parquet")
    _, truth = np.unique(corpus.labels, return_inverse=True)
    n = len(truth)
    n_flipped = n // 20
    counted = FoldCounts.of(Recipe(short=True).analyzer(), Documents(corpus.texts), THREADS)
    clean = out_of_fold(counted, truth, np.ones(n, bool))
    rows = {}
    for seed in range(DRAWS):
        flipped = np.random.default_rng(seed).choice(n, n_flipped, replace=False)
        y = truth.copy()
        y[flipped] = 1 - y[flipped]

        def note(name, right, found, flipped=flipped):
            share = np.isin(flipped, found).mean()
            rows.setdefault(name, []).append((right, share))

        audited = audit_corpus(
            Corpus(corpus.texts, labels=y.tolist()), folds=FOLDS, threads=THREADS
        )
        scores = out_of_fold(counted, y, np.ones(n, bool))
        right = np.mean((scores > 0) == truth)
        note("the audit", right, audited["suspect labels"].positions[:n_flipped])
        kept = np.ones(n, bool)
        kept[suspects(scores, y, n // 10)] = False
        again = out_of_fold(counted, y, kept)
        note("after a round", np.mean((again > 0) == truth), suspects(again, y, n_flipped))
        for shift in (0.0, *SHIFTS):
            moved = clean + shift * (2 * truth - 1)
            right = np.mean((moved > 0) == truth)
            name = f"moved by {shift}" if shift else "clean labels"
            note(name, right, suspects(moved, y, n_flipped))
    print("| judged by | right about the true labels | of the flipped labels found |")
    print("| --- | --- | --- |")
    for name, measured in rows.items():
        right, shares = np.array(measured).T
        spread = f"{shares.mean():.1%} ({shares.min():.1%} to {shares.max():.1%})"
        print(f"| {name} | {right.mean():.1%} | {spread} |")


if __name__ == "__main__":
    main()
