"""Tests of wordplane.diagnosis.advice_trials, and of wordplane.diagnosis.verdict: advice that was
tried, and verdicts that weigh a gap against what can still be gained."""

import numpy as np
import pytest

import wordplane
from wordplane import Analyzer, LinearSVM, TextClassifier
from wordplane.diagnosis.advice_trials import try_advice
from wordplane.diagnosis.fit_measures import FitMeasures
from wordplane.diagnosis.learning_curve import LearningCurve
from wordplane.diagnosis.verdict import REGULARIZE, SIMPLER, verdict
from wordplane.text.documents import as_documents


def curve_of(points, majority=0.5):
    measures = [FitMeasures(n, train, dev, (0.0,) * 5, (0.0,) * 5) for n, train, dev in points]
    return LearningCurve(tuple(measures), 1000, majority)


def around(mean, spread=0.004):
    return tuple(mean + spread * k for k in (-1, -0.5, 0, 0.5, 1))


PERFECT = (1.0,) * 5


def test_a_model_that_is_nearly_perfect_does_not_overfit():
    steps = [(n, PERFECT, around(0.993, 0.001)) for n in (200, 400, 800)]
    found = verdict(curve_of(steps, majority=0.866))
    assert found.kind == "well fitted"
    assert found.to_try == ()
    assert "would add at most 0.7 points" in found.sentence
    # The same gap is worth closing where the baseline is as good as that.
    assert verdict(curve_of(steps, majority=0.99)).kind == "high variance"
    steps = [(n, PERFECT, around(0.78)) for n in (200, 400, 800)]
    assert verdict(curve_of(steps)).kind == "high variance"
    assert verdict(curve_of(steps), target=0.9).kind == "high variance"


def test_a_curve_that_falls_for_sure_is_not_called_chance():
    steps = [(n, PERFECT, around(a)) for n, a in ((200, 0.9), (400, 0.78), (800, 0.66))]
    found = verdict(curve_of(steps))
    assert "doubling the texts costs 12.0 ± 0.0 points, so they may differ" in found.sentence
    assert "chance" not in found.sentence
    noisy = [
        (n, PERFECT, (a, a + 0.2, a - 0.2, a + s, a - s))
        for n, a, s in ((200, 0.72, 0.1), (400, 0.71, -0.1), (800, 0.71, 0.15))
    ]
    assert "which may be chance" in verdict(curve_of(noisy)).sentence


def test_more_texts_are_not_called_useless_beside_a_steep_curve():
    # Three points a doubling, in most folds; the spread reaches down to nothing.
    steps = [
        (200, PERFECT, (0.70, 0.62, 0.70, 0.69, 0.71)),
        (400, PERFECT, (0.71, 0.66, 0.73, 0.72, 0.72)),
        (800, PERFECT, (0.70, 0.75, 0.76, 0.75, 0.76)),
    ]
    found = verdict(curve_of(steps))
    assert found.doubling > 0.02 > found.doubling_interval[0]
    assert "more labeled texts alone" not in found.not_worth_it
    assert "more texts do not visibly help" not in found.sentence
    slow = [(n, PERFECT, around(a)) for n, a in ((200, 0.70), (400, 0.706), (800, 0.712))]
    found = verdict(curve_of(slow))
    assert "more texts help slowly" in found.sentence
    assert "more labeled texts alone" not in found.not_worth_it


def noisy_texts(n, seed=0):
    """Texts of one telling word, five words of their own, and a fifth of the labels wrong."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    texts = [
        " ".join([f"{'ab'[k]}{rng.integers(5)}", *(f"w{j}" for j in rng.integers(0, 2000, 5))])
        for k in y
    ]
    return texts, np.where(rng.random(n) < 0.2, 1 - y, y)


def test_trials_equal_cross_validation_by_hand():
    from wordplane.selection.splitter import Splitter

    texts, y = noisy_texts(200)
    learner, analyzer = LinearSVM(C=100.0), Analyzer(ngrams=(1, 2))
    trials = try_advice(
        (REGULARIZE, SIMPLER), analyzer, learner, as_documents(texts, {}), y, splitter=Splitter(4)
    )
    right = {}
    for name, model in {
        "before": TextClassifier(analyzer, learner, calibration=None),
        "C = 10 instead of 100": TextClassifier(analyzer, LinearSVM(C=10.0), calibration=None),
        "single words only": TextClassifier(Analyzer(ngrams=(1, 1)), learner, calibration=None),
    }.items():
        hits = np.zeros(200, bool)
        for held in [held for _, held in Splitter(4).split(y)]:
            rest = np.setdiff1d(np.arange(200), held)
            model.fit([texts[i] for i in rest], y[rest])
            hits[held] = model.predict([texts[i] for i in held]) == y[held]
        right[name] = hits.mean()
    assert {one.what for one in trials} == right.keys() - {"before"}
    for one in trials:
        assert one.accuracy == pytest.approx(right[one.what], abs=0.011)  # near ties of scores
        assert one.difference == pytest.approx(one.accuracy - right["before"], abs=0.011)
        low, high = one.interval
        assert low <= one.difference <= high
        assert one.effect == ("helps" if low > 0 else "hurts" if high < 0 else one.effect)
    assert [one.difference for one in trials] == sorted(one.difference for one in trials)[::-1]


def test_diagnose_says_what_its_advice_gave():
    texts, y = noisy_texts(600)
    result = wordplane.diagnose(
        texts, y.tolist(), learner="svm", params={"C": 10.0}, sizes=4, analyzer={"ngrams": (1, 1)}
    )
    assert result.verdict.kind == "high variance"
    assert result.trials[0].what == "C = 1 instead of 10"
    assert result.trials[0].effect == "helps"
    first = result.trials[0]
    before = f"tried     as it is: {first.accuracy - first.difference:.1%}\n"
    assert f"{before}          {str(first)[:20]}" in str(result)
    assert "as it is: " in result._repr_html_()
    assert REGULARIZE not in str(result)  # what was tried need not be advised again
    assert SIMPLER not in str(result)  # it has single words only
    assert result.to_dict()["tried"][0]["effect"] in ("helps", "no measurable difference")
    weighted = wordplane.read({"text": texts, "label": y.tolist(), "weight": [1.0] * 600})
    assert wordplane.diagnose(weighted, learner="nb", sizes=2, folds=2).trials == ()
