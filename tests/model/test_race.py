"""Tests of wordplane.model.race: the default is the best of the recipe and its rivals by folds."""

from dataclasses import replace

import numpy as np
import pytest

from wordplane import Analyzer, TextClassifier, load
from wordplane.cli import main
from wordplane.common.errors import InputError
from wordplane.data.corpus import Corpus
from wordplane.features.fold_counts import FoldCounts
from wordplane.learners.naive_bayes import MultinomialNB
from wordplane.learners.svm import LinearSVM
from wordplane.model import race
from wordplane.model.measuring import measure_unseen
from wordplane.model.plan import Plan
from wordplane.model.race import MIN_TEXTS, Choice
from wordplane.model.recipe import Recipe, Rival
from wordplane.model.training_record import Training
from wordplane.selection.cross_validation import out_of_fold
from wordplane.selection.splitter import Splitter
from wordplane.text.documents import as_documents
from wordplane.text.texts import as_texts

N = 600
NONE = np.zeros(0, np.int64)
WORDS = Analyzer(ngrams=(1, 1))
CHARS = Rival("characters", Analyzer(ngrams=None, chars=(1, 3)), MultinomialNB())
NOISE = Rival("noise", Analyzer(ngrams=None, chars=(1, 1)), MultinomialNB())


@pytest.fixture(scope="module")
def endings():
    """Texts of words that occur once; the endings tell the two classes apart."""
    rng = np.random.default_rng(0)
    stems = ["".join(rng.choice(list("bdfglmnprst"), 5)) for _ in range(3 * N)]
    y = rng.integers(0, 2, N)
    texts = [
        " ".join(stem + ("ona", "ano")[label] for stem in stems[3 * i : 3 * i + 3])
        for i, label in enumerate(y)
    ]
    flipped = rng.random(N) < 0.1
    return texts, np.where(flipped, 1 - y, y).astype(str)


def plan_of(data, analyzer=WORDS, rivals=(CHARS, NOISE), **changes):
    documents, y = as_documents(data[0], {}), data[1]
    parts = {"analyzer": analyzer, "learner": LinearSVM(), "rivals": rivals}
    return replace(Plan(documents, y, None, 1, **parts), **changes)


def test_the_best_by_folds_takes_the_place_of_the_recipe(endings):
    chosen = plan_of(endings).choose(NONE)
    assert chosen.analyzer is CHARS.analyzer
    assert chosen.learner is CHARS.learner
    assert chosen.choice.chosen == "characters"
    assert chosen.rivals == ()


def test_accuracies_are_those_of_cross_validation(endings):
    texts, y = endings
    same = Rival("same", Analyzer(ngrams=None, chars=(2, 3)), LinearSVM())
    choice = plan_of(endings, CHARS.analyzer, (same,)).choose(NONE).choice
    documents = as_documents(texts, {})
    for name, analyzer, learner in (("recipe", CHARS.analyzer, LinearSVM()), same[:3]):
        learner.set_params(tol=race.COARSE_TOL)
        done = out_of_fold(analyzer, learner, documents, y, splitter=Splitter(race.FOLDS))
        assert choice.accuracy[name] == np.mean(done.predicted == y)


def test_texts_are_counted_once_for_each_reading(endings, monkeypatch):
    counted, count = [], FoldCounts.of
    monkeypatch.setattr(FoldCounts, "of", lambda *given: counted.append(given[0]) or count(*given))
    same = Rival("same", Analyzer(**WORDS.get_params(deep=False)), MultinomialNB())
    plan_of(endings, WORDS, (same, CHARS)).choose(NONE)
    assert counted == [WORDS, CHARS.analyzer]


def test_both_fits_take_the_counts_of_the_race(endings, monkeypatch):
    counted, count = [], FoldCounts.of
    monkeypatch.setattr(FoldCounts, "of", lambda *given: counted.append(given[0]) or count(*given))
    held_out = np.arange(0, N, 10)
    plan = plan_of(endings, CHARS.analyzer, (NOISE,)).choose(held_out)
    plan.fit_without(held_out)
    plan.model()
    assert counted == [CHARS.analyzer, NOISE.analyzer]


@pytest.mark.parametrize("analyzer", [WORDS, CHARS.analyzer, Analyzer(hash_bits=10)])
def test_a_fit_to_counts_is_a_fit_to_texts(endings, analyzer):
    held_out = np.arange(0, N, 10)
    plan = plan_of(endings, analyzer, (), learner=MultinomialNB())
    counted = plan.count_once()
    model, z = counted.fit_without(held_out)
    alone, expected = plan.fit_without(held_out)
    np.testing.assert_allclose(z, expected, rtol=1e-5, atol=1e-5)
    assert sorted(model.features.names()) == sorted(alone.features.names())
    whole, expected = counted.model(), plan.model()
    np.testing.assert_array_equal(whole.W, expected.W)
    assert whole.features.names() == expected.features.names()


def test_a_rival_behind_the_recipe_is_not_tried_again(endings, monkeypatch):
    texts, y = endings
    fits, fit = [], MultinomialNB.fit
    monkeypatch.setattr(
        MultinomialNB, "fit", lambda self, *a, **k: fits.append(1) or fit(self, *a, **k)
    )
    monkeypatch.setattr(race, "HOPELESS", 100.0)
    choice = plan_of((texts, y), CHARS.analyzer, (NOISE,)).choose(NONE).choice
    assert choice.left_out == ("noise",)
    assert len(fits) == 1


def test_a_rival_after_others_is_tried_if_one_of_them_may_win(endings):
    late = CHARS._replace(name="late", after=("noise", "characters"))
    assert plan_of(endings, WORDS, (NOISE, late)).choose(NONE).choice.chosen == "recipe"
    choice = plan_of(endings, WORDS, (CHARS, late)).choose(NONE).choice
    assert choice.accuracy["late"] == choice.accuracy["characters"]
    same = plan_of(endings, CHARS.analyzer, (NOISE, late)).choose(NONE).choice
    assert same.left_out == ("noise", "late")


def test_the_recipe_stays_unless_a_rival_is_better(endings):
    twin = Rival("twin", CHARS.analyzer, LinearSVM())
    chosen = plan_of(endings, CHARS.analyzer, (twin, NOISE)).choose(NONE)
    assert chosen.choice.chosen == "recipe"
    assert chosen.choice.left_out == ("noise",)
    assert set(chosen.choice.accuracy) == {"recipe", "twin"}


def test_where_few_texts_are_raced_a_rival_must_be_further_ahead(endings, monkeypatch):
    monkeypatch.setattr(race, "MAX_TEXTS", MIN_TEXTS)
    assert plan_of(endings).choose(NONE).choice.chosen == "characters"
    monkeypatch.setattr(race, "BETTER_BY_FEW", 50.0)
    choice = plan_of(endings).choose(NONE).choice
    assert choice.chosen == "recipe" in choice.accuracy
    assert choice.accuracy["characters"] > choice.accuracy["recipe"]
    assert str(choice).startswith("recipe, ")


def test_of_few_texts_a_rival_must_be_further_ahead(endings, monkeypatch):
    monkeypatch.setattr(race, "BETTER_BY_FEW", 50.0)
    monkeypatch.setattr(race, "FEW_TO_CHOOSE_BY", N)
    assert plan_of(endings).choose(NONE).choice.chosen == "characters"
    monkeypatch.setattr(race, "FEW_TO_CHOOSE_BY", N + 1)
    assert plan_of(endings).choose(NONE).choice.chosen == "recipe"


def test_of_equals_the_smaller_wins(endings):
    larger = Rival("larger", Analyzer(ngrams=None, chars=(1, 3), min_df=1), MultinomialNB())
    smaller = Rival("smaller", Analyzer(ngrams=None, chars=(3, 3), min_df=20), MultinomialNB())
    choice = plan_of(endings, WORDS, (larger, smaller)).choose(NONE).choice
    if choice.accuracy["larger"] == choice.accuracy["smaller"]:
        assert choice.chosen == "smaller"
    else:
        assert choice.chosen == max(choice.accuracy, key=choice.accuracy.get)


def test_rows_held_out_take_no_part(endings):
    texts, y = endings
    held_out = np.arange(0, N, 10)
    choice = plan_of(endings).choose(held_out).choice
    changed = y.copy()
    changed[held_out] = "other"
    others = [text if i % 10 else "x y z" for i, text in enumerate(texts)]
    assert plan_of((others, changed)).choose(held_out).choice == choice
    assert choice.n_texts <= N - len(held_out)


def test_too_few_texts_are_not_raced(endings):
    texts, y = endings
    few = plan_of((texts[: MIN_TEXTS - 1], y[: MIN_TEXTS - 1])).choose(NONE)
    assert few.choice is None
    assert few.analyzer is WORDS


def test_groups_stay_together_and_weights_count(endings):
    groups, weights = np.arange(N) // 3, np.ones(N)
    alone = plan_of(endings).choose(NONE).choice
    assert plan_of(endings, groups=groups).choose(NONE).choice.chosen == "characters"
    assert plan_of(endings, weights=weights).choose(NONE).choice == alone


@pytest.fixture(scope="module")
def fitted(endings):
    return TextClassifier(n_jobs=1).fit(*endings)


def test_what_was_tried_is_recorded_and_kept(fitted, tmp_path):
    race = fitted.training_.race
    rivals = {"SVM", "characters", "both", "both with NB"}
    assert {*race["accuracy"], *race["left_out"]} == {"recipe", *rivals}
    fitted.save(tmp_path / "m.wordplane")
    assert load(tmp_path / "m.wordplane").training_.race == race


def test_the_recipe_by_name_is_taken_as_it_is(endings):
    model = TextClassifier(learner="recipe", n_jobs=1).fit(*endings)
    recipe = Recipe.of(as_documents(endings[0], {}), 2)
    assert model.training_.race == {}
    assert model.model_.features.analyzer.get_params() == recipe.analyzer().get_params()
    assert model.get_params()["learner"] == "recipe"


@pytest.mark.parametrize("changes", [{"chosen": "none"}, {"n_texts": -1}, {"accuracy": {"a": "b"}}])
def test_a_damaged_record_is_refused(fitted, changes):
    record = fitted.training_.to_dict()
    record["race"] = {**record["race"], **changes}
    with pytest.raises(InputError, match="the training record has race"):
        Training.from_dict(record)


@pytest.mark.slow
def test_a_model_that_was_chosen_is_chosen_anew_in_each_fold(fitted, endings, monkeypatch):
    n_rows = []
    choose = Plan.choose
    monkeypatch.setattr(
        Plan, "choose", lambda plan, rows: n_rows.append(len(plan.labels)) or choose(plan, rows)
    )
    measured = measure_unseen(fitted, Corpus(as_texts(endings[0]), endings[1].tolist()))
    assert n_rows == [N * 4 // 5] * 5
    assert 0.8 < np.mean(~measured.wrong) < 1


def test_train_says_what_was_tried(endings, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(*endings, strict=True)
    (tmp_path / "d.csv").write_text("text,label\n" + "\n".join(f"{t},{y}" for t, y in rows))
    assert main(["train", "d.csv"]) == 0
    assert " by folds of " in capsys.readouterr().out
    assert main(["train", "d.csv", "--fast", "--force"]) == 0
    assert "by folds of" not in capsys.readouterr().out


def test_a_rival_that_was_more_accurate_and_not_chosen_is_explained():
    lead = Choice("recipe", 6000, {"recipe": 0.86, "SVM": 0.889}, ("both",))
    assert str(lead) == (
        "recipe, 86.0% by folds of 6,000 texts (SVM 88.9%), where the lead of SVM is too small to "
        "count on; behind: both"
    )
    assert "lead" not in str(Choice("SVM", 6000, {"recipe": 0.86, "SVM": 0.889}, ()))
