"""How good a model is after so many labels, by the order in which texts are labeled.

ours         the mix of reasons of `wordplane annotate` as it is
random       texts in random order
uncertain    those that the model is least sure of, alone
breaking-ties, k-means, contrastive, coreset
             query strategies of small-text (PyPI), if it is installed, after 20 texts at random, or
             more until there are two labels

All use the same classifier, with word vectors of the pool, and learn after every 20 labels, from
100 labels on after every 50, from 500 on after every 100. The score is measured on texts that are
held out: accuracy, for SMS the F1 of spam. Every session is a line of results/annotation.jsonl.
"""

import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks.harness import RESULTS, THREADS, dataset
from wordplane.annotation import Project
from wordplane.annotation.learning import Lesson, fit_classifier
from wordplane.annotation.pool import Pool
from wordplane.data.corpus import Corpus

SHARES = {"ours": None, "random": {"random": 1.0}, "uncertain": {"uncertain": 1.0}}
SMALL_TEXT = ("breaking-ties", "k-means", "contrastive", "coreset")
STRATEGIES = (*SHARES, *SMALL_TEXT)
SETS = {
    "sms_spam": "SMS (F1 of spam)",
    "subjectivity": "subjectivity",
    "rt_snippets": "film snippets",
    "imdb": "film reviews (IMDB)",
    "newsgroups20": "20 newsgroups",
    "zh_waimai": "Chinese takeaway reviews",
}
SIZES = (60, 100, 150, 200, 300, 500, 800, 1000)
LOG = RESULTS / "annotation.jsonl"


def parts(name):
    """Texts and labels of a pool, and of texts held out."""
    both = dataset(name)
    if both.split is not None:
        train, test = dataset(name, "train"), dataset(name, "test")
        return train, test.take(np.arange(0, len(test), 5 if len(test) > 5000 else 1))
    order = np.random.default_rng(0).permutation(len(both))
    n_test = len(both) // 5
    return both.take(order[n_test:]), both.take(order[:n_test])


def measure(name, classifier, test, numbers):
    """Accuracy, or for SMS the F1 of spam."""
    truth = np.array([numbers[str(label)] for label in test.labels])
    predicted = classifier.predict(test.texts)
    if name != "sms_spam":
        return float((predicted == truth).mean())
    spam = numbers["spam"]
    both = ((predicted == spam) & (truth == spam)).sum()
    return float(2 * both / max((predicted == spam).sum() + (truth == spam).sum(), 1))


def steps(most):
    """After how many labels the model learns: (number, whether it is measured)."""
    n = 0
    while n < most:
        n += 20 if n < 100 else 50 if n < 500 else 100
        yield n, n in SIZES or n >= most


def session(name, pool, train, test, strategy, seed, most):
    """The score at each number of labels, with `wordplane.annotation`."""
    truth = [str(label) for label in train.labels]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path, labels = Path(folder, "p.db"), sorted(set(truth))
        with Project.create(path, Corpus(train.texts), labels=labels, seed=seed) as project:
            if SHARES[strategy] is not None:
                project.set_shares(SHARES[strategy])
            project._pool = pool
            project.learn()
            numbers = {label.name: label.number for label in project.labels}
            for n, is_measured in steps(most):
                while len(project.answers.events) < n:
                    item = project.next()
                    project.label(item.text, truth[item.text - 1])
                if is_measured or strategy != "random":  # whose order no model changes
                    project.learn()
                if is_measured and project.learned is not None:
                    found[n] = measure(name, project.learned.classifier, test, numbers)
    return found


class Classifier:
    """What query strategies of small-text ask for: probabilities and vectors of texts, which are
    named by their numbers."""

    def __init__(self, pool, rows):
        self.texts, self.P = pool.texts.take(rows), None
        self.vectors = pool.vectors.embeddings.means(self.texts, 1)

    def predict_proba(self, numbers):
        return self.P[numbers]

    def embed(self, numbers, return_proba=False, **_options):
        vectors = self.vectors[numbers]
        return (vectors, self.P[numbers]) if return_proba else vectors


def query_strategy(name):
    """A query strategy of small-text."""
    import small_text

    kinds = {
        "breaking-ties": small_text.BreakingTies,
        "k-means": small_text.EmbeddingKMeans,
        "contrastive": small_text.ContrastiveActiveLearning,
        "coreset": small_text.GreedyCoreset,
    }
    return kinds[name]()


def query_session(name, pool, train, test, strategy, seed, most):
    """The score at each number of labels, with a query strategy of small-text."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(train))[:6000]  # as many as `wordplane annotate` looks at
    names = sorted({str(label) for label in train.labels})
    numbers = {label: number for number, label in enumerate(names, 1)}
    truth = np.array([numbers[str(train.labels[row])] for row in rows])
    query, model = query_strategy(strategy), Classifier(pool, rows)
    second = int((truth != truth[0]).argmax())  # the first text of another label
    labeled, found = np.arange(max(20, second + 1)), {}
    for n, is_measured in steps(most):
        if len(labeled) < n:
            every, more = np.arange(len(rows)), n - len(labeled)
            new = np.setdiff1d(every, labeled)
            drawn = query.query(model, every, new, labeled, truth[labeled], n=more)
            labeled = np.append(labeled, drawn)
        known = {int(rows[i]) + 1: (int(truth[i]),) for i in labeled}
        lesson = Lesson(pool.texts, known, {}, rows[:0], pool.vectors, False, THREADS)
        classifier = fit_classifier(lesson)
        model.P = classifier.predict_proba(model.texts)
        if is_measured:
            found[n] = measure(name, classifier, test, numbers)
    return found


def curves(args):
    """Run sessions that have not been run yet, and print what all came to."""
    for name in args.sets or SETS:
        train, test = parts(name)
        pool = Pool.prepare(train.texts, len(set(map(str, train.labels))), threads=THREADS)
        for seed in range(1, args.seeds + 1):
            for strategy in args.strategies or SHARES:
                began = time.perf_counter()
                run = session if strategy in SHARES else query_session
                scores = run(name, pool, train, test, strategy, seed, args.most)
                entry = {"set": name, "strategy": strategy, "seed": seed, "scores": scores}
                entry["seconds"] = round(time.perf_counter() - began)
                print(json.dumps(entry), flush=True)
                with Path(args.output or LOG).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry) + "\n")
    show(args)


def read_runs(path):
    """Scores in percent by set, strategy and number of labels, one per seed."""
    runs = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    for line in Path(path).read_text("utf-8").splitlines():
        entry = json.loads(line)
        for n, score in entry["scores"].items():
            runs[entry["set"]][entry["strategy"]][int(n)][entry["seed"]] = 100 * score
    return runs


def show(args):
    """Print a table of means and standard deviations, and draw the means."""
    runs = read_runs(args.output or LOG)
    print("| data | order | sessions | " + " | ".join(map(str, SIZES)) + " |")
    print("| --- | --- | ---: |" + " ---: |" * len(SIZES))
    for name in [name for name in SETS if name in runs]:
        for strategy in [each for each in STRATEGIES if each in runs[name]]:
            by_size = runs[name][strategy]
            n_seeds = max(len(scores) for scores in by_size.values())
            complete = {n: [*of.values()] for n, of in by_size.items() if len(of) == n_seeds}
            cells = [mean_and_spread(complete[n]) if n in complete else "" for n in SIZES]
            print(f"| {SETS[name]} | {strategy} | {n_seeds} | {' | '.join(cells)} |")
    if args.plot:
        draw(runs, args.plot)


def mean_and_spread(scores):
    """The mean, and the standard deviation of sessions if there are several."""
    spread = f" ± {np.std(scores, ddof=1):.1f}" if len(scores) > 1 else ""
    return f"{np.mean(scores):.1f}{spread}"


def draw(runs, path):
    """One panel per data set: mean scores by number of labels, in logarithmic steps."""
    import altair as alt

    rows = [
        {"data": SETS[name], "order": strategy, "labels": n, "score": np.mean([*of.values()])}
        for name, strategies in runs.items()
        for strategy, by_size in strategies.items()
        for n, of in by_size.items()
        if len(of) == max(map(len, by_size.values()))
    ]
    base = alt.Chart(alt.Data(values=json.loads(json.dumps(rows)))).mark_line(point=True)
    chart = base.encode(
        x=alt.X("labels:Q", scale=alt.Scale(type="log", domain=[50, 1000]), title="labels"),
        y=alt.Y("score:Q", scale=alt.Scale(zero=False), title="score in %"),
        color=alt.Color("order:N", sort=list(STRATEGIES)),
    ).properties(width=260, height=180)
    chart.facet(alt.Facet("data:N", title=None), columns=2).resolve_scale(
        y="independent", x="independent"
    ).save(path)
