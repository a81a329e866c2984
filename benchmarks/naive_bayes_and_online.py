"""How fast naive Bayes and the online learners are, beside scikit-learn in the same run.

Usage: naive_bayes_and_online.py [--rounds N] [--output FILE.json] [DATASET ...]

Data sets (imdb, newsgroups20 if none is named) lie beside the checkout: words and pairs of words
of at least two training documents, tf-idf. Ours and theirs take turns; the best time counts.
Online learners make the same number of epochs.
"""

import argparse
import json
import os
import platform
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import ComplementNB as TheirComplementNB
from sklearn.naive_bayes import MultinomialNB as TheirMultinomialNB

import wordplane
from wordplane import MIRA, ComplementNB, MultinomialNB, OnlineSVM, Perceptron, TfidfVectorizer

ROOT = Path(__file__).resolve().parents[1]
DATASETS = ROOT.parent / "shared" / "datasets"
EPOCHS = 10
ALPHAS = np.logspace(-3, 1, 20)

# What is compared: (task, scikit-learn's, ours); the last is run once, for it takes minutes.
TASKS = [
    ("MultinomialNB", TheirMultinomialNB(), MultinomialNB()),
    ("ComplementNB", TheirComplementNB(), ComplementNB()),
    (
        f"perceptron, {EPOCHS} epochs",
        TheirPerceptron(max_iter=EPOCHS, tol=None),
        Perceptron(averaged=False, max_iter=EPOCHS),
    ),
    (
        f"averaged perceptron, {EPOCHS} epochs",
        SGDClassifier(
            loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True,
            max_iter=EPOCHS, tol=None,
        ),
        Perceptron(max_iter=EPOCHS),
    ),
    (
        f"passive-aggressive, {EPOCHS} epochs",
        SGDClassifier(
            loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, max_iter=EPOCHS, tol=None
        ),
        MIRA(cost_augmented=True, averaged=False, max_iter=EPOCHS),
    ),
    (
        f"online SVM, {EPOCHS} epochs",
        SGDClassifier(alpha=1e-4, max_iter=EPOCHS, tol=None),
        OnlineSVM(alpha=1e-4, averaged=False, max_iter=EPOCHS),
    ),
]  # fmt: skip
SEARCH = (
    "10 folds x 20 alphas",
    GridSearchCV(TheirMultinomialNB(), {"alpha": ALPHAS}, cv=10, n_jobs=-1),
    MultinomialNB(alpha="cv", alphas=ALPHAS, cv=10),
)


def best_seconds(rounds, learners, X, y):
    best = [float("inf")] * len(learners)
    for _ in range(rounds):
        for m, learner in enumerate(learners):
            start = time.perf_counter()
            learner.fit(X, y)
            best[m] = min(best[m], time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["imdb", "newsgroups20"])
    parser.add_argument("--rounds", type=int, default=5)
    output = ROOT / "benchmarks" / "results" / "naive_bayes_and_online.json"
    parser.add_argument("--output", default=str(output))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    results = []
    for name in args.datasets:
        corpus = wordplane.read(DATASETS / f"{name}.parquet")
        rows, held = corpus.split_rows("train"), corpus.split_rows("test")
        train, test = corpus.take(rows), corpus.take(held)
        vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
        X, y = vectorizer.fit_transform(list(train.texts)), np.array(train.labels)
        X_test, y_test = vectorizer.transform(list(test.texts)), np.array(test.labels)
        print(f"{name}: {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} values")
        for task, theirs, ours in [*TASKS, SEARCH]:
            rounds = 1 if task == SEARCH[0] else args.rounds
            seconds = best_seconds(rounds, [theirs, ours], X, y)
            accuracy = [learner.score(X_test, y_test) for learner in (theirs, ours)]
            ratio = seconds[0] / seconds[1]
            results.append(
                {"data": name, "task": task, "scikit-learn": seconds[0], "wordplane": seconds[1],
                 "ratio": ratio, "accuracy": accuracy}
            )  # fmt: skip
            print(
                f"  {task:34} {seconds[0]:8.3f} s {seconds[1]:8.3f} s {ratio:6.1f}x   "
                f"accuracy {accuracy[0]:.4f} {accuracy[1]:.4f}"
            )
    report = {
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "wordplane": wordplane.__version__,
        "results": results,
    }
    Path(args.output).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
