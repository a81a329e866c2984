"""Screening by simulated people who know which texts are relevant.

In every session the likeliest texts come first, by a logistic regression on tf-idf that learns
again after each tenth more of texts read, with texts at random among them, as
`wordplane.annotation.screening` asks for; it stops when that says that enough were found. The
sessions differ in what is drawn at random. Before the first relevant text is found, all are drawn
at random. With `--peer` the order is that of ASReview (PyPI) with its default, if it is installed:
an SVM on tf-idf of words and pairs.
"""

import numpy as np

from benchmarks.harness import dataset
from wordplane import LogisticRegression, TfidfVectorizer
from wordplane.annotation.screening import Screening

GROUPS = ("sci.space", "rec.autos")  # of 20 newsgroups
SHARES = (0.05, 0.02)  # of relevant texts, at most


def search(relevant, next_likely, rng):
    """How many texts are read, the recall when screening says that it is enough, and how many were
    read when 95 % of the relevant ones had been found."""
    n = len(relevant)
    screening, read = Screening(n), np.zeros(n, bool)
    shuffled = iter(rng.permutation(n).tolist())
    debt, enough, needed = 0.0, 0.95 * relevant.sum(), 0
    while not screening.recall().is_reached:
        debt += screening.shares["random"]
        row = None if debt >= 1 else next_likely(read)
        how = "random" if row is None else "likely"
        debt -= debt >= 1
        if row is None:
            row = next(each for each in shuffled if not read[each])
        read[row] = True
        screening.read(bool(relevant[row]), how)
        needed = screening.n_read if needed == 0 and screening.found >= enough else needed
    return screening.n_read, screening.found / max(relevant.sum(), 1), needed


class Ranking:
    """The order of a model that learns while texts are read."""

    def __init__(self, X, relevant):
        self.X, self.relevant = X, relevant
        self.order, self.n_learned = iter(()), 0

    @staticmethod
    def vectors(texts):
        """The texts as the model takes them."""
        return TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(texts)

    def likeliest(self, rows):
        """All texts, the likeliest first, by a model of those that were read."""
        model = LogisticRegression(C=10.0).fit(self.X[rows], self.relevant[rows].astype(int))
        return np.argsort(-model.decision_function(self.X), kind="stable")

    def next_likely(self, read):
        """The likeliest text that has not been read; None as long as nothing can be learned."""
        n_read = np.count_nonzero(read)
        if n_read >= max(1.1 * self.n_learned, self.n_learned + 10):
            rows = np.flatnonzero(read)
            if not 0 < self.relevant[rows].sum() < len(rows):
                return None
            self.order = iter(self.likeliest(rows).tolist())
            self.n_learned = n_read
        return next((row for row in self.order if not read[row]), None)


class AsReview(Ranking):
    """The order of ASReview with its default."""

    @staticmethod
    def cycle():
        """One round of its learning."""
        from asreview import ActiveLearningCycle
        from asreview.models.models import get_ai_config

        return ActiveLearningCycle.from_meta(get_ai_config()["value"])

    @staticmethod
    def vectors(texts):
        import pandas as pd

        return AsReview.cycle().transform(pd.DataFrame({"title": "", "abstract": list(texts)}))

    def likeliest(self, rows):
        cycle = AsReview.cycle().fit(self.X[rows], self.relevant[rows].astype(int))
        return cycle.rank(self.X)


def problems():
    """Names, tf-idf of texts, and which of them are relevant."""
    sms, news = dataset("sms_spam"), dataset("newsgroups20")
    yield "SMS", sms.texts, np.array(sms.labels) == "spam"
    labels = np.array(news.labels)
    for group in GROUPS:
        for share in SHARES:
            has, others = np.flatnonzero(labels == group), np.flatnonzero(labels != group)
            kept = has[: int(share / (1 - share) * len(others))]
            rows = np.sort(np.append(others, kept))
            yield f"{group} {share:.0%}", news.texts.take(rows), labels[rows] == group


def screening(args):
    """How often the recall holds, and how many texts are read, on real texts."""
    print("| data | texts | relevant | sessions | recall held | read | for a recall of 95 % |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, texts, relevant in problems():
        if args.sets and name not in args.sets:
            continue
        kind = AsReview if args.peer else Ranking
        X, found = kind.vectors(texts), []
        for seed in range(args.sessions):
            rng = np.random.default_rng(seed)
            found.append(search(relevant, kind(X, relevant).next_likely, rng))
        n_read, recall, needed = np.array(found).T
        print(
            f"| {name} | {len(relevant):,} | {relevant.mean():.1%} | {len(found)} "
            f"| {(recall >= 0.95).mean():.1%} | {n_read.mean():,.0f} | {needed.mean():,.0f} |",
            flush=True,
        )


def in_order(order):
    """A function that gives the next text of an order that has not been read."""
    rest = iter(order.tolist())
    return lambda read: next(row for row in rest if not read[row])


def orders(args):
    """The same for orders of different quality, from scores of relevant and other texts."""
    rng = np.random.default_rng(0)
    print("| texts | relevant | quality of the order | recall held | read | needed for 95 % |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for n, share in ((5574, 0.134), (18_846, 0.05), (18_846, 0.02), (5000, 0.01)):
        for quality in (1.0, 2.0, 3.0):
            held, reads, needed = [], [], []
            for _ in range(args.sessions):
                relevant = rng.random(n) < share
                order = np.argsort(-(rng.normal(size=n) + quality * relevant), kind="stable")
                n_read, recall, _ = search(relevant, in_order(order), rng)
                held.append(recall >= 0.95)
                reads.append(n_read)
                found = np.cumsum(relevant[order])
                needed.append(int(np.searchsorted(found, 0.95 * relevant.sum())) + 1)
            print(
                f"| {n:,} | {share:.1%} | {quality} | {np.mean(held):.1%} | {np.mean(reads):,.0f} "
                f"| {np.mean(needed):,.0f} |",
                flush=True,
            )
