"""How near a pass of each learner comes to what memory can deliver.

    python -m benchmarks.limits > benchmarks/results/limits.md

A pass must read every stored value once: its column and its number, 8 bytes in the packed rows of
the coordinate descents, 12 in a matrix of doubles. That is the least; beside it come the weights,
one cache line per value where they are not at hand already, and rows come in random order. The
time of a pass is the difference between fits of different length, taken in turns, best of several.
One thread, unless it says otherwise.
"""

import time
import warnings

import numpy as np

from benchmarks.harness import THREADS, dataset
from benchmarks.learners import Data
from wordplane import LinearSVM, LogisticRegression, MultinomialNB, Perceptron

RUNS = 10
FEW, MORE = 2, 5  # passes, before shrinking leaves out many rows


def seconds(*jobs):
    """The best time of each job."""
    best = [np.inf] * len(jobs)
    for _ in range(RUNS):
        for k, job in enumerate(jobs):
            start = time.perf_counter()
            job()
            best[k] = min(best[k], time.perf_counter() - start)
    return best


def bandwidth():
    """GB per second of reading what no cache holds."""
    x = np.ones(100_000_000)
    return x.nbytes / seconds(x.sum)[0] / 1e9


def main():
    warnings.simplefilter("ignore")  # a few passes do not converge, and are not meant to
    most = bandwidth()
    print("# How near learners come to the bandwidth of memory\n")
    print(__doc__.split("\n\n", 2)[2])
    print(f"One thread reads {most:.1f} GB/s in order.\n")
    print("| data | learner | values | ms per pass | ns per value | GB/s of values | of the most |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name in ("imdb", "newsgroups20"):
        corpus = dataset(name, "train")
        if corpus is None:
            return
        data = Data(corpus)
        several = data.y.max() > 1

        def learner(kind, size, data=data, n_jobs=1, **params):
            def fit(passes):
                model = kind(max_iter=passes, n_jobs=n_jobs, **params)
                return lambda: model.fit(data.native, data.y)

            few, more = seconds(fit(FEW), fit(MORE))
            return size, (more - few) / (MORE - FEW)

        svm = {"multi_class": "crammer_singer", "tol": 1e-12}
        rows = {
            "L2-SVM, one-vs-rest": learner(LinearSVM, 8, tol=1e-12),
            "Crammer-Singer": learner(LinearSVM, 8, **svm),
            "logistic, one-vs-rest": learner(
                LogisticRegression, 8, multi_class="ovr", penalize_intercept=True, tol=1e-12
            ),
            "perceptron": learner(Perceptron, 12, averaged=False),
            f"perceptron, {THREADS} threads": learner(
                Perceptron, 12, averaged=False, n_jobs=THREADS
            ),
            "multinomial NB": (
                12,
                seconds(lambda d=data: MultinomialNB(n_jobs=1).fit(d.native, d.y))[0],
            ),
        }
        outputs = data.y.max() + 1 if several else 1
        for tool, (size, time_of_pass) in rows.items():
            # Machines against the rest read a row once for four outputs.
            reads = -(-outputs // 4) if "one-vs-rest" in tool else 1
            n = data.native.n_values * reads
            rate = n * size / time_of_pass / 1e9
            print(
                f"| {name} | {tool} | {n / 1e6:.1f} M | {1e3 * time_of_pass:.1f} | "
                f"{1e9 * time_of_pass / n:.2f} | {rate:.1f} | {rate / most:.0%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
