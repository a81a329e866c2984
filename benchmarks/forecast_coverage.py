"""Do forecasts of what more texts bring come true?

A learning curve is drawn on some texts of a data set; then twice and four times as many are
trained on, and what that really adds is measured on the rest of them. Writes a table to standard
output, in points of accuracy; the real gain has an error too, of the size of the rest:

    python benchmarks/forecast_coverage.py > benchmarks/results/forecast_coverage.md
"""

from pathlib import Path

import numpy as np

from wordplane import Analyzer, read
from wordplane.common.labels import as_labels
from wordplane.diagnosis.forecast import forecast
from wordplane.diagnosis.learning_curve import learning_curve, stratified_order
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.registry import fit_to_features, learner_named
from wordplane.text.documents import Documents

DATASETS = Path(__file__).resolve().parents[2] / "shared" / "datasets"
NAMES = (
    "rt_snippets",
    "subjectivity",
    "mpqa",
    "customer_reviews",
    "newsgroups20",
    "rt_2k",
    "sms_spam",
)
ANALYZERS = {
    "nb": Analyzer(ngrams=(1, 1)),
    "svm": Analyzer(ngrams=(1, 1), tf="log", idf="smooth", norm="l2"),
}
N_SEEDS = 6


def right(counted, analyzer, learner, y, train, test):
    features = counted.fit(analyzer, train, 1)
    model = fit_to_features(learner, features, features.matrix(train, 1), y[train], 1)
    return model.predict(features.matrix(test, 1)) == y[test]


def main():
    print("| data | learner | texts | more | forecast | real | within |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    hits = []
    for name in NAMES:
        corpus = read(DATASETS / f"{name}.parquet")
        y = as_labels(corpus.labels)
        n = len(y) // 8
        for learner, analyzer in ANALYZERS.items():
            counted = FoldCounts.of(analyzer, Documents(corpus.texts), 2)
            rows = []
            for seed in range(N_SEEDS):
                order = stratified_order(y, np.random.default_rng(seed))
                test = np.sort(order[4 * n :])
                first = np.sort(order[:n])
                curve = learning_curve(
                    analyzer,
                    learner_named(learner),
                    Documents(corpus.texts.take(first)),
                    y[first],
                    threads=2,
                )
                base = right(counted, analyzer, learner_named(learner), y, first, test)
                for times in (2, 4):
                    more = np.sort(order[: times * n])
                    better = right(counted, analyzer, learner_named(learner), y, more, test)
                    change = better.astype(float) - base
                    error = 1.96 * change.std() / np.sqrt(len(test))
                    said = forecast(curve, (times - 1) * n)
                    half = (said.interval[1] - said.interval[0]) / 2
                    hit = abs(change.mean() - said.gain) <= np.hypot(half, error)
                    rows.append((times, said.gain, half, change.mean(), error, hit))
            for times in (2, 4):
                values = np.array([row[1:] for row in rows if row[0] == times])
                hits.extend(values[:, 4])
                gain, half, real, error, hit = 100 * values.mean(axis=0)
                print(
                    f"| {name} | {learner} | {n:,} | {(times - 1) * n:,} "
                    f"| {gain:+.1f} ± {half:.1f} "
                    f"| {real:+.1f} ± {error:.1f} | {hit:.0f} % |",
                    flush=True,
                )
    print(f"\nWithin the errors of both: {np.mean(hits):.0%} of {len(hits)}.")


if __name__ == "__main__":
    main()
