"""The recipe beside word vectors: what texts without labels add to it."""

import numpy as np
import pytest
from scipy.optimize import minimize

import wordplane
from wordplane import TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.common.threads import thread_count
from wordplane.model.stacking import Stack, join, stack_vectors, stacking_weights
from wordplane.text.documents import as_documents

LETTERS = np.random.default_rng(0).integers(97, 123, (300, 6), dtype=np.uint8)
WORDS = [row.tobytes().decode() for row in LETTERS]
NOISE, TOPICS = WORDS[:40], [WORDS[40:120], WORDS[120:200], WORDS[200:280]]


def topics(n, n_classes, seed):
    """Texts of words that belong to a class, too many for a few texts to have them all."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    texts = [" ".join([*rng.choice(TOPICS[k], 4), *rng.choice(NOISE, 4)]) for k in y]
    return texts, [f"class{k}" for k in y]


def stacked_plan(n=30, n_classes=3):
    texts, labels = topics(n, n_classes, 0)
    plan = TextClassifier().make_plan(texts, labels, None)
    return stack_vectors(plan, topics(300, n_classes, 1)[0], 0)


@pytest.fixture(scope="module", params=[2, 3])
def fitted(request):
    n_classes = request.param
    texts, labels = topics(12, n_classes, 0)
    return TextClassifier().fit(texts, labels, unlabeled=topics(600, n_classes, 1)[0])


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_words_that_no_label_explains_are_learned_from_texts_without_labels(n_classes):
    texts, labels = topics(12, n_classes, 0)
    test, truth = topics(200, n_classes, 2)
    with_them = TextClassifier().fit(texts, labels, unlabeled=topics(600, n_classes, 1)[0])
    without = TextClassifier().fit(texts, labels)
    assert with_them.score(test, truth) > 0.95
    assert without.score(test, truth) < 0.9
    record = with_them.training_
    assert (record.n_docs, record.n_unlabeled) == (12, 600)
    folds = record.unlabeled_folds
    assert folds["log_loss"] < folds["log_loss_without"]
    assert folds["accuracy"] > folds["accuracy_without"]


@pytest.mark.slow
def test_texts_that_say_nothing_do_no_harm():
    rng = np.random.default_rng(0)
    labels = np.array(["good", "bad"] * 50)
    texts, test = ([" ".join([*rng.choice(NOISE, 6), label]) for label in labels] for _ in range(2))
    noise = [" ".join(rng.choice([*NOISE, "good", "bad"], 7)) for _ in range(400)]
    alone = TextClassifier().fit(texts, labels)
    both = TextClassifier().fit(texts, labels, unlabeled=noise)
    assert both.score(test, labels) >= alone.score(test, labels)


def test_texts_that_mislead_are_not_used(monkeypatch):
    """Then the model is that of the recipe alone."""
    plan = stacked_plan()
    worse = Stack(1.0, 1.0, 1.0, (0.6, 0.7), (0.4, 0.5))
    monkeypatch.setattr(type(plan), "_stack", lambda _: worse)
    model, alone = plan.model(), super(type(plan), plan).model()
    assert np.array_equal(model.W, alone.W)
    assert model.training.n_unlabeled == 0
    assert model.training.unlabeled_folds == worse.to_dict()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_the_weighted_sum_of_both_parts(n_classes):
    plan = stacked_plan(n_classes=n_classes)
    recipe, vectors = super(type(plan), plan).model(), plan._vectors_plan(3.0).model()
    joined = join(recipe, vectors, 0.7, 2.5)
    documents = as_documents(topics(50, n_classes, 5)[0], {})
    threads = thread_count(None)
    s, t = recipe.scores(documents, threads), vectors.scores(documents, threads)
    z = joined.scores(documents, threads)
    assert np.abs(z - (0.7 * s + 2.5 * t)).max() < 1e-5
    assert np.abs(t).max() > 0.1
    # Of each vector, as many numbers are kept as there are outputs.
    (kept,) = joined.features.spec.columns.embeddings.values()
    assert kept.vectors_.shape[1] == len(joined.b)


def test_the_rows_of_a_fold_do_not_set_the_weights_they_are_judged_by():
    rng = np.random.default_rng(0)
    codes = np.arange(40) % 2
    s = rng.normal(size=(40, 2))
    t = np.where(np.eye(2)[codes] > 0, 1.0, -1.0)
    folds = [np.arange(0, 20), np.arange(20, 40)]
    t[folds[1]] *= -1  # weights from the first half are wrong about the second, and vice versa
    stack = Stack.of(s, t, codes, folds, 1.0)
    a, b = stacking_weights(s[folds[0]], t[folds[0]], codes[folds[0]])
    z = a * s[folds[1]] + b * t[folds[1]]
    assert (z.argmax(axis=1) == codes[folds[1]]).mean() < 0.3
    assert stack.accuracy[0] < 0.8
    assert not stack.is_better
    assert stack.log_loss[0] > stack.log_loss[1]


@pytest.mark.parametrize("seed", range(5))
def test_weights_minimize_the_penalized_loss(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=50)
    s, t = rng.normal(size=(2, 50, 3)) + np.eye(3)[codes] * np.array([[[0.5]], [[seed - 2.0]]])
    scale = [np.sqrt((part**2).mean()) for part in (s, t)]

    def loss(w):
        z = w[0] * s + w[1] * t
        v = np.multiply(w, scale)
        return -np.log(np.exp(z)[range(50), codes] / np.exp(z).sum(axis=1)).sum() + v @ v / 2

    best = minimize(loss, [0.1, 0.1], bounds=[(0, None)] * 2, tol=1e-12)
    found = stacking_weights(s, t, codes)
    assert min(found) >= 0
    assert loss(found) == pytest.approx(best.fun, abs=1e-6)


def test_a_saved_model_gives_the_same_scores(fitted, tmp_path):
    fitted.save(tmp_path / "m.wordplane")
    loaded = wordplane.load(tmp_path / "m.wordplane")
    texts = topics(30, 3, 7)[0]
    assert np.array_equal(loaded.decision_function(texts), fitted.decision_function(texts))
    assert loaded.training_ == fitted.training_


def test_an_explanation_shows_what_words_add(fitted):
    one, two, noise = *TOPICS[1][:2], NOISE[0]
    explanation = fitted.explain(f"{one} {two} xx {noise} {one}")
    assert explanation.label == "class1"
    assert explanation.bias + explanation.values.sum() == pytest.approx(explanation.score)
    places = {
        (c.start, c.end): c.feature
        for c in explanation.contributions
        if c.feature.startswith("embedding:")
    }
    expected = {(0, 6): one, (7, 13): two, (17, 23): noise, (24, 30): one}
    assert places == {at: f"embedding:unlabeled:{word}" for at, word in expected.items()}


def test_an_explanation_of_unknown_words_adds_up(fitted):
    explanation = fitted.explain("nobody knows these")
    assert explanation.bias + explanation.values.sum() == pytest.approx(explanation.score)


def test_too_few_labels_to_compare_give_the_recipe():
    texts, labels = topics(2, 2, 0)
    model = TextClassifier().fit(texts, labels, unlabeled=topics(40, 2, 1)[0])
    assert model.training_.n_unlabeled == 0
    assert model.training_.unlabeled_folds == {}


def test_several_labels_per_text_are_refused():
    with pytest.raises(InputError, match="multi-label"):
        TextClassifier().fit(["a b", "b c"], [["x"], ["x", "y"]], unlabeled=["a"])


def test_the_command_says_what_it_decided(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, labels = topics(20, 2, 0)
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "few.csv").write_text("\n".join(["text,label", *rows]))
    (tmp_path / "many.txt").write_text("\n".join(topics(400, 2, 1)[0]))
    assert main(["train", "few.csv", "--unlabeled", "many.txt"]) == 0
    shown = capsys.readouterr().out
    assert "unlabeled used: " in shown
    assert "trained on 20 texts and 400 without labels" in shown
    assert main(["inspect", "few.wordplane"]) == 0
