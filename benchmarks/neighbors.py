"""Exact neighbors on IMDB tf-idf (words and bigrams, min_df 2) beside scikit-learn's brute force.

25,000 rows, 1,000 queries, 5 neighbors; the note says whether they are the same rows.
"""

from functools import partial

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.harness import THREADS, Subject, dataset
from wordplane import KNeighbors, TfidfVectorizer


def main(rounds, quick):
    train, test = dataset("imdb", "train"), dataset("imdb", "test")
    if train is None:
        return None
    subject = Subject("neighbors", rounds)
    every = 5 if quick else 1
    queries = np.random.default_rng(0).permutation(len(test.texts))[: 1000 // every]
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
    X = vectorizer.fit_transform(list(train.texts)[::every])
    Q = vectorizer.transform(list(test.take(queries).texts))
    labels = list(train.labels)[::every]
    one, all_threads = "wordplane, 1 thread", f"wordplane, {THREADS} threads"
    for metric in ("cosine", "euclidean"):
        theirs = NearestNeighbors(n_neighbors=5, metric=metric, algorithm="brute").fit(X)
        jobs = {"scikit-learn": partial(theirs.kneighbors, Q)}
        for tool, threads in ((one, 1), (all_threads, THREADS)):
            ours = KNeighbors(metric=metric, n_jobs=threads).fit(X, labels)
            jobs[tool] = partial(ours.kneighbors, Q)
        expected = theirs.kneighbors(Q)[1]

        def same(found, expected=expected):
            return f"{np.mean(found[1] == expected):.1%} of the neighbors are the same"

        goals = {(all_threads, "scikit-learn"): 10}
        subject.race(f"5 neighbors, {metric}", jobs, goals, {one: same, all_threads: same})
    return subject
