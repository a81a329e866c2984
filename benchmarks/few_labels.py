"""The recipe with few labels, alone and with texts without labels.

    python -m benchmarks.few_labels [--draws 5] [--every 1] [--labels 20 50 ...] [SET ...]

IMDB: reviews drawn from the training part keep their labels, as many of each class; the others and
50,000 further reviews serve without. 20 newsgroups: some posts of each group of the training part
keep their labels. Accuracy on the test part (or on every n-th of its texts): mean of the draws, and
range; how often the texts without labels were used; seconds of processor time to fit one model, and
its size. Word vectors depend on no label: they are learned once for all draws, and timed apart.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.harness import THREADS, dataset
from wordplane import TextClassifier
from wordplane.data.splits import draw_rows
from wordplane.model.stacking import LEARNED, StackedPlan
from wordplane.model.word_vectors import learned_vectors
from wordplane.text.analyzer import Analyzer
from wordplane.text.texts import as_texts

LABELS = {"imdb": (20, 50, 100, 200, 500, 2000, 25000), "newsgroups20": (100, 400)}
GOALS = {"imdb": (64, 74, 79.5, 82, 86, 89, 92.5), "newsgroups20": (None, None)}


def measured(plan, test):
    """Accuracy in percent, texts without labels used, seconds, megabytes."""
    began = time.process_time()
    model = TextClassifier.from_model(plan.model())
    seconds = time.process_time() - began
    with tempfile.NamedTemporaryFile() as file:
        model.save(file.name)
        size = Path(file.name).stat().st_size / 1e6
    return 100 * model.score(test.texts, test.labels), model.training_.n_unlabeled, seconds, size


def table(name, args):
    """One line for each number of labels."""
    train, test = dataset(name, "train"), dataset(name, "test")
    test = test.take(np.arange(0, len(test), args.every))
    texts, y = list(train.texts), np.array(train.labels)
    if name == "imdb":
        texts += list(dataset("imdb_unlabeled").texts)
    began = time.process_time()
    readings = learned_vectors(as_texts(texts), Analyzer(), THREADS, 0)
    print(
        f"\n{name}: {len(test):,} test texts; vectors of {len(readings[0].words_):,} words from "
        f"{len(texts):,} texts in {time.process_time() - began:.0f} s\n"
    )
    print("| labels | recipe | with texts without labels | range | goal | used | s | MB |")
    print("| ---: | ---: | ---: | --- | ---: | ---: | --- | --- |")
    for n_labels, goal in zip(LABELS[name], GOALS[name], strict=True):
        if args.labels and n_labels not in args.labels:
            continue
        found = []
        for seed in range(args.draws if n_labels < len(y) else 1):
            rows = draw_rows(y, n_labels, seed)
            few = train.take(rows)
            plan = TextClassifier(n_jobs=THREADS).make_plan(few.texts, few.labels, None)
            both = StackedPlan(
                **vars(plan),
                vectors={LEARNED: readings},
                n_unlabeled=len(texts) - n_labels,
                pretrained="",
                random_state=0,
            )
            found.append([measured(plan, test), measured(both, test)])
        alone, with_them = np.mean(found, axis=0)
        accuracies = [both[0] for _, both in found]
        n_used = sum(both[1] > 0 for _, both in found)
        goal = alone[0] + 5 if goal is None else goal
        print(
            f"| {n_labels:,} | {alone[0]:.1f} | {with_them[0]:.1f} | {min(accuracies):.1f} to "
            f"{max(accuracies):.1f} | {goal:.1f} | {n_used} of {len(found)} | {alone[2]:.1f}, "
            f"{with_them[2]:.1f} | {alone[3]:.1f}, {with_them[3]:.1f} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(LABELS), help=", ".join(LABELS))
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--every", type=int, default=1, help="test on every n-th text")
    parser.add_argument("--labels", type=int, nargs="*", help="only these numbers of labels")
    args = parser.parse_args()
    for name in args.sets:
        table(name, args)


if __name__ == "__main__":
    main()
