"""EM naive Bayes on 20 newsgroups, 20 labelled posts per group, as in Nigam et al. (2000).

    python benchmarks/em_newsgroups.py [FOLDER OF DATA SETS]

The posts of the given training split that are not among the 20 serve without their labels; accuracy
is that on the test split, mean of five draws. Writes benchmarks/results/em_newsgroups.md.
"""

import sys
from pathlib import Path

import numpy as np

import wordplane
from wordplane import CountVectorizer, EMNaiveBayes, MultinomialNB

HERE = Path(__file__).resolve().parent
PER_CLASS = 20
DRAWS = 5


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "shared" / "datasets"
    corpus = wordplane.read(folder / "newsgroups20.parquet")
    train, test = (corpus.take(corpus.split_rows(part)) for part in ("train", "test"))
    vectorizer = CountVectorizer(min_df=2, stop_words="english")
    X, X_test = vectorizer.fit_transform(list(train.texts)), vectorizer.transform(list(test.texts))
    y, y_test = np.array(train.labels), np.array(test.labels)
    lines = [
        "# EM naive Bayes on 20 newsgroups, 20 labelled posts per group",
        "",
        f"Accuracy on the test split in %, mean (and range) of {DRAWS} draws; "
        f"{len(y) - PER_CLASS * 20:,} unlabelled posts. `python benchmarks/em_newsgroups.py`",
        "",
        "| alpha | weight of the unlabelled | naive Bayes | with EM | M steps |",
        "| --- | --- | --- | --- | --- |",
    ]
    for alpha in (1.0, 0.1, 0.01):
        for weight in (1.0, 0.1):
            plain, em, steps = [], [], []
            for seed in range(DRAWS):
                rng = np.random.default_rng(seed)
                chosen = np.concatenate(
                    [rng.permutation(np.flatnonzero(y == k))[:PER_CLASS] for k in np.unique(y)]
                )
                rest = np.setdiff1d(np.arange(len(y)), chosen)
                nb = MultinomialNB(alpha=alpha).fit(X[chosen], y[chosen])
                model = EMNaiveBayes(alpha=alpha, unlabeled_weight=weight)
                model.fit(X[chosen], y[chosen], unlabeled=X[rest])
                plain.append(100 * nb.score(X_test, y_test))
                em.append(100 * model.score(X_test, y_test))
                steps.append(model.n_iter_)
            shown = [f"{np.mean(s):.1f} ({min(s):.1f} to {max(s):.1f})" for s in (plain, em)]
            lines.append(f"| {alpha} | {weight} | {shown[0]} | {shown[1]} | {np.mean(steps):.0f} |")
            print(lines[-1], flush=True)
    lines += [
        "",
        "All settings tried are shown; none was chosen on other data than this test split.",
    ]
    (HERE / "results" / "em_newsgroups.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
