"""Learning, training and regularization curves, verdicts on constructed problems, forecasts.

Tests of wordplane.diagnosis.learning_curve, wordplane.diagnosis.training_curve,
wordplane.diagnosis.regularization_path, wordplane.diagnosis.fit_measures,
wordplane.diagnosis.forecast and wordplane.diagnosis.verdict.
"""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpora import clean_texts
from wordplane import (
    NBSVM,
    Analyzer,
    LinearSVM,
    LogisticRegression,
    MultinomialNB,
    Perceptron,
    TextClassifier,
)
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.splits import draw_rows, stratified_order
from wordplane.diagnosis.fit_measures import FitMeasures, measure_fold
from wordplane.diagnosis.forecast import forecast
from wordplane.diagnosis.learning_curve import LearningCurve, learning_curve
from wordplane.diagnosis.regularization_path import regularization_path
from wordplane.diagnosis.training_curve import training_curve
from wordplane.diagnosis.verdict import verdict
from wordplane.evaluation.calibration import Temperature
from wordplane.model.recipe import Recipe
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents

TFIDF = Analyzer(ngrams=(1, 1), tf="log", idf="smooth", norm="l2")
WORDS = Analyzer(ngrams=(1, 1))


def curve_of(points, n_docs=None, majority=0.5):
    """A curve from {size: (train accuracies, dev accuracies)}."""
    made = [FitMeasures(n, train, dev, (0.0,) * 3, (0.0,) * 3) for n, (train, dev) in points]
    return LearningCurve(tuple(made), n_docs or points[-1][0], majority)


# ------------------------------------------------------------------ the curve


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(0, 5))
def test_stratified_order_has_all_classes_at_their_shares(codes, seed):
    y = np.array(codes)
    order = stratified_order(y, np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(y)))
    classes, counts = np.unique(y, return_counts=True)
    assert set(y[order][: len(classes)].tolist()) == set(classes.tolist())
    for size in range(1, len(y) + 1):
        for k, count in zip(classes, counts, strict=True):
            found = (y[order][:size] == k).sum()
            assert abs(found - size * count / len(y)) <= len(classes)


def test_each_point_equals_a_fit_on_its_texts_alone():
    """Counting once gives what training a classifier on the very texts of each size gives."""
    texts, labels = clean_texts(90)
    y = np.array(labels)
    curve = learning_curve(
        TFIDF,
        LinearSVM(),
        as_documents(texts, {}),
        labels,
        sizes=[20, 60],
        splitter=Splitter(3),
        threads=2,
    )
    seeds = np.random.SeedSequence(0).spawn(3)
    for point in curve.points:
        for number, held in enumerate([held for _, held in Splitter(3).split(labels)]):
            rows = np.setdiff1d(np.arange(90), held)
            rows = rows[stratified_order(y[rows], np.random.default_rng(seeds[number]))]
            train = np.sort(rows[: int(point.at)])
            model = TextClassifier(TFIDF, LinearSVM(), calibration=None)
            model.fit([texts[row] for row in train], y[train])
            right = model.predict([texts[row] for row in held]) == y[held]
            assert point.dev_accuracy[number] == right.mean()
            right = model.predict([texts[row] for row in train]) == y[train]
            assert point.train_accuracy[number] == right.mean()


def test_threads_change_nothing_and_losses_are_those_of_probabilities():
    texts, labels = clean_texts(120)
    found = [
        learning_curve(WORDS, MultinomialNB(), as_documents(texts, {}), labels, threads=threads)
        for threads in (1, 2, 3)
    ]
    assert found[0] == found[1] == found[2]
    assert [int(point.at) for point in found[0].points] == [10, 14, 19, 26, 36, 50, 69, 96]
    assert json.loads(json.dumps(found[0].to_dict()))["points"][0]["at"] == 10


def test_of_very_many_texts_a_part_is_drawn():
    texts, labels = clean_texts(300)
    weights = np.ones(300)
    curve = learning_curve(
        WORDS, MultinomialNB(), as_documents(texts, {}), labels, max_docs=100, sample_weight=weights
    )
    assert (curve.n_docs, curve.n_drawn, curve.points[-1].at) == (300, 100, 80)
    assert curve.sample == "the curve uses 100 of the 300 texts, drawn at random"
    assert curve.to_dict()["n_drawn"] == 100
    rows = draw_rows(np.array(labels), 100, 0)
    few = [texts[row] for row in rows]
    again = learning_curve(
        WORDS, MultinomialNB(), as_documents(few, {}), [labels[row] for row in rows]
    )
    assert (again.points, again.n_drawn, again.sample) == (curve.points, None, "")


def test_loss_is_measured_at_the_temperature_of_the_other_half():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    z = 6 * y - 3 + rng.normal(scale=4, size=40)
    classes = np.array([0, 1])
    found = measure_fold(classes, z[:20], y[:20], z[20:], y[20:])
    held_z, held_y = z[20:], y[20:]
    dev, train = [], []
    for half in (0, 1):
        T = Temperature.fit(held_z[1 - half :: 2], held_y[1 - half :: 2]).temperature
        p = 1 / (1 + np.exp(-held_z[half::2] / T))
        dev += (-np.log(np.where(held_y[half::2] == 1, p, 1 - p))).tolist()
        p = 1 / (1 + np.exp(-z[:20] / T))
        train.append(-np.log(np.where(y[:20] == 1, p, 1 - p)).mean())
    assert found.dev_loss == pytest.approx(np.mean(dev))
    assert found.train_loss == pytest.approx(np.mean(train))
    assert found.train_accuracy == ((z[:20] > 0) == y[:20]).mean()


@pytest.mark.parametrize(
    ("analyzer", "learner"),
    [
        (Recipe(short=False).analyzer(), Recipe(short=False).learner()),
        (TFIDF, LogisticRegression()),
    ],
)
def test_a_planted_word_of_held_out_rows_changes_no_learning_curve(analyzer, learner):
    """A word that only one fold has is worth to the curve as much as any word nobody knows."""
    texts, labels = clean_texts(60)
    held = next(held for _, held in Splitter(3).split(labels))
    found = []
    for word in ("planted", "unknown"):
        changed = list(texts)
        for row in held[::2].tolist():
            changed[row] += f" {word}" if word == "planted" else f" {word}{row}"
        documents = as_documents(changed, {})
        curve = learning_curve(analyzer, learner, documents, labels, sizes=3, splitter=Splitter(3))
        found.append(
            [(p.train_accuracy[0], p.dev_accuracy[0], p.dev_loss[0]) for p in curve.points]
        )
    assert found[0] == found[1]


def test_wrong_sizes_and_rare_classes():
    texts, labels = clean_texts(40)
    documents = as_documents(texts, {})
    with pytest.raises(InputError, match=r"sizes is \[1\], expected numbers of texts from 2"):
        learning_curve(TFIDF, LinearSVM(), documents, labels, sizes=[1])
    with pytest.raises(InputError, match="sizes is 0"):
        learning_curve(TFIDF, LinearSVM(), documents, labels, sizes=0)
    with pytest.raises(InputError, match="no feature occurs in 50 or more"):
        learning_curve(Analyzer(min_df=50), LinearSVM(), documents, labels)
    labels[0] = "rare"  # in one fold it is only held out
    curve = learning_curve(TFIDF, LinearSVM(), documents, labels)
    assert all(np.isfinite(point.dev_loss).all() for point in curve.points)


# ---------------------------------------------------------------- the verdict


def problem(n, seed, *, words, noise, length, flipped=0.0):
    """Texts of `length` of the `words` of their class and as many `noise` words of either."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    texts = [
        " ".join(
            [f"{'ab'[k]}{j}" for j in rng.integers(0, words, length)]
            + [f"w{j}" for j in rng.integers(0, noise, length)]
        )
        for k in y
    ]
    y = np.where(rng.random(n) < flipped, 1 - y, y)
    return texts, y.tolist()


def judged(analyzer, learner, texts, labels, **target):
    curve = learning_curve(analyzer, learner, as_documents(texts, {}), labels, threads=2)
    return verdict(curve, **target)


@pytest.mark.parametrize("seed", [0, 1, 2])
class TestConstructedProblems:
    def test_overfitted(self, seed):
        """A fifth of the labels is wrong, and each text has words of its own to learn that by."""
        texts, labels = problem(1500, seed, words=5, noise=10**6, length=4, flipped=0.2)
        found = judged(WORDS, LinearSVM(C=1000.0, tol=0.1), texts, labels)
        assert (found.kind, found.closes) == ("high variance", False)
        assert "more labeled texts" not in found.to_try
        assert found.train_accuracy > 0.97
        assert found.gap > 0.15
        assert found.to_try[0].startswith("stronger regularization")
        assert "more features" in found.not_worth_it

    def test_underfitted(self, seed):
        """Exclusive or: no weights of single words tell the classes apart."""
        rng = np.random.default_rng(seed)
        a, b = rng.integers(0, 2, (2, 800))
        texts = [
            f"a{i} b{j} {'w' * (1 + k % 7)}" for k, (i, j) in enumerate(zip(a, b, strict=True))
        ]
        for target in (None, 0.9):
            found = judged(WORDS, LinearSVM(), texts, (a ^ b).tolist(), target=target)
            assert found.kind == "high bias"
        assert "conjunctions of features (`conjoin`)" in found.to_try
        assert "more labeled texts alone" in found.not_worth_it
        with_pairs = judged(Analyzer(ngrams=(1, 2)), LinearSVM(), texts, (a ^ b).tolist())
        assert with_pairs.dev_accuracy == 1.0

    def test_well_fitted(self, seed):
        """A tenth of the labels is wrong, and there is nothing to learn that by."""
        texts, labels = problem(1500, seed, words=5, noise=5, length=4, flipped=0.1)
        for target in (None, 0.85):
            found = judged(WORDS, LinearSVM(C=0.1), texts, labels, target=target)
            assert found.kind == "well fitted"
            assert found.to_try == ()
        assert abs(found.gap) < 0.02

    @pytest.mark.parametrize(("n", "words"), [(600, 1500), (1200, 4000)])
    @pytest.mark.slow
    def test_short_of_data(self, seed, n, words):
        """Many words tell the classes apart, and each of them is rare."""
        texts, labels = problem(n, seed, words=words, noise=400, length=4)
        found = judged(WORDS, MultinomialNB(), texts, labels)
        assert (found.kind, found.closes) == ("high variance", True)
        assert found.to_try[0] == "more labeled texts"
        more = problem(6 * n, seed, words=words, noise=400, length=4)
        assert judged(WORDS, MultinomialNB(), *more).dev_accuracy > found.dev_accuracy + 0.1


def test_verdict_by_hand():
    train, dev = (1.0, 1.0, 1.0), (0.70, 0.72, 0.74)
    flat = curve_of([(50, (train, dev)), (100, (train, dev))])
    assert (verdict(flat).kind, verdict(flat).closes) == ("high variance", False)
    assert verdict(flat).gap == pytest.approx(0.28)
    assert verdict(flat).doubling == pytest.approx(0)
    assert verdict(flat, target=0.72).kind == "well fitted"
    rising = curve_of([(50, (train, (0.66, 0.68, 0.70))), (100, (train, dev))])
    assert (verdict(rising).kind, verdict(rising).closes) == ("high variance", True)
    assert verdict(rising).to_try[0] == "more labeled texts"
    # It rises by 4 points on average, but in one fold it falls: that may be chance.
    doubtful = curve_of([(50, (train, (0.60, 0.66, 0.78))), (100, (train, dev))])
    assert verdict(doubtful).doubling == pytest.approx(0.04)
    assert not verdict(doubtful).closes
    # The same curve, where 71 % of the texts have one label: 72 +- 2 % is not above that.
    common = LearningCurve(rising.points, 100, majority=0.71)
    assert verdict(common).kind == "not above the baseline"
    # It rises by 4 points in every fold: nobody can say that more texts would not help.
    assert "more labeled texts alone" not in verdict(common).not_worth_it
    flat_common = LearningCurve(flat.points, 100, majority=0.71)
    assert "more labeled texts alone" in verdict(flat_common).not_worth_it
    assert verdict(rising).doubling == pytest.approx(0.04)
    # With a target of 80 %, 8 points are lacking; a gap of 3 of them is the smaller part.
    close = curve_of([(50, ((0.75,) * 3, dev)), (100, ((0.75,) * 3, dev))])
    assert verdict(close, target=0.8).kind == "high bias"
    assert "the target is 80.0%" in verdict(close, target=0.8).sentence
    # The same at the end, but still rising by 4 points with each doubling: that is no high bias.
    learning = curve_of([(50, ((0.75,) * 3, (0.66, 0.68, 0.70))), (100, ((0.75,) * 3, dev))])
    assert verdict(learning, target=0.8).kind == "still rising"
    assert verdict(learning, target=0.8).to_try[0] == "more labeled texts"
    assert "more of them help" in verdict(learning, target=0.8).sentence
    # An interval that ends below the baseline is not chance.
    worse = LearningCurve(flat.points, 100, majority=0.9)
    assert "is worse than guessing" in verdict(worse).sentence
    assert "may be no better than chance" in verdict(common).sentence
    assert verdict(close, target=0.76).kind == "high variance"
    assert verdict(curve_of([(100, (train, dev))])).doubling is None
    assert not verdict(curve_of([(100, (train, dev))])).closes
    assert "too few texts" in verdict(curve_of([(100, (train, dev))])).sentence
    with pytest.raises(InputError, match=r"target is 1\.5"):
        verdict(flat, target=1.5)


@pytest.mark.slow
def test_of_random_labels_nobody_is_told_to_label_more():
    """50 sets of 240 texts whose labels do not follow from them."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        texts = [" ".join(f"w{j}" for j in rng.zipf(1.5, 12) % 500) for _ in range(240)]
        labels = rng.integers(0, 2, 240).tolist()
        folds = Splitter(5, random_state=seed)
        curve = learning_curve(
            WORDS, MultinomialNB(), as_documents(texts, {}), labels, sizes=5, splitter=folds
        )
        found = verdict(curve)
        assert "more labeled texts" not in found.to_try
        assert not found.closes


# --------------------------------------------------------------- the forecast


@pytest.mark.parametrize("c", [0.2, 0.4])
def test_forecast_finds_a_power_law(c):
    rng = np.random.default_rng(0)
    sizes = [100, 200, 400, 800, 1600, 3200]
    points = []
    for n in sizes:
        dev = tuple(1 - (0.05 + n**-c + rng.normal(scale=0.002, size=3)))
        points.append((n, ((1.0,) * 3, dev)))
    found = forecast(curve_of(points, n_docs=4000), 4000)
    expected = 4000**-c - 8000**-c
    assert found.interval[0] <= expected <= found.interval[1]
    assert found.gain == pytest.approx(expected, abs=0.01)
    assert forecast(curve_of(points, n_docs=4000), 1000).gain < found.gain
    assert str(found).startswith("4,000 more labels: +")
    assert "±" in str(found)


def test_forecast_stays_within_reason():
    perfect = curve_of([(n, ((1.0,) * 3, (1.0,) * 3)) for n in (10, 20, 40, 80)])
    assert forecast(perfect, 1000).gain == 0
    falling = curve_of([(n, ((1.0,) * 3, (1 - n / 1000,) * 3)) for n in (10, 20, 40, 80)])
    assert forecast(falling, 1000).gain == 0
    steep = curve_of([(n, ((1.0,) * 3, (n / 81,) * 3)) for n in (10, 20, 40, 80)])
    found = forecast(steep, 10**9)
    assert 0 <= found.gain < 0.1
    assert found.interval[1] - found.gain < 0.1
    assert forecast(curve_of([(10, ((1.0,) * 3, (0.5,) * 3))]), 10) is None
    with pytest.raises(InputError, match="n_more is 0"):
        forecast(perfect, 0)


# ------------------------------------------------- training and regularization


def test_training_curve_ends_where_training_does():
    texts, labels = clean_texts(90)
    documents = as_documents(texts, {})
    curve = training_curve(
        WORDS, Perceptron(max_iter=4), documents, labels, splitter=Splitter(3), threads=2
    )
    assert [point.at for point in curve] == [1, 2, 3, 4][: len(curve)]
    last = learning_curve(
        WORDS, Perceptron(max_iter=4), documents, labels, sizes=[60], splitter=Splitter(3)
    )
    assert curve[-1].train_accuracy == last.points[0].train_accuracy
    assert curve[-1].dev_accuracy == last.points[0].dev_accuracy
    first = learning_curve(
        WORDS, Perceptron(max_iter=1), documents, labels, sizes=[60], splitter=Splitter(3)
    )
    assert curve[0].dev_loss == pytest.approx(first.points[0].dev_loss)
    with pytest.raises(InputError, match="does not learn in epochs"):
        training_curve(WORDS, MultinomialNB(), documents, labels)


@pytest.mark.slow
def test_regularization_path():
    texts, labels = clean_texts(90)
    documents = as_documents(texts, {})
    lasso = LogisticRegression(penalty="l1", tol=1e-6)
    path = regularization_path(
        WORDS,
        lasso,
        "C",
        [10, 0.1, 1],
        documents,
        labels,
        splitter=Splitter(3),
        threads=2,
        n_features=5,
    )
    assert [point.at for point in path.points] == [0.1, 1, 10]
    assert path.n_nonzero[0] < path.n_nonzero[1] <= path.n_nonzero[2]
    assert list(path.norms) == sorted(path.norms)
    assert path.weights.shape == (3, 1, 5)
    # A warm start ends where a cold one does.
    model = TextClassifier(WORDS, LogisticRegression(penalty="l1", C=10, tol=1e-6)).fit(
        texts, labels
    )
    weights = dict(model.top_features(100)["pos"])
    for name, w in zip(path.features, path.weights[-1, 0], strict=True):
        if w > 0:
            assert weights[name] == pytest.approx(w, rel=1e-3)
    cold = learning_curve(
        WORDS, LogisticRegression(C=1.0), documents, labels, sizes=[60], splitter=Splitter(3)
    )
    ridge = regularization_path(
        WORDS, LogisticRegression(), "C", [1.0], documents, labels, splitter=Splitter(3)
    )
    assert ridge.points[0].dev_accuracy == cold.points[0].dev_accuracy
    assert json.loads(json.dumps(path.to_dict()))["features"] == list(path.features)
    learner = NBSVM(learner=LinearSVM(C=7.0))
    inner = regularization_path(
        Analyzer(tf="binary"),
        learner,
        "learner__C",
        [0.01, 1],
        documents,
        labels,
        splitter=Splitter(3),
    )
    assert inner.norms[0] < inner.norms[1]
    assert learner.learner.C == 7.0
    with pytest.raises(InputError, match="no parameter 'C'"):
        regularization_path(WORDS, MultinomialNB(), "C", [1.0], documents, labels)


# ----------------------------------------------------------- the command line


@pytest.fixture
def file_of_texts(tmp_path):
    texts, labels = clean_texts(80)
    rows = "\n".join(f"{t},{y}" for t, y in zip(texts, labels, strict=True))
    path = tmp_path / "d.csv"
    path.write_text("text,label\n" + rows + "\n")
    return str(path)


def test_diagnose_from_the_command_line(file_of_texts, capsys):
    options = ["--learner", "nb", "--target", "99%", "--more", "500", "--folds", "3"]
    assert main(["diagnose", file_of_texts, *options]) == 0
    out = capsys.readouterr().out
    assert "diagnosed" in out
    assert "verdict   " in out
    assert "the target is 99.0%" in " ".join(out.split())
    assert "forecast  500 more labels: " in out
    assert out.count("*") >= 8
    assert main(["diagnose", file_of_texts, "--json", "--sizes", "3", "--param", "C=1"]) == 2
    assert main(["diagnose", file_of_texts, "--json", "--sizes", "3", "--learner", "svm"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["learning_curve"]["points"]) == 3
    assert found["verdict"]["kind"] in ("high variance", "not above the baseline", "well fitted")
    assert found["forecasts"] == []
    # One row held out at a time: no loss, and still JSON.
    assert main(["diagnose", file_of_texts, "--json", "--sizes", "1", "--folds", "80"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["learning_curve"]["points"][0]["dev_loss"]["mean"] is None


def test_diagnose_says_what_is_wrong(file_of_texts, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["diagnose", file_of_texts, "--target", "90"])
    assert ended.value.code == 2
    assert "'90' is not a share such as 0.9 or 90%" in capsys.readouterr().err
    one = tmp_path / "one.csv"
    one.write_text("text,label\ngood,a\nfine,a\n")
    assert main(["diagnose", str(one)]) == 2
    assert "every text has the label 'a'" in capsys.readouterr().err
    few = tmp_path / "few.csv"
    few.write_text("text,label\ngood,a\nbad,b\nfine,a\n")
    assert main(["diagnose", str(few)]) == 2
    assert "5 folds need at least 5 texts, there are 3: give more" in capsys.readouterr().err
    assert main(["diagnose", str(few), "--folds", "3"]) == 2
    assert "a fold leaves only texts with the label 'a'" in capsys.readouterr().err
