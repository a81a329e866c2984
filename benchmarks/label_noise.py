"""How many labels the audit expects to be wrong, where a known number was made wrong.

Labels are changed at random ("any"), or to another that models find likely ("likely"); with two
classes these are the same. What is wrong in the data as it is published, nobody knows: the first
line of each data set shows what the audit makes of it.

    python benchmarks/label_noise.py > benchmarks/results/label_noise.md
"""

from pathlib import Path

import numpy as np

from wordplane import read
from wordplane.diagnosis.audit import _choose_judge, _suspects
from wordplane.diagnosis.label_noise import margins, measure_noise
from wordplane.features.fold_counts import FoldCounts
from wordplane.selection.cross_validation import out_of_fold
from wordplane.selection.splitter import FIVE_FOLDS
from wordplane.text.documents import Documents

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"
SETS = {"sms_spam": 4000, "subjectivity": 4000, "customer_reviews": 3000, "rt_snippets": 4000,
        "de_gnad_small": 1000, "ru_sentiment": 3000}  # fmt: skip
SHARES, MIN_CLASS = (0.0, 0.02, 0.05, 0.1), 10
OPTIONS = {"splitter": FIVE_FOLDS, "threads": 2}


def load(name, n):
    """Some texts of a data set, and their labels, but for rare classes."""
    corpus = read(DATASETS / f"{name}.parquet")
    rows = np.random.default_rng(1).permutation(len(corpus))[:n]
    y = np.array([str(corpus.labels[row]) for row in rows])
    sizes = dict(zip(*np.unique(y, return_counts=True), strict=True))
    kept = np.array([sizes[label] >= MIN_CLASS for label in y])
    return Documents(corpus.texts).take(rows[kept]), y[kept]


def plant(y, P, share, kind):
    """The labels, of which a share is wrong, and which these are."""
    rng, classes, noisy = np.random.default_rng(5), np.unique(y), y.copy()
    wrong = rng.choice(len(y), int(share * len(y)), replace=False)
    for row in wrong.tolist():
        weights = P[row] + 1e-9 if kind == "likely" else np.ones(len(classes))
        weights = np.where(classes == y[row], 0, weights)
        noisy[row] = classes[rng.choice(len(classes), p=weights / weights.sum())]
    return noisy, wrong


def main():
    about = "Labels made wrong on purpose, and how many the audit expects"
    print(f"{about} (`benchmarks/label_noise.py`).\n")
    print("| data | texts | classes | wrong | made wrong | expected in all | rows that models "
          "dispute | rows listed | expected among them | made wrong among them |")  # fmt: skip
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, n in SETS.items():
        documents, y = load(name, n)
        n_classes = len(np.unique(y))
        judge = _choose_judge(documents, n_classes, 0)
        _, _, clean = margins(out_of_fold(*judge, documents, y, **OPTIONS), y)
        for kind in ("any", "likely")[: 1 + (n_classes > 2)]:
            for share in SHARES[kind == "likely" :]:
                noisy, wrong = plant(y, clean, share, kind)
                result = out_of_fold(*judge, documents, noisy, **OPTIONS)
                margin, _, P = margins(result, noisy)
                counted = FoldCounts.of(judge[0], documents, OPTIONS["threads"], noisy)
                noise = measure_noise(judge, counted, noisy, P, **OPTIONS)
                found = {one.kind: one for one in
                         _suspects(result, noisy, np.arange(len(y)), len(y), noise)}  # fmt: skip
                listed = found["suspect labels"].positions if "suspect labels" in found else ()
                expected = found["suspect labels"].expected if listed else 0
                cells = (
                    name, f"{len(y):,}", n_classes, kind if share else "-", len(wrong),
                    f"{noise.share * len(y):.0f}", int((margin > 0).sum()), len(listed),
                    f"{expected:.0f}", len(set(listed) & set(wrong.tolist())),
                )  # fmt: skip
                print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
