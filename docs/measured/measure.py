"""Measurements on the real data sets that the pages quote: python docs/measured/measure.py FOLDER

FOLDER holds the data sets as Parquet files. Each function writes one table beside this file, which
a page includes. The pages themselves are built without the data.
"""

import re
import resource
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.sparse import hstack

import wordplane as wp
from wordplane.common.errors import ConvergenceWarning
from wordplane.common.labels import encode
from wordplane.data.splits import holdout, stratified_folds
from wordplane.demos.figures import gaussian_truth
from wordplane.demos.lab import lab as lab_demo
from wordplane.demos.lab import read_books
from wordplane.evaluation.intervals import wilson_interval
from wordplane.evaluation.label_scores import log_loss, score
from wordplane.evaluation.ordered_scores import score_ordered
from wordplane.features.select import SelectFeatures

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


def lambdas(folder):
    """The exercises of the lab for several lambda, as `wordplane demo lab` prints them."""
    text = f"{lab_demo(str(folder / 'amazon_books_counts.parquet'))}\n"
    (HERE / "lab_lambdas.txt").write_text(text, encoding="utf-8")
    print(text)


def lab(folder):
    X, y = read_books(str(folder / "amazon_books_counts.parquet"))
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


def gaussians(draws=100):
    """The lab's points in the plane: two variances, two splits, every learner."""
    n = 100
    everyone = {
        "Gaussian NB": wp.GaussianNB(variance="pooled"),
        "perceptron": wp.Perceptron(),
        "perceptron, last weights": wp.Perceptron(averaged=False),
        "MIRA": wp.MIRA(),
        "online SVM": wp.OnlineSVM(alpha=1 / n, max_iter=50),
        "linear SVM": wp.LinearSVM(),
        "logistic regression": wp.LogisticRegression(),
        "ridge": wp.RidgeClassifier(),
    }
    cases = [(v, share) for v in (1.0, 0.5) for share in (0.8, 0.5)]
    cells = {name: [] for name in [*everyone, "the true border"]}
    for v, share in cases:
        cut, world = int(share * n), {"variances": (v, v)}
        scores = {name: [] for name in cells}
        for seed in range(draws):
            X, y = wp.datasets.gaussians(n, random_state=seed, **world)
            true = (gaussian_truth(**world)(X) > 0) == y
            scores["the true border"].append((true[:cut].mean(), true[cut:].mean()))
            for name, learner in everyone.items():
                model = learner.fit(X[:cut], y[:cut])
                parts = (X[:cut], y[:cut]), (X[cut:], y[cut:])
                scores[name].append(tuple(model.score(*part) for part in parts))
        for name, pairs in scores.items():
            cells[name].append("{:.1f} / {:.1f}".format(*(100 * np.mean(pairs, axis=0))))
    head = [f"variance {v:g}, {share:.0%} to train on" for v, share in cases]
    write("gaussians", ["learner", *head], [[name, *row] for name, row in cells.items()])


def folds_of(folder, file, k):
    """Texts and labels of a data set, and its stratified folds as (train, held out)."""
    corpus = wp.read(folder / f"{file}.parquet")
    y = np.array(list(corpus.labels))
    texts = [corpus.texts[i] for i in range(len(y))]
    held = stratified_folds(encode(y)[1], k, random_state=0)
    return texts, y, [(np.setdiff1d(np.arange(len(y)), rows), rows) for rows in held]


def counted(vectorizer, texts, train, held):
    """The features of both parts; the vocabulary is that of the first alone."""
    X = vectorizer.fit_transform([texts[i] for i in train])
    return X, vectorizer.transform([texts[i] for i in held])


def bigrams(folder):
    rows = []
    for file in ("rt_snippets", "subjectivity"):
        texts, y, folds = folds_of(folder, file, 10)
        right = {name: {1: 0, 2: 0} for name in learners(1)}
        took = dict.fromkeys(right, 0.0)
        for train, held in folds:
            for n in (1, 2):
                vectorizer = wp.CountVectorizer(
                    token_pattern=TOKENS, ngram_range=(1, n), binary=True
                )
                X, X_held = counted(vectorizer, texts, train, held)
                for name, learner in learners(len(train)).items():
                    start = cpu()
                    model = learner.fit(X, y[train])
                    took[name] += (cpu() - start) / len(folds) * (n == 2)
                    right[name][n] += (model.predict(X_held) == y[held]).sum()
        for name in right:
            uni, bi = (100 * right[name][n] / len(y) for n in (1, 2))
            rows.append(
                [file, name, f"{uni:.2f}", f"{bi:.2f}", f"{bi - uni:+.2f}", f"{took[name]:.3f}"]
            )
    head = ["data", "learner", "unigrams, %", "and bigrams, %", "gain", "training, CPU s per fold"]
    write("bigrams", head, rows)


GRIDS = {
    "multinomial NB": (wp.MultinomialNB, "alpha", (0.03, 0.1, 0.3, 1, 3)),
    "logistic regression": (wp.LogisticRegression, "C", (0.03, 0.1, 0.3, 1, 3)),
    "linear SVM": (wp.LinearSVM, "C", (0.003, 0.01, 0.03, 0.1, 0.3)),
}


def tuned_bigrams(folder):
    """As `bigrams`, with the one parameter chosen on the fold after the one that is held out."""
    rows = []
    for file in ("rt_snippets", "subjectivity"):
        texts, y, folds = folds_of(folder, file, 10)
        right = {name: {1: 0, 2: 0} for name in GRIDS}
        for i, (train, held) in enumerate(folds):
            dev = folds[(i + 1) % len(folds)][1]
            inner = np.setdiff1d(train, dev)
            for n in (1, 2):
                vectorizer = wp.CountVectorizer(
                    token_pattern=TOKENS, ngram_range=(1, n), binary=True
                )
                X, X_dev = counted(vectorizer, texts, inner, dev)
                best = {
                    name: max(
                        grid,
                        key=lambda v: make(**{p: v}).fit(X, y[inner]).score(X_dev, y[dev]),
                    )
                    for name, (make, p, grid) in GRIDS.items()
                }
                X, X_held = counted(vectorizer, texts, train, held)
                for name, (make, parameter, _) in GRIDS.items():
                    model = make(**{parameter: best[name]}).fit(X, y[train])
                    right[name][n] += (model.predict(X_held) == y[held]).sum()
        for name in right:
            uni, bi = (100 * right[name][n] / len(y) for n in (1, 2))
            rows.append([file, name, f"{uni:.2f}", f"{bi:.2f}", f"{bi - uni:+.2f}"])
    write("tuned_bigrams", ["data", "learner", "unigrams, %", "and bigrams, %", "gain"], rows)


def overlap(folder):
    texts, y, folds = folds_of(folder, "rt_snippets", 5)
    train, held = folds[0]
    words = counted(wp.CountVectorizer(token_pattern=TOKENS, binary=True), texts, train, held)
    inner = wp.CountVectorizer(analyzer="char_wb", ngram_range=(2, 5), binary=True)
    characters = counted(inner, texts, train, held)
    sets = {
        "words": words,
        "words three times": [hstack([part] * 3).tocsr() for part in words],
        "words and characters": [
            hstack(pair).tocsr() for pair in zip(words, characters, strict=True)
        ],
    }
    chosen = {"multinomial NB": wp.MultinomialNB, "logistic regression": wp.LogisticRegression}
    rows = []
    for name, learner in chosen.items():
        for features, (X, X_held) in sets.items():
            model = learner().fit(X, y[train])
            P = model.predict_proba(X_held)
            loss, _ = log_loss(y[held], P, classes=model.classes_)
            accuracy, sure = model.score(X_held, y[held]), P.max(axis=1).mean()
            rows.append(
                [name, features, f"{100 * accuracy:.1f}", f"{loss:.3f}", f"{100 * sure:.1f}"]
            )
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
    texts, y, folds = folds_of(folder, "rt_snippets", 5)
    train, held = folds[0]
    vectorizer = wp.TfidfVectorizer(token_pattern=TOKENS, ngram_range=(1, 2))
    X, X_held = counted(vectorizer, texts, train, held)
    rows = []
    for penalty in ("l2", "l1"):
        for C in (0.3, 1, 3, 10, 30):
            model = wp.LogisticRegression(penalty=penalty, C=C, max_iter=5000).fit(X, y[train])
            accuracy, zeros = model.score(X_held, y[held]), (model.coef_ == 0).mean()
            kept = int((model.coef_ != 0).sum())
            rows.append([penalty, C, f"{100 * accuracy:.1f}", f"{100 * zeros:.1f}", f"{kept:,}"])
    write("lasso", ["penalty", "C", "accuracy, %", "zeros, %", "weights kept"], rows)


def threads(folder):
    """20 newsgroups: a random tenth, a tenth of whole threads, and the later posts."""
    corpus = wp.read(folder / "newsgroups20.parquet")
    train, later = (corpus.take(corpus.split_rows(part)) for part in ("train", "test"))
    train = replace(train, split=None)
    subjects = [re.search(r"^Subject:(.*)$", text, re.M | re.I) for text in train.texts]
    names = [subject.group(1) if subject else "" for subject in subjects]
    names = [re.sub(r"^(\s*re:)+", "", name, flags=re.I).strip().lower() for name in names]
    chosen = {
        "naive Bayes, alpha 1": wp.MultinomialNB(alpha=1.0),
        "complement NB": "complement",
        "perceptron": "perceptron",
        "logistic regression": "logistic",
        "SVM": "svm",
        "the recipe": None,
    }
    rows = []
    for name, learner in chosen.items():
        results = [wp.train(train, learner=learner, groups=groups) for groups in (None, names)]
        right = results[1].model.score(later, later.labels)
        cells = [
            f"{100 * s.accuracy:.1f} ({100 * s.interval[0]:.1f} to {100 * s.interval[1]:.1f})"
            for s in (result.scores for result in results)
        ]
        rows.append([name, *cells, f"{100 * right:.1f}"])
    write("threads", ["learner", "a random tenth", "whole threads", "the later posts"], rows)


def unfamiliar(folder):
    """How many texts are called unfamiliar: held-out ones of the same kind, and other ones."""
    kinds = {
        "customer_reviews": "English product reviews",
        "rt_snippets": "English film reviews",
        "en_banking77": "English bank questions",
        "de_gnad_small": "German news",
        "ru_sentiment": "Russian posts",
        "zh_waimai": "Chinese reviews",
        "ja_hotel": "Japanese reviews",
    }
    models, texts = {}, {}
    for file in kinds:
        corpus = wp.read(folder / f"{file}.parquet")
        train, rest = corpus.split_rows("train"), corpus.split_rows("test")
        if len(rest) == 0:
            train, rest = holdout(corpus.labels, 0.1, 1)
        texts[file] = corpus.take(rest[:1000])
        if file in ("customer_reviews", "en_banking77", "de_gnad_small", "zh_waimai"):
            models[file] = wp.train(replace(corpus, split=None).take(train)).model
    rows = []
    for file, model in models.items():
        shares = [model.knowledge(some).unfamiliar.mean() for some in texts.values()]
        cells = [f"{100 * s:.1f}" for s in shares]
        least = f"{100 * model.training_.least_known:.0f}"
        rows.append([kinds[file], least, *cells])
    write("unfamiliar", ["model", "known, at least, %", *kinds.values()], rows)


def stars(folder):
    """Labels in order: how far the recipe's labels are off, and those of the ordinal learner."""
    rating = re.compile(
        r"(?<![\d./])(10|[1-9])\s*(?:/\s*10\b|out of (?:10|ten)\b)(?!\d)", re.IGNORECASE
    )
    films = []
    for file in ("imdb", "imdb_unlabeled"):
        for text in wp.read(folder / f"{file}.parquet", labels=False).texts:
            given = set(rating.findall(text))
            if len(given) == 1:  # the answer is taken out of the text
                films.append((rating.sub(" ", text), int(given.pop())))
    films = list(dict.fromkeys(films))
    train, test = holdout([label for _, label in films], 0.2, 0)
    sets = {"IMDB, 1 to 10 stars": [[films[i] for i in rows] for rows in (train, test)]}
    for name, file, order in (
        ("Japanese hotel reviews, -1 to 1", "ja_hotel", ["-1", "0", "1"]),
        ("Thai posts, negative to positive", "th_wisesight", ["neg", "neu", "pos"]),
    ):
        corpus = wp.read(folder / f"{file}.parquet")
        parts = []
        for part in ("train", "test"):
            some = corpus.take(corpus.split_rows(part))
            pairs = zip(some.texts, some.labels, strict=True)
            parts.append([(text, order.index(y)) for text, y in pairs if y in order])
        sets[name] = parts
    rows = []
    for name, (known, new) in sets.items():
        texts, y = zip(*known, strict=True)
        new_texts, true = zip(*new, strict=True)
        recipe = wp.TextClassifier(calibration=None)
        analyzer = recipe.make_plan(list(texts), list(y), None).analyzer
        ordinal = wp.TextClassifier(analyzer, wp.OrdinalLogistic(C=3.0), calibration=None)
        for title, model in (("the recipe", recipe), ("`ordinal`", ordinal)):
            predicted = model.fit(list(texts), list(y)).predict(list(new_texts))
            s = score_ordered(np.array(true, float), predicted.astype(float))
            (a, b), (c, d) = s.mae_interval, s.quadratic_kappa_interval
            right = np.mean(np.array(true) == predicted)
            rows.append(
                [name, title, f"{len(known):,} + {s.n:,}", f"{s.mae:.3f} ({a:.3f} to {b:.3f})",
                 f"{s.quadratic_kappa:.3f} ({c:.3f} to {d:.3f})", f"{100 * right:.1f}"]
            )  # fmt: skip
    head = ["texts", "labels by", "train + test", "MAE", "quadratic kappa", "accuracy, %"]
    write("stars", head, rows)


def one_label(folder):
    """A fifth of the texts of a label is known to have it, and nothing of the other texts."""
    rows = []
    for name, file, label in (
        ("SMS, spam", "sms_spam", "spam"),
        ("20 newsgroups, sci.space", "newsgroups20", "sci.space"),
        ("subjectivity, subjective", "subjectivity", "subjective"),
        ("IMDB, positive", "imdb", "positive"),
    ):
        corpus = wp.read(folder / f"{file}.parquet")
        has_label = np.array(corpus.labels) == label
        corpus = replace(corpus, labels=np.where(has_label, label, "other").tolist())
        if corpus.split is None:
            train, test = holdout(corpus.labels, 0.3, 0)
        else:
            train, test = corpus.split_rows("train"), corpus.split_rows("test")
        drawn = np.random.default_rng(0).random(len(corpus)) < 0.2
        known = train[(has_label & drawn)[train]]
        unknown = np.setdiff1d(train, known)
        some, others, new = corpus.take(known), corpus.take(unknown), corpus.take(test)
        pu = wp.TextClassifier(learner="pu", calibration=None)
        pu.fit(some.texts, some.labels, unlabeled=others.texts)
        one = wp.TextClassifier(learner="oneclass", calibration=None).fit(some.texts, some.labels)
        naive = np.where(np.isin(train, known), label, "other")
        models = {
            "the recipe, if all without labels were others": naive,
            "`oneclass`, without the texts without labels": one,
            "`pu`": pu,
            "the recipe, if all labels were known": np.array(corpus.labels)[train],
        }
        share = has_label[unknown].mean()
        shares = "{share:.1%} (at most {share_bound:.1%})".format(**pu.training_.chosen)
        print(name, f"share {share:.1%}, estimated {shares}", flush=True)
        for title, model in models.items():
            if isinstance(model, np.ndarray):
                model = wp.TextClassifier(calibration=None).fit(corpus.take(train).texts, model)
            found = score(np.array(new.labels), model.predict(new.texts))
            of = next(c for c in found.classes if c.label == label)
            told = f"{share:.1%}; {shares}" if model is pu else ""
            of_class = [f"{100 * value:.1f}" for value in (of.precision, of.recall, of.f1)]
            rows.append([name, title, f"{len(known):,} + {len(unknown):,}", *of_class, told])
    head = ["texts", "learned by", "with label + without", "precision", "recall", "F1, %",
            "share with the label among those without: true; estimated"]  # fmt: skip
    write("one_label", head, rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    gaussians()
    parts = (lab, lambdas, spam, overlap, lasso, bigrams, tuned_bigrams, threads, unfamiliar, stars)
    parts = (*parts, one_label)
    for part in parts:
        part(Path(sys.argv[1]))
