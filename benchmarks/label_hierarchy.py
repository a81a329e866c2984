"""One model of all labels, or one for each inner node of their hierarchy, on 20 newsgroups.

    python benchmarks/label_hierarchy.py [FOLDER OF DATA SETS]

The labels are paths, such as comp.sys.mac.hardware. The tree has a model at every node with two or
more children, trained on the posts below it; the probability of a label is the product of those on
its path. Both have the same words and learner, and each the strength (alpha or C) that predicts
best in three folds of the training split. Writes benchmarks/results/label_hierarchy.md.
"""

import sys
from pathlib import Path

import numpy as np

import wordplane
from wordplane import CountVectorizer, LogisticRegression, MultinomialNB, TfidfTransformer
from wordplane.evaluation.hierarchy import Hierarchy
from wordplane.evaluation.label_scores import log_loss
from wordplane.evaluation.paired_tests import compare_predictions

HERE = Path(__file__).resolve().parent
FOLDS = 3
# Learner, whether words are weighted by tf-idf, the name of its strength, and what is tried.
LEARNERS = [
    (MultinomialNB, False, "alpha", (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.1)),
    (LogisticRegression, True, "C", (3.0, 10.0, 30.0, 100.0, 300.0)),
]


class Flat:
    """One model of all labels."""

    name = "flat"

    def __init__(self, make):
        self.make = make

    def fit(self, X, y, classes):
        self.model = self.make().fit(X, y)
        assert (self.model.classes_ == classes).all()
        return self

    def predict_proba(self, X):
        return self.model.predict_proba(X)


class Tree:
    """A model for each node that has children."""

    name = "tree"

    def __init__(self, make):
        self.make = make

    def fit(self, X, y, classes):
        self.classes, self.models = classes, []
        self._fit_below(X, y, classes, 0)
        return self

    def _fit_below(self, X, y, classes, depth):
        """The node that has these classes; the first `depth` parts of them are the same."""
        if len(classes) == 1:
            return
        children = np.array([label.split(".")[depth] for label in y.tolist()])
        branches = np.array([label.split(".")[depth] for label in classes.tolist()])
        names = np.unique(branches)
        if len(names) > 1:
            model = self.make().fit(X, children)
            assert (model.classes_ == names).all()
            columns = np.flatnonzero(np.isin(self.classes, classes))
            self.models.append((model, columns, np.searchsorted(names, branches)))
        for name in names:
            rows = np.flatnonzero(children == name)
            self._fit_below(X[rows], y[rows], classes[branches == name], depth + 1)

    def predict_proba(self, X):
        P = np.ones((X.shape[0], len(self.classes)))
        for model, columns, branch in self.models:
            P[:, columns] *= model.predict_proba(X)[:, branch]
        return P


def folds_accuracy(model, X, y, classes):
    """The share of rows that models of the other folds label right."""
    order = np.random.default_rng(0).permutation(len(y))
    n_right = 0
    for k in range(FOLDS):
        held, rest = (
            order[k::FOLDS],
            np.concatenate([order[j::FOLDS] for j in range(FOLDS) if j != k]),
        )
        P = model.fit(X[rest], y[rest], classes).predict_proba(X[held])
        n_right += int((classes[P.argmax(axis=1)] == y[held]).sum())
    return n_right / len(y)


def measure(learner, parameter, values, X, y, X_test, y_test):
    """Rows of the table for both models, and what a paired test says of them."""
    classes = np.unique(y)
    top = Hierarchy.of(classes.tolist(), ".").levels[0]
    true_top = [label.partition(".")[0] for label in y_test]
    lines, predicted = [], []
    for kind in (Flat, Tree):
        tried = {
            value: folds_accuracy(
                kind(lambda value=value: learner(**{parameter: value})), X, y, classes
            )
            for value in values
        }
        best = max(tried, key=tried.get)
        model = kind(lambda value=best: learner(**{parameter: value})).fit(X, y, classes)
        P = model.predict_proba(X_test)
        labels = classes[P.argmax(axis=1)]
        predicted.append(labels)
        loss, _ = log_loss(y_test, P / P.sum(axis=1, keepdims=True), classes=classes)
        at_top = np.mean(np.array(top.likeliest(P)[0]) == np.array(true_top))
        lines.append(
            f"| {learner.__name__} | {kind.name} | {parameter} = {best:g} | {tried[best]:.1%} "
            f"| {np.mean(labels == y_test):.1%} | {at_top:.1%} | {loss:.3f} |"
        )
        print(lines[-1], flush=True)
    verdict = compare_predictions(y_test, *predicted, names=("the flat model", "the tree"))
    print(verdict, flush=True)
    return lines, f"{learner.__name__}: {verdict}"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "shared" / "datasets"
    corpus = wordplane.read(folder / "newsgroups20.parquet")
    train, test = (corpus.take(corpus.split_rows(part)) for part in ("train", "test"))
    y, y_test = np.array(train.labels), np.array(test.labels)
    counter = CountVectorizer(min_df=2)
    counts = [counter.fit_transform(list(train.texts)), counter.transform(list(test.texts))]
    weighting = TfidfTransformer(sublinear_tf=True)
    weighted = [weighting.fit_transform(counts[0]), weighting.transform(counts[1])]
    rows, verdicts = [], []
    for learner, is_weighted, parameter, values in LEARNERS:
        X, X_test = weighted if is_weighted else counts
        lines, verdict = measure(learner, parameter, values, X, y, X_test, y_test)
        rows += lines
        verdicts.append(verdict)
    head = [
        "# One model of all labels, or one for each inner node of the hierarchy",
        "",
        f"20 newsgroups, given split: {len(y):,} and {len(y_test):,} posts, words of two posts or "
        "more. `python benchmarks/label_hierarchy.py`",
        "",
        "| learner | model | chosen by folds | accuracy in folds | accuracy | of the 7 top nodes "
        "| log-loss |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    text = "\n".join([*head, *rows, "", "\n\n".join(verdicts)]) + "\n"
    (HERE / "results" / "label_hierarchy.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
