"""How far stated probabilities are from what comes true: raw ECE of the top label, 15 bins.

Texts are trained on, calibrated on a tenth of them (the default) and measured on the given test
rows, or where there are none on all rows, by folds. (The test rows of 20 newsgroups are later than
the training rows, and harder: what is found on the latter need not hold of them.) The last column
is what a perfectly calibrated model would show by chance on as many rows. Writes a table to
standard output:

    python benchmarks/calibration_error.py > benchmarks/results/calibration_error.md
"""

import sys
from pathlib import Path

import numpy as np

from wordplane import TextClassifier, read
from wordplane.common.labels import as_labels
from wordplane.data.splits import stratified_folds
from wordplane.evaluation.reliability import reliability

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"
NAMES = ("imdb", "rt_snippets", "newsgroups20", "newsgroups20 by folds")
LEARNERS = ("nb", "perceptron", "svm", None)
N_FOLDS = 5  # where no test rows are given


def splits(corpus, by_folds):
    """(rows to train on, rows to measure on)"""
    if corpus.split is not None and not by_folds:
        return [(corpus.split_rows("train"), corpus.split_rows("test"))]
    folds = stratified_folds(corpus.labels, N_FOLDS)
    return [(np.setdiff1d(np.arange(len(corpus)), fold), fold) for fold in folds]


def by_chance(confidence, rng):
    """The mean ECE of a model that is right exactly as often as it says."""
    return np.mean(
        [
            reliability(rng.random(len(confidence)) < confidence, confidence).raw_ece
            for _ in range(20)
        ]
    )


def main():
    rng = np.random.default_rng(0)
    print("| data | learner | accuracy | ECE | by chance |")
    print("| --- | --- | --- | --- | --- |")
    for name in sys.argv[1:] or NAMES:
        file, _, by_folds = name.partition(" ")
        corpus = read(DATASETS / f"{file}.parquet")
        labels = as_labels(corpus.labels)
        for learner in LEARNERS:
            right, confidence = [], []
            for train, test in splits(corpus, by_folds):
                model = TextClassifier(learner=learner).fit(corpus.take(train), labels[train])
                P = model.predict_proba(corpus.take(test))
                right.append(model.classes_[P.argmax(axis=1)] == labels[test])
                confidence.append(np.minimum(P.max(axis=1), 1.0))
            measured = reliability(np.concatenate(right), np.concatenate(confidence))
            chance = by_chance(np.concatenate(confidence), rng)
            print(
                f"| {name} | {learner or 'recipe'} | {measured.right:.1%} | {measured.raw_ece:.4f} "
                f"| {chance:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
