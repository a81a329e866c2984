"""Sets of labels: several, one or none per text."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.metrics import accuracy_score, f1_score, hamming_loss
from sklearn.multiclass import OneVsRestClassifier

import wordplane
from tests.model.model_files import tampered
from tests.model.tagged_texts import WORDS, member_of, tagged
from wordplane import LinearSVM, MultinomialNB, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError, ModelFileError
from wordplane.common.label_sets import LabelSets, as_label_sets
from wordplane.common.matrix import as_csr
from wordplane.evaluation.confusion import confusion
from wordplane.evaluation.label_decisions import LabelDecisions, best_threshold, predict_out_of_fold
from wordplane.evaluation.label_scores import score
from wordplane.evaluation.set_scores import score_sets
from wordplane.learners.support.one_vs_rest import OneVsRest
from wordplane.model.file import from_bytes, to_bytes


@given(st.integers(0, 5), st.integers(1, 6), st.integers(0, 99))
def test_probabilities_are_sigmoids(n, k, seed):
    """Those of NumPy to 1e-15, and of one row as of many."""
    rng = np.random.default_rng(seed)
    z, a, b = 100 * rng.normal(size=(n, k)), rng.normal(size=k), rng.normal(size=k)
    decisions = LabelDecisions(np.zeros(k), a, b)
    P = decisions.transform(z)
    assert P.shape == (n, k)
    with np.errstate(over="ignore"):
        expected = 1 / (1 + np.exp(-(a * z + b)))
    assert np.abs(P - expected).max(initial=0) <= 1e-15
    for row in range(n):
        assert (decisions.transform(z[row : row + 1]) == P[row]).all()
    assert decisions.transform(np.full((1, k), 1e300) * np.sign(a)).tolist() == [[1.0] * k]


def test_one_against_the_rest_equals_scikit_learn():
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.poisson(0.7, (60, 12)).astype(float))
    member = rng.random((60, 4)) < 0.3
    sets = LabelSets.of_member(np.arange(4), member)
    for learner in (LinearSVM(tol=1e-8), MultinomialNB()):
        ours = OneVsRest(learner).fit(as_csr(X), sets)
        theirs = OneVsRestClassifier(learner).fit(X, member.astype(int))
        expected = np.column_stack([machine.decision_function(X) for machine in theirs.estimators_])
        assert ours.decision_function(X) == pytest.approx(expected, abs=1e-9)
        again = OneVsRest(learner, n_jobs=3).fit(as_csr(X), sets)
        assert np.array_equal(ours.coef_, again.coef_)


def test_labels_that_all_rows_have_or_none():
    sets = LabelSets.of_member(np.arange(3), np.array([[1, 0, 1], [1, 0, 0]], bool))
    model = OneVsRest(LinearSVM()).fit(as_csr([[1.0, 0.0], [0.0, 1.0]]), sets)
    assert model.intercept_[:2].tolist() == [1.0, -1.0]
    assert not model.coef_[:2].any()
    weighted = OneVsRest(LinearSVM()).fit(as_csr([[1.0, 0.0], [0.0, 1.0]]), sets, [1.0, 0.0])
    assert weighted.intercept_.tolist() == [1.0, -1.0, 1.0]


@given(
    st.lists(
        st.tuples(st.integers(-4, 4), st.booleans(), st.integers(1, 3)), min_size=1, max_size=12
    )
)
def test_no_threshold_has_a_better_f1(rows):
    z, positive, w = (np.array(column) for column in zip(*rows, strict=True))
    z, w = z.astype(float), w.astype(float)

    def f1(threshold):
        given = z > threshold
        hits = w[given & positive].sum()
        return 2 * hits / (w[given].sum() + w[positive].sum()) if positive.any() else 0.0

    found = best_threshold(z, positive, w)
    tried = [-100.0, *(z + 0.5), *(z - 0.5)]
    assert f1(found) == pytest.approx(max(map(f1, tried)))
    if f1(0.0) == pytest.approx(f1(found)):
        assert found == 0.0  # the learner's own boundary is kept where it is as good


def test_thresholds_of_rare_labels_borrow_from_all_labels():
    """By hand: n = 2 rows of the second label, 100 of the first."""
    rng = np.random.default_rng(0)
    member = np.zeros((400, 2), bool)
    member[:100, 0] = member[[5, 390], 1] = True
    z = np.where(member, 0.8, -1.2) + rng.normal(scale=0.1, size=(400, 2))
    z[390, 1] = -3.0  # the lowest of all: alone, the label would be given to every text
    own = [best_threshold(z[:, k], member[:, k], np.ones(400)) for k in (0, 1)]
    common = best_threshold(z.ravel(), member.ravel(), np.ones(800))
    expected = [
        (100 * own[0] + 50 * common) / 150,
        (2 * own[1] + 50 * common) / 52,
    ]
    decisions = LabelDecisions.fit(z, member)
    assert decisions.thresholds == pytest.approx(expected)
    assert decisions.predict(z)[:, 1].sum() == 1


def test_a_label_on_one_held_out_text_is_not_given_to_most():
    rng = np.random.default_rng(3)
    z = rng.normal(-1, 0.3, size=(400, 20))
    member = rng.random((400, 20)) < 0.05
    z[member] += 1.5
    member[:, 0] = False
    member[7, 0], z[7, 0] = True, -1.2
    assert LabelDecisions.fit(z, member).predict(z)[:, 0].mean() < 0.05


@given(st.integers(1, 30), st.integers(1, 4), st.integers(0, 99))
def test_scores_equal_scikit_learn(n, n_labels, seed):
    rng = np.random.default_rng(seed)
    classes = np.arange(n_labels)
    T, P = rng.random((2, n, n_labels)) < 0.4
    found = score_sets(
        LabelSets.of_member(classes, T), LabelSets.of_member(classes, P), n_resamples=2
    )
    if n_labels > 1:  # one column is no indicator matrix for scikit-learn
        assert found.subset_accuracy == pytest.approx(accuracy_score(T, P))
    assert found.hamming_loss == pytest.approx(np.mean(T != P))
    if n_labels > 1:
        assert found.hamming_loss == pytest.approx(hamming_loss(T, P))
        assert found.micro_f1 == pytest.approx(f1_score(T, P, average="micro", zero_division=0))
        occurs = [k for k in classes if (T | P)[:, k].any()]
        if len(occurs) > 1:
            macro = f1_score(T, P, labels=occurs, average="macro", zero_division=0)
            assert found.macro_f1 == pytest.approx(macro)
    for measure in ("subset_accuracy", "micro_f1", "macro_f1", "hamming_loss"):
        low, high = getattr(found, f"{measure}_interval")
        assert 0 <= low <= getattr(found, measure) <= high <= 1


def test_baselines_by_hand():
    true = as_label_sets([["a"], ["a"], ["a", "b"], []])
    found = score_sets(true, true)
    assert (found.majority_set, found.majority_subset_accuracy) == (("a",), 0.5)
    assert found.majority_label == "a"
    assert found.majority_micro_f1 == pytest.approx(2 * 3 / (4 + 4))
    assert found.majority_macro_f1 == pytest.approx((6 / 7) / 2)
    assert found.labels_per_row == 1.0


@pytest.mark.slow
def test_intervals_cover():
    """Resampled by hand: the interval is about that of so many standard errors."""
    rng = np.random.default_rng(1)
    T = rng.random((400, 3)) < 0.4
    P = T ^ (rng.random((400, 3)) < 0.1)
    low, high = score_sets(
        *(LabelSets.of_member(np.arange(3), M) for M in (T, P))
    ).micro_f1_interval
    draws = []
    for _ in range(300):
        rows = rng.integers(0, 400, 400)
        draws.append(f1_score(T[rows], P[rows], average="micro"))
    assert high - low == pytest.approx(2 * 1.96 * np.std(draws), rel=0.2)


def test_estimate_on_the_hold_out_does_not_use_its_own_labels():
    """Thresholds tuned on the rows themselves look better than they are."""
    rng = np.random.default_rng(0)
    z, member = rng.normal(size=(200, 50)), rng.random((200, 50)) < 0.3
    z += rng.normal(size=50) + member  # every label has a best threshold of its own

    def micro(chosen):
        return 2 * (chosen & member).sum() / (chosen.sum() + member.sum())

    honest = micro(predict_out_of_fold(z, member))
    assert micro(LabelDecisions.fit(z, member).predict(z)) > honest + 0.005
    by_hand = np.empty_like(member)
    for fold in range(5):
        held = np.arange(200) % 5 == fold
        by_hand[held] = LabelDecisions.fit(z[~held], member[~held]).predict(z[held])
    assert micro(by_hand) == honest


@pytest.mark.parametrize("calibration", ["holdout", "cv", None])
@pytest.mark.parametrize("learner", [None, "nb", "logistic", "perceptron"])
def test_classifier(learner, calibration, tmp_path):
    texts, sets = tagged(200)
    model = TextClassifier(None, learner, calibration=calibration).fit(texts, sets)
    assert model.is_multilabel
    found = model.predict(["judge and ball", "paint", "", "x"])
    assert found[0] == ("law", "sport")
    assert found[1] == ("art",)
    assert model.score(*tagged(200, seed=1, say=1.0)) > 0.6  # a third without any learning
    P = model.predict_proba(["judge and ball", "paint"])
    assert P.shape == (2, 3)
    assert ((P > 0) & (P < 1)).all()
    model.save(tmp_path / "m")
    loaded = wordplane.load(tmp_path / "m")
    assert loaded.is_multilabel
    assert loaded.predict(texts).tolist() == model.predict(texts).tolist()
    assert np.array_equal(loaded.predict_proba(texts), model.predict_proba(texts))
    assert len(model.predict([])) == 0
    assert model.predict_proba([]).shape == (0, 3)


def test_threads_give_the_same_bits():
    texts, sets = tagged(80)
    one, *more = (to_bytes(TextClassifier(n_jobs=n).fit(texts, sets).model_) for n in (1, 2, 3))
    assert all(other == one for other in more)


def test_a_matrix_comes_back_as_a_matrix():
    texts, sets = tagged(150)
    Y = member_of(sets)
    model = TextClassifier().fit(texts, Y)
    found = model.predict(texts)
    assert found.shape == Y.shape
    assert set(np.unique(found)) <= {0, 1}
    assert model.score(texts, Y) == np.mean((found == Y).all(axis=1))
    by_name = TextClassifier().fit(texts, sets)
    assert member_of(by_name.predict(texts)).tolist() == found.tolist()
    assert by_name.score(texts, Y) == model.score(texts, Y)
    assert TextClassifier().fit(texts, csr_matrix(Y)).predict(texts).tolist() == found.tolist()


def test_one_label_or_none():
    texts, sets = tagged(80, say=1.0)
    model = TextClassifier().fit(texts, [["law"] if "law" in s else [] for s in sets])
    assert model.predict(["judge court", "ball"]).tolist() == [("law",), ()]
    assert list(model.top_features(1)) == ["law"]


def test_sample_weights_and_sets():
    texts, sets = tagged(60, say=1.0)
    weights = np.array([0.0 if "art" in s else 1.0 for s in sets])
    model = TextClassifier().fit(texts, sets, weights)
    assert ("art",) not in model.predict(["paint", "brush paint"]).tolist()


def test_explanations_sum_to_the_distance_from_the_threshold():
    texts, sets = tagged(200)
    model = TextClassifier().fit(texts, sets)
    decisions = model.model_.calibrator
    z = model.decision_function(["judge and ball"])[0] - decisions.thresholds
    for k, label in enumerate(WORDS):
        found = model.explain("judge and ball", label)
        assert found.label == label
        assert found.score == pytest.approx(z[k], abs=1e-6)
        total = found.bias + sum(c.value for c in found.contributions)
        assert total == pytest.approx(found.score, abs=1e-5)
    assert model.explain("judge and ball").label == list(WORDS)[int(z.argmax())]
    with pytest.raises(InputError, match="no label 'x'; it knows 'art', 'law', 'sport'"):
        model.explain("judge", "x")


def test_explain_of_a_given_class_with_one_label_per_text():
    texts = ["good", "good film", "bad", "bad film", "odd", "odd film"] * 3
    model = TextClassifier(learner="nb").fit(texts, ["+", "+", "-", "-", "?", "?"] * 3)
    for label in "+-?":
        found = model.explain("good bad", label)
        total = found.bias + sum(c.value for c in found.contributions)
        assert total == pytest.approx(found.score, abs=1e-5)
    two = TextClassifier(learner="nb").fit(texts[:4], ["+", "+", "-", "-"])
    assert two.explain("good", "-").score == pytest.approx(-two.explain("good", "+").score)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[], [], []], "no text has a label"),
        ([["a", "b"], ["a", "b"], ["b", "a"]], r"every text has the labels \('a', 'b'\)"),
        ([["a"], "b", []], "row 1 has the labels 'b', expected a list"),
        ([["a"], None, []], "row 1 has the labels None"),
        ([["a"], [1.5], []], "in the labels of row 1: .* 1.5"),
        ([["a"], [1], []], "some labels are strings and others numbers"),
        ([["a"], []], "3 texts and 2 labels"),
        (np.array([[1, 2], [0, 1], [0, 0]]), "values other than 0 and 1"),
    ],
)
def test_refusals(y, message):
    with pytest.raises(InputError, match=message):
        TextClassifier().fit(["x y", "z", "u"], y)


def test_measures_of_one_label_refuse_sets():
    sets = [("a",), ("a", "b")]
    for measure in (score, confusion):
        with pytest.raises(InputError, match="score_sets"):
            measure(sets, sets)
    with pytest.raises(InputError, match="expected one label per row"):
        MultinomialNB().fit([[1.0], [2.0]], sets)


def test_a_broken_decision_in_a_file_is_refused():
    texts, sets = tagged(40)
    model = TextClassifier().fit(texts, sets).model_
    good = model.calibrator.to_dict()
    assert LabelDecisions.from_dict(good).to_dict() == good
    for wrong in (
        {**good, "thresholds": [0.0]},
        {**good, "a": [float("nan")] * 3},
        {**good, "n_classes": 0},
        {**good, "more": 1},
    ):
        with pytest.raises(InputError, match="calibration"):
            LabelDecisions.from_dict(wrong)
    other = LabelDecisions.untuned(2).to_dict()  # of other classes than the weights
    with pytest.raises(ModelFileError, match="other classes"):
        from_bytes(
            tampered(lambda _, metadata: metadata.update(calibration=other), to_bytes(model))
        )


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, sets = tagged(120)
    pl.DataFrame({"text": texts, "tags": ["|".join(s) for s in sets]}).write_csv("t.csv")
    pl.DataFrame({"text": texts, "tags": sets}).write_parquet("t.parquet")
    lines = [json.dumps({"text": t, "tags": s}) for t, s in zip(texts, sets, strict=True)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    return tmp_path


def test_cli_formats_agree(files, capsys):
    for form in ("csv", "jsonl", "parquet"):
        more = ["--label-separator", "|"] if form == "csv" else []
        assert main(["train", f"t.{form}", "-o", f"{form}.wordplane", *more]) == 0
        out, err = capsys.readouterr()
        assert "3 labels, any number per text" in out
        assert "rows have no label" in err
        assert "micro F1" in out
    models = [wordplane.load(f"{form}.wordplane") for form in ("csv", "jsonl", "parquet")]
    texts = tagged(120)[0]
    assert models[0].predict(texts).tolist() == models[1].predict(texts).tolist()
    assert models[0].predict(texts).tolist() == models[2].predict(texts).tolist()


def test_cli_predict_evaluate_explain_inspect(files, capsys):
    assert main(["train", "t.jsonl", "-o", "m.wordplane", "--json"]) == 0
    trained = json.loads(capsys.readouterr().out)
    assert trained["multilabel"]
    assert 0 < trained["scores"]["micro_f1"] <= 1
    (files / "x.txt").write_text("judge ball\nx\n")
    assert main(["predict", "m.wordplane", "x.txt"]) == 0
    head, first, second = capsys.readouterr().out.splitlines()
    assert head == "id,labels,probabilities"
    assert first.startswith("1,law|sport,0.")
    assert second == "2,,"
    assert main(["predict", "m.wordplane", "x.txt", "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["labels"] == ["law", "sport"]
    assert second == {"id": "2", "labels": [], "probabilities": []}
    assert main(["predict", "m.wordplane", "x.txt", "-o", "o.parquet"]) == 0
    assert pl.read_parquet("o.parquet")["labels"].to_list() == [["law", "sport"], []]
    assert main(["predict", "m.wordplane", "x.txt", "--label-separator", "a"]) == 2
    assert "'art' cannot be told from two with 'a'" in capsys.readouterr().err
    assert main(["evaluate", "m.wordplane", "t.parquet"]) == 0
    assert "exact" in capsys.readouterr().out
    assert main(["evaluate", "m.wordplane", "t.parquet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 120
    assert main(["evaluate", "m.wordplane", "t.csv"]) == 2
    assert "--label-separator" in capsys.readouterr().err
    assert main(["explain", "m.wordplane", "judge ball x", "--label", "art", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["label"] == "art"
    assert main(["inspect", "m.wordplane"]) == 0
    assert "micro F1" in capsys.readouterr().out


def test_cli_evaluates_labels_that_the_model_does_not_know(files, capsys):
    assert main(["train", "t.jsonl", "-o", "m.wordplane"]) == 0
    (files / "new.jsonl").write_text('{"text": "judge", "tags": ["law", "new"]}\n' * 3)
    capsys.readouterr()
    assert main(["evaluate", "m.wordplane", "new.jsonl"]) == 0
    out, err = capsys.readouterr()
    assert "does not know the labels 'new'" in err
    assert "exact     0.0%" in out


def test_cli_one_label_and_sets_do_not_mix(files, capsys):
    assert main(["train", "t.csv", "--label-separator", "|", "-o", "m.wordplane"]) == 0
    (files / "single.csv").write_text("text,label\njudge,law\nball,sport\n" * 3)
    assert main(["train", "single.csv", "-o", "s.wordplane"]) == 0
    assert main(["evaluate", "s.wordplane", "t.jsonl"]) == 2
    assert "has several labels per text, the model predicts one" in capsys.readouterr().err
    assert main(["lexicon", "t.jsonl"]) == 2
    assert "`wordplane lexicon` needs one label per text" in capsys.readouterr().err


def test_cli_bad_label_cells(files, capsys):
    (files / "bad.jsonl").write_text(
        '{"text": "a", "tags": ["x"]}\n{"text": "b", "tags": ["x", 1.5]}\n'
    )
    assert main(["train", "bad.jsonl"]) == 2
    assert "bad.jsonl, row 2: the label in column 'tags' is 1.5" in capsys.readouterr().err
    (files / "bad.jsonl").write_text('{"text": "a", "tags": []}\n{"text": "b", "tags": "y"}\n')
    assert main(["train", "bad.jsonl"]) == 2
    assert "row 2: the labels in column 'tags' are 'y', expected lists" in capsys.readouterr().err
