"""Learners compared: the same folds, real differences, and a budget that holds.

Tests of wordplane.diagnosis.learner_comparison and wordplane.diagnosis.learner_results.
"""

import json
import time

import numpy as np
import pytest
from scipy.special import erfc, erfcinv
from sklearn.model_selection import PredefinedSplit, cross_val_predict

import wordplane
from tests.corpora import clean_texts, noisy_texts
from wordplane import Analyzer, MultinomialNB, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.common.progress import OutOfTimeError, listen, notify, time_limit
from wordplane.evaluation.paired_tests import holm, mcnemar
from wordplane.learners.registry import LEARNERS
from wordplane.selection.splitter import Splitter
from wordplane.workflow.comparison import compare


@pytest.fixture(scope="module")
def compared():
    return compare(*noisy_texts(300), n_jobs=2)


def test_every_learner_and_the_recipe_are_there(compared):
    assert {r.name for r in compared.results} == {"recipe", *LEARNERS}
    assert compared.skipped == ()
    accuracies = [r.scores.accuracy for r in compared.results]
    assert accuracies == sorted(accuracies, reverse=True)


@pytest.mark.parametrize("name", ["nb", "bernoulli", "svm", "recipe"])
def test_figures_are_those_of_refitting_on_every_fold(compared, name):
    texts, labels = noisy_texts(300)
    fold_of = np.empty(300, int)
    for number, held in enumerate([held for _, held in Splitter(5).split(labels.tolist())]):
        fold_of[held] = number
    model = TextClassifier(None, None if name == "recipe" else name, calibration=None)
    split = PredefinedSplit(fold_of)
    predicted = cross_val_predict(model, np.array(texts, object), labels, cv=split)
    found = next(r for r in compared.results if r.name == name)
    assert found.scores.accuracy == np.mean(predicted == labels)


def test_holm_by_hand():
    assert holm([0.02, 0.01, 0.5]) == pytest.approx([0.04, 0.03, 0.5])
    assert holm([0.03, 0.04]).tolist() == [0.06, 0.06]
    assert holm([]).tolist() == []


def test_verdicts_are_corrected_tests_of_all_pairs():
    """By hand: three constant 'learners', so that who is right where is known."""
    texts, labels = noisy_texts(200)
    result = compare(texts, labels, {"a": "nb", "b": MultinomialNB(alpha=1e6), "c": "perceptron"})
    assert result.n_pairs == 3
    best, *others = result.results
    assert best.p == 1.0
    assert best.difference == 0.0
    for other in others:
        assert other.difference == other.scores.accuracy - best.scores.accuracy
    fold_of = np.empty(200, int)
    for number, held in enumerate([held for _, held in Splitter(5).split(labels.tolist())]):
        fold_of[held] = number

    def right(learner):
        model = TextClassifier(None, learner, calibration=None)
        found = cross_val_predict(
            model, np.array(texts, object), labels, cv=PredefinedSplit(fold_of)
        )
        return found == labels

    learners = {"a": "nb", "b": MultinomialNB(alpha=1e6), "c": "perceptron"}
    by_name = {name: right(learner) for name, learner in learners.items()}
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    p = [
        mcnemar(int((by_name[x] & ~by_name[y]).sum()), int((by_name[y] & ~by_name[x]).sum())).p_mid
        for x, y in pairs
    ]
    p = [erfc(erfcinv(one) / 1.6**0.5) for one in p]  # n rows by models of folds count as n / 1.6
    corrected = {frozenset(pair): value for pair, value in zip(pairs, holm(p), strict=True)}
    for other, sentence in zip(others, result.verdicts(), strict=True):
        assert other.p == pytest.approx(corrected[frozenset((best.name, other.name))])
        assert ("not distinguishable" in sentence) == (other.p >= 0.05)


def test_equal_learners_are_not_distinguishable():
    result = compare(*noisy_texts(100), {"one": "nb", "two": "nb"})
    assert result.results[1].p == 1.0
    assert result.verdicts() == [
        "two and one are not distinguishable: accuracy +0.0 points, p = 1 "
        "(McNemar, mid-p, corrected for 1 comparison)"
    ]


@pytest.mark.slow
def test_results_do_not_depend_on_threads():
    texts, labels = noisy_texts(100)
    one, three = (compare(texts, labels, n_jobs=n) for n in (1, 3))
    assert [(r.name, r.scores, r.p) for r in one.results] == [
        (r.name, r.scores, r.p) for r in three.results
    ]


def test_size_is_about_that_of_the_file(tmp_path):
    texts, labels = clean_texts(300)
    for name in ("nb", "svm"):
        found = compare(texts, labels, [name]).best
        TextClassifier(None, name).fit(texts, labels).save(tmp_path / name)
        assert found.model_bytes == pytest.approx((tmp_path / name).stat().st_size, abs=12_000)


class Sleeper(MultinomialNB):
    """Takes a millisecond per row, and says so every ten."""

    def fit(self, X, y, sample_weight=None):
        for step in range(len(y) // 10):
            time.sleep(0.01)
            notify("sleeping", step, 0)
        return super().fit(X, y, sample_weight)


class LateSleeper(MultinomialNB):
    """Quick on few rows, slow on many."""

    def fit(self, X, y, sample_weight=None):
        for step in range(1000 if len(y) > 500 else 0):
            time.sleep(0.01)
            notify("sleeping", step, 0)
        return super().fit(X, y, sample_weight)


@pytest.mark.clock
def test_what_does_not_fit_is_skipped_with_its_estimate():
    texts, labels = noisy_texts(1000)
    result = compare(texts, labels, {"nb": "nb", "slow": Sleeper()}, budget=3.0, n_jobs=1)
    assert [r.name for r in result.results] == ["nb"]
    (skipped,) = result.skipped
    assert skipped.seconds > 3.0  # 4 x 1,000 rows of 1 ms or, on a busy machine, more
    assert "would take" in skipped.reason
    assert "slow" in str(result)
    assert "skipped" in result._repr_html_()


@pytest.mark.clock
def test_a_sample_that_takes_long_is_given_up():
    class Endless(MultinomialNB):
        def fit(self, X, y, sample_weight=None):
            for step in range(1000):
                time.sleep(0.01)
                notify("sleeping", step, 0)

    texts, labels = noisy_texts(1000)
    result = compare(texts, labels, {"nb": "nb", "endless": Endless()}, budget=4.0, n_jobs=1)
    (skipped,) = result.skipped
    assert "would take at least" in skipped.reason
    assert skipped.seconds > 4.0
    assert result.seconds < 9.0  # and not 10 s, which the sample alone would take


@pytest.mark.clock
def test_what_takes_longer_than_it_promised_is_stopped():
    texts, labels = noisy_texts(1000)
    began = time.perf_counter()
    with pytest.raises(InputError, match="did not finish within 2 s"):
        compare(texts, labels, {"late": LateSleeper()}, budget=2.0, n_jobs=2)
    assert time.perf_counter() - began < 9  # of 10 s: a busy machine may be late, but it stops


def test_time_limit_passes_steps_on_until_the_deadline():
    steps = []
    with listen(lambda *step: steps.append(step)):
        with time_limit(time.perf_counter() + 100):
            notify("job", 1, 2)
        with time_limit(time.perf_counter() - 1), pytest.raises(OutOfTimeError):
            notify("job", 2, 2)
        notify("job", 2, 2)
    assert steps == [("job", 1, 2), ("job", 2, 2)]


def test_refusals():
    texts, labels = noisy_texts(40)
    with pytest.raises(InputError, match="`budget` is 0"):
        compare(texts, labels, budget=0)
    with pytest.raises(InputError, match="expected a list of names"):
        compare(texts, labels, "nb")
    with pytest.raises(InputError, match="no `learners`"):
        compare(texts, labels, [])
    with pytest.raises(InputError, match="learner is 'x', expected one of"):
        compare(texts, labels, ["x"])
    with pytest.raises(InputError, match="every text has the label 'a'"):
        compare(texts, ["a"] * 40)
    with pytest.raises(InputError, match="40 texts and 39 labels"):
        compare(texts, labels[1:])
    with pytest.raises(InputError, match="`folds` is 1"):
        compare(texts, labels, folds=1)
    with pytest.raises(InputError, match="texts has a word"):
        compare(["", " "] * 20, labels)


def test_text_in_names_is_escaped():
    result = compare(*noisy_texts(40), {"<b>": "nb", "c": "svm"})
    assert "<b>" not in result._repr_html_()
    assert "&lt;b&gt;" in result._repr_html_()


def test_classifiers_with_analyzers_of_their_own():
    texts, labels = noisy_texts(60)
    given = {"words": TextClassifier(Analyzer(ngrams=(1, 1)), "nb"), "pairs": "nb"}
    result = compare(texts, labels, given)
    sizes = {r.name: r.n_features for r in result.results}
    assert sizes["words"] < sizes["pairs"]
    assert wordplane.compare is compare


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{label}\t{text}\n" for text, label in zip(*noisy_texts(60), strict=True))
    (tmp_path / "d.tsv").write_text("label\ttext\n" + rows)
    return "d.tsv"


def test_cli(data, capsys):
    assert main(["compare", data, "--learners", "nb,svm,recipe", "--folds", "3"]) == 0
    out = capsys.readouterr().out
    assert "compared  3 learners on 60 texts of d.tsv, 3 folds" in out
    assert "majority" in out
    assert "the best" in out
    assert "all 3 pairs" in out
    assert main(["compare", data, "--learners", "nb,svm", "--folds", "2"]) == 0
    assert "tested by McNemar's mid-p.\n" in capsys.readouterr().out
    assert main(["compare", data, "--learners", "nb", "--ngrams", "1,1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["results"][0]["name"] == "nb"
    assert result["n_comparisons"] == 0
    assert result["source"] == "d.tsv"


def test_cli_refuses_unknown_learners(data, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["compare", data, "--learners", "nb,magic"])
    assert stop.value.code == 2
    assert "'magic' is not a learner; there are recipe, nb" in capsys.readouterr().err


@pytest.mark.parametrize("metric", ["f1:bad", "log_loss", "auc:good"])
def test_learners_are_ordered_and_told_apart_by_the_metric(metric):
    texts, labels = noisy_texts(400)
    swapped = {"good": TextClassifier(Analyzer(ngrams=(1, 1)), MultinomialNB(alpha=0.5)),
               "bad": TextClassifier(Analyzer(ngrams=(3, 3)), "svm")}  # fmt: skip
    found = compare(texts, labels, swapped, metric=metric, folds=3)
    assert [r.name for r in found.results] == ["good", "bad"]
    best, other = found.results
    assert other.difference == pytest.approx(other.score.value - best.score.value)
    assert (other.difference > 0) == (metric == "log_loss")
    assert other.distinguishable
    test = "jackknife" if metric == "auc:good" else "approximate randomization"
    assert f"{test}, by {metric}" in str(found)
    assert metric in found.table[0]
    assert f"{test}, corrected" in found.verdicts()[0]


def test_probabilities_of_a_comparison_are_calibrated_on_other_folds():
    """So naive Bayes, which is far too sure of long texts, is no worse than knowing nothing."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["bad", "good"], 300)
    texts = [f"{'dull' if y == 'bad' else 'fine'} " * rng.integers(1, 40) for y in labels]
    wrong = np.where(rng.random(300) < 0.3, rng.permutation(labels), labels)
    found = compare(texts, wrong, ["nb"], metric="log_loss", folds=3)
    assert found.best.score.value < np.log(2)
