"""Training alone, beside the tools that people use for the same objective.

IMDB and 20 newsgroups as words and bigrams, tf-idf, min_df 2. All tools get the same matrix, each
in its own form, made beforehand. Two races per objective: "at defaults", with each tool's own
tolerance, and "to 1e-3", with the fewest passes (or the loosest tolerance) of a ladder after
which the primal objective is within 1e-3, relative, of the optimum. What a tool's objective lies
above the optimum stands beside its time.
"""

import warnings
from bisect import bisect_left
from functools import partial

import numpy as np
import sklearn.linear_model as linear
import sklearn.naive_bayes as bayes
from liblinear import liblinearutil
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from benchmarks.harness import THREADS, Subject, dataset
from wordplane import LinearSVM, LogisticRegression, MultinomialNB, Perceptron, TfidfVectorizer
from wordplane.common.matrix import as_csr

NEAR = 1e-3
PASSES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128]
TOLERANCES = [3, 2, 1.5, 1, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]
ONE, ALL = "wordplane, 1 thread", f"wordplane, {THREADS} threads"
EPOCHS = 10
ALPHAS = np.logspace(-3, 1, 20)


class Data:
    """A training set, in the forms that the tools take."""

    def __init__(self, corpus):
        vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
        self.X = vectorizer.fit_transform(list(corpus.texts))
        self.y = np.unique(np.array(list(corpus.labels)), return_inverse=True)[1]
        self.native = as_csr(self.X)
        self.problem = liblinearutil.problem(self.y.astype(float), self.X, bias=1)

    @property
    def rows(self):
        return np.arange(len(self.y))


# Objectives, as functions of W (features x outputs) and b; the bias is penalized but in softmax.
def one_vs_rest(loss, data, W, b):
    classes = np.arange(W.shape[1]) if W.shape[1] > 1 else np.array([1])
    signs = np.where(data.y[:, None] == classes, 1, -1)
    return 0.5 * ((W**2).sum() + (b**2).sum()) + loss(signs * (data.X @ W + b)).sum()


def crammer_singer(data, W, b):
    if W.shape[1] == 1:
        W, b = np.hstack([-W / 2, W / 2]), np.concatenate([-b / 2, b / 2])
    z = data.X @ W + b
    right = z[data.rows, data.y].copy()
    z += 1
    z[data.rows, data.y] -= 1
    return 0.5 * ((W**2).sum() + (b**2).sum()) + (z.max(axis=1) - right).sum()


def softmax(data, W, b):
    z = data.X @ W + b
    top = z.max(axis=1)
    total = top + np.log(np.exp(z - top[:, None]).sum(axis=1))
    return 0.5 * (W**2).sum() + (total - z[data.rows, data.y]).sum()


squared_hinge = partial(one_vs_rest, lambda m: np.maximum(0, 1 - m) ** 2)
logistic = partial(one_vs_rest, lambda m: np.logaddexp(0, -m))


# Tools: fit(data, limit) trains; limit None means the tool's own stopping rule.
def ours(learner, data, limit):
    if limit is not None:
        learner = type(learner)(**{**learner.get_params(), "max_iter": limit, "tol": 1e-12})
    return learner.fit(data.native, data.y)


def scikit_learn(learner, data, limit):
    assert limit is None
    return learner.fit(data.X, data.y)


def liblinear(options, data, limit):
    tolerance = "" if limit is None else f" -e {limit}"
    return liblinearutil.train(data.problem, f"{options} -B 1 -q{tolerance}")


def weights(data, model):
    """W and b of a fitted model of any tool."""
    if hasattr(model, "coef_"):
        return model.coef_.T, model.intercept_
    n = 1 if model.nr_class == 2 and model.param.solver_type != 4 else model.nr_class
    W = np.ctypeslib.as_array(model.w, shape=((data.X.shape[1] + 1) * n,)).reshape(-1, n)
    labels = model.get_labels()
    W = W[:, np.argsort(labels)] if n > 1 else W * (1 if labels[0] == 1 else -1)
    return W[:-1], W[-1]


def race_objective(subject, task, data, objective, best, tools, ladders, goals):
    """`tools` at their defaults, and those with a ladder to its first step within 1e-3."""

    def above(model):
        return objective(data, *weights(data, model)) / best - 1

    notes = dict.fromkeys(tools, lambda model: f"{above(model):.1e} above the optimum")
    jobs = {tool: partial(fit, data, None) for tool, fit in tools.items()}
    subject.race(f"{task}, at defaults", jobs, goals, notes)
    jobs = {}
    for tool, ladder in ladders.items():
        near = lambda step, fit=tools[tool]: above(fit(data, step)) <= NEAR  # noqa: E731
        step = ladder[min(bisect_left(ladder, True, key=near), len(ladder) - 1)]
        for same in (ONE, ALL) if tool == ONE else (tool,):  # threads change nothing but the time
            jobs[same] = partial(tools[same], data, step)
    if jobs:
        subject.race(f"{task}, to 1e-3", jobs, goals, notes)


def against_liblinear(subject, task, data, objective, learner, options, goal, **more):
    """One objective that LIBLINEAR minimizes too."""
    exact = type(learner)(**{**learner.get_params(), "tol": 1e-5, "max_iter": 10_000})
    best = objective(data, *weights(data, exact.fit(data.native, data.y)))
    tools = {
        ONE: partial(ours, learner.set_params(n_jobs=1)),
        ALL: partial(ours, type(learner)(**{**learner.get_params(), "n_jobs": THREADS})),
        f"LIBLINEAR {options}": partial(liblinear, options),
        **more,
    }
    ladders = {ONE: PASSES, f"LIBLINEAR {options}": TOLERANCES}
    # One binary problem is solved by one thread; of many classes, threads take some each.
    meant = (ALL,) if data.y.max() > 1 else (ONE, ALL)
    goals = {(own, f"LIBLINEAR {options}"): goal for own in meant}
    race_objective(subject, task, data, objective, best, tools, ladders, goals)


def main(rounds, quick):
    warnings.simplefilter("ignore")  # a few passes do not converge, and are not meant to
    subject = Subject("learners", rounds)
    for name in ("imdb",) if quick else ("imdb", "newsgroups20"):
        corpus = dataset(name, "train")
        if corpus is None:
            return None
        data = Data(corpus)
        many = data.y.max() > 1
        svc = {"LinearSVC": partial(scikit_learn, LinearSVC())}
        against_liblinear(
            subject, f"{name}, squared hinge", data, squared_hinge, LinearSVM(), "-s 1",
            3 if many else 1.5, **svc,
        )  # fmt: skip
        against_liblinear(
            subject, f"{name}, Crammer-Singer", data, crammer_singer,
            LinearSVM(multi_class="crammer_singer"), "-s 4", 1.5,
        )  # fmt: skip
        against_liblinear(
            subject, f"{name}, logistic one-vs-rest", data, logistic,
            LogisticRegression(multi_class="ovr", penalize_intercept=True), "-s 7",
            3 if many else 1.5,
        )  # fmt: skip
        if many:
            race_softmax(subject, name, data)
        race_counts(subject, name, data, quick)
    return subject


def race_softmax(subject, name, data):
    exact = LogisticRegression(tol=1e-9).fit(data.native, data.y)
    best = softmax(data, *weights(data, exact))
    tools = {
        ALL: partial(ours, LogisticRegression(n_jobs=THREADS)),
        "scikit-learn saga": partial(scikit_learn, linear.LogisticRegression(solver="saga")),
    }
    goals = {(ALL, "scikit-learn saga"): 4, (ALL, "scikit-learn lbfgs"): 20}
    race_objective(subject, f"{name}, softmax", data, softmax, best, tools, {}, goals)
    tools["scikit-learn lbfgs"] = partial(scikit_learn, linear.LogisticRegression())
    jobs = {tool: partial(tools[tool], data, None) for tool in (ALL, "scikit-learn lbfgs")}
    subject.race(f"{name}, softmax, lbfgs", jobs, goals, rounds=1)


def race_counts(subject, name, data, quick):
    """Learners that count, or make a set number of epochs."""
    many = data.y.max() > 1

    def fit(learner, X):
        learner.fit(X, data.y)

    subject.race(
        f"{name}, perceptron, {EPOCHS} epochs",
        {
            "wordplane": partial(fit, Perceptron(averaged=False, max_iter=EPOCHS), data.native),
            "scikit-learn": partial(fit, linear.Perceptron(max_iter=EPOCHS, tol=None), data.X),
            "scikit-learn, all threads": partial(
                fit, linear.Perceptron(max_iter=EPOCHS, tol=None, n_jobs=-1), data.X
            ),
        },
        {("wordplane", "scikit-learn"): 4 if many else 2},
    )
    own, peer = (
        partial(fit, MultinomialNB(), data.native),
        partial(fit, bayes.MultinomialNB(), data.X),
    )
    subject.race(
        f"{name}, MultinomialNB",
        {"wordplane": own, "scikit-learn": peer},
        {("wordplane", "scikit-learn"): 2},
        rounds=3 * subject.rounds,
    )
    search = MultinomialNB(alpha="cv", alphas=ALPHAS, cv=10)
    jobs = {
        "wordplane": partial(fit, search, data.native),
        "one fit of scikit-learn": peer,
    }
    subject.race(
        f"{name}, MultinomialNB, 10 folds x 20 alphas",
        jobs,
        {("wordplane", "one fit of scikit-learn"): 1 / 8},
    )
    if not quick:
        grid = GridSearchCV(bayes.MultinomialNB(), {"alpha": ALPHAS}, cv=10, n_jobs=-1)
        jobs = {
            "wordplane": partial(fit, search, data.native),
            "GridSearchCV": partial(fit, grid, data.X),
        }
        subject.race(
            f"{name}, MultinomialNB, 10 folds x 20 alphas",
            jobs,
            {("wordplane", "GridSearchCV"): 20},
            rounds=1,
        )
