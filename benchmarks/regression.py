"""Regression: the stars of film reviews, from 1 to 10, by ridge regression.

IMDB's reviews whose text states one rating, such as 8/10, which is taken out of it. All get the
same matrix (what TextRegressor reads, 32-bit). scikit-learn's Ridge fits one strength, and by
GridSearchCV the same 21 strengths in the same three folds; from texts, the matrix is a
TfidfVectorizer's of words and pairs of words. The mean absolute error is that on a fifth of the
reviews, and the objective is relative to the lowest that was reached.
"""

import re

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.pipeline import make_pipeline

from benchmarks.harness import THREADS, Subject, dataset
from wordplane import TextRegressor
from wordplane.data.splits import holdout
from wordplane.learners import LinearRegressor
from wordplane.learners.linear_regressor import ALPHAS, FOLDS

RATING = re.compile(
    r"(?<![\d./])(10|[1-9])\s*(?:/\s*10\b|out of (?:10|ten)\b)(?!\d)", re.IGNORECASE
)
ALPHA = 1.0


def main(rounds, quick):
    reviews = rated_reviews(["imdb"] if quick else ["imdb", "imdb_unlabeled"])
    if not reviews:
        return None
    subject = Subject("regression", rounds)
    texts, stars = zip(*reviews, strict=True)
    y = np.array(stars, dtype=np.float64)
    train, test = holdout(stars, 0.2, 0)
    known, new = ([texts[i] for i in rows] for rows in (train, test))
    plain = TextRegressor(alpha=ALPHA, calibration=None).fit(known, y[train])
    X, X_new = plain.feature_matrix(known), plain.feature_matrix(new)
    size = float(X.multiply(X).sum() / X.shape[0])
    grid = {"alpha": (size * ALPHAS).tolist()}
    folds = PredefinedSplit(np.random.default_rng(0).permutation(len(train)) % FOLDS)

    def error(model):
        return f"MAE {np.abs(model.predict(X_new) - y[test]).mean():.4f}"

    def one(model):
        r = y[train] - X @ model.coef_ - model.intercept_
        return f"{error(model)}, objective {r @ r + ALPHA * model.coef_ @ model.coef_:.3f}"

    ours, peer = "wordplane", "scikit-learn"
    subject.race(
        "ridge, one strength, ready matrix",
        {
            ours: lambda: LinearRegressor(alpha=ALPHA, n_jobs=THREADS).fit(X, y[train]),
            peer: lambda: Ridge(alpha=ALPHA).fit(X, y[train]),
        },
        notes={ours: one, peer: one},
    )
    subject.race(
        f"ridge, {len(ALPHAS)} strengths in {FOLDS} folds",
        {
            ours: lambda: LinearRegressor(n_jobs=THREADS).fit(X, y[train]),
            peer: lambda: GridSearchCV(
                Ridge(), grid, cv=folds, scoring="neg_mean_squared_error", n_jobs=THREADS
            ).fit(X, y[train]),
        },
        goals={(ours, peer): 10},
        notes={
            ours: lambda model: f"{error(model)}, alpha {model.alpha_:.3g}",
            peer: lambda model: f"{error(model)}, alpha {model.best_params_['alpha']:.3g}",
        },
    )

    def of_texts(model):
        return f"MAE {np.abs(model.predict(new) - y[test]).mean():.4f}"

    from_texts = {
        ours: lambda: TextRegressor(calibration=None, n_jobs=THREADS).fit(known, y[train]),
        peer: lambda: GridSearchCV(
            make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), Ridge()),
            {"ridge__alpha": [0.1, 0.3, 1, 3, 10]},
            cv=folds,
            n_jobs=THREADS,
        ).fit(known, y[train]),
    }
    notes = {ours: of_texts, peer: of_texts}
    subject.race("texts to stars, strength by folds", from_texts, {(ours, peer): 10}, notes=notes)
    return subject


def rated_reviews(names):
    """Reviews that state one rating, without it, and the rating."""
    found = []
    for name in names:
        corpus = dataset(name)
        for text in [] if corpus is None else corpus.texts:
            given = set(RATING.findall(text))
            if len(given) == 1:
                found.append((RATING.sub(" ", text), int(given.pop())))
    return list(dict.fromkeys(found))
