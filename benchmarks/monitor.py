"""How right `wordplane monitor` is: simulated shifts, next to QuaPy; false alarms; real shifts.

    pip install quapy==0.2.3
    python benchmarks/monitor.py FOLDER > docs/measured/monitor.md

FOLDER holds the data sets as Parquet files. Of each of five sets, a model learns from one part. The
texts of the other part are divided at random, 20 times: some are "held out", so that probabilities
and errors are known from them, and from the others 10 samples of 250 texts are drawn by QuaPy's
protocol of uniform prevalences (UPP). True shares and accuracy of the samples are known. All
methods of QuaPy get the same probabilities, and the same texts held out.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl

from wordplane import TextClassifier, _core, monitor
from wordplane.data.splits import holdout
from wordplane.evaluation.calibration import CALIBRATORS
from wordplane.evaluation.label_shift import LabelShift
from wordplane.evaluation.trait_test import compare_traits
from wordplane.learners.support.base import best_class
from wordplane.model.reference import MAX_COUNTED
from wordplane.model.text_traits import TextTraits

SETS = ("rt_snippets", "sms_spam", "newsgroups20", "ru_sentiment", "zh_shopping10")
MAX_TRAIN = 8000
N_DIVISIONS, N_SAMPLES, SIZE = 20, 10, 250
N_ALARMS = 200  # of each set


def read(folder, name):
    frame = pl.read_parquet(folder / f"{name}.parquet")
    y, texts = np.array(frame["label"].to_list()), frame["text"].to_list()
    if "split" in frame.columns:
        marked = frame["split"].to_numpy()
        train, rest = np.flatnonzero(marked == "train"), np.flatnonzero(marked == "test")
    else:
        train, rest = holdout(y, 0.5, 1)
    if len(train) > MAX_TRAIN:
        train = train[holdout(y[train], MAX_TRAIN / len(train), 1)[1]]
    return texts, y, train, rest


def quapy_methods(n_classes):
    from quapy.method.aggregative import ACC, CC, EMQ, PACC, DMy, HDy, KDEyML
    from sklearn.base import BaseEstimator

    class Given(BaseEstimator):
        """Texts are their probabilities."""

        def __init__(self, n_classes=2):
            self.n_classes, self.classes_ = n_classes, np.arange(n_classes)

        def fit(self, X, y):
            return self

        def predict_proba(self, X):
            return X

        def predict(self, X):
            return X.argmax(axis=1)

    kinds = {"CC": CC, "ACC": ACC, "PACC": PACC, "EMQ": EMQ, "DMy": DMy, "KDEy-ML": KDEyML}
    if n_classes == 2:
        kinds["HDy"] = HDy
    given = {"fit_classifier": False}
    return {
        name: kind(Given(n_classes), **given, **({} if kind is CC else {"val_split": None}))
        for name, kind in kinds.items()
    }


def divide(y, n_held_out, n_classes, rng):
    while True:
        order = rng.permutation(len(y))
        held, rest = order[:n_held_out], order[n_held_out:]
        if len(np.unique(y[held])) == n_classes == len(np.unique(y[rest])):
            return held, rest


def simulate(name, z, y, n_held_out, n_classes):
    """Errors by method, and how often intervals hold what is true."""
    import quapy as qp
    from quapy.data import LabelledCollection

    np.random.seed(0)  # noqa: NPY002 - what QuaPy draws from
    rng, errors, shares_in, accuracy_in = np.random.default_rng(0), {}, [], []
    for division in range(N_DIVISIONS):
        held, rest = divide(y, n_held_out, n_classes, rng)
        calibrator = CALIBRATORS["power"].fit(z[held], y[held])
        P, Q = calibrator.transform(z[held]), calibrator.transform(z[rest])
        given, truth = best_class(z[rest], n_classes), y[rest]
        shift = LabelShift(P, y[held], best_class(z[held], n_classes), division)
        peers = quapy_methods(n_classes)
        for method in peers.values():
            method.fit(P, y[held])
        pool = LabelledCollection(Q, truth, classes=np.arange(n_classes))
        for prevalences in qp.functional.uniform_prevalence_sampling(n_classes, N_SAMPLES):
            rows = pool.sampling_index(SIZE, *prevalences[:-1])
            true = np.bincount(truth[rows], minlength=n_classes) / len(rows)
            found = shift.estimate(Q[rows], given[rows])
            for method, peer in peers.items():
                error = np.abs(peer.predict(Q[rows]) - true).mean()
                errors.setdefault(method, []).append(error)
            errors.setdefault("monitor", []).append(np.abs(found.shares - true).mean())
            low, high = np.array(found.intervals).T
            shares_in.append(((low - 1e-9 <= true) & (true <= high + 1e-9)).mean())
            low, high = found.accuracy_interval
            accuracy_in.append(low <= np.mean(given[rows] == truth[rows]) <= high)
    print(name, {k: round(float(np.mean(v)), 4) for k, v in errors.items()},
          np.mean(shares_in), np.mean(accuracy_in), file=sys.stderr, flush=True)  # fmt: skip
    return errors, np.mean(shares_in), np.mean(accuracy_in)


def false_alarms(model, texts, codes, n_classes):
    """How often texts of the same kind are said to have changed: as they are, and with other shares
    of the classes, which are estimated. As in a model, traits are found in some texts and counted
    in others."""
    rng, alarms = np.random.default_rng(1), np.zeros(2)
    n_counted = min(MAX_COUNTED, len(texts) // 3)
    for number in range(N_ALARMS):
        if number % N_SAMPLES == 0:  # other texts to find traits in
            order = rng.permutation(len(texts))
            found, pool = np.split(order, [n_counted])
            traits = TextTraits.of(_core.Texts([texts[i] for i in found]), model.features, 1)
            X, y = traits.matrix(_core.Texts([texts[i] for i in pool]), 1), codes[pool]
        known, others = divide(y, n_counted, n_classes, rng)
        sizes = np.bincount(y[known], minlength=n_classes)
        counts = X[known].T @ np.eye(n_classes)[y[known]]
        same = others[:400]
        alarms[0] += is_alarm(counts, sizes, X[same], sizes / sizes.sum())
        rows = with_other_shares(y, others, n_classes, rng)
        true = np.bincount(y[rows], minlength=n_classes) / len(rows)
        guess = rng.dirichlet(200 * true + 1)  # as uncertain as an estimate
        alarms[1] += is_alarm(counts, sizes, X[rows], guess)
    return alarms / N_ALARMS


def with_other_shares(y, others, n_classes, rng):
    """At most 300 of the texts, drawn with other shares of the classes."""
    shares = rng.dirichlet(np.ones(n_classes))
    by_class = (shares / np.bincount(y[others], minlength=n_classes))[y[others]]
    n = min(300, int((by_class > 0).sum()) // 2)
    return rng.choice(others, n, replace=False, p=by_class / by_class.sum())


def is_alarm(counts, sizes, X, shares):
    p = compare_traits(counts, sizes, X, shares).p
    return p is not None and p < 0.05


def real_shifts(folder, models):
    """Texts that have changed, and texts that have not."""
    others = {
        "film reviews, model of film snippets": ("rt_snippets", "imdb"),
        "product reviews, model of film snippets": ("rt_snippets", "customer_reviews"),
        "later posts, model of 20 newsgroups": ("newsgroups20", None),
        "snippets not learned from": ("rt_snippets", None),
    }
    for title, (model, other) in others.items():
        classifier, rest = models[model]
        found = rest if other is None else pl.read_parquet(folder / f"{other}.parquet")["text"]
        sample = np.random.default_rng(0).permutation(len(found))[:1000]
        part = monitor(classifier, [found[int(i)] for i in sample]).whole
        most = part.changes[0].trait if part.changes else "-"
        yield title, f"{part.p:.3f}", "much" if part.misleading else "", most


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(str, row)) + " |\n" for row in lines)


def main(folder):
    warnings.simplefilter("ignore")
    models, measured, alarms = {}, {}, {}
    for name in SETS:
        texts, y, train, rest = read(folder, name)
        model = TextClassifier(n_jobs=1).fit([texts[i] for i in train], y[train])
        models[name] = model, [texts[i] for i in rest]
        z, codes = (
            model.decision_function(models[name][1]),
            np.searchsorted(model.classes_, y[rest]),
        )
        n_held_out = min(len(train) // 10, len(rest) // 2)
        n_classes = len(model.classes_)
        measured[name] = simulate(name, z, codes, n_held_out, n_classes)
        learned = [texts[i] for i in train], np.searchsorted(model.classes_, y[train])
        alarms[name] = false_alarms(model.model_, *learned, n_classes)
        print(name, alarms[name], file=sys.stderr, flush=True)
    peers = sorted({m for errors, *_ in measured.values() for m in errors} - {"monitor"})
    rows = []
    for name, (errors, in_shares, in_accuracy) in measured.items():
        mean = {m: 100 * float(np.mean(e)) for m, e in errors.items()}
        cells = [f"{mean[m]:.2f}" if m in mean else "-" for m in ("monitor", *peers)]
        rows.append([name, *cells, f"{in_shares:.1%}", f"{in_accuracy:.1%}"])
    everywhere = [m for m in ("monitor", *peers) if all(m in e for e, *_ in measured.values())]
    means = {
        m: np.mean([np.mean(e[m]) for e, *_ in measured.values()]) if m in everywhere else None
        for m in ("monitor", *peers)
    }
    cells = ["-" if v is None else f"{100 * v:.2f}" for v in means.values()]
    inside = [f"{np.mean([m[i] for m in measured.values()]):.1%}" for i in (1, 2)]
    rows.append(["mean", *cells, *inside])
    head = ["set", "monitor", *peers, "shares in their intervals", "accuracy in its interval"]
    print(table(head, rows))
    rows = [[name, f"{same:.1%}", f"{shifted:.1%}"] for name, (same, shifted) in alarms.items()]
    rows.append(["mean", *(f"{m:.1%}" for m in np.mean(list(alarms.values()), axis=0))])
    print(table(["set", "false alarms", "false alarms, other shares of labels"], rows))
    head = ["texts", "p", "so much that shares mislead", "changed most"]
    print(table(head, real_shifts(folder, models)), end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
