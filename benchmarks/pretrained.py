"""The recipe with few labels: alone, with texts without labels, with pretrained vectors, with both.

    python -m benchmarks.pretrained VECTORS [--draws 5] [--labels 50 200 ...] [--noise] [SET ...]

Some texts of the training part, drawn at random, keep their labels; the others serve without.
Sets without a given split are tested on 2,500 texts that are never drawn (a quarter of the smaller
ones), 20 newsgroups on every fourth post of its test part. Accuracy, or F1 of spam, in percent:
mean of the draws. With --noise, the vectors are dealt out among the words anew: they must do no
harm.
"""

import argparse

import numpy as np

from benchmarks.harness import THREADS, dataset
from wordplane import TextClassifier
from wordplane.features.pretrained.read import read_word_vectors
from wordplane.features.pretrained.vectors import ListedVectors
from wordplane.model.stacking import LEARNED, READ, StackedPlan
from wordplane.model.word_vectors import learned_vectors, pretrained_vectors
from wordplane.text.analyzer import Analyzer
from wordplane.text.texts import as_texts

SETS = ("rt_snippets", "subjectivity", "customer_reviews", "newsgroups20", "sms_spam")
LABELS = (50, 200, 1000, 4000)
N_TEST = 2500


def parts(name):
    """What to draw from, and what to test on."""
    if name == "newsgroups20":
        test = dataset(name, "test")
        return dataset(name, "train"), test.take(np.arange(0, len(test), 4))
    corpus = dataset(name)
    order = np.random.default_rng(0).permutation(len(corpus))
    n_test = min(N_TEST, len(corpus) // 4)
    return corpus.take(order[n_test:]), corpus.take(order[:n_test])


def quality(plan, test):
    """Accuracy in percent, or F1 of spam."""
    predicted = TextClassifier.from_model(plan.model()).predict(test.texts)
    truth = np.array(test.labels)
    if "spam" not in truth:
        return 100 * float((predicted == truth).mean())
    given, true = predicted == "spam", truth == "spam"
    return 100 * float(2 * (given & true).sum() / max(given.sum() + true.sum(), 1))


def plans(train, rows, learned, source):
    """Of the recipe alone, with texts without labels, with pretrained vectors, with both."""
    few = train.take(rows)
    plan = TextClassifier(n_jobs=THREADS).make_plan(few.texts, few.labels, None)
    reading = plan.analyzer, THREADS, plan.n_classes

    def stacked(vectors):
        more = {"n_unlabeled": len(train) - len(rows), "pretrained": "vectors"}
        return StackedPlan(**vars(plan), vectors=vectors, **more)

    return [
        plan,
        stacked({LEARNED: learned}),
        stacked({READ: pretrained_vectors(source, plan.documents.texts, *reading)}),
        stacked({LEARNED: learned, READ: pretrained_vectors(source, train.texts, *reading)}),
    ]


def table(name, source, args):
    """One line for each number of labels."""
    train, test = parts(name)
    learned = learned_vectors(as_texts(train.texts), Analyzer(), THREADS, 0)
    for n_labels in args.labels:
        if n_labels >= len(train):
            continue
        found = []
        for seed in range(args.draws):
            rows = np.random.default_rng(seed).permutation(len(train))[:n_labels]
            found.append([quality(plan, test) for plan in plans(train, rows, learned, source)])
            if args.verbose:
                print(name, n_labels, seed, *np.round(found[-1], 1), flush=True)
        cells = " | ".join(f"{value:.1f}" for value in np.mean(found, axis=0))
        print(f"| {name} | {n_labels:,} | {cells} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors")
    parser.add_argument("sets", nargs="*", default=SETS, help=", ".join(SETS))
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--labels", type=int, nargs="*", default=LABELS)
    parser.add_argument("--noise", action="store_true", help="deal out the vectors anew")
    parser.add_argument("--verbose", action="store_true", help="also print each draw")
    args = parser.parse_args()
    source = read_word_vectors(args.vectors)
    if args.noise:
        words, vectors = source.lookup(source.words)
        source = ListedVectors(words, np.random.default_rng(0).permutation(vectors))
    print("| set | labels | recipe | unlabeled | pretrained | both |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in args.sets:
        table(name, source, args)


if __name__ == "__main__":
    main()
