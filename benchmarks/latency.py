"""One review at a time, in process: the median time of `model.predict([text])`.

The review is the one of median length among IMDB's test reviews; models are trained on the
training reviews, words and bigrams each.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.harness import THREADS, Subject, dataset, installed
from wordplane import Analyzer, TextClassifier


def main(rounds, quick):
    train, test = dataset("imdb", "train"), dataset("imdb", "test")
    if train is None:
        return
    subject = Subject("latency", rounds)
    texts, labels = list(train.texts), list(train.labels)
    if quick:
        texts, labels = texts[::5], labels[::5]
    review = sorted(test.texts, key=len)[len(test.labels) // 2]
    calls = {}
    analyzer = Analyzer(boundaries=True, min_df=2, tf="binary", idf="smooth", norm="l2")
    ours = TextClassifier(analyzer, n_jobs=1).fit(texts, labels)
    calls["wordplane"] = lambda: ours.predict([review])
    theirs = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), LinearSVC())
    theirs.fit(texts, labels)
    calls["scikit-learn"] = lambda: theirs.predict([review])
    if installed("fasttext-wheel"):
        fast = fasttext_model(texts, labels)
        line = " ".join(review.split())
        calls["fastText"] = lambda: fast.predict([line])
    if installed("vowpalwabbit"):
        wabbit = vowpal_wabbit_model(texts, labels)
        example = "| " + words_of(review)
        calls["Vowpal Wabbit"] = lambda: wabbit.predict(example)
    median = {tool: [] for tool in calls}
    for _ in range(rounds):
        for tool, call in calls.items():
            median[tool].append(median_seconds(call, 200 if tool == "scikit-learn" else 2000))
    for tool, seconds in median.items():
        limit = 50 if tool == "wordplane" else None
        subject.amount("one review", tool, "microseconds", 1e6 * min(seconds), limit=limit)
        if tool != "wordplane":
            single = [p / o for p, o in zip(seconds, median["wordplane"], strict=True)]
            ratio = min(seconds) / min(median["wordplane"])
            subject.ratio("one review", "wordplane", tool, ratio, single=single)
    subject.save()


def median_seconds(call, times):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def words_of(text):
    kept = (c.lower() if c.isalnum() else " " for c in text)
    return " ".join("".join(kept).split())


def fasttext_model(texts, labels):
    import fasttext

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        lines = (f"__label__{y} {' '.join(x.split())}" for x, y in zip(texts, labels, strict=True))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return fasttext.train_supervised(str(path), wordNgrams=2, thread=THREADS, verbose=0)


def vowpal_wabbit_model(texts, labels):
    from vowpalwabbit import Workspace

    model = Workspace("--loss_function logistic --ngram 2 -b 22 --quiet")
    for text, label in zip(texts, labels, strict=True):
        model.learn(f"{1 if label == 'positive' else -1} | {words_of(text)}")
    return model
