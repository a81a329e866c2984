"""What the default costs: `python -m benchmarks.default_cost [--rounds N] [--recipe] [SET ...]`.

Processor time of `TextClassifier().fit`, with the choice by folds, the hold-out and the
calibration, and of scikit-learn's `TfidfVectorizer(ngram_range=(1, 2))` with `LinearSVC` on the
same texts. Both take turns; the least time of each counts. Accuracy is that of ours on the given
test part, or on every fifth text at random. With `--recipe`, the recipe as it is (`train --fast`)
takes the place of scikit-learn, and the sizes of both model files are shown instead of accuracy.
"""

import argparse
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

import wordplane
from benchmarks.harness import dataset

DATASETS = (
    "rt_snippets customer_reviews mpqa subjectivity sms_spam zh_waimai zh_shopping10 ja_hotel "
    "th_wisesight ru_sentiment en_banking77 xx_languages ko_movies id_reviews he_comments "
    "am_tweets rt_2k de_gnad_small en_medical newsgroups20 imdb"
).split()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=DATASETS)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is fitted")
    parser.add_argument("--recipe", action="store_true", help="beside the recipe alone")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    beside, last = ("recipe", "sizes") if args.recipe else ("scikit-learn", "accuracy")
    print(f"| data set | texts | words | wordplane | {beside} | ratio | {last} | chosen |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in args.datasets:
        corpus = dataset(name)
        if corpus is not None:
            print(row(name, corpus, args), flush=True)


def row(name, corpus, args):
    train, test = parts(corpus)
    texts, y = list(train.texts), np.array(train.labels)
    words = np.median([len(text.split()) for text in texts])
    ours, theirs, other = [], [], recipe if args.recipe else peer
    for _ in range(args.rounds):
        seconds, model = processor_time(lambda: wordplane.TextClassifier().fit(texts, y))
        ours.append(seconds)
        seconds, beside = processor_time(lambda: other(texts, y))
        theirs.append(seconds)
    seconds = min(ours), min(theirs)
    chosen = model.training_.race.get("chosen", "recipe")
    if args.recipe:
        last = " / ".join(f"{megabytes(one):.1f} MB" for one in (model, beside))
    else:
        last = f"{model.score(list(test.texts), test.labels):.2%}"
    return (
        f"| {name} | {len(texts):,} | {words:.0f} | {seconds[0]:.2f} s | {seconds[1]:.2f} s | "
        f"{seconds[0] / seconds[1]:.2f} | {last} | {chosen} |"
    )


def parts(corpus):
    if corpus.split is not None:
        return corpus.take(corpus.split_rows("train")), corpus.take(corpus.split_rows("test"))
    is_test = np.zeros(len(corpus), bool)
    is_test[np.random.default_rng(0).permutation(len(corpus))[: len(corpus) // 5]] = True
    return corpus.take(np.flatnonzero(~is_test)), corpus.take(np.flatnonzero(is_test))


def processor_time(job):
    start = time.process_time()
    result = job()
    return time.process_time() - start, result


def peer(texts, y):
    return LinearSVC().fit(TfidfVectorizer(ngram_range=(1, 2)).fit_transform(texts), y)


def recipe(texts, y):
    return wordplane.TextClassifier(learner="recipe").fit(texts, y)


def megabytes(model):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.wordplane"
        model.save(path)
        return path.stat().st_size / 1e6


if __name__ == "__main__":
    main()
