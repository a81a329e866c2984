"""The recipe beside word vectors: what texts without labels, and vectors from a file, add to it.

Tests of wordplane.model.stacking and wordplane.model.more_texts.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import wordplane
from wordplane import Analyzer, TextClassifier
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.common.threads import thread_count
from wordplane.features.pretrained.vectors import ListedVectors
from wordplane.model import stacking
from wordplane.model.decision import Decision
from wordplane.model.stacking import Part, Stack, join, judge, stack_vectors, stacking_weights
from wordplane.model.word_vectors import PoolVectors, learned_vectors
from wordplane.selection.splitter import Split
from wordplane.text.documents import as_documents
from wordplane.text.texts import as_texts

LETTERS = np.random.default_rng(0).integers(97, 123, (300, 6), dtype=np.uint8)
WORDS = [row.tobytes().decode() for row in LETTERS]
NOISE, TOPICS = WORDS[:40], [WORDS[40:120], WORDS[120:200], WORDS[200:280]]


@pytest.fixture(scope="module", autouse=True)
def less_work():
    """Folds are drawn once, and one C is tried."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stacking, "REPEATS", 1)
        patch.setattr(stacking, "C_GRID", (10.0,))
        yield


def topics(n, n_classes, seed):
    """Texts of words that belong to a class, too many for a few texts to have them all."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    texts = [" ".join([*rng.choice(TOPICS[k], 4), *rng.choice(NOISE, 4)]) for k in y]
    return texts, [f"class{k}" for k in y]


def stacked_plan(n=30, n_classes=3):
    texts, labels = topics(n, n_classes, 0)
    plan = TextClassifier().make_plan(texts, labels, None)
    return stack_vectors(plan, topics(300, n_classes, 1)[0], None)


def file_of_vectors(rng):
    """Words of a class have vectors that are alike."""
    kinds = np.repeat(np.arange(4), [40, 80, 80, 80])
    vectors = np.eye(8)[kinds] * 2 + rng.normal(scale=0.5, size=(280, 8))
    return ListedVectors(WORDS[:280], vectors.astype(np.float32))


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
    folds = record.vector_folds
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
    part = Part("unlabeled", 0, 1.0, 1.0)
    worse = Stack(1.0, (part,), "accuracy", (0.6, 0.7), 0.05, (0.4, 0.5), 0.1, np.zeros((30, 3)))
    monkeypatch.setattr(type(plan), "_make_stack", lambda *_: worse)
    model, alone = plan.model(), super(type(plan), plan).model()
    assert np.array_equal(model.W, alone.W)
    assert model.training.n_unlabeled == 0
    assert model.training.vector_folds == worse.to_dict()


@pytest.mark.parametrize(
    ("changes", "better"),
    [
        ({}, True),
        ({"log_loss": (0.54, 0.5)}, True),  # within half a standard error
        ({"log_loss": (0.56, 0.5)}, False),
        ({"score": (0.63, 0.7)}, True),  # within one and a half
        ({"score": (0.62, 0.7)}, False),
        ({"score": (0.74, 0.7), "metric": "f1"}, False),  # what it must gain
        ({"score": (0.76, 0.7), "metric": "f1"}, True),
        ({"parts": (Part("unlabeled", 0, 1.0, 0.0),)}, False),
        ({"parts": ()}, False),
    ],
)
def test_what_decides(changes, better):
    part = Part("unlabeled", 0, 1.0, 1.0)
    stack = Stack(1.0, (part,), "accuracy", (0.75, 0.7), 0.05, (0.4, 0.5), 0.1, np.zeros((30, 3)))
    assert stack._replace(**changes).is_better == better


def test_uneven_classes_are_judged_by_the_rarer():
    codes = np.arange(40) % 8 // 7  # one in eight
    s = np.eye(2)[codes] * 2 - 1.0
    rows = np.arange(40)
    folds = [Split(rows[rows % 4 != k], rows[rows % 4 == k]) for k in range(4)]
    stack = judge([[s], [s[::-1]]], codes, [folds])
    assert (stack.metric, stack.score[1]) == ("f1", 1.0)
    assert stack.noise == pytest.approx(1 / np.sqrt(5))  # few labels of the rarer class
    assert judge([[s], [s]], np.arange(40) % 2, [folds]).metric == "accuracy"


@pytest.mark.parametrize("n_labels", [12, 50])
@pytest.mark.slow
def test_vectors_dealt_out_among_other_words_are_never_used(n_labels):
    """Whatever the labels of the folds say by chance."""
    texts, labels = topics(n_labels, 2, 0)
    plan, rng = TextClassifier().make_plan(texts, labels, None), np.random.default_rng(0)
    source = file_of_vectors(rng)
    for _ in range(5):
        dealt = ListedVectors(source.words, rng.permutation(source.vectors))
        stacked = stack_vectors(plan, None, dealt)
        model = stacked.model()
        assert model.training.pretrained == ""
        assert np.array_equal(model.W, super(type(stacked), stacked).model().W)


@pytest.mark.slow
def test_vectors_from_a_file_give_weights_to_words_without_labels():
    texts, labels = topics(12, 2, 0)
    test, truth = topics(200, 2, 2)
    alone = TextClassifier(calibration=None).fit(texts, labels)
    source = file_of_vectors(np.random.default_rng(0))
    model = TextClassifier(calibration=None).fit(texts, labels, pretrained=source)
    assert model.training_.pretrained == "vectors given in Python"
    assert model.score(test, truth) > 0.95 > 0.9 > alone.score(test, truth)
    known = set(" ".join(texts).split())
    new = next(word for word in TOPICS[1] if word not in known)
    assert model.explain(new).label == "class1"
    both = TextClassifier(calibration=None).fit(
        texts, labels, pretrained=source, unlabeled=topics(300, 2, 1)[0]
    )
    assert both.score(test, truth) > 0.95


def test_one_label_for_each_class_gives_the_recipe():
    """Then no fold can be right, and all weights are 0."""
    texts, labels = [f"{word} {word}" for word in WORDS[:30]], WORDS[:30]
    source = file_of_vectors(np.random.default_rng(0))
    model = TextClassifier(calibration=None).fit(texts, labels, pretrained=source)
    assert model.training_.pretrained == ""
    assert model.score(texts, labels) == 1.0


def test_vectors_go_with_the_recipe_alone():
    source = file_of_vectors(np.random.default_rng(0))
    with pytest.raises(InputError, match="leave out `learner`"):
        TextClassifier(learner="nb").fit(*topics(12, 2, 0), pretrained=source)
    with pytest.raises(InputError, match="of another language"):
        TextClassifier().fit(["a b", "c d"] * 5, ["x", "y"] * 5, pretrained=source)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_the_weighted_sum_of_both_parts(n_classes):
    plan = stacked_plan(n_classes=n_classes)
    first, second = plan.vectors["unlabeled"]
    recipe = super(type(plan), plan).model()
    vectors, others = (plan._vectors_plan(one, 3.0).model() for one in (first, second))
    parts = [(vectors, Part("unlabeled", 0, 3.0, 2.5)), (others, Part("pretrained", 1, 3.0, 1.5))]
    joined = join(recipe, 0.7, parts)
    documents = as_documents(topics(50, n_classes, 5)[0], {})
    threads = thread_count(None)
    s, t, u = (model.scores(documents, threads) for model in (recipe, vectors, others))
    z = joined.scores(documents, threads)
    assert np.abs(z - (0.7 * s + 2.5 * t + 1.5 * u)).max() < 1e-5
    assert np.abs(t).max() > 0.1
    # Of each vector, as many numbers are kept as there are outputs.
    for kept in joined.features.spec.columns.embeddings.values():
        assert kept.vectors_.shape[1] == len(joined.b)


def test_the_rows_of_a_fold_do_not_set_the_weights_they_are_judged_by():
    rng = np.random.default_rng(0)
    codes = np.arange(40) % 2
    s = rng.normal(size=(40, 2))
    t = np.where(np.eye(2)[codes] > 0, 1.0, -1.0)
    halves = [np.arange(0, 20), np.arange(20, 40)]
    folds = [Split(halves[1], halves[0]), Split(halves[0], halves[1])]
    t[halves[1]] *= -1  # weights from the first half are wrong about the second, and vice versa
    stack = judge([[s], [t]], codes, [folds])
    a, b = stacking_weights([s[halves[0]], t[halves[0]]], codes[halves[0]])
    z = a * s[halves[1]] + b * t[halves[1]]
    assert (z.argmax(axis=1) == codes[halves[1]]).mean() < 0.3
    assert stack.score[0] < 0.8
    assert not stack.is_better
    assert stack.log_loss[0] > stack.log_loss[1]


@pytest.mark.parametrize("seed", range(5))
def test_weights_minimize_the_penalized_loss(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=50)
    right = np.array([0.5, seed - 2.0, 0.2])[:, None, None]
    parts = rng.normal(size=(3, 50, 3)) + np.eye(3)[codes] * right
    scale = [np.sqrt((part**2).mean()) for part in parts]

    def loss(w):
        z = np.tensordot(w, parts, 1)
        v = np.multiply(w, scale)
        return -np.log(np.exp(z)[range(50), codes] / np.exp(z).sum(axis=1)).sum() + v @ v / 2

    best = minimize(loss, [0.1] * 3, bounds=[(0, None)] * 3, tol=1e-12)
    found = stacking_weights(parts, codes)
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


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.slow
def test_folds_that_weight_vectors_calibrate_too(n_classes):
    texts, labels = topics(40, n_classes, 0)
    more = as_texts(topics(300, n_classes, 1)[0])
    vectors = PoolVectors(learned_vectors(more, Analyzer(), 1, 0)[0], 300)
    held_out, by_folds = (
        TextClassifier(calibration=how).fit(texts, labels, unlabeled=vectors)
        for how in ("holdout", "cv")
    )
    new, truth = topics(200, n_classes, 7)
    assert np.array_equal(by_folds.decision_function(new), held_out.decision_function(new))
    assert by_folds.training_.n_unlabeled == 300
    plan = TextClassifier().make_plan(texts, labels, None)
    stack = stack_vectors(plan, vectors, None)._stack
    z = stack.scores[:, 1:] - stack.scores[:, :1] if n_classes == 2 else stack.scores
    decision = Decision.of(by_folds.classes_, z, np.array(labels), None)
    expected = decision.apply(replace(by_folds.model_, calibrator=decision.calibrator))
    assert by_folds.predict_proba(new) == pytest.approx(
        expected.probabilities(by_folds.decision_function(new))
    )
    p = by_folds.predict_proba(new)
    assert abs(p.max(axis=1).mean() - by_folds.score(new, truth)) < 0.15


def test_too_few_labels_to_compare_give_the_recipe():
    texts, labels = topics(2, 2, 0)
    model = TextClassifier().fit(texts, labels, unlabeled=topics(40, 2, 1)[0])
    assert model.training_.n_unlabeled == 0
    assert model.training_.vector_folds == {}


def test_several_labels_per_text_are_refused():
    with pytest.raises(InputError, match="multi-label"):
        TextClassifier().fit(["a b", "b c"], [["x"], ["x", "y"]], unlabeled=["a"])


@pytest.mark.slow
def test_the_command_says_what_it_decided(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, labels = topics(20, 2, 0)
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "few.csv").write_text("\n".join(["text,label", *rows]))
    (tmp_path / "many.txt").write_text("\n".join(topics(400, 2, 1)[0]))
    assert main(["train", "few.csv", "--unlabeled", "many.txt"]) == 0
    shown = capsys.readouterr().out
    assert "vectors   used, those of the texts without labels: " in shown
    assert "trained on 20 texts and 400 without labels" in shown
    assert main(["inspect", "few.wordplane"]) == 0


@pytest.mark.slow
def test_the_command_reads_a_file_of_vectors(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts, labels = topics(20, 2, 0)
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "few.csv").write_text("\n".join(["text,label", *rows]))
    source = file_of_vectors(np.random.default_rng(0))
    lines = [
        f"{word} {' '.join(map(str, vector))}"
        for word, vector in zip(source.words, source.vectors.tolist(), strict=True)
    ]
    (tmp_path / "glove.txt").write_text("\n".join(lines))
    assert main(["train", "few.csv", "--pretrained", "glove.txt"]) == 0
    assert "vectors   used, those of glove.txt: " in capsys.readouterr().out
    record = wordplane.load("few.wordplane").training_
    assert (record.pretrained, record.n_unlabeled) == ("glove.txt", 0)
    for options, message in (
        (["--learner", "nb"], "--pretrained goes with the recipe"),
        (["--tune"], "--tune does not go with --pretrained"),
        (["--blocks"], "--pretrained"),
    ):
        command = ["train", "few.csv", "--pretrained", "glove.txt", *options, "--force"]
        assert main(command) == 2
        assert message in capsys.readouterr().err
    assert main(["train", "few.csv", "--pretrained", "glove.txt", "-o", "glove.txt"]) == 2


@pytest.mark.slow
def test_vectors_that_were_learned_before_are_used_even_where_folds_cannot_tell(monkeypatch):
    texts, labels = topics(30, 2, 0)
    vectors = PoolVectors(stacked_plan(30, 2).vectors["unlabeled"][0], 300)
    monkeypatch.setattr(Stack, "is_better", property(lambda _: False))
    model = TextClassifier().fit(texts, labels, unlabeled=vectors)
    assert "unlabeled" in model.model_.features.spec.columns.embeddings
    new, truth = topics(200, 2, 5)
    alone = TextClassifier().fit(texts, labels)
    assert model.score(new, truth) > alone.score(new, truth)
    with pytest.raises(InputError, match="only the recipe can use"):
        TextClassifier(learner="nb").fit(texts, labels, unlabeled=vectors)
