"""Measurements on the real data sets that the pages quote: python docs/measured/measure.py FOLDER

FOLDER holds the data sets as Parquet files. Each function writes one table beside this file, which
a page includes. The pages themselves are built without the data.
"""

import resource
import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import wordplane as wp
from scipy.sparse import csr_array, hstack
from wordplane.data.splits import stratified_folds
from wordplane.evaluation.intervals import wilson_interval
from wordplane.evaluation.metrics import log_loss
from wordplane.features.select import SelectFeatures
from wordplane.labels import encode

HERE = Path(__file__).parent
TOKENS = r"(?u)[\w'-]+|[^\w\s]"


def learners(n):
    """The learners of the lab and those beside them, with the penalty that each is known for."""
    return {
        "multinomial NB": wp.MultinomialNB(),
        "Bernoulli NB": wp.BernoulliNB(),
        "complement NB": wp.ComplementNB(),
        "perceptron": wp.Perceptron(),
        "perceptron, last weights": wp.Perceptron(averaged=False),
        "MIRA": wp.MIRA(),
        "online SVM": wp.OnlineSVM(alpha=1 / n),
        "linear SVM": wp.LinearSVM(C=0.1),
        "logistic regression": wp.LogisticRegression(C=1.0),
        "NBSVM": wp.NBSVM(learner=wp.LinearSVM(C=0.1)),
        "ridge": wp.RidgeClassifier(alpha=10.0),
    }


def cpu():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def write(name, head, rows):
    lines = [head, ["---"] * len(head), *rows]
    text = "".join("| " + " | ".join(str(cell) for cell in row) + " |\n" for row in lines)
    (HERE / f"{name}.md").write_text(text, encoding="utf-8")
    print(f"{name}\n{text}")


def books(folder):
    """Lines of word:count, positive and negative in turns, words that occur 5 times or more."""
    frame = pl.read_parquet(folder / "amazon_books_counts.parquet")
    parts = [frame.filter(pl.col("label") == label)["text"] for label in ("positive", "negative")]
    texts = [text for pair in zip(*parts, strict=True) for text in pair]
    y = np.array(["positive", "negative"] * (len(texts) // 2))
    columns, indptr, indices, data = {}, [0], [], []
    for text in texts:
        for item in text.split():
            word, _, count = item.rpartition(":")
            indices.append(columns.setdefault(word, len(columns)))
            data.append(int(count))
        indptr.append(len(indices))
    X = csr_array((np.array(data, float), indices, indptr), shape=(len(texts), len(columns)))
    X.sum_duplicates()
    return X[:, np.flatnonzero(X.sum(axis=0) >= 5)], y


def lab(folder):
    X, y = books(folder)
    train, test = slice(0, 1600), slice(1600, None)
    rows = []
    extra = {
        "multinomial NB, no smoothing": wp.MultinomialNB(alpha=0),
        "MaxEnt, lambda 1 (mean loss)": wp.LogisticRegression(
            C=1.0, average=True, multi_class="softmax", penalize_intercept=True, tol=1e-9
        ),
    }
    for name, learner in {**learners(1600), **extra}.items():
        start = cpu()
        model = learner.fit(X[train], y[train])
        took = cpu() - start
        right = model.score(X[test], y[test])
        low, high = wilson_interval(right * 400, 400)
        rows.append(
            [name, f"{100 * model.score(X[train], y[train]):.2f}", f"{100 * right:.2f}",
             f"{100 * low:.1f} to {100 * high:.1f}", f"{took:.3f}"]
        )  # fmt: skip
    write("lab", ["learner", "train, %", "test, %", "95 % interval", "training, CPU s"], rows)


def cross_validated(X, y, make, k=10):
    folds = stratified_folds(encode(y)[1], k, random_state=0)
    right, took = 0, 0.0
    for held in folds:
        rest = np.setdiff1d(np.arange(len(y)), held)
        start = cpu()
        model = make().fit(X[rest], y[rest])
        took += cpu() - start
        right += (model.predict(X[held]) == y[held]).sum()
    return right / len(y), took / k


def bigrams(folder):
    rows = []
    for file in ("rt_snippets", "subjectivity"):
        corpus = wp.read(folder / f"{file}.parquet")
        y = np.array(list(corpus.labels))
        counts = [
            wp.CountVectorizer(token_pattern=TOKENS, ngram_range=(1, n), binary=True)
            .fit_transform(corpus.texts) for n in (1, 2)
        ]  # fmt: skip
        for name in learners(1):
            pair = [cross_validated(X, y, lambda n=name: learners(len(y))[n]) for X in counts]
            (uni, _), (bi, took) = pair
            rows.append([file, name, f"{100 * uni:.2f}", f"{100 * bi:.2f}", f"{100 * (bi - uni):+.2f}",
                         f"{took:.3f}"])  # fmt: skip
    head = ["data", "learner", "unigrams, %", "and bigrams, %", "gain", "training, CPU s per fold"]
    write("bigrams", head, rows)


def overlap(folder):
    corpus = wp.read(folder / "rt_snippets.parquet")
    y = np.array(list(corpus.labels))
    words = wp.CountVectorizer(token_pattern=TOKENS, binary=True).fit_transform(corpus.texts)
    suffixes = wp.CountVectorizer(analyzer="char_wb", ngram_range=(2, 5), binary=True)
    characters = suffixes.fit_transform(corpus.texts)
    sets = {"words": words, "words three times": hstack([words] * 3).tocsr(),
            "words and characters": hstack([words, characters]).tocsr()}  # fmt: skip
    chosen = {"multinomial NB": wp.MultinomialNB, "logistic regression": wp.LogisticRegression}
    held = stratified_folds(encode(y)[1], 5, random_state=0)[0]
    rest = np.setdiff1d(np.arange(len(y)), held)
    rows = []
    for name, learner in chosen.items():
        for features, X in sets.items():
            model = learner().fit(X[rest], y[rest])
            P = model.predict_proba(X[held])
            rows.append([name, features, f"{100 * model.score(X[held], y[held]):.1f}",
                         f"{log_loss(y[held], P, classes=model.classes_)[0]:.3f}",
                         f"{100 * P.max(axis=1).mean():.1f}"])  # fmt: skip
    write("overlap", ["learner", "features", "accuracy, %", "log-loss", "mean confidence, %"], rows)


def spam(folder):
    corpus = wp.read(folder / "sms_spam.parquet")
    vectorizer = wp.CountVectorizer(token_pattern=TOKENS)
    X = vectorizer.fit_transform(corpus.texts)
    select = SelectFeatures("information_gain", m=12).fit(X, corpus.labels)
    table = select.table(vectorizer.get_feature_names_out())
    rows = [
        [f"`{r.name}`", f"{r.information_gain:.4f}", f"{r.p:.4f}",
         f"{r.p_given_class['ham']:.4f}", f"{r.p_given_class['spam']:.4f}"] for r in table
    ]  # fmt: skip
    write(
        "spam",
        ["word", "information gain, bits", "P(X=1)", "P(X=1 given ham)", "P(X=1 given spam)"],
        rows,
    )


def lasso(folder):
    corpus = wp.read(folder / "rt_snippets.parquet")
    y = np.array(list(corpus.labels))
    X = wp.TfidfVectorizer(token_pattern=TOKENS, ngram_range=(1, 2)).fit_transform(corpus.texts)
    held = stratified_folds(encode(y)[1], 5, random_state=0)[0]
    rest = np.setdiff1d(np.arange(len(y)), held)
    rows = []
    for penalty, Cs in (("l2", (0.3, 1, 3, 10, 30)), ("l1", (0.3, 1, 3, 10, 30))):
        for C in Cs:
            model = wp.LogisticRegression(penalty=penalty, C=C, max_iter=5000).fit(X[rest], y[rest])
            zeros = float((model.coef_ == 0).mean())
            rows.append([penalty, C, f"{100 * model.score(X[held], y[held]):.1f}",
                         f"{100 * zeros:.1f}", int((model.coef_ != 0).sum())])  # fmt: skip
    write("lasso", ["penalty", "C", "accuracy, %", "zeros, %", "weights kept"], rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore", wp.errors.ConvergenceWarning)
    for part in (lab, spam, overlap, lasso, bigrams):
        part(Path(sys.argv[1]))
