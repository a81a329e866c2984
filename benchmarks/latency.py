"""One text at a time, in process: the median time of one call.

Two cases, each with models of the same texts and much the same features:

    one review      the review of median length among IMDB's test reviews; words and bigrams
    one short text  texts of 20 words among film-review snippets that no model was trained on, in
                    turns, since the recipe's model remembers what the tokens of a text were;
                    words, bigrams and characters

Vowpal Wabbit gets its words ready made, fastText its line.
"""

import tempfile
import time
from itertools import cycle
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from benchmarks.harness import THREADS, Subject, dataset, installed
from wordplane import Analyzer, TextClassifier

# Microseconds; a third of what the calls took before readers were kept between them.
LIMITS = {
    "one review": {"predict": 50, "decision_function": 42, "predict_proba": 66},
    "one short text": {"decision_function": 70, "predict_proba": 105},
}
# How many times as long as decision_function.
MOST_TIMES = {
    "one review": {"predict_proba": 1.3, "explain": 10},
    "one short text": {"predict_proba": 1.3, "explain": None},
}


def main(rounds, quick):
    train, test = dataset("imdb", "train"), dataset("imdb", "test")
    snippets = dataset("rt_snippets")
    subject = Subject("latency", rounds)
    if train is not None:
        texts, labels = list(train.texts), list(train.labels)
        if quick:
            texts, labels = texts[::5], labels[::5]
        review = sorted(test.texts, key=len)[len(test.labels) // 2]
        analyzer = Analyzer(boundaries=True, min_df=2, tf="binary", idf="smooth", norm="l2")
        ours = TextClassifier(analyzer).fit(texts, labels)
        vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
        peers = peer_models(texts, labels, vectorizer)
        race(subject, "one review", ours, peers, [review])
    if snippets is not None:
        texts, labels = list(snippets.texts), list(snippets.labels)
        ours = TextClassifier().fit(texts[::2], labels[::2])
        words = TfidfVectorizer(ngram_range=(1, 2))
        chars = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 6))
        options = {"minn": 2, "maxn": 6}
        peers = peer_models(texts[::2], labels[::2], make_union(words, chars), **options)
        short = [text for text in texts[1::2] if len(text.split()) == 20]
        race(subject, "one short text", ours, peers, short[:200])
    return subject


def race(subject, task, ours, peers, texts):
    """All calls in turns; the best of the rounds' medians counts."""
    methods = ["predict", "decision_function", "predict_proba", "explain"]
    calls = {("wordplane", name): one_text(getattr(ours, name), name, texts) for name in methods}
    for tool, (prepare, predict) in peers.items():
        calls[tool, "predict"] = in_turns(predict, [prepare(text) for text in texts])
    median = {name: [] for name in calls}
    for _ in range(subject.rounds):
        for name, call in calls.items():
            slow = name[0] == "scikit-learn" or name[1] == "explain"
            median[name].append(median_seconds(call, 200 if slow else 2000))
    best = {name: min(seconds) for name, seconds in median.items()}
    for (tool, method), seconds in best.items():
        limit = LIMITS[task].get(method) if tool == "wordplane" else None
        subject.amount(f"{task}, {method}", tool, "microseconds", 1e6 * seconds, limit=limit)
    for method, limit in MOST_TIMES[task].items():
        times = best["wordplane", method] / best["wordplane", "decision_function"]
        against = f"{task}, {method} over decision_function"
        subject.amount(against, "wordplane", "times", times, limit=limit)
    own = median["wordplane", "predict"]
    for tool in peers:
        single = [p / o for p, o in zip(median[tool, "predict"], own, strict=True)]
        ratio = best[tool, "predict"] / best["wordplane", "predict"]
        goal = 1 if (task, tool) == ("one review", "Vowpal Wabbit") else None
        subject.ratio(f"{task}, predict", "wordplane", tool, ratio, goal, single)


def one_text(method, name, texts):
    if name == "explain":
        return in_turns(method, texts)
    return in_turns(method, [[text] for text in texts])


def in_turns(call, inputs):
    following = cycle(inputs)
    return lambda: call(next(following))


def median_seconds(call, times):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def peer_models(texts, labels, vectorizer, **fasttext_options):
    """By tool: what makes its input of a text, and the call."""
    theirs = make_pipeline(vectorizer, LinearSVC()).fit(texts, labels)
    peers = {"scikit-learn": (lambda text: [text], theirs.predict)}
    if installed("fasttext-wheel"):
        fast = fasttext_model(texts, labels, **fasttext_options)
        peers["fastText"] = (lambda text: [" ".join(text.split())], fast.predict)
    if installed("vowpalwabbit"):
        wabbit = vowpal_wabbit_model(texts, labels)
        peers["Vowpal Wabbit"] = (lambda text: "| " + words_of(text), wabbit.predict)
    return peers


def words_of(text):
    kept = (c.lower() if c.isalnum() else " " for c in text)
    return " ".join("".join(kept).split())


def fasttext_model(texts, labels, **options):
    import fasttext

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        lines = (f"__label__{y} {' '.join(x.split())}" for x, y in zip(texts, labels, strict=True))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        settings = {"wordNgrams": 2, "thread": THREADS, "verbose": 0, **options}
        return fasttext.train_supervised(str(path), **settings)


def vowpal_wabbit_model(texts, labels):
    from vowpalwabbit import Workspace

    model = Workspace("--loss_function logistic --ngram 2 -b 22 --quiet")
    first = labels[0]
    for text, label in zip(texts, labels, strict=True):
        model.learn(f"{1 if label == first else -1} | {words_of(text)}")
    return model
