"""Exact neighbours on IMDB tf-idf (words and bigrams, min_df 2) beside scikit-learn's brute force.

    python benchmarks/neighbors.py [FOLDER OF DATA SETS]

25,000 rows, 1,000 queries, k = 5; runs take turns, the best of each counts. Prints wall and CPU
seconds, and whether the neighbours are the same.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

import wordplane
from wordplane import KNeighbors, TfidfVectorizer

HERE = Path(__file__).resolve().parent
RUNS = 3


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "shared" / "datasets"
    corpus = wordplane.read(folder / "imdb.parquet")
    train, test = (corpus.split_rows(part) for part in ("train", "test"))
    queries = np.random.default_rng(0).permutation(test)[:1000]
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
    X = vectorizer.fit_transform(list(corpus.take(train).texts))
    Q = vectorizer.transform(list(corpus.take(queries).texts))
    labels = np.array(corpus.labels)
    for metric in ("cosine", "euclidean"):
        theirs = NearestNeighbors(n_neighbors=5, metric=metric, algorithm="brute").fit(X)
        ours = {n: KNeighbors(metric=metric, n_jobs=n).fit(X, labels[train]) for n in (1, None)}
        systems: dict[str, Callable[[Any], Any]] = {
            "scikit-learn": theirs.kneighbors,
            "one thread": ours[1].kneighbors,
            "all threads": ours[None].kneighbors,
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in systems}
        found = {}
        for _ in range(RUNS):
            for name, search in systems.items():
                wall, cpu = time.perf_counter(), time.process_time()
                found[name] = search(Q)[1]
                times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
        best = {name: np.min(runs, axis=0) for name, runs in times.items()}
        same = np.array_equal(found["scikit-learn"], found["all threads"])
        print(f"{metric}: neighbours {'are the same' if same else 'DIFFER'}")
        for name, (wall, cpu) in best.items():
            ratio = best["scikit-learn"][0] / wall, best["scikit-learn"][1] / cpu
            print(f"  {name:<13} {wall:.2f} s ({ratio[0]:.1f}x), CPU {cpu:.2f} s ({ratio[1]:.1f}x)")
        guesses = ours[None].predict(Q)
        print(f"  accuracy of 5 neighbours: {np.mean(guesses == labels[queries]):.3f}", flush=True)


if __name__ == "__main__":
    main()
