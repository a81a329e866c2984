"""Word vectors of 50,000 film reviews, 300 numbers each: ours beside gensim's CBOW, five epochs.

What they are good for is told too: ridge regression on the mean vector of a review, with 100 and
2,000 labeled reviews of IMDB's training half, five draws, on every tenth of its test half.
"""

import re
import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import RidgeClassifierCV

from benchmarks.harness import THREADS, Subject, dataset, installed
from wordplane import WordEmbeddings

N_COMPONENTS = 300
DRAWS = 5


def main(rounds, quick):
    unlabeled = dataset("imdb_unlabeled")
    train, test = dataset("imdb", "train"), dataset("imdb", "test")
    if unlabeled is None or train is None:
        return None
    texts = list(unlabeled.texts)[: 5000 if quick else None]
    subject = Subject("vectors", rounds)
    jobs = {"wordplane": lambda: WordEmbeddings(N_COMPONENTS, n_jobs=THREADS).fit(texts)}
    if installed("gensim"):
        words = [re.findall(r"[\w'-]+", text.lower()) for text in texts]  # ready made, for gensim
        jobs["gensim CBOW"] = lambda: cbow(words)
    notes = dict.fromkeys(jobs, lambda embeddings: accuracies(embeddings, train, test))
    goals = {("wordplane", "gensim CBOW"): 3}
    subject.race("vectors of words", jobs, goals, notes=notes)
    return subject


def cbow(sentences):
    """gensim's vectors."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        sentences, vector_size=N_COMPONENTS, window=5, min_count=5, workers=THREADS, epochs=5
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cbow.vec"
        model.wv.save_word2vec_format(path)
        return WordEmbeddings.read(path, weights="tf")


def accuracies(embeddings, train, test):
    """Of the mean vector, in words."""
    if embeddings.idf_ is not None:  # a file of vectors has none
        embeddings.set_params(weights="idf")
    every_tenth = np.arange(0, len(test.labels), 10)
    X, y = embeddings.transform(list(train.texts)), np.array(train.labels)
    X_test = embeddings.transform([test.texts[i] for i in every_tenth])
    y_test = np.array(test.labels)[every_tenth]
    size = np.linalg.norm(X - X.mean(axis=0), axis=1).mean()
    told = []
    for n_labels in (100, 2000):
        scores = []
        for draw in range(DRAWS):
            rows = np.random.default_rng(draw).permutation(len(y))[:n_labels]
            learner = RidgeClassifierCV(alphas=10.0 ** np.arange(-3, 4)).fit(
                X[rows] / size, y[rows]
            )
            scores.append(learner.score(X_test / size, y_test))
        told.append(f"{np.mean(scores):.1%} with {n_labels:,} labels")
    return ", ".join(told)
