"""How fast logistic regression is fitted, beside LIBLINEAR and scikit-learn in the same run.

Usage: logistic.py [--rounds N] [--slow] [--output FILE.json]

Words and bigrams as TF-IDF (min_df 2) of IMDB and of 20 newsgroups, the data sets beside the
checkout; two threads for ours. Two times are taken of each: at its own defaults, and to the
first number of passes or iterations after which the objective is within 1e-3 of the optimum.
Both include the whole call of fit on a matrix in memory (LIBLINEAR: of train on its own
structure, which is made beforehand). They take turns; the best time of each counts.
LIBLINEAR is used if `liblinear-official` is installed. --slow adds scikit-learn's lbfgs.
"""

import argparse
import json
import platform
import time
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import sklearn
import sklearn.linear_model as theirs

import wordplane
from wordplane.features.matrix import as_csr

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"
NEAR = 1e-3
THREADS = 2


def load(name):
    frame = pl.read_parquet(DATASETS / f"{name}.parquet").filter(pl.col("split") == "train")
    vectorizer = wordplane.TfidfVectorizer(ngram_range=(1, 2), min_df=2)
    X = vectorizer.fit_transform(frame["text"].to_list())
    return X, np.unique(frame["label"].to_numpy(), return_inverse=True)[1]


def objective(X, y, W, b, ovr, bias_counts):
    """1/2 ||W||^2 + the sum of the losses; W (n_features x n_outputs)."""
    z = X @ W + b
    if z.shape[1] == 1 or ovr:
        own = y[:, None] == (np.array([1]) if z.shape[1] == 1 else np.arange(z.shape[1]))
        loss = np.logaddexp(0, np.where(own, -z, z)).sum()
    else:
        loss = (np.logaddexp.reduce(z, axis=1) - z[np.arange(len(y)), y]).sum()
    return loss + 0.5 * (W**2).sum() + bias_counts * 0.5 * (b**2).sum()


def ours(X, y, **params):
    native = as_csr(X)

    def fit(max_iter):
        limit = {} if max_iter is None else {"max_iter": max_iter, "tol": 0}
        model = wordplane.LogisticRegression(n_jobs=THREADS, **params, **limit)
        model.fit(native, y)
        return model.coef_.T, model.intercept_

    return fit


def scikit_learn(X, y, **params):
    def fit(max_iter):
        limit = {} if max_iter is None else {"max_iter": max_iter, "tol": 1e-12}
        model = theirs.LogisticRegression(**params, **limit).fit(X, y)
        return model.coef_.T, model.intercept_

    fit.steps = [5, 10, 20, 40, 80, 160]  # each is a fit from the start
    return fit


def liblinear(X, y):
    """-s 7, dual coordinate descent, with a penalised bias; None if it is not installed."""
    try:
        from liblinear.liblinear import parameter, problem
        from liblinear.liblinearutil import train
    except ImportError:
        return None
    data = problem(y.astype(float), X, bias=1)

    def fit(eps):
        # It has no limit on passes: its tolerance is lowered until the objective is near.
        model = train(data, parameter("-s 7 -B 1 -q" + ("" if eps is None else f" -e {eps}")))
        n, n_outputs = X.shape[1], 1 if y.max() == 1 else y.max() + 1
        flat = np.ctypeslib.as_array(model.w, shape=((n + 1) * n_outputs,)).reshape(n + 1, -1)
        if n_outputs == 1:
            flat = flat * (1 if model.get_labels()[0] == 1 else -1)
        else:
            flat = flat[:, np.argsort(model.get_labels())]
        return flat[:-1].copy(), flat[-1].copy()

    fit.steps = [1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001]
    return fit


def clock(fit, limit):
    start = time.perf_counter()
    weights = fit(limit)
    return time.perf_counter() - start, weights


def compare(case, X, y, contenders, ovr, bias_counts, rounds):
    def value(weights):
        return objective(X, y, *weights, ovr, bias_counts)

    params = {"multi_class": "ovr"} if ovr else {}
    exact = wordplane.LogisticRegression(tol=1e-9, penalize_intercept=bias_counts, **params)
    exact.fit(X, y)
    best = value((exact.coef_.T, exact.intercept_))
    found = {}
    for name, fit in contenders.items():
        for limit in getattr(fit, "steps", range(1, 200)):
            seconds, weights = clock(fit, limit)
            if value(weights) <= best * (1 + NEAR):
                break
        default, weights = clock(fit, None)
        found[name] = {
            "near": seconds, "limit": limit, "default": default,
            "excess at default": value(weights) / best - 1,
        }  # fmt: skip
    for _ in range(rounds):
        for name, fit in contenders.items():
            entry = found[name]
            if entry["default"] < 5:
                entry["near"] = min(entry["near"], clock(fit, entry["limit"])[0])
                entry["default"] = min(entry["default"], clock(fit, None)[0])
    mine = found["wordplane"]
    for name, entry in found.items():
        print(
            f"{case:22} {name:22} to 1e-3 {entry['near']:7.2f} s ({entry['limit']:>5}) "
            f"{entry['near'] / mine['near']:6.1f}x   default {entry['default']:7.2f} s "
            f"{entry['default'] / mine['default']:6.1f}x  excess {entry['excess at default']:.1e}",
            flush=True,
        )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    results = {}
    for name in ("imdb", "newsgroups20"):
        X, y = load(name)
        print(f"{name}: {X.shape[0]} x {X.shape[1]}, {X.nnz} values")
        peers = {
            "wordplane": ours(X, y, multi_class="ovr", penalize_intercept=True),
            "LIBLINEAR -s 7": liblinear(X, y),
        }
        peers = {key: fit for key, fit in peers.items() if fit is not None}
        case = f"{name} {'binary' if y.max() == 1 else 'one-vs-rest'}"
        results[case] = compare(case, X, y, peers, True, True, args.rounds)
        peers = {"wordplane": ours(X, y)}
        if name == "newsgroups20":
            peers["scikit-learn saga"] = scikit_learn(X, y, solver="saga")
        if args.slow or name == "imdb":
            peers["scikit-learn lbfgs"] = scikit_learn(X, y)
        case = f"{name} {'binary, free bias' if y.max() == 1 else 'softmax'}"
        results[case] = compare(case, X, y, peers, False, False, args.rounds)
    if args.output:
        about = {
            "wordplane": wordplane.__version__, "scikit-learn": sklearn.__version__,
            "machine": platform.machine(), "threads": THREADS,
        }  # fmt: skip
        args.output.write_text(json.dumps({"about": about, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
