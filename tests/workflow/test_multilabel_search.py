"""`compare` and `tune` on multi-label texts: the same folds, thresholds from inside them."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    label_ranking_average_precision_score,
    ndcg_score,
)
from sklearn.multiclass import OneVsRestClassifier

import wordplane
from tests.model.tagged_texts import member_of, tagged
from wordplane import Analyzer, LinearSVM, MultinomialNB
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.common.label_sets import LabelSets, as_label_sets
from wordplane.data.splits import holdout, stratified_folds
from wordplane.evaluation.label_decisions import LabelDecisions
from wordplane.features.fold_counts import FoldCounts
from wordplane.features.text_features import fit_texts
from wordplane.selection.cross_validation import cross_validate_counted
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents

SVM = LinearSVM(C=0.3)


def by_hand(texts, sets, folds=5):
    """Labels and probabilities of each row by scikit-learn's one-vs-rest in the same folds; the
    thresholds are those of a tenth of the rows trained on."""
    y = as_label_sets(sets)
    member, P = np.zeros_like(y.member), np.zeros(y.member.shape)
    held_rows = stratified_folds(y.strata(), folds, 0)
    for held in held_rows:
        train = np.setdiff1d(np.arange(len(texts)), held)
        fitted = fit_texts(Analyzer(), as_documents([texts[i] for i in train], {}), 1)
        features = fitted.features()
        X = features.transform(as_documents(texts, {}), 1).arrays()
        rows = _dense(X, len(texts), features.n_features)
        rest, tenth = holdout(y[train].strata(), 0.1)
        first = OneVsRestClassifier(SVM).fit(rows[train[rest]], y.member[train[rest]])
        decisions = LabelDecisions.fit(
            first.decision_function(rows[train[tenth]]), y.member[train[tenth]]
        )
        z = OneVsRestClassifier(SVM).fit(rows[train], y.member[train]).decision_function(rows[held])
        member[held], P[held] = decisions.predict(z), decisions.transform(z)
    return held_rows, y.member, member, P


def _dense(arrays, n_rows, n_features):
    indptr, indices, values = arrays
    X = np.zeros((n_rows, n_features))
    X[np.repeat(np.arange(n_rows), np.diff(indptr)), indices] = values
    return X


@pytest.fixture(scope="module")
def tags():
    return tagged(200, say=0.7)


@pytest.fixture(scope="module")
def expected(tags):
    return by_hand(*tags)


def test_compare_is_one_vs_rest_in_the_same_folds(tags, expected):
    learners = {"svm": SVM, "nb": MultinomialNB()}
    result = wordplane.compare(*tags, learners, analyzer=Analyzer())
    _, true, member, _ = expected
    found = next(r for r in result.results if r.name == "svm")
    assert result.metric == "micro_f1"
    assert found.score.value == pytest.approx(f1_score(true, member, average="micro"))
    assert found.scores.macro_f1 == pytest.approx(f1_score(true, member, average="macro"))
    assert found.scores.subset_accuracy == accuracy_score(true, member)
    assert 0 < result.results[1].p <= 1
    assert "micro_f1" in result.verdicts()[0]
    text = str(result)
    assert "micro F1" in text
    assert "exact" in text
    assert "random" not in text.split("In brackets")[0]


@pytest.mark.parametrize(
    ("metric", "reference"),
    [
        ("micro_f1", lambda t, m, P: f1_score(t, m, average="micro")),
        ("macro_f1", lambda t, m, P: f1_score(t, m, average="macro")),
        ("accuracy", lambda t, m, P: accuracy_score(t, m)),
        ("f1:law", lambda t, m, P: f1_score(t[:, 1], m[:, 1])),
        ("lrap", lambda t, m, P: label_ranking_average_precision_score(t, P)),
        ("ndcg@2", lambda t, m, P: ndcg_score(t, P, k=2)),
        ("precision@1", lambda t, m, P: t[np.arange(len(t)), P.argmax(axis=1)].mean()),
    ],
)
def test_tune_measures_each_fold_by_the_metric(tags, expected, metric, reference):
    result = wordplane.tune(
        *tags, learner=SVM, grid={"C": [0.3]}, analyzer=Analyzer(), metric=metric
    )
    folds, true, member, P = expected
    (trial,) = result.search.trials
    assert result.search.metric == metric
    assert trial.scores == pytest.approx(
        [reference(true[rows], member[rows], P[rows]) for rows in folds]
    )


def test_rows_do_not_influence_their_own_thresholds(tags):
    """Other labels for the rows of a fold change nothing about what is decided for them."""
    texts, sets = tags
    y = as_label_sets(sets)
    splits = Splitter(4).split(y.strata())
    folds = [held for _, held in splits]
    member = y.member.copy()
    member[folds[0]] = ~member[folds[0]]
    changed = LabelSets.of_member(y.classes, member)
    documents = as_documents(texts, {})
    decided = []
    for labels in (y, changed):
        counted = FoldCounts.of(Analyzer(), documents, 1, labels)
        done = cross_validate_counted(counted, Analyzer(), SVM, labels, splits, 1, decide=True)
        decided.append(done)
    for name in ("member", "probabilities", "scores"):
        before, after = (getattr(done, name) for done in decided)
        assert np.array_equal(before[folds[0]], after[folds[0]])
        assert not np.array_equal(before[folds[1]], after[folds[1]]) or name == "member"


def test_several_learners_are_searched_together(tags):
    result = wordplane.tune(*tags, learner=["recipe", "nb"], folds=3)
    assert result.search.metric == "micro_f1"
    assert {trial.learner for trial in result.search.trials} == {"recipe", "nb"}
    assert result.random_accuracy is None
    true = member_of(tags[1])
    most = true.sum(axis=0).argmax()
    always = np.zeros_like(true)
    always[:, most] = 1
    assert result.majority_score == pytest.approx(f1_score(true, always, average="micro"))
    assert result.majority_accuracy == accuracy_score(true, always)


def test_nested_search_groups_and_feature_groups(tags):
    texts, sets = tags
    groups = [i // 4 for i in range(len(texts))]
    result = wordplane.tune(
        texts, sets, learner="nb", grid={"alpha": [0.1, 1.0]}, folds=3, nested=True, groups=groups
    )
    assert len(result.nested.scores) == 3
    assert 0.5 < result.nested.mean <= 1
    found = wordplane.tune(
        texts,
        sets,
        learner="nb",
        grid={"alpha": [1.0]},
        folds=3,
        search="hill_climbing",
        features=["word", "length"],
    )
    assert "word" in found.groups.subset
    assert found.groups.loss < 0.5
    assert wordplane.compare(texts, sets, ["nb", "svm"], groups=groups).by_groups


def test_a_metric_of_classes_is_refused(tags):
    for run in (wordplane.compare, wordplane.tune):
        with pytest.raises(InputError, match="these texts are multi-label: choose micro_f1"):
            run(*tags, metric="kappa")


@pytest.mark.slow
def test_on_the_command_line(tmp_path, monkeypatch, capsys, tags):
    monkeypatch.chdir(tmp_path)
    texts, sets = tags
    cells = ["|".join(labels) for labels in sets]
    pl.DataFrame({"text": texts, "tags": cells}).write_csv("posts.csv")
    data = ["posts.csv", "--label", "tags", "--label-separator", "|"]
    assert main(["compare", *data, "--learners", "nb,svm", "--metric", "precision@2"]) == 0
    printed = capsys.readouterr().out
    assert "precision@2" in printed
    assert main(["tune", *data, "--learner", "nb", "--folds", "3", "-o", "m.wordplane"]) == 0
    printed = capsys.readouterr().out
    assert "micro_f1" in printed
    assert "always 'art' would be" in printed or "always 'law' would be" in printed
    assert wordplane.load("m.wordplane").is_multilabel
    assert main(["train", *data, "--learner", "nb", "--tune", "-o", "n.wordplane"]) == 0
    assert "micro F1" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.data
def test_learners_of_emotions(dataset):
    """The recipe does better than naive Bayes on 28 emotions, and the verdict says so."""
    frame = pl.read_parquet(dataset("en_goemotions")).filter(pl.col("split") == "train")
    sample = frame.sample(1000, seed=0).drop("split")
    result = wordplane.compare(sample, learners=["recipe", "nb"], folds=3, budget=120)
    assert [r.name for r in result.results] == ["recipe", "nb"]
    assert result.results[1].distinguishable
    assert 0.3 < result.best.score.value < 0.6
