"""Thresholds and kinds of calibrators by choice, l1 models without zeros, notes on labels."""

import numpy as np
import pytest

import wordplane
from wordplane import Analyzer, LinearSVM, LogisticRegression, TextClassifier
from wordplane.common.errors import InputError
from wordplane.evaluation.calibration import Isotonic, Platt, PowerTemperature, Temperature
from wordplane.workflow.train import train


def texts_of(n, seed=0):
    """Texts of two classes that overlap."""
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(n) < 0.4, "spam", "ham")
    words = {"spam": ["win", "cash", "now", "call"], "ham": ["lunch", "home", "see", "call"]}
    every = [w for group in words.values() for w in group]
    texts = [
        " ".join(rng.choice(words[label] if rng.random() < 0.6 else every) for _ in range(4))
        for label in labels
    ]
    return texts, labels.tolist()


TEXTS, LABELS = texts_of(600)
ANALYZER = Analyzer(ngrams=(1, 1))


@pytest.mark.parametrize(
    ("kind", "cls"),
    [("power", PowerTemperature), ("temperature", Temperature), ("platt", Platt),
     ("isotonic", Isotonic)],
)  # fmt: skip
@pytest.mark.parametrize("calibration", ["holdout", "cv"])
def test_the_kind_of_calibrator(kind, cls, calibration):
    model = TextClassifier(ANALYZER, "nb", calibration=calibration, calibrator=kind)
    model.fit(TEXTS, LABELS)
    assert type(model.model_.calibrator) is cls


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_a_threshold_is_a_probability(p, tmp_path):
    model = TextClassifier(ANALYZER, "nb", metric=f"threshold:spam={p}").fit(TEXTS, LABELS)
    given = model.predict(TEXTS) == "spam"
    np.testing.assert_array_equal(given, model.predict_proba(TEXTS)[:, 1] > p)
    assert 0 < given.mean() < 1
    model.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    np.testing.assert_array_equal(loaded.predict(TEXTS), model.predict(TEXTS))
    assert loaded.training_.metric == f"threshold:spam={p:g}"


def test_a_threshold_changes_no_probability():
    plain = TextClassifier(ANALYZER, "nb", calibrator="platt").fit(TEXTS, LABELS)
    shifted = TextClassifier(ANALYZER, "nb", metric="threshold:0.8").fit(TEXTS, LABELS)
    np.testing.assert_allclose(plain.predict_proba(TEXTS), shifted.predict_proba(TEXTS), atol=1e-9)
    first = TextClassifier(ANALYZER, "nb", metric="threshold:ham=0.2").fit(TEXTS, LABELS)
    np.testing.assert_array_equal(first.predict(TEXTS), shifted.predict(TEXTS))


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"metric": "threshold:1.5"}, "between 0 and 1"),
        ({"metric": "threshold:eggs=0.5"}, "the classes are ham and spam"),
        ({"metric": "threshold:often"}, "between 0 and 1"),
        ({"metric": "threshold:0.5", "calibration": None}, "`metric` needs texts"),
        ({"metric": "threshold:0.5", "calibrator": "temperature"}, "does not go with"),
        ({"calibrator": "magic"}, "power, platt|temperature, power"),
    ],
)
def test_what_is_refused(parameters, why):
    with pytest.raises(InputError, match=why):
        TextClassifier(ANALYZER, "nb", **parameters).fit(TEXTS, LABELS)


def test_thresholds_are_for_two_classes():
    three = [*LABELS[:-3], "eggs", "eggs", "eggs"]
    with pytest.raises(InputError, match="two classes"):
        TextClassifier(ANALYZER, "nb", metric="threshold:0.5", calibration="cv").fit(TEXTS, three)


@pytest.mark.parametrize("norm", [None, "l2"])
@pytest.mark.parametrize(
    "learner", [LinearSVM(penalty="l1", C=0.1), LogisticRegression(penalty="l1", C=0.3)]
)
def test_l1_stores_no_zeros(learner, norm, tmp_path):
    rare = [f"{text} only{i}" for i, text in enumerate(TEXTS)]
    model = TextClassifier(Analyzer(ngrams=(1, 2), norm=norm), learner).fit(rare, LABELS)
    fitted = model.model_
    assert fitted.W.any(axis=1).all()
    assert 1 < model.n_features < 50
    names = [fitted.features.name(j) for j in range(model.n_features)]
    assert not any("only" in name for name in names)
    # It is what the learner finds on those features alone.
    alone = type(learner)(**learner.get_params()).fit(model.feature_matrix(rare), LABELS)
    np.testing.assert_allclose(alone.coef_[0], fitted.W[:, 0], rtol=1e-3, atol=1e-3)
    model.save(tmp_path / "m.wordplane")
    assert (tmp_path / "m.wordplane").stat().st_size < 20_000


def test_l2_keeps_all_features():
    model = TextClassifier(ANALYZER, LinearSVM()).fit(TEXTS, LABELS)
    assert model.n_features == 7


def test_labels_with_decimals_get_a_note():
    stars = [{"ham": "1.5", "spam": "4.0"}[label] for label in LABELS]
    result = train(TEXTS, stars, learner="nb", test=False)
    assert any("'1.5': 2 classes without order" in note for note in result.notes)
    whole = train(TEXTS, [{"ham": 1, "spam": 4}[label] for label in LABELS], learner="nb")
    assert not any("without order" in note for note in whole.notes)
