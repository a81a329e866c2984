"""Whole commands from a shell, beside Vowpal Wabbit, fastText and scikit-learn.

IMDB: 25,000 reviews to learn from and as many to label. Vowpal Wabbit gets text that has been cut
into words already; fastText the raw text, as we do; scikit-learn a script with TfidfVectorizer
(words and bigrams) and LinearSVC. Peers that are not installed are left out.
"""

import re
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import polars as pl

from benchmarks.harness import THREADS, WORDPLANE, Subject, dataset, installed, shell

FASTTEXT_TRAIN = """
import fasttext, sys
model = fasttext.train_supervised(sys.argv[1], wordNgrams=2, thread=int(sys.argv[3]), verbose=0)
model.save_model(sys.argv[2])
"""
FASTTEXT_PREDICT = """
import fasttext, sys
model = fasttext.load_model(sys.argv[1])
lines = open(sys.argv[2], encoding="utf-8").read().splitlines()
print("\\n".join(labels[0].removeprefix("__label__") for labels in model.predict(lines)[0]))
"""
SCIKIT_LEARN_TRAIN = """
import joblib, polars, sys
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
data = polars.read_parquet(sys.argv[1])
model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), LinearSVC())
joblib.dump(model.fit(data["text"].to_list(), data["label"].to_list()), sys.argv[2])
"""
SCIKIT_LEARN_PREDICT = """
import joblib, sys
lines = open(sys.argv[2], encoding="utf-8").read().splitlines()
print("\\n".join(joblib.load(sys.argv[1]).predict(lines)))
"""
RIVER_TRAIN = """
import polars, sys
from river import feature_extraction, naive_bayes
words = feature_extraction.BagOfWords(ngram_range=(1, 2))
model = words | naive_bayes.MultinomialNB()
for text, label in polars.read_parquet(sys.argv[1]).iter_rows():
    model.learn_one(text, label)
"""


def python(script, *arguments):
    return (sys.executable, "-c", script, *arguments)


def vowpal_wabbit(*options):
    return (sys.executable, "-m", "vowpalwabbit", "--quiet", *options)


def prepare(folder, n_rows):
    """The reviews in the form that each tool reads."""
    for split in ("train", "test"):
        corpus = dataset("imdb", split)
        step = len(corpus.labels) // n_rows  # rows are ordered by label
        lines = [re.sub(r"\s+", " ", text) for text in list(corpus.texts)[::step]]
        labels = list(corpus.labels)[::step]
        frame = pl.DataFrame({"text": lines, "label": labels}).sample(
            fraction=1, shuffle=True, seed=0
        )
        frame.write_parquet(folder / f"{split}.parquet")
        frame.write_csv(folder / f"{split}.csv")
        (folder / f"{split}.txt").write_text("\n".join(frame["text"]) + "\n", encoding="utf-8")
        with (folder / f"{split}.ft").open("w", encoding="utf-8") as file:
            for text, label in frame.iter_rows():
                file.write(f"__label__{label} {text}\n")
        with (folder / f"{split}.vw").open("w", encoding="utf-8") as file:
            for text, label in frame.iter_rows():
                words = " ".join(re.findall(r"\w+", text.lower()))
                file.write(f"{1 if label == 'positive' else -1} | {words}\n")
        (folder / "one.txt").write_text(frame["text"][0] + "\n", encoding="utf-8")


def main(rounds, quick):
    if dataset("imdb") is None:
        return None
    subject = Subject("commands", rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, 2500 if quick else 25_000)
        race_training(subject, folder)
        race_prediction(subject, folder)
    return subject


def race_training(subject, folder):
    def train(model, *options):
        model = folder / model
        return (*WORDPLANE, "train", folder / "train.parquet", "-o", model, "--force", *options)

    bigrams, recipe = "wordplane, --ngrams 1,2", "wordplane, default"
    commands = {
        bigrams: train("bigrams.wordplane", "--ngrams", "1,2", "--no-test"),
        recipe: train("default.wordplane", "--no-test"),
    }
    if installed("vowpalwabbit"):
        commands["Vowpal Wabbit, 8 passes"] = vowpal_wabbit(
            *("-d", folder / "train.vw", "--loss_function", "logistic", "--ngram", "2", "-b", "22"),
            *("--passes", "8", "-c", "-k", "-f", folder / "model.vw"),
        )
    if installed("fasttext-wheel"):
        commands["fastText"] = python(
            FASTTEXT_TRAIN, folder / "train.ft", folder / "model.ft", THREADS
        )
    commands["scikit-learn"] = python(
        SCIKIT_LEARN_TRAIN, folder / "train.parquet", folder / "model.joblib"
    )
    notes = {
        bigrams: partial(accuracy, folder, our_prediction(folder, "bigrams.wordplane", "test.txt")),
        recipe: partial(accuracy, folder, our_prediction(folder, "default.wordplane", "test.txt")),
        **{
            tool: partial(accuracy, folder, command)
            for tool, command in peer_predictions(folder).items()
        },
    }
    jobs = {tool: partial(shell, *command) for tool, command in commands.items()}
    slow = {tool: jobs.pop(tool) for tool in ("fastText", "scikit-learn") if tool in jobs}
    subject.race(
        "train",
        jobs,
        goals={(bigrams, "Vowpal Wabbit, 8 passes"): 2},
        notes={tool: note for tool, note in notes.items() if tool in jobs},
        limits={bigrams: 1.5, recipe: 3},
        rounds=subject.rounds + 2,
    )
    slow_notes = {tool: note for tool, note in notes.items() if tool in slow}
    subject.race("train", {bigrams: jobs[bigrams], **slow}, notes=slow_notes)
    if installed("river"):
        bayes = train("bayes.wordplane", "--ngrams", "1,2", "--no-test", "--learner", "nb")
        river = python(RIVER_TRAIN, folder / "train.parquet")
        jobs = {"wordplane": partial(shell, *bayes), "river": partial(shell, *river)}
        subject.race("train naive Bayes", jobs, rounds=1)


def our_prediction(folder, model, data):
    return (*WORDPLANE, "predict", folder / model, folder / data)


def peer_predictions(folder):
    """Commands that write one label per line of the test file."""
    commands = {}
    if installed("vowpalwabbit"):
        commands["Vowpal Wabbit, 8 passes"] = vowpal_wabbit(
            "-t", "-i", folder / "model.vw", "-d", folder / "test.vw", "-p", folder / "labels.vw"
        )
    if installed("fasttext-wheel"):
        commands["fastText"] = python(FASTTEXT_PREDICT, folder / "model.ft", folder / "test.txt")
    commands["scikit-learn"] = python(
        SCIKIT_LEARN_PREDICT, folder / "model.joblib", folder / "test.txt"
    )
    return commands


def accuracy(folder, command, _):
    """What share of the test labels a command gives rightly."""
    labels = pl.read_parquet(folder / "test.parquet")["label"].to_list()
    arguments = [str(part) for part in command]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    if "vowpalwabbit" in arguments:
        scores = (folder / "labels.vw").read_text().split()
        found = ["positive" if float(score) > 0 else "negative" for score in scores]
    elif "wordplane" in arguments:
        found = [row.split(",")[1] for row in done.splitlines()[1:]]
    else:
        found = done.split()
    right = sum(a == b for a, b in zip(found, labels, strict=True)) / len(labels)
    return f"accuracy {right:.4f}"


def race_prediction(subject, folder):
    ours = {
        "wordplane, lines": our_prediction(folder, "bigrams.wordplane", "test.txt"),
        "wordplane, CSV": our_prediction(folder, "bigrams.wordplane", "test.csv"),
        "wordplane, Parquet": our_prediction(folder, "bigrams.wordplane", "test.parquet"),
    }
    commands = {**ours, **peer_predictions(folder)}
    subject.race(
        "predict",
        {tool: partial(shell, *command) for tool, command in commands.items()},
        limits={"wordplane, lines": 0.6, "wordplane, CSV": 0.9, "wordplane, Parquet": 0.9},
        goals={("wordplane, lines", "Vowpal Wabbit, 8 passes"): 1},
    )
    one = our_prediction(folder, "bigrams.wordplane", "one.txt")
    subject.race(
        "load and label one line",
        {"wordplane": partial(shell, *one)},
        limits={"wordplane": 0.25},
        rounds=3 * subject.rounds,
    )
    size = (folder / "bigrams.wordplane").stat().st_size / 1e6
    subject.amount("model of words+bigrams", "wordplane", "megabytes", size)
