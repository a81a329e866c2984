"""Tests of wordplane.model.reference and wordplane.model.text_traits: what a model keeps of its
texts, and that a file with anything else is refused."""

import numpy as np
import polars as pl
import pytest

import wordplane
from wordplane import _core
from wordplane.common.errors import InputError, ModelFileError
from wordplane.model.compression import compress_model
from wordplane.model.file import from_bytes, from_parts, read_parts, to_bytes
from wordplane.model.reference import MAX_COUNTED, MAX_ROWS, draw_rows
from wordplane.model.text_traits import TextTraits, script_of

TEXTS = ["a great film", "such great fun", "a dull film", "dull and long and dull"] * 30
LABELS = ["good", "good", "bad", "bad"] * 30


@pytest.fixture(scope="module")
def model():
    return wordplane.TextClassifier(learner="nb").fit(TEXTS, LABELS)


def test_the_reference_is_what_was_held_out(model):
    reference, holdout = model.model_.reference, model.holdout_
    assert reference.scores[:, 0] == pytest.approx(holdout.scores, rel=1e-6)
    truth = np.array(LABELS)[holdout.rows]
    assert model.classes_[reference.codes].tolist() == truth.tolist()
    assert reference.sizes.sum() == 60  # half of all
    assert "'dull'" in reference.traits.names


def test_counts_are_those_of_the_texts_of_each_class(model):
    reference = model.model_.reference
    _, rows = draw_rows(len(TEXTS), 0)
    column = reference.traits.words.index("great")
    good = [row for row in rows if LABELS[row] == "good"]
    assert reference.sizes.tolist() == [len(rows) - len(good), len(good)]
    assert reference.counts[column].tolist() == [0, len(good)]


def test_traits_are_found_and_counted_in_different_rows():
    for n_rows in (3, 50, 9 * MAX_COUNTED, 300_000_000):
        found, counted = draw_rows(n_rows, 0)
        assert not {*found} & {*counted}
        assert len(counted) == min(n_rows // 2, MAX_COUNTED)
        assert (np.diff(found) > 0).all() and (np.diff(counted) > 0).all()
        assert min(*found, *counted) >= 0 and max(*found, *counted) < n_rows


NAMES = [f"{text} by smith" for text in TEXTS]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"forbid": ["smith"]}, ["by", "film"]),
        ({"stop_words": ["smith"]}, ["by", "film"]),
        ({"max_df": 0.9}, ["by", "film"]),  # "film by" is in half of them
        ({"ngrams": None, "chars": (2, 3)}, ["by"]),
        ({"ngrams": None, "chars": (2, 4)}, ["by", "film"]),
        ({"hash_bits": 10}, []),
    ],
    ids=str,
)
def test_traits_have_no_words_that_the_features_do_not_show(given, shown):
    fitted = wordplane.TextClassifier(wordplane.Analyzer(**given), "svm").fit(NAMES, LABELS)
    found = {"smith", "by", "film"} & {*fitted.model_.reference.traits.words}
    assert sorted(found) == shown


def test_words_that_compression_leaves_out_are_left_out_of_the_traits():
    fitted = wordplane.TextClassifier(wordplane.Analyzer(ngrams=(1, 1)), "svm").fit(NAMES, LABELS)
    before, after = fitted.model_.reference, compress_model(fitted.model_, 3).reference
    assert "smith" in before.traits.words
    kept = set(compress_model(fitted.model_, 3).features.vocabularies["words"].names())
    assert set(after.traits.words) == kept & set(before.traits.words) and len(kept) == 3
    of = dict(zip(before.traits.names, before.counts.tolist(), strict=True))
    for name, counts in zip(after.traits.names, after.counts.tolist(), strict=True):
        if name == "any share of their words frequent":
            assert counts == before.sizes.tolist()
        else:
            assert counts == of[name]
    assert compress_model(fitted.model_, 1000).reference is before


def test_nothing_is_left_of_texts_that_were_removed():
    """Whether a removed text was among those counted is not known, so all counts go."""
    fitted = wordplane.train([*NAMES, *TEXTS], LABELS * 2, learner="nb", resumable=True).model
    assert "smith" in fitted.model_.reference.traits.words
    without = wordplane.unlearn(fitted, NAMES, LABELS).model
    assert without.model_.reference is None
    with pytest.raises(InputError, match="texts were removed"):
        wordplane.monitor(without, TEXTS)
    rest = pl.DataFrame({"text": [*NAMES, *TEXTS], "label": LABELS * 2})
    again = wordplane.unlearn(fitted, NAMES, LABELS, rest=rest).model
    assert "smith" not in again.model_.reference.traits.words
    assert b"smith" not in to_bytes(again.model_)


def test_a_model_that_is_trained_further_has_the_traits_of_its_last_texts():
    first = wordplane.train(NAMES, LABELS, learner="nb", resumable=True).model
    later = [f"{text} now" for text in TEXTS[:100]]
    traits = wordplane.update(first, later, LABELS[:100]).model.model_.reference.traits
    assert "now" in traits.words and "smith" not in traits.words


def test_it_is_saved_and_loaded(model):
    before, after = model.model_.reference, from_bytes(to_bytes(model.model_)).reference
    assert after.traits == before.traits
    for name in ("scores", "codes", "counts", "sizes"):
        assert (getattr(after, name) == getattr(before, name)).all()


def test_few_texts_keep_scores_of_all_by_folds():
    result = wordplane.train(TEXTS[:80], LABELS[:80], learner="nb")
    reference = result.model.model_.reference
    assert len(reference.scores) == 80
    assert result.model.classes_[reference.codes].tolist() == LABELS[:80]


def test_many_rows_are_drawn_evenly(model):
    reference = model.model_.reference
    codes = np.arange(3 * MAX_ROWS) % 2
    kept = reference.with_scores(model.classes_, np.arange(len(codes)) / 1.0, model.classes_[codes])
    assert kept.scores.shape == (MAX_ROWS, 1)
    assert (codes[kept.scores[:, 0].astype(int)] == kept.codes).all()


def test_an_edited_model_has_none():
    edited = wordplane.edit(
        wordplane.TextClassifier(learner="logistic").fit(TEXTS, LABELS),
        TEXTS,
        LABELS,
        cap={"dull": 0.1},
    )
    with pytest.raises(InputError, match="nothing of texts held out"):
        wordplane.monitor(edited.model, ["great"])


def parts(model):
    return read_parts(to_bytes(model.model_))


@pytest.mark.parametrize(
    "change",
    [
        lambda a, m: a.update({"reference.codes": a["reference.codes"] + 2}),
        lambda a, m: a.update({"reference.codes": a["reference.codes"][1:]}),
        lambda a, m: a.update({"reference.scores": a["reference.scores"] * np.float32(np.nan)}),
        lambda a, m: a.update({"reference.scores": np.zeros((12, 3), np.float32)}),
        lambda a, m: a.update({"reference.counts": a["reference.counts"] + 100}),
        lambda a, m: a.update({"reference.counts": a["reference.counts"][1:]}),
        lambda a, m: a.update({"reference.sizes": a["reference.sizes"].astype(np.int64)}),
        lambda a, m: a.pop("reference.sizes"),
        lambda a, m: m.pop("reference"),
        lambda a, m: m["reference"].pop("words"),
        lambda a, m: m["reference"].update(words=["a", "a"]),
        lambda a, m: m["reference"].update(lengths=[2.0, 1.0]),
        lambda a, m: m["reference"].update(known=[1e300]),
        lambda a, m: m["reference"].update(words=[1]),
    ],
)
def test_anything_else_is_refused(model, change):
    arrays, metadata = parts(model)
    from_parts(dict(arrays), metadata)
    arrays = dict(arrays)
    change(arrays, metadata)
    with pytest.raises(ModelFileError, match="not a usable model"):
        from_parts(arrays, metadata)


def test_traits_by_hand():
    texts = _core.Texts(["a b", "a b c d", "a", "a b c d e f"] * 5 + ["Шум"] * 5)
    trained = wordplane.TextClassifier(learner="nb").fit(list(texts), [*"xy"] * 12 + ["x"])
    traits = TextTraits.of(texts, trained.model_.features, 1)
    assert traits.words[:2] == ("a", "b")
    assert traits.lengths == (1.0, 2.0, 4.0)
    assert traits.scripts == ("LATIN", "CYRILLIC")
    X = traits.matrix(_core.Texts(["b b x", "影"]), 1)
    shown = [[n for n, has in zip(traits.names, row, strict=True) if has] for row in X]
    assert shown[0] == [
        "'b'",
        "more than 2, up to 4 words",
        "less than 100.0% of their words frequent",
        "in Latin letters",
    ]
    assert shown[1][-1] == "in other letters"
    assert script_of("123") == "no letters"
