"""How fast texts are counted and naive Bayes is fitted, beside scikit-learn in the same run.

Usage: text_engine.py [--data FILE.parquet] [--rounds N] [--output FILE.json]

Ours and theirs take turns; the best time of each counts. "and vocabulary_" also builds the
dictionary of the features, which scikit-learn always does. Memory is what counting adds to a
fresh process that holds the list of texts. Without --data the texts are the IMDB reviews beside
the checkout if they are there, else docstrings of Python's library, repeated.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import sklearn
import sklearn.feature_extraction.text as theirs
from sklearn.naive_bayes import MultinomialNB as TheirMultinomialNB

import wordplane
from wordplane import CountVectorizer, MultinomialNB

ROOT = Path(__file__).resolve().parents[1]
IMDB = ROOT.parent / "shared" / "datasets" / "imdb.parquet"


BIGRAMS = {"ngram_range": (1, 2)}
TASKS = [
    ("count words", theirs.CountVectorizer, wordplane.CountVectorizer, {}),
    ("count words+bigrams", theirs.CountVectorizer, wordplane.CountVectorizer, BIGRAMS),
    (
        "count char_wb 3-5",
        theirs.CountVectorizer,
        wordplane.CountVectorizer,
        {"analyzer": "char_wb", "ngram_range": (3, 5)},
    ),
    ("tf-idf words+bigrams", theirs.TfidfVectorizer, wordplane.TfidfVectorizer, BIGRAMS),
    ("hash words+bigrams", theirs.HashingVectorizer, wordplane.HashingVectorizer, BIGRAMS),
]


def compare_with_wc(texts, rounds, threads, results):
    """Words from the bytes of a file, beside `wc -w` on the same file."""
    if shutil.which("wc") is None:
        return
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        lines = (text.replace("\n", " ").replace("\r", " ").encode() for text in texts)
        file.write(b"\n".join(lines))
        file.flush()
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}

        def count_words():
            rows = wordplane._core.Texts.from_lines(Path(file.name).read_bytes())
            wordplane.CountVectorizer(n_jobs=threads).fit_transform(rows)

        jobs = {
            "wc -w": lambda: subprocess.run(
                ["wc", "-w", file.name], env=environment, stdout=subprocess.DEVNULL, check=True
            ),
            f"wordplane, {threads} threads": count_words,
        }
        best = best_of(rounds, jobs)
    for tool, seconds in best.items():
        ratio = best["wc -w"] / seconds
        task = "words of a file"
        results.append({"task": task, "tool": tool, "seconds": seconds, "ratio": ratio})
        print(f"{task:20} {tool:38} {seconds:8.3f} s  {ratio:6.1f}x")


def load(path):
    if path is None and not IMDB.exists():
        corpus = wordplane.datasets.docstrings()
        return "docstrings x 10", list(corpus.texts) * 10, corpus.labels * 10
    corpus = wordplane.read(path or IMDB)
    rows = corpus.split_rows("train")
    corpus = corpus.take(rows)
    return Path(path or IMDB).stem, list(corpus.texts), corpus.labels


# What is resident now, and the most that was; writing 5 makes the kernel forget the latter.
MEMORY = """
import ctypes, pathlib, re, sys
from benchmarks.text_engine import load
import scipy.sparse
from wordplane import CountVectorizer
def resident(what):
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(what + r":\\s+(\\d+) kB", status)[1]) * 1024 / 1e6
texts = load(sys.argv[1] or None)[1]
ctypes.CDLL(None).malloc_trim(0)  # what loading has freed is no room for counting
pathlib.Path("/proc/self/clear_refs").write_text("5")
before = resident("VmRSS")
X = CountVectorizer(ngram_range=(1, 2)).fit_transform(texts)
print(resident("VmHWM") - before)
"""


def memory_growth(data):
    """Megabytes that counting words+bigrams adds at its peak to a fresh process (on Linux)."""
    command = [sys.executable, "-c", MEMORY, data or ""]
    return float(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


def best_of(rounds, jobs):
    """Best seconds of every job, all jobs run once per round."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="a Parquet file with texts and labels")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--output", default=str(ROOT / "benchmarks" / "results" / "text_engine.json")
    )
    args = parser.parse_args()
    name, texts, labels = load(args.data)
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    threads = len(os.sched_getaffinity(0))
    print(f"{name}: {len(texts):,} texts, {megabytes:.1f} MB, {threads} cores")
    results = []

    def compare(task, theirs, ours):
        best = best_of(args.rounds, {"scikit-learn": theirs, **ours})
        for tool, seconds in best.items():
            ratio = best["scikit-learn"] / seconds
            results.append({"task": task, "tool": tool, "seconds": seconds, "ratio": ratio})
            print(f"{task:20} {tool:38} {seconds:8.3f} s  {ratio:6.1f}x")

    def fit(kind, params, with_vocabulary=False):
        vectorizer = kind(**params)
        vectorizer.fit_transform(texts)
        if with_vocabulary:
            _ = vectorizer.vocabulary_

    for task, peer, own, params in TASKS:
        ours = {}
        for jobs in sorted({1, threads}):
            name_of_jobs = f"wordplane, {jobs} thread{'s' * (jobs > 1)}"
            ours[name_of_jobs] = partial(fit, own, {**params, "n_jobs": jobs})
            if hasattr(own, "vocabulary_"):
                ours[f"{name_of_jobs}, and vocabulary_"] = partial(
                    fit, own, {**params, "n_jobs": jobs}, with_vocabulary=True
                )
        compare(task, partial(fit, peer, params), ours)
    compare_with_wc(texts, args.rounds, threads, results)
    X = CountVectorizer(ngram_range=(1, 2)).fit_transform(texts)
    compare(
        "fit MultinomialNB",
        lambda: TheirMultinomialNB().fit(X, labels),
        {f"wordplane, {threads} threads": lambda: MultinomialNB().fit(X, labels)},
    )
    growth = memory_growth(args.data)
    print(f"memory of counting words+bigrams: {growth:.0f} MB")
    report = {
        "data": name,
        "texts": len(texts),
        "megabytes": round(megabytes, 1),
        "cores": threads,
        "python": platform.python_version(),
        "scikit-learn": sklearn.__version__,
        "wordplane": wordplane.__version__,
        "megabytes that counting words+bigrams adds": round(growth),
        "results": results,
    }
    output = Path(args.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
