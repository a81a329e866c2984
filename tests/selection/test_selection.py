"""Cross-validation and grids on counted texts, beside refitting everything.

Tests of wordplane.selection.cross_validation, wordplane.selection.grid, wordplane.selection.nested
and wordplane.selection.deciding.
"""

import itertools
import json
import re
import shlex

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit, cross_val_predict

import wordplane
from tests.corpora import clean_texts
from wordplane import (
    NBSVM,
    Analyzer,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    TextClassifier,
)
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.learners.registry import learner_named
from wordplane.model.recipe import Recipe
from wordplane.selection.cross_validation import out_of_fold
from wordplane.selection.grid import Search, Trial, grid_search
from wordplane.selection.nested import nested_search
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents

TFIDF = Analyzer(tf="log", idf="smooth", norm="l2", min_df=2)


@pytest.mark.parametrize(
    ("analyzer", "learner"),
    [
        (Analyzer(), MultinomialNB()),
        (TFIDF, LinearSVM()),
        (Recipe(short=True).analyzer(), Recipe(short=True).learner()),
        (Analyzer(tf="binary"), learner_named("bernoulli")),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_out_of_fold_equals_refitting(analyzer, learner, n_classes):
    """Counting once and fitting on counts gives what fitting on the texts of each fold gives."""
    texts, labels = clean_texts(90)
    labels = np.array([f"{label}{i % (n_classes - 1)}" for i, label in enumerate(labels)])
    done = out_of_fold(
        analyzer, learner, as_documents(texts, {}), labels, splitter=Splitter(3), threads=2
    )
    fold_of = np.empty(90, int)
    for number, held in enumerate(done.folds):
        fold_of[held] = number
    model = TextClassifier(analyzer, learner, calibration=None)
    expected = cross_val_predict(
        model,
        np.array(texts, object),
        labels,
        cv=PredefinedSplit(fold_of),
        method="decision_function",
    )
    assert done.scores == pytest.approx(expected, abs=1e-3)
    one = out_of_fold(
        analyzer, learner, as_documents(texts, {}), labels, splitter=Splitter(3), threads=1
    )
    assert np.array_equal(one.scores, done.scores)


@pytest.mark.parametrize(
    ("analyzer", "learner"),
    [
        (Recipe(short=False).analyzer(), Recipe(short=False).learner()),
        (TFIDF, LogisticRegression()),
    ],
)
def test_a_planted_word_of_held_out_rows_changes_nothing(analyzer, learner):
    """A word that only one fold has leaks into no vocabulary, idf, ratio or weight of its model:
    it is worth as much as any other word that nobody knows."""
    texts, labels = clean_texts(60)
    held = next(held for _, held in Splitter(3).split(labels))
    scores = []
    for word in ("planted", "unknown"):
        changed = list(texts)
        for row in held[::2].tolist():
            changed[row] += f" {word}" if word == "planted" else f" {word}{row}"
        documents = as_documents(changed, {})
        scores.append(
            out_of_fold(analyzer, learner, documents, labels, splitter=Splitter(3)).scores
        )
    assert np.array_equal(scores[0][held], scores[1][held])


def test_grid_search_tries_all_and_finds_the_best():
    texts, labels = clean_texts(120)
    grid = {
        "learner__C": [0.001, 1.0],
        "analyzer__ngrams": [(1, 1), (1, 2)],
        "analyzer__min_df": [1, 3],
    }
    documents = as_documents(texts, {})
    search = grid_search(
        TFIDF, LinearSVM(), grid, documents, labels, splitter=Splitter(3), threads=2
    )
    assert [trial.parameters for trial in search.trials][:2] == [
        {"learner__C": 0.001, "analyzer__ngrams": (1, 1), "analyzer__min_df": 1},
        {"learner__C": 0.001, "analyzer__ngrams": (1, 1), "analyzer__min_df": 3},
    ]
    assert len(search.trials) == 8
    assert search.complete
    for trial in search.trials:
        p = trial.parameters
        analyzer = Analyzer(**{**TFIDF.get_params(), "ngrams": p["analyzer__ngrams"]})
        analyzer.set_params(min_df=p["analyzer__min_df"])
        done = out_of_fold(
            analyzer, LinearSVM(C=p["learner__C"]), documents, labels, splitter=Splitter(3)
        )
        right = done.predicted == np.array(labels)
        assert trial.scores == pytest.approx([right[fold].mean() for fold in done.folds])
    assert search.best.mean == max(trial.mean for trial in search.trials)


def test_warm_starts_along_the_grid_change_no_score():
    texts, labels = clean_texts(120)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(120) < 0.3, rng.permutation(labels), labels).tolist()
    learner, documents = LogisticRegression(tol=1e-8), as_documents(texts, {})
    values = [100.0, 0.1, 3.0]
    search = grid_search(
        TFIDF, learner, {"learner__C": values}, documents, labels, splitter=Splitter(3)
    )
    for C, trial in zip(values, search.trials, strict=True):
        alone = grid_search(
            TFIDF, learner, {"learner__C": [C]}, documents, labels, splitter=Splitter(3)
        )
        assert trial.scores == alone.best.scores
    assert len({trial.scores for trial in search.trials}) > 1


def test_grid_reads_what_any_point_keeps():
    """Counts are shared by all values of min_df, in whatever order these stand."""
    texts, labels = clean_texts(60)
    documents = as_documents(texts, {})
    found = {}
    for values in ([1, 3], [3, 1]):
        grid = {"analyzer__min_df": values}
        search = grid_search(
            Analyzer(), MultinomialNB(), grid, documents, labels, splitter=Splitter(3)
        )
        found[values[0]] = {
            t.parameters["analyzer__min_df"]: (t.scores, t.n_features) for t in search.trials
        }
    assert found[1] == found[3]


def test_a_search_leaves_the_learner_as_it_is():
    texts, labels = clean_texts(40)
    learner = NBSVM(learner=LinearSVM(C=7.0))
    grid = {"learner__learner__C": [0.1, 1.0]}
    documents = as_documents(texts, {})
    grid_search(
        Analyzer(tf="binary"), learner, grid, documents, labels, splitter=Splitter(2), threads=2
    )
    assert learner.learner.C == 7.0


@pytest.mark.parametrize("threads", [1, 2])
def test_nested_equals_a_search_on_the_texts_of_each_fold(threads):
    texts, labels = clean_texts(90)
    y = np.array(labels)
    grid = {"learner__alpha": [0.01, 30.0], "analyzer__min_df": [3, 1]}
    done = nested_search(
        Analyzer(),
        MultinomialNB(),
        grid,
        as_documents(texts, {}),
        labels,
        splitter=Splitter(3),
        threads=threads,
    )
    for score, chosen, held in zip(
        done.scores, done.chosen, [held for _, held in Splitter(3).split(labels)], strict=True
    ):
        train = np.setdiff1d(np.arange(90), held)
        documents = as_documents([texts[row] for row in train], {})
        search = grid_search(
            Analyzer(), MultinomialNB(), grid, documents, y[train], splitter=Splitter(3)
        )
        assert chosen == search.best.parameters
        model = TextClassifier(
            Analyzer(min_df=chosen["analyzer__min_df"]),
            MultinomialNB(alpha=chosen["learner__alpha"]),
            calibration=None,
        ).fit([texts[row] for row in train], y[train])
        assert score == model.score([texts[row] for row in held], y[held])
    low, high = done.interval
    assert low <= done.mean == np.mean(done.scores) <= high


def trial(mean, n=1.0, seconds=1.0):
    return Trial({"mean": mean}, (mean - 0.01, mean + 0.01), n, seconds)


def test_one_standard_error_and_pareto_front():
    search = Search((trial(0.7, 1), trial(0.895, 5), trial(0.9, 9), trial(0.89, 9, 2)), True)
    assert search.best.mean == pytest.approx(0.9)
    assert search.best.standard_error == pytest.approx(0.01)
    assert search.within_one_standard_error().mean == pytest.approx(0.895)
    assert [t.mean for t in search.pareto_front()] == pytest.approx([0.7, 0.895, 0.9])


def test_budget_and_refusals(monkeypatch):
    texts, labels = clean_texts(400)
    documents = as_documents(texts, {})
    grid = {"learner__C": np.logspace(-3, 3, 50).tolist()}
    clock = itertools.count()  # a second passes whenever somebody looks
    monkeypatch.setattr("wordplane.selection.grid.perf_counter", lambda: float(next(clock)))
    search = grid_search(
        TFIDF, LinearSVM(), grid, documents, labels, splitter=Splitter(2), budget=50
    )
    assert next(clock) <= 60  # one trial per fold may end after its time
    assert 1 <= len(search.trials) < 50
    assert not search.complete
    with pytest.raises(InputError, match="grid is empty"):
        grid_search(TFIDF, LinearSVM(), {"learner__C": []}, documents, labels)
    with pytest.raises(InputError, match="`folds` is 1, expected at least 2"):
        grid_search(
            TFIDF, LinearSVM(), {"learner__C": [1]}, documents, labels, splitter=Splitter(1)
        )


def test_reading_counts_for_the_budget(tmp_path, capsys, monkeypatch):
    texts, labels = clean_texts(60)
    rows = "\n".join(f"{t},{y}" for t, y in zip(texts, labels, strict=True))
    (tmp_path / "d.csv").write_text("text,label\n" + rows + "\n")
    clock = iter([100.0, 107.0])  # before and after reading
    monkeypatch.setattr("wordplane.workflow.tuning.perf_counter", lambda: next(clock))
    given = []

    def search(*args, budget, **options):
        given.append(budget)
        return grid_search(*args, budget=budget, **options)

    monkeypatch.setattr("wordplane.workflow.tuning.grid_search", search)
    assert main(["tune", str(tmp_path / "d.csv"), "--learner", "nb", "--budget", "5s"]) == 0
    assert given == [-2.0]  # over already: one point is tried all the same
    assert "the time ran out" in capsys.readouterr().err


@pytest.mark.slow
def test_tune_from_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, labels = clean_texts(60)
    rows = "\n".join(f"{t},{y}" for t, y in zip(texts, labels, strict=True))
    (tmp_path / "d.csv").write_text("text,label\n" + rows + "\n")
    options = ["--learner", "logistic", "--grid", "C=0.1,1", "--grid", "ngrams=[1,1],[1,2]"]
    assert main(["tune", "d.csv", *options, "-o", "m.wordplane", "--folds", "3"]) == 0
    out = capsys.readouterr().out
    assert "ngrams=(1, 2)" in out
    command = re.search(r"^train     wordplane (train d.csv --learner logistic .*)$", out, re.M)[1]
    best = max(out.split("\n"), key=lambda line: line.startswith("*"))
    assert f"--param C={re.search('C=([0-9.]+)', best)[1]} --ngrams 1," in command
    assert main([*shlex.split(command), "-o", "again.wordplane"]) == 0
    again, first = (
        wordplane.load(name).training_.learner for name in ("again.wordplane", "m.wordplane")
    )
    assert again == first
    assert main(["predict", "m.wordplane", "d.csv"]) == 0
    capsys.readouterr()
    assert main(["tune", "d.csv", "--learner", "nb", "--json", "--folds", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["trials"]) == 10
    assert set(found["best"]) == {"learner__alpha"}
    options = ["--learner", "nb", "--grid", "alpha=0.1,1", "--folds", "3", "--nested"]
    assert main(["tune", "d.csv", *options]) == 0
    assert "nested    " in capsys.readouterr().out
    assert main(["tune", "d.csv", *options, "--text", "text", "--ngrams", "1,1"]) == 0
    assert "(and your options for features and reading)" in capsys.readouterr().out
    assert main(["tune", "d.csv", *options, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nested"]["chosen"]) == 3
    assert main(["tune", "d.csv", "--learner", "ridge", "--grid", "speed=1"]) == 2


def test_explain_from_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb")
    model.fit(["great fun", "great film", "dull", "a dull film"], ["+", "+", "-", "-"]).save("m")
    assert main(["explain", "m", "great <b> but dull dull"]) == 0
    out = capsys.readouterr().out
    assert "label     -" in out
    assert "dull+++" in out
    assert "great-" in out
    assert main(["explain", "m", "great", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    total = found["bias"] + sum(c["value"] for c in found["contributions"])
    assert total == pytest.approx(found["score"], abs=1e-6)
    html = model.explain("great <b> film")._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>+</b>" in html
