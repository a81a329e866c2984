"""Texts to matrices, beside scikit-learn and `wc -w`: IMDB's 25,000 training reviews.

"and vocabulary_" also builds the dictionary of the features, which scikit-learn always does.
Memory is what counting adds, at its peak, to a fresh process that holds the list of texts.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import sklearn.feature_extraction.text as theirs

import wordplane
from benchmarks.harness import ROOT, THREADS, Subject, dataset

BIGRAMS = {"ngram_range": (1, 2)}
CHARS = {"analyzer": "char_wb", "ngram_range": (3, 5)}
# What is read, its options, and how many times as fast on one thread and on all.
TASKS = [
    ("count words", "CountVectorizer", {}, 16, 30),
    ("count words+bigrams", "CountVectorizer", BIGRAMS, 24, 40),
    ("count char_wb 3-5", "CountVectorizer", CHARS, None, 25),
    ("tf-idf words+bigrams", "TfidfVectorizer", BIGRAMS, None, 40),
    ("hash words+bigrams", "HashingVectorizer", BIGRAMS, None, 25),
]


def main(rounds, quick):
    corpus = dataset("imdb", "train")
    if corpus is None:
        return None
    subject = Subject("text_engine", rounds)
    texts = list(corpus.texts)[: 2500 if quick else None]
    one, all_threads = "wordplane, 1 thread", f"wordplane, {THREADS} threads"
    for task, name, params, goal_of_one, goal in TASKS:

        def fit(kind, threads=None, vocabulary=False, name=name, params=params):
            vectorizer = getattr(kind, name)(**params, **({"n_jobs": threads} if threads else {}))
            vectorizer.fit_transform(texts)
            if vocabulary:
                _ = vectorizer.vocabulary_

        jobs = {
            "scikit-learn": partial(fit, theirs),
            one: partial(fit, wordplane, 1),
            all_threads: partial(fit, wordplane, THREADS),
        }
        if name != "HashingVectorizer":
            jobs[f"{all_threads}, vocabulary_"] = partial(fit, wordplane, THREADS, vocabulary=True)
        goals = {(one, "scikit-learn"): goal_of_one, (all_threads, "scikit-learn"): goal}
        subject.race(task, jobs, goals)
    against_wc(subject, texts)
    memory(subject)
    return subject


def against_wc(subject, texts):
    """Words from the bytes of a file, beside `wc -w` on the same file."""
    if shutil.which("wc") is None:
        return
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        lines = (text.replace("\n", " ").replace("\r", " ").encode() for text in texts)
        file.write(b"\n".join(lines))
        file.flush()

        def count_words():
            texts = wordplane.read(file.name).texts
            wordplane.CountVectorizer(n_jobs=THREADS).fit_transform(texts)

        def wc():
            subprocess.run(
                ["wc", "-w", file.name],
                env={**os.environ, "LC_ALL": "C.UTF-8"},
                stdout=subprocess.DEVNULL,
                check=True,
            )

        jobs = {"wc -w": wc, "wordplane": count_words}
        subject.race("words of a file", jobs, {("wordplane", "wc -w"): round(1 / 0.7, 2)})


# What is resident now, and the most that was; writing 5 makes the kernel forget the latter.
MEMORY = """
import ctypes, importlib, pathlib, re, sys
from benchmarks.harness import dataset
import scipy.sparse
CountVectorizer = importlib.import_module(sys.argv[1]).CountVectorizer
def resident(what):
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(what + r":\\s+(\\d+) kB", status)[1]) * 1024 / 1e6
texts = list(dataset("imdb", "train").texts)
ctypes.CDLL(None).malloc_trim(0)  # what loading has freed is no room for counting
pathlib.Path("/proc/self/clear_refs").write_text("5")
before = resident("VmRSS")
X = CountVectorizer(ngram_range=(1, 2)).fit_transform(texts)
print(resident("VmHWM") - before)
"""


def memory(subject):
    """On Linux only."""
    if not Path("/proc/self/clear_refs").exists():
        return
    grown = {}
    for tool, module in (
        ("wordplane", "wordplane"),
        ("scikit-learn", "sklearn.feature_extraction.text"),
    ):
        command = [sys.executable, "-c", MEMORY, module]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
        grown[tool] = float(done.stdout)
        subject.amount("memory of words+bigrams", tool, "megabytes", grown[tool])
    ratio = grown["scikit-learn"] / grown["wordplane"]
    subject.ratio("memory of words+bigrams", "wordplane", "scikit-learn", ratio, 2)
