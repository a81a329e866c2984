"""How fast linear learners are trained, beside the tools that people use for the same objective.

Usage: learners.py [--cases NAME ...] [--rounds N] [--output FILE.json]

Each case is a data set (words and bigrams, tf-idf, min_df 2), an objective and the tools that
minimise it. All tools get the same matrix; they take turns and the best time of each counts.
Timed is training alone, from the matrix in the tool's own form. Two figures per tool:

    seconds         with the tool's own default tolerance
    to 1e-3         until the primal objective is first within 1e-3 (relative) of the optimum:
                    the least number of passes that gets there, looked for beforehand, then timed

LIBLINEAR itself (`pip install liblinear-official`) takes part where it is installed.
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
from sklearn.svm import LinearSVC

import wordplane
from wordplane import LinearSVM, TfidfVectorizer

try:
    from liblinear import liblinearutil
except ImportError:
    liblinearutil = None

ROOT = Path(__file__).resolve().parents[1]
DATASETS = ROOT.parent / "shared" / "datasets"


class Data:
    """A training set, in the forms that the tools take."""

    def __init__(self, name):
        corpus = wordplane.read(DATASETS / f"{name}.parquet")
        corpus = corpus.take(corpus.split_rows("train"))
        vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
        self.X = vectorizer.fit_transform(list(corpus.texts))
        self.y = np.unique(np.array(list(corpus.labels)), return_inverse=True)[1]
        self.native = wordplane._core.Csr(
            self.X.shape[1],
            self.X.indptr.astype(np.int64),
            self.X.indices.astype(np.int32),
            self.X.data,
        )
        if liblinearutil:
            self.problem = liblinearutil.problem(self.y.astype(float), self.X, bias=1)


# Objectives, as functions of W (features x outputs) and b, the bias penalised.
def ovr_objective(loss):
    def objective(data, W, b):
        classes = np.arange(W.shape[1]) if W.shape[1] > 1 else np.array([1])
        signs = np.where(data.y[:, None] == classes, 1, -1)
        m = np.maximum(0, 1 - signs * (data.X @ W + b))
        return 0.5 * ((W**2).sum() + (b**2).sum()) + (m**2 if loss == "squared" else m).sum()

    return objective


def crammer_singer_objective(data, W, b):
    if W.shape[1] == 1:
        W, b = np.hstack([-W / 2, W / 2]), np.concatenate([-b / 2, b / 2])
    z = data.X @ W + b
    right = z[np.arange(len(z)), data.y].copy()
    z += 1
    z[np.arange(len(z)), data.y] -= 1
    return 0.5 * ((W**2).sum() + (b**2).sum()) + (z.max(axis=1) - right).sum()


# Tools: fit(data, passes) -> W, b; passes None means the tool's own stopping rule.
def ours(threads, **params):
    def fit(data, passes):
        limit = {} if passes is None else {"max_iter": passes, "tol": 1e-12}
        model = LinearSVM(**params, **limit, n_jobs=threads).fit(data.native, data.y)
        return model.coef_.T, model.intercept_

    return fit


def scikit_learn(**params):
    def fit(data, passes):
        limit = {} if passes is None else {"max_iter": passes, "tol": 1e-12}
        model = LinearSVC(**params, **limit, random_state=0).fit(data.X, data.y)
        return model.coef_.T, model.intercept_

    return fit


def liblinear(options, tolerances):
    """LIBLINEAR's passes cannot be set: 'passes' numbers a list of ever smaller tolerances."""

    def fit(data, passes):
        tol = "" if passes is None else f" -e {tolerances[min(passes, len(tolerances)) - 1]}"
        parameter = liblinearutil.parameter(f"{options} -B 1 -q{tol}")
        model = liblinearutil.train(data.problem, parameter)
        n = model.nr_class if model.nr_class > 2 or "-s 4" in options else 1
        W = np.ctypeslib.as_array(model.w, shape=((data.X.shape[1] + 1) * n,)).reshape(-1, n)
        labels = model.get_labels()
        W = W[:, np.argsort(labels)] if n > 1 else W * (1 if labels[0] == 1 else -1)
        return W[:-1].copy(), W[-1].copy()

    return fit


def tools_for_svm(liblinear_options, params):
    threads = len(os.sched_getaffinity(0))
    many = {f"wordplane, {threads} threads": ours(threads, **params)}
    if params.get("multi_class") == "crammer_singer":
        many = {}  # its passes cannot be shared out
    tools = {"wordplane, 1 thread": ours(1, **params), **many, "LinearSVC": scikit_learn(**params)}
    if liblinearutil:
        steps = [3, 2, 1.5, 1, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]
        tools["LIBLINEAR"] = liblinear(liblinear_options, steps)
    return tools


def svm_optimum(**params):
    """Within 1e-5 of the optimum, as the duality gap certifies."""

    def fit(data):
        model = LinearSVM(**params, tol=1e-5, max_iter=10_000).fit(data.native, data.y)
        return model.coef_.T, model.intercept_

    return fit


CS = {"multi_class": "crammer_singer"}
SQUARED = (ovr_objective("squared"), svm_optimum(), tools_for_svm("-s 1", {}))
MULTI = (crammer_singer_objective, svm_optimum(**CS), tools_for_svm("-s 4", CS))

# name: data set, objective, how to find its minimum, tools
CASES = {
    "imdb squared hinge": ("imdb", *SQUARED),
    "imdb crammer-singer": ("imdb", *MULTI),
    "newsgroups20 squared hinge": ("newsgroups20", *SQUARED),
    "newsgroups20 crammer-singer": ("newsgroups20", *MULTI),
}


def first_within(objective, data, fit, best, most=128):
    """The least number of passes whose objective is within 1e-3 of the best, by bisection."""

    def good(passes):
        return objective(data, *fit(data, passes)) <= best * 1.001

    high = 1
    while high < most and not good(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high


def timed(job):
    start = time.perf_counter()
    result = job()
    return time.perf_counter() - start, result


def run_case(name, rounds, data):
    _, objective, optimum, tools = CASES[name]
    best = objective(data, *optimum(data))
    jobs = {}
    for tool, fit in tools.items():
        jobs[tool, "seconds"] = lambda fit=fit: fit(data, None)
        passes = first_within(objective, data, fit, best)
        jobs[tool, "to 1e-3"] = lambda fit=fit, passes=passes: fit(data, passes)
    seconds = dict.fromkeys(jobs, float("inf"))
    above = {}
    for _ in range(rounds):
        for key, job in jobs.items():
            took, (W, b) = timed(job)
            seconds[key] = min(seconds[key], took)
            above[key] = objective(data, W, b) / best - 1
    rows = []
    for tool in tools:
        row = {"case": name, "tool": tool}
        for figure in ("seconds", "to 1e-3"):
            row[figure] = round(seconds[tool, figure], 4)
            row[f"{figure}, above optimum"] = float(f"{above[tool, figure]:.2g}")
        rows.append(row)
        print(
            f"{name:28} {tool:22} {row['seconds']:8.3f} s ({above[tool, 'seconds']:8.1e})   "
            f"to 1e-3 {row['to 1e-3']:8.3f} s ({above[tool, 'to 1e-3']:8.1e})"
        )
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", default=str(ROOT / "benchmarks" / "results" / "learners.json"))
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # a few passes do not converge, and are not meant to
    rows, sets = [], {}
    for name in args.cases:
        data_set = CASES[name][0]
        if data_set not in sets:
            sets = {data_set: Data(data_set)}
        rows += run_case(name, args.rounds, sets[data_set])
    report = {
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "wordplane": wordplane.__version__,
        "results": rows,
    }
    output = Path(args.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
