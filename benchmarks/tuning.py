"""Choosing parameters, and learning curves: whole commands from raw text.

Short movie reviews (RT-s): five folds over ten values of C for logistic regression, ten folds over
five alphas for naive Bayes; scikit-learn's GridSearchCV gets the same folds and a ready matrix
(words and bigrams, tf-idf, fitted on all rows, held-out ones included). IMDB: a learning curve of
eight sizes and five folds beside one plain training.
"""

import json
import subprocess
import tempfile
from functools import partial

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.naive_bayes import MultinomialNB

import wordplane
from benchmarks.harness import DATASETS, THREADS, WORDPLANE, Subject, dataset, shell
from wordplane.selection.splitter import Splitter

ALPHAS = [0.1, 0.3, 1, 3, 10]


def main(rounds, quick):
    corpus = dataset("rt_snippets")
    if corpus is None:
        return None
    subject = Subject("tuning", rounds)
    texts, y = list(corpus.texts), np.array(list(corpus.labels))
    path = DATASETS / "rt_snippets.parquet"

    def search(learner, grid, X, folds, jobs):
        fold_of = np.zeros(len(y), dtype=int)
        for number, held in enumerate([held for _, held in Splitter(folds).split(y.tolist())]):
            fold_of[held] = number
        return GridSearchCV(learner, grid, cv=PredefinedSplit(fold_of), n_jobs=jobs).fit(X, y)

    X = TfidfVectorizer(ngram_range=(1, 2)).fit_transform(texts)
    values = wordplane.LogisticRegression().tuning_grid()
    tune = (*WORDPLANE, "tune", path, "--json", "--learner")
    regression = (*tune, "logistic", "--ngrams", "1,2", "--folds", "5")
    grids = {f"GridSearchCV, {THREADS} jobs": THREADS} | ({} if quick else {"GridSearchCV": 1})
    subject.race(
        "logistic regression, 5 folds x 10 C",
        {"wordplane tune": partial(output, *regression)}
        | {
            name: partial(search, LogisticRegression(max_iter=1000), values, X, 5, jobs)
            for name, jobs in grids.items()
        },
        goals={("wordplane tune", f"GridSearchCV, {THREADS} jobs"): 10},
        notes={"wordplane tune": best_of_ours} | dict.fromkeys(grids, best_of_theirs),
    )
    X = CountVectorizer(ngram_range=(1, 2)).fit_transform(texts)
    alphas = ",".join(map(str, ALPHAS))
    bayes = (*tune, "nb", "--ngrams", "1,2", "--folds", "10", "--grid", f"alpha={alphas}")
    subject.race(
        "naive Bayes, 10 folds x 5 alphas",
        {
            "wordplane tune": partial(output, *bayes),
            "wordplane, ready matrix": partial(chosen_alpha, X, y),
            "GridSearchCV": partial(search, MultinomialNB(), {"alpha": ALPHAS}, X, 10, None),
        },
        goals={("wordplane, ready matrix", "GridSearchCV"): 20},
        notes={"wordplane tune": best_of_ours, "GridSearchCV": best_of_theirs},
    )
    if not quick:
        curve(subject)
    return subject


def chosen_alpha(X, y):
    wordplane.MultinomialNB(alpha="cv", alphas=ALPHAS, cv=10).fit(X, y)


def curve(subject):
    data = DATASETS / "imdb.parquet"
    train = (*WORDPLANE, "train", data, "--no-test", "-o")
    subject.race(
        "learning curve, 8 sizes x 5 folds",
        {
            "wordplane diagnose": partial(shell, *WORDPLANE, "diagnose", data),
            "one training": partial(training, *train),
        },
        goals={("wordplane diagnose", "one training"): 1 / 5},
    )


def training(*command):
    with tempfile.TemporaryDirectory() as folder:
        shell(*command, f"{folder}/model.wordplane")


def output(*command):
    arguments = [str(part) for part in command]
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def best_of_ours(printed):
    best = max(trial["accuracy"] for trial in json.loads(printed)["trials"])
    return f"best accuracy {best:.4f}"


def best_of_theirs(search):
    return f"best accuracy {search.best_score_:.4f}"
