"""One search over several learners: counted once, by any metric, never below the recipe.

Tests of wordplane.selection.halving and wordplane.selection.fold_metric.
"""

import json

import numpy as np
import pytest

import wordplane
from tests.corpora import noisy_texts
from wordplane import Analyzer, LinearSVM, MultinomialNB
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.splits import draw_rows
from wordplane.evaluation.measures import value_by
from wordplane.evaluation.outcomes import Outcome
from wordplane.features.fold_counts import FoldCounts
from wordplane.selection.grid import grid_search
from wordplane.selection.halving import Contender, part_sizes, race
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents

NB = Contender("nb", Analyzer(), MultinomialNB(), [{"learner__alpha": a} for a in (0.01, 0.1, 1.0)])
SVM = Contender(
    "svm",
    Analyzer(tf="binary", idf="exact", norm="l2"),
    LinearSVM(),
    [{"learner__C": C} for C in (0.1, 1.0, 10.0)],
)


@pytest.fixture(scope="module")
def texts():
    return noisy_texts(1800)


def test_the_last_round_is_what_a_grid_search_of_the_same_points_gives(texts):
    documents, y = as_documents(texts[0], {}), texts[1]
    found = race([NB, SVM], documents, y, splitter=Splitter(4), threads=2)
    assert [len(part.trials) for part in found.rounds] == [6, 2]
    assert [part.n_rows for part in found.rounds] == [600, 1800]
    for trial in found.search.trials:
        one = {"nb": NB, "svm": SVM}[trial.learner]
        grid = {name: [value] for name, value in trial.parameters.items()}
        alone = grid_search(one.analyzer, one.learner, grid, documents, y, splitter=Splitter(4))
        assert trial.scores == alone.best.scores


def test_a_round_trains_on_its_rows_alone(texts):
    """The first round equals a search on those rows, folds and all."""
    documents, y = as_documents(texts[0], {}), np.array(texts[1])
    found = race([NB], documents, y, splitter=Splitter(4))
    rows = draw_rows(y, 600, 0)
    fold_of = np.empty(1800, int)
    for number, held in enumerate([held for _, held in Splitter(4).split(y.tolist())]):
        fold_of[held] = number
    for trial in found.rounds[0].trials:
        scores = []
        for fold in range(4):
            train, held = (rows[(fold_of[rows] == fold) == is_held] for is_held in (False, True))
            model = wordplane.TextClassifier(
                Analyzer(),
                MultinomialNB(alpha=trial.parameters["learner__alpha"]),
                calibration=None,
            ).fit([texts[0][i] for i in train], y[train])
            scores.append(model.score([texts[0][i] for i in held], y[held]))
        assert trial.scores == pytest.approx(scores)


def test_texts_are_counted_once_for_each_way_of_reading(texts, monkeypatch):
    read = []
    count = FoldCounts.of.__func__

    def counting(cls, analyzer, *args):
        read.append(analyzer.min_df)
        return count(cls, analyzer, *args)

    monkeypatch.setattr(FoldCounts, "of", classmethod(counting))
    rare = Contender("rare", Analyzer(min_df=3), MultinomialNB(), [{}])
    race([rare, NB, SVM], as_documents(texts[0], {}), texts[1], splitter=Splitter(3))
    assert read == [1]  # with all features that any of them keeps


def test_what_stays_is_never_beaten_by_the_choice(texts):
    bad = Contender("bad", Analyzer(ngrams=(3, 3)), LinearSVM(), [{}], stays=True)
    found = race([bad, SVM], as_documents(texts[0], {}), texts[1], splitter=Splitter(3))
    assert {trial.learner for trial in found.search.trials} == {"bad", "svm"}
    assert found.search.best.learner == "svm"


def test_a_part_in_which_nothing_can_be_learned_is_left_out(texts):
    often = Contender("often", Analyzer(min_df=300), MultinomialNB(), [{}])  # of 1,200 rows
    found = race([often, SVM], as_documents(texts[0], {}), texts[1], splitter=Splitter(3))
    assert [part.n_rows for part in found.rounds] == [1800]
    assert found.complete
    assert len(found.search.trials) == 4


def test_threads_change_nothing(texts):
    documents = as_documents(texts[0], {})
    results = [
        race([NB, SVM], documents, texts[1], splitter=Splitter(3), threads=n) for n in (1, 3)
    ]
    scores = [[[t.scores for t in part.trials] for part in one.rounds] for one in results]
    assert scores[0] == scores[1]


def test_no_time_still_gives_an_answer(texts):
    documents = as_documents(texts[0], {})
    kept = Contender("kept", Analyzer(), MultinomialNB(), [{}], stays=True)
    found = race([SVM, kept], documents, texts[1], splitter=Splitter(3), budget=1e-9)
    assert not found.complete
    assert [trial.learner for trial in found.search.trials] == ["kept"]
    without = race([NB, SVM], documents, texts[1], splitter=Splitter(3), budget=1e-9)
    assert not without.complete
    assert len(without.search.trials) >= 1


def test_parts_of_few_rows_are_left_out():
    assert part_sizes(1499, 5) == [1499]
    assert part_sizes(4500, 5) == [500, 1500, 4500]
    assert part_sizes(4500, 50) == [1500, 4500]


@pytest.mark.parametrize("metric", ["f1:good", "log_loss", "ap:good", "mcc", "recall@1"])
@pytest.mark.slow
def test_points_are_chosen_by_the_metric(metric):
    texts, y = noisy_texts(240)
    y = np.where(np.arange(240) % 4 == 0, y, "bad")  # good is rare
    result = wordplane.tune(texts, y, learner="nb", metric=metric, folds=3)
    means = [trial.mean for trial in result.search.trials]
    assert result.winner.mean == (min(means) if metric == "log_loss" else max(means))
    assert len(set(means)) > 1
    assert str(result).count(f"{result.search.metric}") >= 2
    always = Outcome.of_labels(y, ["bad"] * 240, np.tile([0.9, 0.1], (240, 1)), ["bad", "good"])
    if metric in ("f1:good", "mcc", "ap:good", "recall@1"):
        assert result.majority_score == pytest.approx(value_by(metric, always))


def test_a_metric_of_labels_is_that_of_each_fold():
    texts, y = noisy_texts(150)
    result = wordplane.tune(texts, y, learner="nb", grid={"alpha": [0.5]}, metric="f1:bad", folds=3)
    for fold, score in zip(
        [held for _, held in Splitter(3).split(y.tolist())], result.winner.scores, strict=True
    ):
        rest = np.setdiff1d(np.arange(150), fold)
        model = wordplane.TextClassifier(learner=MultinomialNB(alpha=0.5), calibration=None)
        model.fit([texts[i] for i in rest], y[rest])
        said = model.predict([texts[i] for i in fold])
        hits = ((said == "bad") & (y[fold] == "bad")).sum()
        assert score == pytest.approx(2 * hits / ((said == "bad").sum() + (y[fold] == "bad").sum()))


@pytest.mark.slow
def test_tune_searches_recipe_and_learners(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts, y = noisy_texts(120)
    lines = "\n".join(f"{text},{label}" for text, label in zip(texts, y, strict=True))
    (tmp_path / "d.csv").write_text(f"text,label\n{lines}\n")
    result = wordplane.tune("d.csv", folds=3, output="m.wordplane")
    assert result.learner == "recipe, nb, svm, logistic"
    recipe = [t for t in result.search.trials if t.learner == "recipe" and not t.parameters]
    assert result.winner.mean >= recipe[0].mean
    assert len(result.search.trials) == 5 + 3 * 10
    assert wordplane.load("m.wordplane").training_.n_docs == 120
    assert main(["tune", "d.csv", "--learner", "recipe,nb", "--folds", "3", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["best_learner"] in ("recipe", "nb")
    assert len(printed["rounds"]) == 1
    assert main(["tune", "d.csv", "--learner", "recipe", "--folds", "3"]) == 0
    command = capsys.readouterr().out.rsplit("train     ", 1)[1].split()
    assert command[:3] == ["wordplane", "train", "d.csv"]
    assert main([*command[1:], "-o", "r.wordplane", "--no-test"]) == 0
    trained = wordplane.load("r.wordplane").training_.make_learner()
    best = wordplane.tune("d.csv", learner="recipe", folds=3).best
    assert best.get("learner__learner__C", 1.5) == trained.learner.C


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"learner": ["nb", "svm"], "grid": {"C": [1]}}, "`grid` is for one `learner`"),
        ({"learner": ["nb", "svm"], "nested": True}, "`nested` is for one `learner`"),
        ({"learner": ["nb", "nb"]}, "expected different names"),
        ({"metric": "best"}, "`metric` is 'best', expected one of accuracy"),
        ({"metric": "quadratic_kappa"}, "for labels that are numbers"),
    ],
)
def test_refused(options, says):
    with pytest.raises(InputError, match=says):
        wordplane.tune(*noisy_texts(60), **options)


def test_train_tunes_by_its_metric():
    texts, y = noisy_texts(300)
    y = np.where(np.arange(300) % 4 == 0, y, "bad")
    result = wordplane.train(texts, y, learner="nb", metric="f1", tune=True)
    assert result.model.training_.metric == "f1:good"
