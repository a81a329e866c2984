"""Models that gain words and classes, forget, and let go of texts again.

Tests of wordplane.model.further_plan and wordplane.model.drift, and of wordplane.workflow.update
and wordplane.cli.update.
"""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordplane
from wordplane import Analyzer, OnlineLogistic, Perceptron, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.learners.registry import learner_named
from wordplane.model.drift import moved_words
from wordplane.text.documents import as_documents

COUNTING = ("nb", "bernoulli", "complement")
ONCE = {"max_iter": 1, "shuffle": False}
ANALYZERS = {
    "words": {"ngrams": (1, 2)},
    "all": {"ngrams": (1, 1), "chars": (1, 2), "suffixes": (1, 2), "shapes": True},
    "weighted": {"ngrams": (1, 1), "tf": "binary", "negation": True},
}
WORDS = ["good", "bad", "film", "not", "Fun", ","]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)


@st.composite
def stories(draw):
    """Labeled texts, and after how many the first fit ends; there, two classes are known."""
    n = draw(st.integers(3, 12))
    texts = [" ".join(draw(TEXTS)) for _ in range(n)]
    labels = ["a", "b", *draw(st.lists(st.sampled_from("abcd"), min_size=n - 2, max_size=n - 2))]
    return texts, labels, draw(st.integers(2, n - 1))


def counting(name, features="words"):
    learner = learner_named(name).set_params(alpha=0.7)
    return TextClassifier(Analyzer(**ANALYZERS[features]), learner, calibration=None)


def same(one, other, texts):
    """Whether two models say the same, whatever the order of their features."""
    if one.n_features != other.n_features or one.classes_.tolist() != other.classes_.tolist():
        return False
    z = [model.decision_function(texts) for model in (one, other)]
    return np.allclose(*z, rtol=1e-5, atol=1e-5)  # weights of a model have 32 bits


@settings(max_examples=30)
@given(stories(), st.sampled_from(COUNTING), st.sampled_from(sorted(ANALYZERS)))
@pytest.mark.slow
def test_naive_bayes_of_parts_is_that_of_all_texts(story, name, features):
    texts, labels, cut = story
    whole = counting(name, features).fit(texts, labels)
    parts = counting(name, features).fit(texts[:cut], labels[:cut])
    parts.partial_fit(texts[cut:], labels[cut:])
    assert same(parts, whole, texts)


def test_the_first_part_may_come_by_partial_fit():
    texts, labels = ["good film", "bad film", "good fun", "so bad"], ["+", "-", "+", "-"]
    model = counting("nb").partial_fit(texts, labels, classes=["-", "0", "+"])
    assert same(model, counting("nb").fit(texts, labels), texts)
    assert model.n_unseen_features_ == model.n_features
    model.partial_fit(["average"], ["0"], classes=["-", "0", "+"])
    assert same(model, counting("nb").fit([*texts, "average"], [*labels, "0"]), texts)
    with pytest.raises(InputError, match="'1' is not among the classes"):
        model.partial_fit(["other"], ["1"], classes=["-", "0", "+"])
    with pytest.raises(InputError, match="cannot be trained further; these can: nb"):
        TextClassifier().partial_fit(texts, labels)


@settings(max_examples=30)
@given(stories(), st.sampled_from(COUNTING), st.sampled_from(sorted(ANALYZERS)))
def test_naive_bayes_without_texts_never_saw_them(story, name, features):
    texts, labels, cut = story
    without = counting(name, features).fit(texts[:cut], labels[:cut])
    model = counting(name, features).fit(texts, labels).remove(texts[cut:], labels[cut:])
    assert same(model, without, texts)
    assert model.training_.n_docs == cut


@pytest.mark.parametrize("name", COUNTING)
def test_forgetting_is_a_smaller_weight_of_what_came_before(name):
    texts = ["good film", "bad film", "good fun", "bad, long and bad", "good and bad"]
    labels = ["+", "-", "+", "-", "+"]
    model = counting(name).fit(texts[:3], labels[:3])
    model.partial_fit(texts[3:], labels[3:], forget=0.75)
    weighted = counting(name).fit(texts, labels, [0.25, 0.25, 0.25, 1, 1])
    assert same(model, weighted, texts)


def test_new_words_of_an_online_learner_begin_at_zero():
    """As if the words had been there from the start, without a text that has them."""
    texts = ["good film", "bad film", "a good day", "bad and sad"]
    labels, new, new_labels = ["+", "-", "+", "-"], ["sad end", "happy end"], ["-", "+"]
    for learner in (Perceptron(**ONCE), OnlineLogistic(**ONCE)):
        analyzer = Analyzer(ngrams=(1, 1))
        model = TextClassifier(analyzer, learner, calibration=None).fit(texts, labels)
        model.partial_fit(new, new_labels)
        whole = model.model_.features  # of all texts
        by_hand = type(learner)(**ONCE)
        for some, y in ((texts, labels), (new, new_labels)):
            X = whole.transform(as_documents(some, {}), 1)
            by_hand.partial_fit(X, y, classes=["+", "-"])
        assert np.allclose(model.model_.W.T, by_hand.coef_, atol=1e-7)
        assert np.allclose(model.model_.b, by_hand.intercept_)


@pytest.mark.parametrize("name", ["perceptron", "mira", "onlinesvm", "onlinelogistic"])
def test_old_classes_of_an_online_learner_keep_their_scores_when_one_is_added(name):
    texts, labels = ["good film", "bad film", "dull"] * 4, ["+", "-", "0"] * 4
    for classes in (2, 3):
        rows = [i for i in range(12) if classes == 3 or i % 3 < 2]
        model = TextClassifier(None, name, calibration=None)
        model.fit([texts[i] for i in rows], [labels[i] for i in rows])
        learner = model.model_.learner
        X = model.model_.features.transform(as_documents(texts, {}), 1)
        before = learner.decision_function(X)
        place = np.arange(learner.n_features_in_)
        learner.resize(place, learner.n_features_in_, np.array(sorted({*model.classes_, "new"})))
        after = learner.decision_function(X)
        new = learner.classes_.tolist().index("new")
        assert np.array_equal(after[:, new], np.zeros(12))
        old = np.delete(after, new, axis=1)
        if classes == 2:
            old = old[:, 1] - old[:, 0]
        assert np.allclose(old, before)


def test_probabilities_of_a_model_with_a_new_class_sum_to_one(tmp_path):
    texts, labels = ["good film", "bad film"] * 20, ["+", "-"] * 20
    for name in ("nb", "perceptron", "onlinelogistic"):
        model = TextClassifier(learner=name).fit(texts, labels)
        model.partial_fit(["so so", "good", "bad"] * 20, ["0", "+", "-"] * 20)
        assert model.predict(["so so", "good"]).tolist() == ["0", "+"]
        model.save(tmp_path / "m", resumable=True)
        again = wordplane.load(tmp_path / "m")
        assert np.allclose(again.predict_proba(["so so", "new"]).sum(axis=1), 1)
        again.partial_fit(["other"], ["1"])
        assert again.classes_.tolist() == ["+", "-", "0", "1"]


def test_what_cannot_be_removed():
    texts, labels = ["good film", "bad film", "a good day"], ["+", "-", "+"]
    model = counting("nb").fit(texts, labels)
    before = model.predict_proba(texts)
    with pytest.raises(InputError, match="did not learn from all of them"):
        model.remove(["good good good"], ["+"])
    with pytest.raises(InputError, match="did not learn from all of them"):
        model.remove(["good film"], ["-"])
    with pytest.raises(InputError, match="does not know 4 of their features"):
        model.remove(["a good zzz qqq"], ["+"])
    with pytest.raises(InputError, match="only one would be left"):
        model.remove(["bad film"], ["-"])
    assert np.array_equal(model.predict_proba(texts), before)
    perceptron = TextClassifier(learner="perceptron").fit(texts, labels)
    with pytest.raises(InputError, match="cannot remove rows: naive Bayes can"):
        perceptron.remove(["good film"], ["+"])


def test_progressive_validation_and_drift():
    texts, labels = ["good film", "bad film"] * 20, ["+", "-"] * 20
    model = TextClassifier(Analyzer(ngrams=(1, 1)), "nb", calibration=None).fit(texts, labels)
    before = model.model_
    turned = ["good film", "fine film"] * 50
    model.partial_fit(turned, ["-", "+"] * 50)  # good has become bad, and fine is new
    rounds = model.training_.rounds
    assert [row["texts"] for row in rounds] == [10 * i for i in range(1, 11)]
    assert rounds[0]["progressive_accuracy"] <= 0.5
    assert rounds[-1]["progressive_accuracy"] > rounds[0]["progressive_accuracy"]
    (most, *_) = moved_words(before, model.model_, as_documents(turned, {}), 1)
    assert (most.feature, most.label) == ("good", "-")
    assert most.before < 0 < most.after + 1.0
    assert most.after > most.before


def test_drift_by_hand():
    """Weights of one output are half of it for the second class, and minus that for the first."""
    model = TextClassifier(Analyzer(ngrams=(1, 1)), OnlineLogistic(**ONCE), calibration=None)
    model.fit(["good", "bad"], ["+", "-"])
    before = model.model_
    model.partial_fit(["good"] * 4, ["+"] * 4)
    (good,) = moved_words(before, model.model_, as_documents(["good"] * 4, {}), 1)
    j = [model.model_.features.name(j) for j in range(2)].index("good")
    assert good.before == pytest.approx(before.W[j, 0] / 2)
    assert good.after == pytest.approx(model.model_.W[j, 0] / 2)
    assert good.label == "-"  # the second class


def test_the_command_line_shows_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = ["label,text\n", *["good,a fine film\n", "bad,a dull film\n"] * 20]
    (tmp_path / "monday.csv").write_text("".join(rows))
    more = ["label,text\n", *["good,so brisk\n", "odd,an odd film\n"] * 20]
    (tmp_path / "tuesday.csv").write_text("".join(more))
    assert main(["train", "monday.csv", "--learner", "nb", "--resumable"]) == 0
    capsys.readouterr()
    assert main(["update", "monday.wordplane", "tuesday.csv", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["new_classes"] == ["odd"]
    assert result["n_unseen_features"] > 0
    assert len(result["rounds"]) == 3  # of the 36 texts that are not held out
    again = ["unlearn", "tuesday.wordplane", "tuesday.csv", "-o", "again.wordplane"]
    assert main(again) == 0
    assert "these texts were removed" in capsys.readouterr().out
    models = [wordplane.load(f"{name}.wordplane") for name in ("monday", "again")]
    assert same(*models, ["a fine film", "so dull", "odd"])
    assert main([*again, "--force"]) == 0
    forgets = ["--forget", "0.9", "-o", "f.wordplane"]
    assert main(["update", "monday.wordplane", "tuesday.csv", *forgets]) == 0
    assert "moved     " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"tokens": r"regex:new york|\w+", "ngrams": (1, 2)}, "new york"),
        ({"tokens": r"regex:\w+ ?", "ngrams": (1, 2)}, "york new york"),
        ({"strip_accents": True, "ngrams": (1, 3)}, "\ufdfb"),
        ({"stem": {"fun": "new york"}, "ngrams": (1, 2)}, "fun"),
    ],
)
def test_words_with_blanks_inside_stay_features(params, text):
    texts = ["new york is fun", "york new is dull", "new\tyork", "\ufdfb fun", "جل جلاله"] * 4
    model = TextClassifier(Analyzer(**params), "nb", calibration=None)
    model.fit(texts, ["p", "n", "n", "p", "n"] * 4)
    before = model.decision_function([text, *texts])
    model.partial_fit(["something else", "new  york \ufdfb"], ["p", "p"])
    model.remove(["something else", "new  york \ufdfb"], ["p", "p"])
    np.testing.assert_allclose(model.decision_function([text, *texts]), before, rtol=1e-5)
