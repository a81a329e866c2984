"""The data sets of the published tables, and what a learner gets right on them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

import wordplane
from benchmarks.harness import THREADS
from wordplane import TextClassifier
from wordplane.evaluation.intervals import wilson_interval
from wordplane.selection.cross_validation import out_of_fold
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents
from wordplane.text.texts import as_texts


def corpus_of(folder, name):
    return wordplane.read(folder / f"{name}.parquet")


def between_spaces(corpus, n):
    """Texts as lists of `word:1`: what stands between white space, in lower case.

    With n = 2 also the pairs of neighbors; the ends of a text are part of pairs only.
    """
    texts = []
    for text in corpus.texts:
        words = text.lower().split()
        ends = ["<s>", *words, "</s>"]
        pairs = [f"{a}_{b}" for a, b in pairwise(ends)] if n == 2 else []
        texts.append(" ".join(f"{item}:1" for item in words + pairs))
    return replace(corpus, texts=as_texts(texts))


def predictions(corpus, analyzer, learner, seed=0):
    """Labels and what was predicted: the given split, or ten stratified folds."""
    if corpus.split is not None:
        train, test = (corpus.take(corpus.split_rows(part)) for part in ("train", "test"))
        model = TextClassifier(analyzer, learner, calibration=None, n_jobs=THREADS)
        model.fit(train.texts, train.labels)
        return np.array(list(test.labels)), model.predict(test.texts)
    documents = as_documents(corpus.texts, {})
    done = out_of_fold(
        analyzer,
        learner,
        documents,
        corpus.labels,
        splitter=Splitter(10, random_state=seed),
        threads=THREADS,
    )
    return np.array(list(corpus.labels)), done.predicted


def with_interval(corpus, analyzer, learner, figure, digits=1):
    """Accuracy and its 95 % interval in percent, bold where that lies below the figure."""
    y, found = predictions(corpus, analyzer, learner)
    right = int((y == found).sum())
    low, high = wilson_interval(right, len(y))
    cell = f"{100 * right / len(y):.{digits}f} ({100 * low:.1f} to {100 * high:.1f})"
    return f"**{cell}**" if 100 * high < figure else cell
